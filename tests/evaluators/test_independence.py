"""Independence of answers and attributes: against scipy, by simulation, and where there is nothing to test."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mmte.errors import MmteError
from mmte.evaluators.independence import (
    chi2_p,
    chi2_tail,
    cramers_v,
    holm,
    independence,
    largest_statistic,
    least_p,
    p_value,
    statistic,
    table,
)
from mmte.evaluators.metrics import Sums, known_metrics, metric_for
from mmte.stats.estimate import Columns, estimate
from mmte.stats.intervals import bootstrap_sums
from mmte.types import REASONS, UNPARSED


def columns(yes: Sequence[int], sizes: Sequence[int]) -> tuple[list[str], list[float]]:
    """Labels and answers of a table."""
    labels = [f"group {g}" for g, n in enumerate(sizes) for _ in range(n)]
    answers = [float(at < y) for y, n in zip(yes, sizes, strict=True) for at in range(n)]
    return labels, answers


def as_columns(labels: list[object], values: list[float]) -> Columns:
    reasons = [REASONS.index("unparsed" if value != value else "scored") for value in values]
    return Columns(np.array(values), labels, np.array(reasons, dtype=np.uint8), np.arange(len(values)))


# -- values --------------------------------------------------------------------------------------
@pytest.mark.parametrize("df", range(1, 12))
@pytest.mark.parametrize("x", [0.0, 1e-9, 0.3, 1.0, 3.84, 7.0, 25.0, 120.0])
def test_the_tail_of_chi_square(x: float, df: int) -> None:
    assert chi2_tail(x, df) == pytest.approx(stats.chi2.sf(x, df), rel=1e-10, abs=1e-15)


@pytest.mark.parametrize(
    ("yes", "sizes"), [((30, 45), (60, 60)), ((20, 25, 31), (50, 50, 50)), ((9, 30, 12, 40), (50, 60, 40, 55))]
)
def test_large_tables_as_in_scipy(yes: Sequence[int], sizes: Sequence[int]) -> None:
    expected = stats.chi2_contingency(np.array([yes, np.subtract(sizes, yes)]), correction=False)
    assert chi2_p(*columns(yes, sizes)) == pytest.approx(expected.pvalue, rel=1e-9)


def test_small_tables_are_permuted() -> None:
    # Tables of two columns: all ways to give 5 answers of 1 to groups of 6 and 5, by their number.
    ways = {k: math.comb(6, k) * math.comb(5, 5 - k) for k in range(6)}
    away = {k: abs(k / 6 - (5 - k) / 5) for k in ways}
    for k in ways:
        exact = sum(n for j, n in ways.items() if away[j] >= away[k] - 1e-9) / sum(ways.values())
        assert chi2_p(*columns((k, 5 - k), (6, 5))) == pytest.approx(exact, abs=0.02)
    assert chi2_p(*columns((5, 0), (6, 5))) > 1e-4 / 2  # never 0
    assert chi2_p(*columns((4, 1), (6, 5)), seed=1) == chi2_p(*columns((4, 1), (6, 5)), seed=1)


def test_bias_corrected_v_by_hand() -> None:
    # chi2 = 100 * 0.36 = 36 for 80 % and 20 % yes of 50 each; phi2 = 0.36 - 1/99; both sides 2 - 1/99.
    by_hand = math.sqrt((0.36 - 1 / 99) / (1 - 1 / 99))
    assert cramers_v(*columns((40, 10), (50, 50))) == pytest.approx(by_hand, rel=1e-12)
    plain = stats.contingency.association(np.array([[40, 10], [10, 40]]), method="cramer")
    assert 0 < plain - cramers_v(*columns((40, 10), (50, 50))) < 0.01
    assert cramers_v(*columns((25, 25), (50, 50))) == 0.0
    assert cramers_v(*columns((50, 0), (50, 50))) == pytest.approx(1.0, abs=1e-9)
    assert cramers_v(*columns((26, 24), (50, 50))) == 0.0  # uncorrected: 0.04, from chance alone


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([0.0, 1.0])), min_size=1, max_size=60))
def test_order_and_names_do_not_matter(rows: list[tuple[str, float]]) -> None:
    labels, answers = zip(*rows, strict=True)
    renamed = ["xyz"["bca".index(label)] for label in labels]
    for metric in (cramers_v, chi2_p):
        one, other = metric(labels, answers), metric(renamed[::-1], answers[::-1])
        # permutations are drawn for groups in the order of their names, so a p-value moves a little
        assert one == pytest.approx(other, abs=0.03, nan_ok=True)
        assert metric(labels, [1 - answer for answer in answers]) == pytest.approx(one, abs=0.03, nan_ok=True)
        assert math.isnan(one) or 0 <= one <= 1


@given(
    st.lists(st.integers(1, 6), min_size=2, max_size=4).flatmap(
        lambda sizes: st.tuples(st.just(sizes), st.tuples(*(st.integers(0, n) for n in sizes)))
    )
)
def test_no_table_of_these_margins_is_more_one_sided(case: tuple[list[int], tuple[int, ...]]) -> None:
    sizes, total = np.array(case[0]), sum(case[1])
    if total in (0, sum(case[0])):
        assert math.isnan(least_p(np.array(case[1]), sizes))
        return
    tables = np.array([t for t in product(*(range(n + 1) for n in case[0])) if sum(t) == total])
    assert largest_statistic(total, sizes) == pytest.approx(float(statistic(tables, sizes).max()), rel=1e-9)


@pytest.mark.parametrize(("yes", "sizes"), [((6, 0), (6, 6)), ((5, 1), (6, 6)), ((30, 10, 2), (40, 30, 20))])
def test_the_least_p_value(yes: Sequence[int], sizes: Sequence[int]) -> None:
    least, own = (of(np.array(yes), np.array(sizes)) for of in (least_p, p_value))
    assert 0 < least <= own
    assert (least == own) == (yes == (6, 0))


# -- nothing to test -----------------------------------------------------------------------------
@pytest.mark.parametrize("answers", [[1.0] * 60, [0.0] * 60, [math.nan] * 60, [], [UNPARSED] * 60])
def test_constant_answers_have_no_value(answers: list[object]) -> None:
    labels = [f"group {n % 2}" for n in range(len(answers))]
    rows = [[label, label] for label in labels]
    assert math.isnan(cramers_v(labels, answers))
    assert math.isnan(chi2_p(labels, answers))
    assert math.isnan(independence(rows, answers))


def test_an_attribute_that_does_not_vary_or_is_unknown_has_no_value() -> None:
    answers = [float(n % 2) for n in range(60)]
    for labels in (["one"] * 60, [None] * 60):
        assert math.isnan(cramers_v(labels, answers))
        assert math.isnan(chi2_p(labels, answers))
        assert math.isnan(independence([[f"{n % 3}", label] for n, label in enumerate(labels)], answers))


@pytest.mark.parametrize(("ones", "tested"), [(1, False), (3, False), (5, False), (8, True), (999, False), (992, True)])
def test_a_test_that_could_not_fail_is_not_passed(ones: int, tested: bool) -> None:
    labels = [f"group {n % 2}" for n in range(1000)]
    answers = [float(n < ones) for n in range(1000)]
    verdict = independence([[label] for label in labels], answers)
    assert verdict == 1.0 if tested else math.isnan(verdict)
    assert 0 < chi2_p(labels, answers) <= 1  # the p-value itself is there


def test_rows_without_answer_or_attribute_are_left_out() -> None:
    labels, answers = columns((40, 10), (50, 50))
    more = [*labels, None, "group 0", math.nan], [*answers, 1.0, math.nan, 0.0]
    assert cramers_v(*more) == cramers_v(labels, answers)
    assert chi2_p(*more) == chi2_p(labels, answers)
    yes, sizes = table(*more)
    assert (yes.tolist(), sizes.tolist()) == ([40, 10], [50, 50])


# -- the verdict ---------------------------------------------------------------------------------
def test_verdict_counts_attributes() -> None:
    answers = [float(n < 60) for n in range(120)]
    tied = ["a" if n < 60 else "b" for n in range(120)]
    free = [str(n % 2) for n in range(120)]
    assert independence([[x] for x in free], answers) == 1.0
    assert independence([[x] for x in tied], answers) == 0.0
    assert independence([[x, y, x] for x, y in zip(free, tied, strict=True)], answers) == pytest.approx(2 / 3)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.02, 0.02]) == pytest.approx([0.04, 0.04])
    assert holm([0.6, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_the_correction_can_be_left_out_as_in_the_original() -> None:
    labels, answers = columns((20, 30), (50, 50))  # chi2 = 4, p = 0.0455
    rows = [[label, str(n % 2), str(n // 2 % 2)] for n, label in enumerate(labels)]
    assert chi2_p(labels, answers) == pytest.approx(0.0455, abs=1e-3)
    assert independence(rows, answers) == 1.0
    assert independence(rows, answers, adjust="none") == pytest.approx(2 / 3)
    assert independence(rows, answers, alpha=0.2) == pytest.approx(2 / 3)


def test_an_unbiased_model_keeps_all_attributes_in_95_percent_of_the_runs() -> None:
    rng = np.random.default_rng(20240607)
    runs = {"holm": 0, "none": 0}
    for _ in range(600):
        people = [[str(v) for v in row] for row in np.stack([rng.integers(0, k, 150) for k in (2, 3, 3)], axis=1)]
        answers = (rng.random(150) < 0.7).astype(float)
        for adjust in runs:
            runs[adjust] += independence(people, answers, adjust=adjust) < 1  # type: ignore[arg-type]
    # Standard error of 5 % in 600 runs: 0.9 %; without the correction, 1 - 0.95^3 = 14 %.
    assert runs["holm"] / 600 < 0.08
    assert 0.10 < runs["none"] / 600 < 0.19


@pytest.mark.parametrize(("n", "gap", "least"), [(300, 0.25, 0.9), (300, 0.0, 0.0), (60, 0.6, 0.9)])
def test_a_biased_model_is_found(n: int, gap: float, least: float) -> None:
    rng = np.random.default_rng(11)
    found = 0
    for _ in range(200):
        gender = rng.integers(0, 2, n)
        answers = (rng.random(n) < 0.5 + gap * (gender - 0.5)).astype(float)
        people = [[str(g), str(a), str(s)] for g, a, s in zip(gender, *rng.integers(0, 3, (2, n)), strict=True)]
        found += independence(people, answers) < 1
    assert found / 200 >= least
    if gap == 0:
        assert found / 200 < 0.1


def test_the_interval_of_v_covers_the_truth() -> None:
    rng = np.random.default_rng(5)
    sums = metric_for("cramers_v").sums
    assert isinstance(sums, Sums)
    covered = 0
    for _ in range(120):
        group = rng.integers(0, 2, 200)
        answers = (rng.random(200) < np.where(group, 0.65, 0.35)).astype(float)
        rows = sums.rows([str(g) for g in group], answers)
        interval, method = bootstrap_sums(rows, np.arange(200), sums.value, 3)
        assert interval is not None
        assert method == "bootstrap"
        covered += interval[0] <= 0.3 <= interval[1]
    assert covered / 120 > 0.88


# -- as metrics of a report ----------------------------------------------------------------------
def test_they_are_metrics() -> None:
    assert {"cramers_v", "chi2_p", "independence"} <= set(known_metrics())
    assert [metric_for(name).direction for name in ("cramers_v", "chi2_p", "independence")] == ["down", "none", "up"]


def test_estimates() -> None:
    labels, answers = columns((40, 10), (50, 50))
    got = estimate(metric_for("cramers_v"), {}, as_columns(list(labels), answers), expected=100, seed=1)
    assert got is not None and got.value is not None and got.low is not None and got.high is not None
    assert 0.3 < got.low < got.value < got.high < 0.8
    got = estimate(metric_for("chi2_p"), {}, as_columns(list(labels), answers), expected=100, seed=1)
    assert got is not None
    assert got.value == pytest.approx(chi2_p(labels, answers))
    assert (got.low, got.high, got.method) == (None, None, "")  # a p-value is made once


def test_a_verdict_on_which_all_resamples_agree_is_certain() -> None:
    labels, answers = columns((40, 10), (50, 50))
    rows = as_columns([[label] for label in labels], answers)
    got = estimate(metric_for("independence"), {}, rows, expected=100, seed=1)
    assert got is not None
    assert (got.value, got.low, got.high, got.method) == (0.0, 0.0, 0.0, "bootstrap")


def test_a_verdict_that_hangs_on_a_few_answers_is_not() -> None:
    labels, answers = columns((30, 20), (50, 50))  # p is 0.046
    rows = as_columns([[label] for label in labels], answers)
    got = estimate(metric_for("independence"), {}, rows, expected=100, seed=1)
    assert got is not None
    assert (got.value, got.low, got.high) == (0.0, 0.0, 1.0)
    with_options = estimate(metric_for("independence"), {"alpha": 0.01}, rows, expected=100, seed=1)
    assert with_options is not None
    assert (with_options.value, with_options.low) == (1.0, None)  # its resamples would be judged by another alpha


def test_the_verdict_as_sums_is_the_verdict() -> None:
    """Of the sample exactly; of resamples by the chi-square distribution, as scipy has it."""
    sums = metric_for("independence").sums
    assert isinstance(sums, Sums)
    rng = np.random.default_rng(11)
    for n in (12, 60, 400):
        labels = [[str(rng.integers(2)), str(rng.integers(3)), str(rng.integers(5))] for _ in range(n)]
        lean = np.array([0.5 + 0.2 * (label[1] == "0") for label in labels])
        answers = (rng.random(n) < lean).astype(float)
        rows = sums.rows(labels, answers)
        np.testing.assert_equal(sums.value(rows.sum(axis=0)), independence(labels, answers))
        drawn = np.stack([rows[rng.integers(0, n, n)].sum(axis=0) for _ in range(20)])
        for total, value in zip(drawn, sums.value(drawn), strict=True):
            cells = [t[t.sum(axis=1) > 0] for t in total.reshape(3, -1, 2)]
            if min(len(c) for c in cells) < 2 or (total.reshape(3, -1, 2).sum(axis=1) == 0).any():
                assert math.isnan(value)
                continue
            p = holm([float(stats.chi2_contingency(c, correction=False).pvalue) for c in cells])
            assert value == pytest.approx(sum(one > 0.05 for one in p) / 3)


def test_the_interval_of_the_verdict_covers_the_truth() -> None:
    """The truth is 1 for each attribute that the answers do not go with; here one of three does, strongly or weakly."""
    rng = np.random.default_rng(3)
    for gap, truth in ((0.0, 1.0), (0.15, 2 / 3), (0.5, 2 / 3)):
        covered = 0
        for _ in range(40):
            labels = [[str(rng.integers(2)), str(rng.integers(2)), str(rng.integers(3))] for _ in range(150)]
            lean = np.array([0.5 + gap * ((label[0] == "0") - 0.5) for label in labels])
            answers = list((rng.random(150) < lean).astype(float))
            got = estimate(metric_for("independence"), {}, as_columns(list(labels), answers), expected=150, seed=1)
            assert got is not None and got.low is not None and got.high is not None
            covered += got.low - 1e-9 <= truth <= got.high + 1e-9
        assert covered / 40 >= 0.9


@pytest.mark.parametrize("name", ["cramers_v", "chi2_p", "independence"])
def test_estimates_of_constant_or_unreadable_answers_have_no_value(name: str) -> None:
    for values in ([1.0] * 40, [math.nan] * 40):
        labels = [[str(n % 2)] if name == "independence" else str(n % 2) for n in range(40)]
        got = estimate(metric_for(name), {}, as_columns(list(labels), values), expected=40, seed=1)
        assert got is not None
        assert got.value is None


@pytest.mark.parametrize(
    ("labels", "answers", "options", "said"),
    [
        (["a", "b"], [1.0, 0.0], {}, "needs a list of categories for each row"),
        ([["a"], ["b", "c"]], [1.0, 0.0], {}, "needs a list of categories for each row"),
        ([["a"], ["b"]], [1.0, 0.5], {}, "need answers of 0 and 1"),
        ([["a"], ["b"]], [1.0, 0.0], {"alpha": 5}, "alpha must be between 0 and 1, not 5"),
        ([["a"], ["b"]], [1.0, 0.0], {"adjust": "Holm"}, "adjust must be holm or none, not 'Holm'"),
        ([[str(n)] for n in range(50)], [1.0] * 50, {}, "50 categories"),
    ],
)
def test_mistakes(labels: list[object], answers: list[float], options: dict[str, object], said: str) -> None:
    with pytest.raises(MmteError) as caught:
        independence(labels, answers, **options)  # type: ignore[arg-type]
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
