"""The columns of an answer are those that its objects give; `scripts/fuzz_answers` compares as many as you like."""

import itertools
import json
import math
import tomllib
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import orjson
import pytest
from cases import check_each, check_rows, first_of, tables
from client.answer_grammar import BLOCK, Case, drawn
from client.answers import BODIES
from client.two_paths import by_columns, difference, differing, known, minimised
from hit_lists import assert_same
from legal_labels import SCHEMA

from benchbench.client import answer_columns, descriptions, known_labels
from benchbench.client.answer_columns import read as answer_columns_read
from benchbench.client.answer_plan import plan_of
from benchbench.client.decode import AnswerReader, decode, decode_objects
from benchbench.client.jmespath_fields import FieldPath, JoinedPath
from benchbench.client.known_labels import KnownLabels
from benchbench.client.profiles import Profile
from benchbench.client.protocols import BUILT_IN, file_of
from benchbench.client.response_layout import ResponseLayout, ResponseReading
from benchbench.formats.collection import read_collection
from benchbench.formats.datasets.locate import locate
from benchbench.formats.tiered import read_tiered
from benchbench.kernels.json_columns import NO_NODE
from benchbench.profile.canned_answers import answers
from benchbench.tables.hashing import text_hash, text_prefix
from benchbench.tables.hits import Hits
from benchbench.tables.labels import NO_LABELS, Kind, Label, LabelSchema, Vocabulary
from benchbench.tables.text_prefixes import TextPrefixes

SEED, BLOCKS, OF_BLOCK = 16, 60, 40


def case(body: bytes, queries: int = 1, described: ResponseReading | None = None, top_k: int | None = None) -> Case:
    return Case("one", body, ((text_prefix("x"), text_prefix("a" * 40)),) * queries, SCHEMA, described, top_k)


@pytest.mark.parametrize("blocks", first_of(range(20), range(20, BLOCKS)))
def test_bodies_of_a_grammar_and_damaged_ones_give_what_their_objects_give(blocks: range):
    taken = 0
    for number in chain.from_iterable(range(block * BLOCK, block * BLOCK + OF_BLOCK) for block in blocks):
        one = drawn(SEED, number)
        is_taken, found = difference(one, by_columns, Vocabulary(), Vocabulary())
        taken += is_taken
        assert found is None, f"{SEED}.{number}: {minimised(one, differing)}"
        if is_taken and not number % 4:
            assert differing(one, decode) is None, number
    assert taken >= len(blocks) * OF_BLOCK / 3


@pytest.mark.parametrize("values", [1 << 10, 2])
def test_labels_that_came_before_give_what_they_gave(monkeypatch, values: int):
    monkeypatch.setattr(known_labels, "_VALUES", values)
    monkeypatch.setattr(known_labels, "_MOST_VALUES", 2 * values)
    columns, objects = Vocabulary(), Vocabulary()
    for number in chain.from_iterable(range(block * BLOCK, block * BLOCK + 50) for block in range(8)):
        one = drawn(SEED, number)
        assert difference(one, by_columns, columns, objects)[1] is None, number
        assert known(columns, one.schema)._new.shape[1] <= 2 * values


# JSONTestSuite

_HIT = b'{"id": %b, "score": %b, "text": %b, "meta": %b, "other": %b}'


_PLAIN = (b'"c1"', b"1.5", b'"x"', b'{"accusation": ["theft"], "articles": [264]}', b"[]")


def _suite() -> dict[str, bytes]:
    lines = Path(__file__).with_name("json_test_suite").joinpath("test_parsing.jsonl").read_text().splitlines()
    return {name: _text(*rest).encode("latin-1") for name, *rest in map(json.loads, lines)}


def _text(text: str, times: int = 1, rest: str = "") -> str:
    return text * times + rest


SUITE = _suite()


