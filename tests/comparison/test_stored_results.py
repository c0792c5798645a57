import shutil
from pathlib import Path

import compared
import data_sets
import numpy as np
import orjson
import polars as pl
import pytest
import services
from golden_inputs import STORED

import benchbench as bb
from benchbench.comparison.stored_results import StoredLoad, StoredRun, read_results
from benchbench.errors import InputError
from benchbench.formats.records import Part
from benchbench.formats.trec_writing import token


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    return compared.write_results(tmp_path_factory.mktemp("results"))


@pytest.fixture
def copied(folders, tmp_path: Path) -> Path:
    """Return a folder as version 0.1 wrote it, without a record."""
    path = shutil.copytree(folders[1], tmp_path / "copy")
    (path / "record.json").unlink()
    return path


def only(path: Path) -> StoredRun:
    (one,) = read_results(path)
    assert isinstance(one, StoredRun)
    return one


def test_a_folder_has_the_name_the_signature_and_the_data_of_its_run(folders):
    data, whole, _ = folders
    one = only(whole)
    assert one.details.name == "whole"
    assert one.details.signature.startswith("tasks:gold,accusation,article,imprisonment|")
    assert one.data_set is not None
    assert one.data_set.queries == Part(data / "tiered.jsonl")
    assert one.collection == Part(data / "collection.jsonl")


def test_the_measures_are_those_with_a_value_per_query(folders):
    one = only(folders[1])
    assert len(one.measures) == 4 * 3 * 6
    assert {"gold.nDCG@10", "imprisonment.P@3"} < set(one.measures)
    values = one.values(["gold.RR@10"])
    assert values.columns == ["query_id", "failure", "gold.RR@10"]
    assert values.height == data_sets.QUERIES


def test_hits_are_those_of_the_queries_asked_for_by_rank_and_bear_the_ids_of_positives(folders):
    hits = only(folders[1]).hits(["c4", "c2"], 3)
    assert hits["query_id"].to_list() == ["c2"] * 3 + ["c4"] * 3
    assert hits["rank"].to_list() == [1, 2, 3] * 2
    assert hits.columns == [
        "query_id", "rank", "id", "score", "positive", "gold", "accusation", "article", "imprisonment",
    ]  # fmt: skip
    assert (hits["positive"] == hits["gold"]).all()
    assert only(folders[1]).hits([], 3).is_empty()


def test_judgments_are_the_positives_with_their_gains_best_first(folders):
    judged = only(folders[1]).judgments().filter(pl.col("query") == "c0")
    assert judged.rows() == [("c0", "c3", 5.0), ("c0", "c6", 4.0), ("c0", "c9", 3.0), ("c0", "c12", 2.0)]


@pytest.mark.parametrize("identity", ["my query", "100%", "#1", "a\0\x1b\n", "\ufeff甲\u3000\u2028", '"', "'a,b\""])
def test_ids_come_back_as_they_were_whatever_they_hold(copied, identity: str):
    (copied / "qrels.trec").write_text(f"{token(identity)} 0 {token(identity)} 5\n", encoding="utf-8")
    assert only(copied).judgments().rows() == [(identity, identity, 5.0)]


def test_a_data_set_without_positives_has_no_judgments(copied):
    (copied / "qrels.trec").write_text("")
    assert only(copied).judgments().rows() == []


def test_latencies_are_those_of_requests_that_were_answered_in_the_order_of_queries(copied):
    rows = {
        "first_query": [0, 0, 4, 8],
        "attempt": [1, 2, 1, 1],
        "sent": [0.0, 1.0, 0.0, 0.0],
        "end": [0.5, 3.0, 0.25, 9.0],
        "error": ["timeout", None, None, "timeout"],
    }
    pl.DataFrame(rows).write_parquet(copied / "requests.parquet")
    assert np.allclose(only(copied).latencies(), [3000.0, 250.0])


def test_a_folder_of_targets_has_results_for_each(copied, tmp_path: Path):
    summary = orjson.loads((copied / "summary.json").read_bytes())
    for name in ("a", "b"):
        shutil.copytree(copied, tmp_path / "both" / name)
    (tmp_path / "both" / "summary.json").write_bytes(orjson.dumps({"targets": {"a": summary, "b": summary}}))
    assert [one.path.name for one in read_results(tmp_path / "both")] == ["a", "b"]


def test_a_load_test_has_its_details_and_how_many_hits_it_asked_for():
    (one,) = read_results(STORED / "load-whole")
    assert isinstance(one, StoredLoad)
    assert (one.details.name, one.details.queries, len(one.details.steps), one.options.top_k) == ("whole", 12, 3, 20)


def test_a_step_without_a_batch_size_is_refused(tmp_path: Path):
    path = shutil.copytree(STORED / "load-whole", tmp_path / "load")
    summary = orjson.loads((path / "summary.json").read_bytes())
    del summary["steps"][1]["values"]["batch_size"]
    (path / "summary.json").write_bytes(orjson.dumps(summary))
    with pytest.raises(InputError, match=r"summary\.json is damaged: a step has no batch_size$"):
        read_results(path)


def test_a_result_of_another_kind_is_refused(tmp_path: Path):
    qrels, run = bb.Qrels.from_dict({"q": {"d": 1}}), bb.Run.from_dict({"q": {"d": 1.0}})
    path = bb.evaluate(qrels, run, ["RR"]).save(tmp_path / "scores")
    with pytest.raises(InputError, match=r"holds a result of kind score; compare takes those of run and load$"):
        read_results(path)


@pytest.mark.parametrize("name", ["per_query.parquet", "hits.parquet", "requests.parquet", "qrels.trec"])
def test_a_damaged_file_is_named(copied, name):
    (copied / name).write_bytes(b"not what it was\n" * 2)
    one = only(copied)
    with pytest.raises(InputError, match=f"{name} cannot be read"):
        _ = one.measures, one.hits(["c1"], 1), one.latencies(), one.judgments()


@pytest.mark.parametrize("name", ["per_query.parquet", "hits.parquet", "requests.parquet"])
def test_a_missing_file_is_named(copied, name):
    (copied / name).unlink()
    one = only(copied)
    with pytest.raises(InputError, match=f"{name} does not exist"):
        _ = one.measures, one.hits(["c1"], 1), one.latencies()


def test_a_run_that_wholly_failed_has_no_latencies(folders, tmp_path: Path):
    with services.running(services.status(400)) as service:
        path = compared.results(tmp_path / "out", folders[0], service.url)
    one = only(path)
    assert one.latencies().size == 0
    assert one.hits(["c1"], 3).is_empty()
    assert one.values(["gold.P@3"])["failure"].null_count() == 0
