"""A service that differs from itself between passes is shown to, and the first pass is the run."""

import json
from pathlib import Path
from typing import Any

import compared
import data_sets
import pytest
import services

import benchbench as bb
from benchbench.comparison.folders import compare_results
from benchbench.errors import InputError
from benchbench.report.draw import draw
from benchbench.results.figures import signed
from benchbench.runs.run_details import run_of
from benchbench.runs.run_folder import ResultsFolder

ONE_REQUEST = {"batch_size": 12, "concurrency": 1}  # a pass: the number of a request is that of its pass
QUERIES = 12


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return data_sets.write(tmp_path / "data")


def turned(value: dict[str, Any]) -> dict[str, Any]:
    """Return an answer whose first query has its hits in reverse order."""
    first, *others = value["results"]
    return {"results": [first[::-1], *others]}


def wavering(data: Path) -> services.Answer:
    """Answer well, and from the second request on with another order of the first query's hits."""
    answer = services.searching(data_sets.collection(data))
    other = services.changed(answer, turned)
    return services.choosing(lambda number, message: other if number else answer)


def ran(data: Path, answer: services.Answer, **options: Any) -> bb.Outcome:
    """Return the run of a service that answers so."""
    with services.running(answer) as service:
        return data_sets.outcome(data, service.url, **options)


def test_a_service_that_always_says_the_same_has_no_spread(data: Path):
    found = ran(data, services.searching(data_sets.collection(data)), repeat=3)
    repeats = found.details().repeats
    assert (repeats.passes, repeats.queries, repeats.failed) == (3, QUERIES, (0, 0, 0))
    assert [one.mean for one in repeats.agreement] == pytest.approx([1, 1, 1, 1, 1, 0])
    assert {repeats.spread(task, name) for task, names in repeats.measures.items() for name in names} == {0.0}


def test_what_changes_between_passes_is_shown_per_query_and_in_the_means(data: Path):
    with services.running(wavering(data)) as service:
        found = data_sets.outcome(data, service.url, repeat=3, **ONE_REQUEST)
        assert len(service.messages) == 3
    table = found.table("repeats")
    assert table["pass"].to_list() == [2] * QUERIES + [3] * QUERIES
    changed = table.filter(table["RBO"] < 1)
    assert changed["query_id"].to_list() == [found.queries.ids[0]] * 2
    assert changed["tau"].to_list() == [-1.0, -1.0]
    means = {one.measure: one for one in found.details().repeats.agreement}
    assert means["top_changed"].mean == pytest.approx(1 / QUERIES)
    assert means["tau"].mean == pytest.approx(1 - 2 / means["tau"].queries)
    assert "Repeats" in draw(found, "text")


def test_means_of_a_later_pass_are_those_of_a_run_with_its_answers(data: Path):
    answer = services.changed(services.searching(data_sets.collection(data)), turned)
    found = ran(data, wavering(data), repeat=2, **ONE_REQUEST)
    alone = ran(data, answer, **ONE_REQUEST)
    second = {(one.task, one.measure): one.value for one in alone.estimates}
    for task, names in found.details().repeats.measures.items():
        for name, (_, mean) in names.items():
            assert mean == second[task, name]


def test_of_other_measures_all_that_were_asked_for_are_repeated_micro_averages_and_totals_too(data: Path):
    criteria = bb.Criteria(("gold",), measures=("microF1@5", "NumRet", "nDCG@3"))
    answer = services.changed(services.searching(data_sets.collection(data)), turned)
    gates = ("spread microF1@5>1", "repeat_overlap@3<0")
    found = ran(data, wavering(data), repeat=2, criteria=criteria, fail_if=gates, **ONE_REQUEST)
    alone = ran(data, answer, criteria=criteria, **ONE_REQUEST)
    repeats = found.details().repeats
    assert [one.measure for one in repeats.agreement] == ["overlap@3", "overlap@5", "RBO", "tau", "top_changed"]
    for place, outcome in enumerate((found, alone)):
        means = {one.measure: one.value for one in outcome.estimates}
        assert {name: values[place] for name, values in repeats.measures["gold"].items()} == means
    assert [gate.verdict for gate in found.gates] == ["passed", "passed"]
    first, second = (f"{value:.3f}" for value in repeats.measures["gold"]["microF1@5"])
    assert f"gold microF1@5 of each pass {first}, {second}; spread " in " ".join(draw(found, "text").split())


