"""What load shows and hides, in virtual time: each of these is the same on a machine that is fast or busy."""

import asyncio

import polars as pl
import pytest
from loaded import driven
from virtual_time import FakeService

from benchbench.client.health import Health, bottleneck
from benchbench.client.transport import Attempt
from benchbench.loads.driver import Post
from benchbench.loads.metrics import METRICS, measured, omission
from benchbench.loads.step import Load

Numbers = tuple[dict[str, float], dict[str, float], pl.DataFrame]


def held(load: Load, post: Post) -> Numbers:
    """Hold a load in virtual time; return its numbers, how the client was, and all requests."""
    frame, health = driven(load, post, [b"ab", b"cd"])
    return measured(load, frame, health).values, health, frame


def said(values: dict[str, float], health: dict[str, float]) -> str | None:
    """Return what is said of a client that works whenever its loop is late: in virtual time no processor does."""
    return bottleneck({**health, "busy_p90_ms": health["lag_p90_ms"]}, values["sent_p50"], values["client_delay_p90"])


def stalling(sent: float) -> float:
    """Answer in 10 ms, but none between the 5th and the 6th second."""
    return max(0.01, 6.0 - sent) if 5.0 <= sent < 6.0 else 0.01


def opened(rate: float = 100.0, places: int = 4, warm_up: float = 0.0, duration: float = 20.0, **options) -> Load:
    return Load(batch_size=1, rate=rate, places=places, warm_up=warm_up, duration=duration, patience=10.0, **options)


def test_a_stall_shows_from_the_due_time_and_hides_from_the_send_time():
    """Of 2,000 requests a hundred fall due in the stall, and only the four with a place are sent into it."""
    values, health, _ = held(opened(), FakeService(stalling).post)
    assert values["requests"] == 2000
    assert values["p99"] == pytest.approx(850.0, abs=100.0)
    assert values["sent_p99"] == pytest.approx(10.0, rel=0.01)
    assert values["max"] == pytest.approx(1000.0, abs=20.0)
    assert values["sent_max"] == pytest.approx(1000.0, abs=20.0)
    assert values["late"] > 90
    assert values["late_by_client"] == 0
    assert said(values, health) is None, "the service stalled, not the client"
    sentence = omission(values)
    assert sentence is not None
    assert (
        "they waited for a free slot while the service was slow, and latency from sending omits that wait" in sentence
    )
    assert "(coordinated omission)" in sentence


def test_a_closed_loop_does_not_see_the_stall_at_p99():
    load = Load(batch_size=1, rate=None, places=4, warm_up=0.0, duration=20.0, patience=10.0)
    values, _, _ = held(load, FakeService(stalling).post)
    assert values["p99.9"] == pytest.approx(10.0, rel=0.01)
    assert values["max"] == pytest.approx(1000.0, abs=20.0)
    assert omission(values) is None


def test_a_steady_service_has_the_same_latency_from_both_times():
    values, _, _ = held(opened(), FakeService(lambda sent: 0.01).post)
    assert values["p99"] == pytest.approx(values["sent_p99"], abs=0.1)
    assert omission(values) is None


def test_failed_and_timed_out_requests_are_in_the_percentiles():
    """A tenth of the requests time out after a second; throughput counts the others only."""
    service = FakeService(
        lambda sent: 1.0 if round(sent * 100) % 10 == 0 else 0.01,
        lambda sent: "no complete answer within 1 s" if round(sent * 100) % 10 == 0 else None,
    )
    values, _, _ = held(opened(places=100), service.post)
    assert values["failed_requests"] == 200
    assert values["error_rate"] == 0.1
    assert values["p50"] == pytest.approx(10.0, rel=0.01)
    assert (values["p95"], values["p99"]) == (pytest.approx(1000.0, rel=0.01),) * 2
    assert values["queries_per_second"] == pytest.approx(90.0, rel=0.001)
    assert values["bytes"] == 1800 * 2


