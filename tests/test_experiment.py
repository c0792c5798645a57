import itertools
import os
import signal
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import data_sets
import numpy as np
import polars as pl
import pytest
import services
from cases import first_of

from benchbench.errors import InputError, TooManyFailuresError, UnreachableError, WorkerError
from benchbench.experiment import Chunk, Outcome, Settings, run, run_targets
from benchbench.formats.datasets.locate import locate
from benchbench.measures.gate_names import measured_names, measured_numbers
from benchbench.runs.journal import Journal
from benchbench.tasks.criteria import Criteria

COMBINATIONS = [*itertools.product((1, 7, 32, 1000), (1, 8), (1, 5, 4096))]
MEASURED = pl.exclude("latency_ms")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return data_sets.write(tmp_path)


@pytest.fixture
def service(data: Path) -> Iterator[services.Service]:
    with services.running(services.searching(data_sets.collection(data))) as service:
        yield service


def ran(data: Path, url: str, **options) -> tuple[Outcome, pl.DataFrame, str]:
    """Return the outcome, all hits, and the TREC run."""
    chunks: list[Chunk] = []
    outcome = run(data_sets.settings(data, url, **options), chunks.append)
    return outcome, pl.concat([chunk.hits for chunk in chunks]), "".join(chunk.run_lines for chunk in chunks)


