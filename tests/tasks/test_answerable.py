"""Queries that no hit can be relevant for are those that lack what a task compares."""

import tempfile
from pathlib import Path
from typing import Any

import orjson
from hypothesis import given
from hypothesis import strategies as st
from naive_rules import can_be_relevant

from benchbench.formats.tiered import read_tiered
from benchbench.tables.queries import Queries
from benchbench.tasks.answerable import lacking
from benchbench.tasks.compiled import compiled
from benchbench.tasks.defined import legal_cases
from benchbench.tasks.reading import parse_tasks

Record = dict[str, Any]

TASKS = parse_tasks(
    [
        "equal=equal(kind)",
        "share=overlap(tags, least=2)",
        "alike=overlap(tags, least=2, jaccard=0.5)",
        "above=contains(tags)",
        "price=within(price, relative=0.2, same=['kind'])",
        "term=within(price, absolute=1, unless=['dead', 'alive'])",
        "passage=span(spans, least=3)",
    ]
)
SPAN = st.builds(lambda start, length: {"file": "f", "start": start, "end": start + length}, *(st.integers(0, 5),) * 2)
QUERIES = st.fixed_dictionaries(
    {"text": st.just("text")},
    optional={
        "kind": st.sampled_from(["a", "", [], None, ["a", "b"]]),
        "tags": st.lists(st.sampled_from(["a", "b", " "]), max_size=3),
        "price": st.sampled_from([None, 0, 1.5, "2"]),
        "dead": st.booleans(),
        "alive": st.sampled_from([0, 1, None]),
        "spans": st.lists(SPAN, max_size=2),
    },
)


def read(folder: Path, *records: Record, **options: Any) -> Queries:
    path = folder / "tiered.jsonl"
    path.write_bytes(b"\n".join(map(orjson.dumps, records)))
    return read_tiered(path, **options)


@given(st.lists(QUERIES, min_size=1, max_size=6))
def test_they_are_those_of_the_naive_twin(queries: list[Record]) -> None:
    tasks = compiled(TASKS)
    with tempfile.TemporaryDirectory() as folder:
        found = read(Path(folder), *({"query": query} for query in queries), schema=tasks.schema)
    expected = [sum(not can_be_relevant(task, query) for query in queries) for task in TASKS]
    assert lacking(tasks, found).tolist() == expected


def test_a_query_without_a_positive_of_the_grade_has_no_judgments(tmp_path: Path) -> None:
    tasks = compiled(parse_tasks(["gold=judgments()", "strict=judgments(rel=5)", "never=judgments(rel=6)"]))
    queries = read(
        tmp_path,
        {"query": {"text": "a"}, "positives": [{"text": "x", "tier": 3}, {"text": "y", "tier": 1}]},
        {"query": {"text": "b"}},
        {"query": {"text": "c"}, "positives": [{"text": "x", "tier": 2}]},
        {"query": {"text": "d"}, "positives": [{"text": " d"}]},
    )
    assert lacking(tasks, queries).tolist() == [2, 3, 4]


def test_a_case_with_a_flag_and_without_months_can_have_relevant_ones(tmp_path: Path) -> None:
    tasks = compiled(legal_cases())
    queries = read(
        tmp_path,
        {"query": {"fact": "a", "meta": {"accusation": ["[盗窃]"], "term_of_imprisonment": {"death_penalty": True}}}},
        {"query": {"fact": "b", "articles": ["264"], "imprisonment": 8}},
        {"query": {"fact": "c", "imprisonment": {"death_penalty": False}}},
        schema=tasks.schema,
    )
    assert lacking(tasks, queries).tolist() == [3, 2, 2, 1]
