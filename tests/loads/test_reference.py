"""The reference pass: each query once without load, and how far the answers of a step are from that."""

import math
from pathlib import Path
from typing import Any

import data_sets
import pytest
import services
from cases import first_of

from benchbench.client.descriptions import profile
from benchbench.client.payload import Payload
from benchbench.client.service import Service
from benchbench.errors import InputError, TooManyFailuresError
from benchbench.formats.datasets.locate import locate
from benchbench.load_test import run
from benchbench.loads.driver import Post
from benchbench.loads.load_result import LoadOutcome
from benchbench.loads.load_settings import LoadSettings
from benchbench.loads.step_result import Step
from benchbench.report.draw import draw
from benchbench.results.figures import interval, signed

SOON, BATCH = 0.05, 2
PASS = data_sets.QUERIES // BATCH  # requests
FIRST = 1  # look at the service, which sends a request


def loaded(data: Path, url: str, requests: tuple[int, ...], through: Any = None, **options: Any) -> LoadOutcome:
    """Return a load test whose steps send so many requests each."""
    service = Service(url, profile("benchbench"), connections=16)
    chosen = {"duration": SOON, "warm_up": 0.0, "batch_sizes": (BATCH,), "max_in_flight": 16, **options}
    return run(
        LoadSettings(locate(str(data)), service, rates=tuple(one / SOON for one in requests), **chosen), through=through
    )


def changes(step: Step) -> dict[str, float]:
    return {name: value for name, value in step.values.items() if name.startswith("change.")}


def after(number: int, first: services.Answer, then: services.Answer) -> services.Answer:
    """Answer so many requests in one way, and all others in another."""
    return services.choosing(lambda asked, _: first if asked < number else then)


def nothing_found(working: services.Answer) -> services.Answer:
    return services.changed(working, lambda value: {"results": [[] for _ in value["results"]]})


@pytest.mark.parametrize("workers", first_of(1, 2))
def test_steps_over_different_queries_are_no_change_of_a_service_that_keeps_its_answers(data, working, workers: int):
    with services.running(working) as service:
        one, other = loaded(data, service.url, (2, 3), workers=workers).steps
    assert not set(one.asked.tolist()) & set(other.asked.tolist())
    assert one.values["asked.gold.nDCG@10"] != other.values["asked.gold.nDCG@10"]
    for step, queries in ((one, 4), (other, 6)):
        assert (step.values["queries_compared"], step.values["queries_changed"]) == (queries, 0)
        assert set(changes(step).values()) == {0.0}
        assert step.change_intervals == {}


def test_the_change_is_that_of_each_query_from_its_value_without_load(data, working):
    with services.running(after(FIRST + PASS, working, nothing_found(working))) as service:
        outcome = loaded(data, service.url, (PASS,), fail_if="Δ nDCG@10<-0.02")
    (step,) = outcome.steps
    with services.running(working) as service:
        means = {f"{one.task}.{one.measure}": one.value for one in data_sets.outcome(data, service.url).estimates}
    assert step.values["queries_compared"] == data_sets.QUERIES
    for name, value in changes(step).items():
        name = name.removeprefix("change.")
        assert value == pytest.approx(step.values[f"answered.{name}"] - means[name], abs=1e-12)
    ends = step.change_intervals["gold.nDCG@10"]
    assert ends.low < step.values["change.gold.nDCG@10"] < ends.high < 0
    assert [gate.verdict for gate in step.checked] == ["failed"]
    (number,) = [one for one in outcome.record.numbers if (one.name, one.scope.get("task")) == ("Δ nDCG@10", "gold")]
    assert (number.value, number.low, number.n) == (step.values["change.gold.nDCG@10"], ends.low, data_sets.QUERIES)
    shown = draw(outcome, "text")
    assert "Difference from the reference pass: the same queries without load" in shown
    assert interval(ends.low, ends.high, 3, signed) in shown


def test_a_key_that_is_refused_from_the_pass_on_ends_the_test_with_advice(data, working):
    with (
        services.running(after(FIRST + 2, working, services.status(401))) as service,
        pytest.raises(TooManyFailuresError, match=r"lets nobody in \(HTTP 401\); no key was sent"),
    ):
        loaded(data, service.url, (PASS,))
    assert len(service.messages) == FIRST + PASS


def test_a_key_that_some_requests_are_refused_with_is_a_failure_of_those(data, working):
    refusing = services.choosing(lambda asked, _: services.status(403) if asked in (2, 3) else working)
    with services.running(refusing) as service:
        assert loaded(data, service.url, (PASS,)).reference.failures == {"HTTP 403": 2}


def test_measures_that_are_no_means_have_no_change(data, working):
    with services.running(working) as service:
        (step,) = loaded(data, service.url, (PASS,)).steps
    assert not [name for name in changes(step) if "microF1" in name or "NumRet" in name]


