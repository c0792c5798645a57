"""Steps of a load test on real services: their order, their options, their repeats and the processes that hold them."""

import asyncio
import os
import signal
import sys
import threading
from pathlib import Path

import data_sets
import polars as pl
import pytest
import services
from hdrh.histogram import HdrHistogram
from loaded import SOON, held, loaded, measures, rounds, settings

from benchbench.client.descriptions import profile
from benchbench.client.service import Service
from benchbench.errors import InputError, WorkerError
from benchbench.formats.datasets.locate import locate
from benchbench.load_test import LoadOutcome, LoadSettings, run, run_by_turns
from benchbench.loads.step import Load
from benchbench.loads.step_result import Step
from benchbench.tasks.criteria import Criteria


def test_steps_are_batch_sizes_times_rates(load, working):
    steps = load(working, rates=(300.0, 600.0), batch_sizes=(2, 3)).steps
    assert [step.load.title for step in steps] == [
        "300 requests/s, batch 2",
        "600 requests/s, batch 2",
        "300 requests/s, batch 3",
        "600 requests/s, batch 3",
    ]
    assert [step.values["requests"] for step in steps] == [3, 6, 3, 6]


def test_steps_are_batch_sizes_times_concurrencies(load, working):
    steps = load(working, concurrencies=(1, 3), batch_sizes=(4, 1)).steps
    assert [step.load.title for step in steps] == [
        "concurrency 1, batch 4",
        "concurrency 3, batch 4",
        "concurrency 1, batch 1",
        "concurrency 3, batch 1",
    ]
    assert all(step.values["requests"] >= step.load.places for step in steps)
    assert all(step.coordinated_omission is None for step in steps)


def test_the_warm_up_is_asked_and_its_answers_do_not_count(data, working):
    """Everything but the last request is warm-up, and it gets no hits."""
    with services.running(working, *[services.no_hits] * 3, working) as service:
        frames: list[pl.DataFrame] = []
        chosen = settings(data, service.url, rates=(100.0,), warm_up=0.03, batch_sizes=(12,))
        outcome = run(chosen, lambda step, requests: frames.append(requests))
    assert frames[0]["counted"].to_list() == [False, False, False, True]
    assert outcome.steps[0].values["requests"] == 1
    assert len(service.messages) == 1 + 4


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"duration": 0.0}, r"^--duration is a number of seconds above 0"),
        ({"warm_up": -1.0}, r"^--warm-up is a number of seconds from 0"),
        ({"rates": (10.0, 0.0)}, r"^--rate is a number of requests per second above 0"),
        (
            {"rates": (1e6,), "duration": 1e6},
            r"^at 1e\+06 requests/s 1,000,000,000,000 are due within .*; give a lower --rate",
        ),
        ({"rates": (0.001,), "arrivals": "poisson"}, r"^at 0\.001 requests/s none is due within --duration"),
        ({"concurrencies": (4, 0)}, r"^--concurrency is a whole number from 1"),
        ({"batch_sizes": (0,)}, r"^--batch-size is a whole number from 1"),
        ({"workers": 0}, r"^--workers is a whole number from 1"),
        ({"workers": 3, "concurrencies": (1, 2)}, r"^--workers 3 is more than the 2 requests in flight .* --concurr"),
        ({"workers": 17, "rates": (9.0,)}, r"^--workers 17 is more than the 16 requests in flight .* --max-in-flight"),
        ({"max_in_flight": 0}, r"^--max-in-flight is a whole number from 1"),
        ({"top_k": 9}, r"^--top-k 9 is smaller than the largest cut-off 10"),
        ({"batch_sizes": (4, 13)}, r"^--batch-size 13 is more than the 12 queries of the data set"),
        ({"rates": (1.0, 2.0), "find_max": "p99<1s"}, r"^--find-max starts from one --rate"),
        ({"arrivals": "uniform"}, r"^--arrivals is one of constant, poisson, and not uniform$"),
        ({"criteria": "gold"}, r"^criteria are Criteria, as in Criteria\("),
        ({"fail_if": "p99>3"}, r"^--fail-if p99>3: p99 is a time; write p99>3ms"),
        ({"fail_if": ("p99>3ms", 3)}, r"^a gate is a text such as 'nDCG@10<0\.4', and not of type int$"),
        ({"fail_if": 3}, r"^fail_if has gates such as 'nDCG@10<0\.4', and is not of type int$"),
        ({"fail_if": "client_delay_p90>3"}, r"^--fail-if .*: client_delay_p90 is a time; write client_delay_p90>3ms"),
        ({"fail_if": "bogus@7<1"}, r"^--fail-if bogus@7<1: bogus@7 is not measured; measured are .* errors, .* p99, "),
        ({"fail_if": "nDCG@20<0.4"}, r"^--fail-if nDCG@20<0\.4: nDCG@20 is not measured; -k 20 adds it; measured are "),
        ({"fail_if": ("AP@7<0.5",)}, r"^--fail-if AP@7<0\.5: AP@7 is not measured; measured are "),
    ],
)
def test_options_that_cannot_be_are_refused_before_anything_is_asked(data, working, options, reason: str):
    with services.running(working) as service:
        with pytest.raises(InputError, match=reason):
            loaded(data, service.url, **options)
        assert service.messages == []