def test_the_numbers_are_those_of_the_first_pass_to_the_bit(data: Path):
    found = ran(data, wavering(data), repeat=2, **ONE_REQUEST)
    once = ran(data, wavering(data), **ONE_REQUEST)
    assert found.estimates == once.estimates
    assert found.signature == once.signature
    assert found.per_query.drop("latency_ms").equals(once.per_query.drop("latency_ms"))
    for task, names in found.details().repeats.measures.items():
        for name, (first, _) in names.items():
            assert first == run_of(found).measures[task][name].value
    assert once.details().repeats is None


def test_queries_that_failed_in_a_pass_are_not_compared(data: Path):
    answer = services.searching(data_sets.collection(data))
    failing = services.choosing(lambda number, message: services.status(400) if number == 1 else answer)
    found = ran(data, failing, repeat=3, max_error_rate=1, **ONE_REQUEST)
    repeats = found.details().repeats
    assert (repeats.failed, repeats.queries) == ((0, QUERIES, 0), QUERIES)
    assert found.table("repeats").filter(found.table("repeats")["pass"] == 2)["RBO"].null_count() == QUERIES
    said = "failed queries of each pass 0, 12, 0; they are not compared, and count as 0 in the means of their pass"
    assert said in draw(found, "text")


def test_a_spread_that_has_failed_queries_in_it_is_said_to(tmp_path: Path, data: Path):
    answer = services.searching(data_sets.collection(data))
    failing = services.choosing(lambda number, message: services.status(400) if number else answer)
    with services.running(failing) as service:
        one = results(tmp_path, data, service.url, "one", repeat=2, retries=0)
    with services.running(answer) as service:
        other = results(tmp_path, data, service.url, "other")
    notes = [note.text for note in compare_results([one, other], ["accusation.nDCG@10"]).record.notes]
    (said,) = [note for note in notes if "differs from itself" in note]
    assert said.endswith(", in which failed queries count as 0")


def test_hits_without_ids_are_not_taken_for_the_same(data: Path):
    def nameless(value: dict[str, Any]) -> dict[str, Any]:
        return {"results": [[{**hit, "id": None} for hit in hits] for hits in value["results"]]}

    found = ran(data, services.changed(services.searching(data_sets.collection(data)), nameless), repeat=2)
    repeats = found.details().repeats
    assert repeats.queries == 0
    assert repeats.without_id > 0
    assert {one.mean for one in repeats.agreement} == {None}


def test_gates_are_about_what_changed_and_are_known_before_anything_is_sent(data: Path):
    with services.running(wavering(data)) as service:
        gates = ("repeat_top_changed>5%", "spread nDCG@10>0.9", "high repeat_RBO<0.5")
        found = data_sets.outcome(data, service.url, repeat=2, fail_if=gates, **ONE_REQUEST)
        assert [one.verdict for one in found.record.gates] == ["failed", "passed", "passed"]
        with pytest.raises(InputError, match="repeat_RBO is not measured"):
            data_sets.outcome(data, service.url, fail_if="repeat_RBO<0.9")
    with pytest.raises(InputError, match="--repeat is a whole number from 1 to 1,000"):
        data_sets.settings(data, "http://127.0.0.1:1", repeat=0)