def _around(value: bytes) -> list[bytes]:
    """Return bodies that have a value at each place of a hit, and beside hits."""
    hits = [
        *(_HIT % (*_PLAIN[:n], value, *_PLAIN[n + 1 :]) for n in range(len(_PLAIN))),
        b'{"id": "c1", "text_hash": %b}' % value,
        b'{"id": "c1", "meta": {"accusation": %b}}' % value,
        b'{"id": "c1", "meta": {"imprisonment": %b}}' % value,
        b'{"id": "c1", "imprisonment": {"death_penalty": %b}}' % value,
        value,
    ]
    whole = _HIT % _PLAIN
    return [
        value,
        *(b"[[%b, %b]]" % (hit, whole) for hit in hits),
        b'{"results": %b}' % value,
        b'{"took": %b, "results": [[%b]]}' % (value, whole),
        b'{"results": [[%b]], "took": %b}' % (whole, value),
        b"[%b]" % value,
    ]


@pytest.mark.parametrize("every", first_of(4, 1))  # of all files, or of a quarter
@pytest.mark.parametrize("kind", ["y", "n", "i"])
def test_the_files_of_jsontestsuite_anywhere_in_an_answer(kind: str, every: int):
    taken: Counter[bool] = Counter()
    for name in [name for name in SUITE if name[0] == kind][::every]:
        content = SUITE[name]
        inner = content.strip()[1:-1]  # of a list what is in it: a bare value
        for body in (*_around(content), *(_around(inner) if inner else ())):
            is_taken, found = difference(case(body), by_columns, Vocabulary(), Vocabulary())
            taken[is_taken] += 1
            assert found is None, (name, body[:300], found)
    assert taken[True] >= taken.total() * {"y": 0.5, "n": 0.0, "i": 0.1}[kind]


# Hostile services

_MANY = [b"[" * 990 + b"]" * 990, b"[" * 100_000 + b"]" * 100_000, b'{"a":' * 100_000 + b"1" + b"}" * 100_000]


_HITS = [
    b'{"id":"d1","score":1e400,"text":"x"}',
    b'{"id":"d1","score":-0,"text":"x"}',
    b'{"id":"d1","score":NaN,"text":"x"}',
    b'{"id":1180591620717411303424,"score":1180591620717411303424},{"id":1180591620717411303425,"score":1}',
    b'{"id":"d1","id":"d2","score":1,"score":2,"text":"x","text":"y","meta":{"accusation":"x"},"meta":{}}',
    rb'{"id":"d\ud800","score":1,"text":"x\udfff"}',
    rb'{"id":"d\u0000x","score":1,"text":"\u0000"}',
    rb'{"id":"d1\nq1 Q0 evil 1 99 t","score":1,"text":"y"}',
    rb'{"id":"a b\tc","score":1,"text":"y"}',
    rb'{"id":"d\u2028e\u0085f","score":1,"text":"x"}',
    b'{"id":"d1","score":"3.5","text":"x"}',
    b"null",
    b'{"id":null,"score":null,"text":null}',
    b'{"score":1,"text":"zzz"}',
    b"{}",
    b'{"id":"d\xff\xfe","score":1,"text":"x"}',
    b'{"id":' + b"9" * 5000 + b',"score":1}',
    b'{"id":"d","score":1,"meta":{"accusation":1e400,"articles":[1e308,-1e400],"imprisonment":1e400}}',
    b'{"id":"d","meta":{"imprisonment":{"imprisonment":1e300,"death_penalty":"x","life_imprisonment":[]}}}',
    b'{"id":true,"score":true,"text":false}',
    *(b'{"id":"d","score":1,"meta":{"accusation":%b}}' % deep for deep in _MANY),
    *(b'{"id":%b,"score":1}' % deep for deep in _MANY),
    b'{"id":"d","content":"x","_id":3,"meta":{"imprisonment":{"death_penalty":[]},"imprisonment":8}}',
    b",".join([b"{}"] * 700) + b"],[" + b",".join([b'{"id":"1"}'] * 100),
    b"]",
    b'"]"],"]"',
    b'{"id":"d","text":"' + b"a" * 40_000 + rb"\ud800" + b"a" * 300 + b'"}',
    b'{"id":"d","text":"' + b"a" * 40_000 + b"\xed\xa0\x80" + b"a" * 300 + b'"}',
    b'{"id":"d","text":"b","meta":{"accusation":"x","pad":"' + b"a" * 60 + rb'\q"}}',
    b'{"id":"d","accusation":"y","text":"b","meta":{"accusation":"x","pad":' + b"[" * 2000 + b"]" * 2000 + b"}}",
]


