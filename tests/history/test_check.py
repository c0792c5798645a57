"""The latest run against its reference: what is worse, since when, what moved, and when it is over."""

import json
import math
import re
from pathlib import Path

import history_series as series
import msgspec
import numpy as np
import pytest
from cases import first_of
from history_series import add, quiet

from benchbench.errors import GateError, InputError, TooManyFailuresError
from benchbench.history.alerts.rows import accepted, alerts
from benchbench.history.alerts.targets import read_targets
from benchbench.history.check.accepting import accept, undo
from benchbench.history.check.between_runs import step_of
from benchbench.history.check.check_details import BETTER, FAILED, NOT_WORSE, OPEN, TOO_LITTLE, WORSE, MeasureVerdict
from benchbench.history.check.check_record import HistoryCheck
from benchbench.history.check.check_run import check
from benchbench.history.check.words import headline, sure
from benchbench.history.check_settings import CheckSettings, DiffSettings
from benchbench.history.diff.diff_run import StoredRun, diff
from benchbench.history.store import Store, open_history
from benchbench.history.trend.trend_run import trend
from benchbench.history.wanted import Wanted
from benchbench.results.gates import parse_gate
from benchbench.results.record import with_ends
from benchbench.results.verdict import end
from benchbench.significance.mean_intervals import WILSON_FORM

UNMOVED = {"gold.nDCG@10": series.levels()}  # what each run of a deterministic system reaches


def only(found: HistoryCheck) -> MeasureVerdict:
    """Return what was found of the only measure."""
    (one,) = found.found.series
    (measure,) = one.measures
    return measure


def test_a_planted_loss_is_found_at_once_with_when_and_between_which_commits(history: Store) -> None:
    quiet(history, 12)
    add(history, 13, -0.1)
    found = check(history)
    one = only(found)
    assert one.verdict == WORSE
    assert one.alert == "began"
    assert (one.since.number, one.before.number) == (13, 12)
    assert one.decided.rejects
    assert one.decided.difference == pytest.approx(-0.1, abs=0.03)
    assert one.decided.low < one.decided.difference < one.decided.high < 0
    assert one.sentence.startswith("gold.nDCG@10 is worse since run 13, between commit c0120000 and c0130000: ")
    with pytest.raises(GateError, match=r"gate failed: gold\.nDCG@10 is worse since run 13"):
        end(found.record.gates)


@pytest.mark.parametrize("bad", first_of(1, 5, 2, 3, 7, first=2))
def test_a_check_after_several_runs_finds_what_one_after_each_would(history: Store, bad: int) -> None:
    """Ten runs of the reference, one more, and then runs that are worse: their own change is no noise of runs."""
    quiet(history, 11)
    for run in range(12, 12 + bad):
        add(history, run, -0.15)
    one = only(check(history))
    assert (one.verdict, one.alert) == (WORSE, "began")
    assert one.since.number == 12


def test_a_loss_that_came_and_went_between_two_checks_is_none(history: Store) -> None:
    quiet(history, 12)
    add(history, 13, -0.2)
    add(history, 14, -0.2)
    for run in range(15, 19):
        add(history, run)
    assert only(check(history)).verdict == OPEN


def test_quiet_runs_alarm_in_no_check(history: Store) -> None:
    quiet(history, 8)
    for run in range(9, 26):
        add(history, run)
        found = check(history)
        assert only(found).verdict in ((TOO_LITTLE,) if run <= 10 else (OPEN, TOO_LITTLE))
        end(found.record.gates)
    assert only(found).verdict == OPEN
    assert not alerts(history, [history.series()[0].key])


def test_of_runs_without_chance_the_queries_that_changed_are_said_although_no_change_is_shown(history: Store) -> None:
    quiet(history, 11, measures=UNMOVED)
    assert only(check(history)).sentence.startswith("gold.nDCG@10: nothing changed: ")
    changed = series.levels()
    changed[[3, 5]] += (-0.2, 0.1)
    add(history, 12, measures={"gold.nDCG@10": changed})
    one = only(check(history))
    assert one.verdict == OPEN
    assert "no measurable change, but 2 of 40 queries changed, and none did in the reference" in one.sentence
    assert [(each.id, round(each.after - each.before, 3)) for each in one.moved] == [("q03", -0.2), ("q05", 0.1)]


