"""Speed is compared of requests that were sent alike, and of enough of them or in turns; else a reason says why not."""

from typing import Any

import numpy as np
import pytest

from benchbench.comparison.headline import speed_sentence
from benchbench.comparison.speed import SpeedRatio, TimedRun, speed_ratio, speed_ratios
from benchbench.results.record import Environment, counts_of, record, settings_of

ALIKE = {"batch_size": 1, "concurrency": 2, "top_k": 20, "workers": 1, "protocol": "benchbench", "url": "http://a/q"}


def timed(
    scale: float = 1.0, requests: int = 120, began: float = 0.0, failed: int = 0, cpus: int = 2, **settings: Any
) -> TimedRun:
    """Return a run whose requests took about 10 ms times the scale."""
    made = record(
        "run",
        began,
        began + 10,
        settings=settings_of(ALIKE | settings),
        environment=Environment(host={"machine": "x86_64", "usable_cpus": cpus}, command=["run"]),
        counts=counts_of({"queries": 100, "failed": failed}),
    )
    return TimedRun(made, scale * np.random.default_rng(int(began)).lognormal(2.3, 0.3, requests))


def why(first: TimedRun, second: TimedRun) -> str:
    return speed_sentence(speed_ratio(("A", "B"), (first, second), 0.05), 0.05)


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ({"batch_size": 32}, {}, "A sent 32 queries per request, B 1"),
        ({}, {"batch_size": 32}, "A sent 1 query per request, B 32"),
        ({"concurrency": 8}, {}, "A had 8 requests in flight, B 2"),
        ({"top_k": 1000}, {}, "A asked for 1,000 hits per query, B 20"),
        ({}, {"workers": 2}, "A used 1 worker, B 2"),
        ({"protocol": "elasticsearch"}, {}, "the protocol of A is elasticsearch, of B benchbench"),
        ({}, {"url": "https://b/q"}, "the connection of A is http, of B https"),
        ({"url": None}, {}, "the connection of A is in the same process, of B http"),
        ({}, {"cpus": 8}, "the client's machine of A is x86_64 with 2 cores, of B x86_64 with 8 cores"),
        ({}, {"failed": 2}, "2 of 100 queries of B failed"),
        ({"requests": 99}, {}, "it takes 100 requests per system, not 99"),
        ({"concurrency": 32}, {"concurrency": 32}, "it takes 192 requests per system, not 120"),
    ],
)
def test_speed_is_not_compared_where_requests_were_not_sent_alike_or_are_few(
    first: dict[str, Any], second: dict[str, Any], reason: str
):
    assert why(timed(**first), timed(began=20, **second)) == f"Speed was not compared: {reason}."


def test_a_ratio_has_an_interval_and_is_said_in_words():
    known = SpeedRatio(baseline="A", system="B", ratio=2.0, low=1.9, high=2.1)
    words = "(95 % interval 1.90 to 2.10; not asked in turns, so the machine may explain it)."
    assert speed_sentence(known, 0.05) == f"B answers twice as fast as A {words}"
    half = (
        "A answers half as fast as B (95 % interval 0.48 to 0.53; not asked in turns, so the machine may explain it)."
    )
    assert speed_sentence(known.reversed(), 0.05) == half
    assert why(timed(2.0), timed(began=20)).startswith("B answers 2.18 times as fast as A (95 % interval 1.")
    assert why(timed(), timed(began=20)).startswith("B and A do not differ measurably in speed (ratio ")


def test_few_requests_are_enough_where_both_were_asked_in_turns_and_what_is_not_known_is_not_compared():
    assert why(timed(2.0, 12), timed(1.0, 12, began=1)).endswith("95 % interval 1.38 to 2.54).")
    old = timed(2.0)
    del old.record.settings["workers"], old.record.settings["url"]
    assert why(old, timed(began=20)).startswith("B answers 2.18 times as fast as A")


def test_the_intervals_of_all_pairs_hold_together():
    runs = {"a": timed(), "b": timed(2.0, began=20), "c": timed(3.0, began=40)}
    ratios = speed_ratios(runs, 0.05)
    assert [(ratio.baseline, ratio.system, ratio.direction) for ratio in ratios] == [
        ("a", "b", -1), ("a", "c", -1), ("b", "c", -1)]  # fmt: skip
    assert ratios[0].low < speed_ratio(("a", "b"), (runs["a"], runs["b"]), 0.05).low  # type: ignore[operator]
    assert ratios[0].reversed().direction == 1
