import pytest
from cases import check_rows
from hypothesis import given
from hypothesis import strategies as st

from benchbench.errors import InputError
from benchbench.results.gates import Condition, Gate, as_gates, kind_and_name, parse_gate

TESTS = ("t", "wilcoxon")
NAMES = {"nDCG@10": "", "RR": "", "p99": "ms", "latency": "s", "errors": "", "error_rate": "", "speed": "queries/s"}


def named(name: str) -> tuple[str, str]:
    if name not in NAMES:
        raise InputError(f"there is no {name}")
    return name, NAMES[name]


def conditions(text: str) -> list[tuple[str, str, str, float, str]]:
    return [
        (one.kind, one.name, one.sign, one.bound, one.unit) for one in parse_gate(text, named, tests=TESTS).conditions
    ]


def test_a_gate_is_conditions_joined_by_and():
    def check(text: str, expected: list[tuple[str, str, str, float, str]]) -> None:
        assert conditions(text) == expected

    check_rows(
        check,
        [
            ("nDCG@10<0.4", [("", "nDCG@10", "<", 0.4, "")]),
            (" nDCG@10 <= 40 % ", [("", "nDCG@10", "<=", 40.0, "%")]),
            ("p99>300ms", [("", "p99", ">", 300.0, "ms")]),
            ("latency >= 2 s", [("", "latency", ">=", 2.0, "s")]),
            ("errors>0", [("", "errors", ">", 0.0, "")]),
            ("errors>1%", [("", "error_rate", ">", 1.0, "%")]),
            ("speed<1e3", [("", "speed", "<", 1000.0, "")]),
            ("Δ nDCG@10 < -0.01", [("Δ", "nDCG@10", "<", -0.01, "")]),
            ("∆nDCG@10<-1%", [("Δ", "nDCG@10", "<", -1.0, "%")]),
            ("delta RR<0", [("Δ", "RR", "<", 0.0, "")]),
            ("d RR<0", [("Δ", "RR", "<", 0.0, "")]),
            ("Δ p99 > 5ms", [("Δ", "p99", ">", 5.0, "ms")]),
            ("low RR<.5 and HIGH nDCG@10<+1", [("low", "RR", "<", 0.5, ""), ("high", "nDCG@10", "<", 1.0, "")]),
            ("p RR<5%", [("p", "RR", "<", 5.0, "%")]),
            ("Δ RR<0 AND P<0.05", [("Δ", "RR", "<", 0.0, ""), ("p", "RR", "<", 0.05, "")]),
            ("P_t < .1 and p_wilcoxon RR<1", [("p_t", "RR", "<", 0.1, ""), ("p_wilcoxon", "RR", "<", 1.0, "")]),
            ("p<0.05 and Δ p99>1ms", [("p", "p99", "<", 0.05, ""), ("Δ", "p99", ">", 1.0, "ms")]),
            ("p99>1s and errors>1%", [("", "p99", ">", 1.0, "s"), ("", "error_rate", ">", 1.0, "%")]),
        ],
    )


def test_what_is_no_gate_is_refused_with_what_is_right():
    def check(text: str, reason: str) -> None:
        with pytest.raises(InputError, match=r"^--fail-if ") as refused:
            parse_gate(text, named, tests=TESTS)
        assert reason in str(refused.value)

    check_rows(
        check,
        [
            ("", "is not name, comparison and bound, as in 'nDCG@10<0.4' or 'p99>300ms'"),
            ("nDCG@10", "is not name, comparison and bound"),
            ("nDCG@10==0.4", "is not name, comparison and bound"),
            ("nDCG@10 = 0.4", "is not name, comparison and bound"),
            ("nDCG@10<high", "is not name, comparison and bound"),
            ("nDCG@10<nan", "is not name, comparison and bound"),
            ("nDCG@10<4 MB", "is not name, comparison and bound"),
            ("nDCG@10<0.4 or RR<0.4", "is not name, comparison and bound"),
            ("nDCG@10<0.4 and", "is not name, comparison and bound"),
            ("RR<1 and and nDCG@10<0.4", "there is no and nDCG@10"),
            ("nDCG@10<" + "9" * 500, "is not name, comparison and bound"),
            ("nDCG@10<1e999", "the bound is a number from "),
            ("p99>300", "p99 is a time; write p99>300ms, or s"),
            ("latency>3%", "latency is a time"),
            ("low p99>3", "low p99 is a time; write low p99>3ms, or s"),
            ("p p99>3ms", "p p99 is not measured in ms"),
            ("nDCG@10<4ms", "nDCG@10 is not measured in ms"),
            ("errors>1s", "errors is not measured in s"),
            ("speed<4%", "speed is not measured in %"),
            ("speed<4s", "speed is not measured in s"),
            ("AP<0.4", "there is no AP"),
            ("p_z RR<0.4", "there is no p_z RR"),
            ("p < 0.05", "name the measure, as in 'p nDCG@10 < 0.05'"),
            ("Δ < 0", "name the measure, as in 'Δ nDCG@10 < 0.05'"),
            ("Δ nDCG@10 < 0 and Δ RR < 0 and p < 0.05", "name the measure"),
        ],
    )


