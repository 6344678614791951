"""Chains of evaluators and joins of chains, run stage by stage over trials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

from mmte.errors import MmteError, Unavailable, near
from mmte.evaluators.base import BaseEvaluator, process_columns
from mmte.evaluators.metrics import Metric, metric_for
from mmte.evaluators.scoring import OVERRIDE, STRICT, Scoring
from mmte.models.text import one_line
from mmte.types import UNPARSED, Response, Trial

if TYPE_CHECKING:
    from mmte.engine.answers import Answers
    from mmte.evaluators.panel import Panels

JOINS = ("any", "all", "unless")
SETTINGS = ("metrics_cfg", "direction", "thresholds", "name", OVERRIDE)

ERROR: Final = ":error"
"""How the key in `Trial.steps` ends that begins with a judge's name and tells why its reply was of no use."""
SCORES: Final = ":scores"
"""How the key in `Trial.steps` ends under which an evaluator leaves what a scorer said."""
PANEL: Final = "panel"
"""The key in `Trial.steps` of a panel whose judges did not all give a verdict: {FAILED: names, SILENT: names, TIE: [how
many seats]}, each where there is one."""
FAILED: Final = "failed"
SILENT: Final = "no verdict"
TIE: Final = "tie of"
_SHOWN: Final = 200  # characters of a judge's error


