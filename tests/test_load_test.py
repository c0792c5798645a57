"""Load on real services on loopback. Nothing here depends on how fast the machine is."""

import asyncio
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import data_sets
import numpy as np
import orjson
import polars as pl
import pytest
import services
from aiohttp import web
from any_result import UNBROKEN
from cases import first_of
from hdrh.histogram import HdrHistogram

from benchbench import load_test
from benchbench.client.profiles import PROFILES
from benchbench.client.service import Service
from benchbench.client.transport import Attempt
from benchbench.comparison.comparable import rules
from benchbench.errors import InputError, TooManyFailuresError, UnreachableError, WorkerError
from benchbench.experiment import Outcome as RunOutcome
from benchbench.experiment import run as measured
from benchbench.formats.datasets.locate import locate
from benchbench.load_test import Outcome, Settings, run, run_by_turns
from benchbench.loads.blocks import Block, summary
from benchbench.loads.details import Highest
from benchbench.loads.driver import Post
from benchbench.loads.headline import highest
from benchbench.loads.result import Step
from benchbench.loads.step import Load
from benchbench.measures.gates import parse_gate
from benchbench.report.draw import draw
from benchbench.results.signature import parts_of
from benchbench.runs.settings import Settings as RunSettings
from benchbench.stored import load
from benchbench.tasks.criteria import Criteria

SOON = 0.01  # seconds


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return data_sets.write(tmp_path)


@pytest.fixture
def working(data: Path) -> services.Answer:
    return services.searching(data_sets.collection(data))


def settings(data: Path, url: str, timeout: float = 60.0, **options: Any) -> Settings:
    service = Service(url, PROFILES["benchbench"], timeout=timeout, connections=16)
    chosen = {"duration": SOON, "warm_up": 0.0, "batch_sizes": (4,), "max_in_flight": 16, "reference": False, **options}
    return Settings(locate(str(data)), service, **chosen)


def loaded(data: Path, url: str, **options: Any) -> Outcome:
    return run(settings(data, url, **options))


def rounds(queries_a_request: int, times: int = 1) -> dict[str, Any]:
    """Return the options of a step that asks each query so many times."""
    requests = times * data_sets.QUERIES // queries_a_request
    return {"rates": (requests / SOON,), "batch_sizes": (queries_a_request,)}


def measures(step: Step, over: str) -> dict[str, float]:
    return {name.removeprefix(f"{over}."): value for name, value in step.values.items() if name.startswith(f"{over}.")}


def expected(data: Path, url: str) -> dict[str, float]:
    """Return what a run measures."""
    return named(data_sets.outcome(data, url))


def named(outcome: RunOutcome) -> dict[str, float]:
    return {f"{one.task}.{one.measure}": one.value for one in outcome.estimates}


@pytest.mark.parametrize(("batch_size", "times"), [(1, 1), (4, 1), (4, 3), (5, 7), (12, 2)])
def test_quality_under_load_is_that_of_a_run_to_the_bit_when_the_service_keeps_it(data, working, batch_size, times):
    with services.running(working) as service:
        (step,) = loaded(data, service.url, rates=(times * data_sets.QUERIES / SOON,), batch_sizes=(batch_size,)).steps
        whole = expected(data, service.url)
    assert step.values["failed_requests"] == 0
    assert step.values["queries_asked"] == data_sets.QUERIES
    for over in ("asked", "answered"):
        found = measures(step, over)
        assert len(found) == 4 * 3 * 6
        assert found == {name: whole[name] for name in found}


def test_of_fewer_queries_than_a_request_usually_carries_each_request_carries_all_and_this_is_said(data, working):
    with services.running(working) as service:
        outcome = loaded(data, service.url, rates=(2 / SOON,), batch_sizes=())
    assert outcome.settings.batch_sizes == (data_sets.QUERIES,)
    assert outcome.steps[0].values["queries_asked"] == data_sets.QUERIES
    assert "a request carries 12 queries, for the data set has no more" in outcome.assumed


RULES = (
    Criteria(("gold", "article"), (2, 7), "id", "id", "full", 3),
    Criteria(self_by="id", recall_denominator="capped"),
    Criteria(gold_by="id", max_positives=1),
)


def write_card(data: Path) -> None:
    cards = {task: {f"c{n}": 8 for n in range(data_sets.QUERIES)} for task in ("accusation", "article", "imprisonment")}
    (data / "tiered.card.json").write_bytes(orjson.dumps({"relevant": cards}))


