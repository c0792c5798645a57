"""Load tests compared with each other. Values of repeats are invented; folders are read in the test of the command."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchbench.client.service_record import JudgingOptions
from benchbench.comparison.load_pairs import FEWEST, LoadDifference, LoadsOutcome, compare_loads
from benchbench.comparison.stored_results import StoredLoad
from benchbench.errors import InputError
from benchbench.loads.load_details import LoadDetails, LoadOptions, StepDetails
from benchbench.report.draw import draw
from benchbench.results.record import record, settings_of

Repeats = list[dict[str, float | None]]


def repeats(p50: list[float], p99: float = 50.0, requests: float = 2000.0, errors: float = 0.0) -> Repeats:
    """Return the numbers of a step's repeats, which differ in p50 and a little in p99 and the mean."""
    return [
        {
            "p50": one,
            "p99": p99 + 0.1 * place,
            "mean": one + 0.01 * place,
            "queries_per_second": 100.0,
            "error_rate": errors,
            "requests": requests,
        }
        for place, one in enumerate(p50)
    ]


def loaded(name: str, steps: dict[str, Repeats], signature: str = "data:d", **options) -> StoredLoad:
    measured = [
        StepDetails(name=step, values=rows[0], failures={}, repeats=rows if len(rows) > 1 else [])
        for step, rows in steps.items()
    ]
    details = LoadDetails(
        signature=signature,
        name=name,
        url="http://one",
        data_digest="d",
        queries=9,
        tasks=("gold",),
        loop="open",
        interrupted=False,
        steps=measured,
    )
    common = {"duration": 2.0, "warm_up": 1.0, "arrivals": "constant", "batch_size": (1,), "top_k": 20}
    common |= {"criteria": JudgingOptions(), **options}
    made = record("load", 0.0, settings=settings_of({"top_k": common["top_k"]}))
    return StoredLoad(Path(name), details, LoadOptions(**common), made)


FAST = [10.0, 10.1, 9.9, 10.05, 9.95, 10.02]
SLOW = [12.0, 12.1, 11.9, 12.05, 11.95, 12.02]


def compared(a: Repeats, b: Repeats, **options: Any) -> LoadsOutcome:
    """Compare two tests of one step."""
    return compare_loads([loaded("a", {"s": a}), loaded("b", {"s": b})], **options)


def of(outcome: LoadsOutcome, measure: str, step: str = "s") -> LoadDifference:
    (one,) = [one for one in outcome.details().differences if (one.measure, one.step) == (measure, step)]
    return one


def test_a_slower_service_is_worse_by_the_difference_of_the_means_over_repeats():
    found = compared(repeats(FAST), repeats(SLOW))
    one = of(found, "p50")
    assert (one.baseline, one.system, one.direction) == ("a", "b", -1)
    assert one.mean == pytest.approx(np.mean(SLOW) - np.mean(FAST))
    assert one.low is not None
    assert one.high is not None
    assert 0.0 < one.low < one.mean < one.high
    assert one.p == pytest.approx(2 / 924)
    assert [of(found, name).direction for name in ("p99", "queries_per_second", "error_rate")] == [0, 0, 0]
    assert of(found, "queries_per_second").low is None, "what never differed has no interval"
    assert "s: b is worse than a in p50 (12.0 ms against 10.0 ms; p = 0.002)." in draw(found, "text")


def test_better_goes_by_the_direction_of_the_number():
    faster = [{**row, "queries_per_second": 150.0 + place} for place, row in enumerate(repeats(FAST))]
    found = compared(repeats(FAST), faster)
    assert of(found, "queries_per_second").direction == 1


@pytest.mark.parametrize("number", [1, 2, FEWEST - 1])
def test_below_six_repeats_there_is_no_verdict_no_interval_and_a_note(number):
    found = compared(repeats(FAST[:number]), repeats(SLOW))
    one = of(found, "p50")
    assert (one.direction, one.p, one.low) == (0, None, None)
    assert one.mean is not None
    assert any(
        note.startswith("no verdict on a and b: it needs 6 repeats of each step on either side, and there are ")
        for note in found.details().notes
    )


