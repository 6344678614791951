"""The speaker's own stance: the constructions with which assistants decline, plead a lack, or disown, in English.

A refusal is read from its parts: who speaks (I, this assistant, my guidelines), a modal that denies (cannot, will not,
am unable), and a verb for what assistants are asked to do (help, provide, answer). No wording of a model is listed.
"""

from __future__ import annotations

import re
from typing import Final


def _join(*words: str) -> str:
    return "|".join(" ".join(words).split())


# -- parts ---------------------------------------------------------------------------------------
_HELP = _join(
    "help assist aid provid(?:e|ing) giv(?:e|ing)(?!\\W+(?:up|in)\\b) offer fulfill? comply complet(?:e|ing) answer",
    "respond repl(?:y|ying) generat(?:e|ing) creat(?:e|ing) writ(?:e|ing) compos(?:e|ing) draft produc(?:e"
    "|ing) shar(?:e|ing)",
    "disclos(?:e|ing) reveal discuss engag(?:e|ing) participat(?:e|ing) advis(?:e"
    "|ing) teach instruct explain describ(?:e|ing)",
    "continu(?:e|ing) proceed honou?r satisfy grant accommodat(?:e|ing) facilitat(?:e|ing) contribut(?:e|ing) list",
    "speculat(?:e|ing) comment pretend role-?play act(?:ing)?\\W+(?:as|like|out) translat(?:e|ing) rewrit(?:e|ing)",
    "process(?:ing)?\\W+(?:this|that|your|the|such) carry\\W+out go(?:ing)?\\W+(?:into|along|there"
    "|down) entertain cooperat(?:e|ing) oblige",
    "tell(?:ing)?\\W+you show(?:ing)?\\W+you walk(?:ing)?\\W+you guid(?:e"
    "|ing) talk(?:ing)?\\W+about display hand(?:ing)?\\W+(?:over|out)",
    "do(?:ing)?\\W+(?:that|this|so|it|what|as|such|anything)\\b support(?:ing)? respond\\W+to touch mak(?:e"
    "|ing)\\W+(?:\\w+\\W+)?(?:jokes?|fun|such|that|this|statements|assumptions|judge?ments?|guess(?:es)?|inferences"
    "|claims)",
    "be\\W+(?:an?\\W+)?(?:part|involved|able|of\\W+(?:help|assistance)|used|helping|providing|assisting"
    "|doing) take\\W+part suppl(?:y|ying)",
    "divulg(?:e|ing) deliver outlin(?:e|ing) accept satisf(?:y|ying) serv(?:e|ing)\\W+(?:that|this"
    "|your) say\\W+(?:that|it|this)\\b recit(?:e|ing) repeat(?:ing)?",
)
_ING = rf"(?:{_HELP})(?:ing|ting|ning)?\b"
_KNOW = _join(
    "see view access open brows(?:e|ing) search read watch listen hear identif(?:y|ying) recogni[sz](?:e"
    "|ing) determin(?:e|ing)",
    "verif(?:y|ying) confirm predict forecast find locat(?:e|ing) track look retriev(?:e|ing) observ(?:e"
    "|ing) infer guess check",
    "analy[sz](?:e|ing) interpret tell judg(?:e|ing) assess evaluat(?:e|ing) form hold express experienc(?:e"
    "|ing) feel store",
    "say fully properly connect visit send perform process diagnos(?:e|ing) take buy physically consume eat",
)
_ADV = (
    r"(?:\W+(?:\w+ly|also|just|even|still|ever|however|therefore|thus|so|at this time|at the moment|in any way|"
    r"and will not|and should not|and cannot|or will not|nor will i|and must not|and would not|"
    r"in good (?:conscience|faith)|under (?:any|no) circumstances?|as an? [\w -]{1,40}(?=,)|be able to|be))*\W+"
)
_NOT_ABLE = (
    r"(?:unable|unwilling|not" + r"(?:\W+(?:\w+ly|in any way|able|allowed|permitted|authori[sz]ed|programmed"
    r"|designed|equipped"
    r"|going|willing|trained|built|meant|supposed|prepared|intended|here|about|at liberty|in a position|set up|made"
    r"|created|ready))+)"
)
_CANNOT = (
    r"(?:cannot|can no longer|can never|will not|will never|shall not|should not|must not|may not|would not"
    r"|would never|could not"
    rf"|(?:am|will be|would be|remain){_ADV}{_NOT_ABLE}(?:{_ADV}to)?|have not been (?:\w+ ){{0,2}}to)"
)
_WHO = (
    r"(?:i|we|this (?:assistant|ai|model|chatbot|bot)|(?:an? |the )?(?:ai|assistant|model"
    r"|chatbot)[\w ]{0,20} (?:like me|such as (?:me|myself)))"
)
_MINE = (
    r"(?:my|our|openai|anthropic|google|meta|microsoft|(?:the )?(?:usage|content|use|community|safety"
    r"|platform))(?:'s?| is)?"
)
_RULES = (
    r"(?:guidelines?|polic(?:y|ies)|terms|programming|values|principles|rules|training|design|purpose|capabilit(?:y"
    r"|ies)|abilit(?:y|ies)"
    r"|scope|standards|ethics?|code|instructions|safety|boundaries|nature|role|expertise|mission|function(?:ality)?"
    r"|safeguards|protocols?)"
)
_LEAD = (
    r"^(?:(?:i am )?(?:very |so |really |truly )?(?:sorry|apologies|my apologies|unfortunately|regrettably|no|nope"
    r"|nah|hmm|oh|ok|okay|hi|hello|hey|well|dear user|i apologi[sz]e)\W+){0,3}"
)
_END = r"(?:\W+(?:sorry|i am sorry|i am afraid|unfortunately))?[\s.,!)\"']*$"