def test_of_a_deterministic_system_each_state_is_tested_once_and_equal_runs_cost_nothing(history: Store) -> None:
    lost = (
        series.levels() - np.where(np.arange(series.QUERIES) < 16, 0.1, 0.0) + np.where(np.arange(40) == 20, 0.1, 0.0)
    )
    quiet(history, 11, measures=UNMOVED)
    one = only(check(history))
    assert (one.tests, one.tested, one.spent) == ("queries", 0, 0.0)
    for run in range(12, 15):
        add(history, run, measures={"gold.nDCG@10": lost})
        found = check(history)
        one = only(found)
        assert (one.verdict, one.alert, one.tested) == (WORSE, "began" if run == 12 else "open", 1)
        assert (one.level, one.spent, len(one.windows)) == (pytest.approx(0.04 / 60), pytest.approx(0.04 / 60), 1)
        assert (one.lower, one.higher) == (16, 1)
    assert "on these queries: 16 lower, 1 higher, mean −0.037" in sure(one)
    with pytest.raises(GateError):
        end(found.record.gates)
    add(history, 15, measures=UNMOVED)
    one = only(check(history))
    assert (one.verdict, one.alert, one.tested) == (OPEN, "ended", 1)


def test_quality_and_speed_have_budgets_of_their_own(history: Store) -> None:
    quiet(history, 11, latency=series.milliseconds)
    both = check(history, measures=["nDCG@10", "latency"]).found.series[0].measures
    assert [one.level for one in both] == pytest.approx([0.04 / (60 * 4)] * 2)


def test_runs_of_as_many_names_are_said_to_make_no_series(history: Store) -> None:
    for run in range(1, 4):
        add(history, run, name=f"run {run}")
    (said,) = (said for said in check(history).found.notes if "another name" in said)
    assert said == "2 runs on the same data by the same rules have another name; runs of one --name make a series"
    assert not any("another name" in said for said in check(history, Wanted(name="run 1")).found.notes)


def test_an_alert_that_other_data_hide_is_said(history: Store) -> None:
    quiet(history, 12)
    add(history, 13, -0.1)
    check(history)
    add(history, 14, digest="d2")
    (one,) = check(history).found.series
    assert any(said.endswith("; an alert on gold.nDCG@10 is still open there") for said in one.left_out)


def test_a_check_judges_by_itself_what_a_trend_draws_and_says_what_else_leads(history: Store) -> None:
    tasks = ("gold", "accusation", "article", "imprisonment", "a", "b", "c")
    for run in (1, 2):
        of = {f"{task}.{one}": series.values(run) for task in tasks for one in ("P@5", "nDCG@5", "nDCG@10")}
        add(history, run, measures=of, latency=series.milliseconds(run))
    (one,) = check(history).found.series
    drawn = trend(history).found
    assert [each.measure for each in one.measures] == [*(f"{task}.nDCG@10" for task in tasks[:6]), "p50"]
    assert [each.measure for each in drawn.lines] == [each.measure for each in one.measures[:6]]
    assert "c.nDCG@10 leads and is not judged; -m names what is" in one.left_out
    assert any("c.nDCG@10 and p50 lead too; -m draws them" in said for said in drawn.notes)


def test_an_alert_begins_once_stays_open_and_ends_once(history: Store) -> None:
    said = []
    quiet(history, 9)
    for run in range(10, 22):
        add(history, run, -0.1 if 14 <= run < 18 else 0.0)
        for _ in range(2):  # to check a run again changes nothing
            one = only(check(history))
            said.append((run, one.verdict, one.alert))
    assert [(run, alert) for run, _, alert in said if alert in ("began", "ended")] == [(14, "began"), (18, "ended")]
    assert {run for run, verdict, _ in said if verdict == WORSE} == {14, 15, 16, 17}
    (one,) = alerts(history, [history.series()[0].key])
    assert (one.body.since_run, one.body.found_run, one.end.run, one.end.why) == (14, 14, 18, "recovered")


def test_an_open_alert_fails_the_gate_although_no_test_of_the_latest_run_rejects(history: Store) -> None:
    quiet(history, 13)
    add(history, 14, -0.1)
    assert only(check(history)).alert == "began"
    add(history, 15, -0.04)
    found = check(history, settings=CheckSettings(planned=2_000))  # at this level two runs are too few
    one = only(found)
    assert (one.verdict, one.alert) == (WORSE, "open")
    assert one.since.number == 14
    assert one.sentence.startswith("gold.nDCG@10 is worse since run 14, ")
    assert one.sentence.endswith(", and has not recovered measurably.")
    assert "nothing shows that it has recovered since run 14" in one.why
    assert found.record.gates[0].verdict == "failed"