@pytest.mark.parametrize("combinations", first_of(COMBINATIONS[::5], COMBINATIONS), ids=len)
def test_batch_size_concurrency_and_chunk_change_no_bit_of_any_result(
    data: Path, service: services.Service, combinations: list[tuple[int, int, int]]
):
    outcome, hits, lines = ran(data, service.url)
    assert outcome.counts["failed"] == 0
    for batch_size, concurrency, chunk in combinations:
        other, other_hits, other_lines = ran(
            data, service.url, batch_size=batch_size, concurrency=concurrency, chunk=chunk
        )
        assert other.per_query.select(MEASURED).equals(outcome.per_query.select(MEASURED))
        assert other.estimates == outcome.estimates
        assert other_hits.equals(hits)
        assert other_lines == lines
        assert other.signature == outcome.signature
        assert other.latency.requests == -(-data_sets.QUERIES // batch_size)


@pytest.mark.parametrize("tasks", first_of(9, 1, 8, 60))
def test_a_chunk_changes_no_bit_of_a_signature_of_many_tasks(data: Path, service: services.Service, tasks: int):
    many = [f"t{n}=within(imprisonment, absolute={n})" for n in range(tasks)]
    criteria = Criteria([f"t{n}" for n in range(tasks)], task=many)
    one, *others = (ran(data, service.url, chunk=chunk, criteria=criteria)[0].signature for chunk in (4096, 5, 1))
    assert others == [one, one]


TIMES = ("due", "sent", "first_byte", "end")


@pytest.mark.parametrize(("workers", "concurrency"), first_of((2, 2), (3, 8)))
def test_worker_processes_change_no_bit_of_any_result(
    data: Path, service: services.Service, workers: int, concurrency: int
):
    begun: list[int] = []
    results = []
    for number in (1, workers):
        chunks: list[Chunk] = []
        begun.append(len(service.messages))
        options = {"batch_size": 1, "concurrency": concurrency, "chunk": 5, "workers": number}
        results.append((run(data_sets.settings(data, service.url, **options), chunks.append), chunks))
    (alone, one), (together, several) = results
    assert len(service.messages) - begun[1] == begun[1] - begun[0] == data_sets.QUERIES
    assert together.per_query.select(MEASURED).equals(alone.per_query.select(MEASURED))
    assert (together.counts, together.estimates) == (alone.counts, alone.estimates)
    assert together.hit_faults == alone.hit_faults
    assert together.signature == alone.signature
    assert len(one) == len(several) == 3
    for before, after in zip(one, several, strict=True):
        assert after.run_lines == before.run_lines
        assert after.hits.equals(before.hits)
        assert after.requests.drop(TIMES).equals(before.requests.drop(TIMES))
        assert (after.requests["sent"] >= after.requests["due"]).all()
        assert (after.requests["due"] >= 0.0).all(), "all processes have the same clock"


@pytest.mark.slow  # two processes for each of two services
def test_targets_may_have_workers_too(data: Path, service: services.Service):
    with services.running(services.no_hits) as empty:
        settings = data_sets.settings(data, None, batch_size=1, concurrency=2, workers=2)
        outcomes = run_targets(replace(settings, targets={"good": service.url, "bad": empty.url}))
    assert outcomes["good"].estimates == ran(data, service.url)[0].estimates
    assert {one.value for one in outcomes["bad"].estimates} == {0.0}


def test_workers_that_nobody_answers_are_one_unreachable_service(data: Path):
    with services.refusing() as url, pytest.raises(UnreachableError, match=f"^{url}/batch_search refuses connections"):
        run(data_sets.settings(data, url, batch_size=1, workers=2))


@pytest.mark.skipif(sys.platform != "linux", reason="finds the workers in /proc")
def test_what_was_received_before_a_worker_died_is_stored(data: Path, tmp_path: Path):
    def kill(done: int, total: int) -> None:
        if done == 1:
            children = Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text(encoding="ascii")
            os.kill(int(children.split()[-1]), signal.SIGKILL)

    working = services.searching(data_sets.collection(data))
    held = services.held(2, working)
    with services.running(held, held, services.never) as service:
        settings = data_sets.settings(data, service.url, batch_size=1, concurrency=2, workers=2)
        with pytest.raises(WorkerError, match=r"^worker process 2 of 2 was killed"):
            run(settings, progress=kill, journal=Journal(tmp_path / "received"))
    (path,) = (tmp_path / "received").glob("*.parquet")
    assert path.name.startswith("000000000000-")


def test_both_protocols_give_the_same_numbers_over_the_same_retriever(data: Path, service: services.Service):
    ours, _, _ = ran(data, service.url)
    with services.running(services.legal_agent(data_sets.collection(data))) as seed:
        theirs, hits, _ = ran(data, seed.url, protocol="legal-agent")
    assert theirs.per_query.select(MEASURED).equals(ours.per_query.select(MEASURED))
    assert theirs.estimates == ours.estimates
    assert hits["id"].null_count() == len(hits)
    assert all(message.keys() == {"facts", "top_k"} for message in seed.messages)


def test_the_embedded_service_gives_the_same_numbers_as_the_same_retriever_elsewhere(
    data: Path, service: services.Service
):
    elsewhere, hits, lines = ran(data, service.url)
    embedded, embedded_hits, embedded_lines = ran(data, None)
    assert embedded.per_query.select(MEASURED).equals(elsewhere.per_query.select(MEASURED))
    assert (embedded_hits.equals(hits), embedded_lines == lines) == (True, True)


def test_the_querys_own_text_and_its_copies_are_removed_and_counted(data: Path, service: services.Service):
    outcome, hits, _ = ran(data, service.url)
    assert (outcome.counts["self_hits"], outcome.counts["copies"]) == (12, 4)
    assert outcome.counts["own_text_first"] == 12
    removed = hits.filter(pl.col("rank").is_null())
    assert removed["query_id"].to_list() == [f"c{n}" for n in (*sorted(2 * [0, 1, 2, 3]), *range(4, 12))]


def test_queries_of_a_failed_batch_are_counted_scored_0_and_named(data: Path):
    working = services.searching(data_sets.collection(data))
    with services.running(working, services.status(422, "gone"), working) as flaky:
        outcome, hits, _ = ran(data, flaky.url, batch_size=5, concurrency=1)
    failed = [f"c{n}" for n in range(5, 10)]
    assert (outcome.counts["failed"], outcome.counts["scored"]) == (5, 7)
    assert outcome.failures == {"HTTP 422: gone": 5}
    rows = outcome.per_query.filter(pl.col("failure").is_not_null())
    assert rows["query_id"].to_list() == failed
    assert rows["failure"].unique().to_list() == ["HTTP 422: gone"]
    measures = [name for name in rows.columns if "@" in name]
    assert len(measures) == 4 * 3 * 6
    assert rows.select(pl.sum_horizontal(pl.col(measures).sum())).item() == 0
    assert not set(failed) & set(hits["query_id"])
    assert "(scored 7, failed 5, without positives 1)" in str(outcome.signature)


def test_failed_queries_count_in_the_means_as_0_and_change_no_other_query(data: Path, service: services.Service):
    whole, _, _ = ran(data, service.url)
    working = services.searching(data_sets.collection(data))
    with services.running(services.html, working) as flaky:
        part, _, _ = ran(data, flaky.url, batch_size=6, concurrency=1)
    assert part.per_query[6:].select(MEASURED).equals(whole.per_query[6:].select(MEASURED))
    values = part.per_query["accusation.P@3"].to_numpy()
    (mean,) = (one.value for one in part.estimates if (one.task, one.measure) == ("accusation", "P@3"))
    assert mean == pytest.approx(np.mean(values), rel=1e-12)
    assert mean == 0.5


def test_a_service_without_hits_scores_0_and_fails_nothing(data: Path):
    with services.running(services.no_hits) as empty:
        outcome, hits, lines = ran(data, empty.url)
    assert (outcome.counts["failed"], outcome.counts["short_lists"], len(hits), lines) == (0, 12, 0, "")
    assert {one.value for one in outcome.estimates} == {0.0}


USELESS = [
    (services.other_keys, "protocol error: no hit can be used: .* they have the keys 'docno, rel_score'"),
    (services.no_hits, "every list of hits is empty"),
    (services.html, "protocol error: the body is not JSON"),
]


@pytest.mark.parametrize(
    ("answer", "reason", "workers"), [*((*one, 1) for one in USELESS), *first_of(*((*one, 2) for one in USELESS))]
)
def test_first_answers_without_a_hit_to_use_end_the_run_and_are_kept(
    tmp_path: Path, answer: services.Answer, reason: str, workers: int
):
    data, journal = locate("synthetic-cases"), Journal(tmp_path / "received")
    settings = Settings(data, batch_size=8, concurrency=2, workers=workers)
    with services.running(answer) as service:
        settings = replace(settings, url=service.url)
        with pytest.raises(TooManyFailuresError, match=f"^{service.url}/batch_search answers, .*first 32 .*: {reason}"):
            run(settings, journal=journal)
        asked = len(service.messages)
    assert 4 <= asked < 4 + 2 * 4 + 1
    kept = [batch for path in (tmp_path / "received").glob("*.parquet") for batch in pl.read_parquet(path)["count"]]
    assert kept == [8] * 4


def test_a_run_that_goes_on_asks_no_further_when_nothing_usable_comes_still(tmp_path: Path):
    journal = Journal(tmp_path / "received")
    with services.running(services.no_hits) as service:
        settings = Settings(locate("synthetic-cases"), url=service.url, batch_size=32, concurrency=1)
        for _ in range(2):
            with pytest.raises(TooManyFailuresError):
                run(settings, journal=journal)


def test_progress_goes_from_none_to_all(data: Path, service: services.Service):
    seen: list[tuple[int, int]] = []
    run(data_sets.settings(data, service.url, batch_size=5), progress=lambda done, total: seen.append((done, total)))
    assert seen == [(0, 12), (5, 12), (10, 12), (12, 12)]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_sink_that_fails_ends_the_run_and_nothing_is_left_running(data: Path, caplog, workers: int):
    def full(chunk: Chunk) -> None:
        raise InputError("the disk is full")

    working = services.searching(data_sets.collection(data))
    first = data_sets.lines()[0]["query"]["fact"]  # of several under way, any may come first
    answer = services.choosing(lambda n, message: working if first in message["queries"] else services.never)
    with services.running(answer) as service, pytest.raises(InputError, match="the disk is full"):
        run(data_sets.settings(data, service.url, batch_size=1, concurrency=4, chunk=1, workers=workers), full)
    assert not [one for one in caplog.records if one.name == "asyncio" and one.levelname != "DEBUG"]


@pytest.mark.parametrize(("every", "files"), [(0.0, 3), (3600.0, 1)])
def test_what_is_received_is_stored_at_least_every_so_many_seconds(
    data: Path, service: services.Service, tmp_path: Path, monkeypatch, every: float, files: int
):
    monkeypatch.setattr("benchbench.experiment._STORE_EVERY", every)
    run(data_sets.settings(data, service.url, batch_size=5), journal=Journal(tmp_path / "received"))
    assert len(list((tmp_path / "received").glob("*.parquet"))) == files


def test_what_gates_may_name_is_what_is_measured(data: Path, service: services.Service):
    outcome, _, _ = ran(data, service.url, fail_if=("p99<0ms", "gold.nDCG@10>1"))
    numbers = measured_numbers(outcome.estimates, outcome.latency, 12, 0)
    values = {".".join([*one.scope.values(), one.name]): one.value for one in numbers}
    assert set(measured_names(outcome.tasks, outcome.settings.criteria.measures)) == values.keys()
    assert [(gate.name, gate.value, gate.failure) for gate in outcome.gates] == [
        (name, values[name], None) for name in ("p99", "gold.nDCG@10")
    ]


def test_an_unreachable_service_raises_before_anything_reaches_the_sink(data: Path):
    chunks: list[Chunk] = []
    with services.refusing() as url, pytest.raises(UnreachableError):
        run(data_sets.settings(data, url), chunks.append)
    assert chunks == []


def test_tasks_without_labels_are_left_out_unless_they_were_named(data: Path, service: services.Service):
    lines = data_sets.lines()
    for line in lines:
        del line["query"]["meta"]["accusation"]
    data_sets.write_lines(data / "tiered.jsonl", lines)
    assert ran(data, service.url)[0].tasks == ("gold", "article", "imprisonment")
    with pytest.raises(InputError, match=r"^--tasks accusation"):
        ran(data, service.url, criteria=Criteria(tasks=("gold", "accusation")))


def test_without_a_collection_there_is_nothing_to_serve(data: Path):
    settings = replace(data_sets.settings(data, None), dataset=replace(locate(str(data)), collection=None))
    with pytest.raises(InputError, match=r"has no collection\.jsonl beside it"):
        run(settings)