# -- refusals ------------------------------------------------------------------------------------
_EXCEPT = re.compile(
    r"\bnever do (?:that|this) to you\b|"
    r"\b(?:cannot|could not|am unable to|will not)\W+(?:\w+ly\W+)?(?:help\W+(?:but|it|myself|feeling|thinking"
    r"|noticing|wondering|laughing|smiling"
    r"|admiring|loving|being|falling)\b|(?:describe|explain|tell you|express|say|recommend|emphasi[sz]e"
    r"|stress)\W+(?:\w+\W+){0,4}(?:enough|how (?:much|happy|glad|sorry|excited|grateful))"
    r"|(?:complete|continue|proceed|go on|answer|respond|help|live|support)\W+(?:without|if|unless|until)"
    r"|accept\W+(?:a|the|your) (?:position|offer|invitation|job))"
    r"|\b(?:i|we)\W+(?:cannot|could not|will not)\W+(?:complain|wait|lie|deny|blame|thank)\b"
    r"|\bwill not go into (?:\w+ )?(?:detail|depth|the details)"
    r"|\b(?:i|we) (?:would|could|should) not (?:have|be (?:surprised|here|able to do it without))\b"
)
_LIMITED = (
    r"(?:(?:an?|any|the|you|with|you with)\W+){0,3}(?:\w+ly\W+)?(?:definitive|definite|exact|precise|complete"
    r"|comprehensive|exhaustive|full|guaranteed?|real-?time|live"
    r"|up-to-date|current|accurate|(?:medical|legal|financial|tax|investment|professional|personali[sz]ed"
    r"|individuali[sz]ed)(?:\W+\w+){0,3}\W+(?:advice|diagnos[ie]s|opinions?|recommendations?|counsel|guidance)"
    r"|diagnos[ie]s|personal opinions?)\b"
)
_REFUSE = re.compile(
    "|".join(
        (
            rf"\b{_WHO}{_ADV}{_CANNOT}{_ADV}(?:\w+(?:, \w+){{0,3}},? (?:or|and|nor) )?(?:{_HELP})\b(?!\W+{_LIMITED})",
            rf"\b{_WHO}{_ADV}{_CANNOT}(?:{_ADV}(?:to )?(?:that|this|it|do|so|either))?{_END}",
            rf"\bi{_ADV}do not(?: \w+ly)? (?!support|accept|satisf|deliver|touch)(?:{_HELP})\b(?!\W+{_LIMITED})",
            rf"\bi{_ADV}(?:do not|am not|would not|cannot|will not)(?: \w+ly)? (?:feel|be)?\W*(?:comfortable|ok|okay"
            rf"|right|willing|interested in|happy|at ease) (?:with |about |in |to )?(?:\w+ly |be )?(?:{_ING}|this"
            rf"|that|it|such|the|your|where)",
            rf"\bi{_ADV}(?:am|feel) (?:\w+ly )?(?:uncomfortable|incapable of|prohibited from|forbidden from"
            rf"|restricted from|barred from|prevented from|not capable of|not comfortable"
            rf"|limited in) ?(?:with )?(?:{_ING}|this|that|such|where|{_END})",
            r"\bi(?: \w+ly| am afraid i)*(?: must| have to| need to| will have to| am going to(?: have to)?"
            r"| am obliged to| am required to| will| should| would like to| choose to"
            r"| wish to)*(?: \w+ly)* (?:decline|refuse|abstain|refrain from|pass on"
            r"|opt not)\b(?! (?:to )?(?:believe|accept|let|be\b|give|back|in \w+ (?:price|value)))",
            r"\bi (?:would|will) (?:\w+ly )?(?:rather|prefer|choose) (?:to )?(?:not|talk|discuss|focus|we)\b"
            r"|\bi (?:\w+ly )?(?:prefer|choose) not\b|\bi (?:\w+ly )?(?:have to|must|need to|will) draw (?:the"
            r"|a) line",
            r"\b(?:not (?:something|anything|a (?:\w+ )?(?:request|task|question|subject|topic|conversation|thing)"
            r"|one)|nothing)(?: that| which)? (?:i|we) (?:can|could|will|would|am|want|feel|should|do|have)\b",
            rf"\b(?:violat(?:es?|ing)|go(?:es)? against|(?:is|are|be|am|falls?|something) (?:\w+ )?(?:against"
            rf"|outside(?: of)?|beyond)|conflicts? with|breach(?:es)?|contraven(?:es?)|contrary to|not within"
            rf"|not aligned? with|not in line with|prohibited by|not (?:allowed|permitted) (?:by|under"
            rf"|within))(?: the (?:scope|bounds|limits) of)? {_MINE}(?:\W+\w+){{0,5}}?\W+{_RULES}\b",
            rf"\bmy (?:\w+ (?:and )?){{0,4}}{_RULES}(?: \w+){{0,3}}? (?:prevents?|prohibits?|forbids?|restricts?"
            rf"|precludes?|bars?|stops?|keeps?|requires? (?:that i|me) (?:to )?(?:decline|refuse|not)"
            rf"|do(?:es)? not (?:allow|permit|let|include|extend|enable|support))\b",
            r"\b(?:inappropriate|unethical|irresponsible|improper|wrong|not (?:\w+ )?(?:appropriate|ethical|right"
            r"|responsible|acceptable|okay|ok|possible|proper))(?: (?:and|or|nor) \w+)? for me to\b(?! (?:say|know"
            r"|tell|see|determine))",
            r"\bi do not (?:\w+ )?(?:think|believe|feel)(?: that)? (?:i (?:can|should|am able|would be able)"
            r"|(?:it is|it would be|this is|that is|that would be) (?:\w+ )?(?:appropriate|ethical|right"
            r"|responsible|a good idea|something|okay|ok|wise))\b",
            rf"{_LEAD}(?:cannot|can no longer|unable to|not (?:able|allowed|permitted|authorized|going|willing"
            rf"|comfortable)(?: to)?|will not|must decline|(?:have to|need to) decline){_ADV}(?:{_HELP})",
            rf"{_LEAD}(?:as an? [^,]{{1,40}}, )?i{_ADV}{_CANNOT} \w{{1,12}}$",  # cut within the verb
            rf"{_LEAD}not (?:going to|gonna) happen{_END}|\b(?:sorry|afraid)\b.{{0,20}}\b(?:that|this|it) (?:is"
            rf"|would be) (?:\w+ )?(?:unethical|illegal|inappropriate|wrong|immoral|against)\b",
            r"\bi (?:\w+ ){0,5}say no\b(?!.*\byes\b)|\b(?:this is )?where i draw the line\b",
            rf"{_LEAD}(?:that|this|it) is (?:not (?:possible|allowed|permitted|happening|going to happen)"
            rf"|off[- ]limits|off the table|out of the question|a no-go|a hard no|a line){_END}",
            r"^(?:request|prompt|query|access|content)?\W*(?:was |has been |is )?(?:denied|declined|refused|rejected"
            r"|blocked|refusal|no can do|hard pass|no thanks|no thank you|no comment"
            r"|nice try)\b[^a-z]{0,3}(?:due to .{0,80})?$",
            rf"\bi{_ADV}(?:do not have|lack|have no)\b(?: \w+){{0,4}}? (?:capacity|ability|capability|authority"
            rf"|authori[sz]ation|permission|interest|desire|intention|means)(?: (?:to|in|of)){_ADV}{_ING}",
            rf"\b(?:no|not a) (?:\w+ (?:or |and )?){{0,4}}way for me to (?:{_HELP})\b|\b(?:is"
            rf"|be) an? (?:\w+ )?no\b(?: from me)?{_END}",
            r"\bnot (?:just )?something (?:an?|any) (?:[\w-]+ ){0,3}(?:assistant|ai|model|chatbot)\b",
            r"\b(?:your|this|that|the|such) (?:\w+ )?(?:request|question|prompt|query|message|content|information"
            r"|topic)s? (?:\w+ ){0,2}?(?:cannot be|can not be|has been|have been|was|is being|will not be|must be"
            r"|is not able to be) (?:\w+ )?(?:fulfilled|completed|processed|answered|honou?red|declined|denied"
            r"|rejected|refused|blocked|flagged|granted|filtered|shared|disclosed|provided|revealed)\b",
            rf"\bi am (?:afraid|sorry)(?: to say)?(?: that)? (?:not{_END}|(?:that|this|it) is not (?:possible"
            rf"|something|allowed|permitted))",
            r"\bnot (?:within|in|part of) my (?:\w+ (?:and |or )?){0,4}(?:programming|guidelines|capabilit|abilit"
            r"|power|scope|nature|purview|remit|role)",
            r"\b(?:as|since|because) (?:an? )?[^.]{0,60}\b(?:ai|assistant|language model)\b[^.]{0,80}, (?:cannot"
            r"|unable to|am unable to|will not) (?:\w+ly )?(?:" + _HELP + r")\b",
        )
    )
)
_LACK = re.compile(
    "|".join(
        (
            rf"\b{_WHO}{_ADV}(?:do not|have not|lack|have no|do not currently)\b(?:\W+\w+){{0,6}}?\W+(?:access"
            rf"|information|ability|abilities|capability|capabilities|capacity|data|knowledge|details?|means|way"
            rf"|records?|opinions?|feelings?|beliefs?|emotions?|preferences?|views?|experiences?|consciousness"
            rf"|real-time|eyes|body)\b",
            rf"\bi{_ADV}(?:do not|cannot) (?:\w+ly )?(?:know(?! (?:about you|if you|you))|recogni[sz]e|store|retain"
            rf"|keep|possess|track|remember|collect|have (?:it|that|any|one|personal|(?:the|his|her|their"
            rf"|your) (?:\w+ )?(?:\w+)|a (?:physical|personal|body)))\b",
            rf"\b{_WHO}{_ADV}(?:{_CANNOT}|am not capable of|am incapable of|do not){_ADV}(?:{_KNOW})\b(?!\W+(?:any"
            rf"|an?|anything|anyone|why|it (?:happening|working)|no)\b)",
            rf"\b{_WHO}{_ADV}{_CANNOT}{_ADV}(?:{_HELP})\W+{_LIMITED}",
            r"\bi am not (?:\w+ly )?(?:allowed|permitted|authori[sz]ed|supposed|programmed|designed"
            r"|equipped|trained|willing) to\b"
            r"|\bi am not (?:\w+ly )?(?:aware of|familiar with|privy to)\b|\bi have no (?:idea|clue|way|access"
            r"|information|knowledge|record|memory)\b|\bno way for me to\b|\b(?:impossible"
            r"|not possible) (?:for me )?to (?:determine|identify|know|tell|say|verify|answer|provide|give|infer"
            r"|guess)\b|\bi can only (?:help|assist|discuss|answer|talk|provide|respond)\b",
            r"\b(?:cannot|can not) be (?:\w+ly )?(?:determined|identified|disclosed|shared|provided|revealed"
            r"|answered|verified|confirmed|inferred)\b",
            r"\b(?:is|are) not (?:publicly |readily |currently )?(?:available|accessible|known|disclosed|public)"
            rf"(?: (?:to|in|from) (?:me|the public|my\b.*))?{_END}",
        )
    )
)
_DISOWN = re.compile(
    rf"\b{_WHO}{_ADV}(?:{_CANNOT}|do not|never|am not){_ADV}(?:to )?(?:condone|encourag|promot|endors|support"
    rf"|advocat|recommend|suggest|advis|guarantee|promise|replac|substitut|vouch|justify|approve|agree with|glorif"
    rf"|excuse)"
    r"|\bi (?:am \w+ to |was \w+ to |try to |\w+ly )?(?:avoid|steer clear|stay away)\b"
    r"|\bi am not (?:an? )(?:\w+ )?(?:doctor|lawyer|physician|attorney|medical|financial|licensed|therapist"
    r"|professional|substitute)"
)
_NOT_ASSERTED = re.compile(
    r"\b(?:if|when|whenever|unless|until|whether|in case|wish|why|says?|said|that time|think|thinks|thought)"
    r" (?:that )?(?:\w+ )?$"
)