@pytest.mark.parametrize("gates", ["p99>3ms", ("p99>3ms",), [" p99>3ms"]])
def test_gates_may_be_texts_the_data_set_a_path_and_a_number_stand_alone(data, gates):
    service = Service("http://127.0.0.1:1", profile("benchbench"))
    given = LoadSettings(str(data), service, rates=2, batch_sizes=4, find_max="p50<1s", fail_if=gates)
    assert given.dataset == locate(str(data))
    assert (given.find_max, given.fail_if) == ("p50<1s", ("p99>3ms",))
    assert (given.rates, given.batch_sizes) == ((2,), (4,))


def test_a_load_test_of_what_are_no_settings_is_refused(data):
    with pytest.raises(InputError, match=r"^settings are LoadSettings\(dataset, service\), and not of type str$"):
        run(str(data))


def test_a_url_where_a_service_is_expected_is_refused_with_an_example(data):
    with pytest.raises(InputError, match=r"^service is a Service, as in Service\('http://"):
        LoadSettings(str(data), "http://127.0.0.1:1")


def test_a_task_that_the_data_have_not_is_refused_when_it_was_named(data, working):
    lines = data_sets.lines()
    for line in lines:
        del line["query"]["meta"]["accusation"]
    data_sets.write_lines(data / "tiered.jsonl", lines)
    with services.running(working) as service:
        assert loaded(data, service.url, **rounds(12)).tasks == ("gold", "article", "imprisonment")
        with pytest.raises(InputError, match=r"^--tasks accusation: "):
            loaded(data, service.url, criteria=Criteria(tasks=("gold", "accusation")))


def test_gates_are_checked_at_each_step(load, working):
    gates = ("errors>0", "gold.R@10<0.0001", "p99<1000s")
    outcome = load(working, working, services.status(503), rates=(1 / SOON, 2 / SOON), batch_sizes=(12,), fail_if=gates)
    calm, failing = (step.failed_gates for step in outcome.details().steps)
    assert [sentence.split()[0] for sentence in calm] == ["p99"]
    assert [sentence.split()[0] for sentence in failing] == ["errors", "gold.R@10", "p99"]


def test_the_outcome_is_the_same_within_a_running_loop(data, working):
    async def notebook(url: str) -> LoadOutcome:
        return loaded(data, url, **rounds(4))

    with services.running(working) as service:
        assert asyncio.run(notebook(service.url)).steps[0].values["requests"] == 3


def test_a_sink_that_fails_ends_the_test(data, working):
    def full(step: Step, requests: pl.DataFrame) -> None:
        raise InputError("the disk is full")

    with services.running(working) as service, pytest.raises(InputError, match="the disk is full"):
        run(settings(data, service.url, **rounds(4)), full)
    assert len(service.messages) == 4


def test_workers_offer_the_load_of_one_client_and_get_its_quality(data, working):
    """24 requests of a Poisson plan, of which the warm-up has some; the service fails all that ask query 4."""
    text = data_sets.lines()[4]["query"]["fact"]
    failing = services.choosing(lambda n, message: services.truncated if text in message["queries"] else working)
    options = {"rates": (240.0,), "arrivals": "poisson", "warm_up": 0.02, "duration": 0.1, "batch_sizes": (4,)}
    with services.running(failing) as service:
        (alone,), (one,) = held(data, service.url, **options)
        (together,), (several,) = held(data, service.url, workers=3, **options)
    same = ["number", "counted", "first_query", "queries", "bytes", "status", "error"]
    assert several.select(same).equals(one.select(same))
    assert several["due"].to_numpy() == pytest.approx(one["due"].to_numpy(), abs=1e-6)
    assert (several["sent"] >= several["due"]).all(), "all processes have the same clock and the same origin"
    assert together.failures == alone.failures
    assert sum(alone.failures.values()) > 0
    for over in ("asked", "answered"):
        assert measures(together, over) == measures(alone, over)
    for name in ("requests", "failed_requests", "queries", "errors", "bytes", "queries_asked", "queries_answered"):
        assert together.values[name] == alone.values[name]


