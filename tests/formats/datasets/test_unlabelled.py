"""Data sets that have no judgments, or have them."""

from pathlib import Path

import pytest
from pair_judges import beir

from benchbench.errors import InputError
from benchbench.formats.datasets.options import DataSetOptions
from benchbench.formats.datasets.unlabelled import located_unlabelled


def test_two_files_are_enough(tmp_path: Path):
    folder = beir(tmp_path)
    options = DataSetOptions(queries=folder / "queries.jsonl", collection=folder / "corpus.jsonl")
    found = located_unlabelled(options)
    assert (found.queries.path, found.qrels) == (folder / "queries.jsonl", ())
    assert found.collection is not None
    assert found.collection.path == folder / "corpus.jsonl"


@pytest.mark.parametrize("queries", ["queries.jsonl", "queries.jsonl.gz", "topics.txt", "queries.tsv"])
@pytest.mark.parametrize("collection", ["corpus.jsonl", "collection.jsonl.zst", "collection.tsv"])
def test_a_folder_without_judgments_is_known_by_the_usual_names(tmp_path: Path, queries: str, collection: str):
    for name in (queries, collection):
        (tmp_path / name).touch()
    found = located_unlabelled(DataSetOptions(str(tmp_path)))
    assert found.collection is not None
    assert (found.queries.path.name, found.collection.path.name, found.qrels) == (queries, collection, ())


def test_an_empty_folder_of_judgments_is_none(tmp_path: Path):
    (beir(tmp_path) / "qrels").mkdir()
    assert located_unlabelled(DataSetOptions(str(tmp_path))).qrels == ()


def test_judgments_that_are_there_are_found(tmp_path: Path):
    folder = beir(tmp_path)
    (folder / "qrels").mkdir()
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    found = located_unlabelled(DataSetOptions(str(folder)))
    assert (found.make, [part.path.name for part in found.qrels]) == ("beir", ["test.tsv"])


def test_judgments_may_be_named_beside_a_folder_without_any(tmp_path: Path):
    folder = beir(tmp_path)
    path = folder / "people.trec"
    path.write_text("q1 0 d1 1\n")
    found = located_unlabelled(DataSetOptions(str(folder), qrels=path))
    assert [part.path for part in found.qrels] == [path]


@pytest.mark.parametrize("missing", ["queries", "collection"])
def test_what_is_missing_is_named(tmp_path: Path, missing: str):
    folder = beir(tmp_path)
    files = {"queries": folder / "queries.jsonl", "collection": folder / "corpus.jsonl"}
    del files[missing]
    with pytest.raises(InputError, match=f"--{missing} is missing"):
        located_unlabelled(DataSetOptions(**files))  # type: ignore[arg-type]


def test_a_file_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(InputError, match=r"--queries \S+ does not exist"):
        located_unlabelled(DataSetOptions(queries=tmp_path / "no.jsonl", collection=tmp_path / "no"))


def test_a_data_set_without_documents_is_refused(tmp_path: Path):
    (tmp_path / "tiered.jsonl").write_text('{"query_id": 1, "query": {"fact": "a"}, "positives": []}\n')
    with pytest.raises(InputError, match="has no documents that a judge could read; name them with --collection"):
        located_unlabelled(DataSetOptions(str(tmp_path)))
