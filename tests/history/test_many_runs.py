"""What the commands on many runs read: those that a table shows in whole, of the others what notes and changes need.

And what is said of runs that stand together.
"""

from collections.abc import Callable

import histories
import pytest
from histories import Kept
from stored_runs import SIGNATURE, kept

from benchbench.history.comparability import incomparable
from benchbench.history.database import StoreConnection
from benchbench.history.listing import listing
from benchbench.history.store import Store, open_history
from benchbench.history.summary import stored_summary
from benchbench.history.trend.trend_details import LAST
from benchbench.history.trend.trend_run import trend
from benchbench.history.wanted import Wanted
from benchbench.results.record import Data

RUNS, SHOWN = 8, 2
Read = Callable[[str], int]


@pytest.fixture
def store(address: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a store of eight runs, of which tables show two; the first is the best, the last but one began early."""
    monkeypatch.setattr("benchbench.history.listing.SHOWN", SHOWN)
    other = {"p50": [3.0, 4.0], "other": [1.0, 0.0]}
    runs = [Kept({"M": [0.5, 1.0 - at / 10], **other}, -at if at == 6 else at, lower=("p50",)) for at in range(RUNS)]
    with open_history(address, create=True) as history:
        for one in runs:
            history.add(one, tags={"model": "small"})
    return address


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Read:
    """Return what tells how many rows were read so far by statements that have some words."""
    found: list[tuple[str, int]] = []
    rows = StoreConnection.rows

    def counted(self: StoreConnection, sql: str, values: tuple = ()) -> list:
        there = rows(self, sql, values)
        found.append((sql, len(there)))
        return there

    monkeypatch.setattr(StoreConnection, "rows", counted)
    return lambda words: sum(many for sql, many in found if words in sql)


def test_a_table_of_runs_reads_in_whole_only_those_that_it_shows(store: str, read: Read) -> None:
    with open_history(store, write=False) as history:
        found = listing(history, whole=False)
    assert [row.number for row in found.rows] == [7, 8]
    assert [dict(row.tags) for row in found.rows] == [{"model": "small"}] * SHOWN
    assert ([row.is_back for row in found.rows], found.runs) == ([True, False], RUNS)
    assert read("FROM tag") == SHOWN
    assert read("FROM number") == 3 + 3 * SHOWN  # those of the latest run, and the measures that are shown
    assert found.notes[-1] == "tables have the last 2 of 8 runs; --limit 8 shows all"


def test_what_is_said_of_the_runs_that_are_shown_is_what_programs_get(store: str) -> None:
    with open_history(store, write=False) as history:
        for order in ("recording", "time"):
            whole = listing(history, order=order)
            assert listing(history, order=order, whole=False).rows == whole.rows[-SHOWN:]
            assert len(whole.rows) == whole.runs == RUNS


def of_store(history: Store, whole: bool, wanted: Wanted = Wanted(), by: str | None = None):  # noqa: B008  (frozen)
    return stored_summary(history, wanted, "recording", (), by, whole)


def test_a_summary_of_many_runs_shows_the_last_and_compares_them_with_all(store: str, read: Read) -> None:
    with open_history(store, write=False) as history:
        found = of_store(history, whole=False)
        assert read("FROM tag") == SHOWN
        whole = of_store(history, whole=True)
        limited = of_store(history, whole=False, wanted=Wanted(limit=3))
    assert (found.runs, whole.runs, len(whole.rows)) == (RUNS, RUNS, RUNS)
    assert found.rows == whole.rows[-SHOWN:]
    assert whole.rows[0].values["M"].best
    assert not any(row.values["M"].best for row in found.rows)
    assert found.rows[0].values["M"].change == pytest.approx(-0.05)
    assert found.notes == ("tables have the last 2 of 8 runs; --limit 8 shows all",)
    assert (len(limited.rows), limited.notes, whole.notes) == (3, (), ())


def test_a_change_is_since_the_run_before_also_where_that_lacks_the_measure(address: str) -> None:
    runs = [Kept({"M": [0.5]}, 0), Kept({"N": [0.5]}, 1), Kept({"M": [0.25], "N": [1.0]}, 2)]
    with open_history(address, create=True) as history:
        for one in runs:
            history.add(one)
        found = of_store(history, whole=True)
    assert [row.values["N"].change for row in found.rows[1:]] == [None, 0.5]
    assert found.rows[2].values["M"].change is None


def test_a_trend_reads_the_numbers_that_it_draws(store: str, read: Read) -> None:
    with open_history(store, write=False) as history:
        found = trend(history, measures=["p50"]).found
        assert read("FROM number") == 3 * RUNS + RUNS  # all names, and the numbers of one
        assert [line.measure for line in found.lines] == ["p50"]
        before = read("FROM number")
        drawn = len(trend(history).found.lines)
    assert read("FROM number") - before == 3 + drawn * RUNS  # those of the latest run, which say what is drawn


def test_a_text_of_a_trend_reads_the_records_of_the_last_runs_and_of_changes(address: str, read: Read) -> None:
    changes = {5: "2", 20: "3", 38: "4"}
    level = [0.2 if at < 20 else 0.6 for at in range(40)]
    with open_history(address, create=True) as history:
        for at, mean in enumerate(level):
            a = max((value for since, value in changes.items() if at >= since), default="1")
            history.add(Kept({"M": [mean, mean + at % 3 / 100]}, at, settings={"a": a}), tags={"host": "ci"})
        whole = trend(history).found
        records, tags = read("SELECT number, record"), read("FROM tag")
        found = trend(history, whole=False).found
    assert (records, read("SELECT number, record") - records, read("FROM tag") - tags) == (
        40,
        LAST + 1 + 2,
        LAST + 1 + 2,
    )
    told = {*range(40 - LAST, 40), *(point.after for line in found.lines for point in line.points)}
    assert [point.after for point in found.lines[0].points] == [20]
    assert [run.changed for run in found.runs] == [
        run.changed if place in told else [] for place, run in enumerate(whole.runs)
    ]
    assert [bool(whole.runs[at].changed) for at in changes] == [True] * 3


def test_settings_are_compared_whatever_is_their_order_and_source(tmp_path) -> None:
    runs = [Kept({"M": [0.5]}, at, settings=settings) for at, settings in
            enumerate([{"a": "1", "b": "2"}, {"b": "2", "a": "1"}, {"b": "3", "a": "1"}])]  # fmt: skip
    with open_history(histories.empty(tmp_path / "h.db")) as history:
        for one in runs:
            history.add(one)
        changed = [[(one.name, one.before, one.after) for one in run.changed] for run in trend(history).found.runs]
    assert changed == [[], [], [("b", "2", "3")]]


def test_runs_of_one_name_by_other_rules_are_named_with_what_differs(history):
    history.add(kept(1))
    history.add(kept(2))
    history.add(kept(3, name="dense"))
    assert incomparable(history.entries()) == []
    other = SIGNATURE.format(1, 1, 4).replace("gold:text", "gold:id").replace("|data:d1", "|data:d2|qrels:q2")
    history.add(kept(4, signature=other, data=Data(name="cases", digest="d2")))
    assert incomparable(history.entries()) == [
        "2 runs named bm25 cannot be compared with run 4 of that name: other data (data:d1 and data:d2), another rule "
        "for positives (gold:text and gold:id), other judgments (qrels:- and qrels:q2)"
    ]


def test_other_data_are_said_where_the_signature_does_not_say_them(history):
    history.add(kept(1, signature="", data=Data(name="old")))
    history.add(kept(2, signature="", data=Data(name="new")))
    assert incomparable(history.entries()) == [
        "1 run named bm25 cannot be compared with run 2 of that name: other data (data:old and data:new)"
    ]


def test_of_many_series_the_last_are_counted(history):
    for number in range(8):
        history.add(kept(number, signature=f"ties:{number}"))
    said = incomparable(history.entries())
    assert len(said) == 5
    assert said[0] == (
        "1 run named bm25 cannot be compared with run 8 of that name: another order of ties (ties:6 and ties:7)"
    )
    assert said[-1] == "3 runs more cannot be compared with the latest of their names"
