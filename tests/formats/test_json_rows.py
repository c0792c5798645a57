"""JSON and JSON lines: what is read, and the line of what is not."""

from pathlib import Path

import pytest
from judged_files import same

import benchbench as bb
from benchbench.formats import json_rows

ROW = b'{"query_id": "a", "doc_id": "x", "score": 2.5}\n'


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
