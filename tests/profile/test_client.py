"""Clients measured in turn."""

import contextlib
from collections.abc import Iterator

import pytest

from benchbench.formats.collection import read_collection
from benchbench.formats.datasets.locate import locate
from benchbench.formats.tiered import read_tiered
from benchbench.profile import clients
from benchbench.profile.client import ClientProfile, Workload, measure
from benchbench.profile.clients import Client, Work

DATA = locate("synthetic-cases")
QUERIES = read_tiered(DATA.queries.path)
assert DATA.collection is not None
DOCUMENTS = read_collection(DATA.collection)
SMALL = Workload(20, 8, 5, 2)


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
    return measure(SMALL, QUERIES, DOCUMENTS, compared, rounds, served=("nobody", nowhere)).found


def test_all_clients_see_every_hit_of_a_canned_service():
    standard = Client("standard", None, clients._standard)
    profile = measure(SMALL, QUERIES, DOCUMENTS, [clients.ours(), *clients.peers(), standard], 1).found
    assert [row.failure for row in profile.rows] == [None] * 8
    assert profile.workload.queries == 24  # whole batches
    assert all(row.requests_per_s > 0 for row in profile.rows)


def test_each_answer_and_client_has_a_row_with_medians_and_ratios():
    profile = measured(stand_in("ours"), stand_in("other"), rounds=3)
    assert [(row.answer, row.client) for row in profile.rows] == [
        (answer, client) for answer in ("texts and labels", "ids and scores") for client in ("ours", "other")
    ]
    for ours, other in (profile.rows[:2], profile.rows[2:]):
        assert len(ours.rounds) == len(other.rounds) == 3
        assert ours.ratio == 1.0
        assert other.ratio == sorted(other.rounds)[1] / sorted(ours.rounds)[1]
        assert other.queries_per_s == pytest.approx(24 / sorted(other.rounds)[1])
    assert profile.rows[0].bytes > profile.rows[2].bytes


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
    rows = measure(SMALL, QUERIES, DOCUMENTS, [clients.ours()], 1, served=("nobody", refusing)).found.rows
    assert "refuses connections" in (rows[0].failure or "")


@contextlib.contextmanager
def refusing(body: bytes) -> Iterator[str]:
    import services

    with services.refusing() as url:
        yield url


def test_progress_tells_what_is_next():
    steps: list[tuple[int, int, str]] = []
    measure(SMALL, QUERIES, DOCUMENTS, [stand_in("a")], 1, lambda *step: steps.append(step), ("nobody", nowhere))
    assert [(done, total) for done, total, _ in steps] == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]
    assert steps[0][2] == "a, texts and labels"