def same_as_a_run(data: Path, url: str | None, criteria: Criteria, **options: Any) -> None:
    write_card(data)
    alone = measured(data_sets.settings(data, url, criteria=criteria))
    outcome = loaded(data, url or "", criteria=criteria, **options)
    (step,) = outcome.steps
    assert step.values["queries_asked"] == data_sets.QUERIES
    for over in ("asked", "answered"):
        found = measures(step, over)
        assert found == {name: named(alone)[name] for name in found}
    assert any(found.values())
    both = [parts_of(str(one.signature)) for one in (outcome, alone)]
    assert both[0].pop("load") == outcome.settings.digest()
    assert both[0].items() - both[1].items() == {("queries", "12 (without positives 1)")}
    assert both[0]["data"] == outcome.digest == alone.queries.digest


@pytest.mark.parametrize("criteria", RULES)
@pytest.mark.parametrize("workers", first_of(1, 2))
def test_by_the_same_rules_load_and_run_measure_the_same_to_the_bit(data, working, criteria, workers: int):
    with services.running(working) as service:
        same_as_a_run(data, service.url, criteria, workers=workers, **rounds(4, 3))


@pytest.mark.parametrize(
    "measures",
    [("nDCG@5", "P@10", "nDCG@10"), ("microF1@10", "NumRet", "microR@3", "Success@5"), ("NumQ", "NumRet")],
)
def test_of_any_measures_load_and_run_measure_the_same_to_the_bit(data, working, measures):
    criteria = Criteria(("gold", "article"), recall_denominator="full", measures=measures)
    with services.running(working) as service:
        same_as_a_run(data, service.url, criteria, **rounds(4, 3))


def test_of_a_failed_query_a_load_test_counts_what_a_run_counts(data, working):
    """Its relevant documents stay among those that recall divides by."""
    write_card(data)
    criteria = Criteria(("gold",), measures=("microR@10", "NumQ", "NumRet", "P@10"), recall_denominator="full")

    async def failing(service: services.Service, request: web.Request, message: Any) -> web.Response:
        if data_sets.lines()[4]["query"]["fact"] in message["queries"]:
            return web.Response(status=422)
        return await working(service, request, message)

    with services.running(failing) as service:
        (step,) = loaded(data, service.url, criteria=criteria, order="sequential", **rounds(4)).steps
        whole = named(data_sets.outcome(data, service.url, batch_size=4, criteria=criteria, max_error_rate=1.0))
    assert step.values["failed_requests"] == 1
    assert measures(step, "asked") == whole
    answered = measures(step, "answered")
    assert (answered["gold.NumQ"], answered["gold.NumRet"]) == (8, whole["gold.NumRet"])
    assert answered["gold.microR@10"] > whole["gold.microR@10"]
    assert answered["gold.P@10"] == pytest.approx(whole["gold.P@10"] * 12 / 8)


def test_gates_reports_and_tables_have_the_measures_that_were_asked_for(data, working, tmp_path: Path):
    asked = ("microF1@10", "RR@3", "nDCG@5", "NumRet")
    gates = ("microf1@10<0.99", "Gold.RR@3<0.0")
    with services.running(working) as service:
        criteria = Criteria(("gold",), measures=asked)
        outcome = loaded(data, service.url, criteria=criteria, fail_if=gates, **rounds(4))
        with pytest.raises(InputError, match=r"gold\.P@10 is not measured; measured are .*, gold\.NumRet$"):
            loaded(data, service.url, criteria=criteria, fail_if=("gold.P@10<1",), **rounds(4))
    assert [gate.verdict for gate in outcome.record.gates] == ["failed", "passed"]
    (step,) = outcome.steps
    assert list(measures(step, "asked")) == [f"gold.{name}" for name in asked]
    better = {one.name: one.better for one in outcome.record.numbers if "task" in one.scope}
    assert better == {"microF1@10": "higher", "RR@3": "higher", "nDCG@5": "higher", "NumRet": None}
    outcome.save(tmp_path / "out")
    loaded_again = load(tmp_path / "out")
    for form in ("text", "html", "markdown", "summary"):
        assert draw(loaded_again, form, UNBROKEN) == draw(outcome, form, UNBROKEN)
    text = [line.split() for line in draw(outcome, "text", UNBROKEN).splitlines()]
    start = next(place for place, line in enumerate(text) if line[-2:] == ["Metric", "Value"])
    assert [line[-2] for line in text[start + 2 : start + 6]] == list(asked)
    assert text[start + 5][-1] == f"{step.values['asked.gold.NumRet']:.0f}"
    assert f"gold.microF1@10 {step.values['asked.gold.microF1@10']:.4g}" in repr(outcome)


def test_the_embedded_service_has_the_same_quality_under_load_as_in_a_run(data):
    same_as_a_run(data, None, RULES[0], **rounds(4))


