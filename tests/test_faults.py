"""Every row of the fault table, through a whole run: nothing hangs, nothing is lost, nothing else changes."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import data_sets
import polars as pl
import pytest
import services
from cases import first_of

import benchbench as bb
from benchbench.formats.collection import read_collection

MEASURED = pl.exclude("latency_ms", "failure")
TRANSIENT = {
    "429": services.status(429, "slow down", Retry_After="0"),
    "502": services.status(502),
    "503": services.status(503, "busy"),
    "504": services.status(504),
    "500 once": services.status(500),
    "reset": services.reset,
    "reset in the body": services.reset_in_body,
    "no answer": services.never,
}
PAGE = "<!DOCTYPE HTML>\n<html><head><title>Error</title></head><body><h1>Not &lt;found&gt;</h1> here</body></html>"
LASTING = {  # what it is -> (answer, how the reason begins)
    "429": (services.status(429, "slow down", Retry_After="0"), "HTTP 429: slow down"),
    "500": (services.status(500, "oops"), "HTTP 500: oops"),
    "404": (services.status(404, "gone"), "HTTP 404 from POST http://"),
    "a page of an error": (services.status(500, PAGE), "HTTP 500: Not &lt;found&gt; here"),
    "reset in the body": (services.reset_in_body, "connection broken: "),
    "no answer": (services.never, "no complete answer within "),
    "truncated": (services.truncated, "protocol error: the body is not JSON"),
    "HTML": (services.html, "protocol error: the body is not JSON: it starts with '<!doctype html>"),
    "too few lists": (services.too_few_lists, "protocol error: 1 result lists for 2 queries"),
    "a huge body": (services.endless, "the body is larger than 1,048,576 bytes"),
    "a huge announced body": (services.announce_too_much, "the body is larger than 1,048,576 bytes"),
}
OPTIONS = {"batch_size": 2, "retries": 1, "timeout": 2.0, "backoff": 0.0, "max_response_mb": 1}


@pytest.fixture(scope="module")
def data() -> bb.DataSet:
    return bb.locate("synthetic-cases")


@pytest.fixture(scope="module")
def working(data: bb.DataSet) -> services.Answer:
    assert data.collection is not None
    return services.searching(read_collection(data.collection))


@pytest.fixture(scope="module")
def calm(data: bb.DataSet, working: services.Answer) -> bb.Outcome:
    with services.running(working) as service:
        return bb.run(bb.Settings(data, url=service.url, **OPTIONS))


def every_fifth(calm: bb.Outcome) -> Iterator[str]:
    """Yield the first text of a fifth of the batches, chosen by lot."""
    firsts = calm.queries.texts[::2]
    yield from Random(20).sample(firsts, len(firsts) // 5)


@pytest.mark.parametrize("workers", first_of(1, 2))
def test_faults_that_pass_are_retried_and_change_no_number(data, working, calm, workers: int):
    chosen = list(every_fifth(calm))
    faults = dict(zip(chosen, [*TRANSIENT.values()] * 20, strict=False))
    with services.running(
        services.choosing(lambda number, message: faults.pop(message["queries"][0], working))
    ) as service:
        rough = bb.run(bb.Settings(data, url=service.url, workers=workers, **OPTIONS))
    assert faults == {}
    assert rough.counts == calm.counts
    assert rough.per_query.select(MEASURED).equals(calm.per_query.select(MEASURED))
    assert rough.estimates == calm.estimates
    assert rough.signature == calm.signature
    assert rough.latency.attempts - rough.latency.requests == rough.latency.failed_attempts >= len(chosen)


@pytest.mark.parametrize("workers", first_of(1, 2))
def test_faults_that_stay_fail_their_own_queries_and_no_other(data, working, calm, workers: int):
    chosen = list(every_fifth(calm))
    faults = dict(zip(chosen, [*LASTING.values()] * 20, strict=False))
    with services.running(
        services.choosing(lambda number, message: faults.get(message["queries"][0], (working, ""))[0])
    ) as service:
        rough = bb.run(bb.Settings(data, url=service.url, workers=workers, **OPTIONS))
    texts = calm.queries.texts
    failed = {q: faults[texts[q - q % 2]][1] for q in range(len(texts)) if texts[q - q % 2] in faults}
    assert rough.counts["failed"] == len(failed) == 2 * len(chosen)
    assert rough.counts["scored"] + rough.counts["failed"] == sum(rough.failures.values()) + rough.counts["scored"]
    rows = rough.per_query
    for q, reason in enumerate(rows["failure"].to_list()):
        assert (reason is None) == (q not in failed)
        assert reason is None or reason.startswith(failed[q])
    came_through = pl.col("failure").is_null()
    kept = rows.filter(came_through)
    assert kept.select(MEASURED).equals(
        calm.per_query.filter(pl.col("query_id").is_in(kept["query_id"].to_list())).select(MEASURED)
    )
    lost = rows.filter(~came_through).select(pl.col("^.*@.*$"))
    assert lost.sum().sum_horizontal().item() == 0


@pytest.mark.parametrize("odd", first_of("dripping", "backwards", "late"))
def test_slow_pieces_another_order_of_members_and_a_late_first_batch_are_no_faults(data, working, calm, odd: str):
    late = services.held(20, working)
    other = {
        "dripping": services.dripping(working),
        "backwards": services.changed(working, services.backwards),
        "late": services.choosing(lambda number, message: late if number == 0 else working),
    }
    with services.running(other[odd]) as service:
        outcome = bb.run(bb.Settings(data, url=service.url, **OPTIONS | {"timeout": 60.0}))
    assert (outcome.counts, outcome.estimates) == (calm.counts, calm.estimates)


# A service that goes down


def down_after(number: int, answer: services.Answer, attempts: int) -> services.Answer:
    """Fail so many attempts from a number on, and answer again afterwards."""
    busy = services.status(503, "busy")
    return services.choosing(lambda n, message: busy if number <= n < number + attempts else answer)


def run_over(folder: Path, answer: services.Answer, **options: object) -> tuple[bb.Outcome, services.Service]:
    with services.running(answer) as service:
        settings = {"batch_size": 1, "concurrency": 1, "retries": 0, "backoff": 0.0, "give_up_after": 3} | options
        return data_sets.outcome(folder, service.url, **settings), service


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return data_sets.write(tmp_path)


def test_an_outage_in_the_middle_is_waited_for_and_loses_nothing(small: Path):
    outcome, service = run_over(small, down_after(2, services.echo, attempts=40), retries=None, give_up_after=0)
    assert (outcome.failures, len(service.messages)) == ({}, 12 + 40)


def test_a_service_that_comes_back_after_the_breaker_opened_loses_no_further_batch(small: Path):
    outcome, service = run_over(small, down_after(2, services.echo, attempts=5))
    assert outcome.failures == {"HTTP 503: busy": 3}
    assert outcome.per_query["failure"].is_null().to_list() == [True] * 2 + [False] * 3 + [True] * 7
    assert len(service.messages) == 2 + 5 + 7


@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_service_that_stays_down_is_given_up_and_the_rest_fails_at_once_with_the_reason(
    small: Path, concurrency: int
):
    outcome, service = run_over(small, down_after(2, services.echo, attempts=1000), concurrency=concurrency)
    given_up = [reason for reason in outcome.failures if reason.startswith("not asked: ")]
    assert len(given_up) == 1
    assert given_up[0].endswith(
        "batches in a row had failed, and so did 3 more attempts, the last with: HTTP 503: busy"
    )
    assert outcome.counts["failed"] == 10 == sum(outcome.failures.values())
    assert len(service.messages) <= 2 + 3 + (concurrency - 1) + 3
    rows = outcome.per_query
    assert rows["latency_ms"].is_null().to_list() == [reason in given_up for reason in rows["failure"].to_list()]


def test_what_opens_the_breaker_had_all_its_retries_and_what_goes_alone_as_many_attempts_as_failures_opened_it(
    small: Path,
):
    outcome, service = run_over(small, down_after(2, services.echo, attempts=3), retries=3, give_up_after=1)
    assert outcome.failures == {}, "one batch is enough to open it, and that is not over before its last retry"
    assert len(service.messages) == 12 + 3
    outcome, service = run_over(small, down_after(2, services.echo, attempts=1000))
    assert len(service.messages) == 2 + 3 + 3
    outcome, service = run_over(small, down_after(2, services.echo, attempts=3 + 2))
    assert outcome.failures == {"HTTP 503: busy": 3}, "the last attempt of the one that goes alone is answered"


@pytest.mark.slow  # waits for workers
def test_a_worker_that_got_no_answer_yet_knows_that_another_one_did(small: Path):
    """The second of two workers fails with its first batch, and the service is not unreachable for it."""
    text = data_sets.lines()[1]["query"]["fact"]
    answer = services.choosing(lambda n, message: services.never if text in message["queries"] else services.echo)
    outcome, _ = run_over(small, answer, concurrency=2, workers=2, timeout=3.0)
    assert outcome.failures == {"no complete answer within 3 s": 1}


def test_a_worker_whose_attempts_are_spent_waits_for_what_another_one_finds(small: Path):
    """The first text is answered when the other worker's batch has failed three times, and that one goes on then."""
    first = data_sets.lines()[0]["query"]["fact"]
    slow, busy = services.held(4, services.echo), services.status(503)

    def pick(number: int, message: dict[str, list[str]]) -> services.Answer:
        return slow if first in message["queries"] else busy if number < 4 else services.echo

    outcome, service = run_over(small, services.choosing(pick), concurrency=2, workers=2, retries=None)
    assert (outcome.failures, len(service.messages)) == ({}, 12 + 3)


