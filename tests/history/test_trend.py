"""Trends of a store: lines that are never joined, what is left out, breakdowns, changes and drift."""

import json

import numpy as np
import pytest
from cases import first_of
from invented_trend import line, run
from stored_trends import Night, add, nights

from benchbench.errors import InputError
from benchbench.history.alerts.alert import AlertBody
from benchbench.history.entry import StoredNumber
from benchbench.history.measure_names import leading_of_run
from benchbench.history.store import Store
from benchbench.history.trend.lines import found_in, latest_of
from benchbench.history.trend.trend_details import LineDetails, TrendDetails, TrendRunDetails
from benchbench.history.trend.trend_run import trend
from benchbench.history.trend.words import said_of_point, told_apart, tone_of, verdict, where_of
from benchbench.history.wanted import Wanted
from benchbench.results.checks import check
from benchbench.results.gates import parse_gate
from benchbench.results.record import plain
from benchbench.significance.change_points import change_points
from benchbench.significance.drift import drift


def test_a_step_is_said_between_two_commits(history: Store):
    add(history, nights(30, step=20))
    found = trend(history).found
    (point,) = found.lines[0].points
    assert (point.before, point.after, point.mark) == (19, 20, "▼")
    assert found.lines[0].measure == "gold.nDCG@10"
    commits = [found.runs[place].commit[:7] for place in (19, 20)]
    assert (
        point.where == f"between commit {commits[0]} (run 20, 22 March 2026) and {commits[1]} (run 21, 23 March 2026)"
    )
    assert found.found[0] == ("▼", f"{point.said} at run 21 (commit a1d77fa → a1d96e9).")
    assert found.found[1:] == [("○", "p50 goes up and down by 1.2 ms every 3 runs.")]
    assert point.said.startswith("gold.nDCG@10 fell from 0.4")


def test_runs_of_other_rules_are_in_no_line_of_the_others(history: Store):
    runs = nights(24)
    values = [0.9] * 60
    runs[3] = Night(3, values, signature="tasks:gold|ties:input|version:0.2.0")
    runs[10] = Night(10, values, signature="tasks:gold|ties:input|version:0.2.0")
    add(history, runs)
    found = trend(history).found
    assert [one.runs for one in found.series] == [22, 2]
    assert [run.series for run in found.runs].count(1) == 2
    assert found.lines[0].points == []
    assert found.series[1].differs == ["another order of ties (ties:trec and ties:input)"]
    (note,) = [one for one in found.notes if "other rules" in one]
    assert note.startswith("2 runs under this name go by other rules or data")
    assert note.endswith("They are drawn apart, never joined to the others.")


def test_the_series_of_the_newest_run_is_the_one_that_values_are_of(history: Store):
    runs = nights(6)
    add(history, [*runs, Night(6, [0.9] * 60, signature="ties:input"), Night(7, [0.8] * 60, signature="ties:input")])
    found = trend(history).found
    assert found.series[0].runs == 2
    assert found.lines[0].value == pytest.approx(0.8)
    assert found.lines[0].change == pytest.approx(-0.1)


def test_failed_runs_and_runs_without_the_measure_are_said_and_in_no_statistic(history: Store):
    runs = nights(12)
    runs[5] = Night(5, [0.0] * 60, status="failed")
    runs[-1] = Night(11, [0.01] * 60, status="interrupted")
    runs[7] = Night(7, runs[7].values, measured=False)
    add(history, runs)
    found = trend(history).found
    first = found.lines[0]
    assert first.missing == 1
    assert first.values[7] is None
    assert first.latest == 10
    assert first.drift.over == 9
    assert "Runs 6 and 12 failed or ended early: drawn hollow, and in no change, drift or latest value." in found.notes
    assert "1 of 12 runs has no gold.nDCG@10." in found.notes
    assert (
        "The last run has no value of gold.nDCG@10 and p50 that counts; the latest one before it is shown."
        in found.notes
    )


