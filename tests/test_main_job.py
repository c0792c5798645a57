"""The main job on real judgments, against twins and oracles: 300 queries of CAIL2018 over all 3,675 cases, or fewer."""

from pathlib import Path

import naive
import numpy as np
import orjson
import polars as pl
import pytest
import pytrec_eval
import services
from cases import check_rows, first_of

from benchbench.experiment import CHUNK, Outcome, Settings, run
from benchbench.formats.collection import read_collection
from benchbench.formats.datasets.data_set import COLLECTION, DataSet
from benchbench.formats.datasets.locate import locate
from benchbench.formats.datasets.tiered import QUERIES
from benchbench.prepare.cail import CailFile
from benchbench.prepare.tiered import Choice, write_tiered
from benchbench.report.draw import pages
from benchbench.runs.run_folder import ResultsFolder
from benchbench.tables.collection import Collection
from benchbench.tables.hashing import content_digest

TOP_K = 20
SMALL, WHOLE = [600, 60], [3_675, 300]  # cases and queries


@pytest.fixture(scope="module", params=first_of(SMALL, WHOLE), ids=lambda size: f"{size[1]} queries")
def size(request: pytest.FixtureRequest) -> list[int]:
    """Return the number of cases and of queries."""
    return request.param


@pytest.fixture(scope="module")
def data(shared_data: Path, size: list[int], tmp_path_factory: pytest.TempPathFactory) -> DataSet:
    folder = tmp_path_factory.mktemp("cail")
    lines = (shared_data / "cail2018" / "data_train.json").read_bytes().splitlines(keepends=True)
    file = folder / "cases.json"
    file.write_bytes(b"".join(lines[: size[0]]))
    write_tiered(CailFile(file, "gb18030", False, content_digest()), folder / "data", Choice(queries=size[1]), dict)
    return locate(str(folder / "data"))


@pytest.fixture(scope="module")
def collection(data: DataSet) -> Collection:
    assert data.collection is not None
    return read_collection(data.collection)


@pytest.fixture(scope="module")
def lines(data: DataSet) -> list[naive.Record]:
    return [orjson.loads(line) for line in data.queries.path.read_bytes().splitlines()]


@pytest.fixture(scope="module")
def ran(data: DataSet, tmp_path_factory: pytest.TempPathFactory) -> tuple[Outcome, Path]:
    """Run through the embedded service, a process of its own, and write the folder."""
    path = tmp_path_factory.mktemp("results") / "run"
    with ResultsFolder(path) as folder:
        outcome = run(Settings(data), folder.append)
        folder.finish(outcome, pages)
    return outcome, path


def test_values_of_all_tasks_equal_the_naive_twin(
    ran: tuple[Outcome, Path], collection: Collection, lines: list[naive.Record], size: list[int]
):
    """The twin gets its hits from the retriever itself: no protocol, no hash and no column in between."""
    retriever = services.index_of(collection)
    rows = ran[0].per_query.to_dicts()
    assert (len(collection.ids), len(rows), len(lines)) == (*size, size[1])
    for line, row in zip(lines, rows, strict=True):
        numbers, _ = retriever.search(line["query"]["fact"], TOP_K)
        hits = [
            {"id": collection.ids[d], "text": collection.texts[d], "meta": collection.meta[d]} for d in numbers.tolist()
        ]
        fate, values = naive.judge_query(line, hits)
        assert row["query_id"] == line["query_id"]
        assert row["self_hits"] == fate.count("self")
        assert row["copies"] == fate.count("copy")
        for (task, measure), value in values.items():
            assert abs(row[f"{task}.{measure}"] - value) <= 1e-12, (task, measure, line["query_id"])


def test_gold_equals_pytrec_eval_on_the_written_files(ran: tuple[Outcome, Path], size: list[int]):
    outcome, folder = ran
    with (folder / "qrels.trec").open() as qrels, (folder / "run.trec").open() as trec_run:
        judged, hits = pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(trec_run)
    measures = {"P.3,5,10", "success.3,5,10", "ndcg_cut.3,5,10"}
    oracle = pytrec_eval.RelevanceEvaluator(judged, measures).evaluate(hits)
    first_ten = {q: dict(sorted(h.items(), key=lambda item: -item[1])[:10]) for q, h in hits.items()}
    ranks = pytrec_eval.RelevanceEvaluator(judged, {"recip_rank"}).evaluate(first_ten)
    assert len(oracle) == size[1]
    for row in outcome.per_query.iter_rows(named=True):
        other = oracle[row["query_id"]]
        for k in (3, 5, 10):
            assert row[f"gold.P@{k}"] == pytest.approx(other[f"P_{k}"], abs=1e-12)
            assert row[f"gold.Success@{k}"] == pytest.approx(other[f"success_{k}"], abs=1e-12)
            assert row[f"gold.nDCG@{k}"] == pytest.approx(other[f"ndcg_cut_{k}"], abs=1e-12)
        assert row["gold.RR@10"] == pytest.approx(ranks[row["query_id"]]["recip_rank"], abs=1e-12)


