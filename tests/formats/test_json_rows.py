"""JSON and JSON lines: what is read, and the line of what is not."""

from pathlib import Path

import pytest
from judged_files import refusal, same

import benchbench as bb
from benchbench.formats import json_rows

ROW = b'{"query_id": "a", "doc_id": "x", "score": 2.5}\n'
EXAMPLES = 'neither {"query_id": "q1", "doc_id": "d1", "score": 1} nor {"q1": {"d1": 1}}'


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    return tmp_path / "run.jsonl"


def test_rows_and_objects_may_stand_in_one_file_and_blank_lines_among_them(lines: Path):
    lines.write_bytes(b"\n" + ROW + b'  \n{"a": {"y": 1}, "b": {"x": -7, "y": 0.5}, "c": {}}\r\n\n')
    assert same(bb.Run.from_file(lines), bb.Run.from_dict({"a": {"x": 2.5, "y": 1}, "b": {"x": -7, "y": 0.5}}))


def test_keys_may_have_other_names_and_order_on_each_line_and_others_are_ignored(lines: Path):
    lines.write_bytes(
        b'{"score": 1, "qid": "a", "docno": "x", "rank": {"n": 1}}\n'
        b'{"Query-ID": "a", "corpus_id": "y", "similarity": 3, "text": null}\n'
        b'{"text": [], "docid": 7, "query": 12, "score": true}\n'
    )
    assert same(bb.Run.from_file(lines), bb.Run.from_dict({"a": {"x": 1.0, "y": 3.0}, "12": {"7": 1.0}}))


def test_ids_may_hold_what_text_can(lines: Path):
    lines.write_bytes(rb'{"a b\n": {"\u0000": 1, "\ud83d\ude00 ": 2, "\"": 3}}')
    assert same(bb.Run.from_file(lines), bb.Run.from_dict({"a b\n": {"\0": 1, "😀 ": 2, '"': 3}}))


def test_a_query_is_cut_at_no_chunk(lines: Path, monkeypatch: pytest.MonkeyPatch):
    lines.write_bytes(b"".join(b'{"qid": "%d", "docno": "%d", "score": %d}\n' % (i // 7, i, i) for i in range(50)))
    monkeypatch.setattr(json_rows, "CHUNK", 5)
    parts = list(json_rows.json_line_rows(json_rows.Source(lines), True))
    assert [part.use(lambda rows: rows.value.size) for part in parts] == [7, 7, 7, 7, 7, 7, 7, 1]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"x", "not JSON (unexpected character, expected a JSON value)"),
        (b'{"query_id": "a", "doc_id": "x"', "not JSON"),
        (ROW.strip() * 2, "not JSON (unexpected content after document)"),
        (b'{"a": {"x": NaN}}', "not JSON"),
        (b'{"a": {"x": 1e400}}', "the number '1e400' is too large for a 64-bit float"),
        (b'{"a": {"\xff": 1}}', "not JSON (str is not valid UTF-8: surrogates not allowed)"),
        (b"\0\0", "not JSON"),
        (b"1", EXAMPLES),
        (b'"a"', EXAMPLES),
        (b'[{"a": {"x": 1}}]', EXAMPLES),
        (b"{}", "no column query_id; there are none"),
        (b'{"a": 1}', "no column query_id; there are a"),
        (b'{"a": {"x": 1}, "b": 1}', "no column query_id; there are a, b"),
        (b'{"query_id": "a", "score": 1}', "no column doc_id; there are query_id, score"),
        (b'{"query_id": "a", "doc_id": "x", "rank": 1}', "no column score; there are query_id, doc_id, rank"),
        (b'{"query_id": null, "doc_id": "x", "score": 1}', "no query id"),
        (b'{"query_id": "", "doc_id": "x", "score": 1}', "no query id"),
        (b'{"query_id": "a", "doc_id": "", "score": 1}', "no document id"),
        (
            b'{"query_id": 1.5, "doc_id": "x", "score": 1}',
            "the query id 1.5 is neither text nor a whole number; write it as text",
        ),
        (
            b'{"query_id": "a", "doc_id": true, "score": 1}',
            "the document id true is neither text nor a whole number; write it as text",
        ),
        (
            b'{"query_id": "a", "doc_id": ["x"], "score": 1}',
            'the document id ["x"] is neither text nor a whole number; write it as text',
        ),
        (b'{"query_id": "a", "doc_id": "x", "score": "1"}', 'the score "1" is not a number'),
        (b'{"query_id": "a", "doc_id": "x", "score": null}', "the score null is not a number"),
        (b'{"a": {"x": [1]}}', "the score [1] is not a number"),
        (b'{"a": {"": 1}}', "no document id"),
        (b'{"": {"x": 1}}', "no query id"),
    ],
)
def test_a_bad_line_is_named_with_its_reason(lines: Path, line: bytes, reason: str):
    lines.write_bytes(ROW + b"\n" + line + b"\n" + ROW)
    assert refusal(lines).startswith(f", line 3: {reason}")


