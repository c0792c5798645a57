"""Answers parsed without what they need not be parsed for; orjson is the oracle."""

import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.client import json_skim
from benchbench.client.json_skim import loads


def nothing(metas: list[Any]) -> list[json_skim.Row]:
    return [()] * len(metas)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Shorten small answers too."""
    monkeypatch.setattr(json_skim, "_SAMPLE", 1)
    monkeypatch.setattr(json_skim, "_STRINGY", 0)


def restored(value: Any, whole: json_skim.Skimmed) -> Any:
    """Return a value as it was before anything was taken out of it."""
    if type(value) is str:
        found = whole.whole(value)
        return found if type(found) is str else restored(found, whole)
    if type(value) is list:
        return [restored(one, whole) for one in value]
    return {name: restored(one, whole) for name, one in value.items()} if type(value) is dict else value


def parsed(body: bytes) -> Any:
    return restored(*loads(body, {}, nothing))


TEXTS = st.one_of(
    st.text(max_size=30),
    st.tuples(st.text(st.sampled_from('a中é"\\/\n\té😀ࠀ\x7f'), max_size=40), st.integers(0, 30)).map(
        lambda t: t[0] * t[1]
    ),
)
VALUES = st.recursive(
    st.one_of(TEXTS, st.integers(-(2**53), 2**53), st.none(), st.booleans()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(["id", "text", "fact", "meta", "passage", "x"]), inner, max_size=5),
    ),
    max_leaves=20,
)


@given(VALUES, st.booleans(), st.sampled_from([None, 1]))
def test_what_comes_back_is_what_orjson_parses(value: Any, escaped: bool, indent: int | None):
    body = json.dumps([value], ensure_ascii=escaped, indent=indent).encode() + b" " * 80
    assert parsed(body) == orjson.loads(body)


@given(VALUES, st.booleans(), st.data())
def test_a_damaged_body_is_refused_where_orjson_refuses_it_and_read_as_it_reads_it(
    value: Any, escaped: bool, data: Any
):
    body = bytearray(json.dumps([{"meta": {"text": "中" * 60, "x": value}}, value], ensure_ascii=escaped).encode())
    for _ in range(data.draw(st.integers(1, 3))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(
            st.one_of(st.integers(0, 255), st.sampled_from(b'"\\{}:'))
        )
    damaged = bytes(body) + b" " * 80
    try:
        wanted = orjson.loads(damaged)
    except orjson.JSONDecodeError:
        with pytest.raises(orjson.JSONDecodeError):
            loads(damaged, {}, nothing)
    else:
        assert parsed(damaged) == wanted


def test_equal_labels_are_read_once_and_found_by_their_marks():
    metas = [{"accusation": [name], "relevant_articles": [341, 342]} for name in ("theft", "fraud", "theft")]
    rows: dict[bytes, json_skim.Row] = {}
    asked: list[Any] = []

    def read(metas: list[Any]) -> list[json_skim.Row]:
        asked.extend(metas)
        return [(float(number),) for number in range(len(asked) - len(metas), len(asked))]

    value, whole = loads(orjson.dumps([{"meta": meta} for meta in metas]), rows, read)
    found = [asked[int(row[0])] for row in whole.rows([hit["meta"] for hit in value]) or ()]
    assert found == metas
    assert len(asked) == len(rows) == 2


META = '"meta": {"accusation": ["theft, of things"]}'


@pytest.mark.parametrize(
    "body",
    [
        f'[{{{META}}}, {{"x": {{{META}}}}}]',
        f'[{{{META}}}, {{"meta": null}}]',
        f'[{{{META}}}, {{"meta": "theft"}}]',
        f'[{{{META}, "meta": 1}}]',
        f"[{{{META}, {META}}}]",
    ],
)
def test_labels_are_not_told_by_their_order_where_other_objects_may_stand_between(body: str):
    value, whole = loads(body.encode(), {}, nothing)
    assert whole.rows([hit.get("meta") for hit in value]) is None


def test_labels_that_never_repeat_do_not_fill_the_memory(monkeypatch):
    monkeypatch.setattr(json_skim, "_ROWS", 2)
    rows: dict[bytes, json_skim.Row] = {}
    for number in range(9):
        loads(orjson.dumps([{"meta": {"accusation": ["theft, of things"], "n": number}}]), rows, nothing)
    assert len(rows) <= 3


def test_answers_without_long_texts_are_left_to_the_parser(monkeypatch):
    monkeypatch.setattr(json_skim, "_SAMPLE", 400)
    monkeypatch.setattr(json_skim, "_STRINGY", 40)
    lean = orjson.dumps([{"id": "a", "meta": {"accusation": ["a long name of something"]}}] * 9)
    assert loads(lean, {}, nothing)[0] == orjson.loads(lean)
    heavy = orjson.dumps([{"text": "a" * 500}] * 2)
    assert loads(heavy, {}, nothing)[0] != orjson.loads(heavy)