def test_a_clock_that_goes_back_changes_no_order_and_is_said(history: Store):
    runs = nights(5)
    runs[3] = Night(3, runs[3].values, at=0.5)
    add(history, runs)
    found = trend(history).found
    assert [run.number for run in found.runs] == [1, 2, 3, 4, 5]
    assert [run.goes_back for run in found.runs] == [False, False, False, True, False]
    assert any(one.startswith("Run 4 began before the run recorded ahead of it") for one in found.notes)
    by_time = trend(history, order="time").found
    assert [run.number for run in by_time.runs] == [1, 4, 2, 3, 5]
    assert not any(run.goes_back for run in by_time.runs)
    assert not any("clock" in one for one in by_time.notes)


def test_runs_of_one_time_stand_in_the_order_of_recording(history: Store):
    add(history, [Night(night, [0.5, 0.6], at=1) for night in range(4)])
    for order in ("recording", "time"):
        found = trend(history, order=order).found
        assert [run.number for run in found.runs] == [1, 2, 3, 4]
        assert not any(run.goes_back for run in found.runs)


def test_the_last_runs_alone_are_shown_and_said(history: Store):
    add(history, nights(9))
    found = trend(history, last=4).found
    assert [run.number for run in found.runs] == [6, 7, 8, 9]
    assert found.recorded == 9
    assert found.notes[0].startswith("These are the last 4 of 9 runs")


def test_one_run_and_two_runs_are_too_few_to_say_anything(history: Store):
    add(history, nights(1))
    alone = trend(history).found
    assert alone.lines[0].change is None
    assert alone.lines[0].drift is None
    assert alone.found[0][1].endswith("1 comparable run is too few to show a change or a drift.")
    add(history, nights(2)[1:])
    two = trend(history).found
    assert two.lines[0].change is not None
    assert two.found[0][1].endswith("2 comparable runs are too few to show a change or a drift.")


def test_a_fall_in_the_last_runs_is_named_before_it_can_be_called_a_change():
    def line(values: list[float]) -> list[tuple[str, str]]:
        runs = [TrendRunDetails(number=at + 1, id="", started="2026-03-04T00:00:00Z") for at in range(len(values))]
        ends = {"low": [one - 0.03 for one in values], "high": [one + 0.03 for one in values], "n": [9] * len(values)}
        known = LineDetails(measure="RR", values=list(values), latest=len(values) - 1, **ends)
        return verdict(TrendDetails(runs=runs, lines=[known]))[0]

    assert line([0.5, 0.51] * 5)[0] == ("●", "No measurable change or drift over 10 runs: RR is 0.510.")
    few = "the intervals do not overlap, but 1 run is too few to call it a change."
    assert line([0.5, 0.51] * 5 + [0.3])[0] == ("○", f"RR fell from 0.510 to 0.300 at run 11: {few}")


def test_a_series_that_never_moves_has_no_change_and_no_drift(history: Store):
    add(history, [Night(night, [0.5] * 9) for night in range(20)])
    found = trend(history, measures=["nDCG@10"]).found
    assert found.lines[0].points == []
    assert found.lines[0].drift is None
    assert found.lines[0].change == 0.0
    assert found.found == [("●", "No measurable change or drift over 20 runs: gold.nDCG@10 is 0.500.")]


def test_another_name_is_named_and_never_mixed_in(history: Store):
    add(history, [*nights(3), Night(4, [0.1], name="other\x1b[31m", at=-9)])
    found = trend(history).found
    assert [run.number for run in found.runs] == [4]
    assert "Not shown, of other names or kinds: nightly (run); --name and --kind choose." in found.notes
    assert len(trend(history, Wanted(name="nightly")).found.runs) == 3


def test_measures_are_named_as_gates_name_them_and_once(history: Store):
    add(history, nights(3))
    found = trend(history, measures=["nDCG@10", "gold.nDCG@10", "p50"]).found
    assert [one.measure for one in found.lines] == ["gold.nDCG@10", "p50"]
    assert (found.lines[0].name, found.lines[0].scope) == ("nDCG@10", {"task": "gold"})