def test_of_tests_whose_requests_were_not_sent_alike_there_is_no_verdict_and_the_reason_is_said():
    deep = loaded("b", {"s": repeats(SLOW)}, top_k=1000)
    found = compare_loads([loaded("a", {"s": repeats(FAST)}), deep])
    assert [difference.p for difference in found.details().differences] == [None] * 5
    assert draw(found, "text").startswith("○ Speed was not compared: a asked for 20 hits per query, b 1,000.")


def test_the_noise_is_how_far_odd_and_even_repeats_of_a_system_are_apart():
    found = compared(repeats(FAST), repeats([*SLOW[:5], 15.0]))
    odd, even = np.array([*SLOW[:5], 15.0])[::2], np.array([*SLOW[:5], 15.0])[1::2]
    assert of(found, "p50").noise == pytest.approx(abs(odd.mean() - even.mean()))


def test_a_difference_within_the_noise_is_no_verdict_whatever_its_p():
    drifting = [10.0, 20.0] * 3
    found = compare_loads(
        [loaded("a", {"s": repeats(drifting)}), loaded("b", {"s": repeats([one + 9.0 for one in drifting])})]
    )
    assert of(found, "p50").direction == 0


def test_a_p_that_is_small_beside_a_difference_within_the_noise_is_explained():
    drifting = [10.0, 10.6] * 3
    later = [one + 0.59 for one in drifting]
    found = compared(repeats(drifting), repeats(later), alpha=0.2)
    one = of(found, "p50")
    assert one.p is not None
    assert (one.p <= 0.2, one.direction) == (True, 0)
    assert any(note.startswith("s: p50 of a and b differs (p = 0.") for note in found.details().notes)


@pytest.mark.parametrize(("errors", "directions"), [((0.0, 0.9), (0, -1)), ((0.9, 0.0), (0, 1)), ((0.0, 0.0), (1, 0))])
def test_a_service_that_fails_more_often_is_not_called_faster(errors, directions):
    fast, slow = (FAST, SLOW) if errors[0] > errors[1] else (SLOW, FAST)
    tests = [
        loaded(name, {"s": repeats(p50, errors=rate)})
        for name, p50, rate in zip("ab", (fast, slow), errors, strict=True)
    ]
    found = compare_loads(tests)
    assert (of(found, "p50").direction, of(found, "error_rate").direction) == directions
    assert of(found, "p50").p < 0.05
    more = "ba"[errors[0] > errors[1]]
    assert any(f"s: {more} fails more often" in note for note in found.details().notes) == (directions[0] == 0)


def test_a_test_without_a_name_has_that_of_its_folder():
    tests = [loaded(name, {"s": repeats(FAST)}) for name in ("a", "b")]
    bare = replace(tests[0], details=replace(tests[0].details, name=""))
    assert [one.name for one in compare_loads([bare, tests[1]]).details().systems] == ["a", "b"]


def test_of_a_test_that_was_interrupted_the_repeats_that_all_steps_have_are_compared():
    interrupted = loaded("a", {"s": repeats([*FAST, 99.0]), "t": repeats(FAST)})
    found = compare_loads([interrupted, loaded("b", {"s": repeats(SLOW), "t": repeats(SLOW)})])
    assert of(found, "p50", "s").baseline_mean == pytest.approx(np.mean(FAST))
    assert [of(found, "p50", step).direction for step in "st"] == [-1, -1]
    assert "not all steps of a have as many repeats; the first 6 of each are compared" in found.details().notes


def test_steps_of_equal_load_are_paired_and_others_are_told():
    a = loaded("a", {"one": repeats(FAST), "two": repeats(FAST)})
    b = loaded("b", {"two": repeats(SLOW), "three": repeats(SLOW)})
    found = compare_loads([a, b])
    assert {one.step for one in found.details().differences} == {"two"}
    assert "steps that only one of a and b has are left out: one, three" in found.details().notes
    with pytest.raises(InputError, match="a and c have no step in common: one, two, and four"):
        compare_loads([a, loaded("c", {"four": repeats(FAST)})])


def test_what_was_not_recorded_by_turns_is_said():
    a, b = ({"s": repeats(FAST)},) * 2
    apart = compare_loads([loaded("a", a), loaded("b", b)])
    assert any("ran one after the other, so changes of the machine" in note for note in apart.details().notes)
    together = compare_loads([loaded("a", a, turns="x"), loaded("b", b, turns="x")])
    assert together.details().notes == []
    other = compare_loads([loaded("a", a, turns="x"), loaded("b", b, turns="y", order="zipf")])
    assert any("one after the other" in note for note in other.details().notes)
    assert "the load tests differ in --order: a sequential, b zipf" in other.details().notes


