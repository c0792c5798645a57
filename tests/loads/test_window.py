"""Throughput, backlog and state of services of known laws, in virtual time."""

import random
from collections.abc import Callable

import numpy as np
import polars as pl
import pytest
from cases import first_of
from loaded import driven
from virtual_time import FakeService

from benchbench.loads.driver import due_times
from benchbench.loads.metrics import State, Window, saturation, window
from benchbench.loads.step import Load

Law = Callable[[float], float]  # seconds that an answer takes, by the time at which it was asked for
Failing = Callable[[float], str | None]


def held(load: Load, service: FakeService) -> tuple[Window, pl.DataFrame]:
    frame, _ = driven(load, service.post)
    return window(load, frame), frame


def seen(law: Law, rate: float, error: Failing = lambda sent: None, **options) -> Window:
    return held(opened(rate, **options), FakeService(law, error))[0]


def opened(
    rate: float, places: int = 10**6, warm_up: float = 5.0, duration: float = 10.0, timeout: float = 60.0, **options
) -> Load:
    return Load(batch_size=1, rate=rate, places=places, warm_up=warm_up, duration=duration, patience=timeout, **options)


def queue(seconds: Callable[[], float], servers: int = 1) -> Law:
    """Return the law of a service whose servers take requests in turn, each for so long."""
    free = [0.0] * servers

    def law(sent: float) -> float:
        first = min(range(servers), key=free.__getitem__)
        free[first] = max(sent, free[first]) + seconds()
        return free[first] - sent

    return law


def exponential(mean: float, seed: int) -> Callable[[], float]:
    draw = random.Random(seed)
    return lambda: draw.expovariate(1.0 / mean)


def test_an_overloaded_service_shows_what_it_completes_and_how_its_backlog_grows():
    """Four servers of 40 ms, 100/s in all, are asked 200 times a second."""
    shown = seen(queue(lambda: 0.04, 4), 200.0)
    values = shown.values
    assert values["requests_per_second"] == pytest.approx(100.0, abs=0.2)
    assert values["queries_per_second"] == values["requests_per_second"]
    assert (values["offered_per_second"], values["dispatched_per_second"]) == (200.0, 200.0)
    assert values["backlog_start"] == pytest.approx(500, abs=5)
    assert values["backlog_end"] == pytest.approx(1500, abs=5)
    assert values["backlog_growth"] == pytest.approx(100.0, abs=0.2)
    assert shown.state == "beyond"
    told = str(saturation(shown.state, values))
    assert told.startswith("beyond saturation: 200 requests/s were due and 100")
    assert " answered, and the backlog went from 50" in told
    assert told.endswith(" requests, so latency percentiles depend on how long the step lasts")


@pytest.mark.slow  # thousands of requests in virtual time
def test_the_bound_on_requests_in_flight_changes_none_of_that():
    free, few = (seen(queue(lambda: 0.04, 4), 200.0, places=places) for places in (10**6, 8))
    assert few.values == pytest.approx(free.values, abs=0.2)
    assert few.state == free.state == "beyond"


@pytest.mark.parametrize("rate", [20.0, 99.0, 100.0])
def test_a_service_that_keeps_up_is_below_saturation(rate: float):
    shown = seen(queue(lambda: 0.04, 4), rate)
    assert shown.state == "below"
    assert saturation(shown.state, shown.values) is None
    assert shown.values["requests_per_second"] == pytest.approx(rate, abs=0.2)
    assert shown.values["backlog_growth"] == pytest.approx(0.0, abs=0.1)


def random_queue(rate: float, seed: int) -> Window:
    """Return half a minute of Poisson arrivals at a server of exponential times and 100/s."""
    load = opened(rate, duration=30.0, arrivals="poisson", seed=seed)
    due = due_times("poisson", rate, load.warm_up, load.duration, seed)
    seconds, free, ends = exponential(0.01, seed), -np.inf, []
    for moment in due.tolist():
        free = max(free, moment) + seconds()
        ends.append(free)
    times = {**dict.fromkeys(("due", "dispatched", "placed", "sent"), due), "end": np.array(ends)}
    return window(load, pl.DataFrame({**times, "error": pl.Series([None] * len(due), dtype=pl.String)}))


@pytest.mark.parametrize(
    ("rate", "state"), first_of((90.0, "below"), (130.0, "beyond"), (50.0, "below"), (80.0, "below"), first=2)
)
def test_the_state_of_a_random_queue_is_seldom_wrong(rate: float, state: State):
    states = [random_queue(rate, seed).state for seed in range(100)]
    assert states.count(state) >= 95


def test_a_backlog_that_may_have_grown_by_chance_is_at_saturation():
    undecided = [one for seed in range(50) if (one := random_queue(104.0, seed)).state == "at"]
    assert undecided
    assert all(one.values["backlog_growth"] > 0.0 for one in undecided)
    told = str(saturation("at", undecided[0].values))
    assert told.startswith("at saturation: ")
    assert told.endswith(" requests, which may be chance; a longer step decides")


