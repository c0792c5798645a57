"""Clients measured in turn."""

import contextlib
from collections.abc import Iterator

import pytest

from benchbench.formats.collection import read_collection
from benchbench.formats.datasets.locate import locate
from benchbench.profile import clients
from benchbench.profile.client import ClientProfile, ClientWorkload, measure
from benchbench.profile.clients import Client, Work
from benchbench.tasks.criteria import Criteria
from benchbench.tasks.judging import judging_of

DATA = locate("synthetic-cases")
JUDGING = judging_of(Criteria(), DATA)
assert DATA.collection is not None
DOCUMENTS = read_collection(DATA.collection)
ANSWERS = ("texts and labels", "ids and scores", "hashes and labels")
SMALL = ClientWorkload(20, 8, 5, 2)


@contextlib.contextmanager
def nowhere(body: bytes) -> Iterator[str]:
    """Serve nothing, to clients that ask nobody."""
    yield ""


def stand_in(name: str, hits: int = 0, error: str | None = None) -> Client:
    """Return a client that says it has seen all hits and so many more, or raises."""

    def ask(work: Work) -> int:
        if error is not None:
            raise RuntimeError(error)
        return len(work.queries) * work.hits + hits

    return Client(name, "1", ask)


def measured(*compared: Client, rounds: int = 1) -> ClientProfile:
    return measure(SMALL, JUDGING, DOCUMENTS, compared, rounds, served=("nobody", nowhere)).measured


def test_all_clients_see_every_hit_of_a_canned_service():
    standard = Client("standard", None, clients._standard)
    profile = measure(SMALL, JUDGING, DOCUMENTS, [clients.ours(), *clients.peers(), standard], 1).measured
    assert [row.failure for row in profile.rows] == [None] * 12
    assert profile.workload.queries == 24  # whole batches
    assert all(row.requests_per_s > 0 for row in profile.rows)


def test_each_answer_and_client_has_a_row_with_medians_and_ratios():
    profile = measured(stand_in("ours"), stand_in("other"), rounds=3)
    assert [(row.answer, row.client) for row in profile.rows] == [
        (answer, client) for answer in ANSWERS for client in ("ours", "other")
    ]
    for ours, other in (profile.rows[:2], profile.rows[2:4], profile.rows[4:]):
        assert len(ours.rounds) == len(other.rounds) == 3
        assert ours.ratio == 1.0
        assert other.ratio == sorted(other.rounds)[1] / sorted(ours.rounds)[1]
        assert other.queries_per_s == pytest.approx(24 / sorted(other.rounds)[1])
    assert profile.rows[0].bytes > profile.rows[4].bytes > profile.rows[2].bytes


@pytest.mark.parametrize(
    ("client", "reason"),
    [
        (stand_in("bad", -1), "ValueError: 119 hits, not 120"),
        (stand_in("bad", error="no\nluck"), "RuntimeError: no luck"),
    ],
)
def test_a_client_that_fails_or_misses_a_hit_is_a_row_and_the_others_go_on(client: Client, reason: str):
    rows = measured(stand_in("ours"), client, stand_in("other")).rows
    assert (rows[1].failure, rows[1].ratio, rows[1].rounds) == (reason, None, ())
    assert rows[2].failure is None


def test_where_we_fail_ourselves_the_others_have_figures_and_no_ratios():
    ours, other = measured(stand_in("ours", 1), stand_in("other")).rows[:2]
    assert ours.failure is not None
    assert other.requests_per_s is not None
    assert other.ratio is None


def test_without_requests_the_standard_librarys_client_stands_for_it(monkeypatch):
    monkeypatch.setattr(clients, "installed", lambda package: None if package == "requests" else "1")
    assert [client.name for client in clients.peers()] == ["http.client + json + md5", "no network: orjson + xxh3"]
    monkeypatch.setattr(clients, "installed", lambda package: "1")
    assert clients.peers()[0].name == "requests + json + md5"


def test_our_own_failed_batch_is_a_failure_and_not_fewer_hits():
    rows = measure(SMALL, JUDGING, DOCUMENTS, [clients.ours()], 1, served=("nobody", refusing)).measured.rows
    assert "refuses connections" in (rows[0].failure or "")


@contextlib.contextmanager
def refusing(body: bytes) -> Iterator[str]:
    import services

    with services.refusing() as url:
        yield url


@pytest.mark.slow  # it measures
def test_each_stage_of_each_answer_is_measured_in_each_round():
    profile = measure(SMALL, JUDGING, DOCUMENTS, [stand_in("ours")], 3).measured
    assert profile.stages[-1].stage == "whole client"
    assert profile.stages[-1].rounds == tuple(1e6 * took / 3 for took in profile.rows[-1].rounds)  # three requests
    assert [row.failure for row in profile.stages] == [None] * len(profile.stages)
    stages = [row.stage for row in profile.stages if row.answer == "hashes and labels"]
    assert [(row.answer, row.stage) for row in profile.stages] == [(name, one) for name in ANSWERS for one in stages]
    for row in profile.stages:
        assert len(row.rounds) == 3
        assert row.us_per_answer == sorted(row.rounds)[1] > 0
        assert row.us_per_hit == row.us_per_answer / 40


def test_where_our_client_fails_the_stages_have_figures():
    stages = measure(SMALL, JUDGING, DOCUMENTS, [stand_in("ours", 1)], 1).measured.stages
    assert all(row.us_per_answer for row in stages)
    assert "whole client" not in {row.stage for row in stages}


def test_where_stages_cannot_be_measured_a_row_says_why_and_clients_have_figures():
    profile = measured(stand_in("ours"))
    assert [(row.answer, row.stage) for row in profile.stages] == [(answer, "stages") for answer in ANSWERS]
    assert all(row.failure is not None and row.us_per_answer is None for row in profile.stages)
    assert [row.ratio for row in profile.rows] == [1.0] * 3


def test_progress_tells_what_is_next():
    steps: list[tuple[int, int, str]] = []
    measure(SMALL, JUDGING, DOCUMENTS, [stand_in("a")], 1, lambda *step: steps.append(step), ("nobody", nowhere))
    assert [(done, total) for done, total, _ in steps] == [(done, 12) for done in range(13)]
    assert [doing for _, _, doing in steps[:2]] == ["a, texts and labels", "stages, texts and labels"]