def test_bodies_that_differ_change_no_bit_of_equal_hits(data, working):
    """A service that says how long it took, as Elasticsearch does, answers otherwise each time."""

    async def timed(service: services.Service, request: web.Request, message: Any) -> web.Response:
        response = await working(service, request, message)
        return web.json_response({**orjson.loads(response.body), "took": len(service.messages)})

    with services.running(timed) as service:
        (step,) = loaded(data, service.url, **rounds(4, 7)).steps
        whole = expected(data, service.url)
    found = measures(step, "asked")
    assert found == {name: whole[name] for name in found}


def test_queries_without_positives_are_judged_for_the_other_tasks_and_counted_as_in_a_run(data, working):
    lines = [{**line, "positives": []} for line in data_sets.lines()]
    data_sets.write_lines(data / "tiered.jsonl", lines)
    with services.running(working) as service:
        outcome = loaded(data, service.url, **rounds(4))
        whole = data_sets.outcome(data, service.url)
        for line in lines:
            line["query"]["meta"] = {}
        data_sets.write_lines(data / "tiered.jsonl", lines)
        with pytest.raises(InputError, match=r"^no hit can be relevant: "):
            loaded(data, service.url, **rounds(4))
    assert outcome.tasks == whole.tasks == ("accusation", "article", "imprisonment")
    assert outcome.counts["without_positives"] == data_sets.QUERIES
    found = measures(outcome.steps[0], "asked")
    assert found == {name: named(whole)[name] for name in found}


def test_what_answers_hold_is_counted_as_a_run_counts_it(data, working):
    """Each query is asked three times; its first hit is itself, and one has a text of a copy."""
    with services.running(working) as service:
        outcome = loaded(data, service.url, **rounds(4, 3))
        alone = data_sets.outcome(data, service.url)
    (step,) = outcome.steps
    assert step.counts == {name: 3 * alone.counts[name] for name in step.counts}
    assert step.counts["self_hits"] == 3 * data_sets.QUERIES
    assert step.unlabelled_hits == {task: 3 * n for task, n in alone.unlabelled_hits.items()}
    assert outcome.counts == {name: alone.counts[name] for name in outcome.counts}
    assert outcome.queries_without_label == alone.queries_without_label


@pytest.mark.parametrize("workers", first_of(1, 2))
def test_faults_of_single_hits_are_counted(data, working, workers: int):
    with services.running(services.not_a_number) as service:
        (step,) = loaded(data, service.url, workers=workers, **rounds(4, 2)).steps
        alone = data_sets.outcome(data, service.url)
    assert step.faults == {name: 2 * n for name, n in alone.faults.items()} != {}


@pytest.mark.parametrize("workers", first_of(1, 2))
def test_a_limit_of_the_service_for_hits_is_named_as_by_a_run_and_bounded_measures_are_marked(data, working, workers):
    async def at_most_5(service: services.Service, request: web.Request, message: Any) -> web.Response:
        return await working(service, request, {**message, "top_k": min(message["top_k"], 5)})

    with services.running(at_most_5) as service:
        outcome = loaded(data, service.url, workers=workers, **rounds(4, 2))
        alone = data_sets.outcome(data, service.url)
    limit = {name: outcome.counts[name] for name in ("most_hits", "hits_asked")}
    assert limit == {name: alone.counts[name] for name in limit} == {"most_hits": 5, "hits_asked": 20}
    (note,) = [note.text for note in outcome.record.notes if "returned at most" in note.text]
    assert note.startswith("your API returned at most 5 hits of 20 asked, which bounds P@10, R@10")
    assert "R@10†" in draw(outcome, "text")


def test_tests_at_other_rates_have_other_signatures_and_the_same_data_and_rules(data, working):
    with services.running(working) as service:
        few, many, again = (str(loaded(data, service.url, rates=rates).signature) for rates in ((100,), (200,), (100,)))
    assert few == again != many
    assert rules(few) == rules(many) != ""


def test_lines_that_were_skipped_are_counted(data, working):
    with (data / "tiered.jsonl").open("ab") as file:
        file.write(b'{"query": 5}\nnothing\n')
    with services.running(working) as service:
        with pytest.raises(InputError, match=r"line 13: "):
            loaded(data, service.url, **rounds(4))
        outcome = loaded(data, service.url, skip_bad_lines=True, **rounds(4))
    assert (outcome.counts["skipped_lines"], outcome.counts["queries"]) == (2, 12)


