"""Two stored runs side by side: what is compared, against the comparison of the same values by `compare`."""

import shutil
from pathlib import Path

import golden_inputs
import histories
import numpy as np
import polars as pl
import pytest
from histories import Kept
from history_series import Stored, milliseconds, stored, values
from hypothesis import given, settings
from hypothesis import strategies as st
from profiles import costly
from results.round_trip import validated

from benchbench.comparison.compare_result import CompareOutcome
from benchbench.errors import InputError
from benchbench.history.diff.diff_details import HistoryDiff
from benchbench.history.diff.diff_run import DiffSettings, StoredRun, diff
from benchbench.history.store import open_history
from benchbench.report.layouts.history_diff import headline
from benchbench.results.record import Number
from benchbench.significance.comparing import compare
from benchbench.significance.comparison_settings import CompareSettings
from benchbench.stored import load
from benchbench.tables.paired import Paired


def compared(folder: Path, first: Kept, second: Kept, **chosen: object) -> HistoryDiff:
    """Return the difference of two results that were put in a store."""
    path = folder / f"{len(list(folder.iterdir()))}.db"
    with open_history(path, create=True) as history:
        one, other = (history.add(result)[0] for result in (first, second))
        return diff(StoredRun(history, one, "#1"), StoredRun(history, other, "#2"), DiffSettings(**chosen))  # type: ignore[arg-type]


def test_a_difference_is_what_compare_says_of_the_same_values(tmp_path):
    first, _, third = histories.three()
    found = compared(tmp_path, first, third, slices=("category",), seed=3).details()
    measures = tuple(first.values)
    values = np.array([[one.values[name] for one in (first, third)] for name in measures])
    columns = pl.DataFrame({"category": first.columns["category"]})
    queries = [f"q{place}" for place in range(values.shape[2])]
    chosen = CompareSettings(baseline="#1", seed=3, slices=("category",))
    expected = compare(Paired(("#1", "#2"), measures, queries, values, columns), chosen)
    for change, one in zip(found.changes, expected.differences, strict=True):
        assert (change.measure, change.difference, change.p) == (one.measure, one.mean, one.corrected["randomization"])
        assert (change.low, change.high) == (one.low, one.high)
        assert (change.changed, change.gained, change.lost) == (one.changed, one.wins, one.losses)
        assert change.verdict == {1: "better", -1: "worse", 0: ""}[one.direction]
        assert (change.first, change.second) == pytest.approx(values[measures.index(one.measure)].mean(axis=1))
    assert found.changes[0].verdict == "worse"
    for part, one in zip(found.slices, expected.slices, strict=True):
        assert (part.value, part.difference, part.low, part.high) == (one.value, one.mean, one.low, one.high)
        assert (part.p, part.queries) == (one.corrected, one.queries)


def test_where_less_is_better_the_difference_keeps_its_sign_and_the_verdict_turns(tmp_path):
    first, _, third = histories.three()
    higher = compared(tmp_path, first, third).details()
    turned = [Kept(one.values, one.at, lower=tuple(one.values)) for one in (first, third)]
    lower = compared(tmp_path, *turned).details()
    for one, other in zip(higher.changes, lower.changes, strict=True):
        assert (one.difference, one.p) == (other.difference, other.p)
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=0.002)
        assert other.verdict == {"worse": "better", "better": "worse", "": ""}[one.verdict]
        assert (one.gained, one.lost) == (other.lost, other.gained)
    assert [one.query for one in lower.moved] == [one.query for one in higher.moved]


def test_the_queries_that_moved_most_come_first_and_changed_ones_by_their_loss(tmp_path):
    first, _, third = histories.three()
    found = compared(tmp_path, first, third, changed="nDCG@10", moved=3).details()
    moves = np.array(third.values["gold.nDCG@10"]) - np.array(first.values["gold.nDCG@10"])
    by_size = np.argsort(-np.abs(moves), kind="stable")
    assert [one.query for one in found.moved] == [f"q{place}" for place in by_size[:3]]
    by_loss = [f"q{place}" for place in np.argsort(moves, kind="stable") if moves[place]]
    assert [one.query for one in found.changed_queries] == by_loss
    assert found.changed_queries[0].difference == pytest.approx(moves.min(), abs=1e-12)


def test_queries_are_paired_by_their_ids_whatever_their_order(tmp_path):
    first, _, third = histories.three()
    whole = compared(tmp_path, first, third).details()
    order = np.random.default_rng(5).permutation(40)
    mixed = Kept(
        {name: [values[place] for place in order] for name, values in third.values.items()},
        third.at,
        queries=[f"q{place}" for place in order],
    )
    found = compared(tmp_path, first, mixed).details()
    for one, other in zip(found.changes, whole.changes, strict=True):
        assert (one.first, one.second, one.difference) == pytest.approx((other.first, other.second, other.difference))
        assert (one.p, one.changed) == (other.p, other.changed)


