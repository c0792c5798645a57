"""Ranks of systems and of names after each version, against ranks that are counted one by one."""

import history_series as series
import pytest
from histories import empty
from hypothesis import given
from hypothesis import strategies as st
from invented_trend import line, run
from msgspec.structs import replace

from benchbench.history.store import Store, open_history
from benchbench.history.trend.standings import of_systems
from benchbench.history.trend.trend_details import StandingsDetails
from benchbench.history.trend.trend_run import trend

VALUES = st.lists(st.sampled_from([None, 0.1, 0.2, 0.3]), min_size=5, max_size=5)


@pytest.fixture
def history(tmp_path):
    with open_history(empty(tmp_path / "history.db")) as opened:
        yield opened


def put(history: Store, number: int, name: str, shift: float, version: int, **more: object) -> None:
    measures = {"gold.nDCG@10": series.values(number, shift)}
    history.add(series.stored(number, measures, name=name, **more), tags={"commit": f"{version:07x}{'0' * 33}"})  # type: ignore[arg-type]


@given(st.lists(VALUES, min_size=2, max_size=4), st.sampled_from(["higher", "lower"]))
def test_a_rank_is_one_more_than_those_that_are_better(rows: list[list[float | None]], better: str):
    standings = StandingsDetails("M", better, list("abcde"), [f"s{at}" for at in range(len(rows))], rows)
    for version in range(5):
        column = [row[version] for row in rows]
        ranked = sorted({value for value in column if value is not None}, reverse=better == "higher")
        counts = [sum(value == each for value in column) for each in ranked]
        expected = [None if value is None else 1 + sum(counts[: ranked.index(value)]) for value in column]
        assert standings.ranks(version) == expected


def test_each_name_counts_with_its_latest_complete_run_of_the_same_data(history: Store):
    put(history, 1, "a", 0.0, 1)
    put(history, 2, "b", -0.1, 1)
    put(history, 3, "other data", 0.2, 1, digest="d2")
    put(history, 4, "b", 0.1, 2)
    put(history, 5, "b", -0.3, 3, status="failed")
    put(history, 6, "a", 0.2, 3)
    standings = trend(history).found.standings
    assert standings is not None
    assert (standings.names, standings.versions) == (["a", "b"], ["0000001", "0000002", "0000003"])
    assert [standings.ranks(at) for at in range(3)] == [[1, 2], [2, 1], [1, 2]]
    assert trend(history, whole=False).found.standings is None


def test_systems_of_one_result_are_ranked_by_the_measure_that_they_share():
    runs = [run(number + 1, status="failed" if number == 1 else "complete") for number in range(3)]
    lines = [
        replace(line([0.1, 0.9, 0.4], "old.nDCG@10"), scope={"target": "old"}),
        replace(line([0.3, 0.1, 0.2], "new.nDCG@10"), scope={"target": "new"}),
        line([5.0, 5.0, 5.0], "p50", better="lower"),
    ]
    standings = of_systems(lines, runs)
    assert standings is not None
    assert (standings.measure, standings.names) == ("nDCG@10", ["old", "new"])
    assert standings.values == [[0.1, 0.4], [0.3, 0.2]]
