import shutil
from pathlib import Path

import compared
import data_sets
import numpy as np
import orjson
import polars as pl
import pytest
import services

from benchbench.errors import InputError
from benchbench.formats.results import LoadResults, Results, read_results
from benchbench.formats.trec import token


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    return compared.write_results(tmp_path_factory.mktemp("results"))


@pytest.fixture
def copied(folders, tmp_path: Path) -> Path:
    return shutil.copytree(folders[1], tmp_path / "copy")


VALUES = {
    "batch_size": 4,
    "queries_per_second": 9.0,
    "p50": 1.0,
    "p99": None,
    "failed_requests": 0,
    "requests": 9,
}


def only(path: Path) -> Results:
    found = read_results(path)
    assert isinstance(found, list)
    (one,) = found
    return one


def test_a_folder_has_the_name_the_signature_and_the_data_of_its_run(folders):
    data, whole, _ = folders
    one = only(whole)
    assert one.name == "whole"
    assert one.signature.startswith("tasks:gold,accusation,article,imprisonment|")
    assert one.dataset == data / "tiered.jsonl"
    assert one.collection == data / "collection.jsonl"


def test_the_measures_are_those_with_a_value_a_query(folders):
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


def test_latencies_are_those_of_requests_that_were_answered_ascending(copied):
    rows = {
        "first_query": [0, 0, 4, 8],
        "attempt": [1, 2, 1, 1],
        "sent": [0.0, 1.0, 0.0, 0.0],
        "end": [0.5, 3.0, 0.25, 9.0],
        "error": ["timeout", None, None, "timeout"],
    }
    pl.DataFrame(rows).write_parquet(copied / "requests.parquet")
    assert np.allclose(only(copied).latencies(), [250.0, 3000.0])


def test_a_folder_of_targets_has_results_for_each(folders, tmp_path: Path):
    for name in ("a", "b"):
        shutil.copytree(folders[1], tmp_path / name)
    (tmp_path / "summary.json").write_bytes(orjson.dumps({"targets": {"a": {}, "b": {}}}))
    found = read_results(tmp_path)
    assert isinstance(found, list)
    assert [one.path.name for one in found] == ["a", "b"]


def test_a_load_test_has_its_name_signature_and_numbers(tmp_path: Path):
    step = {"name": "one", "values": VALUES}
    whole = {"url": "http://a", "name": "dense", "signature": "self:id|data:x", "queries": 12, "steps": [step]}
    (tmp_path / "summary.json").write_bytes(orjson.dumps(whole))
    (tmp_path / "config.json").write_bytes(orjson.dumps({"options": {"top_k": 20}}))
    assert read_results(tmp_path) == LoadResults(tmp_path, "http://a", "self:id|data:x", 12, 20, "dense", (step,))


def test_a_load_test_of_version_0_1_has_no_signature_and_the_name_of_its_folder(tmp_path: Path):
    path = tmp_path / "dense"
    path.mkdir()
    step = {"name": "one", "values": VALUES}
    (path / "summary.json").write_bytes(orjson.dumps({"url": "http://a", "queries": 12, "steps": [step]}))
    assert read_results(path) == LoadResults(path, "http://a", "", 12, None, "dense", (step,))


@pytest.mark.parametrize("member", [{"signature": 5}, {"name": None}, {"queries": "12"}, {"queries": True}])
def test_a_load_test_with_a_member_of_another_kind_is_refused(tmp_path: Path, member):
    whole = {
        "url": "http://a",
        "name": "a",
        "signature": "",
        "queries": 12,
        "steps": [{"name": "one", "values": VALUES}],
    }
    (tmp_path / "summary.json").write_bytes(orjson.dumps({**whole, **member}))
    with pytest.raises(InputError, match=r"is no results folder: its summary\.json is not that of a load test"):
        read_results(tmp_path)


def write(name: str, content: bytes):
    return lambda path: (path / name).write_bytes(content)


def change(name: str, **members: object):
    def spoil(path: Path) -> None:
        (path / name).write_bytes(orjson.dumps({**orjson.loads((path / name).read_bytes()), **members}))

    return spoil


def option(**members: object):
    def spoil(path: Path) -> None:
        change("config.json", options={**orjson.loads((path / "config.json").read_bytes())["options"], **members})(path)

    return spoil


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda path: (path / "summary.json").unlink(), "is no results folder: it has no summary.json"),
        (lambda path: (path / "config.json").unlink(), "config.json does not exist"),
        (write("summary.json", b"{"), r"summary\.json, line 1, column 2: not JSON \(unexpected end of data\)"),
        (write("summary.json", b"[]"), "summary.json is not a JSON object"),
        (write("summary.json", b"{}"), "is not that of a run"),
        (write("config.json", b"{}"), "is not that of a run"),
        (write("summary.json", b'{"steps": [1]}'), "is not that of a load test"),
        (write("summary.json", b'{"steps": 1}'), "is not that of a load test"),
        (write("summary.json", b'{"steps": [{"name": "one", "values": []}]}'), "is not that of a load test"),
        (write("summary.json", b'{"steps": [{"name": "one", "values": {"p50": 1}}]}'), "is not that of a load test"),
        (change("summary.json", targets=3), "summary.json is damaged: its targets are not a JSON object"),
        (change("summary.json", counts=[]), "summary.json is damaged: counts is not what a run writes there"),
        (change("summary.json", counts={"judged": "many"}), "summary.json is damaged: counts are whole numbers"),
        (change("summary.json", latency_ms=None), "summary.json is damaged: latency_ms is not"),
        (change("summary.json", throughput={}), "summary.json is damaged: throughput has no queries_per_second"),
        (change("config.json", options={"dataset": 1}), "its config.json is not that of a run"),
        (option(dataset=1), "config.json is damaged: dataset is not what a run writes there"),
        (option(batch_size="many"), "config.json is damaged: batch_size is not"),
        (option(top_k=[10]), "config.json is damaged: top_k is not"),
        (option(collection=["c"]), "config.json is damaged: collection is not"),
    ],
)
def test_what_is_no_results_folder_is_refused(copied, spoil, reason):
    spoil(copied)
    with pytest.raises(InputError, match=reason):
        read_results(copied)


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


def test_an_unfinished_run_says_how_to_finish_it(folders, tmp_path: Path):
    path = shutil.copytree(folders[1], tmp_path / "run.partial")
    with pytest.raises(InputError, match="finish it with `benchbench run --resume`"):
        read_results(path)


def test_what_is_not_there_and_what_is_a_file_are_told_apart(tmp_path: Path):
    with pytest.raises(InputError, match="nowhere does not exist"):
        read_results(tmp_path / "nowhere")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="file is not a folder"):
        read_results(tmp_path / "file")


def test_a_run_that_wholly_failed_has_no_latencies(folders, tmp_path: Path):
    with services.running(services.status(400)) as service:
        path = compared.results(tmp_path / "out", folders[0], service.url)
    one = only(path)
    assert one.latencies().size == 0
    assert one.hits(["c1"], 3).is_empty()
    assert one.values(["gold.P@3"])["failure"].null_count() == 0