def test_queries_without_a_value_in_one_run_are_left_out_and_said(tmp_path):
    values = histories.drawn(1)
    gaps = [None if place < 3 else one for place, one in enumerate(values)]
    found = compared(tmp_path, Kept({"M": values, "N": values}), Kept({"M": gaps, "N": values}, 1)).details()
    gap, whole = found.changes
    assert (gap.queries, whole.queries) == (37, 40)
    assert gap.first == gap.second == pytest.approx(np.mean(values[3:]))
    assert "M: 3 of 40 queries have no value in one run" in found.notes


def test_a_number_that_is_no_mean_of_its_values_is_shown_and_not_tested(tmp_path):
    values = histories.drawn(1)
    ones = [Kept({"M": values}, at, others=[Number(name="total", value=3.0 + at, better="higher")]) for at in (0, 1)]

    class Wrong(Kept):
        def to_record(self):  # type: ignore[no-untyped-def]
            import msgspec

            found = super().to_record()
            number = msgspec.structs.replace(found.numbers[0], value=99.0)
            return msgspec.structs.replace(found, numbers=[number, *found.numbers[1:]])

    found = compared(tmp_path, *ones).details()
    assert [(one.measure, one.tested, one.difference) for one in found.changes] == [
        ("M", True, 0.0),
        ("total", False, 1.0),
    ]
    wrong = compared(tmp_path, ones[0], Wrong({"M": values}, 2)).details()
    assert [one.tested for one in wrong.changes] == [False]
    assert "M is not the mean of its values per query, so its difference is not tested" in wrong.notes


def test_without_values_per_query_only_numbers_are_compared_and_said(tmp_path):
    first, second = Kept({"M": [0.0, 1.0]}, kept=False), Kept({"M": [1.0, 1.0]}, 1)
    found = compared(tmp_path, first, second).details()
    (change,) = found.changes
    assert (change.first, change.second, change.difference, change.tested, change.p) == (0.5, 1.0, 0.5, False, None)
    assert found.notes[0].endswith("has no values per query; only the numbers of the runs are compared")
    assert (found.queries, found.moved, found.moved_by) == (0, (), "")
    with pytest.raises(InputError, match="--changed M: its values per query are not stored for both runs"):
        compared(tmp_path, first, second, changed="M")
    with pytest.raises(InputError, match="--slice x: the values per query are not stored for both runs"):
        compared(tmp_path, first, second, slices=("x",))


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ({"signature": histories.RULES.replace("ties:input", "ties:trec")}, "another order of ties (ties:"),
        ({"signature": histories.RULES.replace("data:d1", "data:d2"), "digest": "d2"}, "other data (data:"),
        ({"digest": "d2"}, "other data (cases and cases)"),
    ],
)
def test_runs_by_other_rules_are_refused_unless_it_is_allowed(tmp_path, other, reason):
    values = histories.drawn(1)
    first, second = Kept({"M": values}), Kept({"M": values}, 1, **other)
    with pytest.raises(InputError) as refused:
        compared(tmp_path, first, second)
    assert str(refused.value).startswith("the numbers of #1 and #2 are not comparable: ")
    assert reason in str(refused.value)
    assert str(refused.value).endswith("; make them alike, or add --allow-different")
    assert reason in compared(tmp_path, first, second, allow_different=True).details().notes[0]


def test_other_queries_are_refused_unless_it_is_allowed(tmp_path):
    values = histories.drawn(1)
    first = Kept({"M": values})
    second = Kept({"M": values[2:]}, 1, queries=[f"q{place}" for place in range(2, 40)])
    with pytest.raises(InputError, match=r"#1 has 40 queries, #2 38, and 38 are in both; --allow-different compares"):
        compared(tmp_path, first, second)
    (change,) = compared(tmp_path, first, second, allow_different=True).details().changes
    assert (change.queries, change.difference) == (38, 0.0)
    assert change.first == change.second == pytest.approx(np.mean(values[2:]))


@pytest.mark.parametrize(
    ("chosen", "reason"),
    [
        ({"changed": "AP"}, "AP is not stored; "),
        ({"cluster": "court"}, "--cluster court is no column of the queries that is stored; there are category"),
    ],
)
def test_what_is_not_stored_is_one_sentence(tmp_path, chosen, reason):
    first, second, _ = histories.three()
    with pytest.raises(InputError) as refused:
        compared(tmp_path, first, second, **chosen)
    assert str(refused.value).startswith(reason)


def test_runs_with_nothing_in_common_are_refused(tmp_path):
    with pytest.raises(InputError, match="#1 and #2 have no measure in common"):
        compared(tmp_path, Kept({"M": [1.0, 0.5]}), Kept({"N": [1.0, 0.5]}, 1))