def test_an_empty_store_says_what_to_do(history: Store):
    with pytest.raises(InputError, match="has no runs; `benchbench history add FOLDER` adds one"):
        trend(history)


def test_slices_are_means_of_the_values_per_query(history: Store):
    runs = nights(5)
    runs[2] = Night(2, [float("nan"), *runs[2].values[1:]])
    add(history, runs)
    found = trend(history, measures=["nDCG@10"], by="court").found
    assert [one.slice for one in found.slices] == ["court=district", "court=family", "court=high"]
    for place, name in ((0, "high"), (1, "district"), (2, "family")):
        one = next(each for each in found.slices if each.slice == f"court={name}")
        for night, given in enumerate(runs):
            mine = [value for value in given.values[place::3] if value == value]
            assert one.values[night] == pytest.approx(np.mean(mine))
            assert one.n[night] == 20
    assert any("drawn as they are" in one for one in found.notes)


def test_runs_without_values_per_query_are_counted_and_their_slices_are_empty(history: Store):
    add(history, nights(4))
    for entry in history.entries()[1:3]:
        (history.place.tables / entry.values).unlink()
    found = trend(history, measures=["nDCG@10"], by="court").found
    assert all(one.values[1:3] == [None, None] for one in found.slices)
    assert "2 of 4 runs have no values per query by court." in found.notes


def test_slices_of_the_record_go_before_values_per_query(history: Store, monkeypatch: pytest.MonkeyPatch):
    import msgspec

    from benchbench.results.record import Number

    plain = Night.to_record
    one = Number(name="nDCG@10", value=0.25, low=0.2, high=0.3, n=7, scope={"task": "gold", "slice": "court=high"})
    monkeypatch.setattr(
        Night, "to_record", lambda self: msgspec.structs.replace(made := plain(self), numbers=[*made.numbers, one])
    )
    add(history, nights(2))
    (found,) = trend(history, measures=["nDCG@10"], by="court").found.slices
    assert (found.slice, found.values, found.low, found.n) == ("court=high", [0.25, 0.25], [0.2, 0.2], [7, 7])


def test_tags_settings_and_versions_that_changed_stand_at_their_run(history: Store):
    runs = nights(4)
    settings = [{"top_k": 20 if n < 2 else 50, "name": str(n)} for n in range(4)]
    tags = [{"model": "v1"}, {"model": "v2"}, {"model": "v2"}, {}]
    made = [
        Night(n, one.values, settings=settings[n], versions={"numpy": f"{n // 3}"}, tags=tags[n])
        for n, one in enumerate(runs)
    ]
    add(history, made)
    found = trend(history).found
    assert [[(one.name, one.before, one.after) for one in run.changed] for run in found.runs] == [
        [],
        [("tag model", "v1", "v2")],
        [("top_k", "20", "50")],
        [("tag model", "v2", ""), ("version of numpy", "0", "1")],
    ]
    brief = trend(history, whole=False).found
    assert [run.changed for run in brief.runs] == [run.changed for run in found.runs]


def test_alerts_and_accepted_changes_of_the_series_are_read(history: Store):
    add(history, nights(6))
    key = history.entries()[0].series
    times = {"since_id": "i", "since_at": "2026-03-05T04:00:00.000Z", "since_commit": "b" * 40}
    body = AlertBody(
        series=key, kind="run", name="nightly", data="cases", measure="gold.nDCG@10", since_run=3,
        before_run=2, before_commit="a" * 40,
        reference=0.4, value=0.3, difference=-0.1, low=-0.12, high=-0.08, p=1e-6, level=1e-4, runs=1, queries=[],
        slices=[], **times,
    )  # fmt: skip
    with history.transaction() as connection:
        connection.insert(
            "alert",
            [
                {"series": series, "measure": "gold.nDCG@10", "began": 3, "began_at": "2026-03-06T00:00:00.000Z",
                 "ended": None, "ended_at": None, "ended_why": None, "body": json.dumps(plain(body))}
                for series in (key, "another")
            ],
        )  # fmt: skip
        row = {"series": key, "run": 5, "at": "2026-03-08T00:00:00.000Z", "by": "mk", "reason": "meant"}
        connection.insert("accepted", [row])
    found = trend(history).found
    (alert,) = found.alerts
    assert (alert.measure, alert.began, alert.is_open, alert.said) == ("gold.nDCG@10", 3, True, body.sentence)
    assert [(one.run, one.by, one.reason) for one in found.accepted] == [(5, "mk", "meant")]
    assert found.found[0] == ("▼", "1 alert is open: gold.nDCG@10 since run 3.")


