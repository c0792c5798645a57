"""Gates on scores: what they may name is known before anything is asked."""

import pytest

from benchbench.errors import InputError
from benchbench.results.record import Number
from benchbench.scores.gates import check_gates, parse_gates

UNITS = {"faithfulness": "", "latency": "s", "errors": ""}


@pytest.mark.parametrize("name", ["relevance", "Δ faithfulness", "p faithfulness"])
def test_what_is_not_measured_is_refused_with_what_is(name: str):
    with pytest.raises(InputError, match=f"{name} is not measured.* faithfulness"):
        parse_gates(f"{name}<0.5", UNITS, "'faithfulness<0.5'")


@pytest.mark.parametrize("text", ["faithfulness<0.5", "low faithfulness<0.5", "errors>1", "latency>20ms"])
def test_a_number_its_low_end_and_a_time_are_taken(text: str):
    (gate,) = parse_gates(text, UNITS, "")
    assert gate.text == text


def test_a_gate_on_a_number_that_has_no_value_in_the_end_fails():
    gates = parse_gates(["faithfulness<0.5", "latency>1s"], UNITS, "")
    passed, failed = check_gates(gates, lambda: [Number(name="faithfulness", value=0.6)], UNITS)
    assert (passed.verdict, failed.verdict) == ("passed", "failed")
    assert "latency has no value" in failed.said