def test_groups_of_queries_that_the_runs_keep_together_are_kept(tmp_path):
    def kept(at: float, cluster: str | None = "matter") -> Kept:
        matters = [f"m{place // 4}" for place in range(40)]
        return Kept({"M": histories.drawn(int(at))}, at, columns={"matter": matters}, settings={"cluster": cluster})

    whole = compared(tmp_path, kept(0), kept(1)).details()
    assert "the runs keep queries with the same matter together, and so does this comparison" in whole.notes
    alone = compared(tmp_path, kept(0), kept(1), cluster="none").details()
    assert alone.changes[0].p != whole.changes[0].p
    other = compared(tmp_path, kept(0), kept(1, None)).details()
    assert "the runs do not keep the same queries together; each query stands by itself here" in other.notes
    assert other.changes == alone.changes


def test_too_few_queries_are_not_tested_and_said(tmp_path):
    found = compared(tmp_path, Kept({"M": [0.5, None]}), Kept({"M": [1.0, None]}, 1)).details()
    assert [one.tested for one in found.changes] == [False]
    assert "M: fewer than 2 queries have a value in both runs, so nothing is tested" in found.notes


def test_speed_is_compared_where_requests_were_timed_and_sent_alike(tmp_path):
    def timed(run: int, times: float, batch_size: int) -> Stored:
        latency = milliseconds(run, times, 120)
        return stored(run, {"nDCG": values(run, queries=120)}, latency=latency, settings={"batch_size": batch_size})

    fast, slow, other = timed(1, 1.0, 1), timed(2, 2.0, 1), timed(3, 1.0, 32)
    *_, advice = headline(compared(tmp_path, fast, slow).details()).advice
    sure = "95 % interval 0.45 to 0.51; not asked in turns, so the machine may explain it"
    assert advice == f"#2 answers 0.48 times as fast as #1 ({sure})."
    *_, advice = headline(compared(tmp_path, fast, other).details()).advice
    assert advice == "Speed was not compared: #1 sent 1 query per request, #2 32."
    assert compared(tmp_path, *histories.three()[:2]).details().speed is None


def test_the_record_has_what_gates_name_and_keeps_to_the_schema(tmp_path):
    first, _, third = histories.three()
    result = compared(tmp_path, first, third, measures=("nDCG@10",), slices=("category",))
    record = validated(result.record)
    assert [(one["name"], one["scope"]) for one in record["numbers"]] == [
        ("Δ gold.nDCG@10", {"baseline": "#1", "system": "#2"}),
        ("p gold.nDCG@10", {"baseline": "#1", "system": "#2"}),
        ("gold.nDCG@10", {"system": "#1"}),
        ("gold.nDCG@10", {"system": "#2"}),
        *(
            ("Δ gold.nDCG@10", {"baseline": "#1", "system": "#2", "slice": f"category={one}"})
            for one in [part.value for part in result.details().slices]
        ),
    ]
    assert "run" not in record["signature"]
    assert record["settings"]["measure"]["value"] == ["nDCG@10"]


@settings(max_examples=costly(10))
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=12))
def test_both_ways_round_differ_in_their_sign_only(tmp_path_factory, pairs):
    values = [[round(one, 6) for one in of] for of in zip(*pairs, strict=True)]
    first, second = (Kept({"M": of}, at) for at, of in enumerate(values))
    folder = tmp_path_factory.mktemp("diff")
    there, back = (compared(folder, *of).details().changes[0] for of in ((first, second), (second, first)))
    assert there.difference == -back.difference
    assert (there.p, there.changed) == (back.p, back.changed)
    assert (there.gained, there.lost) == (back.lost, back.gained)


def test_the_comparison_has_the_hits_of_folders_that_are_there_and_else_the_values_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    golden_inputs.stored()
    with open_history(tmp_path / "history.db", create=True) as history:
        sides = [
            StoredRun(history, history.add(load(Path(name)), source=name)[0], f"#{place}")
            for place, name in enumerate(("whole", "half"), 1)
        ]
        found = diff(*sides)
        with_hits = found.parts()["compared"]
        shutil.rmtree("half")
        without = diff(*sides).parts()["compared"]
    assert isinstance(with_hits, CompareOutcome)
    assert isinstance(without, CompareOutcome)
    assert with_hits.evidence
    assert not without.evidence
    tested = [change for change in found.details().changes if change.tested]
    for outcome in (with_hits, without):
        assert outcome.comparison.paired.systems == ("#1", "#2")
        for change, difference in zip(tested, outcome.comparison.differences, strict=True):
            assert (change.measure, change.difference) == (difference.measure, pytest.approx(difference.mean))
            assert change.p == difference.corrected["randomization"]