@pytest.mark.parametrize("workers", first_of(1, 2))
def test_what_a_service_sends_back_of_a_secret_is_in_no_reason(data, working, workers: int):
    service = Service("", PROFILES["benchbench"], {"X-Key": "geheimnis"}, connections=4)
    with services.running(working, services.status(200, "not JSON, geheimnis")) as running:
        chosen = replace(settings(data, running.url, workers=workers, **rounds(4)), service=service.at(running.url))
        (step,) = run(chosen).steps
    (reason,) = step.failures
    assert reason.startswith("protocol error: the body is not JSON")
    assert "geheimnis" not in reason


def test_a_query_that_was_asked_more_often_weighs_no_more(data, working):
    """Batches of 5 over 12 queries: the last one begins at query 7, so three queries are asked twice."""
    with services.running(working) as service:
        (step,) = loaded(data, service.url, rates=(3 / SOON,), batch_sizes=(5,)).steps
        whole = expected(data, service.url)
        assert [len(message["queries"]) for message in service.messages[:4]] == [5] * 4
    assert step.values["queries_asked"] == data_sets.QUERIES
    assert measures(step, "asked")["gold.nDCG@10"] == pytest.approx(whole["gold.nDCG@10"])


def test_a_service_that_sheds_quality_under_pressure_is_seen(data, working):
    """Whole answers to the first look and the first step, then empty ones, all with status 200."""
    answers = [working, working, services.no_hits]
    with services.running(*answers) as service:
        outcome = loaded(data, service.url, rates=(1 / SOON, 2 / SOON), batch_sizes=(12,))
    calm, pressed = outcome.steps
    assert calm.values["failed_requests"] == pressed.values["failed_requests"] == 0
    assert measures(calm, "asked")["gold.R@10"] > 0
    assert set(measures(pressed, "asked").values()) == {0.0}


def test_failed_requests_are_0_over_all_asked_and_left_out_over_the_answered(data, working):
    """Of two requests with all queries, one fails."""
    with services.running(working, working, services.status(503, "busy"), working) as service:
        (step,) = loaded(data, service.url, rates=(2 / SOON,), batch_sizes=(12,)).steps
        whole = expected(data, service.url)
    assert (step.values["failed_requests"], step.values["errors"]) == (1, 12)
    assert step.failures == {"HTTP 503: busy": 1}
    asked, answered = measures(step, "asked"), measures(step, "answered")
    assert answered == pytest.approx({name: whole[name] for name in answered})
    assert asked == pytest.approx({name: value / 2 for name, value in answered.items()})


def test_nothing_answered_is_no_quality_and_not_a_good_one(data):
    with services.running(services.status(500)) as service:
        (step,) = loaded(data, service.url, **rounds(4)).steps
    assert set(measures(step, "asked").values()) == {0.0}
    assert all(math.isnan(value) for value in measures(step, "answered").values())
    assert (step.values["queries_answered"], step.values["queries_per_second"]) == (0, 0)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (services.truncated, "protocol error: the body is not JSON: "),
        (services.too_few_lists, "protocol error: 3 result lists for 4 queries"),
        (services.reset, "connection broken: "),
        (services.status(429), "HTTP 429"),
    ],
)
def test_what_cannot_be_used_is_a_failed_request_with_its_reason_and_is_not_retried(data, working, answer, reason: str):
    with services.running(working, answer) as service:
        (step,) = loaded(data, service.url, **rounds(4)).steps
        assert len(service.messages) == 4
    ((said, times),) = step.failures.items()
    assert said.startswith(reason)
    assert times == 3
    assert step.values["p50"] > 0


def test_requests_that_time_out_are_in_the_percentiles(data, working):
    with services.running(working, services.never) as service:
        (step,) = loaded(data, service.url, timeout=0.2, **rounds(4)).steps
    assert step.failures == {"no whole answer within 0.2 s": 3}
    assert step.values["p50"] > 190.0


def test_steps_are_batch_sizes_times_rates(data, working):
    with services.running(working) as service:
        steps = loaded(data, service.url, rates=(300.0, 600.0), batch_sizes=(2, 3)).steps
    assert [step.load.title for step in steps] == [
        "300 requests/s, batch 2",
        "600 requests/s, batch 2",
        "300 requests/s, batch 3",
        "600 requests/s, batch 3",
    ]
    assert [step.values["requests"] for step in steps] == [3, 6, 3, 6]