@pytest.mark.slow  # a check after each of many runs
def test_after_an_alert_has_ended_the_next_one_begins_with_its_own_runs(history: Store) -> None:
    quiet(history, 9)
    for run in range(10, 25):
        add(history, run, -0.1 if run == 12 or run >= 20 else 0.0)
        check(history)
    first, second = alerts(history, [history.series()[0].key])
    assert (first.body.since_run, second.body.since_run) == (12, 20)
    assert second.is_open


def test_a_gain_is_better_and_no_alert(history: Store) -> None:
    quiet(history, 12)
    add(history, 13, 0.1)
    found = check(history)
    one = only(found)
    assert (one.verdict, one.alert) == (BETTER, "")
    assert one.since.number == 13
    assert all(each.after > each.before for each in one.moved)
    end(found.record.gates)


def test_with_a_margin_a_run_is_not_worse_by_more(history: Store) -> None:
    quiet(history, 14)
    one = only(check(history, settings=CheckSettings(margin=0.2)))
    assert one.verdict == NOT_WORSE
    assert "is not worse by more than 0.2" in one.sentence


def test_what_is_better_when_it_is_lower_is_worse_when_it_rises(history: Store) -> None:
    for run in range(1, 14):
        rose = 0.1 if run == 13 else 0.0
        add(history, run, measures={"toxicity": series.values(run, rose)}, better="lower")
    one = only(check(history))
    assert one.verdict == WORSE
    assert 0 < one.decided.low < one.decided.difference < one.decided.high
    assert all(each.after > each.before for each in one.moved)
    (body,) = (each.body for each in alerts(history, [history.series()[0].key]))
    assert body.difference == pytest.approx(0.1, abs=0.03)
    assert body.better == "lower"


def test_latency_is_judged_by_blocks_and_said_as_a_ratio(history: Store) -> None:
    quiet(history, 12, latency=series.milliseconds)
    add(history, 13, latency=series.milliseconds(13, 1.5))
    one = only(check(history, measures=["latency"]))
    assert (one.measure, one.unit, one.verdict) == ("p50", "ms", WORSE)
    assert one.decided.difference == pytest.approx(0.5, abs=0.2)
    assert one.reference == pytest.approx(20.0, rel=0.1)
    assert one.value / one.reference == pytest.approx(1 + one.decided.difference)
    assert re.search(r": [\d.]+ ms became [\d.]+ ms, 1\.\d+ times \(1\.\d+ to \d\.\d+\)\.$", one.sentence)
    (body,) = (each.body for each in alerts(history, [history.series()[0].key]))
    assert body.unit == "ms"
    assert body.difference == pytest.approx(body.value - body.reference)


def test_latency_is_not_judged_where_requests_are_sent_in_another_way_and_quality_is(history: Store) -> None:
    quiet(history, 12, latency=series.milliseconds, settings={"batch_size": 1})
    add(history, 13, latency=series.milliseconds(13, 9.0), settings={"batch_size": 32})
    quality, latency = check(history, measures=["nDCG@10", "latency"]).found.series[0].measures
    assert (quality.verdict, latency.verdict) == (OPEN, TOO_LITTLE)
    assert latency.why == "speed was not compared: run 1 sent 1 query per request, run 13 32"


def test_an_alert_on_a_measure_that_is_not_checked_is_said(history: Store) -> None:
    quiet(history, 12, latency=series.milliseconds)
    add(history, 13, latency=series.milliseconds(13, 1.5))
    check(history, measures=["latency"])
    found = check(history, measures=["nDCG@10"]).found.series[0]
    assert [one.verdict for one in found.measures] == [OPEN]
    assert "an alert on p50 since run 13 is open and not checked here; -m p50 does" in found.left_out


def test_a_margin_of_latency_is_a_share(history: Store) -> None:
    quiet(history, 14, latency=series.milliseconds)
    one = only(check(history, measures=["p50"], settings=CheckSettings(margin=0.5)))
    assert one.verdict == NOT_WORSE
    assert "not worse by more than 50 %" in one.sentence


def test_several_measures_share_alpha(history: Store) -> None:
    for run in range(1, 13):
        add(history, run, measures={"gold.nDCG@10": series.values(run), "gold.P@5": series.values(run)})
    (alone,) = check(history, measures=["nDCG@10"]).found.series[0].measures
    both = check(history, measures=["nDCG@10", "P@5"]).found.series[0].measures
    assert alone.level == pytest.approx(0.04 / (60 * 4))
    assert [one.level for one in both] == pytest.approx([0.04 / (60 * 4 * 2)] * 2)


