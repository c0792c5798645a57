"""Which answers have a plan, and where the lists of hits of an answer are."""

from itertools import pairwise

import orjson
import pytest
from cases import check_each, tables
from hit_lists import assert_same

from benchbench.client.answer_columns import read
from benchbench.client.answer_plan import plan_of
from benchbench.client.decode import decode_objects
from benchbench.client.describe import DESCRIBED, profile
from benchbench.client.jmespath_fields import FieldPath, JoinedPath
from benchbench.client.known_labels import KnownLabels
from benchbench.client.response_layout import ResponseLayout
from benchbench.kernels.json_columns import BEHIND, BELOW, NO_NODE
from benchbench.tables.labels import NO_LABELS, Kind, Label, LabelSchema, Path, Vocabulary
from benchbench.tables.text_prefixes import TextPrefixes

TABLES = tables(__file__)

BRAND = LabelSchema((Label("brand", Kind.SET, (), (("brand",), ("meta", "brand"))),))


def labels(*paths: str) -> LabelSchema:
    """Return the schema of one label, with alternatives such as `meta.brand`."""
    return LabelSchema((Label("any", Kind.SET, (), tuple(tuple(path.split(".")) for path in paths)),))


def layout(lists: str | None = "r", hits: str = "h", **members: str) -> ResponseLayout:
    paths = {name: FieldPath(path) for name, path in members.items()}
    return ResponseLayout(FieldPath(hits), None if lists is None else FieldPath(lists), paths)


def lists(body: bytes, queries: int = 1, described: ResponseLayout | None = None) -> list[list[str | None]] | None:
    """Return the ids of the hits in each list."""
    plan = plan_of(described, NO_LABELS)
    assert plan is not None
    prefixes, known = TextPrefixes.of([()] * queries), KnownLabels(Vocabulary(), NO_LABELS)
    hits = read(body, plan, prefixes, known, None)
    if hits is None:
        return None
    assert_same(hits, decode_objects(body, prefixes, Vocabulary(), NO_LABELS, described))
    return [hits.ids[a:b] for a, b in pairwise(hits.offsets.tolist())]


# What has a plan


@pytest.mark.parametrize("name", DESCRIBED)
def test_every_description_that_is_built_in_has_a_plan(name: str):
    given = {"azure-ai-search": {"index": "i"}, "qdrant": {"collection": "c", "model": "m"}}
    described = profile(name, given.get(name, {"index": "i"})).results
    for schema in (NO_LABELS, BRAND):
        plan = plan_of(described, schema)
        assert plan is not None
        assert (plan.labels >= 0).sum(axis=1).tolist() == [2] * len(schema.labels)
        assert plan.nodes[NO_NODE, BELOW]
        assert not plan.nodes[NO_NODE, BEHIND]


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
    assert len(set(plan.labels[0].tolist())) == len(schema.labels[0].hit)


def test_a_plan_is_made_once():
    assert plan_of(layout(id="a"), BRAND) is plan_of(layout(id="a"), BRAND)


# Where lists are


@pytest.mark.parametrize(
    "body",
    [
        b'[[{"id":"a"}],[]]',
        b' \r\n\t[[{"id":"a"}],[]] ',
        b'{"results":[[{"id":"a"}],[]]}',
        b'{"took":{"results":[[7]]},"results": [[{"id":"a"}],[]] , "more": "[["}',
        '{"甲":"\\n\\ud83d\\ude00","results":[[{"id":"a"}],[]]}'.encode(),
    ],
)
def test_lists_of_the_usual_answer_stand_together(body: bytes):
    assert lists(body, 2) == [["a"], []]


def test_elements_of_a_described_answer_have_a_list_each():
    a, b, c = (f'[{{"id":"{name}"}}]' for name in "abc")
    body = f'{{"r": [{{"h": {a}, "x": {{"h": [9]}}}}, {{"x": "]", "h":{b}}}, {{"g": {{}}, "h": {c}}}]}}'.encode()
    assert lists(body, 3, layout()) == [["a"], ["b"], ["c"]]
    assert lists(body, 2, layout()) is None
    nested = f'{{"a":{{"r":[{{"h":{{"h":{a} }}}},{{"h":{{"h":{b} }}}}]}}}}'.encode()
    assert lists(nested, 2, layout("a.r", "h.h")) == [["a"], ["b"]]
    assert lists(f"[{a},{b}]".encode(), 2, layout("@", "@")) == [["a"], ["b"]]
    assert lists(a.encode(), 1, layout(None, "@")) == [["a"]]
    assert lists(f'{{"h":{a}}}'.encode(), 1, layout(None, "h")) == [["a"]]
    assert lists(f'{{"h":{a}}}'.encode(), 2, layout(None, "h")) is None
    assert lists(f'[{{"h":{a}}},{{"h":{b}}}]'.encode(), 2, layout("@", "h")) == [["a"], ["b"]]


@pytest.mark.parametrize("body", TABLES["twice"])
def test_a_name_on_the_way_to_hits_that_comes_twice_or_with_an_escape_is_left_to_the_way_by_objects(body: str):
    assert lists(body.encode(), 1, layout()) is None


def test_what_is_no_json_or_has_another_shape_has_no_lists():
    def check(body: str) -> None:
        assert lists(body.encode()) is None

    check_each(check, [*TABLES["none"], "[" * 100_000])


@pytest.mark.parametrize("answer", [{"r": None}, {"r": {"h": []}}, {"r": [None]}, {"r": [{"x": []}]}, {"r": []}, []])
def test_an_answer_that_is_not_as_described_has_no_lists(answer: object):
    assert lists(orjson.dumps(answer), 1, layout()) is None