def test_steps_are_batch_sizes_times_concurrencies(data, working):
    with services.running(working) as service:
        steps = loaded(data, service.url, concurrencies=(1, 3), batch_sizes=(4, 1)).steps
    assert [step.load.title for step in steps] == [
        "concurrency 1, batch 4",
        "concurrency 3, batch 4",
        "concurrency 1, batch 1",
        "concurrency 3, batch 1",
    ]
    assert all(step.values["requests"] >= step.load.places for step in steps)
    assert all(step.omission is None for step in steps)


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
    ("answer", "reason"),
    [
        (services.other_keys, "protocol error: no hit can be used: .* they have the keys 'docno, rel_score'"),
        (services.no_hits, "every list of hits is empty"),
        (services.html, "protocol error: the body is not JSON"),
    ],
)
def test_a_service_whose_answers_have_no_hit_to_use_is_not_loaded(data, answer, reason: str):
    with services.running(answer) as service:
        said = f"^{service.url}/batch_search answers, .* 12 queries .*{reason}"
        with pytest.raises(TooManyFailuresError, match=said):
            loaded(data, service.url, batch_sizes=(4,))
        assert len(service.messages) == 3


def test_first_queries_may_find_nothing(data, working):
    with services.running(services.no_hits, working) as service:
        (step,) = loaded(data, service.url, **rounds(4)).steps
    assert step.values["failed_requests"] == 0


def test_a_service_that_refuses_is_unreachable(data):
    with services.refusing() as url, pytest.raises(UnreachableError, match=f"^{url}/batch_search refuses connections"):
        loaded(data, url)


@pytest.mark.parametrize("answer", [services.never, services.reset])
def test_a_service_that_does_not_answer_the_first_look_is_unreachable(data, answer):
    with services.running(answer) as service, pytest.raises(UnreachableError, match="gave no answer"):
        loaded(data, service.url, timeout=0.2)


def test_a_service_that_dies_leaves_failed_requests(data, working):
    with services.running(working, working, services.die) as service:
        (step,) = loaded(data, service.url, **rounds(4)).steps
    assert step.values["failed_requests"] == 2


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
        ({"rates": (1.0, 2.0), "find_max": "p99<1s"}, r"^--find-max begins with one --rate"),
        ({"arrivals": "uniform"}, r"^--arrivals is constant or poisson, not 'uniform'$"),
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
    service = Service("http://127.0.0.1:1", PROFILES["benchbench"])
    given = Settings(str(data), service, rates=2, batch_sizes=4, find_max="p50<1s", fail_if=gates)
    assert given.dataset == locate(str(data))
    assert (given.find_max, given.fail_if) == ("p50<1s", ("p99>3ms",))
    assert (given.rates, given.batch_sizes) == ((2,), (4,))


def test_a_load_test_of_what_are_no_settings_is_refused(data):
    with pytest.raises(InputError, match=r"^settings are LoadSettings\(dataset, service\), and not of type str$"):
        run(str(data))


def test_a_url_where_a_service_is_expected_is_refused_with_an_example(data):
    with pytest.raises(InputError, match=r"^service is a Service, as in Service\('http://"):
        Settings(str(data), "http://127.0.0.1:1")


def test_a_task_that_the_data_have_not_is_refused_when_it_was_named(data, working):
    lines = data_sets.lines()
    for line in lines:
        del line["query"]["meta"]["accusation"]
    data_sets.write_lines(data / "tiered.jsonl", lines)
    with services.running(working) as service:
        assert loaded(data, service.url, **rounds(12)).tasks == ("gold", "article", "imprisonment")
        with pytest.raises(InputError, match=r"^--tasks accusation: "):
            loaded(data, service.url, criteria=Criteria(tasks=("gold", "accusation")))


def test_gates_are_checked_at_each_step(data, working):
    gates = ("errors>0", "gold.R@10<0.0001", "p99<1000s")
    with services.running(working, working, services.status(503)) as service:
        outcome = loaded(data, service.url, rates=(1 / SOON, 2 / SOON), batch_sizes=(12,), fail_if=gates)
    calm, failing = (step.failed_gates for step in outcome.steps)
    assert [sentence.split()[0] for sentence in calm] == ["p99"]
    assert [sentence.split()[0] for sentence in failing] == ["errors", "gold.R@10", "p99"]


def test_a_search_ends_below_the_rate_that_brings_errors(data, working):
    """Four requests of a first step are answered, and some of the eight of the next one are not."""
    with services.running(*[working] * 8, services.status(503)) as service:
        chosen = settings(data, service.url, find_max="errors<1", rates=(4 / SOON,), batch_sizes=(1,))
        outcome = run(chosen)
    (found,) = outcome.found
    assert found.rate is None or found.rate < 8 / SOON
    broken = [step for step in outcome.steps if step.values["failed_requests"]]
    assert broken
    assert all(step.broke[0].startswith("errors is ") and step.broke[0].endswith(", not < 1") for step in broken)