def test_queries_and_slices_that_fell_are_named_the_worst_first(history: Store) -> None:
    topics = ["law"] * 20 + ["tax"] * 20
    for run in range(1, 14):
        measured = series.values(run, noise=0.02)
        if run == 13:
            measured[:20] -= 0.2
            measured[7] -= 0.2
        add(history, run, measures={"gold.nDCG@10": measured}, columns={"topic": topics})
    one = only(check(history))
    assert one.verdict == WORSE
    assert one.moved[0].id == "q07"
    assert len(one.moved) == 20
    assert {each.id for each in one.moved} == {f"q{place:02d}" for place in range(20)}
    assert one.slices[0].slice == "topic=law"
    assert one.slices[0].n == 20
    assert one.slices[0].after - one.slices[0].before == pytest.approx(-0.21, abs=0.02)


def test_groups_of_queries_are_what_is_flipped(history: Store) -> None:
    documents = [f"d{place // 2}" for place in range(series.QUERIES)]
    quiet(history, 12, columns={"document": documents})
    add(history, 13, -0.1, columns={"document": documents})
    by_query = only(check(history)).decided
    found = check(history, settings=CheckSettings(cluster="document"))
    by_document = only(found).decided
    assert by_document.p_queries >= by_query.p_queries
    assert found.found.cluster == "document"


def test_a_cluster_column_that_does_not_exist_is_refused_with_those_that_do(history: Store) -> None:
    quiet(history, 12, columns={"topic": ["law"] * 20 + ["tax"] * 20})
    with pytest.raises(InputError, match=r"--cluster document: .* no such column; they have topic"):
        check(history, settings=CheckSettings(cluster="document"))


def test_runs_of_other_rules_or_data_under_the_name_are_another_series_and_said(history: Store) -> None:
    quiet(history, 11, signature="measures:nDCG|k:10|ties:trec")
    add(history, 12, digest="d2")
    for run in (13, 14):
        add(history, run)
    found = check(history).found
    (one,) = found.series
    assert one.measures[0].why.startswith("2 of 10 runs since the data changed with run 13; ")
    assert any("11 runs under the name service" in said and "another order of ties" in said for said in one.left_out)
    assert any("1 run under the name service" in said and "other data (data:" in said for said in one.left_out)
    assert any("2 other series are not checked; --all checks every one" in said for said in found.notes)


@pytest.mark.parametrize(
    ("now", "what"),
    [("measures:nDCG|version:2.0", "the version of benchbench"), ("ties:trec|version:1.0", "the rules")],
)
def test_what_began_a_series_anew_is_said(history: Store, now: str, what: str) -> None:
    quiet(history, 2, signature="measures:nDCG|version:1.0")
    add(history, 3, signature=now)
    assert only(check(history)).why.startswith(f"1 of 10 runs since {what} changed with run 3; ")


def test_all_checks_every_series_and_says_which_has_nothing_to_judge(history: Store) -> None:
    quiet(history, 12, name="one")
    for run in range(20, 33):
        add(history, run, -0.1 if run == 32 else 0.0, name="two")
    add(history, 40, measures={}, name="empty")
    with pytest.raises(InputError, match="has no values per query"):
        check(history)
    found = check(history, settings=CheckSettings(every=True))
    assert {one.name: one.measures[0].verdict for one in found.found.series} == {"one": OPEN, "two": WORSE}
    assert any("empty (run 26) is not judged" in said for said in found.found.notes)
    assert [one.verdict for one in found.record.gates] == ["failed", "passed"]
    assert found.record.gates[0].about == "two on cases"
    assert {one.scope["series"] for one in found.record.numbers} == {"one on cases", "two on cases"}


def test_conditions_choose_the_series_and_all_of_its_runs_count(history: Store) -> None:
    quiet(history, 12, name="one")
    quiet_entry = add(history, 20, name="two")
    found = check(history, Wanted(name="one", limit=1)).found.series[0]
    assert found.name == "one"
    assert found.measures[0].tested == 2
    assert check(history, Wanted(commit="c020")).found.series[0].judged.number == quiet_entry.number


def test_a_clock_that_went_back_changes_nothing_and_is_said(history: Store) -> None:
    quiet(history, 12)
    add(history, 13, -0.1, began=1.0)
    found = check(history).found.series[0]
    assert found.measures[0].since.number == 13
    assert any("run 13 began before the run recorded before it" in said for said in found.left_out)


