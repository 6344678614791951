"""Several judges for one: every judge of a panel runs the whole rest of a chain, and the majority decides.

A panel is made of a chain as the task file has it: from the first stage that asks a judge on, the chain is copied for
each judge of that name and for each repetition of its questions. So each judge's replies are read by the same rules,
each judge is asked in its own phase, and what is joined are the final values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from itertools import product
from statistics import median
from typing import Any, Final, Literal

from mmte.evaluators.base import BaseEvaluator
from mmte.evaluators.sequence import FAILED, PANEL, SILENT, TIE, Join, SequentialEvaluator, united
from mmte.types import Reason, Trial

BALLOTS: Final = "ballots"
"""The key in `Trial.steps` of what several readers of the same answer said: name -> list, None where one said nothing.
Names begin with `agreement`, `self` or `orders`; see `mmte.engine.agreement`."""
VERSION: Final = 1
"""Raised when the same verdicts may be joined to another value."""

Verdict = tuple[Any, Reason]


@dataclass(frozen=True, slots=True)
class Panels:
    """Who sits for the judges that task files name.

    Attributes:
        members: for a judge's name, the names of the models that are asked in its place; others stand for themselves.
        repeats: how often each judge is asked each question.
    """

    members: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    repeats: int = 1

    def fold(self, chain: SequentialEvaluator) -> None:
        """Replace the stages from the first one that asks a judge on by a panel, where one sits there."""
        asks = [n for n, s in enumerate(chain.evaluator_seq) if isinstance(s, BaseEvaluator) and s.model]
        if not asks:
            return
        at = asks[0]
        rest = copy(chain)
        rest.evaluator_seq, rest.keyname_prefix_seq = chain.evaluator_seq[at:], chain.keyname_prefix_seq[at:]
        panel = Panel(rest, self)
        if len(panel.chains) > 1:
            chain.evaluator_seq = [*chain.evaluator_seq[:at], panel]
            chain.keyname_prefix_seq = [*chain.keyname_prefix_seq[:at], panel.key]


class Panel(Join):
    """One chain run by several judges, or several times; its value is that of the majority.

    A judge's verdict is the value that more than half of its repetitions have; the panel's the one that more than
    half of its judges have. Judges without a verdict are no votes, so that no verdict rests on who failed. Numbers of
    a wider range than 0 to 1 (grades) have no majority: there it is the median, if more than half have a value.
    Without a majority the sample has no value: `judge` where a judge that failed could have made one, else `unparsed`.
    All verdicts stand in the trial's `steps`, and who gave none.

    Args:
        rest: the chain, from the first stage that asks a judge on.
        panels: who sits.
    """

    def __init__(self, rest: SequentialEvaluator, panels: Panels) -> None:
        asking = [s for s in rest.evaluator_seq if isinstance(s, BaseEvaluator) and s.model]
        names = list(dict.fromkeys(str(s.model) for s in asking))
        seats = [panels.members.get(name, (name,)) for name in names]
        self.how, self.rest = "panel", rest
        self.repeats = panels.repeats if any(getattr(s, "repeatable", True) for s in asking) else 1
        self.members = ["+".join(dict.fromkeys(chosen)) for chosen in product(*seats)]
        self.chains = [
            rest.seated(dict(zip(names, chosen, strict=True)), repeat)
            for chosen in product(*seats)
            for repeat in range(self.repeats)
        ]
        last = rest.evaluator_seq[-1]
        self.metrics_cfg = {name: dict(cfg) for name, cfg in rest.metrics_cfg.items()}
        self.chunk, self.value_range = rest.chunk, rest.value_range  # type: ignore[misc, assignment]
        self.level: Literal["nominal", "interval"] = level_of(last)

    @property
    def key(self) -> str:
        """That of the chain: results keep their names."""
        return self.rest.key

    def identity(self) -> list[Any]:
        """How many there are; which models they are is told apart from it."""
        return ["panel", VERSION, len(self.members), self.repeats, *self.rest.identity()]

    def _conclude(self, trial: Trial, parts: Sequence[Trial]) -> None:
        """The majority's value; verdicts, and what was said on the way to them, as steps."""
        groups = [parts[n : n + self.repeats] for n in range(0, len(parts), self.repeats)]
        verdicts = [majority([(p.value, p.reason) for p in group], self.level) for group in groups]
        steps: dict[str, Any] = {}
        for member, group in zip(self.members, groups, strict=True):
            for number, part in enumerate(group, 1):
                who = f"{member}~{number}" if self.repeats > 1 else member
                said = {k: v for k, v in (part.steps or {}).items() if k not in (BALLOTS, PANEL)}
                steps |= {f"{who}: {k}": v for k, v in {**said, self.key: _shown(part)}.items()}
        trial.steps = {**(trial.steps or {}), **steps, BALLOTS: self._ballots(groups, verdicts)}
        trial.value, trial.reason = majority(verdicts, self.level)
        inner = [(part.steps or {}).get(PANEL) or {} for part in parts]
        if without := united([*inner, self._without(groups, verdicts, trial.reason)]):
            trial.steps[PANEL] = without
        for part in parts:
            if part.reason == "scored":  # the rule of the chain may have read the label, too
                trial.target, trial.extra = part.target, part.extra
                break

    def _without(
        self, groups: Sequence[Sequence[Trial]], verdicts: Sequence[Verdict], reason: Reason
    ) -> dict[str, list[Any]]:
        """Members who failed or said nothing that could be read, and whether the votes were equal; see `PANEL`."""
        split = [
            why == "unparsed" and self._tied([(p.value, p.reason) for p in group])
            for (_, why), group in zip(verdicts, groups, strict=True)
        ]
        found: dict[str, list[Any]] = {}
        for what, why in ((FAILED, "judge"), (SILENT, "unparsed")):
            voted = zip(self.members, verdicts, split, strict=True)
            who = [member for member, (_, reason_of), at_odds in voted if reason_of == why and not at_odds]
            if who and len(self.members) > 1:
                found[what] = who
        if reason == "unparsed" and (any(split) or self._tied(verdicts)):
            found[TIE] = [len(self.chains)]
        return found

    def _tied(self, verdicts: Sequence[Verdict]) -> bool:
        """Whether two values share the most votes."""
        votes = Counter(_vote(value) for value, reason in verdicts if reason == "scored").most_common(2)
        return self.level == "nominal" and len(votes) > 1 and votes[0][1] == votes[1][1]

    def _ballots(self, groups: Sequence[Sequence[Trial]], verdicts: Sequence[Verdict]) -> dict[str, list[Any]]:
        several = len(self.members) > 1
        found: dict[str, list[Any]] = {"agreement": [v for v, _ in verdicts]} if several else {}
        for member, group in zip(self.members, groups, strict=True):
            suffix = f".{member}" if several else ""
            if self.repeats > 1:
                found[f"self{suffix}"] = [p.value if p.reason == "scored" else None for p in group]
            for name, ballots in ((group[0].steps or {}).get(BALLOTS) or {}).items():
                found[f"{name}{suffix}"] = ballots
        return found


