"""The members of `summary.json` from a record, and a record from them."""

import pytest

from benchbench.errors import InputError
from benchbench.results.old_names import Old, Part, parts, restored, written
from benchbench.results.record import Failure, GateResult, Number, Subject, counts_of, record
from benchbench.runs.run_details import OLD_NAMES

ROWS = (
    *("signature", "name", "url"),
    Old("counts", of="counts"),
    Old("labels", ("task",), "counts", ("labels",)),
    Old("failures", of="failures"),
    Old("times", names=("mean", "max")),
    Old("rates", names=("speed",)),
    Old("rates", of="counts", names=("requests",)),
    *("gates", "said"),
    Old("measures", ("task", "name"), members=("value", "low")),
)
RECORD = record(
    "kind",
    1.0,
    subject=[Subject(name="one", source="here", signature="s:1")],
    numbers=[
        Number(name="nDCG@0.5", value=0.25, low=0.125, scope={"task": "gold"}),
        Number(name="spread nDCG@0.5", value=0.5, scope={"task": "gold"}),
        *(Number(name=name, value=value) for name, value in (("max", 3.0), ("speed", 4.0), ("mean", 2.0))),
    ],
    counts=[*counts_of({"queries": 3, "requests": 2}), *counts_of({"labels": 1}, {"task": "gold"})],
    failures=[Failure(reason="lost connection", count=1)],
    gates=[
        GateResult(condition="too much", verdict="broken", said="too much"),
        GateResult(condition="max<1", verdict="passed", said="max<1 passed with 3", name="max", value=3.0, bound=1.0),
    ],
)
MEMBERS = {
    **{"signature": "s:1", "name": "one", "url": "here"},
    "counts": {"queries": 3},
    "labels": {"gold": 1},
    "failures": {"lost connection": 1},
    "times": {"mean": 2.0, "max": 3.0},
    "rates": {"speed": 4.0, "requests": 2},
    "gates": [{"gate": "max<1", "name": "max", "value": 3.0, "bound": 1.0, "failure": None, "unit": ""}],
    "said": ["so"],
    "measures": {"gold": {"nDCG@0.5": {"value": 0.25, "low": 0.125, "how": "so"}}, "other": {}},
}
DETAILS = {"said": ["so"], "measures": {"gold": {"nDCG@0.5": {"how": "so"}}, "other": {}}}


def test_members_stand_in_the_order_of_the_rows_with_what_details_say_within_them():
    found = written(ROWS, Part(RECORD), DETAILS)
    assert found == MEMBERS
    assert list(found) == list(MEMBERS)
    assert list(found["times"]) == ["mean", "max"]
    assert list(found["measures"]["gold"]["nDCG@0.5"]) == ["value", "low", "how"]


def test_a_record_of_members_makes_the_same_members():
    again = restored(ROWS, MEMBERS, "summary.json")
    assert written(ROWS, Part(again), {**DETAILS, "gates": MEMBERS["gates"]}) == MEMBERS
    assert (again.subject, again.failures) == (RECORD.subject, RECORD.failures)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"counts": {"queries": "3"}}, r"summary\.json is damaged: .*got `str`.*counts"),
        ({"measures": {"gold": {"P": {"low": 1}}}}, r"summary\.json is damaged: .*`value`"),
        ({"times": 3}, r"summary\.json is damaged: .*times"),
        ({"name": None}, r"summary\.json is damaged: .*name"),
    ],
)
def test_members_of_other_types_are_damage(changed: dict[str, object], reason: str):
    with pytest.raises(InputError, match=reason):
        restored(ROWS, MEMBERS | changed, "summary.json")


def test_a_part_has_what_is_of_it_alone_and_what_is_missing_is_damage():
    numbers = [Number(name="p99", value=value, scope={"target": name}) for name, value in (("a", 1.0), ("b", 2.0))]
    both = record("targets", 1.0, subject=[Subject(name=name, source="") for name in "ab"], numbers=numbers)
    found = parts(both, "target")
    assert {name: (part.name, part.numbers["p99"].value) for name, part in found.items()} == {
        "a": ("a", 1.0),
        "b": ("b", 2.0),
    }
    with pytest.raises(InputError, match=r"^record\.json is damaged: it has no 'p50'$"):
        _ = found["a"].numbers["p50"]
    assert list(parts(RECORD, "target")) == ["one"]


def test_the_members_of_a_run_are_those_of_version_0_1_and_later_ones():
    names = "signature name url counts unlabelled_hits queries_without_label hit_faults failures latency_ms throughput"
    later = "client gates warnings defaults measures repeats cluster clusters"
    assert list(dict.fromkeys(row if isinstance(row, str) else row.member for row in OLD_NAMES)) == [
        *names.split(),
        *later.split(),
    ]
