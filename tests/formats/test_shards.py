"""Folders of files that are one run: the same numbers however the rows are divided, and what is wrong in a sentence."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import benchbench as bb
from benchbench.errors import InputError
from benchbench.prepare.shards import write_shards

QUERIES = 40
MEASURES = ["nDCG@10", "AP", "RR", "P@5"]


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    """Hits of queries with scores that are equal here and there."""
    random = np.random.default_rng(3)
    return pl.DataFrame(
        {
            "query_id": np.repeat([f"q{number}" for number in range(QUERIES)], 30),
            "doc_id": [f"dé{document}" for _ in range(QUERIES) for document in random.permutation(90)[:30]],
            "score": random.integers(0, 12, QUERIES * 30).astype(float),
        }
    )


@pytest.fixture(scope="module")
def qrels() -> bb.Qrels:
    return bb.Qrels.from_dict({f"q{query}": {f"dé{document}": document % 3 for document in range(query % 7, 60)}
                               for query in range(QUERIES)})  # fmt: skip


def divided(frame: pl.DataFrame, folder: Path, files: int) -> Path:
    """Write the queries in so many files."""
    folder.mkdir(parents=True)
    (folder / "_SUCCESS").touch()
    ids = frame["query_id"].unique(maintain_order=True)
    for number in range(files):
        frame.filter(pl.col("query_id").is_in(ids[number::files].to_list())).write_parquet(
            folder / f"part-{number:03}.parquet"
        )
    return folder


@pytest.mark.parametrize("ties", ["trec", "input", "expected"])
def test_a_run_has_the_same_numbers_in_any_number_of_shards(frame: pl.DataFrame, qrels, ties: str, tmp_path: Path):
    frame.write_parquet(tmp_path / "one.parquet")
    whole = bb.evaluate(qrels, bb.scan_run(tmp_path / "one.parquet", ties=ties), MEASURES[:3])
    folders = [divided(frame, tmp_path / f"in-{files}", files) for files in (1, 7, 60)]
    for first in range(3):  # a partition has two files, in which rows of a query are apart
        part = frame.filter(pl.col("query_id").hash() % 3 == first)
        folder = tmp_path / "hive" / f"query_shard={first}"
        folder.mkdir(parents=True)
        part[::2].write_parquet(folder / "a.parquet")
        part[1::2].write_parquet(folder / "b.parquet")
    write_shards(tmp_path / "one.parquet", tmp_path / "written", 5)
    for path in (*folders, tmp_path / "written", *([tmp_path / "hive"] if ties != "input" else [])):
        its = bb.evaluate(qrels, bb.scan_run(path, ties=ties), MEASURES[:3])
        assert its.mean() == whole.mean()
        assert its.per_query().equals(whole.per_query())
        assert its.signature.parts["run"] == whole.signature.parts["run"]
    assert bb.Run.from_file(folders[1]).rankings.document.size == frame.height


def test_judgments_may_be_a_folder_too(frame: pl.DataFrame, tmp_path: Path):
    graded = frame.select("query_id", "doc_id", relevance=(pl.col("score") % 3).cast(pl.Int64))
    graded.write_parquet(tmp_path / "one.parquet")
    one, several = (bb.Qrels.from_file(path) for path in (tmp_path / "one.parquet", divided(graded, tmp_path / "s", 6)))
    assert one.digest == several.digest


ids = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zs", "Zl", "Zp")), min_size=1, max_size=6)


@given(st.dictionaries(ids, st.dictionaries(ids, st.floats(-9, 9), min_size=1, max_size=4), min_size=1, max_size=9))
def test_what_is_written_in_shards_is_read_as_it_was(tmp_path_factory: pytest.TempPathFactory, hits) -> None:
    folder = tmp_path_factory.mktemp("shards")
    rows = [(query, document, score) for query, its in hits.items() for document, score in its.items()]
    pl.DataFrame(rows, ["query_id", "doc_id", "score"], orient="row").write_parquet(folder / "run.parquet")
    written = write_shards(folder / "run.parquet", folder / "out", 4)
    assert written.hits == len(rows)
    back = pl.concat([pl.read_parquet(file, hive_partitioning=False) for file in (folder / "out").rglob("*.parquet")])
    assert sorted(back.rows()) == sorted(rows)


def refused(path: Path, qrels: bb.Qrels) -> str:
    with pytest.raises(InputError) as caught:
        bb.evaluate(qrels, bb.scan_run(path), MEASURES)
    return str(caught.value).replace(str(path), "RUN")


def test_a_query_in_two_shards_is_named_with_both_and_the_way_out(frame: pl.DataFrame, qrels, tmp_path: Path):
    folder = divided(frame, tmp_path / "run", 4)
    frame.filter(pl.col("query_id") == "q5").write_parquet(folder / "part-009.parquet")
    assert refused(folder, qrels) == (
        "RUN: query q5 has rows in both part-001.parquet and part-009.parquet; a folder is read shard by shard, and a "
        "shard has all rows of a query: benchbench prepare shards RUN --out DIR writes such a folder"
    )
    write_shards(folder, tmp_path / "out", 4)
    with pytest.raises(InputError, match="exists already"):
        write_shards(folder, tmp_path / "out", 4)
    assert bb.evaluate(qrels, bb.scan_run(tmp_path / "out"), MEASURES).dropped["duplicate_hits"] == 30


def test_rows_of_a_query_that_are_apart_in_one_file_are_said_to_be(frame: pl.DataFrame, qrels, tmp_path: Path):
    folder = divided(frame, tmp_path / "run", 2)
    frame.sort("doc_id").filter(pl.col("query_id").is_in(["q0", "q2"])).write_parquet(folder / "part-000.parquet")
    assert "has rows in several places of part-000.parquet" in refused(folder, qrels)


def test_folders_that_are_no_run_are_refused_in_a_sentence(frame: pl.DataFrame, qrels, tmp_path: Path):
    empty = tmp_path / "empty"
    empty.mkdir()
    assert refused(empty, qrels) == "RUN is a folder without Parquet or Arrow in it; name the file in it"
    mixed = divided(frame, tmp_path / "mixed", 2)
    (mixed / "notes.md").write_text("of whom these are\n")
    assert "notes.md is trec and part-000.parquet is parquet" in refused(mixed, qrels)
    cut = divided(frame, tmp_path / "cut", 2)
    (cut / "part-001.parquet").write_bytes((cut / "part-001.parquet").read_bytes()[:-50])
    assert "part-001.parquet is no parquet file" in refused(cut, qrels)
    results = divided(frame, tmp_path / "results", 2)
    (results / "summary.json").write_text("{}")
    assert refused(results, qrels) == "RUN is a folder of results; name its run.trec"
    text = divided(frame.with_columns(score=pl.lit("high")), tmp_path / "text", 2)
    assert "part-000.parquet, row 1: the score 'high' is not a number" in refused(text, qrels)


def test_an_empty_shard_is_no_fault(frame: pl.DataFrame, qrels, tmp_path: Path):
    folder = divided(frame, tmp_path / "run", 3)
    whole = bb.evaluate(qrels, bb.scan_run(folder), MEASURES).mean()
    frame[:0].write_parquet(folder / "part-009.parquet")
    empty = folder / "query_shard=9"
    empty.mkdir()
    frame[:0].write_parquet(empty / "a.parquet")
    write_shards(folder, tmp_path / "out", 3)
    for path in (folder, tmp_path / "out"):
        assert bb.evaluate(qrels, bb.scan_run(path), MEASURES).mean() == whole