def test_what_was_never_sent_counts_from_its_due_time_only():
    values, _, frame = held(opened(rate=1.0, places=1, duration=3.0), FakeService(lambda sent: 60.0).post)
    assert values["failed_requests"] == 2
    assert values["max"] == pytest.approx(60_000.0, rel=0.01)
    assert values["p50"] == pytest.approx(11_000.0, rel=0.01)
    assert values["sent_p50"] == pytest.approx(60_000.0, rel=0.01)
    assert frame["sent"].null_count() == 2


@pytest.mark.parametrize("rate", [100.0, None])
def test_the_warm_up_is_not_counted(rate: float | None):
    """The service is slow for the two seconds of the warm-up."""
    load = Load(batch_size=1, rate=rate, places=1000 if rate else 2, warm_up=2.0, duration=5.0, patience=10.0)
    values, _, frame = held(load, FakeService(lambda sent: 0.5 if sent < 2.0 else 0.01).post)
    assert values["max"] == pytest.approx(10.0, rel=0.01)
    assert frame.filter(~pl.col("counted"))["due"].max() < 0.0
    assert (frame.filter(~pl.col("counted"))["end"] - frame.filter(~pl.col("counted"))["due"]).max() > 0.4
    assert values["requests"] == len(frame.filter("counted")) < len(frame)


def blocking(service: FakeService, every: int, seconds: float) -> Post:
    """Ask a service with a client that something blocks for so long at every so many-th request."""

    async def post(payload: bytes) -> tuple[Attempt, bytes]:
        if len(service.sent) % every == 0:
            asyncio.get_running_loop().now += seconds
        return await service.post(payload)

    return post


def test_a_slow_client_of_a_fast_service_is_called_out():
    """The loop is blocked for 60 ms at every third request, which is more than half of the time."""
    values, health, _ = held(opened(rate=30.0, places=100), blocking(FakeService(lambda sent: 0.002), 3, 0.06))
    assert health["lag_p90_ms"] > 30.0
    assert str(said(values, health)).startswith("the client was the bottleneck, and the service may be faster than ")


def test_a_slow_client_is_called_out_though_requests_wait_longer_for_a_place():
    """Each place is held for the 12 ms of the service and for the 30 ms that the client lets answers wait."""
    values, health, _ = held(opened(rate=300.0, duration=5.0), blocking(FakeService(lambda sent: 0.012), 10, 0.03))
    assert values["p50"] > 10 * values["sent_p50"]
    assert str(said(values, health)).startswith("the client was the bottleneck, and the service may be faster than ")


def test_a_client_that_is_blocked_for_what_its_service_hardly_notices_is_not():
    """The same client, and a service that takes a second."""
    values, health, _ = held(opened(rate=30.0, places=100), blocking(FakeService(lambda sent: 1.0), 3, 0.06))
    assert health["lag_p90_ms"] > 30.0
    assert said(values, health) is None


def test_a_slow_service_for_whose_places_requests_wait_is_no_slow_client():
    values, health, _ = held(opened(rate=30.0, places=5, duration=5.0), FakeService(lambda sent: 1.0).post)
    assert values["late"] > 50
    assert said(values, health) is None


def test_one_pause_of_the_client_is_no_bottleneck_and_is_the_reason_of_late_requests():
    """One pause of 300 ms in 20 s, with a service that answers in 10 ms."""
    values, health, _ = held(opened(rate=100.0, places=100), blocking(FakeService(lambda sent: 0.01), 10**6, 0.3))
    assert health["lag_p99_ms"] > 25.0
    assert values["late_by_client"] > 0.01 * values["requests"]
    assert said(values, health) is None
    assert "they waited in the client, which could not keep up" in str(omission(values))


@pytest.mark.slow  # thousands of requests in virtual time
def test_a_client_that_falls_behind_its_plan_is_called_out_though_no_look_is_late():
    """Each request takes the client 1.5 ms, and one is due each millisecond: the last is 10 s late."""
    values, health, _ = held(opened(rate=1000.0, places=10**5), blocking(FakeService(lambda sent: 0.002), 1, 0.0015))
    assert health["lag_p99_ms"] < 10.0
    assert f"it kept 10 % of the requests waiting for {values['client_delay_p90']:,.1f} ms or longer" in str(
        said(values, health)
    )