def test_a_search_may_allow_some_errors_beside_a_latency(data, working):
    """Of the eight requests of a second step one fails, and of later ones all do."""
    with services.running(*[working] * 12, services.status(503)) as service:
        condition = "p99<1000s and errors<20%"
        outcome = run(settings(data, service.url, find_max=condition, rates=(4 / SOON,), batch_sizes=(1,)))
    for step in outcome.steps:
        share = step.values["error_rate"]
        said = [reason for reason in step.broke if "error" in reason or "failed" in reason]
        assert said == ([f"error_rate is {share:.6g}, not < 0.2"] if share >= 0.2 else [])


def blocking(post: Post) -> Post:
    """Work for 120 ms in the client's loop before each request, as a careless client would."""

    async def blocked(payload: bytes) -> tuple[Attempt, bytes]:
        end = time.process_time() + 0.12
        while time.process_time() < end:
            pass
        return await post(payload)

    return blocked


def test_a_starved_client_is_called_out_and_a_search_holds_such_a_step_once_more(data, working):
    """Ten requests that each block the loop for 120 ms are 120 looks at the clock."""
    with services.running(working) as service:
        chosen = settings(data, service.url, rates=(50.0,), duration=0.2, find_max="p99<1000s")
        outcome = run(chosen, through=blocking)
    first, again = outcome.steps
    causes = ("the client was the bottleneck", "the machine was too busy to measure on")  # others may have the cores
    assert str(first.limit).startswith(causes)
    assert ", and the service may be faster than this: " in str(first.limit)
    assert first.values["late_by_client"] > 0
    assert first.load.rate == again.load.rate == 50.0
    assert again.broke[0].startswith("the client did not keep up: it sent ")
    assert outcome.found[0].limited_by_client


LIMITED = "the client was the bottleneck"
CALM = {"late_by_client": 1.0, "requests": 100.0, "offered_per_second": 100.0, "dispatched_per_second": 100.0}


P99 = parse_gate("p99<300ms", option="--find-max")


def calm(load: Load) -> dict[str, float]:
    """Return the values of a step without trouble."""
    assert load.rate is not None
    return {**CALM, "rate": load.rate, "offered_per_second": load.rate, "dispatched_per_second": load.rate}


@pytest.mark.parametrize(
    ("breaks", "limited", "by_client"),
    [
        (30.0, 1000.0, False),  # the service breaks long before the client would
        (1000.0, 30.0, True),
        (30.0, 75.0, False),  # both do: the lowest rate that broke is what decides
        (75.0, 30.0, True),
        (1e9, 1e9, False),  # neither: the search ends at a rate that held
    ],
)
@pytest.mark.parametrize("start", [10.0, 100.0])
def test_a_search_was_ended_by_the_client_where_the_lowest_rate_that_broke_was_its_limit(
    breaks: float, limited: float, by_client: bool, start: float
):
    async def hold(load: Load) -> Step:
        assert load.rate is not None
        limit = LIMITED if load.rate >= limited else None
        broke = ("p99 is 9 ms",) if load.rate >= min(breaks, limited) else ()
        return Step(load, calm(load), {}, {}, limit, None, broke=broke)

    found = asyncio.run(load_test._search(Load(4, start, 8, 0.0, 1.0, 1.0), hold, P99))
    assert (found.batch_size, found.limited_by_client) == (4, by_client)
    assert found.rate is not None
    assert found.rate < min(breaks, limited)
    if min(breaks, limited) < 1e9:
        assert found.rate < found.refused <= found.rate * 1.05
        assert found.reasons == ("p99 is 9 ms",)
    else:
        assert (found.refused, found.reasons) == (None, ())


@pytest.mark.parametrize(("start", "lowest"), [(100.0, 6.25), (3.0, 3.0)])
def test_a_search_goes_down_to_ten_requests_a_step_and_no_further(start: float, lowest: float):
    tried: list[float] = []

    async def hold(load: Load) -> Step:
        assert load.rate is not None
        tried.append(load.rate)
        return Step(load, calm(load), {}, {}, None, None, broke=("p99 is 9 ms",))

    found = asyncio.run(load_test._search(Load(4, start, 8, 0.0, 2.0, 1.0), hold, P99))
    assert (found.rate, found.limited_by_client, min(tried)) == (None, False, lowest)
    assert len(set(tried)) == len(tried)


