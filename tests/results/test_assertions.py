"""Assertions hold by the interval, name numbers as gates do, and fail with one sentence that says what would do."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import invented_judge
import pytest
from any_result import Recorded
from hypothesis import given
from hypothesis import strategies as st

import benchbench as bb
from benchbench.errors import InputError
from benchbench.results.checks import check
from benchbench.results.gates import parse_gate
from benchbench.results.record import GateResult, Number, record
from benchbench.results.result import Result

WILSON = "95 %, Wilson"
NUMBERS = [
    Number(name="nDCG@10", value=0.41, low=0.37, high=0.45, interval="95 %, bootstrap", n=50, scope={"task": "gold"}),
    Number(name="nDCG@10", value=0.6, low=0.5, high=0.7, interval="95 %, bootstrap", n=50, scope={"task": "old"}),
    Number(name="P@5", value=0.2, scope={"task": "old"}),
    Number(name="p99", value=120.0, low=100.0, high=150.0, interval="95 %, order statistics", n=900, unit="ms"),
    Number(name="mean", value=0.5, unit="s"),
    Number(name="errors", value=3.0, n=60),
    Number(name="error_rate", value=0.05, n=60),
    Number(name="MRR", value=None, n=0),
]


def result(*numbers: Number, **members: Any) -> Result:
    return Recorded(record("run", 0.0, 1.0, numbers=list(numbers or NUMBERS), **members))


def said(found: Result, function: str, *arguments: Any, **named: Any) -> str:
    with pytest.raises(AssertionError) as error:
        getattr(found, function)(*arguments, **named)
    return str(error.value)


def refused(found: Result, function: str, *arguments: Any, **named: Any) -> str:
    with pytest.raises(InputError) as error:
        getattr(found, function)(*arguments, **named)
    return str(error.value)


def test_the_low_end_must_be_at_least_the_bound():
    result().assert_at_least("nDCG@10", 0.37)
    assert said(result(), "assert_at_least", "nDCG@10", 0.4) == (
        "gold.nDCG@10 is 0.41 [0.37, 0.45] (95 %, bootstrap, n = 50), required at least 0.4: the low end of the "
        "interval is 0.37; with an interval as wide, a value of at least 0.44 would be enough, or this value over "
        "about 800 instead of 50"
    )


def test_the_high_end_must_be_at_most_the_bound():
    result().assert_at_most("p99", "150ms")
    result().assert_at_most("p99", "0.15s")
    assert said(result(), "assert_at_most", "p99", "130ms") == (
        "p99 is 120 ms [100, 150] (95 %, order statistics, n = 900), required at most 130 ms: the high end of the "
        "interval is 150 ms; with an interval as wide, a value of at most 100 ms would be enough, or this value over "
        "about 8,100 instead of 900"
    )


def test_a_value_beyond_the_bound_is_not_helped_by_more_queries():
    assert said(result(), "assert_at_least", "nDCG@10", 0.5).endswith(
        "with an interval as wide, a value of at least 0.54 would be enough"
    )


def test_a_point_is_compared_by_itself():
    result().assert_at_least("nDCG@10", 0.41, level="point")
    result().assert_at_most("nDCG@10", 0.41, level="point")
    assert said(result(), "assert_at_least", "nDCG@10", 0.42, level="point") == (
        "gold.nDCG@10 is 0.41, n = 50, required at least 0.42"
    )


def test_values_that_look_alike_are_shown_in_full():
    assert said(result(), "assert_at_least", "nDCG@10", 0.41000000001, level="point") == (
        "gold.nDCG@10 is 0.41, n = 50, required at least 0.41000000001"
    )


def test_names_are_those_of_gates():
    result().assert_at_least("old.nDCG@10", 0.5)
    result().assert_at_least("P@5", 0.2, level="point")
    result().assert_at_most("errors", 3, level="point")
    result().assert_at_most("errors", "5%", level="point")
    result().assert_at_most("mean", "500ms", level="point")


def test_an_unknown_name_says_what_there_is():
    assert refused(result(), "assert_at_least", "nDCG@5", 0.4).startswith(
        "assert_at_least nDCG@5: nDCG@5 is not measured; did you mean"
    )


def test_a_number_without_an_interval_says_how_to_compare_it():
    assert refused(result(), "assert_at_most", "mean", "1s") == (
        "assert_at_most mean: this number has no interval; use level='point' to compare the value itself"
    )


@pytest.mark.parametrize("level", ["interval", "point"])
def test_a_number_without_a_value_fails(level: str):
    assert said(result(), "assert_at_least", "MRR", 0.0, level=level) == "MRR has no value, required at least 0"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("p99", 300), "assert_at_most p99: this is a time; write the bound with its unit, as in '300ms'"),
        (("nDCG@10", "300ms"), "assert_at_most nDCG@10: nDCG@10 is not measured in ms"),
        (("nDCG@10", math.nan), "assert_at_most nDCG@10: nan is not a bound"),
        (("nDCG@10", math.inf), "assert_at_most nDCG@10: inf is not a bound"),
        (("nDCG@10", True), "assert_at_most nDCG@10: a bound is a number, or a text such as '300ms', and not True"),
        (("nDCG@10", None), "assert_at_most nDCG@10: a bound is a number, or a text such as '300ms', and not None"),
        (("", 1), "assert_at_most: a measure is a text such as 'nDCG@10', and not ''"),
        ((10, 1), "assert_at_most: a measure is a text such as 'nDCG@10', and not 10"),
        (("low nDCG@10", 1), "assert_at_most: 'low nDCG@10' is not the name of one number, such as 'nDCG@10'"),
        (("nDCG@10", "much"), "assert_at_most: 'nDCG@10' and 'much' are not the name of a number and a bound, as in"),
        (("nDCG@10 < 3 and p99", "1ms"), "assert_at_most: 'nDCG@10 < 3 and p99' is not the name of one number"),
        (("nDCG@10", 0.4, "mean"), "assert_at_most: level is 'interval' or 'point', and not 'mean'"),
    ],
)
def test_bad_usage_is_one_sentence(arguments: tuple[Any, ...], message: str):
    assert refused(result(), "assert_at_most", *arguments).startswith(message)


def test_every_target_must_pass_and_those_that_do_not_are_named():
    numbers = [
        Number(name="P@5", value=value, low=value - 0.1, high=value + 0.1, n=20, scope={"target": name, "task": "gold"})
        for name, value in (("a", 0.5), ("b", 0.3), ("c", 0.2))
    ]
    result(*numbers).assert_at_least("P@5", 0.1)
    sentence = said(result(*numbers), "assert_at_least", "P@5", 0.25)
    assert sentence.startswith("b: gold.P@5 is 0.3 [0.2, 0.4] (interval, n = 20), required at least 0.25: the low end")
    assert "; c: gold.P@5 is 0.2 " in sentence
    assert "a: " not in sentence


def test_differences_of_pairs_are_asserted_about():
    scope = {"task": "gold", "system": "new", "baseline": "old"}
    numbers = [
        Number(name="Δ nDCG@10", value=0.02, low=0.01, high=0.03, interval=WILSON, n=9, scope=scope),
        Number(name="p nDCG@10", value=0.01, scope=scope),
        Number(name="p_t nDCG@10", value=0.02, scope=scope),
    ]
    result(*numbers).assert_at_least("Δ nDCG@10", 0)
    result(*numbers).assert_at_least("delta nDCG@10", -0.5)
    result(*numbers).assert_at_most("p nDCG@10", 0.05, level="point")
    result(*numbers).assert_at_most("p_t nDCG@10", 0.05, level="point")
    assert said(result(*numbers), "assert_at_least", "Δ nDCG@10", 0.015).startswith(
        "new against old: Δ gold.nDCG@10 is 0.02 [0.01, 0.03] (95 %, Wilson, n = 9), required at least 0.015: "
    )


def test_a_broken_result_fails_whatever_its_numbers():
    broken = GateResult(condition="--max-error-rate 0.01", verdict="broken", said="30 of 60 queries failed")
    assert said(result(gates=[broken], status="failed"), "assert_at_least", "nDCG@10", 0) == "30 of 60 queries failed"
    assert "the run has the status interrupted" in said(result(status="interrupted"), "assert_at_most", "p99", "9s")


def test_a_failed_gate_leaves_assertions_as_they_are():
    failed = GateResult(condition="nDCG@10<0.9", verdict="failed", said="gate failed")
    result(gates=[failed]).assert_at_least("nDCG@10", 0.3)


def test_what_was_asserted_is_kept_with_the_result():
    found = result()
    assert found.asserted == []
    found.assert_at_least("nDCG@10", 0.3)
    said(found, "assert_at_most", "p99", "1ms")
    first, second = found.asserted
    assert (first.name, first.value, first.bound, first.required, first.passed) == (
        "gold.nDCG@10", 0.41, 0.3, "at least", True,
    )  # fmt: skip
    assert (second.name, second.high, second.bound, second.unit, second.passed) == ("p99", 150.0, 1.0, "ms", False)


def test_pytest_shows_the_line_of_the_test_and_none_of_ours():
    with pytest.raises(AssertionError) as error:
        result().assert_at_least("nDCG@10", 0.9)
    hidden = [entry.frame.f_locals.get("__tracebackhide__", False) for entry in error.traceback[1:]]
    assert hidden
    assert all(hidden)


@given(st.floats(-1, 1), st.floats(0, 0.5), st.floats(0, 0.5), st.floats(-2, 2))
def test_an_assertion_at_level_point_fails_exactly_where_the_gate_does(
    value: float, below: float, above: float, bound: float
):
    number = Number(name="m", value=value, low=value - below, high=value + above, n=10)
    for function, sign, end in (("assert_at_least", "<", number.low), ("assert_at_most", ">", number.high)):
        for level, tested in (("point", value), ("interval", end)):
            try:
                getattr(result(number), function)("m", bound, level=level)
                held = True
            except AssertionError:
                held = False
            assert tested is not None
            assert held == (tested >= bound if sign == "<" else tested <= bound)
        (gate,) = check([parse_gate(f"m {sign} {bound!r}")], [number])
        assert (gate.verdict == "failed") == (value < bound if sign == "<" else value > bound)


@given(st.floats(0.1, 0.9), st.floats(0.01, 0.5), st.floats(0.001, 0.5), st.integers(2, 10_000))
def test_so_many_queries_as_it_says_would_be_enough(value: float, width: float, distance: float, n: int):
    """With the interval shrunk as the square root says, the assertion holds."""
    bound = value - distance
    number = Number(name="m", value=value, low=value - width, high=value + width, n=n)
    if value - width >= bound:
        return
    sentence = said(result(number), "assert_at_least", "m", bound)
    more = int(sentence.partition("over about ")[2].partition(" ")[0].replace(",", "") or 0)
    if more:
        assert value - width * math.sqrt(n / more) >= bound - 1e-9
        assert more <= 1.2 * n * (width / distance) ** 2 + 10


QRELS = "".join(f"q{n} 0 d{n} 1\n" for n in range(40))


def scores(tmp_path: Path, measures: Sequence[str] = ("P@1", "microP@1")) -> bb.Scores:
    (tmp_path / "qrels.trec").write_text(QRELS)
    (tmp_path / "run.trec").write_text("".join(f"q{n} Q0 {'d' if n % 4 else 'e'}{n} 1 2 x\n" for n in range(40)))
    return bb.evaluate(
        bb.Qrels.from_file(tmp_path / "qrels.trec"), bb.Run.from_file(tmp_path / "run.trec"), list(measures)
    )


def test_scores_have_the_interval_that_their_values_per_query_give(tmp_path: Path):
    from statsmodels.stats.proportion import proportion_confint

    found = scores(tmp_path)
    low, high = proportion_confint(30, 40, method="wilson")
    found.assert_at_least("P@1", low - 1e-9)
    found.assert_at_most("P@1", high + 1e-9)
    assert "[0.5981, 0.8581] (95 %, Wilson, n = 40), required at least 0.7:" in said(
        found, "assert_at_least", "P@1", 0.7
    )
    found.save(tmp_path / "results")
    assert "[0.5981, 0.8581]" in said(bb.load(tmp_path / "results"), "assert_at_least", "P@1", 0.7)


def test_what_is_no_mean_over_queries_has_no_interval_of_one(tmp_path: Path):
    assert "this number has no interval" in refused(scores(tmp_path), "assert_at_least", "microP@1", 0.1)


def test_a_score_of_a_judge_that_nothing_vouches_for_cannot_be_asserted():
    """As a gate of `show` on it is refused."""
    found = invented_judge.outcome()
    sentence = said(found, "assert_at_least", "relevance_1_5", 0.1)
    assert "relevance_1_5 cannot be gone by: " in sentence
    assert "is not calibrated" in sentence
    assert "--trust-judge uses it anyway, where it was judged" in sentence
    found.assert_at_most("errors", 100, level="point")


@pytest.mark.parametrize("alias", ["ndcg@10", "ndcg_cut_10", "NDCG@10", "gold.ndcg_cut_10"])
def test_a_measure_may_be_named_as_on_the_command_line(alias: str):
    result().assert_at_least(alias, 0.37)
    assert said(result(), "assert_at_least", alias, 0.4).startswith("gold.nDCG@10 is 0.41 ")
    assert "nothing" not in refused(result(), "assert_at_least", "map_cut_7", 0.4)