def test_the_only_usable_answer_of_another_worker_counts_though_nothing_else_is_asked_of_it(small: Path):
    """Two batches in all: the answer to the first comes when the other one has failed three times."""
    first = data_sets.lines()[0]["query"]["fact"]
    slow, busy = services.held(4, services.dripping(services.echo)), services.status(503)

    def pick(number: int, message: dict[str, list[str]]) -> services.Answer:
        return slow if first in message["queries"] else busy if number < 4 else services.echo

    answer = services.choosing(pick)
    outcome, service = run_over(small, answer, batch_size=6, concurrency=2, workers=2, retries=None)
    assert (outcome.failures, len(service.messages)) == ({}, 2 + 3)


def test_each_worker_gives_a_service_up_by_itself(small: Path):
    outcome, service = run_over(
        small, down_after(1, services.echo, attempts=1000), concurrency=2, workers=2, give_up_after=2
    )
    assert outcome.counts["failed"] == 11
    given_up = "not asked: 2 batches in a row had failed, and so did 2 more attempts, the last with: HTTP 503: busy"
    assert outcome.failures.keys() == {"HTTP 503: busy", given_up}
    assert len(service.messages) <= 1 + 2 * (2 + 2)


def test_answers_in_between_and_faults_of_single_requests_never_open_the_breaker(small: Path):
    flaky = services.choosing(lambda n, message: services.status(503) if n % 3 else services.echo)
    assert run_over(small, flaky)[0].failures == {"HTTP 503": 8}
    picky = services.choosing(lambda n, message: services.status(422) if n else services.echo)
    outcome, service = run_over(small, picky)
    assert (outcome.failures, len(service.messages)) == ({"HTTP 422": 11}, 12)