def test_a_bad_grade_is_called_one(lines: Path):
    lines.write_bytes(b'{"qid": "a", "docno": "x", "rel": "high"}\n')
    assert refusal(lines, run=False) == ', line 1: the grade "high" is not a number'
    lines.write_bytes(b'{"qid": "a", "docno": "x"}\n')
    assert refusal(lines, run=False).startswith(", line 1: no column relevance; there are qid, docno;")


@pytest.mark.parametrize("text", [b"\n \n", b'{"a": {}}\n{"b": {}}\n'])
def test_lines_without_a_hit_are_refused(lines: Path, text: bytes):
    lines.write_bytes(text)
    assert refusal(lines) == " has no hit, so every score would be 0 by definition"
    assert refusal(lines, run=False) == " has no judgment, so every score would be 0 by definition"


NO_OBJECT = (
    ' is not a JSON object of objects, as {"q1": {"d1": 1}}; to give rows, write one per line in a file named .jsonl'
)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"[]", NO_OBJECT),
        (b'[{"query_id": "a", "doc_id": "x", "score": 1}]', NO_OBJECT),
        (b'"a"', NO_OBJECT),
        (b"1", NO_OBJECT),
        (b'{"a": 1}', NO_OBJECT),
        (b'{"a": ["x"]}', NO_OBJECT),
        (b'{"a": {"x": 1}, "b": null}', NO_OBJECT),
        (b'{"a": {"x": 1}}x', ", line 1, column 16: not JSON (unexpected content after document)"),
        (b'{"a": {"x": 1},\n"b": {"x"}}', ", line 2, column 10: not JSON"),
        (b'{"a": {"x": NaN}}', ", line 1, column 13: not JSON"),
        (b'{"a": {"x": 1}', ", line 1, column 15: not JSON (unexpected end of data)"),
        (b" \n", ", line 1, column 1: not JSON (there is nothing but white space)"),
        (b"{}", " has no hit"),
        (b'{"a": {}}', " has no hit"),
        (b'{"a": {"x": null}}', " has a value that is not a number, of document x of query a"),
        (b'{"a": {"x": {"y": 1}}}', ": document 'x' of query 'a' has {'y': 1} instead of a number"),
        (b'{"a": {"x": "high"}}', ": document 'x' of query 'a' has 'high' instead of a number"),
        (b'{"a": {"x": "1"}}', ": document 'x' of query 'a' has '1' instead of a number"),
        (b'{"a": {"x": [1]}}', ": document 'x' of query 'a' has [1] instead of a number"),
        (b'{"a": {"x": [1], "y": [2]}}', ": document 'x' of query 'a' has [1] instead of a number"),
        (b'{"": {"x": 1}}', " has an empty query id"),
        (b'{"a": {"": 1}}', " has an empty document id"),
    ],
)
def test_what_is_no_object_of_objects_of_numbers_is_refused(tmp_path: Path, text: bytes, reason: str):
    (tmp_path / "run.json").write_bytes(text)
    assert refusal(tmp_path / "run.json").startswith(reason)


def test_a_list_of_rows_is_refused_also_where_no_name_tells_json(tmp_path: Path):
    (tmp_path / "run").write_bytes(b'[\n {"query_id": "a", "doc_id": "x", "score": 1}\n]')
    assert refusal(tmp_path / "run") == NO_OBJECT