def test_a_latest_run_that_failed_is_not_judged_and_not_passed(history: Store) -> None:
    quiet(history, 12)
    add(history, 13, status="failed")
    found = check(history)
    one = only(found)
    assert one.verdict == FAILED
    assert found.record.status == "failed"
    with pytest.raises(TooManyFailuresError, match="run 13 has no values to judge: it failed"):
        end(found.record.gates)


def test_a_run_of_which_all_queries_failed_is_not_judged_and_not_passed(history: Store) -> None:
    quiet(history, 12)
    add(history, 13, measures={"gold.nDCG@10": np.full(series.QUERIES, math.nan)})
    found = check(history)
    assert only(found).verdict == FAILED
    with pytest.raises(TooManyFailuresError, match="all of its queries failed"):
        end(found.record.gates)


def test_queries_that_failed_are_left_out_and_counted(history: Store) -> None:
    quiet(history, 12)
    measured = series.values(13)
    measured[:5] = math.nan
    add(history, 13, measures={"gold.nDCG@10": measured})
    one = only(check(history))
    assert (one.verdict, one.units, one.missing) == (OPEN, 35, 5)


def test_one_query_can_show_nothing_and_that_is_said(history: Store) -> None:
    for run in range(1, 13):
        add(history, run, measures={"gold.nDCG@10": [0.5 if run < 12 else 0.0]})
    one = only(check(history))
    assert one.verdict == TOO_LITTLE
    assert "1 query can show no change" in one.why
    assert re.search(r"direction\.\Z", one.sentence)


def test_an_accepted_change_makes_a_new_reference_ends_the_alert_and_starts_a_new_budget(history: Store) -> None:
    quiet(history, 12)
    for run in range(13, 16):
        add(history, run, -0.1)
        check(history)
    change = accept(history, None, "a faster  ranker,\nmeant", "me")
    assert (change.accepted.run, change.accepted.reason) == (13, "a faster ranker, meant")
    assert (change.have, change.left) == (3, 7)
    assert [one.alert.body.measure for one in change.ended] == ["gold.nDCG@10"]
    (one,) = alerts(history, [history.series()[0].key])
    assert one.end.why == "accepted"
    assert only(check(history)).why.startswith("3 of 10 runs")
    for run in range(16, 26):
        add(history, run, -0.1)
        check(history)
    found = check(history).found.series[0]
    assert [one.number for one in found.reference.runs] == list(range(13, 23))
    assert (found.reference.reason, found.reference.by) == ("a faster ranker, meant", "me")
    assert (found.measures[0].verdict, found.measures[0].tested) == (OPEN, 3)
    add(history, 26, -0.2)
    assert only(check(history)).alert == "began"


def test_an_accepted_change_can_be_taken_back(address: str) -> None:
    with open_history(address, create=True) as history:
        _taken_back(history)


def _taken_back(history: Store) -> None:
    quiet(history, 12)
    add(history, 13, -0.1)
    before = only(check(history))
    accept(history, "13", "meant")
    assert only(check(history)).verdict == TOO_LITTLE
    change = undo(history)
    assert change.accepted.reason == "meant"
    assert accepted(history) == []
    after = only(check(history))
    assert (after.verdict, after.alert, after.windows) == (WORSE, "open", before.windows)
    with pytest.raises(InputError, match="no change of service on cases was accepted"):
        undo(history)


def test_without_an_alert_the_latest_run_is_accepted_and_a_run_may_be_named(history: Store) -> None:
    quiet(history, 12)
    assert accept(history, None, "new index").accepted.run == 12
    assert accept(history, "5", "earlier after all").accepted.run == 5
    assert [one.run for one in accepted(history)] == [12, 5]
    found = check(history).found.series[0]
    assert found.measures[0].why.startswith("8 of 10 runs")


@pytest.mark.parametrize("reason", ["", " \n", "x" * 1001])
def test_a_change_is_accepted_with_a_reason(history: Store, reason: str) -> None:
    add(history, 1)
    with pytest.raises(InputError, match="--reason is a text"):
        accept(history, None, reason)


def test_a_change_whose_runs_are_deleted_is_one_sentence(history: Store) -> None:
    quiet(history, 12)
    last = add(history, 13)
    accept(history, "13", "meant")
    history.delete([last])
    with pytest.raises(InputError, match=r"since the accepted change of run 13 are deleted.*--undo"):
        check(history)


def test_more_runs_than_planned_are_said(history: Store) -> None:
    quiet(history, 14)
    found = check(history, settings=CheckSettings(planned=2))
    assert "this is run 4" in only(found).why


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"alpha": 1e-6}, "leaves 3.3e-09 for each test"),
        ({"alpha": 0.0}, "--alpha"),
        ({"planned": 0}, "--planned-runs"),
        ({"margin": 0.0}, "--margin"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, float], said: str) -> None:
    with pytest.raises(InputError, match=said):
        CheckSettings(**settings)  # type: ignore[arg-type]


