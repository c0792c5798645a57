"""Calls in threads: their results in order, few of them ahead, and no fault lost."""

import threading
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from benchbench.tables import threads
from benchbench.tables.threads import in_order


@pytest.fixture(params=[1, 2, 5], autouse=True)
def workers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(threads, "THREADS", request.param)
    return int(request.param)


def failing(*_: object) -> int:
    raise ValueError("this one")


def test_results_come_in_the_order_of_the_calls():
    assert list(in_order(partial(int, i) for i in range(500))) == list(range(500))
    assert list(in_order([])) == []


def test_a_call_that_is_alone_takes_no_other_thread():
    assert list(in_order([threading.get_ident])) == [threading.get_ident()]


def test_a_call_that_ends_first_waits_for_those_before_it(workers: int):
    if workers == 1:
        return
    later = threading.Event()

    def first() -> str:
        assert later.wait(60)
        return "first"

    def second() -> str:
        later.set()
        return "second"

    assert list(in_order([first, second])) == ["first", "second"]


def test_few_calls_are_ahead_of_the_consumer(workers: int):
    made = 0

    def calls() -> Iterator[Callable[[], int]]:
        nonlocal made
        for i in range(100):
            made += 1
            yield partial(int, i)

    for taken, _ in enumerate(in_order(calls()), 1):
        assert made <= taken + 2 * workers
    assert made == 100


def test_nothing_is_called_before_the_first_result_is_wanted():
    results = in_order(iter([failing]))
    results.close()
    results = in_order(iter([failing]))
    with pytest.raises(ValueError, match="this one"):
        next(results)


def test_a_fault_of_a_call_reaches_the_consumer_in_its_place_and_the_rest_is_dropped(workers: int):
    made: list[int] = []

    def calls() -> Iterator[Callable[[], int]]:
        for i in range(1000):
            made.append(i)
            yield failing if i == 7 else partial(int, i)

    results = in_order(calls())
    assert [next(results) for _ in range(7)] == list(range(7))
    with pytest.raises(ValueError, match="this one"):
        next(results)
    assert len(made) <= 8 + 2 * workers
    assert list(results) == []


def test_a_fault_of_what_makes_the_calls_reaches_the_consumer():
    def calls() -> Iterator[Callable[[], int]]:
        yield partial(int, 1)
        failing()

    with pytest.raises(ValueError, match="this one"):
        list(in_order(calls()))


def test_whoever_leaves_early_drops_the_rest():
    started = threading.Semaphore(0)
    results = in_order(started.release for _ in range(1000))
    next(results)
    results.close()
    begun = sum(started.acquire(blocking=False) for _ in range(1000))
    assert begun <= 1 + 2 * threads.THREADS
    assert list(results) == []


def test_no_thread_is_left_behind():
    before = threading.active_count()
    list(in_order(partial(int, i) for i in range(50)))
    results = in_order(partial(int, i) for i in range(50))
    next(results)
    results.close()
    with pytest.raises(ValueError, match="this one"):
        list(in_order([failing] * 50))
    assert threading.active_count() == before
