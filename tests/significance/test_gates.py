import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from cases import tables
from significance.drawn import like_measures, paired_of

from benchbench.errors import InputError
from benchbench.significance.comparing import compare
from benchbench.significance.gates import as_gates, numbers, verdicts
from benchbench.significance.result import Comparison
from benchbench.significance.settings import Settings
from benchbench.tables.paired import Paired

TABLES = tables(__file__)

MEASURES = ("nDCG@10", "RR")


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    """Two systems over forty queries: the second loses 0.1 in nDCG@10 everywhere, and nothing in RR."""
    before = np.random.default_rng(1).uniform(0.2, 0.8, (2, 40))
    after = before - np.array([[0.1], [0.0]])
    return compared(np.stack([before, after], axis=1))


def compared(values: np.ndarray, baseline: str | None = None) -> Comparison:
    systems = ("old", "new", "newer")[: values.shape[1]]
    queries = [f"q{n}" for n in range(values.shape[2])]
    return compare(Paired(systems, MEASURES, queries, values), Settings(baseline, resamples=1000))


def known(text: str) -> str:
    if text not in MEASURES:
        raise InputError(f"{text} is not compared")
    return text


def failure(comparison: Comparison, text: str) -> str | None:
    (verdict,) = verdicts(as_gates(text, known), comparison)
    return verdict.failure


@pytest.mark.parametrize("text", TABLES["holding"])
def test_a_gate_fails_when_all_of_its_conditions_hold(comparison, text):
    assert failure(comparison, text) is not None


@pytest.mark.parametrize(
    "text",
    ["Δ nDCG@10 < -0.5 and p < 0.05", "Δ RR < 0", "Δ nDCG@10 > 0", "Δ nDCG@10 < 0 and p > 0.5", "p RR < 0.9"],
)
def test_a_gate_passes_when_one_of_them_does_not(comparison, text):
    assert failure(comparison, text) is None


def test_the_sentence_names_pair_values_and_bounds(comparison):
    p = comparison.differences[0].corrected["randomization"]
    assert failure(comparison, " Δ nDCG@10 < -1% and p < 0.05 ") == (
        f"new against old: Δ nDCG@10 is -0.1 and p nDCG@10 is {p:.6g}, "
        "required Δ nDCG@10 at least -0.01 or p nDCG@10 at least 0.05"
    )
    assert failure(comparison, "Δ nDCG@10 <= 0") == "new against old: Δ nDCG@10 is -0.1, required above 0"


def test_a_value_that_is_not_a_number_fails_its_gate(comparison):
    first, *others = comparison.differences
    without = replace(comparison, differences=(replace(first, mean=math.nan), *others))
    assert "Δ nDCG@10 has no value" in str(failure(without, "Δ nDCG@10 < -0.5"))


@pytest.mark.parametrize(
    ("text", "reason"), [*TABLES["refused"].items(), ("nDCG@10 < " + "9" * 500, "is not name, comparison and bound")]
)
def test_what_is_no_gate_is_refused_with_a_reason(text, reason):
    with pytest.raises(InputError, match=r"^--fail-if ") as refused:
        as_gates(text, known)
    assert reason in str(refused.value)


def test_each_system_is_checked_against_the_baseline():
    values = np.random.default_rng(2).uniform(0, 1, (2, 3, 20))
    found = verdicts(as_gates("Δ RR < 9", known), compared(values, "new"))
    assert [one.scope for one in found] == [
        {"baseline": "new", "system": "old"},
        {"baseline": "new", "system": "newer"},
    ]
    assert [one.about for one in found] == ["old against new", "newer against new"]
    assert all(one.failure for one in found)


def test_without_a_baseline_several_pairs_are_refused():
    values = np.random.default_rng(2).uniform(0, 1, (2, 3, 20))
    with pytest.raises(InputError, match="name that with --baseline"):
        verdicts(as_gates("Δ RR < 9", known), compared(values))


def test_the_share_of_changed_queries_has_no_interval_where_queries_are_not_independent() -> None:
    columns = pl.DataFrame({"document": np.arange(60) // 2})
    for cluster, there in ((None, True), ("document", False)):
        found = numbers(compare(paired_of(like_measures(1, 1, 2, 60), columns), Settings(cluster=cluster)))
        (changed,) = (one for one in found if one.name == "changed M0")
        assert (changed.low is not None, changed.interval is not None) == (there, there)