@pytest.mark.slow  # two processes
@pytest.mark.parametrize("rates", [(300.0,), ()])
def test_the_histogram_of_several_workers_is_that_of_all_their_requests(data, working, rates):
    with services.running(working) as service:
        steps, frames = held(data, service.url, workers=2, rates=rates, concurrencies=(1, 3), batch_sizes=(1,))
    for step, frame in zip(steps, frames, strict=True):
        counted = frame.filter("counted")
        assert len(counted) == step.values["requests"] >= step.load.places * (step.load.rate is None)
        for start in ("due", "sent"):
            decoded = HdrHistogram.decode(step.histograms[start])
            assert decoded.get_total_count() == len(counted)
            largest = (counted["end"] - counted[start]).max() * 1e6
            assert decoded.get_max_value() == pytest.approx(largest, rel=0.002, abs=2.0)
    if not rates:
        assert [frame["number"].n_unique() == len(frame) for frame in frames] == [True, True]


@pytest.mark.slow  # a process that dies
@pytest.mark.skipif(sys.platform != "linux", reason="finds the workers in /proc")
def test_a_worker_that_dies_ends_the_test_and_leaves_the_steps_before(data, working):
    steps: list[Step] = []

    def kill(load: Load) -> None:
        if steps:
            children = Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text(encoding="ascii")
            os.kill(int(children.split()[-1]), signal.SIGKILL)

    with services.running(working) as service, pytest.raises(WorkerError, match=r"^worker process 2 of 2 was killed"):
        run(settings(data, service.url, workers=2, rates=(200.0, 300.0)), lambda step, _: steps.append(step), kill)
    assert [step.load.rate for step in steps] == [200.0]


def test_steps_are_repeated_round_by_round_and_a_round_begins_with_the_first(data, working):
    ran: list[tuple[str, int]] = []
    with services.running(working) as service:
        chosen = settings(data, service.url, rates=(500.0, 1000.0), repeat=3)
        outcome = run(chosen, progress=lambda load: ran.append((load.name, load.repeat)))
    names = ["500 requests/s", "1,000 requests/s"]
    assert ran == [(name, repeat) for repeat in (1, 2, 3) for name in names]
    assert [step.load.name for step in outcome.steps] == names
    assert [len(step.repeats) for step in outcome.steps] == [3, 3]
    assert outcome.table("repeats").height == 6


def test_services_take_turns_and_the_other_way_round_in_every_second_repeat(data, working):
    ran: list[tuple[str, float | None, int]] = []
    with services.running(working) as one, services.running(working) as other:
        tests = {
            name: settings(data, service.url, rates=(500.0, 1000.0), repeat=2)
            for name, service in (("a", one), ("b", other))
        }
        outcomes = run_by_turns(tests, progress=lambda name, load: ran.append((name, load.rate, load.repeat)))
    turns = [("a", 500.0), ("b", 500.0), ("a", 1000.0), ("b", 1000.0)]
    back = [("b", 500.0), ("a", 500.0), ("b", 1000.0), ("a", 1000.0)]
    assert ran == [(*each, 1) for each in turns] + [(*each, 2) for each in back]
    assert {name: outcome.url for name, outcome in outcomes.items()} == {
        "a": f"{one.url}/batch_search",
        "b": f"{other.url}/batch_search",
    }
    ids = {outcome.record.settings["turns"].value for outcome in outcomes.values()}
    assert len(ids) == 1
    assert None not in ids


@pytest.mark.slow  # three processes
def test_workers_ask_in_the_same_order_as_one(data, working):
    asked = []
    for workers in (1, 2):
        sent: list[pl.DataFrame] = []
        with services.running(working) as service:
            chosen = settings(data, service.url, order="zipf", workers=workers, **rounds(1, 9))
            run(chosen, lambda step, requests, sent=sent: sent.append(requests))
        asked.append(sent[0].sort("number")["first_query"].to_list())
    assert asked[0] == asked[1]


def test_a_column_that_is_not_there_is_known_before_anything_is_sent(data: Path):
    with pytest.raises(InputError, match=r"--cluster user: the queries of .* have no value of it"):
        loaded(data, "http://127.0.0.1:1", cluster="user")
