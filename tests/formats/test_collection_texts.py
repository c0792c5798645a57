from pathlib import Path

import data_sets
import pytest

from benchbench.errors import InputError
from benchbench.formats.collection_texts import SHOWN, texts_of


def test_only_the_documents_that_are_asked_for_are_kept_titles_first(tmp_path: Path):
    rows = [{"_id": "a", "title": "On", "text": "rent"}, {"_id": "b", "fact": "theft"}, {"text": "third line"}]
    path = data_sets.write_lines(tmp_path / "c.jsonl", rows)
    assert texts_of(path, ["a", "b", "3", "unknown"]) == {"a": "On rent", "b": "theft", "3": "third line"}
    assert texts_of(path, []) == {}


def test_a_long_text_is_cut(tmp_path: Path):
    path = data_sets.write_lines(tmp_path / "c.jsonl", [{"_id": "a", "text": "x" * 5000}])
    assert texts_of(path, ["a"])["a"] == "x" * SHOWN + "…"


def test_the_collection_is_read_no_further_than_needed(tmp_path: Path):
    path = data_sets.write_lines(tmp_path / "c.jsonl", [{"_id": "a", "text": "here"}])
    path.write_bytes(path.read_bytes() + b"[]\n")
    assert texts_of(path, ["a"]) == {"a": "here"}


def test_bad_lines_are_passed_over(tmp_path: Path):
    path = tmp_path / "c.jsonl"
    path.write_bytes(b'[]\n{\n{"_id": "a", "text": "here"}\nnull\n')
    assert texts_of(path, ["a", "b"]) == {"a": "here"}


def test_what_is_no_collection_is_refused(tmp_path: Path):
    path = tmp_path / "a.run"
    path.write_text("q1 Q0 d1 1 0.5 tag\n")
    with pytest.raises(InputError, match=r"a\.run is no collection: none of its lines is a JSON object"):
        texts_of(path, ["a"])
    with pytest.raises(InputError, match="does not exist"):
        texts_of(tmp_path / "nothing", ["a"])
