"""Which answers have a plan, and where the lists of hits of an answer are."""

import orjson
import pytest

from benchbench.client.answer_plan import plan_of
from benchbench.client.describe import DESCRIBED, profile
from benchbench.client.jmespath_fields import FieldPath, JoinedPath
from benchbench.client.response_layout import ResponseLayout
from benchbench.tables.labels import NO_LABELS, Kind, Label, LabelSchema, Path

BRAND = LabelSchema((Label("brand", Kind.SET, (), (("brand",), ("meta", "brand"))),))


def labels(*paths: str) -> LabelSchema:
    """Return the schema of one label, with alternatives such as `meta.brand`."""
    return LabelSchema((Label("any", Kind.SET, (), tuple(tuple(path.split(".")) for path in paths)),))


def layout(lists: str | None = "r", hits: str = "h", **members: str) -> ResponseLayout:
    paths = {name: FieldPath(path) for name, path in members.items()}
    return ResponseLayout(FieldPath(hits), None if lists is None else FieldPath(lists), paths)


def beginnings(body: bytes, queries: int = 1, described: ResponseLayout | None = None) -> list[bytes] | None:
    """Return what stands where lists of hits begin."""
    plan = plan_of(described, NO_LABELS)
    assert plan is not None
    found = plan.lists.find(body, queries)
    return None if found is None else [body[place : place + 4] for place in found.tolist()]


# What has a plan


@pytest.mark.parametrize("name", DESCRIBED)
def test_every_description_that_is_built_in_has_a_plan(name: str):
    given = {"azure-ai-search": {"index": "i"}, "qdrant": {"collection": "c", "model": "m"}}
    described = profile(name, given.get(name, {"index": "i"})).results
    for schema in (NO_LABELS, BRAND):
        plan = plan_of(described, schema)
        assert plan is not None
        assert [len(rows) for rows in plan.labels] == [2] * len(schema.labels)
        assert plan.lists.together is False


def test_the_usual_answer_has_a_plan_that_looks_for_every_usual_name():
    plan = plan_of(None, BRAND)
    assert plan is not None
    assert {name: len(rows) for name, rows in plan.fields.items()} == {"id": 4, "score": 1, "text": 5, "text_hash": 1}
    rows = [row for its in (*plan.fields.values(), *plan.labels) for row in its]
    assert sorted(rows) == list(range(plan.rows))
    assert plan.lists.together
    assert plan.names.tobytes().count(b"brand") == 2


@pytest.mark.parametrize(
    "described",
    [
        layout(hits="h[?x]"),
        layout(lists="zip(a, b)"),
        layout(id="x[0]"),
        layout(brand="tags[].name"),
        ResponseLayout(FieldPath("h"), FieldPath("r"), {"id": JoinedPath((FieldPath("a"), FieldPath("b")), "#")}),
        layout(lists=None, hits="not_null(results, hits, @)[]"),
    ],
)
def test_a_place_that_takes_more_than_names_has_none(described: ResponseLayout):
    assert plan_of(described, NO_LABELS) is None


@pytest.mark.parametrize(
    ("described", "schema"),
    [
        (layout(text="body"), labels("content")),  # a hit has such a member where it has no `body`
        (layout(id="docid"), labels("brand", "_id")),
        (layout(id="a", doc_id="b"), NO_LABELS),
        (layout(id="a", score="a.b"), NO_LABELS),  # an object is no id, and yet holds the score
        (None, labels("id.brand")),
        (None, LabelSchema((*labels("a").labels, *labels("a.b").labels))),
        (layout(id="@"), NO_LABELS),
    ],
)
def test_a_member_that_depends_on_another_has_none(described: ResponseLayout | None, schema: LabelSchema):
    assert plan_of(described, schema) is None


@pytest.mark.parametrize("name", ['a"b', "a\\b", "a\nb", ""])
def test_a_name_that_json_writes_otherwise_has_none(name: str):
    paths: tuple[Path, ...] = ((name,),)
    assert plan_of(None, LabelSchema((Label("any", Kind.SET, (), paths),))) is None


@pytest.mark.parametrize("schema", [labels("a", "a.b"), labels("a.b", "a.c"), labels("meta.x", "x"), labels("甲.é")])
def test_alternatives_that_go_through_one_another_have_a_plan(schema: LabelSchema):
    plan = plan_of(None, schema)
    assert plan is not None
    assert len(set(plan.labels[0])) == len(schema.labels[0].hit)


def test_a_plan_is_made_once():
    assert plan_of(layout(id="a"), BRAND) is plan_of(layout(id="a"), BRAND)


# Where lists begin


@pytest.mark.parametrize(
    "body",
    [
        b'[[{"a":1}],[]]',
        b' \r\n\t[[{"a":1}],[]] ',
        b'{"results":[[{"a":1}],[]]}',
        b'{"took":{"results":[[7]]},"results": [[{"a":1}],[]] , "more": "[["}',
        b'{"results":[[0]],"results":[[{"a":1}],[]]}',
        '{"甲":"\\n\\ud83d\\ude00","results":[[{"a":1}],[]]}'.encode(),
    ],
)
def test_lists_of_the_usual_answer_stand_together(body: bytes):
    assert beginnings(body, 2) == [b'[[{"']


def test_elements_of_a_described_answer_have_a_list_each():
    body = b'{"r": [{"h": [1], "x": {"h": [9]}}, {"x": "]", "h":[ 22]}, {"h": {}, "h": [3]}]}'
    assert beginnings(body, 3, layout()) == [b"[1],", b"[ 22", b"[3]}"]
    assert beginnings(body, 2, layout()) is None
    nested = b'{"a":{"r":[{"h":{"h":[1] }},{"h":{"h":[2] }}]}}'
    assert beginnings(nested, 2, layout("a.r", "h.h")) == [b"[1] ", b"[2] "]
    assert beginnings(b"[[1],[2]]", 2, layout("@", "@")) == [b"[[1]"]
    assert beginnings(b'{"h":[1]}', 1, layout(None, "h")) == [b"[1]}"]
    assert beginnings(b'{"h":[1]}', 2, layout(None, "h")) is None
    assert beginnings(b'[{"h":[1]},{"h":[2]}]', 2, layout("@", "h")) == [b"[1]}", b"[2]}"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"<html>",
        b'[[{"id": "a"',
        b"[[]] x",
        b'{"results":[[]]',
        b'{"other":[[]]}',
        b"{}",
        b"7",
        b'"results"',
        b"null",
        b"[" * 100_000,
        b'{"results":[[NaN]]}',
        b"[[{'a':1}]]",
        b'{"results":[[],]}',
    ],
)
def test_what_is_no_json_or_has_another_shape_has_no_lists(body: bytes):
    assert beginnings(body) is None


@pytest.mark.parametrize("answer", [{"r": None}, {"r": {"h": []}}, {"r": [None]}, {"r": [{"x": []}]}, {"r": []}, []])
def test_an_answer_that_is_not_as_described_has_no_lists(answer: object):
    assert beginnings(orjson.dumps(answer), 1, layout()) is None