def test_one_pause_at_the_end_is_in_few_latencies_and_no_saturation():
    """In the last second nothing is answered."""
    assert seen(lambda sent: 0.01 if sent < 14.0 else 16.0 - sent, 100.0).state == "below"


def test_requests_that_wait_for_a_place_are_a_backlog_even_where_the_service_catches_up_after_the_window():
    """Of 200/s it answers 100 until the window ends, and 2,000 from then on, so that late requests wait less."""
    assert seen(lambda sent: 0.04 if sent < 15.0 else 0.002, 200.0, places=4).state == "beyond"


@pytest.mark.parametrize("seconds", [3.0, 9.0, 40.0])
def test_the_first_answers_of_a_slow_service_are_no_backlog_that_grows(seconds: float):
    """It answers any number at once, each after so long."""
    assert seen(lambda sent: seconds, 50.0, warm_up=0.0).state == "below"


def test_requests_that_are_given_up_stay_in_the_backlog():
    law = queue(lambda: 0.02)
    late = seen(lambda sent: min(1.0, law(sent)), 100.0, lambda sent: "timed out" if sent > 2.0 else None, timeout=1.0)
    assert late.state == "beyond"
    assert late.values["requests_per_second"] == 0.0


def test_a_few_that_hang_and_many_that_fail_at_once_are_no_saturation():
    draw = random.Random(1)
    hangs = {n for n in range(1500) if draw.random() < 0.05}

    def hung(sent: float) -> bool:
        return round(sent * 100) in hangs

    hanging = seen(lambda t: 1.0 if hung(t) else 0.01, 100.0, lambda t: "timed out" if hung(t) else None, timeout=1.0)
    assert hanging.state == "below"
    refusing = seen(lambda t: 0.001, 100.0, lambda t: "HTTP 503" if round(t * 100) % 2 else None)
    assert refusing.state == "below"
    assert refusing.values["requests_per_second"] == pytest.approx(50.0)


def test_a_few_requests_have_no_state():
    assert seen(queue(lambda: 1.0), 1.9).state is None
    assert seen(queue(lambda: 1.0), 2.0).state == "beyond"


def test_numbers_are_those_counted_one_by_one():
    load = opened(80.0, places=20, arrivals="poisson", seed=3)
    shown, frame = held(load, FakeService(queue(exponential(0.012, 3)), lambda t: "no" if t % 1 < 0.1 else None))
    rows = frame.to_dicts()
    values = shown.values

    def waiting(moment: float) -> int:
        return sum(row["due"] < moment <= row["end"] for row in rows)

    assert values["backlog_start"] == waiting(0.0)
    assert values["backlog_end"] == waiting(10.0)
    assert values["backlog_growth"] == (waiting(10.0) - waiting(0.0)) / 10.0
    assert values["offered_per_second"] == sum(0.0 <= row["due"] < 10.0 for row in rows) / 10.0
    assert values["requests_per_second"] == sum(0 <= row["end"] < 10 and row["error"] is None for row in rows) / 10.0
    assert 0 < values["requests_per_second"] < values["offered_per_second"]


@pytest.mark.parametrize(("seconds", "places", "rate"), [(0.1, 1, 10.0), (0.3, 2, 20 / 3), (40.0, 3, 0.075)])
@pytest.mark.parametrize("warm_up", first_of(0.0, 1.0, 55.0))
def test_the_throughput_of_a_closed_loop_is_its_places_over_its_latency(seconds, places, rate, warm_up: float):
    load = Load(batch_size=2, rate=None, places=places, warm_up=warm_up, duration=10.0, patience=60.0)
    values, state = held(load, FakeService(lambda sent: seconds))[0]
    assert values["requests_per_second"] == pytest.approx(rate)
    assert values["queries_per_second"] == pytest.approx(2 * rate)
    assert np.isnan(values["backlog_growth"])
    assert state is None


def test_what_failed_in_a_closed_loop_is_no_answer_and_what_took_no_time_is_whole():
    failing = FakeService(lambda sent: 0.5, lambda sent: "no" if round(2 * sent) % 2 else None)
    load = Load(batch_size=1, rate=None, places=1, warm_up=0.0, duration=10.0, patience=60.0)
    assert held(load, failing)[0].values["requests_per_second"] == pytest.approx(1.0)
    rows = {"due": [-1.0, 0.0, 1.0], "end": [-1.0, 0.0, 1.0], "error": pl.Series([None] * 3, dtype=pl.String)}
    frame = pl.DataFrame({**rows, **dict.fromkeys(("dispatched", "placed", "sent"), 0.0)})
    load = Load(batch_size=1, rate=None, places=1, warm_up=1.0, duration=1.0, patience=60.0)
    assert window(load, frame).values["requests_per_second"] == 1.0