@pytest.mark.parametrize("workers", first_of(1, 2))
@pytest.mark.parametrize(
    "answer",
    [
        services.status(502),
        services.status(503, Retry_After="0"),
        services.reset,
        services.status(429, Retry_After="999"),
    ],
)
def test_a_service_that_is_down_from_the_start_is_asked_three_times_at_most_for_each_request_under_way(
    small: Path, answer: services.Answer, workers: int
):
    with (
        services.running(answer) as service,
        pytest.raises(bb.UnreachableError, match=r"gave no .*answer in [13] attempt"),
    ):
        data_sets.outcome(small, service.url, batch_size=1, concurrency=2, backoff=0.0, workers=workers)
    assert len(service.messages) <= 2 * 3


@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (services.status(404), "HTTP 404 from POST http://"),
        (services.status(500), "HTTP 500"),
        (services.html, "protocol error: the body is not JSON"),
    ],
)
def test_a_service_that_is_of_no_use_from_the_start_is_given_up_though_it_answers(
    small: Path, answer: services.Answer, reason: str, concurrency: int
):
    outcome, service = run_over(small, answer, concurrency=concurrency)
    given_up, asked = sorted(outcome.failures, key=lambda said: not said.startswith("not asked"))
    assert asked.startswith(reason)
    assert given_up.startswith("not asked: ")
    assert reason in given_up
    assert outcome.counts["failed"] == 12
    assert len(service.messages) <= 3 + concurrency + 2


@pytest.mark.parametrize("workers", first_of(1, 2))
@pytest.mark.parametrize("code", [401, 403])
def test_a_key_that_is_refused_ends_the_run_with_the_requests_under_way(small: Path, code: int, workers: int):
    with (
        services.running(services.status(code, "no")) as service,
        pytest.raises(bb.TooManyFailuresError, match=rf"lets nobody in \(HTTP {code}: no\); no key was sent: --header"),
    ):
        data_sets.outcome(small, service.url, batch_size=1, concurrency=4, workers=workers)
    assert len(service.messages) == 4


def test_a_request_that_is_forbidden_costs_itself_only(small: Path):
    answer = services.choosing(lambda n, message: services.status(403) if n in (0, 5) else services.echo)
    outcome, service = run_over(small, answer, concurrency=4)
    assert (outcome.failures, len(service.messages)) == ({"HTTP 403": 2}, 12)