def confirming(
    p99: Callable[[Load], float], duration: float = 30.0, grows: Callable[[Load], bool] = lambda load: False
) -> tuple[Highest, list[Load]]:
    """Search with a service of which only the step that confirms, the first of another length, has its own p99."""
    loads: list[Load] = []

    async def hold(load: Load) -> Step:
        loads.append(load)
        milliseconds = p99(load)
        latencies = {"": (np.array([milliseconds]), np.array([500]))}
        blocks = [Block(load.duration / 6, 500, 0, 500, latencies)] * 6
        values = {**calm(load), "requests": 3000.0, "failed_requests": 0.0, "error_rate": 0.0, **summary(blocks, "")}
        step = Step(load, values, {}, {}, None, None, state="at" if grows(load) else "below", blocks=blocks)
        return replace(step, broke=step.breaks(P99))

    return asyncio.run(load_test._search(Load(4, 10.0, 8, 0.0, duration, 1.0, "poisson"), hold, P99)), loads


def test_a_search_confirms_its_rate_in_a_step_with_enough_requests_for_an_interval_of_p99():
    found, loads = confirming(lambda load: 200.0 if load.rate <= 46.0 else 400.0, 10.0)
    assert (found.rate, found.confirmed) == (45.0, True)
    assert found.confirmation.startswith("p99 200.0 ms, 95 % interval 200.0 to 200.0 ms, in 66.67 s")
    assert loads[-1].rate * loads[-1].duration == pytest.approx(3000.0)
    assert len({load.stream for load in loads}) == len(loads)


def test_a_rate_that_breaks_when_it_is_confirmed_is_lowered_by_five_per_cent():
    found, _ = confirming(lambda load: 200.0 if load.rate <= (46.0 if load.duration == 10.0 else 44.0) else 400.0, 10.0)
    assert found.rate == pytest.approx(45.0 / 1.05)
    assert (found.confirmed, found.refused) == (True, 45.0)


def test_a_rate_that_its_step_cannot_confirm_is_lowered_by_five_per_cent_too():
    def p99(load: Load) -> float:
        return 200.0 if load.rate <= 46.0 else 400.0

    found, _ = confirming(p99, 10.0, lambda load: load.duration > 10.0 and load.rate > 44.0)
    assert found.rate == pytest.approx(45.0 / 1.05)
    assert found.confirmed
    assert found.confirmation.startswith("p99 200.0 ms")
    found, loads = confirming(p99, 10.0, lambda load: load.duration > 10.0)
    assert (found.rate, found.confirmed) == (45.0, False)
    assert found.confirmation.startswith("the backlog grew in 66.67 s, which may be chance")
    assert [load.rate for load in loads[-3:]] == pytest.approx([45.0, 45.0 / 1.05, 45.0 / 1.05**2])


def test_a_rate_that_was_not_confirmed_is_reported_as_such():
    found, loads = confirming(lambda load: 200.0 if load.rate <= 46.0 else 400.0, 1.0)
    assert (found.rate, found.confirmed) == (45.0, False)
    assert {load.duration for load in loads} == {1.0}
    text = highest("p99<300ms", found)
    assert text.endswith(" Not confirmed: that takes 3,000 requests; --duration 67s has them.")


@pytest.mark.parametrize("limit", [None, LIMITED])
def test_a_step_that_held_though_the_client_was_the_limit_has_held(limit: str | None):
    tried: list[float] = []

    async def hold(load: Load) -> Step:
        assert load.rate is not None
        tried.append(load.rate)
        broke = ("p99 is 9 ms",) if load.rate > 45.0 else ()
        return Step(load, {**calm(load), "late_by_client": 90.0}, {}, {}, limit, None, state="beyond", broke=broke)

    found = asyncio.run(load_test._search(Load(4, 10.0, 8, 0.0, 1.0, 1.0), hold, P99))
    assert found.rate == 45.0
    assert [tried.count(rate) for rate in (20.0, 40.0, 50.0)] == [1, 1, 1 if limit is None else 2]
    assert found.limited_by_client is (limit is not None)


@pytest.mark.parametrize(("late", "broke", "times"), [(2.0, True, 2), (1.0, True, 1), (2.0, False, 1)])
def test_a_step_that_broke_while_the_client_paused_is_held_once_more(late: float, broke: bool, times: int):
    tried: list[float] = []

    async def hold(load: Load) -> Step:
        assert load.rate is not None
        tried.append(load.rate)
        breaks = broke or load.rate > 10.0
        return Step(
            load, {**calm(load), "late_by_client": late}, {}, {}, None, None, broke=("p99 is 9 ms",) if breaks else ()
        )

    found = asyncio.run(load_test._search(Load(4, 10.0, 8, 0.0, 1.0, 1.0), hold, P99))
    assert tried.count(10.0) == times
    assert found.limited_by_client is (late > 1.0), "what broke it again may be its pauses still"


def test_the_outcome_is_the_same_within_a_running_loop(data, working):
    async def notebook(url: str) -> Outcome:
        return loaded(data, url, **rounds(4))

    with services.running(working) as service:
        assert asyncio.run(notebook(service.url)).steps[0].values["requests"] == 3


