import json
from pathlib import Path

import data_sets
import polars as pl
import pytest

from benchbench.errors import InputError
from benchbench.formats import query_table
from benchbench.formats.collection_texts import SHOWN
from benchbench.formats.datasets.data_set import DataSet
from benchbench.formats.datasets.options import DataSetOptions
from benchbench.formats.query_fields import QUERY_TEXTS
from benchbench.formats.query_table import data_groups, read_queries
from benchbench.formats.records import Part
from benchbench.formats.tiered import read_tiered


def test_a_tiered_data_set_gives_labels_length_and_what_its_positives_are(tmp_path: Path):
    path = data_sets.write(tmp_path) / "tiered.jsonl"
    table, queries = read_queries(path), read_tiered(path)
    assert (table.ids, table.texts, table.digest) == (queries.ids, queries.texts, queries.digest)
    first = table.columns.row(0, named=True)
    assert first == {
        "accusation": ["盗窃"],
        "relevant_articles": ["264"],
        "imprisonment": 6,
        "death_penalty": False,
        "life_imprisonment": False,
        "positives": 4,
        "tier": 1,
        "length": len(queries.texts[0]),
    }
    assert table.columns.row(11, named=True)["tier"] is None


def test_beirs_queries_have_text_and_length(tmp_path: Path):
    path = data_sets.write_lines(
        tmp_path / "queries.jsonl", [{"_id": "1", "text": "what is", "metadata": {"court": "A"}}]
    )
    table = read_queries(path)
    assert (table.ids, table.texts) == (["1"], ["what is"])
    assert table.columns.rows(named=True) == [{"court": "A", "length": 7}]


def test_tables_and_parquet_give_the_same(tmp_path: Path):
    frame = pl.DataFrame({"query_id": [1, 2], "query": ["one", "three"], "year": [2001, None]})
    frame.write_csv(tmp_path / "q.csv")
    frame.write_csv(tmp_path / "q.tsv", separator="\t")
    frame.write_parquet(tmp_path / "q.parquet")
    for name in ("q.csv", "q.tsv", "q.parquet"):
        table = read_queries(tmp_path / name)
        assert (table.ids, table.texts) == (["1", "2"], ["one", "three"])
        assert table.columns["year"].to_list() == [2001, None]
        assert table.columns["length"].to_list() == [3, 5]


def test_columns_keep_their_kind_and_mixed_ones_are_texts(tmp_path: Path):
    rows = [
        {"id": "a", "n": 1, "x": 0.5, "flag": True, "tags": ["u", "v"], "mixed": 1, "long": "y" * 300},
        {"id": "b", "n": 2, "x": 1, "flag": False, "tags": "u", "mixed": "one", "nested": [[1]]},
        {"id": "c"},
    ]
    columns = read_queries(data_sets.write_lines(tmp_path / "q.jsonl", rows)).columns
    assert columns.to_dict(as_series=False) == {
        "n": [1, 2, None],
        "x": [0.5, 1.0, None],
        "flag": [True, False, None],
        "tags": [["u", "v"], ["u"], None],
        "mixed": ["1", "one", None],
    }


def test_texts_are_whole_until_all_of_them_are_much_and_then_as_long_as_reports_show_them(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(query_table, "_WHOLE", 20_000)
    rows = [{"id": name, "text": "x" * 9000} for name in "abcd"]
    table = read_queries(data_sets.write_lines(tmp_path / "q.jsonl", rows))
    assert [len(text or "") for text in table.texts] == [9000, 9000, SHOWN, SHOWN]
    assert table.columns["length"].to_list() == [9000] * 4


def test_bad_lines_are_left_out_where_the_run_left_them_out(tmp_path: Path):
    path = tmp_path / "q.jsonl"
    path.write_bytes(b'{"_id": "a"}\n{\n[]\n{"text": "no id"}\n{"_id": "b"}\n')
    assert read_queries(path, skip_bad_lines=True).ids == ["a", "b"]


@pytest.mark.parametrize("name", ["q.csv", "q.tsv"])
def test_ids_and_texts_of_tables_are_no_numbers(tmp_path: Path, name: str):
    path = tmp_path / name
    path.write_text("id,text,year\n001,007,2001\n1,8,2002\n".replace(",", "," if name == "q.csv" else "\t"))
    table = read_queries(path)
    assert (table.ids, table.texts) == (["001", "1"], ["007", "8"])
    assert table.columns["year"].to_list() == [2001, 2002]


def test_a_column_of_the_files_own_that_is_called_length_stays(tmp_path: Path):
    rows = [{"_id": "a", "text": "what", "length": "short"}, {"_id": "b", "text": "why"}]
    columns = read_queries(data_sets.write_lines(tmp_path / "q.jsonl", rows)).columns
    assert columns["length"].to_list() == ["short", None]


def test_members_of_lists_are_labels_as_single_values_are(tmp_path: Path):
    rows = [{"_id": "a", "tags": [None, True, 1.0, "x"]}, {"_id": "b", "tags": [None]}, {"_id": "c", "tags": False}]
    columns = read_queries(data_sets.write_lines(tmp_path / "q.jsonl", rows)).columns
    assert columns["tags"].to_list() == [["yes", "1", "x"], [], ["no"]]


def test_long_texts_tell_groups_apart(tmp_path: Path):
    path, rows = (
        tmp_path / "queries.jsonl",
        [{"_id": f"q{n}", "text": "?", "g": f"{'x' * 300}{n % 3}"} for n in range(7)],
    )
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    groups = data_groups(DataSet("tiered", DataSetOptions(), Part(path)), [f"q{n}" for n in range(7)], "g")
    assert groups is not None
    assert (groups.number, groups.codes.tolist()) == (3, [0, 1, 2, 0, 1, 2, 0])


def test_a_column_without_a_value_groups_nothing(tmp_path: Path):
    path = tmp_path / "queries.jsonl"
    path.write_text('{"_id": "q", "text": "?", "g": null}\n', encoding="utf-8")
    with pytest.raises(InputError, match="have no value of it; there are: length"):
        data_groups(DataSet("tiered", DataSetOptions(), Part(path)), ["q"], "g")


@pytest.mark.parametrize("name", QUERY_TEXTS)
def test_every_name_under_which_a_query_is_asked_is_one_under_which_it_is_shown(tmp_path: Path, name: str):
    table = read_queries(data_sets.write_lines(tmp_path / "queries.jsonl", [{"_id": "1", name: "what is a llama?"}]))
    assert (table.texts, table.columns.columns) == (["what is a llama?"], ["length"])
