import math

import pytest
from cases import tables
from hypothesis import given
from hypothesis import strategies as st

from benchbench.errors import InputError
from benchbench.measures.default_list import default_measures
from benchbench.measures.gate_names import as_gates, measured_names, measured_numbers, named, parse_gate
from benchbench.measures.latency import Latency
from benchbench.measures.notation import resolve
from benchbench.results.checks import check
from benchbench.results.estimates import MeasureEstimate
from benchbench.results.gates import Gate
from benchbench.results.record import Number

TABLES = tables(__file__)

VALUES = {
    "gold.nDCG@10": 0.35,
    "gold.RR@10": 0.5,
    "gold.microF1@5": 0.2,
    "accusation.nDCG@10": 0.8,
    "accusation.P@5": 0.6,
    "p50": 12.0,
    "p99": 450.0,
    "mean": 20.0,
    "max": 900.0,
    "errors": 3.0,
    "error_rate": 0.03,
    "queries_per_second": 700.0,
}


def numbers(values: dict[str, float]) -> list[Number]:
    return [Number(name=name, value=value, unit=named(name)[1] or "") for name, value in values.items()]


def failure(text: str, values: dict[str, float]) -> str | None:
    (result,) = check([parse_gate(text)], numbers(values))
    return result.failure


@pytest.mark.parametrize(("text", "sentence"), TABLES["holding"].items())
def test_a_gate_that_holds_is_a_sentence_with_value_and_bound(text: str, sentence: str):
    assert failure(text, VALUES) == sentence


@pytest.mark.parametrize("text", ["nDCG@10<0.35", "p99>450ms", "p99>0.45s", "errors>3", "errors>3%", "P@5>0.6"])
def test_a_gate_that_does_not_hold_is_none(text: str):
    assert failure(text, VALUES) is None


def test_without_gold_the_only_task_that_has_the_measure_is_meant_and_two_are_refused():
    assert parse_gate("P@5<1").measured(["article.P@5", "p99"]) == ("article.P@5",)
    with pytest.raises(InputError, match=r"several tasks; name one of article\.P@5, accusation\.P@5$"):
        parse_gate("P@5<1").measured(["article.P@5", "accusation.P@5"])


def test_what_was_not_measured_is_named_with_what_there_is():
    with pytest.raises(InputError, match=r"^--fail-if nDCG@7<1: nDCG@7 is not measured; measured are p99, gold\.P@5$"):
        failure("nDCG@7<1", {"p99": 1.0, "gold.P@5": 1.0})


def test_a_cut_off_that_was_not_measured_is_named_with_the_option_that_adds_it():
    names = measured_names(("gold", "accusation"), default_measures((3, 5, 10)))
    for text, name in (("nDCG@20<0.4", "nDCG@20"), ("gold.P@20 < 0.4", "gold.P@20"), ("ndcg_cut_20<0.4", "nDCG@20")):
        with pytest.raises(InputError) as refused:
            parse_gate(text).measured(names)
        assert str(refused.value).startswith(
            f"--fail-if {text}: {name} is not measured; -k 20 adds it; measured are P, R, Success, F1, nDCG, RR, "
            "microP, microR, microF1 at 3, 5, 10 of gold, accusation, p50, "
        )


def test_a_measure_that_no_option_adds_is_named_with_the_nearest():
    with pytest.raises(InputError, match=r"p99\.9 is not measured; did you mean p99\? measured are P, R, "):
        parse_gate("p99.9>1s").measured(measured_names(("gold", "accusation"), default_measures((5, 10))))
    with pytest.raises(InputError, match=r"AP is not measured; measured are P, R, "):
        parse_gate("AP<1").measured(measured_names(("gold", "accusation"), default_measures((5, 10))))
    with pytest.raises(InputError, match=r"nDGC@10 is not measured; did you mean nDCG@10\? measured are P, R, "):
        parse_gate("nDGC@10<0.4").measured(measured_names(("gold",), default_measures((5, 10))))


@pytest.mark.parametrize("name", ["bogus@7", "latency", "nDCG(rel=x)@10", "nDCG"])
def test_what_is_no_measure_is_named_with_all_that_there_is(name: str):
    with pytest.raises(InputError) as refused:
        parse_gate(f"{name}<0.4").measured(measured_names(("gold",), default_measures((5, 10))))
    assert str(refused.value).startswith(f"--fail-if {name}<0.4: {name} is not measured; ")
    assert str(refused.value).endswith(
        " of gold, p50, p90, p95, p99, mean, max, errors, error_rate, queries_per_second"
    )