def test_without_it_a_test_sends_the_requests_of_its_steps_alone(data, working):
    with services.running(working) as service:
        outcome = loaded(data, service.url, (2, 3), reference=False)
        assert len(service.messages) == FIRST + 5
    assert outcome.details().reference is None
    assert not any(one.name.startswith("Δ") for one in outcome.record.numbers)
    assert "reference pass" not in draw(outcome, "text")
    with pytest.raises(InputError, match=r"Δ nDCG@10 is not measured"):
        loaded(data, "http://127.0.0.1:1", (2,), reference=False, fail_if="Δ nDCG@10<0")


def test_it_asks_each_query_once_and_all_of_its_queries_are_sent_before(data, working):
    with services.running(working) as service:
        outcome = loaded(data, service.url, (PASS,))
        asked = [text for message in service.messages[FIRST : FIRST + PASS] for text in message["queries"]]
    assert len(asked) == len(set(asked)) == data_sets.QUERIES
    assert (outcome.reference.asked, outcome.details().reference.answered) == (data_sets.QUERIES, data_sets.QUERIES)
    assert outcome.steps[0].values["queries_new"] == 0
    shown = " ".join(draw(outcome, "text").split())
    assert "No query has another value than in the reference pass (12 compared in a step)." in shown


def test_it_has_one_request_in_flight_for_several_would_be_a_load(data, working):
    flying: list[int] = []  # requests in flight as each request is sent
    sent = ended = 0

    def through(post: Post) -> Post:
        async def counted(payload: Payload) -> Any:
            nonlocal sent, ended
            sent += 1
            flying.append(sent - ended)
            found = await post(payload)
            ended += 1
            return found

        return counted

    with services.running(working) as service:
        loaded(data, service.url, (PASS,), through=through)
    assert flying[: FIRST + PASS] == [1] * (FIRST + PASS)


def test_the_share_of_queries_that_a_step_sends_again_stands_with_each_step(data, working):
    with services.running(working) as service:
        outcome = loaded(data, service.url, (PASS, 2 * PASS), reference=False)
    shown = " ".join(draw(outcome, "text").split())
    assert f"Queries sent again within a step: 0 % at {PASS / SOON:g} requests/s; 50 % at {2 * PASS / SOON:g}" in shown


def test_repeats_of_a_step_count_each_query_once_however_often_it_was_compared(data, working):
    with services.running(after(FIRST + PASS, working, nothing_found(working))) as service:
        (step,) = loaded(data, service.url, (2,), repeat=2).steps
    assert step.compared.tolist() == step.asked.tolist()
    assert step.values["queries_compared"] == len(step.asked) > 2 * BATCH
    assert 0 < step.values["queries_changed"] == len(step.changed) <= len(step.compared)


def test_queries_that_fail_in_it_are_counted_and_not_compared(data, working):
    broken = services.choosing(lambda asked, _: services.status(503) if asked in (3, 5) else working)
    with services.running(broken) as service:
        outcome = loaded(data, service.url, (PASS,))
    assert outcome.reference.failures == {"HTTP 503": 2}
    assert outcome.steps[0].values["queries_compared"] == data_sets.QUERIES - 2 * BATCH
    assert outcome.steps[0].values["queries_changed"] == 0
    (said,) = [one.text for one in outcome.record.notes if "reference" in one.text]
    assert said == "4 of 12 queries of the reference pass have no value, and are not compared, mostly: HTTP 503"


def test_it_ends_when_nothing_is_answered_any_more_and_the_steps_are_measured_all_the_same(data, working):
    dead = after(FIRST, working, services.status(500))
    with services.running(dead) as service:
        outcome = loaded(data, service.url, (3,), batch_sizes=(1,))
        assert len(service.messages) <= FIRST + 10 + 3 + 3  # ten in a row, those in flight, and the step
    assert outcome.reference.asked == 10 < data_sets.QUERIES
    (step,) = outcome.steps
    assert step.values["failed_requests"] == 3
    assert step.values["queries_compared"] == 0
    assert all(math.isnan(one) for one in changes(step).values())
    assert "reference pass" in " ".join(one.text for one in outcome.record.notes)


def test_repeats_of_a_step_have_the_mean_of_their_changes(data, working):
    half = after(FIRST + PASS + PASS, working, nothing_found(working))
    with services.running(half) as service:
        (step,) = loaded(data, service.url, (PASS,), repeat=2).steps
    first, second = (values["change.gold.nDCG@10"] for values in step.repeats)
    assert first == 0.0
    assert step.values["change.gold.nDCG@10"] == pytest.approx(second / 2)
    assert step.change_intervals["gold.nDCG@10"].high < 0
