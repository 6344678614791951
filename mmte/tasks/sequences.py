"""The evaluator sequences of a task file: chains and joins, their metrics, directions and thresholds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from mmte.errors import MmteError, near
from mmte.evaluators.metrics import metric_for
from mmte.evaluators.scoring import OVERRIDE, STRICT, Scoring
from mmte.evaluators.sequence import JOINS, SETTINGS, SequentialEvaluator
from mmte.report.limits import Limit
from mmte.tasks.checks import Checks
from mmte.tasks.yamlfile import Where

_LIMITS = ("direction", "thresholds")
OF_NUMBERS: Final = frozenset(
    {"pred_mean", "pred_sum", "correct_rate", "precision_score", "recall_score", "f1_score", "pearson_corr"}
    | {"cramers_v", "chi2_p", "independence"}
)
"""Metrics that cannot be taken of texts; `accuracy_score` and `failure` compare texts too, `iou_judge` reads them."""


class SequenceReader(Checks):
    """Checks `evaluators` or `evaluator_seq_cfgs`, and what belongs to their metrics."""

    def read(self) -> dict[str, dict[str, Any]]:
        """Name -> `{"evaluator": the sequence, "direction", "thresholds"}`.

        Raises:
            MmteError: an unknown evaluator, option or metric, or a limit on a metric that is not measured.
        """
        found: dict[str, dict[str, Any]] = {}
        metrics: set[str] = set()
        for where, name, chain in self._entries():
            self.name(where, name)
            if name in found:
                raise self.doc.error(where, f"two evaluator sequences are called '{name}': give one a 'name'")
            measured = self._chain(where, chain, whole=True)
            if not measured:
                raise self.doc.error(where, "the last evaluator has no metrics_cfg, so nothing would be measured")
            self._no_texts(where, chain, STRICT)
            self._override(where, chain)
            metrics.update(measured)
            found[name] = {"evaluator": chain, **{key: self._limits(key, where, chain, measured) for key in _LIMITS}}
        for key in _LIMITS:
            self._check_limits(key, (key,), self.data.get(key), metrics, "no evaluator sequence has a")
        return found

    def _entries(self) -> Iterator[tuple[Where, Any, Any]]:
        """Place, name and content of each sequence."""
        data = self.data
        if ("evaluators" in data) == ("evaluator_seq_cfgs" in data):
            either = "'evaluators' (name -> sequence) or 'evaluator_seq_cfgs' (a list)"
            raise self.doc.error((), f"name the evaluators with either {either}")
        if "evaluator_seq_cfgs" in data:
            at: Where = ("evaluator_seq_cfgs",)
            for number, chain in enumerate(self.items(at, data["evaluator_seq_cfgs"], "evaluator sequence")):
                yield (*at, number), _chain_name(chain), chain
            return
        at = ("evaluators",)
        named = self.mapping(at, data["evaluators"], "a mapping of names to evaluator sequences")
        if not named:
            raise self.doc.error(at, "must name at least one evaluator sequence")
        for name, chain in named.items():
            if isinstance(chain, dict) and "name" in chain:
                raise self.doc.error((*at, str(name), "name"), f"the sequence is called '{name}' already")
            yield (*at, str(name)), name, chain

    # -- limits --------------------------------------------------------------------------------
    def _limits(self, key: str, where: Where, chain: Any, metrics: list[str]) -> dict[str, Any]:
        """The directions or thresholds of a sequence: the task's, then its own."""
        out = {m: v for m, v in self.mapping((key,), self.data.get(key)).items() if _metric(m) in metrics}
        for at, part in _parts(where, chain):
            out |= self._check_limits(key, (*at, key), part.get(key), metrics, "the sequence has no")
        return out

    def _check_limits(self, key: str, where: Where, table: Any, metrics: Any, lacks: str) -> dict[str, Any]:
        checked = self.mapping(where, table, "a mapping with a value for each metric")
        for metric, rule in checked.items():
            at = (*where, str(metric))
            name = _metric(metric) if key == "thresholds" else str(metric)
            if name not in metrics:
                raise self.doc.error(at, f"{lacks} metric '{name}'.{near(name, metrics)}")
            if key == "direction":
                self.one_of(at, rule, ("up", "down", "none"))
            else:
                self.checked(at, Limit.parse, rule)
        return checked

    # -- chains --------------------------------------------------------------------------------
    def _chain(self, where: Where, chain: Any, *, whole: bool = False, scoring: Scoring = STRICT) -> list[str]:
        """Check a sequence, or a part of one; returns the metrics of its last stage."""
        if isinstance(chain, list):
            parts = self.items(where, chain, "evaluator")
            return [self._chain((*where, n), part, whole=whole, scoring=scoring) for n, part in enumerate(parts)][-1]
        if not isinstance(chain, dict):
            what = "an evaluator sequence is a mapping of evaluators to their options"
            raise self.doc.error(where, f"{what}, not {chain!r}")
        self._settings(where, chain, whole)
        stages = [key for key in chain if key not in SETTINGS]
        if not stages:
            raise self.doc.error(where, "an evaluator sequence needs at least one evaluator")
        metrics: list[str] = []
        for key in stages:
            at = (*where, str(key))
            if key in JOINS:
                metrics = self._join(where, at, chain, key, scoring)
            else:
                options = self.mapping(at, chain[key], "a mapping of the evaluator's options")
                metrics = self._metrics((*at, "metrics_cfg"), options.get("metrics_cfg"))
                self._build(at, str(key), options, scoring)
        return metrics

    def _override(self, where: Where, chain: Any) -> None:
        """The chain for the other reading, or a text that says why there is none."""
        given = [((*at, OVERRIDE), part[OVERRIDE]) for at, part in _parts(where, chain) if OVERRIDE in part]
        for number, (at, own) in enumerate(given):
            if number:
                raise self.doc.error(at, "stands in the sequence twice: keep one of them")
            if isinstance(own, str):
                if not own.strip():
                    raise self.doc.error(at, "must be an evaluator sequence, or a text: why there is none")
            elif not self._chain(at, own, scoring=_other_reading()):
                raise self.doc.error(at, "the last evaluator has no metrics_cfg, so nothing would be measured")
            else:
                self._no_texts(at, own, _other_reading())

    def _no_texts(self, where: Where, chain: Any, scoring: Scoring, *, joined: str = "") -> None:
        """The last evaluator must not hand texts to a metric of numbers, or to a join, once a judge was asked."""
        if isinstance(chain, list):
            return self._no_texts((*where, len(chain) - 1), chain[-1], scoring, joined=joined)
        name = next(key for key in reversed(chain) if key not in SETTINGS)
        at = (*where, str(name))
        if name in JOINS:
            for number, part in enumerate(chain[name]):
                self._no_texts((*at, number), part, scoring, joined=str(name))
            return None
        if not getattr(scoring.evaluator(str(name)), "says_text", False):
            return None
        rule = "put a rule behind it that reads them, such as rule_yes_or_no_eval or rule_score_eval"
        if joined:
            raise self.doc.error(at, f"a join '{joined}' needs 0 or 1, and the values of {name} are texts: {rule}")
        for metric in (chain[name] or {}).get("metrics_cfg") or {}:
            if metric in OF_NUMBERS:
                what = f"metric '{metric}' needs numbers, and the values of {name} are texts"
                raise self.doc.error((*at, "metrics_cfg", str(metric)), f"{what}: {rule}")
        return None

    def _settings(self, where: Where, chain: dict[Any, Any], whole: bool) -> None:
        """What stands beside the evaluators must be of use there."""
        if "metrics_cfg" in chain and not any(key in JOINS for key in chain):
            raise self.doc.error((*where, "metrics_cfg"), "belongs to the options of an evaluator, or beside a join")
        for key in ("name", *_LIMITS, OVERRIDE):
            if key in chain and not whole:
                raise self.doc.error((*where, key), "belongs to the whole sequence, not to a part of it")

    def _join(self, where: Where, at: Where, chain: dict[Any, Any], key: str, scoring: Scoring) -> list[str]:
        parts = chain[key]
        if not isinstance(parts, list) or len(parts) < 2:
            raise self.doc.error(at, "a join needs a list of at least two evaluator sequences")
        for number, part in enumerate(parts):
            self._chain((*at, number), part, scoring=scoring)
        return self._metrics((*where, "metrics_cfg"), chain.get("metrics_cfg"))

    def _build(self, at: Where, name: str, options: dict[Any, Any], scoring: Scoring) -> None:
        """Build one evaluator to see that it takes its options."""
        try:
            judges = SequentialEvaluator({name: options}, scoring).judges
        except MmteError as error:
            guilty = [str(option) for option in options if f"'{option}'" in str(error)]
            raise self.doc.error((*at, *guilty[:1]), str(error)) from None
        for judge in judges:
            if ":" in judge or "=" in judge:
                place = next((str(option) for option, value in options.items() if value == judge), "")
                where = (*at, place) if place else at
                raise self.doc.error(where, "a task file names a judge, not where it is served: use --judge NAME=SPEC")

    def _metrics(self, where: Where, config: Any) -> list[str]:
        metrics = self.mapping(where, config, "a mapping of metrics to their options")
        for name, options in metrics.items():
            at = (*where, str(name))
            metric = self.checked(at, metric_for, str(name))
            for option in self.mapping(at, options, "a mapping of the metric's options"):
                self.checked((*at, str(option)), metric.check, {str(option): None})
        return [str(name) for name in metrics]


def _other_reading() -> Scoring:
    """The multitrust reading, to check options with: its lists are not needed for that."""
    from mmte.compat.literals import PLACEHOLDER
    from mmte.compat.reading import MultiTrust

    return MultiTrust(PLACEHOLDER)


def _metric(name: Any) -> str:
    """The metric of `metric` or `metric/subset`."""
    return str(name).partition("/")[0]


def _parts(where: Where, chain: Any) -> Iterator[tuple[Where, dict[Any, Any]]]:
    """The mappings of a sequence in which directions and thresholds may stand, with their places."""
    if isinstance(chain, dict):
        yield where, chain
    else:
        for number, part in enumerate(chain):
            yield from _parts((*where, number), part)


def _chain_name(chain: Any) -> str:
    """The name of a sequence that has none: its evaluators."""
    if isinstance(chain, dict):
        return str(chain.get("name") or "+".join(str(k) for k in chain if k not in SETTINGS))
    if isinstance(chain, list):
        return "+".join(_chain_name(part) for part in chain)
    return str(chain)