def test_a_slow_drift_is_a_drift_and_no_staircase():
    random = np.random.default_rng(4)
    values = 0.6 - 0.001 * np.arange(60) + 0.004 * random.standard_normal(60)
    runs = [run(number + 1) for number in range(60)]
    found = found_in(line([float(one) for one in values]), runs)
    assert found.points == []
    naive = drift(values, 0.01)
    assert (found.drift.per_run, found.drift.p, found.drift.over) == (naive.per_run, naive.p, 60)
    assert found.drift.shown
    assert found.drift.mark == "▼"
    assert found.drift.at_first - found.drift.at_last == pytest.approx(-59 * naive.per_run)
    assert found.drift.said.startswith("gold.nDCG@10 drifts by −0.00")
    assert "over the 60 runs since run 1 (99 % interval −0.00" in found.drift.said


@pytest.mark.parametrize(("kind", "least"), first_of(("quiet", 18), ("drift", 16), ("step", 18)))
def test_drifts_and_steps_are_told_apart(kind: str, least: int):
    """Of twenty series of 40 runs: six standard deviations of noise as a drift, three as a step."""
    random = np.random.default_rng(11)
    means = {"quiet": np.zeros(40), "drift": -6.0 * np.arange(40) / 40, "step": -3.0 * (np.arange(40) >= 25)}
    right = 0
    for _ in range(20):
        values = means[kind] + random.standard_normal(40)
        found = found_in(line([float(one) for one in values]), [run(number + 1) for number in range(40)])
        drifts = found.drift is not None and found.drift.shown
        wanted = {"quiet": (0, False), "drift": (0, True), "step": (1, False)}[kind]
        right += (len(found.points), drifts) == wanted or (found.either and kind != "quiet")
    assert right >= least


def test_a_great_step_in_few_runs_is_no_drift():
    values = [0.559, 0.551, 0.532, 0.552, 0.550, 0.557, 0.535, 0.534, 0.215, 0.235, 0.194, 0.213]
    assert change_points(np.array(values), 0.01) == []  # too few runs for it
    found = found_in(line(values), [run(number + 1) for number in range(12)])
    (point,) = found.points
    assert (point.before, point.after, found.either) == (7, 8, False)
    assert point.said == "gold.nDCG@10 fell from 0.550 to 0.214"
    assert found.drift is None  # of four runs no slope has an interval


def test_drift_after_a_step_is_looked_for_behind_it():
    random = np.random.default_rng(5)
    values = 0.5 + 0.004 * random.standard_normal(80)
    values[40:] -= 0.1
    found = found_in(line([float(one) for one in values]), [run(number + 1) for number in range(80)])
    assert [point.after for point in found.points] == [40]
    assert (found.drift.first, found.drift.over) == (40, 40)
    assert not found.drift.shown
    assert "no measurable drift over the 40 runs since run 41" in found.drift.said


def test_places_of_changes_count_runs_that_are_left_out():
    values: list[float | None] = [0.5 + 0.001 * (place % 3) for place in range(20)]
    values += [0.3 + 0.001 * (place % 3) for place in range(20)]
    values[20] = None
    runs = [run(number + 1, status="failed" if number == 19 else "complete") for number in range(40)]
    (point,) = found_in(line(values), runs).points
    assert (point.before, point.after) == (18, 21)