# Every construction of _REFUSE has one of these: most clauses need no closer look.
_DENYING: Final = (
    ("not", "never", "no ", "unable", "unwilling", "declin", "refus", "denied", "reject", "block", "filter", "flagged")
    + ("pass on", "rather", "prefer", "choose", "draw", "against", "outside", "beyond", "conflict", "breach", "contra")
    + ("prohibit", "violat", "prevent", "forbid", "restrict", "preclude", "bar", "stop", "keep", "require", "abstain")
    + ("inappropriate", "unethical", "irresponsible", "improper", "wrong", "uncomfortable", "incapable", "limited")
    + (
        "immoral",
        "illegal",
        "lack",
        "off",
        "out of",
        "a line",
        "refrain",
        "hard pass",
        "nice try",
        "no-go",
        "no,",
        "no.",
    )
    + ("no!", "a no", "say no", "the line")
)


def declines(text: str, templates: re.Pattern[str] | None = None) -> bool:
    """Whether a clause in plain form declines in the speaker's own name, or has a phrase of `templates`."""
    if templates is not None and templates.search(text):
        return True
    return any(map(text.__contains__, _DENYING)) and _asserts(_REFUSE, text)


def lacks(text: str) -> bool:
    """Whether the speaker says to have no knowledge, means or opinion."""
    return _asserts(_LACK, text)


def disowns(text: str) -> bool:
    """Whether the speaker disapproves of something, or says what this answer is not."""
    return _asserts(_DISOWN, text)


def _asserts(pattern: re.Pattern[str], text: str) -> bool:
    if not (m := pattern.search(text)) or _EXCEPT.search(text):
        return False
    return not _NOT_ASSERTED.search(text[max(0, m.start() - 40) : m.start()])
