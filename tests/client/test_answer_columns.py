"""Usual answers become columns at once, and those that do not are unusual. Both ways agree."""

import itertools
import json
from collections.abc import Callable
from typing import Any

import orjson
import pytest
from cases import check_each, check_rows, tables
from client.answers import BODIES
from hit_lists import assert_same
from legal_labels import SCHEMA

from benchbench.client import answer_columns
from benchbench.client.answer_plan import plan_of
from benchbench.client.decode import decode_objects
from benchbench.client.describe import profile
from benchbench.client.known_labels import KnownLabels
from benchbench.client.response_layout import ResponseReading
from benchbench.formats.collection import read_collection
from benchbench.formats.datasets.locate import locate
from benchbench.formats.tiered import read_tiered
from benchbench.profile.canned_answers import answers
from benchbench.tables.hashing import text_hash
from benchbench.tables.hits import Hits
from benchbench.tables.labels import NO_LABELS, Kind, Label, LabelSchema, Vocabulary
from benchbench.tables.text_prefixes import TextPrefixes

TABLES = tables(__file__)

SOUGHT = ("甲", "an opening of 16", "\u00e9")


def read(
    body: bytes,
    queries: int = 1,
    described: ResponseReading | None = None,
    schema: LabelSchema = SCHEMA,
    top_k: int | None = None,
    sought: TextPrefixes | None = None,
) -> Hits | None:
    """Return what is read at once; it is what is read with an object for each hit."""
    plan = plan_of(described, schema)
    assert plan is not None
    prefixes = sought or TextPrefixes.of([SOUGHT] * queries)
    labels, others = Vocabulary(), Vocabulary()
    hits = answer_columns.read(body, plan, prefixes, KnownLabels(labels, schema), top_k)
    if hits is not None:
        assert_same(hits, decode_objects(body, prefixes, others, schema, described, top_k))
        assert labels.sets() == others.sets()
    return hits


def hit(**members: Any) -> dict[str, Any]:
    return {"id": "a", "score": 1.5, "text": "甲", **members}


LABELLED = hit(meta={"accusation": ["盗窃", "抢劫"], "relevant_articles": [264], "imprisonment": 8})


# What goes by columns


def test_the_answers_that_the_client_is_measured_with_go_by_columns():
    data = locate("synthetic-cases")
    assert data.collection is not None
    queries = read_tiered(data.queries.path, schema=SCHEMA)
    bodies = answers(read_collection(data.collection), 8, 20)
    assert len(bodies) > 2
    for body in bodies.values():
        for prefixes in (queries.compared_prefixes(range(8)), queries.compared_prefixes([7, *range(7)])):
            hits = read(body, 8, sought=prefixes)
            assert hits is not None
            assert (hits.counts.tolist(), len(hits.labels)) == ([20] * 8, len(SCHEMA.labels))


ONE_HIT: dict[str, Any] = {
    **{name: orjson.loads(one) for name, one in TABLES["hits"].items()},
    "a hash of the text": {"id": "a", "text_hash": f"{text_hash('甲'):016x}"},
    "a hash and a text": hit(text_hash=f"{text_hash('乙'):016x}"),
    "a hash and no text": hit(text=None, text_hash=f"{text_hash('乙'):016X}"),
    "a long id": hit(id="x" * 1000),
    "a long text": hit(text='another \t"opening" {[\\]} ' * 99),
}


def test_hits_of_any_usual_kind_go_by_columns():
    def check(one: dict[str, Any], written: Callable[[Any], bytes]) -> None:
        for lists in ([[one]], [[], [one, one], [hit()]], [[hit(), one, LABELLED], [hit(id="b")]]):
            hits = read(written(lists), len(lists))
            assert hits is not None
            assert hits.counts.tolist() == list(map(len, lists))

    check_rows(
        check,
        itertools.product(
            ONE_HIT.values(),
            [
                orjson.dumps,
                lambda value: json.dumps(value).encode(),
                lambda value: json.dumps({"took": 1, "results": value}, indent=2, ensure_ascii=False).encode(),
            ],
        ),
    )


@pytest.mark.parametrize("body", [b"[[],[]]", b'{"results":[[],[]]}', b" [ [ ] , [ ] ] "])
def test_lists_without_hits_go_by_columns(body: bytes):
    hits = read(body, 2)
    assert hits is not None
    assert_same(hits, Hits.none(2))


@pytest.mark.parametrize("top_k", [1, 2, 3, 9])
def test_hits_beyond_those_that_were_asked_for_go_by_columns_whatever_they_are(top_k: int):
    lists = [[hit(id=f"{q}.{n}") for n in range(size)] for q, size in enumerate((3, 0, 5))]
    hits = read(orjson.dumps(lists), 3, top_k=top_k)
    assert hits is not None
    assert hits.counts.tolist() == [min(top_k, 3), 0, min(top_k, 5)]
    if top_k == 1:
        lists[0][1:] = [{}, {"id": ""}, {"id": [1]}]
        assert read(orjson.dumps(lists), 3, top_k=1) is not None


BUILT_IN = {
    "elasticsearch": {"index": "cases"},
    "opensearch": {"index": "cases"},
    "qdrant": {"collection": "cases", "model": "m"},
    "azure-ai-search": {"index": "cases"},
}


@pytest.mark.parametrize("name", BUILT_IN)
def test_answers_to_the_built_in_descriptions_go_by_columns(name: str):
    bodies = BODIES[f"{name.replace('opensearch', 'elasticsearch')}.toml"]
    described = profile(name, BUILT_IN[name]).results
    found = [read(orjson.dumps(body), 2 // len(bodies), described) for body in bodies]
    hits = Hits.joined([one for one in found if one is not None])
    assert (hits.counts.tolist(), hits.ids, hits.faults) == ([2, 1], ["c1", "c2", "c3"], {})
    assert hits.text[0] == text_hash("甲")


@pytest.mark.parametrize("name", ["benchbench", "legal-agent"])
def test_the_fast_protocols_have_the_usual_answers(name: str):
    described = profile(name).results
    assert read(b'{"results":[[{"id":"a"}]]}', described=described) is not None
    assert read(b'[[{"fact_id":"a","score":0.5,"fact":"b"}]]', described=described) is not None


def test_an_answer_without_labels_that_are_asked_for_goes_by_columns():
    schema = LabelSchema(tuple(Label(kind.value, kind, (), (("x", kind.value),)) for kind in Kind))
    for one in (hit(), hit(x={}), hit(x=None), hit(x={"set": "a"}), hit(x={"flag": True, "number": "2.5"})):
        hits = read(orjson.dumps([[one, hit()]]), schema=schema)
        assert hits is not None
        assert len(hits.labels) == 3
    assert read(orjson.dumps([[LABELLED]]), schema=NO_LABELS) is not None


# What does not


def test_an_answer_with_anything_unusual_does_not_go_by_columns():
    def check(body: bytes) -> None:
        assert read(body) is None

    check_each(check, [*map(str.encode, TABLES["unusual"].values()), b'[[{"id":"a","x":"\xff"}]]'])


def test_an_answer_to_no_query_does_not_go_by_columns():
    assert read(b"[]", 0) is None


def test_a_skipped_number_beyond_all_numbers_is_no_fault_of_an_answer():
    """It is where the two ways may differ: nobody reads it."""
    plan, prefixes = plan_of(None, NO_LABELS), TextPrefixes.of([()])
    assert plan is not None
    hits = answer_columns.read(b'[[{"id":"a","x":1e999}]]', plan, prefixes, KnownLabels(Vocabulary(), NO_LABELS), None)
    assert hits is not None
    assert hits.ids == ["a"]
