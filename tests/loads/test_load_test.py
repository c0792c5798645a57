"""Load on real services on loopback. Nothing here depends on how fast the machine is."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import data_sets
import orjson
import pytest
import services
from aiohttp import web
from any_result import UNBROKEN
from cases import first_of
from loaded import SOON, expected, loaded, measures, named, rounds, settings, write_card

from benchbench.client.descriptions import profile
from benchbench.client.service import Service
from benchbench.comparison.comparable import rules
from benchbench.errors import InputError, TooManyFailuresError, UnreachableError
from benchbench.experiment import run as measured
from benchbench.load_test import run
from benchbench.report.draw import draw
from benchbench.results.signature import parts_of
from benchbench.runs.run_settings import Settings as RunSettings
from benchbench.stored import load as stored
from benchbench.tasks.criteria import Criteria


@pytest.mark.parametrize(("batch_size", "times"), first_of((4, 3), (5, 7), (1, 1), (4, 1), (12, 2), first=2))
def test_quality_under_load_is_that_of_a_run_to_the_bit_when_the_service_keeps_it(
    run_of, load, working, batch_size, times
):
    (step,) = load(working, rates=(times * data_sets.QUERIES / SOON,), batch_sizes=(batch_size,)).steps
    whole = run_of(working)
    assert step.values["failed_requests"] == 0
    assert step.values["queries_asked"] == data_sets.QUERIES
    for over in ("asked", "answered"):
        found = measures(step, over)
        assert len(found) == 4 * 3 * 6
        assert found == {name: whole[name] for name in found}


def test_of_fewer_queries_than_a_request_usually_carries_each_request_carries_all_and_this_is_said(load, working):
    outcome = load(working, rates=(2 / SOON,), batch_sizes=())
    assert outcome.settings.batch_sizes == (data_sets.QUERIES,)
    assert outcome.steps[0].values["queries_asked"] == data_sets.QUERIES
    assert "a request carries 12 queries, because the data set has no more" in outcome.assumed


RULES = (
    Criteria(
        ("gold", "article"), cutoffs=(2, 7), self_by="id", gold_by="id", recall_denominator="full", max_positives=3
    ),
    Criteria(self_by="id", recall_denominator="capped"),
    Criteria(gold_by="id", max_positives=1),
)


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
    "measures", [("nDCG@5", "P@10", "nDCG@10"), ("microF1@10", "NumRet", "microR@3", "Success@5"), ("NumQ", "NumRet")]
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
    loaded_again = stored(tmp_path / "out")
    for form in ("text", "html", "markdown", "summary"):
        assert draw(loaded_again, form, UNBROKEN) == draw(outcome, form, UNBROKEN)
    text = [line.split() for line in draw(outcome, "text", UNBROKEN).splitlines()]
    start = next(place for place, line in enumerate(text) if line[-2:] == ["Metric", "Value"])
    assert [line[-2] for line in text[start + 2 : start + 6]] == list(asked)
    assert text[start + 5][-1] == f"{step.values['asked.gold.NumRet']:.0f}"
    assert f"gold.microF1@10 {step.values['asked.gold.microF1@10']:.4g}" in repr(outcome)


@pytest.mark.slow  # a process of a service
def test_the_embedded_service_has_the_same_quality_under_load_as_in_a_run(data):
    same_as_a_run(data, None, RULES[0], **rounds(4))


def test_bodies_that_differ_change_no_bit_of_equal_hits(run_of, load, working):
    """A service that says how long it took, as Elasticsearch does, answers otherwise each time."""

    async def timed(service: services.Service, request: web.Request, message: Any) -> web.Response:
        response = await working(service, request, message)
        return web.json_response({**orjson.loads(response.body), "took": len(service.messages)})

    (step,) = load(timed, **rounds(4, 7)).steps
    whole = run_of(timed)
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
def test_faults_of_single_hits_are_counted(data, workers: int):
    with services.running(services.not_a_number) as service:
        (step,) = loaded(data, service.url, workers=workers, **rounds(4, 2)).steps
        alone = data_sets.outcome(data, service.url)
    assert step.hit_faults == {name: 2 * n for name, n in alone.hit_faults.items()} != {}


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
    service = Service("", profile("benchbench"), {"X-Key": "geheimnis"}, connections=4)
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


def test_a_service_that_sheds_quality_under_pressure_is_seen(load, working):
    """Whole answers to the first look and the first step, then empty ones, all with status 200."""
    answers = [working, working, services.no_hits]
    outcome = load(*answers, rates=(1 / SOON, 2 / SOON), batch_sizes=(12,))
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


def test_nothing_answered_is_no_quality_and_not_a_good_one(load):
    (step,) = load(services.status(500), **rounds(4)).steps
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


def test_requests_that_time_out_are_in_the_percentiles(load, working):
    (step,) = load(working, services.never, timeout=0.2, **rounds(4)).steps
    assert step.failures == {"no complete answer within 0.2 s": 3}
    assert step.values["p50"] > 190.0


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


def test_first_queries_may_find_nothing(load, working):
    (step,) = load(services.no_hits, working, **rounds(4)).steps
    assert step.values["failed_requests"] == 0


def test_a_service_that_refuses_is_unreachable(data):
    with services.refusing() as url, pytest.raises(UnreachableError, match=f"^{url}/batch_search refuses connections"):
        loaded(data, url)


@pytest.mark.parametrize("answer", [services.never, services.reset])
def test_a_service_that_does_not_answer_the_first_look_is_unreachable(data, answer):
    with services.running(answer) as service, pytest.raises(UnreachableError, match="gave no answer"):
        loaded(data, service.url, timeout=0.2)


def test_a_service_that_dies_leaves_failed_requests(load, working):
    (step,) = load(working, working, services.die, **rounds(4)).steps
    assert step.values["failed_requests"] == 2


@pytest.mark.parametrize("order", first_of("shuffle", "sequential", "zipf"))
@pytest.mark.parametrize("workers", first_of(1, 2))
def test_quality_is_of_the_queries_that_were_asked_in_any_order(run_of, load, working, order, workers: int):
    """Each query's own values are those of a run, however often and in whichever batch it was asked."""
    (step,) = load(working, order=order, workers=workers, repeat=2, **rounds(5, 7)).steps
    whole = run_of(working)
    found = measures(step, "asked")
    if order == "zipf":
        assert step.values["queries_asked"] <= data_sets.QUERIES
        assert all(0.0 <= value <= 1.0 for value in found.values())
    else:
        assert step.values["queries_asked"] == data_sets.QUERIES
        assert found == {name: whole[name] for name in found}


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