def test_a_sink_that_fails_ends_the_test(data, working):
    def full(step: Step, requests: pl.DataFrame) -> None:
        raise InputError("the disk is full")

    with services.running(working) as service, pytest.raises(InputError, match="the disk is full"):
        run(settings(data, service.url, **rounds(4)), full)
    assert len(service.messages) == 4


# Workers


def held(data: Path, url: str, **options: Any) -> tuple[list[Step], list[pl.DataFrame]]:
    """Return the steps and their requests."""
    frames: list[pl.DataFrame] = []
    outcome = run(settings(data, url, **options), lambda step, requests: frames.append(requests))
    return outcome.steps, frames


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


@pytest.mark.parametrize("rates", [pytest.param((300.0,), marks=pytest.mark.slow), ()])
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


@pytest.mark.slow  # a search for a rate, by three processes at each step
def test_a_search_may_have_workers(data, working):
    with services.running(*[working] * 8, services.status(503)) as service:
        chosen = settings(data, service.url, find_max="errors<1", rates=(4 / SOON,), batch_sizes=(1,), workers=2)
        outcome = run(chosen)
    assert outcome.found[0].rate is None or outcome.found[0].rate < 8 / SOON
    assert all(step.broke for step in outcome.steps if step.values["failed_requests"])


@pytest.fixture(autouse=True)
def _nothing_is_left_running(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    yield
    assert [one.message for one in caplog.records if one.name == "asyncio" and one.levelname != "DEBUG"] == []


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


@pytest.mark.parametrize("order", ["shuffle", "sequential", "zipf"])
@pytest.mark.parametrize("workers", first_of(1, 2))
def test_quality_is_of_the_queries_that_were_asked_in_any_order(data, working, order, workers: int):
    """Each query's own values are those of a run, however often and in whichever batch it was asked."""
    with services.running(working) as service:
        (step,) = loaded(data, service.url, order=order, workers=workers, repeat=2, **rounds(5, 7)).steps
        whole = expected(data, service.url)
    found = measures(step, "asked")
    if order == "zipf":
        assert step.values["queries_asked"] <= data_sets.QUERIES
        assert all(0.0 <= value <= 1.0 for value in found.values())
    else:
        assert step.values["queries_asked"] == data_sets.QUERIES
        assert found == {name: whole[name] for name in found}


def test_workers_ask_in_the_same_order_as_one(data, working):
    asked = []
    for workers in (1, 2):
        sent: list[pl.DataFrame] = []
        with services.running(working) as service:
            chosen = settings(data, service.url, order="zipf", workers=workers, **rounds(1, 9))
            run(chosen, lambda step, requests, sent=sent: sent.append(requests))
        asked.append(sent[0].sort("number")["first_query"].to_list())
    assert asked[0] == asked[1]


def test_quality_of_queries_in_groups_has_the_intervals_of_a_run(data: Path, working: services.Answer):
    rows = [orjson.loads(line) for line in (data / "tiered.jsonl").read_bytes().splitlines()]
    data_sets.write_lines(data / "tiered.jsonl", [{**row, "user": f"u{n % 8}"} for n, row in enumerate(rows)])
    with services.running(working) as service:
        outcome = loaded(data, service.url, cluster="user", concurrencies=(1,), duration=0.2, repeat=2)
        ran = measured(RunSettings(str(data), url=service.url, cluster="user"))
    (step,) = outcome.steps
    assert step.values["queries_asked"] == len(ran.queries)
    for one in ran.estimates:
        if not one.measure.startswith("micro"):
            found = step.quality_intervals[f"{one.task}.{one.measure}"]
            assert (found.low, found.high) == (pytest.approx(one.low), pytest.approx(one.high))
            assert (found.method, found.design_effect) == (one.interval, pytest.approx(one.design_effect))
    numbers = {(one.scope.get("task"), one.name): one for one in outcome.record.numbers if "slice" not in one.scope}
    estimate = next(one for one in ran.estimates if (one.task, one.measure) == ("gold", "nDCG@3"))
    assert numbers["gold", "nDCG@3"].low == pytest.approx(estimate.low)
    assert (outcome.details().cluster, outcome.details().clusters) == ("user", 8)
    assert any("8 groups of user" in note.text for note in outcome.record.notes)


def test_a_column_that_is_not_there_is_known_before_anything_is_sent(data: Path):
    with pytest.raises(InputError, match=r"--cluster user: the queries of .* have no value of it"):
        loaded(data, "http://127.0.0.1:1", cluster="user")