def row(due: float, dispatched: float, placed: float, sent: float | None) -> dict[str, float | str | None]:
    """Return a request that was answered 10 ms after it was sent, or never sent."""
    end, error = (dispatched + 1.0, "never sent") if sent is None else (sent + 0.01, None)
    times = {"due": due, "dispatched": dispatched, "placed": placed, "sent": sent, "end": end}
    return {**times, "counted": True, "error": error, "bytes": 2}


def test_late_by_the_client_is_what_it_lost_before_and_after_a_place_was_free_and_not_the_wait_for_it():
    rows = [
        row(0.0, 0.0, 0.0, 0.001),
        row(0.1, 0.105, 0.2, 0.2),  # 100 ms late, of which 5 ms are its own
        row(0.2, 0.212, 0.212, 0.212),  # taken up late
        row(0.3, 0.3, 0.4, 0.412),  # sent late after its place was free
        row(0.4, 0.406, 0.406, 0.412),  # both together
        row(0.5, 0.512, 0.6, None),  # never sent, and taken up late
        row(0.6, 0.6, 0.7, None),
    ]
    counted = pl.DataFrame(rows, schema_overrides={"sent": pl.Float64})
    values = measured(opened(duration=1.0), counted, Health().figures()).values
    assert values["late"] == 4
    assert values["late_by_client"] == 4


@pytest.mark.parametrize("mark", ["p90", "p99", "mean"])
@pytest.mark.parametrize(
    ("due", "sent", "differ"), [(20.0, 10.0, False), (20.1, 10.05, False), (21.0, 10.4, True), (1000.0, 499.0, True)]
)
def test_waiting_is_told_where_it_doubles_a_latency_and_adds_more_than_ten_milliseconds(mark, due, sent, differ):
    alike = {name: 5.0 for one in ("p90", "p99", "mean") for name in (one, f"sent_{one}")}
    values = {**alike, mark: due, f"sent_{mark}": sent, "late": 10.0, "late_by_client": 0.0}
    told = omission(values)
    assert (told is not None) is differ
    if told is not None:
        assert f"({mark} {due:,.0f} and {sent:,.0f} ms): they waited for a free slot" in told


def test_poisson_arrivals_are_those_of_the_seed():
    dues = [
        held(opened(arrivals="poisson", seed=seed, duration=2.0), FakeService(lambda sent: 0.0).post)[2]["due"]
        for seed in (1, 1, 2)
    ]
    assert dues[0].equals(dues[1])
    assert not dues[0].equals(dues[2])


def test_amortised_time_has_its_own_name_and_is_a_share_of_the_requests():
    load = Load(batch_size=32, rate=100.0, places=8, warm_up=0.0, duration=1.0, patience=10.0)
    values, _, _ = held(load, FakeService(lambda sent: 0.032).post)
    assert values["p50"] == pytest.approx(32.0, rel=0.01)
    assert values["amortised_query_p50"] == pytest.approx(1.0, rel=0.01)
    assert values["queries_per_second"] == pytest.approx(3200.0, rel=0.05)


def test_percentiles_can_be_computed_again_from_the_requests():
    values, _, frame = held(opened(), FakeService(stalling).post)
    milliseconds = ((frame["end"] - frame["due"]) * 1e3).sort()
    for per_mille in (500, 900, 950, 990, 999):
        again = milliseconds[len(frame) * per_mille // 1000 - 1]
        assert values[f"p{per_mille / 10:g}"] == pytest.approx(again, rel=1.1e-3)


def test_every_number_has_its_sentence():
    values, _, _ = held(opened(duration=1.0), FakeService(lambda sent: 0.0).post)
    judged = {"queries_asked", "queries_answered", "queries_new", "queries_repeated", "new_requests", "p99_spells"}
    judged |= {"queries_compared", "queries_changed"}
    judged |= {f"{kind}_{mark}" for kind in ("new", "repeated") for mark in ("p50", "p99")}
    assert set(values) | judged == set(METRICS)
    sentences = [metric.sentence for metric in METRICS.values()]
    assert all(sentence[0] in "`ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" for sentence in sentences)
    assert all(sentence.endswith(".") for sentence in sentences)