def test_a_measure_may_be_called_as_a_kind_is():
    (one,) = parse_gate("low<0.5", lambda name: (name, "") if name == "low" else named(name)).conditions
    assert one == Condition("", "low", "<", 0.5, "")


def test_a_gate_on_what_is_not_measured_says_what_is():
    gate = parse_gate("Δ RR < 0 and p < 0.05", named)
    with pytest.raises(InputError, match=r"^--fail-if Δ RR < 0 and p < 0\.05: Δ RR is not measured; .*gold\.RR"):
        gate.measured(["gold.RR", "p99"])
    with pytest.raises(InputError, match=r"p RR is not measured; did you mean (.*\bRR)\?"):
        gate.measured(["RR", "Δ RR"])


@pytest.mark.parametrize(
    ("text", "names", "meant"),
    [
        ("P@5<1", ["P@5", "gold.P@5"], "P@5"),
        ("P@5<1", ["article.P@5", "gold.P@5"], "gold.P@5"),
        ("P@5<1", ["article.P@5", "p99", "Δ charge.P@5"], "article.P@5"),
        ("charge.P@5<1", ["article.P@5", "charge.P@5"], "charge.P@5"),
        ("Δ P@5<1", ["gold.P@5", "Δ article.P@5"], "Δ article.P@5"),
        ("p P@5<1", ["p_t P@5", "p gold.P@5"], "p gold.P@5"),
        ("low P@5<1", ["gold.P@5", "p99"], "gold.P@5"),
        ("high P@5<1", ["gold.P@5", "Δ gold.P@5"], "Δ gold.P@5"),
    ],
)
def test_a_name_without_a_task_is_golds_or_that_of_the_only_task(text: str, names: list[str], meant: str):
    assert parse_gate(text).measured(names) == (meant,)


@pytest.mark.parametrize("kind", ["", "Δ ", "p "])
def test_a_name_that_several_tasks_have_is_refused(kind: str):
    names = [f"{kind}article.P@5", f"{kind}charge.P@5"]
    with pytest.raises(InputError, match=r"P@5 is measured for several tasks; name one of article\.P@5, charge\.P@5$"):
        parse_gate(f"{kind}P@5<1").measured(names)


def test_gates_may_be_texts_one_or_several():
    one = parse_gate("RR<1")
    assert as_gates("RR<1") == as_gates(["RR<1"]) == as_gates(one) == as_gates((one,)) == (one,)
    assert as_gates(()) == ()


@pytest.mark.parametrize("given", [3, None, [3], [None], [b"RR<1"]])
def test_what_is_neither_text_nor_gate_is_refused(given):
    with pytest.raises(InputError, match=r"and (is )?not of type "):
        as_gates(given)


def test_the_name_of_a_number_has_a_kind_and_a_measure():
    assert [kind_and_name(name) for name in ("Δ gold.P@5", "p RR", "p_t RR", "p99", "P(rel=2)@5")] == [
        ("Δ", "gold.P@5"),
        ("p", "RR"),
        ("p_t", "RR"),
        ("", "p99"),
        ("", "P(rel=2)@5"),
    ]


KINDS = ["Δ", "∆", "delta", "d", "low", "high", "p", "p_t", "p_z"]
OTHERS = ["RR", "p99", "errors", "and", "<", ">=", "1", "-.5e3", "%", "ms", "s", " ", "\n", "\u00a0", "1e400", "٣"]
WORDS = st.lists(st.sampled_from(KINDS + OTHERS), max_size=12)
STATED = st.builds(
    "{} {}{}{}{}".format, *map(st.sampled_from, (KINDS, [*NAMES], ["<", ">="], ["1", "-.5"], ["", "%", "s"]))
)


@given(st.one_of(st.text(max_size=30), WORDS.map(" ".join), WORDS.map("".join), st.lists(STATED).map(" and ".join)))
def test_any_text_is_a_gate_or_an_input_error(text: str):
    for how in (named, None):
        try:
            gate = parse_gate(text, how, tests=TESTS)
        except InputError:
            continue
        assert isinstance(gate, Gate)
        assert all(abs(one.bound) <= 1e15 for one in gate.conditions)
