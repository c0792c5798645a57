"""Lengths of documents, and columns of pairs."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from benchbench.errors import InputError
from benchbench.judging.agreement.pair_columns import read_lengths, read_pair_columns
from benchbench.judging.relevance.pool import hashes_of


def test_lengths_are_those_of_the_whole_text_of_the_documents_that_are_wanted(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text(
        '{"id": "a", "title": "Law", "text": "第一条"}\n{"id": "b", "text": "abcd"}\n{"id": "c", "title": "no text"}\n'
    )
    found = read_lengths(path, hashes_of(["b", "a", "c", "missing", "a"]))
    lengths = found.of(hashes_of(["a", "b", "c", "missing"]))
    assert lengths[0] > 3 + 3
    assert lengths[1] == 4
    assert np.isnan(lengths[2:]).all()


def test_no_document_has_no_length(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text('{"id": "a", "text": "abcd"}\n')
    assert np.isnan(read_lengths(path, hashes_of(["b"])).of(hashes_of(["b"]))).all()


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_columns_are_read_from_any_table(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"pairs.{suffix}"
    rows = [
        {"query_id": "q1", "doc_id": "d1", "length": 120, "model": "m"},
        {"query_id": "q2", "doc_id": "d1", "length": None, "model": None},
    ]
    if suffix == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        frame = pl.DataFrame(rows)
        frame.write_csv(path) if suffix == "csv" else frame.write_parquet(path)
    found = read_pair_columns(path)
    assert found.query.tolist() == hashes_of(["q1", "q2"]).tolist()
    assert found.document.tolist() == hashes_of(["d1", "d1"]).tolist()
    np.testing.assert_array_equal(found.numbers["length"], [120, np.nan])
    assert list(found.numbers) == ["length"]
    assert found.model is not None
    assert (found.models, found.model.tolist()) == (("m",), [0, -1])


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"doc_id": "d"}, "line 1: a pair needs a query_id and a doc_id"),
        ({"query_id": "q", "doc_id": "d", "length": "long"}, "line 1: length 'long' is not a number"),
        ({"query_id": "q", "doc_id": "d", "position": 0}, "line 1: position counts from 1, and is 0"),
        (
            {"query_id": "q", "doc_id": "d", "size": 1},
            "has none of the columns length, position, position_again, model",
        ),
    ],
)
def test_what_is_no_pair_is_refused_with_its_line(tmp_path: Path, row: dict[str, object], why: str) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps(row) + "\n")
    with pytest.raises(InputError, match=why):
        read_pair_columns(path)


def test_a_table_without_rows_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text("")
    with pytest.raises(InputError, match="is empty"):
        read_pair_columns(path)