def majority(verdicts: Sequence[Verdict], level: str = "nominal") -> Verdict:
    """The value that more than half have (of numbers at level interval: the median), or why there is none."""
    values = [value for value, reason in verdicts if reason == "scored"]
    if level == "interval" and 2 * len(values) > len(verdicts):
        return float(median(values)), "scored"
    votes: dict[Hashable, int] = {}
    for value in values:
        key = _vote(value)
        votes[key] = votes.get(key, 0) + 1
        if 2 * votes[key] > len(verdicts):
            return value, "scored"
    reasons = {reason for _, reason in verdicts}
    if len(reasons) == 1 and not values:
        return None, reasons.pop()
    failed = sum(reason == "judge" for _, reason in verdicts)
    most = len(values) if level == "interval" else max(votes.values(), default=0)
    return None, "judge" if 2 * (most + failed) > len(verdicts) else "unparsed"


def level_of(stage: Any) -> Literal["nominal", "interval"]:
    """Whether a stage's values are verdicts or numbers with distances: what it says, or by their range."""
    told = getattr(stage, "level", None)
    if told in ("nominal", "interval"):
        return "interval" if told == "interval" else "nominal"
    return "nominal" if getattr(stage, "value_range", None) in (None, (0.0, 1.0)) else "interval"


def _vote(value: Any) -> Hashable:
    return value if isinstance(value, Hashable) else repr(value)


def _shown(part: Trial) -> Any:
    return part.value if part.reason == "scored" else part.reason