def test_full_recall_equals_pytrec_eval(data: DataSet, collection: Collection, tmp_path: Path):
    from benchbench.tasks.criteria import Criteria

    with services.running(services.searching(collection)) as service, ResultsFolder(tmp_path / "run") as folder:
        outcome = run(Settings(data, url=service.url, criteria=Criteria(recall_denominator="full")), folder.append)
        folder.finish(outcome)
    with (folder.path / "qrels.trec").open() as qrels, (folder.path / "run.trec").open() as trec_run:
        judged, hits = pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(trec_run)
    oracle = pytrec_eval.RelevanceEvaluator(judged, {"recall.3,5,10"}).evaluate(hits)
    for row in outcome.per_query.iter_rows(named=True):
        for k in (3, 5, 10):
            assert row[f"gold.R@{k}"] == pytest.approx(oracle[row["query_id"]][f"recall_{k}"], abs=1e-12)


def test_no_querys_own_text_is_ranked_though_it_stood_first(
    ran: tuple[Outcome, Path], collection: Collection, lines: list[naive.Record]
):
    outcome, folder = ran
    hits = pl.read_parquet(folder / "hits.parquet")
    own = {line["query_id"]: naive.text_of(line["query"]) for line in lines}
    texts = dict(zip(collection.ids, collection.texts, strict=True))
    for query, document, rank in hits.select("query_id", "id", "rank").iter_rows():
        assert rank is None or naive.text_of({"text": texts[document]}) != own[query]
    assert outcome.counts["own_text_first"] > len(lines) / 2
    summary = (folder / "evaluate_summary.txt").read_text(encoding="utf-8")
    assert f"{outcome.counts['self_hits']:,} self-retrievals" in summary
    copies = outcome.counts["copies"]
    assert f"{copies:,} cop" in summary if copies else "copies" not in summary


def test_a_service_in_the_seeds_shape_gives_the_same_numbers(
    ran: tuple[Outcome, Path], data: DataSet, collection: Collection
):
    with services.running(services.legal_agent(collection)) as service:
        other = run(Settings(data, url=service.url, protocol="legal-agent"))
    assert without_latency(other).equals(without_latency(ran[0]))
    assert other.estimates == ran[0].estimates


def test_batches_concurrency_and_chunks_change_no_bit(
    ran: tuple[Outcome, Path], data: DataSet, collection: Collection, size: list[int]
):
    def check_case(batch_size: int, concurrency: int, chunk: int):
        settings = Settings(data, url=service.url, batch_size=batch_size, concurrency=concurrency, chunk=chunk)
        other = run(settings)
        ours, theirs = without_latency(ran[0]), without_latency(other)
        assert ours.equals(theirs)
        for name in ours.columns:
            if ours[name].dtype == pl.Float64:
                assert np.array_equal(ours[name].to_numpy().view(np.uint64), theirs[name].to_numpy().view(np.uint64))
        assert other.signature == ran[0].signature
        assert other.estimates == ran[0].estimates

    with services.running(services.searching(collection)) as service:
        small = ((1, 8, CHUNK), (7, 1, 25), (32, 3, 1), (1000, 8, 16))
        check_rows(check_case, small if size is SMALL else [(7, 8, 100)])


def without_latency(outcome: Outcome) -> pl.DataFrame:
    return outcome.per_query.drop("latency_ms")


def test_the_shipped_data_set_is_reproducible_to_the_byte(tmp_path: Path):
    from benchbench.cli.main import cli

    shipped = locate("synthetic-cases")
    words = ["prepare", "synthetic", "--cases", "1900", "--out", str(tmp_path), "--quiet"]
    assert f"`benchbench {' '.join(words[:4])} --out" in (Path(__file__).parents[1] / "datasets/README.md").read_text()
    cli.main(words, standalone_mode=False)
    assert shipped.collection is not None
    for name in (QUERIES, COLLECTION, "tiered.card.json"):
        assert (tmp_path / name).read_bytes() == (shipped.queries.path.parent / name).read_bytes()
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 2_000_000