class SequentialEvaluator:
    """A chain of evaluators; each reads what the one before it returned.

    `evaluator_seq_cfg` is `{evaluator id: its options}` in order, a list of such one-entry mappings
    (for a chain that names an evaluator twice), or a join: `{"any" | "all" | "unless": [chain,
    chain, ...], "metrics_cfg": ...}`. A join decides per sample: `any` - some chain says 1, `all` -
    every chain says 1, `unless` - the first says 1 and no other does. A chain without a value leaves
    the join undecided unless the others decide it.

    Results are named by their cumulative key: `a:pred_no_op`, `a->b:metric`.

    `scoring` is the reading: what the names stand for; `cfg` is then the chain that it takes. `panels` says which
    judges several models stand for (`mmte.evaluators.panel`); `repeat` numbers the repetition of a judge's questions.

    Raises:
        MmteError: an unknown evaluator, option or metric, or a malformed chain.
        Unavailable: the chain has no such reading.
    """

    def __init__(
        self,
        evaluator_seq_cfg: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        scoring: Scoring = STRICT,
        panels: Panels | None = None,
    ) -> None:
        self.scoring = scoring
        self.repeat = 0
        self.cfg = scoring.chain(evaluator_seq_cfg)
        self.evaluator_seq: list[BaseEvaluator | Join] = []
        self.keyname_prefix_seq: list[str] = []
        for name, kwargs, around in _entries(self.cfg):
            stage = _build(name, kwargs, around, scoring, panels)
            prefix = self.keyname_prefix_seq[-1] + "->" if self.keyname_prefix_seq else ""
            self.evaluator_seq.append(stage)
            self.keyname_prefix_seq.append(prefix + (stage.key if isinstance(stage, Join) else name))
        if not self.evaluator_seq:
            raise MmteError("an evaluator sequence needs at least one evaluator")
        if panels is not None:
            panels.fold(self)

    def seated(self, models: Mapping[str, str], repeat: int) -> Self:
        """A copy that asks other models in the place of judges, for the n-th time."""
        twin = copy(self)
        twin.repeat = repeat
        twin.evaluator_seq = [_seated(stage, models, repeat) for stage in self.evaluator_seq]
        return twin

    @property
    def stages(self) -> Sequence[BaseEvaluator | Join]:
        """The stages in order."""
        return self.evaluator_seq

    @property
    def key(self) -> str:
        """The cumulative key of the whole chain, e.g. `a->b`."""
        return self.keyname_prefix_seq[-1]

    @property
    def metrics_cfg(self) -> Mapping[str, Mapping[str, Any]]:
        """The metrics of the last stage."""
        return self.evaluator_seq[-1].metrics_cfg

    @property
    def chunk(self) -> int | None:
        """The most samples that every stage takes at once; None: one stage wants all of them."""
        sizes = [stage.chunk for stage in self.evaluator_seq]
        return None if any(s is None for s in sizes) else min(s for s in sizes if s is not None)

    @property
    def judges(self) -> list[str]:
        """The other models that the chain asks, in its order."""
        return list(self.judge_specs)

    @property
    def judge_specs(self) -> dict[str, str]:
        """The other models that the chain asks, in its order, each with an example of its SPEC."""
        found: dict[str, str] = {}
        for stage in self.evaluator_seq:
            own = {stage.model: stage.judge_spec} if isinstance(stage, BaseEvaluator) and stage.model else {}
            for part in [c.judge_specs for c in stage.chains] if isinstance(stage, Join) else [own]:
                found |= {judge: spec for judge, spec in part.items() if judge not in found}
        return found

    @property
    def value_range(self) -> tuple[float, float] | None:
        """The range of the last stage's values, where it declares one."""
        return getattr(self.evaluator_seq[-1], "value_range", None)

    def identity(self) -> list[Any]:
        """The reading, evaluators and versions: the chain's part of a result's identity."""
        stages = [
            stage.identity() if isinstance(stage, Join) else [stage.evaluator_id, stage.version]
            for stage in self.evaluator_seq
        ]
        return [*self.scoring.identity(), *stages]

    def metric(self, name: str) -> Metric:
        """The metric of a name in this reading."""
        return self.scoring.metric(name)

    def run(self, trials: Sequence[Trial], answers: Answers | None) -> bool:
        """Give each trial its value or the reason why it has none.

        Returns False when a judge was needed whose phase it is not: then the values mean nothing.
        """
        for stage, prefix in zip(self.evaluator_seq, self.keyname_prefix_seq, strict=True):
            if isinstance(stage, Join):
                complete = stage.run(trials, answers)
            else:
                complete = _run_stage(stage, trials, answers, self.scoring.reads_all, self.repeat)
            if not complete:
                return False
            if stage is not self.evaluator_seq[-1]:
                for trial in trials:
                    if trial.reason == "scored":
                        trial.steps = {**(trial.steps or {}), f"{prefix}:pred_no_op": trial.value}
        return True

    def eval(self, preds: Sequence[Any], labels: Any = None, extras: Any = None, **kwargs: Any) -> dict[str, Any]:
        """Columns through the chain: `{cumulative key: column or metric}`, as MMTrustEval returns it."""
        results: dict[str, Any] = {}
        for stage, prefix in zip(self.evaluator_seq, self.keyname_prefix_seq, strict=True):
            if isinstance(stage, Join):
                raise MmteError("a join works on trials, not on columns: use run()")
            if stage is self.evaluator_seq[-1]:
                results |= {f"{prefix}:{k}": v for k, v in stage.eval(preds, labels, extras).items()}
            else:
                preds, labels, extras = process_columns(stage, preds, labels, extras)
                results[f"{prefix}:pred_no_op"] = preds
        return results

    def __call__(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        return self.eval(*args, **kwargs)


class Join:
    """Several chains over the same answers, joined to one value per sample."""

    chunk: ClassVar[int | None] = 1024
    value_range: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def __init__(
        self,
        how: str,
        chains: Sequence[Any],
        metrics_cfg: Mapping[str, Any] | None,
        scoring: Scoring = STRICT,
        panels: Panels | None = None,
    ) -> None:
        if not isinstance(chains, (list, tuple)) or len(chains) < 2:
            raise MmteError(f"a join '{how}' needs a list of at least two evaluator sequences")
        self.how = how
        self.chains = [SequentialEvaluator(chain, scoring, panels) for chain in chains]
        self.metrics_cfg = {name: dict(cfg or {}) for name, cfg in (metrics_cfg or {}).items()}
        for name in self.metrics_cfg:
            metric_for(name)
        if any(chain.chunk is None for chain in self.chains):
            self.chunk = None  # type: ignore[misc]

    @property
    def key(self) -> str:
        """`any(a,b->c)`."""
        return f"{self.how}({','.join(chain.key for chain in self.chains)})"

    def identity(self) -> list[Any]:
        """The join's part of a result's identity."""
        return [self.how, *(chain.identity() for chain in self.chains)]

    def run(self, trials: Sequence[Trial], answers: Answers | None) -> bool:
        """As `SequentialEvaluator.run`."""
        alive = [t for t in trials if t.reason == "scored"]
        columns = []
        complete = True
        for chain in self.chains:
            copies = [Trial(t.sample, t.response, t.value, t.reason, t.target, t.extra) for t in alive]
            complete = chain.run(copies, answers) and complete
            columns.append(copies)
        if not complete:
            return False
        for trial, *parts in zip(alive, *columns, strict=True):
            self._conclude(trial, parts)
        return True

    def _conclude(self, trial: Trial, parts: Sequence[Trial]) -> None:
        """Give a trial its value and steps by what each chain made of it."""
        trial.steps = {**(trial.steps or {}), **{c.key: p.value for c, p in zip(self.chains, parts, strict=True)}}
        trial.steps |= _carried(parts)
        trial.value, trial.reason = self._joined(parts)

    def _joined(self, parts: Sequence[Trial]) -> tuple[Any, Any]:
        for chain, part in zip(self.chains, parts, strict=True):
            if part.reason == "scored" and not _is_flag(part.value):
                value = repr(part.value)[:40]
                raise MmteError(f"'{chain.key}' returned {value} where the join '{self.how}' needs 0 or 1")
        return joined(self.how, parts)


def joined(how: str, parts: Sequence[Trial]) -> tuple[Any, Any]:
    """Three-valued logic: a chain without a value counts only where the others leave it open."""
    says = [None if p.reason != "scored" else bool(p.value) for p in parts]
    if how == "unless":
        says[1:] = [None if s is None else not s for s in says[1:]]
    decisive = how == "any"
    if decisive in says:
        return float(decisive), "scored"
    if None in says:
        return None, parts[says.index(None)].reason
    return float(not decisive), "scored"


def _carried(parts: Sequence[Trial]) -> dict[str, Any]:
    """What the steps of each chain tell beside values: failures, scores, what several judges said."""
    steps = [p.steps or {} for p in parts]
    found: dict[str, Any] = {}
    for end in (ERROR, SCORES):
        told = [{k.removesuffix(end): v for k, v in own.items() if k.endswith(end)} for own in steps]
        found |= {f"{name}{end}": v for name, v in _numbered(told).items()}
    if ballots := _numbered([own.get("ballots") or {} for own in steps]):
        found["ballots"] = ballots
    if without := united([own.get(PANEL) or {} for own in steps]):
        found[PANEL] = without
    return found


def united(panels: Sequence[Mapping[str, Sequence[Any]]]) -> dict[str, list[Any]]:
    """What several panels have under `PANEL`, as one."""
    found: dict[str, dict[Any, None]] = {}
    for panel in panels:
        for what, who in panel.items():
            found.setdefault(what, {}).update(dict.fromkeys(who))
    return {what: list(who) for what, who in found.items()}


def _numbered(of_chains: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What each chain has under each name, numbered where more than one chain has it."""
    found = [(n, name, said) for n, told in enumerate(of_chains, 1) for name, said in told.items()]
    names = [name for _, name, _ in found]
    return {f"{name}.{n}" if names.count(name) > 1 else name: said for n, name, said in found}


def _seated(stage: BaseEvaluator | Join, models: Mapping[str, str], repeat: int) -> BaseEvaluator | Join:
    twin = copy(stage)
    if isinstance(twin, Join):
        twin.chains = [chain.seated(models, repeat) for chain in twin.chains]
    elif twin.model:
        twin.model = models.get(twin.model, twin.model)
    return twin


def _entries(cfg: Any) -> list[tuple[str, Any, Mapping[str, Any]]]:
    """Each stage: its name, its options, and the mapping that it stands in."""
    if isinstance(cfg, (list, tuple)):
        return [entry for part in cfg for entry in _entries(part)]
    if not isinstance(cfg, Mapping):
        raise MmteError(f"an evaluator sequence is a mapping of evaluators to their options, not {cfg!r}")
    return [(str(name), kwargs, cfg) for name, kwargs in cfg.items() if name not in SETTINGS]


def _build(
    name: str, kwargs: Any, around: Mapping[str, Any], scoring: Scoring, panels: Panels | None
) -> BaseEvaluator | Join:
    if name in JOINS:
        return Join(name, kwargs, around.get("metrics_cfg"), scoring, panels)
    try:
        make = scoring.evaluator(name)
    except Unavailable:
        raise
    except MmteError as error:
        hint = near(name, JOINS, cutoff=0.8)
        raise MmteError(f"{error}{hint if 'Did you mean' in hint else ''}") from None
    if not isinstance(kwargs or {}, Mapping):
        raise MmteError(f"evaluator '{name}': its options must be a mapping, not {kwargs!r}")
    try:
        return make(name, **{"metrics_cfg": {}, **(kwargs or {})})
    except TypeError as error:
        raise MmteError(f"evaluator '{name}': {error}") from None


def _run_stage(
    stage: BaseEvaluator, trials: Sequence[Trial], answers: Answers | None, reads_all: bool, repeat: int
) -> bool:
    if not (stage.reads_cut or reads_all):
        for trial in trials:
            if trial.reason == "scored" and trial.response.cut:
                trial.value, trial.reason = None, "cut"
    alive = [t for t in trials if t.reason == "scored"]
    if not alive:
        return True
    if stage.model:
        if answers is None or not answers.may_ask(stage.model):
            return False
        _ask(stage, stage.model, alive, answers, repeat)
    else:
        _process(stage, alive)
    for trial in alive:
        value = trial.value
        if trial.reason == "scored" and _is_no_value(value):
            trial.value, trial.reason = None, "unparsed"
    return True


def _process(stage: BaseEvaluator, alive: Sequence[Trial]) -> None:
    """Columns through a rule."""
    columns = [[t.value for t in alive], [t.target for t in alive], [t.extra for t in alive]]
    for trial, value, target, extra in zip(alive, *process_columns(stage, *columns), strict=True):
        trial.value, trial.target, trial.extra = value, target, extra


def _ask(stage: BaseEvaluator, model: str, alive: Sequence[Trial], answers: Answers, repeat: int) -> None:
    """A judge: all questions of the chunk in one go; a trial whose judge failed stays without a value."""
    questions = [tuple(stage.requests(trial)) for trial in alive]
    if repeat:
        questions = [tuple(replace(q, generation=q.generation.with_repeat(repeat)) for q in qs) for qs in questions]
    replies = iter(answers.get(model, (q for asked in questions for q in asked)))
    for trial, asked in zip(alive, questions, strict=True):
        got = [next(replies) for _ in asked]
        bad = next((r for r in got if r.status != "ok"), None)
        if bad is not None:
            trial.value, trial.reason = None, "judge"
            trial.steps = {**(trial.steps or {}), f"{model}{ERROR}": f"judge '{model}': {_why(bad)}"}
        else:
            trial.value = stage.read(trial, got)


def _why(reply: Response) -> str:
    """Why a reply is of no use, in one line."""
    return one_line(reply.error, _SHOWN) or ("empty reply" if reply.status == "empty" else reply.status)


def _is_no_value(value: Any) -> bool:
    return value is None or value is UNPARSED or (isinstance(value, Real) and bool(value != value))


def _is_flag(value: Any) -> bool:
    return hasattr(value, "__float__") and float(value) in (0.0, 1.0)
