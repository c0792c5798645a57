import operator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.errors import InputError
from benchbench.results.checks import check, members, observed
from benchbench.results.gates import Gate, parse_gate
from benchbench.results.record import GateResult, Number

PAIR = {"baseline": "a", "system": "b"}


def number(name: str, value: float | None, unit: str = "", low: float | None = None, **scope: str) -> Number:
    return Number(name=name, value=value, unit=unit, low=low, scope=scope)


def said(text: str, *numbers: Number) -> list[str]:
    return [one.said for one in check([parse_gate(text, tests=("t",))], numbers)]


def test_without_a_scope_a_gate_is_checked_once():
    (one,) = check([parse_gate("P@5<0.6")], [number("P@5", 0.5, task="gold"), number("p99", 3.0, "ms")])
    assert one == GateResult(
        condition="P@5<0.6",
        verdict="failed",
        said="gate failed: gold.P@5 is 0.5, required at least 0.6",
        name="gold.P@5",
        value=0.5,
        bound=0.6,
    )


def test_a_bound_is_in_the_unit_of_the_value():
    (slow,) = check([parse_gate("p99>0.45s")], [number("p99", 900.0, "ms")])
    assert (slow.value, slow.bound, slow.unit) == (900.0, 450.0, "ms")
    assert slow.said == "gate failed: p99 is 900 ms, required at most 450 ms"
    assert said("latency>900ms", number("latency", 1.0, "s")) == ["gate failed: latency is 1 s, required at most 0.9 s"]
    assert said("errors>=50%", number("error_rate", 0.5)) == ["gate failed: error_rate is 0.5, required below 0.5"]


@pytest.mark.parametrize("text", ["p99>3", "RR<3ms", "speed<3%"])
def test_a_unit_in_which_a_number_is_not_measured_is_refused(text: str):
    numbers = [number("p99", 1.0, "ms"), number("RR", 1.0), number("speed", 1.0, "queries/s")]
    with pytest.raises(InputError, match=rf"^--fail-if {text}: "):
        check([parse_gate(text)], numbers)


def test_each_group_is_checked_and_named():
    numbers = [number("p99", value, "ms", target=target) for target, value in (("new", 9.0), ("old", 90.0))]
    assert said("p99>50ms", *numbers) == [
        "new: p99>50ms passed with 9 ms",
        "old: gate failed: p99 is 90 ms, required at most 50 ms",
    ]
    found = check([parse_gate("p99>50ms")], numbers)
    assert [one.about for one in found] == ["new", "old"]
    assert [one.outcome for one in found] == [
        "p99>50ms passed with 9 ms",
        "failed: p99 is 90 ms, required at most 50 ms",
    ]
    assert [one.failure for one in found] == [None, "p99 is 90 ms, required at most 50 ms"]


def test_the_narrowest_groups_are_checked_and_see_what_is_wider():
    numbers = [
        number("p99", 1.0, "ms"),
        number("best", 70.0),
        number("p99", 2.0, "ms", step="10/s"),
        number("p99", 3.0, "ms", step="20/s"),
        number("p99", 4.0, "ms", step="20/s", slice="long"),
    ]
    assert said("p99>0ms", *numbers) == [
        "10/s: gate failed: p99 is 2 ms, required at most 0 ms",
        "20/s: gate failed: p99 is 3 ms, required at most 0 ms",
    ]
    assert said("p99>0ms and best<80", *numbers) == [
        f"{step}: gate failed: p99 is {time} ms and best is 70, required p99 at most 0 ms or best at least 80"
        for step, time in (("10/s", 2), ("20/s", 3))
    ]


def test_what_is_of_no_step_is_checked_once():
    numbers = [number("best", 70.0), number("p99", 2.0, "ms", step="10/s"), number("p99", 3.0, "ms", step="20/s")]
    assert said("best<80", *numbers) == ["gate failed: best is 70, required at least 80"]


