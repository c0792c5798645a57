"""A record as the header of a run file: YAML that any reader takes, and nothing that is not known."""

import json
import re
from typing import Any

from any_result import records
from hypothesis import given

from benchbench.results.ir_metadata import header, metadata
from benchbench.results.record import Data, Environment, Number, Record, Subject, record

MADE = record(
    "run",
    1.0,
    name="bm25",
    subject=[Subject(name="our service", source="http://127.0.0.1/search")],
    data=Data(name="cases", digest="1f", queries=12, documents=28),
    signature="tasks:gold",
    environment=Environment(
        versions={"benchbench": "0.2", "python": "3.11"},
        host={"system": "Linux", "machine": "x86_64", "cpus": 2},
        command=["run", "--dataset", "cases"],
    ),
    numbers=[
        Number(name="nDCG@10", value=0.5, scope={"task": "gold"}),
        Number(name="nDCG@10", value=0.4, scope={"task": "article"}),
        Number(name="RR", value=0.4, scope={"slice": "long"}),
        Number(name="p99", value=12.0, unit="ms"),
    ],
)


def parsed(lines: list[str]) -> dict[str, Any]:
    """Return the values of a header: mappings by their indentation, all else is JSON, which YAML includes."""
    value: dict[str, Any] = {}
    open_: list[dict[str, Any]] = [value]
    for line in lines:
        match = re.fullmatch(r"((?:  )*)([a-z][a-z ]*):(?: (.+))?", line)
        assert match, line
        depth, (name, said) = len(match[1]) // 2, match.group(2, 3)
        assert name not in open_[depth]
        open_[depth][name] = {} if said is None else json.loads(said)
        open_[depth + 1 :] = [open_[depth][name]]
    return value


def lines_of(given_record: Record) -> list[str]:
    lines = header(given_record).split("\n")
    assert lines.pop() == ""
    assert all(line.startswith("# ") for line in lines), "comments in every line"
    assert (lines[0], lines[-1]) == ("# ir_metadata.start", "# ir_metadata.end")
    return [line.removeprefix("# ") for line in lines[1:-1]]


def test_the_header_has_what_the_schema_has_a_place_for():
    found = parsed(lines_of(MADE))
    assert found == metadata(MADE)
    assert list(found) == ["schema version", "tag", "platform", "implementation", "method", "research goal", "data"]
    assert found["implementation"] == {
        "executable": {"cmd": "benchbench run --dataset cases"},
        "source": {"service": "http://127.0.0.1/search"},
    }
    assert found["method"] == {"automatic": True, "name": "our service"}
    assert found["research goal"]["evaluation"]["reported measures"] == ["nDCG@10"]
    assert found["data"]["test collection"] == {"name": "cases", "digest": "1f", "topics": 12, "documents": 28}


@given(records)
def test_whatever_a_record_has_the_header_is_yaml_and_its_lines_are_visible(given_record: Record):
    lines = lines_of(given_record)
    assert parsed(lines) == metadata(given_record)
    assert all(line.isprintable() or re.sub(r"[\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]", "", line).isprintable()
               for line in lines)  # fmt: skip


def test_what_a_record_does_not_know_is_left_out():
    found = metadata(record("score", 1.0))
    assert set(found) == {"schema version", "implementation", "method", "research goal"}
    assert found["implementation"] == {"executable": {"cmd": "benchbench"}}


def test_a_run_of_several_services_names_none_as_its_method():
    several = [Subject(name=name, source=name) for name in ("old", "new")]
    found = metadata(record("run", 1.0, name="both", subject=several))
    assert found["method"]["name"] == "both"
    assert "source" not in found["implementation"]