_GOOD = b'{"results": [[{"id": "d0", "score": 1.0, "text": "x"}], [{"id": "d1", "score": 1.0, "text": "y"}]]}'


def test_hits_of_hostile_services():
    def check(hit: bytes) -> None:
        for body in (b'{"results": [[%b]]}' % hit, b'[[{"id": "good", "score": 2, "text": "x"}, %b]]' % hit):
            for queries in (1, 2):
                assert differing(case(body, queries), decode) is None

    check_each(check, _HITS)


def test_bodies_of_hostile_services():
    def check(body: bytes) -> None:
        for top_k in (None, 20):
            assert differing(case(body, 2, top_k=top_k), decode) is None

    check_each(
        check,
        [
            *_MANY,
            b"",
            b"not gzip at all",
            b"slow",
            b"<script>alert(1)</script>",
            b"\x1b[31m<script>",
            b"\0" * 1000,
            b"null",
            b'{"results":null}',
            b'{"results":[null,null]}',
            b'{"results":[[]]}',
            _GOOD[:-2] + b",[]]}",
            _GOOD[:50],
            _GOOD + _GOOD,
            _GOOD + b"\0",
            b"\xef\xbb\xbf" + _GOOD,
            _GOOD.decode().encode("utf-16"),
            _GOOD.decode().encode("utf-32"),
            _GOOD.replace(b'"x"', '"甲"'.encode("gb18030")),
            _GOOD.replace(b" ", b" " * 5000),
            b'{"results":[[' + b",".join(b'{"id":"d%d","score":%d}' % (n, -n) for n in range(20_000)) + b"],[]]}",
        ],
    )


@pytest.mark.parametrize(
    ("name", "written"), [(r"b\n", r"b\n"), (r"b\n", r"b\\n"), ("", ""), ('"', r"\""), ("\n", r"\n")]
)
def test_names_of_labels_that_json_writes_otherwise(name: str, written: str):
    schema = LabelSchema((Label("label", Kind.SET, (), ((name,), ("meta", name))),))
    for body in (f'[[{{"id": "a", "{written}": "x"}}]]', f'[[{{"id": "a", "meta": {{"{written}": "x"}}}}]]'):
        assert differing(replace(case(body.encode()), schema=schema), decode) is None


def test_labels_that_stand_at_one_place():
    labels = [Label(f"label {n}", Kind.SET, (), (("meta", "file"),)) for n in range(40)]
    hits = b",".join(b'{"id": "c%d", "meta": {"file": "%b"}}' % (n, b"%d" % n * 3000) for n in range(200))
    assert differing(replace(case(b"[[%b]]" % hits), schema=LabelSchema(tuple(labels))), decode) is None


def built_in(name: str) -> Profile:
    """Return a protocol that is built in, with a text for each option that has no default."""
    defaults = tomllib.loads(file_of(name).read_text("utf-8")).get("options", {})
    return descriptions.profile(
        name, {option: "x" for option in descriptions.built_in(name)[2] if option not in defaults}
    )


DESCRIBED = [name for name in BUILT_IN if built_in(name).results is not None]  # the others answer as ours does


@pytest.mark.parametrize("name", ["elasticsearch", "qdrant"])
def test_shapes_of_described_services_that_are_none(name: str):
    described = built_in(name).results
    outer, inner = {"elasticsearch": ("responses", "hits"), "qdrant": ("result", "points")}[name]
    for value in ("null", "{}", "[]", "[null]", '[{"hits": 1}]', '[{"error": {"reason": "no"}, "status": 404}]'):
        for body in (value, f'{{"{outer}": {value}}}', f'{{"{outer}": [{{"{inner}": {value}}}]}}'):
            assert differing(case(body.encode(), described=described), decode) is None