def test_several_targets_are_each_repeated(data: Path):
    with (
        services.running(wavering(data)) as one,
        services.running(services.searching(data_sets.collection(data))) as two,
    ):
        settings = bb.Settings(str(data), targets={"a": one.url, "b": two.url}, repeat=2, **ONE_REQUEST)
        done = []
        found = bb.run_targets(settings, progress=lambda number, total: done.append((number, total)))
    assert done[-1] == (4 * QUERIES, 4 * QUERIES)
    spreads = {name: outcome.details().repeats.agreement[-1].mean for name, outcome in found.items()}
    assert spreads == {"a": pytest.approx(1 / QUERIES), "b": 0.0}
    text = " ".join(draw(found, "text").split())
    assert f"2 passes over the queries; later ones beside the first: overlap@3 {_mean_of(found['a'])}" in text
    assert text.count("accusation nDCG@10 of each pass ") == 2


def _mean_of(outcome: bb.Outcome) -> str:
    return f"{outcome.details().repeats.agreement[0].mean:.3f}"


def test_workers_make_later_passes_too(data: Path):
    found = ran(data, services.searching(data_sets.collection(data)), repeat=2, workers=2, batch_size=3, concurrency=2)
    assert found.details().repeats.queries == QUERIES


def results(folder: Path, data: Path, url: str, name: str, **options: Any) -> Path:
    return compared.results(folder / name, data, url, name=name, **ONE_REQUEST, **options)


def test_a_folder_has_the_passes_and_a_resumed_run_makes_later_ones_again(tmp_path: Path, data: Path):
    """The journal has the first pass alone; what a stopped run made of later ones is made once more."""
    with services.running(services.searching(data_sets.collection(data))) as service:
        settings = data_sets.settings(data, service.url, name="stopped", repeat=2, **ONE_REQUEST)
        with pytest.raises(KeyboardInterrupt), ResultsFolder(tmp_path / "stopped") as folder:
            bb.run(settings, folder.append, _stop_after_the_first_pass, folder.journal)
        assert len(service.messages) == 1
        with ResultsFolder(tmp_path / "stopped", resume=True) as folder:
            folder.finish(bb.run(settings, folder.append, journal=folder.journal))
        assert len(service.messages) == 2
    whole = bb.load(tmp_path / "stopped")
    assert whole.table("repeats").height == QUERIES
    assert json.loads((tmp_path / "stopped" / "summary.json").read_bytes())["repeats"]["passes"] == 2


def _stop_after_the_first_pass(done: int, total: int) -> None:
    if done == QUERIES:
        raise KeyboardInterrupt


def test_a_difference_within_what_a_service_differs_from_itself_is_said(tmp_path: Path, data: Path):
    with services.running(wavering(data)) as service:
        one = results(tmp_path, data, service.url, "one", repeat=2)
        other = results(tmp_path, data, service.url, "other")
        third = results(tmp_path, data, service.url, "third")
    outcome = compare_results([one, other], ["accusation.nDCG@10"])
    (difference,) = outcome.details().differences
    spreads = [each for each in bb.load(one).record.numbers if each.name == "spread nDCG@10"]
    (number,) = [each for each in spreads if each.scope["task"] == "accusation"]
    said = [note.text for note in outcome.record.notes if "differs from itself" in note.text]
    assert number.value == pytest.approx(abs(difference.mean))
    assert said == [
        f"the difference of other and one in accusation.nDCG@10, {signed(difference.mean)}, is within what one differs "
        f"from itself: its means of 2 passes span {number.value:.3f}"
    ]
    of_all = compare_results([one, other, third], ["accusation.nDCG@10"], "other").record.notes
    (of_baseline,) = (note.text for note in of_all if "differs from itself" in note.text)
    assert of_baseline.startswith("the difference of one and other in accusation.nDCG@10")


def test_a_difference_beyond_it_is_not(tmp_path: Path, data: Path):
    half = data_sets.collection(data)
    half = type(half)(half.ids[12:], half.texts[12:], half.meta[12:])
    with services.running(services.searching(data_sets.collection(data))) as service:
        one = results(tmp_path, data, service.url, "one", repeat=2)
    with services.running(services.searching(half)) as service:
        other = results(tmp_path, data, service.url, "other")
    outcome = compare_results([one, other], ["gold.nDCG@10"])
    assert not [note for note in outcome.record.notes if "differs from itself" in note.text]
