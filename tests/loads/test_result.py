import math

import pytest

from benchbench.loads.result import Step
from benchbench.loads.step import Load
from benchbench.measures.gates import as_gates, parse_gate

VALUES = {"p99": 120.5, "errors": 0.0, "error_rate": 0.0, "failed_requests": 0.0, "asked.gold.nDCG@10": 0.5}


def step(limit: str | None = None, **values: float) -> Step:
    load = Load(4, 20.0, 64, 0.0, 1.0, 60.0, "constant", 1)
    return Step(load, VALUES | values | {"answered.gold.nDCG@10": 0.9}, {}, {}, limit, None)


@pytest.mark.parametrize(
    ("condition", "values", "reasons"),
    [
        ("p99<200ms", {}, ()),
        ("p99<0.1s", {}, ("p99 is 120.5 ms",)),
        ("p99<200ms and nDCG@10>0.4", {}, ()),
        ("p99<200ms and nDCG@10>0.6", {}, ("gold.nDCG@10 is 0.5",)),
        ("p99<100ms and nDCG@10>0.6", {}, ("p99 is 120.5 ms", "gold.nDCG@10 is 0.5")),
        ("p99<200ms", {"p99": math.nan}, ("p99 is nan ms",)),
        ("p99<200ms", {"failed_requests": 3.0}, ("3 requests failed",)),
    ],
)
def test_a_step_breaks_a_condition_by_each_part_that_does_not_hold(condition: str, values, reasons: tuple[str, ...]):
    assert step(**values).breaks(parse_gate(condition)) == reasons
    assert step("busy", **values).breaks(parse_gate(condition)) == (*reasons, "the client did not keep up")


def test_gates_of_a_step_are_about_all_queries_asked():
    assert step().check(as_gates("nDCG@10<0.6"))[0].failure == "gold.nDCG@10 is 0.5, required at least 0.6"