def test_a_pair_sees_the_mean_of_its_system_and_ends_are_those_of_the_difference():
    numbers = [
        number("RR", 0.5, low=0.4, system="a"),
        number("RR", 0.3, low=0.2, system="b"),
        number("Δ RR", -0.2, low=-0.3, **PAIR),
        number("p RR", 0.01, **PAIR),
        number("p_t RR", 0.5, **PAIR),
        number("p99", 7.0, "ms", system="b", step="10/s"),
        number("RR", 0.1, system="b", step="10/s"),
    ]
    assert said("RR<0.4", *numbers) == ["gate failed: b against a: RR is 0.3, required at least 0.4"]
    assert said("low RR<-0.25", *numbers) == ["gate failed: b against a: low RR is -0.3, required at least -0.25"]
    assert said("Δ RR<0 and p<0.05", *numbers) == [
        "gate failed: b against a: Δ RR is -0.2 and p RR is 0.01, required Δ RR at least 0 or p RR at least 0.05"
    ]
    (passed,) = check([parse_gate("Δ RR<0 and p_t<0.05", tests=("t",))], numbers)
    assert passed.said == passed.outcome == "b: Δ RR<0 and p_t<0.05 passed"
    assert (passed.name, passed.value, passed.bound, passed.about) == ("p_t RR", 0.5, 0.05, "b against a")
    assert said("p99>1ms", *numbers) == ["b, 10/s: gate failed: p99 is 7 ms, required at most 1 ms"]


def test_an_end_of_an_interval_has_the_unit_and_the_task_of_its_number():
    assert said("low p99>1s", number("p99", 3e3, "ms", low=2e3)) == [
        "gate failed: low p99 is 2000 ms, required at most 1000 ms"
    ]
    assert said("low RR<0.5", number("RR", 0.7, low=0.4, task="gold")) == [
        "gate failed: low gold.RR is 0.4, required at least 0.5"
    ]


@pytest.mark.parametrize("value", [None, float("nan"), float("inf")])
def test_what_has_no_value_fails_whatever_the_bound(value: float | None):
    assert said("p99>1s", number("p99", value, "ms")) == ["gate failed: p99 has no value, required at most 1000 ms"]


def test_a_value_just_beside_the_bound_is_shown_to_be():
    (one,) = said("RR<0.4", number("RR", 0.4 - 1e-12))
    assert one.startswith("gate failed: RR is 0.39999999")


def test_a_gate_that_nothing_has_is_refused_with_what_there_is():
    numbers = [number("p99", 1.0, "ms", target="a"), number("RR", 1.0, target="b")]
    with pytest.raises(InputError, match=r"^--fail-if AP<1: AP is not measured; measured are p99, RR$"):
        check([parse_gate("AP<1")], numbers)
    with pytest.raises(InputError, match=r"^--fail-if p99>1s and RR<1: "):
        check([parse_gate("p99>1s and RR<1")], numbers)
    with pytest.raises(InputError, match="measured are none"):
        check([parse_gate("AP<1")], [])
    assert check([], numbers) == []


def test_what_a_condition_meets_can_be_told_without_a_verdict():
    fast, clean = observed(parse_gate("p99<1s and errors<1"), [number("p99", 5.0, "ms"), number("errors", None)])
    assert (fast.name, fast.value, fast.unit, fast.holds) == ("p99", 5.0, "ms", True)
    assert (clean.name, clean.value, clean.unit, clean.holds) == ("errors", None, "", True)


def test_the_members_of_0_1_are_there_in_their_order():
    (one,) = check([parse_gate("p99>1s")], [number("p99", 2e3, "ms", step="10/s")])
    assert [*members(one).items()] == [
        ("gate", "p99>1s"),
        ("name", "p99"),
        ("value", 2e3),
        ("bound", 1e3),
        ("failure", "p99 is 2000 ms, required at most 1000 ms"),
        ("unit", "ms"),
    ]
    (one,) = check([parse_gate("Δ RR<0")], [number("Δ RR", 0.5, **PAIR)])
    assert [*members(one).items()] == [("gate", "Δ RR<0"), ("failure", None), ("baseline", "a"), ("system", "b")]