def test_the_record_has_what_gates_name(history: Store) -> None:
    quiet(history, 12)
    add(history, 13, -0.1)
    found = check(history)
    by_name = {one.name: one for one in found.record.numbers}
    assert set(by_name) == {"nDCG@10", "Δ nDCG@10", "p nDCG@10"}
    assert all(one.scope == {"task": "gold"} for one in by_name.values())
    (gate,) = found.record.gates
    assert gate.condition == "gold.nDCG@10 is worse"
    assert {one.name for one in found.record.counts} == {"reference_runs", "tested_runs", "missing_values"}
    assert found.table("moved").height == 20
    assert found.table("moved_slices").height == 0


def test_what_was_not_tested_is_no_measure_that_a_check_takes_by_itself(history: Store) -> None:
    for run in range(1, 12):
        nothing = [float("nan")] * series.QUERIES
        add(history, run, measures={"untested": nothing, "tested": series.values(run)})
    assert only(check(history)).measure == "tested"
    assert only(check(history, measures=["untested"])).verdict == "too little data"


def test_a_run_that_is_named_is_judged_as_if_no_later_one_were_there_and_changes_no_alert(history: Store) -> None:
    quiet(history, 12)
    add(history, 13, -0.15)
    add(history, 14)
    found = check(history, settings=CheckSettings(run="13"))
    assert (found.found.series[0].judged.number, only(found).verdict) == (13, WORSE)
    assert alerts(history, [found.found.series[0].key]) == []
    assert only(check(history, settings=CheckSettings(run="12"))).verdict == OPEN


@pytest.mark.parametrize(
    ("wanted", "run", "message"),
    [
        (Wanted(), "99", "no run '99' in the history"),
        (Wanted(name="bm25"), "2", "--run names one run, and its series with it"),
        (Wanted(), "2", "run 2 came before the change accepted with run 3; check a later run"),
    ],
)
def test_a_run_that_cannot_be_judged_is_refused(history: Store, wanted: Wanted, run: str, message: str) -> None:
    quiet(history, 3)
    accept(history, "3", "meant", "me")
    with pytest.raises(InputError, match=re.escape(message)):
        check(history, wanted, settings=CheckSettings(run=run))


def test_quiet_runs_join_the_reference_once_eight_have_followed_until_the_first_alarm(history: Store) -> None:
    grown = {}
    quiet(history, 10)
    for run in range(11, 45):
        add(history, run, -0.2 if run in (30, 31) else 0.0)
        if run in (11, 18, 19, 29, 30, 31, 44):
            grown[run] = only(check(history)).reference_to
    assert grown == {11: 10, 18: 10, 19: 11, 29: 21, 30: 22, 31: 22, 44: 22}
    assert only(check(history)).reference == pytest.approx(
        float(np.mean([series.values(run) for run in range(1, 23)])), abs=1e-12
    )
    assert only(check(history, settings=CheckSettings(run="20"))).reference_to == 12


@pytest.mark.slow  # a check after each of many runs
def test_a_check_after_many_runs_grows_the_reference_as_one_after_each_does(history: Store) -> None:
    quiet(history, 44)
    one = only(check(history))
    assert (one.reference_runs, one.reference_to) == (30, 30)
    assert one.reference == pytest.approx(float(np.mean([series.values(run) for run in range(1, 31)])), abs=1e-12)


def test_a_query_without_a_value_in_runs_that_joined_has_the_mean_of_the_others(history: Store) -> None:
    for run in range(1, 40):
        measured = series.values(run)
        measured[0] = np.nan if run > 5 else measured[0]
        measured[1] = np.nan if run <= 10 else measured[1]
        add(history, run, measures={"gold.nDCG@10": measured})
    one = only(check(history))
    assert one.reference_runs == 30
    assert one.units == series.QUERIES - 2


def test_of_a_deterministic_system_whose_first_runs_have_two_states_each_state_is_tested_once(history: Store) -> None:
    other = series.levels() + np.where(np.arange(series.QUERIES) < 4, 0.1, 0.0)
    lost = series.levels() - np.where(np.arange(series.QUERIES) < 20, 0.2, 0.0)
    for run in range(1, 13):
        add(history, run, measures={"gold.nDCG@10": series.levels() if run < 6 else other})
    one = only(check(history))
    assert (one.tests, one.verdict, one.reference_runs, one.tested) == ("queries", OPEN, 10, 1)
    assert f"a difference of {one.detectable:.2g} would be found with 80 %" in sure(one)
    add(history, 13, measures={"gold.nDCG@10": lost})
    assert only(check(history)).verdict == WORSE