# Usual answers become columns at once, and those that do not are unusual. Both ways agree

TABLES = tables(__file__, "answer_columns")


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


@pytest.mark.parametrize("name", DESCRIBED)
def test_answers_to_the_built_in_descriptions_go_by_columns(name: str):
    bodies = BODIES[f"{name.replace('opensearch', 'elasticsearch')}.toml"]
    described = built_in(name).results
    found = [read(orjson.dumps(body), 2 // len(bodies), described) for body in bodies]
    hits = Hits.joined([one for one in found if one is not None])
    assert (hits.counts.tolist(), hits.ids, hits.faults) == ([2, 1], ["c1", "c2", "c3"], {})
    assert hits.text[0] == text_hash("甲")


@pytest.mark.parametrize("name", ["benchbench", "legal-agent"])
def test_the_fast_protocols_have_the_usual_answers(name: str):
    described = descriptions.profile(name).results
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


# Which answers have a plan, and where the lists of hits of an answer are

ANSWER_PLAN_TABLES = tables(__file__, "answer_plan")


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
    hits = answer_columns_read(body, plan, prefixes, known, None)
    if hits is None:
        return None
    assert_same(hits, decode_objects(body, prefixes, Vocabulary(), NO_LABELS, described))
    return [hits.ids[a:b] for a, b in pairwise(hits.offsets.tolist())]


# What has a plan


@pytest.mark.parametrize("name", DESCRIBED)
def test_every_description_that_is_built_in_has_a_plan(name: str):
    described = built_in(name).results
    for schema in (NO_LABELS, BRAND):
        plan = plan_of(described, schema)
        assert plan is not None
        assert (plan.labels >= 0).sum(axis=1).tolist() == [2] * len(schema.labels)
        assert plan.nodes[NO_NODE]["below"]
        assert not plan.nodes[NO_NODE]["behind"]


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
    paths: tuple[tuple[str, ...], ...] = ((name,),)
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


@pytest.mark.parametrize("body", ANSWER_PLAN_TABLES["twice"])
def test_a_name_on_the_way_to_hits_that_comes_twice_or_with_an_escape_is_left_to_the_way_by_objects(body: str):
    assert lists(body.encode(), 1, layout()) is None


def test_what_is_no_json_or_has_another_shape_has_no_lists():
    def check(body: str) -> None:
        assert lists(body.encode()) is None

    check_each(check, [*ANSWER_PLAN_TABLES["none"], "[" * 100_000])


@pytest.mark.parametrize("answer", [{"r": None}, {"r": {"h": []}}, {"r": [None]}, {"r": [{"x": []}]}, {"r": []}, []])
def test_an_answer_that_is_not_as_described_has_no_lists(answer: object):
    assert lists(orjson.dumps(answer), 1, layout()) is None


# Labels that are looked up by their JSON mean what they mean when each is read

KNOWN_LABELS_SCHEMA = LabelSchema(
    (
        Label("a", Kind.SET, (), (("a",), ("meta", "a"))),
        Label("again", Kind.SET, (), (("a",),), "x"),
        Label("flag", Kind.FLAG, (), (("flag",),)),
        Label("size", Kind.NUMBER, (), (("size",),)),
    )
)


def test_a_number_that_is_out_of_range_is_not_kept():
    labels = Vocabulary()
    reader = AnswerReader(labels, KNOWN_LABELS_SCHEMA)
    for _ in range(2):
        (size,) = reader.read(b'[[{"id":"a","a":"x","size":1e999}]]', [()]).labels[3]
        assert math.isnan(size)
        assert reader.read(b'[[{"id":"a","a":"x","size":2}]]', [()]).labels[3].tolist() == [2.0]
    assert labels.sets() == [frozenset({"x"})]


def test_where_no_label_is_asked_for_no_kernel_is_called(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(known_labels, "number_values", None)
    assert AnswerReader(Vocabulary(), NO_LABELS).read(b'[[{"id":"a","a":"x"}]]', [()]).labels == []
