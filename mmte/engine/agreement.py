"""How far the judges of a run agreed, from the ballots that evaluators leave in a trial's steps."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from mmte.types import Direction, Estimate

if TYPE_CHECKING:
    from mmte.stats.agreement import Agreement


METRICS: Final = (
    "judge_agreement", "judge_alpha", "judge_kappa", "judge_self_agreement", "judge_self_alpha", "judge_contradiction",
)  # fmt: skip
"""Names of estimates that say something of the judges, and nothing of the model."""


def is_of_judges(metric: str) -> bool:
    """Whether an estimate says something of the judges."""
    return metric.partition(".")[0] in METRICS


class Ballots:
    """What several readers said of each sample, by the name of the ballot; nothing where no evaluator has ballots.

    The names and what becomes of them:
        agreement: one verdict for each judge of a panel - `judge_agreement` (observed), `judge_alpha` (Krippendorff),
            and of two judges `judge_kappa` (Cohen).
        self: one verdict for each repetition of a judge's questions - `judge_self_agreement`, `judge_self_alpha`.
        orders: the verdicts in both orders of two answers - `judge_contradiction`, the share that differs.
    What follows a dot in a name (the judge, the chain of a join) follows the estimate's name, too.
    """

    def __init__(self) -> None:
        self._units: dict[str, list[Sequence[Any]]] = {}
        self._rows: dict[str, list[int]] = {}

    def add(self, row: int, steps: Mapping[str, Any] | None) -> None:
        """Take what the steps of the trial in this row say."""
        for name, said in ((steps or {}).get("ballots") or {}).items():
            self._units.setdefault(name, []).append(said)
            self._rows.setdefault(name, []).append(row)

    def estimates(self, clusters: Sequence[int], expected: int, seed: str, level: str) -> list[Estimate]:
        """The estimates; `clusters` has one number for each row, `n` counts samples with two verdicts or more.

        At level interval the verdicts are numbers with distances, else they are only equal or not.
        """
        found = []
        for name, units in self._units.items():
            where = [clusters[row] for row in self._rows[name]]
            number = zlib.crc32(f"{seed}:{name}".encode("utf-8", "surrogatepass"))
            for metric, got, direction in _measured(name, units, where, number, level):
                found.append(
                    Estimate(metric, got.value, got.low, got.high, got.n, expected, None, got.method, direction)
                )
        return found


def _measured(
    name: str, units: Sequence[Sequence[Any]], clusters: Sequence[int], seed: int, level: str
) -> Iterator[tuple[str, Agreement, Direction]]:
    from mmte.stats.agreement import cohen_kappa, krippendorff_alpha, observed_agreement

    kind, dot, rest = name.partition(".")
    observed = observed_agreement(units, clusters)
    if kind == "orders":
        yield f"judge_contradiction{dot}{rest}", _complement(observed), "down"
        return
    prefix = "judge_self" if kind == "self" else "judge"
    alpha = krippendorff_alpha(units, "interval" if level == "interval" else "nominal", clusters, seed)
    yield f"{prefix}_agreement{dot}{rest}", observed, "up"
    yield f"{prefix}_alpha{dot}{rest}", alpha, "up"
    if kind == "agreement" and level != "interval" and all(len(unit) == 2 for unit in units):
        one, other = zip(*units, strict=True)
        yield f"judge_kappa{dot}{rest}", cohen_kappa(one, other, clusters, seed), "up"


def _complement(found: Agreement) -> Agreement:
    from mmte.stats.agreement import Agreement

    def less(x: float | None) -> float | None:
        return None if x is None else 1 - x

    return Agreement(less(found.value), less(found.high), less(found.low), found.n, found.method)