def test_numbers_of_a_whole_run_are_judged_by_runs_alone(history: Store) -> None:
    for run in range(1, 16):
        slow = float(np.exp(np.random.default_rng([9, run]).normal(0.0, 0.05)))
        of_run = {"p99": (50.0 * slow * (3.0 if run == 15 else 1.0), "ms"), "errors": (25.0 if run == 15 else 0.0, "")}
        add(history, run, latency=series.milliseconds(run), whole=of_run)
    found = check(history).found.series[0]
    assert [one.measure for one in found.measures] == ["gold.nDCG@10", "p50", "p99"]
    tail = found.measures[2]
    assert (tail.tests, tail.verdict, tail.ratio, tail.moved) == ("runs", WORSE, True, [])
    assert tail.decided.difference == pytest.approx(2.0, abs=0.3)
    assert re.search(r"^p99 is worse since run 15.*: \d\d\.\d ms became 1\d\d ms, [23]\.\d+ times \(", tail.sentence)
    failed = only(check(history, measures=["errors"]))
    assert (failed.verdict, failed.reference, failed.value) == (WORSE, 0.0, pytest.approx(25.0))
    assert "c0150000: 0 became 25, +25 (+8 to +50)" in failed.sentence
    assert "by queries" not in sure(failed)


def test_a_number_that_not_all_runs_of_the_reference_have_is_not_judged(history: Store) -> None:
    for run in range(1, 13):
        add(history, run, whole={} if run == 4 else {"errors": (0.0, "")})
    one = only(check(history, measures=["errors"]))
    assert one.verdict == TOO_LITTLE
    assert "not all runs of the reference, 1 to 10, have it" in one.why


def test_a_condition_goes_by_the_fact_and_is_told_as_an_alert_although_no_test_shows_anything(
    history: Store, tmp_path: Path
) -> None:
    lower = series.levels() - np.where(np.arange(series.QUERIES) < 3, 0.1, 0.0)
    told = tmp_path / "told.jsonl"
    settings = CheckSettings(
        conditions=(parse_gate("Δ nDCG@10<0"),), alerts=tuple(read_targets([str(told)])), planned=60
    )
    moments = []
    quiet(history, 10, measures=UNMOVED)
    for run in range(11, 15):
        add(history, run, measures={"gold.nDCG@10": lower if run in (12, 13) else series.levels()})
        found = check(history, settings=settings)
        own, fact = found.record.gates
        assert own.verdict == "passed"
        moments.append((fact.verdict, len(told.read_text().splitlines()) if told.exists() else 0))
    assert moments == [("passed", 0), ("failed", 1), ("failed", 1), ("passed", 2)]
    began, ended = (json.loads(one) for one in told.read_text().splitlines())
    assert began["text"] == (
        "service on cases: Δ nDCG@10<0 holds since run 12, between commit c0110000 and c0120000: "
        "Δ gold.nDCG@10 is -0.0075, required at least 0"
    )
    assert (began["p"], began["difference"]) == (None, pytest.approx(-0.0075))
    assert "Δ nDCG@10<0 no longer holds with run 14" in ended["text"]


def test_a_condition_that_is_open_and_not_checked_is_said(history: Store) -> None:
    quiet(history, 11)
    check(history, settings=CheckSettings(conditions=(parse_gate("nDCG@10<0.9"),)))
    found = check(history).found.series[0]
    assert any("--fail-if 'nDCG@10<0.9' does" in said for said in found.left_out)


def test_a_condition_on_what_is_not_judged_is_refused_and_changes_no_alert(history: Store) -> None:
    quiet(history, 12)
    with pytest.raises(InputError, match=r"--fail-if Δ P@5<0: .*not measured"):
        check(history, settings=CheckSettings(conditions=(parse_gate("Δ P@5<0"),)))
    assert not alerts(history, [history.series()[0].key])


def test_where_no_test_is_possible_the_difference_is_there_for_conditions(history: Store) -> None:
    for run in range(1, 13):
        moved = 0.1 * np.sin(run / 2.0)
        add(history, run, moved)
    found = check(history, settings=CheckSettings(conditions=(parse_gate("Δ nDCG@10<0"),)))
    one = only(found)
    assert (one.verdict, one.decided) == (TOO_LITTLE, None)
    assert "Consecutive runs are alike" in one.sentence
    assert found.record.gates[1].verdict == "failed"