OTHERS = ("article", "charge")
GROUPS: list[dict[str, str]] = [
    {},
    {"target": "x"},
    {"target": "y"},
    {"system": "b"},
    {"system": "b", "target": "x"},
    {"step": "1", "target": "x"},
    PAIR,
    {**PAIR, "target": "x"},
    {"slice": "long"},
]
SCOPES = st.builds(
    lambda group, task: {**group, **({"task": task} if task else {})},
    st.sampled_from(GROUPS),
    st.sampled_from(["", "", "", "gold", *OTHERS]),
)
NUMBERS = st.builds(
    lambda name, value, low, scope: Number(name=name, value=value, low=low, scope=scope),
    st.sampled_from(["RR", "RR", "Δ RR", "AP"]),
    st.one_of(st.none(), st.integers(-2, 2).map(float)),
    st.one_of(st.none(), st.integers(-2, 2).map(float)),
    SCOPES,
)
CONDITIONS = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "", "Δ ", "low "]),
    st.sampled_from(["RR", "RR", "AP", "article.RR"]),
    st.sampled_from(["<", "<=", ">", ">="]),
    st.integers(-2, 2),
)


def naive(gate: Gate, numbers: list[Number]) -> list[tuple[dict[str, str], bool]]:
    """Return the groups that a gate is checked in, and whether it fails there, by going through everything."""
    numbers = [one for one in numbers if "slice" not in one.scope]
    bare = [{key: value for key, value in one.scope.items() if key != "task"} for one in numbers]
    groups = [scope for at, scope in enumerate(bare) if scope not in bare[:at]]
    there: list[tuple[dict[str, str], set[str], bool]] = []
    for group in groups:
        seen = [at for at, scope in enumerate(bare) if all(group.get(key) == value for key, value in scope.items())]
        met = [_met(one, [(numbers[at], bare[at]) for at in seen]) for one in gate.conditions]
        if None not in met:
            held = all(value is None or compare(value, bound) for value, compare, bound, _ in met)  # type: ignore[misc]
            there.append((group, {key for *_, keys in met for key in keys}, held))  # type: ignore[misc]
    pair = {"baseline", "system"}
    pairs = [each for each in there if pair <= each[0].keys() and each[0].keys() == each[1] | pair]
    alone = [each for each in there if each[0].keys() == each[1]]
    chosen = pairs or alone or there
    most = max((len(group) for group, _, _ in chosen), default=0)
    return [(group, held) for group, _, held in chosen if len(group) == most]


def _of(seen: list[tuple[Number, dict[str, str]]], kind: str, wanted: str) -> list[tuple[Number, dict[str, str]]]:
    task, _, name = wanted.rpartition(".")
    return [(one, scope) for one, scope in seen if one.name == kind + name and one.scope.get("task", "") == task]


def _met(condition: Any, seen: list[tuple[Number, dict[str, str]]]) -> tuple[Any, Any, float, set[str]] | None:
    compare = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}[condition.sign]
    kinds = {"low": ["Δ ", ""], "": [""]}.get(condition.kind, [f"{condition.kind} "])
    for kind in kinds:
        named = {task: _of(seen, kind, f"{task}.{condition.name}".lstrip(".")) for task in ("", "gold", *OTHERS)}
        of_others = [named[task] for task in OTHERS if named[task]]
        hits = named[""] or named["gold"] or (of_others[0] if of_others else [])
        if not (named[""] or named["gold"]) and len(of_others) > 1:
            return None
        if hits:
            one, scope = max(hits, key=lambda hit: len(hit[1]))
            return one.low if condition.kind == "low" else one.value, compare, condition.bound, set(scope)
    return None


@given(st.lists(CONDITIONS, min_size=1, max_size=2).map(" and ".join), st.lists(NUMBERS, min_size=2, max_size=10))
def test_check_agrees_with_going_through_everything(text: str, numbers: list[Number]):
    gate = parse_gate(text)
    expected = naive(gate, numbers)
    try:
        found = [(one.scope, one.verdict == "failed") for one in check([gate], numbers)]
    except InputError:
        found = []
    assert found == expected
