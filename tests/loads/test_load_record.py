"""The record of a load test, also of one by version 0.1."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import invented_load
import invented_rates
import polars as pl
import pytest
from results.round_trip import round_trip, validated

from benchbench.errors import InputError
from benchbench.load_test import LoadOutcome
from benchbench.loads.load_details import Highest, LoadDetails, StepDetails
from benchbench.loads.load_record import numbers, record_of
from benchbench.loads.load_result import LoadFolder
from benchbench.loads.metrics import METRICS
from benchbench.measures.gate_names import as_gates
from benchbench.report.draw import draw
from benchbench.results.reading import Loaded, read_result
from benchbench.results.record import Number, Record, converted
from benchbench.stored import load

STEP, AGAIN = {"step": "10 requests/s, batch 4"}, {"step": "10 requests/s, batch 4 (2)"}


@pytest.fixture
def outcome(tmp_path: Path) -> LoadOutcome:
    return invented_load.outcome(tmp_path / "data")


def found(record: Record, name: str, **scope: str) -> Number:
    (one,) = (one for one in record.numbers if one.name == name and one.scope == scope)
    return one


def checked(outcome: LoadOutcome, *gates: str) -> LoadOutcome:
    stated = as_gates(gates)
    return replace(outcome, steps=[replace(step, checked=step.check(stated)) for step in outcome.steps])


def test_a_load_test_is_drawn_alike_before_and_after_it_lay_in_a_folder(outcome: LoadOutcome, tmp_path: Path):
    outcome.steps[1].counts["positive_hits"] = 0
    loaded = round_trip(checked(outcome, "p99>1s", "nDCG@10<0.1"), tmp_path / "out")
    assert [one.name for one in loaded.record.tables] == ["steps"]
    steps = loaded.table("steps")
    assert steps["name"].to_list() == ["10 requests/s, batch 4", "20 requests/s, batch 4"]
    assert (steps["sent_p99"].dtype, steps["sent_p99"].to_list()) == (pl.Float64, [None, None])


def test_so_is_a_search_that_was_interrupted(outcome: LoadOutcome, tmp_path: Path):
    settings = replace(outcome.settings, rates=(), find_max="p99<2s")
    highest = [Highest(batch_size=4, rate=10.0, limited_by_client=True)]
    steps = [outcome.steps[0], replace(outcome.steps[1], broke=("3 requests failed",))]
    loaded = round_trip(
        replace(outcome, settings=settings, steps=steps, highest=highest, interrupted=True), tmp_path / "out"
    )
    assert loaded.record.status == "interrupted"
    one = found(loaded.record, "highest_rate", batch_size="4")
    assert (one.value, one.unit, one.better) == (10.0, "requests/s", "higher")


def test_each_number_has_its_step_its_unit_and_its_direction(outcome: LoadOutcome):
    record = outcome.record
    latency = found(record, "p99", **STEP)
    assert (latency.value, latency.unit, latency.better, latency.n) == (1234.5, "ms", "lower", 300)
    assert found(record, "sent_p99", **STEP).value is None
    rate = found(record, "queries_per_second", **STEP)
    assert (rate.unit, rate.better) == ("queries/s", "higher")
    for name, metric in METRICS.items():
        one = found(record, name, **STEP)
        assert (one.unit, one.better) == (metric.unit, metric.better)
    assert {one.name for one in record.numbers} > METRICS.keys()


def test_a_row_of_rates_has_the_one_that_is_held_per_batch_size(tmp_path: Path):
    record = invented_rates.outcome(tmp_path / "a").record
    one = found(record, "held_rate", batch_size="4")
    assert (one.value, one.unit, one.better) == (70.0, "requests/s", "higher")
    limited = invented_rates.outcome(tmp_path / "b", fail_if=("p99>10ms",)).record
    assert found(limited, "held_rate", batch_size="4").value is None
    closed = invented_rates.outcome(tmp_path / "c", [invented_rates.step(0.0, 5.0, 9.0, in_flight=2)]).record
    assert not [one for one in closed.numbers if one.name == "held_rate"]


def test_quality_is_over_all_asked_and_that_over_the_answers_is_a_slice(outcome: LoadOutcome):
    asked = found(outcome.record, "nDCG@10", **STEP, task="gold")
    assert (asked.value, asked.n, asked.better) == (0.25, 12, "higher")
    assert found(outcome.record, "nDCG@10", **STEP, task="gold", slice="answered").value == 0.5


def test_a_name_that_is_not_known_is_a_number_still():
    assert numbers(StepDetails(name="", values={"jitter": 2.0}, failures={}), STEP) == [
        Number(name="jitter", value=2.0, scope=STEP)
    ]


def test_a_load_that_was_held_twice_has_two_scopes(outcome: LoadOutcome):
    twice = checked(replace(outcome, steps=[outcome.steps[0]] * 2), "p99>1s")
    assert {one.scope["step"] for one in twice.record.numbers if "step" in one.scope} == {STEP["step"], AGAIN["step"]}
    assert [gate.about for gate in twice.record.gates] == [STEP["step"], AGAIN["step"]]


def test_repr_has_throughput_latency_and_quality_of_each_step(outcome: LoadOutcome):
    assert repr(outcome).splitlines() == [
        "<load 'load', 12 queries, complete>",
        "  10 requests/s, batch 4: 1 queries/s, p50 1.0 ms, p99 1,234.5 ms, gold.nDCG@10 0.250",
        "  20 requests/s, batch 4: 1 queries/s, p50 1.0 ms, p99 1,234.5 ms, gold.nDCG@10 0.250",
    ]
    many = replace(outcome, steps=outcome.steps * 4)
    assert repr(many).splitlines()[-1] == "  … and 2 more steps (.numbers())"


def test_repr_of_one_that_was_read_begins_with_failures_and_throughput(outcome: LoadOutcome, tmp_path: Path):
    lines = repr(read_result(outcome.save(tmp_path / "out"))).splitlines()
    assert [line.split(".", 1)[1].split()[0] for line in lines[1:6]] == [
        *("failed_requests", "errors", "error_rate", "requests_per_second", "queries_per_second")
    ]


def test_gates_are_about_their_step(outcome: LoadOutcome):
    record = checked(outcome, "p99>1s", "R@10<0.1").record
    failed, passed = record.gates[:2]
    assert (failed.verdict, failed.scope, failed.name, failed.value, failed.bound, failed.unit) == (
        "failed",
        STEP,
        "p99",
        1234.5,
        1000.0,
        "ms",
    )
    assert failed.said == "10 requests/s, batch 4: gate failed: p99 is 1234.5 ms, required at most 1000 ms"
    assert passed.said == "10 requests/s, batch 4: R@10<0.1 passed with 0.25"
    assert passed.name == "gold.R@10"
    assert record.status == "complete"


def test_a_test_in_which_every_request_failed_is_broken(outcome: LoadOutcome):
    steps = [invented_load.step(10.0, failed=300), invented_load.step(20.0, failed=300)]
    (broken,) = replace(outcome, steps=steps).record.gates
    assert (broken.verdict, broken.about) == ("broken", "http://service/batch_search")
    assert broken.said == "every request failed, mostly: HTTP 503: busy"
    assert replace(outcome, steps=steps).record.status == "failed"
    assert outcome.record.gates == []


def test_a_test_without_a_step_has_a_record_without_numbers(outcome: LoadOutcome):
    record = replace(outcome, steps=[], interrupted=True).record
    validated(record)
    assert (record.numbers, record.gates, record.status) == ([], [], "interrupted")


def test_counts_failures_and_notes_have_their_step(outcome: LoadOutcome):
    record = outcome.record
    counts = {(one.name, *one.scope.values()): one.count for one in record.counts}
    assert counts["dropped_positives",] == 2
    assert counts["queries_without_label", "gold"] == 1
    assert counts["short_lists", STEP["step"]] == 7
    assert counts["unlabelled_hits", STEP["step"], "article"] == 4
    assert counts["hit_faults", STEP["step"], "missing_scores"] == 5
    (failure,) = record.failures
    assert (failure.reason, failure.count, failure.scope) == ("HTTP 503: busy", 3, {"step": "20 requests/s, batch 4"})
    outcome.steps[0].counts["positive_hits"] = 0
    first, *others = replace(outcome).record.notes
    assert first.text.startswith("none of the 6,000 hits is a positive of its query")
    assert first.scope == STEP
    assert [one.scope for one in others[:2]] == [{}, {}]


def test_a_backlog_is_a_note_of_its_step_and_its_state_lies_in_the_folder(outcome: LoadOutcome, tmp_path: Path):
    steps = [replace(outcome.steps[0], saturation="below"), replace(outcome.steps[1], saturation="beyond")]
    loaded = round_trip(replace(outcome, steps=steps), tmp_path / "out")
    first, *others = loaded.record.notes
    assert first.text.startswith(
        "beyond saturation: 1 requests/s were due and 1 answered, and the backlog went from 1 "
    )
    assert first.scope == {"step": "20 requests/s, batch 4"}
    assert [one.scope for one in others[:2]] == [{}, {}]
    assert [step.saturation for step in loaded.details_as(LoadDetails).steps] == ["below", "beyond"]


def test_gates_see_the_percentiles_of_the_answered_requests_too(outcome: LoadOutcome):
    outcome.steps[1].values["answered_p99"] = 3000.0
    gates = checked(outcome, "answered_p99>2s", "backlog_growth>0.5", "offered_per_second<0.5").record.gates
    assert [gate.verdict for gate in gates] == ["passed", "failed", "passed", "failed", "failed", "passed"]
    assert gates[3].said == "20 requests/s, batch 4: gate failed: answered_p99 is 3000 ms, required at most 2000 ms"


def test_settings_name_every_option_and_no_secret(outcome: LoadOutcome):
    settings = {name: one.value for name, one in outcome.record.settings.items()}
    assert settings["rate"] == [10.0, 20.0]
    assert (settings["retries"], settings["arrivals"]) == (0, "constant")
    assert settings["criteria"]["cutoffs"] == [3, 5, 10]
    assert outcome.record.data.queries == 12
    assert outcome.record.subject[0].source == "http://service/batch_search"


OLD = Path(__file__).parents[1] / "stored" / "load"  # of version 0.1
SUMMARY_0_1, CONFIG_0_1 = (json.loads((OLD / f"{name}.json").read_bytes()) for name in ("summary", "config"))
FAILURE = "p99 is 10.407 ms, and > 10 ms was to fail"
SUMMARY_0_1["loop"] = "open"
SUMMARY_0_1["steps"][0] |= {
    "failed_gates": [FAILURE],
    "gates": [{"gate": "p99>10ms", "name": "p99", "value": 10.407, "bound": 10.0, "failure": FAILURE, "unit": "ms"}],
}


def test_a_folder_of_version_0_1_becomes_a_record_and_is_drawn(tmp_path: Path):
    details = converted(SUMMARY_0_1, LoadDetails, "summary.json")
    record = record_of(details, CONFIG_0_1, 1.0, 40.0)
    validated(record)
    step = {"step": "concurrency 1, batch 4"}
    quality = SUMMARY_0_1["steps"][0]["values"]["asked.gold.nDCG@3"]
    assert found(record, "nDCG@3", **step, task="gold").value == quality > 0
    assert found(record, "p99", **step).unit == "ms"
    (gate,) = record.gates
    assert (gate.verdict, gate.condition, gate.scope) == ("failed", "p99>10ms", step)
    assert (record.started, record.environment.versions) == ("1970-01-01T00:00:01.000Z", CONFIG_0_1["versions"])
    assert (record.data.name, record.data.source) == ("data", "data/tiered.jsonl")
    loaded = Loaded(tmp_path, record, SUMMARY_0_1, [])
    assert "10.4" in draw(loaded, "text")
    assert "Backlog" not in draw(loaded, "text"), "it has none"
    assert FAILURE.replace(">", "&gt;") in draw(loaded, "html")


@pytest.mark.parametrize("change", [{"steps": {}}, {"queries": "12"}, {"steps": [{"name": "one"}]}, {"loop": "round"}])
def test_a_summary_of_another_kind_is_refused(change: dict[str, Any]):
    with pytest.raises(InputError, match=r"^summary\.json is damaged: "):
        converted({**SUMMARY_0_1, **change}, LoadDetails, "summary.json")


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"options": 5},
        {**CONFIG_0_1, "host": 5},
        *(
            {"options": CONFIG_0_1["options"] | change}
            for change in ({"criteria": 5}, {"duration": "long"}, {"dataset": 5})
        ),
    ],
)
def test_a_configuration_of_another_kind_is_refused(config: dict[str, Any]):
    details = converted(SUMMARY_0_1, LoadDetails, "summary.json")
    with pytest.raises(InputError, match=r"^config\.json is damaged: "):
        record_of(details, config, 1.0)


def test_a_record_without_the_settings_that_are_drawn_is_damaged(outcome: LoadOutcome, tmp_path: Path):
    folder = outcome.save(tmp_path / "out")
    record = json.loads((folder / "record.json").read_bytes())
    del record["settings"]["duration"]
    (folder / "record.json").write_text(json.dumps(record))
    with pytest.raises(InputError, match=r"record\.json is damaged: Object missing required field `duration`"):
        draw(read_result(folder), "text")


def test_a_folder_of_version_0_1_gives_its_name_to_a_summary_without_one(tmp_path: Path):
    folder = tmp_path / "tuesday"
    folder.mkdir()
    for name, value in (("summary", SUMMARY_0_1), ("config", CONFIG_0_1)):
        (folder / f"{name}.json").write_text(json.dumps(value))
    assert load(folder).record.name == "tuesday"


PAGES = {"load_summary.txt": "for people\n"}
FILES = {"config.json", "record.json", "summary.json", "load_summary.txt", "steps.parquet", "requests.parquet"}


def hold(outcome: LoadOutcome, place: Path, error: str | None = None) -> None:
    """Write a folder as the command does; `error` is that of all requests."""
    with LoadFolder(place) as folder:
        for number, step in enumerate(outcome.steps):
            folder.append(step, pl.DataFrame({"number": list(range(number + 1)), "error": [error] * (number + 1)}))
        if outcome.steps:
            folder.finish(outcome, lambda: PAGES)
        if outcome.interrupted:
            raise KeyboardInterrupt


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_whole_folder_has_record_summary_pages_and_tables(outcome: LoadOutcome, tmp_path: Path):
    hold(outcome, tmp_path / "out")
    assert names(tmp_path / "out") == FILES
    assert not (tmp_path / "out.partial").exists()
    loaded = read_result(tmp_path / "out")
    assert [(one.name, one.rows) for one in loaded.record.tables] == [("requests", 3), ("steps", 2)]
    assert loaded.table("requests")["step"].to_list() == [1, 2, 2]
    assert (tmp_path / "out" / "load_summary.txt").read_text(encoding="utf-8") == "for people\n"


def test_an_interrupted_test_stays_partial_with_its_finished_steps(outcome: LoadOutcome, tmp_path: Path):
    with pytest.raises(KeyboardInterrupt) as interrupt:
        hold(replace(outcome, interrupted=True), tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert names(tmp_path / "out.partial") == FILES
    kept = f"the requests of the steps that were finished are in {tmp_path / 'out.partial'}"
    assert interrupt.value.__notes__ == [kept]


def test_an_interrupted_test_of_which_every_request_failed_leaves_nothing(outcome: LoadOutcome, tmp_path: Path):
    with pytest.raises(KeyboardInterrupt):
        hold(replace(outcome, interrupted=True), tmp_path / "out", "HTTP 500")
    assert names(tmp_path) == {"data"}


def test_a_test_without_a_finished_step_leaves_nothing(outcome: LoadOutcome, tmp_path: Path):
    with pytest.raises(KeyboardInterrupt):
        hold(replace(outcome, steps=[], interrupted=True), tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["data"]
