"""The columns of an answer are those that its objects give; `scripts/fuzz_answers` compares as many as you like."""

import json
from collections import Counter
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest
from cases import check_each, first_of
from client.answer_grammar import BLOCK, Case, drawn
from client.two_paths import by_columns, difference, differing, known, minimised
from legal_labels import SCHEMA

from benchbench.client import describe, known_labels
from benchbench.client.decode import decode
from benchbench.client.response_layout import ResponseReading
from benchbench.tables.hashing import text_prefix
from benchbench.tables.labels import Kind, Label, LabelSchema, Vocabulary

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


@pytest.mark.parametrize("values", [1 << 10, 3])
def test_labels_that_came_before_give_what_they_gave(monkeypatch, values: int):
    monkeypatch.setattr(known_labels, "_VALUES", values)
    monkeypatch.setattr(known_labels, "_MOST_VALUES", 9 * values)
    columns, objects = Vocabulary(), Vocabulary()
    for number in range(250):
        one = drawn(SEED, number)
        assert difference(one, by_columns, columns, objects)[1] is None, number
        assert known(columns, one.schema)._new.shape[1] <= 9 * values


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


@pytest.mark.parametrize("name", ["elasticsearch", "qdrant"])
def test_shapes_of_described_services_that_are_none(name: str):
    options = {"elasticsearch": {"index": "x"}, "qdrant": {"collection": "x", "model": "x"}}[name]
    described = describe.profile(name, options).results
    outer, inner = {"elasticsearch": ("responses", "hits"), "qdrant": ("result", "points")}[name]
    for value in ("null", "{}", "[]", "[null]", '[{"hits": 1}]', '[{"error": {"reason": "no"}, "status": 404}]'):
        for body in (value, f'{{"{outer}": {value}}}', f'{{"{outer}": [{{"{inner}": {value}}}]}}'):
            assert differing(case(body.encode(), described=described), decode) is None
