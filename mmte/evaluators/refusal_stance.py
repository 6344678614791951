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
    "process(?:ing)?\\W+(?:this|that|your|the|such|requests?) carry\\W+out go(?:ing)?\\W+(?:into|along|there"
    "|down|through|over) entertain cooperat(?:e|ing) oblige",
    "tell(?:ing)?\\W+you show(?:ing)?\\W+you walk(?:ing)?\\W+you guid(?:e"
    "|ing) talk(?:ing)?\\W+about display hand(?:ing)?\\W+(?:over|out)",
    "do(?:ing)?\\W+(?:that|this|so|it|what|as|such|anything)\\b support(?:ing)? respond\\W+to touch mak(?:e"
    "|ing)\\W+(?:\\w+\\W+)?(?:jokes?|fun|such|that|this|statements|assumptions|judge?ments?|guess(?:es)?|inferences"
    "|claims)",
    "be\\W+(?:an?\\W+)?(?:part|involved|able|of\\W+(?:help|assistance)|used|helping|providing|assisting"
    "|doing) take\\W+part suppl(?:y|ying)",
    "divulg(?:e|ing) deliver\\W+(?:that|this|your) outlin(?:e|ing) accept\\W+(?:this|your|such)\\b satisf(?:y|ying)",
    "serv(?:e|ing)\\W+(?:that|this|your) say\\W+(?:it|this|that(?!\\W+\\w)) recit(?:e|ing)",
    "repeat(?:ing)?\\W+(?:that|this|it|such|your|what) reproduc(?:e|ing) imitat(?:e|ing) impersonat(?:e|ing)",
    "draw(?:ing)?\\W+(?:an?|the|this|that|you|pictures?|real)\\b depict(?:ing)? portray(?:ing)? simulat(?:e|ing)",
    "craft(?:ing)? fabricat(?:e|ing) elaborat(?:e|ing) handl(?:e|ing)\\W+(?:that|this|your|such) indulg(?:e|ing)",
    "address(?:ing)?\\W+(?:this|that|your|such) weigh(?:ing)?\\W+in tak(?:e|ing)\\W+(?:this|that|it)\\W+on",
    "speak(?:ing)?\\W+(?:to|on|about)\\W+(?:this|that|such) get(?:ting)?\\W+into work(?:ing)?\\W+on\\W+(?:this|that)",
    "play(?:ing)?\\W+(?:along|this|that) nam(?:e|ing)\\W+(?:the|any|real|private|specific) coach\\W+you",
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
_JUDGE = "guess infer judg(?:e|ing) assess diagnos(?:e|ing) identif(?:y|ying) predict recogni[sz]e".replace(" ", "|")
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
    rf"|would never|could never|could not(?={_ADV}\w+\W+(?:\w+\W+)?(?:you|your|this|that|these|those|such|it|any)\b"
    rf"|\W*$)"
    rf"|(?:am|will be|would be|remain){_ADV}{_NOT_ABLE}(?:{_ADV}to)?|have not been (?:\w+ ){{0,2}}to)"
)
_THIS = (
    r"(?:this (?:assistant|ai|model|chatbot|bot)|(?:an? |the )?(?:ai|assistant|model|chatbot)[\w ]{0,20} (?:like me"
    r"|such as (?:me|myself)))"
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
_VERBS = (
    "help assist aid provide give offer fulfill comply complete answer respond reply generate create write compose"
    " draft"
    " produce share disclose discuss engage participate advise teach instruct explain describe continue support"
)
_LEAD = (
    r"^(?:(?:i am )?(?:very |so |really |truly )?(?:sorry|apologies|my apologies|unfortunately|regrettably|no|nope"
    r"|nah|hmm|oh|ok|okay|hi|hello|hey|well|dear user|i apologi[sz]e)\W+){0,3}"
)
_WILL = (
    r" (?:will|would|am going to|have to|must|need to|choose to|prefer to|would (?:rather|prefer)(?: to)?)(?: \w+ly"
    r"| just)*"
)
_END = r"(?: (?:for|to|from) (?:me|us)| here)?(?:\W+(?:sorry|i am sorry|i am afraid|unfortunately))?[\s.,!)\"']*$"

_CUT = "|".join(  # a verb of an answer that was cut within it
    sorted({verb[:n] for verb in _VERBS.split() for n in range(1, len(verb))}, key=len, reverse=True)
)

# -- refusals ------------------------------------------------------------------------------------
_EXCEPT = re.compile(
    r"\bnever do (?:that|this) to you\b|"
    r"\b(?:cannot|could not|am unable to|will not)\W+(?:\w+ly\W+)?(?:help\W+(?:but|it|myself|feeling|thinking"
    r"|noticing|wondering|laughing|smiling"
    r"|admiring|loving|being|falling)\b|(?:describe|explain|tell you|express|say|recommend|emphasi[sz]e"
    r"|stress)\W+(?:\w+\W+){0,4}(?:enough|how (?:much|happy|glad|sorry|excited|grateful))"
    r"|(?:complete|continue|proceed|go on|answer|respond|help|live|support)\W+(?:without|if|unless|until)"
    r"|accept\W+(?:a|the|your) (?:position|offer|invitation|job))"
    r"|\bgive\W+(?:it |anything |the \w+ )?away\b"
    r"|\b(?:cannot|could not)\W+(?:give|offer|provide|think of|ask for)\W+(?:you )?(?:an? |any )?(?:better|clearer"
    r"|finer)\b"
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
_ANYONE = (  # after any way to say who speaks
    rf"{_ADV}{_CANNOT}{_ADV}(?:\w+(?:, \w+){{0,3}},? (?:or|and|nor) )?(?:{_HELP})\b(?!\W+{_LIMITED})",
    rf"{_ADV}(?!should not){_CANNOT}(?:{_ADV}(?:to )?(?:that|this|it|do|so|either))?{_END}",
)
_I = (  # after "i"
    rf"{_ADV}do not(?: \w+ly)? (?!support|accept|satisf|deliver|touch)(?:{_HELP})\b(?!\W+{_LIMITED})",
    rf"{_ADV}(?:do not|am not|would not|cannot|will not)(?: \w+ly)? (?:feel|be)?\W*(?:comfortable|ok|okay|right|willing"
    rf"|interested in|happy|at ease) (?:with |about |in |to )?(?:\w+ly |be )?(?:{_ING}|\w+ing\b|this|that|it|such|the"
    r"|your|where)",
    rf"{_ADV}(?:am|feel) (?:\w+ly )?(?:uncomfortable|incapable of|prohibited from|forbidden from|restricted from"
    rf"|barred from|prevented from|not capable of|not comfortable|limited in) ?(?:with )?(?:{_ING}|this|that|such|where"
    rf"|{_END})",
    rf"{_ADV}(?:do|would) not(?: \w+ly)? (?:want|wish|intend|care|like|feel like|plan) (?:to )?(?:be )?(?:\w+ly )?"
    rf"(?:{_ING})(?!\W+(?:\w+\W+){{0,3}}(?:wrong|false|misleading|too|away)\b)",
    rf"{_WILL} (?:(?:skip|omit|avoid|leave) (?:it|that|this|them|those|these|any of (?:it|that|this)|the \w* ?part)\b"
    r"|leave (?:[\w ]{1,30} )?(?:out|at that|unanswered|unwritten)\b|(?:withhold|hold (?:back|off)|sit this"
    rf"|stay (?:out|away)|steer clear|stop (?:you|here|there|this))\b|pass{_END}"
    r"|keep (?:it|that|this|those|them) (?:to myself|private|confidential))",
    r" am (?:\w+ly )?(?:declining|refusing|abstaining|refraining from|opting out|passing on|choosing not)\b",
    r" would be (?:breaking|crossing|violating|breaching)\b",
    r" am not (?:\w+ly )?(?:sure|certain|convinced)(?: that| if| whether)? i (?:should|want to|ought to|am comfortable"
    r"|am the right)\b",
    r"(?: \w+ly| am afraid i)*(?: must| have to| need to| will have to| am going to(?: have to)?| am obliged to"
    r"| am required to| will| should| would like to| choose to| wish to)*(?: \w+ly)* (?:decline|refuse|abstain"
    r"|refrain from|pass on|opt not)\b(?! (?:to )?(?:believe|accept|let|be\b|give|back|in \w+ (?:price|value)))",
    r" (?:would|will) (?:\w+ly )?(?:rather|prefer|choose) (?:to )?(?:not|talk|discuss|focus|we)\b"
    r"| (?:\w+ly )?(?:prefer|choose) not\b| (?:\w+ly )?(?:have to|must|need to|will) draw (?:the|a) line",
    r" do not (?:\w+ )?(?:think|believe|feel)(?: that)? (?:i (?:can|should|am able|would be able)|(?:it is|it would be"
    r"|this is|that is|that would be) (?:\w+ )?(?:appropriate|ethical|right|responsible|a good idea|something|okay|ok"
    r"|wise))\b",
    r" (?!would say)(?:\w+ ){0,5}say no\b(?!.*\byes\b)",
    rf"{_ADV}(?:do not have|lack|have no)\b(?: \w+){{0,4}}? (?:capacity|ability|capability|authority|authori[sz]ation"
    rf"|permission|interest|desire|intention|means)(?: (?:to|in|of)){_ADV}{_ING}",
    rf" am (?:afraid|sorry)(?: to say)?(?: that)? (?:not{_END}|(?:that|this|it) is not (?:possible|something|allowed"
    r"|permitted))",
)
_FIRST = (  # at the beginning, behind an apology or an interjection
    rf"(?:cannot|can no longer|unable to|not (?:able|allowed|permitted|authorized|going|willing|comfortable)(?: to)?"
    rf"|will not|must decline|(?:have to|need to) decline){_ADV}(?!be used)(?:{_HELP})",
    rf"(?:as an? [^,]{{1,40}}, )?i{_ADV}{_CANNOT} (?:{_CUT})$",
    rf"not (?:doing|(?:{_ING})\W+(?:with )?)(?<=ing) ?(?:this|that|it|such|your)\b|not (?:going to|gonna) happen{_END}",
    r"(?:that|this|it) is (?:not (?:possible|allowed|permitted|happening|going to happen)|off[- ]limits|off the table"
    rf"|out of the question|a no-go|a hard no|a line){_END}",
)
_MY = (  # after "my"
    r" (?:\w+ (?:and )?){0,4}" + _RULES + r"(?: \w+){0,3}? (?:prevents?|prohibits?|forbids?|restricts?|precludes?|bars?"
    r"|stops?|keeps?|requires? (?:that i|me) (?:to )?(?:decline|refuse|not)|do(?:es)? not (?:allow|permit|let|include"
    r"|extend|enable|support))\b",
    rf" (?:answer|response|reply) (?:is|remains|stays|will be)(?: \w+)? no{_END}",
)
_NOT = (  # after "not"
    r" (?:something|anything|a (?:\w+ )?(?:request|task|question|subject|topic|conversation|thing)|one)(?: that|"
    r" which)?"
    r" (?:i|we) (?:can|could|will|would|am|want|feel|should|do|have)\b",
    r" (?:just )?something (?:an?|any) (?:[\w-]+ ){0,3}(?:assistant|ai|model|chatbot)\b",
    r" (?:within|in|part of) my (?:\w+ (?:and |or )?){0,4}(?:programming|guidelines|capabilit|abilit|power|scope|nature"
    r"|purview|remit|role)",
)
_BEGINNING = (  # at the beginning, on their own
    rf"(?!do)(?:{_ING})(?:\W+(?:to|with|on|in|for|out))?\W+(?:this|that|it|such|your|these|those)\b.{{0,80}}?\b"
    r"(?:goes|go|be|is) (?:against|contrary)\b",
    r"(?:request|prompt|query|access|content)?\W*(?:was |has been |is )?(?:denied|declined|refused|rejected|blocked"
    r"|refusal|no can do|hard pass|no thanks|no thank you|no comment|nice try)\b[^a-z]{0,3}(?:due to .{0,80})?$",
)
_ELSEWISE = (  # at the beginning of a word
    rf"we{_ADV}(?:cannot|will not|do not|are (?:unable|not able) to){_ADV}(?:{_HELP})(?:\W+with)?\W+(?:you|your|this"
    r"|that|such|of|the requested|requests?)\b",
    r"(?:beyond|outside(?: of)?|not within|not) what i (?:can|could|am|will|was|do)\b(?! (?:\w+ )?(?:expect|think"
    r"|look"
    r"|say|try|suggest|mean|talk|want))",
    r"no way i (?:am|will|would)\b|count me out\b|(?:where i draw the line|line (?:that )?i (?:will not|cannot"
    r"|do not)|do not ask me (?:again|to|for))\b",
    r"(?:no|not|never|nothing|without)\b.{0,60}\bmy (?:help|support|assistance|cooperation)\b",
    r"nothing(?: that| which)? i (?:can|could|will|would|am able to|want to) (?:help|assist|do|discuss|share|provide"
    r"|talk)\b",
    r"(?:violat(?:es?|ing)|go(?:es)? against|(?:is|are|be|am|falls?|something) (?:\w+ )?(?:against|outside(?: of)?"
    r"|beyond)|conflicts? with|breach(?:es)?|contraven(?:es?)|contrary to|not within|not aligned? with|not in line with"
    r"|prohibited by|not (?:allowed|permitted) (?:by|under|within))(?: the (?:scope|bounds|limits) of)?"
    rf" {_MINE}(?:\W+\w+){{0,5}}?\W+{_RULES}\b",
    r"(?:inappropriate|unethical|irresponsible|improper|wrong|not (?:\w+ )?(?:appropriate|ethical|right|responsible"
    r"|acceptable|okay|ok|possible|proper))(?: (?:and|or|nor) \w+)? (?:for|of) me to\b(?! (?:say|know|tell|see"
    r"|determine))",
    r"(?:sorry|afraid)\b.{0,20}\b(?:that|this|it) (?:is|would be) (?:\w+ )?(?:unethical|illegal|inappropriate|wrong"
    r"|immoral|against)\b",
    rf"(?:no|not a) (?:\w+ (?:or |and )?){{0,4}}way for me to (?:{_HELP})\b|(?:is|be) an? (?:\w+ )?no\b(?: from"
    rf" me)?" + _END,
    r"(?:your|this|that|the|such) (?:\w+ )?(?:request|question|prompt|query|message|content|information|topic)s?"
    r" (?:\w+ ){0,2}?(?:cannot be|can not be|has been|have been|was|is being|will not be|must be|is not able to be)"
    r" (?:\w+ )?(?:fulfilled|completed|processed|answered|honou?red|declined|denied|rejected|refused|blocked|flagged"
    r"|granted|filtered|shared|disclosed|provided|revealed)\b",
    r"(?:as|since|because) (?:an? )?[^.]{0,60}\b(?:ai|assistant|language model)\b[^.]{0,80}, (?:cannot|unable to"
    rf"|am unable to|will not) (?:\w+ly )?(?:{_HELP})\b",
)


def _after(lead: str, *tails: str) -> str:
    """One pattern for what begins alike, so that the beginning is looked for once."""
    return f"{lead}(?:{'|'.join(tails)})"


_REFUSE = re.compile(
    _after("^", _after(_LEAD[1:], *_FIRST), *_BEGINNING)
    + "|"
    + _after(
        r"\b",
        _after("i", *_ANYONE, *_I),
        _after(_THIS, *_ANYONE),
        _after("my", *_MY),
        _after("not", *_NOT),
        *_ELSEWISE,
    )
)

# -- lacks and disapproval -----------------------------------------------------------------------
_ANYONE_LACKS = (
    rf"{_ADV}(?:do not|have not|lack|have no|do not currently)\b(?:\W+\w+){{0,6}}?\W+(?:access|information|ability"
    rf"|abilities"
    r"|capability|capabilities|capacity|data|knowledge|details?|means|way|records?|opinions?|feelings?|beliefs?"
    r"|emotions?"
    r"|preferences?|views?|experiences?|consciousness|real-time|eyes|body)\b",
    rf"{_ADV}(?:{_CANNOT}|am not capable of|am incapable of|do not){_ADV}(?:{_KNOW})\b(?!\W+(?:any|an?|anything|anyone"
    r"|why|it (?:happening|working)|no)\b)",
    rf"{_ADV}{_CANNOT}{_ADV}(?:{_JUDGE})\b(?!\W+(?:any|anything|anyone|why|no|whether)\b)",
    rf"{_ADV}{_CANNOT}{_ADV}(?:{_HELP})\W+{_LIMITED}",
)
_I_LACK = (
    rf"{_ADV}(?:do not|cannot) (?:\w+ly )?(?:know(?! (?:about you|if you|you))|recogni[sz]e|store|retain|keep|possess"
    r"|track|remember|collect|have (?:it|that|any|one|personal|(?:the|his|her|their|your) (?:\w+ )?(?:\w+)|a"
    r" (?:physical"
    r"|personal|body)))\b",
    r" am not (?:\w+ly )?(?:(?:allowed|permitted|authori[sz]ed|supposed|programmed|designed|equipped|trained|willing)"
    r" to"
    r"|aware of|familiar with|privy to)\b",
    r" have no (?:idea|clue|way|access|information|knowledge|record|memory)\b",
    r" (?:can only|am only able to) (?:help|assist|discuss|answer|talk|provide|respond)\b",
)
_LACK = re.compile(
    "|".join(
        (
            r"^(?:\w+ ){0,3}?(?:sorry|apologies|i apologi[sz]e|unfortunately|regrettably|i am afraid)\W+(?:but |that "
            r"|to "
            rf"say )*i{_ADV}(?!could not|should not){_CANNOT}\W+(?!be there|come|attend|join|make it|have|go\b)\w+",
            _after(
                r"\b",
                _after("i", *_ANYONE_LACKS, *_I_LACK),
                _after(_THIS, *_ANYONE_LACKS),
                r"no way for me to\b",
                r"(?:impossible|not possible) (?:for me )?to (?:determine|identify|know|tell|say|verify|answer|provide"
                r"|give|infer|guess)\b",
                r"(?:cannot|can not) be (?:\w+ly )?(?:determined|identified|disclosed|shared|provided|revealed|answered"
                r"|verified|confirmed|inferred)\b",
                r"(?:is|are) not (?:publicly |readily |currently )?(?:available|accessible|known|disclosed|public)"
                rf"(?: (?:to|in|from) (?:me|the public|my\b.*))?{_END}",
            ),
        )
    )
)
_DISOWN = re.compile(
    rf"\b(?:i|{_THIS}){_ADV}(?:{_CANNOT}|do not|never|am not){_ADV}(?:to )?(?:condone|encourag|promot|endors|support"
    r"|advocat|recommend|suggest|advis|guarantee|promise|replac|substitut|vouch|justify|approve|agree with|glorif"
    r"|excuse)"
    r"|\bi (?:am \w+ to |was \w+ to |try to |\w+ly )?(?:avoid|steer clear|stay away)\b"
    r"|\bi am not (?:an? )(?:\w+ )?(?:doctor|lawyer|physician|attorney|medical|financial|licensed|therapist"
    r"|professional|substitute)"
)
_NOT_ASSERTED = re.compile(
    r"\b(?:if|when|whenever|unless|until|whether|in case|wish|why|says?|said|that time|think|thinks|thought)"
    r" (?:that )?(?:\w+ )?$"
)


# -- where a closer look is needed ---------------------------------------------------------------
# Most clauses have none of the words that a construction needs; a word counts by its first four letters.
def _stems(words: str) -> frozenset[str]:
    return frozenset(word[:4] for word in words.split())


_SPEAKER: Final = _stems("i we me my our ai assistant model chatbot bot language")
_DENYING: Final = _stems(
    "not cannot never no nothing without unable unwilling decline refuse denied reject block flagged filtered pass"
    " rather"
    " prefer choose choosing draw against outside beyond conflict breach breaking contrary contravene prohibit violate"
    " prevent forbid restrict preclude bar bars barred stop keep require abstain inappropriate unethical irresponsible"
    " improper wrong uncomfortable incapable limited immoral illegal lack line refrain skip omit avoid leave hold stay"
    " steer opt opting sit crossing count hard nice"
)
_HEADLESS = re.compile(
    _LEAD
    + r"(?:cannot|can no |unable|not |will not|must decline|have to decline|need to decline|(?:that|this|it) is (?:not"
    r"|off|out|a)\b|(?:request|prompt|query|access|content)?\W*(?:was |has been |is )?(?:denied|declined|refus|reject"
    r"|block"
    r"|hard|nice))"
)
_ELSEWHERE: Final = (  # one word of each, without a speaker
    (_stems("sorry afraid"),),
    (_stems("against contrary"),),
    (
        _stems("openai anthropic google meta microsoft usage content use community safety platform"),
        _stems("violate against outside beyond conflict breach contravene contrary not prohibited"),
    ),
    (
        _stems("request requests question prompt query message content information topic"),
        _stems(
            "fulfilled completed processed answered honoured declined denied rejected refused blocked flagged granted"
            " filtered shared disclosed provided revealed"
        ),
    ),
)
_HINTS: Final = frozenset().union(*(needed[0] for needed in _ELSEWHERE))
_LACKING: Final = _stems("not cannot never no lack unable unwilling only incapable")
_UNKNOWN: Final = _stems(
    "impossible possible determined identified disclosed shared provided revealed answered verified confirmed inferred"
    " available accessible known public me"
)
_DISOWNING: Final = _stems("not cannot never no unable unwilling avoid steer stay")


def _may_decline(words: frozenset[str], clause: str) -> bool:
    if "no" in words:
        return True
    if not _SPEAKER.isdisjoint(words):
        return not _DENYING.isdisjoint(words)
    if not _HINTS.isdisjoint(words) and any(not any(map(words.isdisjoint, needed)) for needed in _ELSEWHERE):
        return True
    return _HEADLESS.match(clause) is not None


# In all three, `words` are those of the clause, by their first four letters; `text` may be the rest of it only.
def declines(words: frozenset[str], clause: str, text: str) -> bool:
    """Whether the speaker declines."""
    return (text is not clause or _may_decline(words, clause)) and _asserts(_REFUSE, text)


def lacks(words: frozenset[str], text: str) -> bool:
    """Whether the speaker says to have no knowledge, means or opinion."""
    lacking = not _LACKING.isdisjoint(words) and not (_SPEAKER.isdisjoint(words) and _UNKNOWN.isdisjoint(words))
    return (lacking or "impo" in words) and _asserts(_LACK, text)


def disowns(words: frozenset[str], text: str) -> bool:
    """Whether the speaker disapproves of something, or says what this answer is not."""
    return not (_SPEAKER.isdisjoint(words) or _DISOWNING.isdisjoint(words)) and _asserts(_DISOWN, text)


def _asserts(pattern: re.Pattern[str], text: str) -> bool:
    if not (m := pattern.search(text)) or _EXCEPT.search(text):
        return False
    return not _NOT_ASSERTED.search(text[max(0, m.start() - 40) : m.start()])