def test_two_values_are_said_so_that_they_differ():
    assert told_apart(0.41201, 0.41204) == ("0.41201", "0.41204")
    assert told_apart(1200.01, 1200.04, "queries/s") == ("1,200.01 queries/s", "1,200.04 queries/s")
    assert told_apart(0.4, 0.4)[0].startswith("0.4")
    assert said_of_point("p50", 10.0, 20.5, "ms") == "p50 rose from 10.0 ms to 20.5 ms"
    assert [tone_of(*one) for one in ((1, "higher"), (1, "lower"), (1, ""), (0, "higher"))] == ["▲", "▼", "○", "○"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("", "", "between run 1 (4 March 2026) and run 2 (5 March 2026)"),
        ("a" * 40, "a" * 40, "between run 1 (4 March 2026) and run 2 (5 March 2026), both of commit aaaaaaa"),
        ("", "b" * 40, "between run 1 (4 March 2026) and run 2 (5 March 2026, commit bbbbbbb); the commit of run 1 is "
                       "not known"),
        ("a" * 40, "", "between run 1 (4 March 2026) and run 2 (5 March 2026); run 1 is of commit aaaaaaa, that of "
                       "run 2 is not known"),
        ("a" * 40, "b" * 40, "between commit aaaaaaa (run 1, 4 March 2026) and bbbbbbb (run 2, 5 March 2026)"),
    ],
)  # fmt: skip
def test_where_a_change_lies_is_said_by_commits_as_far_as_they_are_known(old: str, new: str, said: str):
    before, after = run(1, commit=old), run(2, commit=new)
    assert where_of(before, after, after, after) == said
    assert where_of(before, after, before, after).endswith("; it may have begun at any run from 1 to 2")


def test_gates_see_the_latest_value_its_change_and_its_drift(history: Store):
    add(history, nights(12, step=11))
    result = trend(history, measures=["nDCG@10"])
    numbers = result.record.numbers
    texts = ["nDCG@10<0.9", "change nDCG@10<-0.05", "drift nDCG@10>0.5", "low gold.nDCG@10<0.01"]
    states = [one.verdict for one in check([parse_gate(text) for text in texts], numbers)]
    assert states == ["failed", "failed", "passed", "passed"]


def test_a_slice_has_a_latest_value_and_is_not_tested():
    one = latest_of(line([0.5, None, 0.4], slice="court=high"), [run(number) for number in (1, 2, 3)])
    assert (one.latest, one.before, one.missing) == (2, 0, 1)
    assert one.change == pytest.approx(-0.1)
    assert one.drift is None


def test_leading_measures_are_one_per_scope():
    numbers = [
        StoredNumber(1, "gold.nDCG@10", scope='{"task":"gold"}', better="higher"),
        StoredNumber(1, "gold.P@5", scope='{"task":"gold"}', better="higher"),
        StoredNumber(1, "old.gold.R@5", scope='{"target":"old","task":"gold"}', better="higher"),
        StoredNumber(1, "mean", better="lower"),
        StoredNumber(1, "p50", better="lower"),
        StoredNumber(1, "strange", scope='{"part":"strange"}'),
    ]
    assert leading_of_run(numbers) == ["gold.nDCG@10", "old.gold.R@5", "p50", "strange"]
    assert leading_of_run([]) == []


def test_a_season_is_a_cycle_and_no_chain_of_changes():
    """Without cycles these 70 runs have a chain of changes, one at each turn."""
    values = 0.5 + 0.1 * np.sin(2 * np.pi * np.arange(70) / 17) + 0.02 * np.random.default_rng(5).normal(size=70)
    found = found_in(line(values.tolist()), [run(number + 1) for number in range(70)])
    assert found.points == []
    assert found.cycles[0].period == pytest.approx(17.0, rel=0.05)
    assert found.cycles[0].said.startswith("gold.nDCG@10 goes up and down by 0.099 every 17")