def test_while_nothing_is_judged_the_latest_run_is_tested_against_the_one_before_as_history_diff_does(
    history: Store,
) -> None:
    quiet(history, 5)
    add(history, 6, -0.2)
    found = check(history, settings=CheckSettings(conditions=(parse_gate("Δ nDCG@10<0"),)))
    pair = only(found).previous
    assert pair is not None
    first, second = (StoredRun(history, entry, str(entry.number)) for entry in history.entries()[-2:])
    (change,) = diff(first, second, DiffSettings(measures=("nDCG@10",))).found.changes
    assert (pair.before.number, pair.after.number) == (5, 6)
    assert (pair.first, pair.second, pair.p, pair.queries, pair.verdict) == (
        change.first, change.second, change.p, change.queries, "worse"
    )  # fmt: skip
    assert [gate.verdict for gate in found.record.gates] == ["not judged", "not judged"]
    assert found.record.status == "complete"


def test_a_reference_that_is_not_level_says_at_which_run_it_changed_and_what_changed_there(history: Store) -> None:
    for run in range(1, 13):
        add(history, run, -0.2 * (run > 8), settings={"model": "old" if run < 9 else "new"})
    found = check(history)
    step = only(found).step
    assert step is not None
    assert (step.before.number, step.after.number, step.verdict) == (8, 9, "worse")
    assert only(found).verdict == TOO_LITTLE
    sentences, advice = headline(found.found)
    changed = "contains a change: gold.nDCG@10 fell from 0.504 to 0.289 at run 9"  # medians, as in a trend
    assert sentences[0][1].startswith(f"Run 12 cannot be checked: its reference, runs 1 to 10, {changed} (")
    assert "model old → new" in sentences[0][1]
    assert only(found).reference_changes
    assert "autocorrelation" not in " ".join([only(found).sentence, *(said for _, said in sentences), *advice])
    assert "history accept 9 --reason …; if not" in advice[0]


@pytest.mark.parametrize(
    ("means", "step"),
    [([5, 5, 1, 1], 2), ([5, 4, 1, 2], 2), ([1, 1, 1], None), ([1, 2, 3, 4], None), ([5, 1, 5], None), ([2], None)],
)
def test_at_a_step_all_runs_before_differ_from_all_since_by_more_than_among_themselves(
    means: list[float], step: int | None
) -> None:
    assert step_of(np.array(means, np.float64)) == step


@pytest.mark.slow  # 56 runs
def test_latency_that_goes_up_and_down_alarms_in_no_check_and_a_loss_beside_it_is_found(history: Store) -> None:
    """±15 % over 17 runs: too little data until two periods have been seen, and then it is taken out."""
    verdicts = []
    for run in range(1, 57):
        cycle = 1.0 + 0.15 * np.sin(2 * np.pi * run / 17)
        times = cycle * np.exp(np.random.default_rng([10, run]).normal(0.0, 0.02)) * (1.5 if run == 56 else 1.0)
        add(history, run, latency=series.milliseconds(run, times))
        if run in (11, 50, 53, 55, 56):
            one = only(check(history, measures=["latency"]))
            verdicts.append(one.verdict)
    assert verdicts[0] == TOO_LITTLE
    assert verdicts[-2:] == [OPEN, WORSE]
    assert set(verdicts[:-1]) == {TOO_LITTLE, OPEN}
    assert one.cycles[0] == pytest.approx(17.0, rel=0.05)
    assert "a cycle of 1" in sure(one)


def test_runs_whose_intervals_were_made_otherwise_are_held_against_each_other(history: Store, tmp_path: Path) -> None:
    """No verdict goes by the interval of a mean: means, and values per query, are as comparable as they were."""
    with open_history(tmp_path / "other.db", create=True) as other:
        for store, made in ((history, "percentile bootstrap over queries"), (other, WILSON_FORM)):
            for run in range(1, 14):
                shift = -0.1 if run == 13 else 0.0
                result = series.stored(run, {"gold.nDCG@10": series.values(run, shift)})
                how = f"95 %, {made if run < 8 else WILSON_FORM}"
                ends = [with_ends(one, one.value - 0.2, one.value + 0.1, how) for one in result.given.numbers]
                result.given = msgspec.structs.replace(result.given, numbers=ends)
                store.add(result)
        one, same = only(check(history)), only(check(other))
        assert (one.verdict, one.decided) == (WORSE, same.decided)