def test_few_requests_per_repeat_are_told():
    few = {"s": repeats(FAST, requests=999.0)}
    found = compare_loads([loaded("a", few, turns="x"), loaded("b", {"s": repeats(SLOW)}, turns="x")])
    (note,) = found.details().notes
    assert note == ("in repeats of a fewer than 10 requests lie above p99; 1,000 requests per repeat are needed")


def test_few_requests_are_told_where_there_is_no_verdict_too():
    few = {"s": repeats(FAST[:2], requests=7.0)}
    found = compare_loads([loaded("a", few, turns="x"), loaded("b", few, turns="x")])
    assert any(note.startswith("in repeats of a and b fewer than 10 requests lie ") for note in found.details().notes)
    assert any(note.startswith("no verdict on a and b") for note in found.details().notes)


def test_other_data_are_refused_unless_they_are_allowed():
    tests = [loaded("a", {"s": repeats(FAST)}), loaded("b", {"s": repeats(SLOW)}, "data:other")]
    with pytest.raises(InputError, match="not comparable: other data"):
        compare_loads(tests)
    assert "other data" in compare_loads(tests, allow_different=True).details().notes[0]


def test_all_pairs_are_compared_or_all_with_the_baseline():
    tests = [loaded(name, {"s": repeats(FAST)}) for name in "abc"]
    pairs = {(one.baseline, one.system) for one in compare_loads(tests).details().differences}
    assert pairs == {("a", "b"), ("a", "c"), ("b", "c")}
    pairs = {(one.baseline, one.system) for one in compare_loads(tests, "b").details().differences}
    assert pairs == {("b", "a"), ("b", "c")}
    with pytest.raises(InputError, match="--baseline d is not compared; there are a, b, c"):
        compare_loads(tests, "d")
    with pytest.raises(InputError, match="two load tests or more"):
        compare_loads(tests[:1])


def test_gates_are_about_differences_with_units():
    tests = [loaded("a", {"s": repeats(FAST)}), loaded("b", {"s": repeats(SLOW)})]
    (failed, passed) = compare_loads(tests, fail_if=["Δ p50 > 1ms and p < 0.05", "low p50 > 1.99ms"]).record.gates
    assert (failed.verdict, passed.verdict) == ("failed", "passed")
    assert failed.scope == {"step": "s", "system": "b", "baseline": "a"}
    with pytest.raises(InputError, match="is about a system and the baseline"):
        compare_loads([*tests, loaded("c", {"s": repeats(SLOW)})], fail_if="Δ p50 > 1ms")


@pytest.mark.parametrize("form", ["text", "json", "jsonl", "csv", "markdown", "latex", "html", "junit", "summary"])
def test_every_format_draws_it_also_when_it_lay_in_a_folder(tmp_path, form):
    from benchbench.results.reading import read_result

    found = compared(repeats(FAST), repeats(SLOW))
    before = draw(found, form)
    assert before
    assert draw(read_result(found.save(tmp_path / "saved")), form) == before


@pytest.mark.slow  # a simulated rate
def test_of_200_equal_queues_few_are_called_different():
    """A queue with one server, random arrivals and work; five numbers each, and not one false verdict in 95 %."""
    random = np.random.default_rng(11)

    def repeat() -> dict[str, float | None]:
        gaps, work = random.exponential(0.01, 1500), random.exponential(0.007, 1500)
        free = np.concatenate([[0.0], np.cumsum(work[:-1] - gaps[1:])])
        latency = np.sort(free - np.minimum.accumulate(free) + work) * 1e3
        marks = {"p50": latency[749], "p99": latency[1484], "mean": latency.mean()}
        return {**marks, "queries_per_second": 1500 / gaps.sum(), "error_rate": 0.0, "requests": 1500.0}

    false = sum(
        any(
            one.direction
            for one in compare_loads([loaded(name, {"s": [repeat() for _ in range(6)]}) for name in "ab"])
            .details()
            .differences
        )
        for _ in range(200)
    )
    assert false <= 17