@pytest.mark.parametrize("name", ["zold.nDCG@10", "zold.ndcg_cut_10"])
def test_a_task_that_there_is_not_is_named_with_the_tasks(name: str):
    with pytest.raises(InputError, match=r"; there is no task zold, tasks are gold, accusation; measured are P, R, "):
        parse_gate(f"{name}<.1").measured(measured_names(("gold", "accusation"), default_measures((5, 10))))


@pytest.mark.parametrize(("text", "name"), TABLES["names"].items())
def test_what_stands_before_the_first_dot_is_a_task_only_where_the_rest_alone_is_a_measure(text: str, name: str):
    (condition,) = parse_gate(text).conditions
    assert condition.name == name


def test_a_task_is_found_in_any_case_unless_that_could_be_several():
    names = measured_names(("Brand", "price"), resolve(["nDCG@10", "P@5", "RBP"]))
    assert parse_gate("brand.ndcg_cut_10<1").measured(names) == ("Brand.nDCG@10",)
    assert parse_gate("PRICE.rbp<1").measured(names) == ("price.RBP",)
    assert parse_gate("price.P@5<1").measured([*names, "PRICE.P@5"]) == ("price.P@5",)
    with pytest.raises(InputError, match=r"Price\.P@5 is not measured"):
        parse_gate("Price.P@5<1").measured([*names, "PRICE.P@5"])


def test_what_adds_a_measure_to_a_list_is_its_name():
    names = measured_names(("gold", "brand"), resolve(["nDCG@10", "RBP"]))
    with pytest.raises(InputError, match=r"nDCG@20 is not measured; -m nDCG@20 adds it; measured are gold\.nDCG@10, "):
        parse_gate("nDCG@20<1").measured(names)
    with pytest.raises(
        InputError, match=r"brandt\.RBP is not measured; there is no task brandt, tasks are gold, brand; "
    ):
        parse_gate("brandt.RBP<1").measured(names)


def test_which_value_is_better_stands_in_the_catalog():
    estimates = [
        MeasureEstimate(task="gold", measure=name, value=1.0) for name in ("P@5", "microF1@5", "NumRet", "Judged@5")
    ]
    times = Latency(
        requests=1, attempts=1, failed_attempts=0, bytes=1, seconds=1.0, queries_per_second=1.0, mean=1.0,
        percentiles={}, max=1.0,
    )  # fmt: skip
    found = measured_numbers(estimates, times, 1, 0)
    assert [one.better for one in found[:4]] == ["higher", "higher", None, None]


def test_a_value_just_beside_the_bound_is_shown_to_be():
    sentence = failure("P@5<0.4", {"gold.P@5": 0.4 - 1e-12})
    assert sentence is not None
    assert sentence.startswith("gold.P@5 is 0.39999999")
    assert sentence.endswith(", required at least 0.4")


def test_a_value_that_is_no_number_fails_whatever_the_bound():
    assert failure("p99>1s", {"p99": math.nan}) == "p99 has no value, required at most 1000 ms"


def test_a_verdict_is_a_sentence_also_when_the_gate_passed():
    told = check(as_gates(("p99>1s", "P@5<0.1", "errors>1%")), numbers(VALUES))
    assert [one.said for one in told] == [
        "p99>1s passed with 450 ms",
        "P@5<0.1 passed with 0.6",
        "gate failed: error_rate is 0.03, required at most 0.01",
    ]


@pytest.mark.parametrize(("text", "reason"), TABLES["refused"].items())
def test_a_text_that_is_no_gate_is_refused_with_what_is_right(text: str, reason: str):
    with pytest.raises(InputError, match=r"^--fail-if ") as refused:
        parse_gate(text)
    assert reason in str(refused.value)


@given(st.text(max_size=30))
def test_any_text_is_a_gate_or_an_input_error(text: str):
    try:
        gate = parse_gate(text)
    except InputError:
        return
    assert isinstance(gate, Gate)


@given(st.floats(0, 1), st.floats(0, 1), st.sampled_from(["<", "<=", ">", ">="]))
def test_a_gate_compares_as_its_sign_says(value: float, bound: float, sign: str):
    holds = {"<": value < bound, "<=": value <= bound, ">": value > bound, ">=": value >= bound}[sign]
    assert (failure(f"P@5{sign}{bound!r}", {"gold.P@5": value}) is not None) == holds
