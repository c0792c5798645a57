import json
import re
from dataclasses import replace
from itertools import combinations

import invented_comparison as invented
import numpy as np

from benchbench.comparison.outcome import Outcome, System
from benchbench.report.draw import draw
from benchbench.report.layouts import compare_charts, compare_page
from benchbench.report.layouts.compare import sentence
from benchbench.significance.comparing import compare
from benchbench.significance.settings import Settings
from benchbench.tables.paired import Paired


def many(measures: int, systems: int, queries: int = 20, **settings: object) -> Outcome:
    values = np.random.default_rng(0).random((measures, systems, queries))
    names = tuple(f"s{s}" for s in range(systems)), tuple(f"m@{m + 1}" for m in range(measures))
    paired = Paired(*names, [f"q{q}" for q in range(queries)], values)
    found = compare(paired, Settings(resamples=100, **settings))
    return Outcome(found, tuple(System(name, name, "", {}) for name in names[0]), {}, "m@1", ())


def histograms(outcome: Outcome) -> compare_charts.Figure:
    return compare_charts.differences(outcome.details(), outcome.comparison.paired)


def data(source: str) -> dict:
    found = re.search('<script type="application/json" id="data">(.*?)</script>', source, re.DOTALL)
    assert found
    return json.loads(found[1])


def test_a_page_of_many_measures_and_systems_holds_the_first_and_says_so():
    outcome = many(40, 20)
    source = draw(outcome, "html")
    assert len(source.encode()) < 4_000_000
    shown = data(source)
    assert "The page has the differences of 7 of 40 measures and 190 of 190 pairs; --format csv has all." in source
    assert shown["measures"] == [f"m@{k}" for k in range(1, 8)]
    assert len(shown["pairs"]) == 190
    assert source.count("such comparisons.") == 7 * 190
    cutoffs = next(one for one in shown["figures"] if one["id"] == "cutoffs")
    assert len(cutoffs["views"][0]["ticks"]) == 40
    assert all(f"m@{k}" in source for k in range(1, 41))


def test_a_page_of_very_many_pairs_holds_the_first():
    outcome = many(2, 56)
    source = draw(outcome, "html")
    shown = data(source)
    assert "differences of 1 of 2 measures and 1,500 of 1,540 pairs" in source
    assert len(shown["pairs"]) == 1_500


def test_histograms_that_are_left_out_are_said_to_be_and_no_other_is_shown_for_them():
    outcome = many(3, 10)
    figure = histograms(outcome)
    assert len(figure.views) == 121
    assert len(figure.chosen) == 3 * 45
    for place, one in zip(figure.chosen.values(), outcome.comparison.differences, strict=True):
        view = figure.views[place]
        if place == 120:
            assert view.sentence.startswith("The page has no histogram of this measure and pair")
            assert not view.series
        else:
            assert view.title.startswith(f"{one.measure} of {one.system} minus that of {one.baseline},")
    assert list(figure.chosen.values()).count(120) == 15
    assert len(histograms(many(2, 10)).views) == 90


def test_slices_that_are_left_out_are_said_to_be(monkeypatch):
    outcome = invented.outcome(queries=30)
    monkeypatch.setattr(compare_charts, "_MOST_ROWS", 7)
    figure = compare_charts.slices(outcome.details())
    assert figure is not None
    assert [len(view.rows) for view in figure.views] == [3, 3, 0]
    assert list(figure.chosen.values()) == [0, 1] + [2] * 16
    assert figure.views[2].sentence.startswith("The page has no slices of this measure and pair")


def test_the_table_of_queries_keeps_those_that_moved_most(monkeypatch):
    outcome = invented.outcome(queries=60)
    first, second, third = combinations(invented.NAMES, 2)
    outcome = replace(outcome, moved={first: (50, 40), second: (59,), third: ()})
    monkeypatch.setattr(compare_page, "_MOST_CELLS", 22 * 3 * 26)
    found = data(draw(outcome, "html"))["queries"]
    assert found is not None
    kept = [outcome.evidence[place].number for place in (*range(19), 40, 50, 59)]
    assert found["ids"] == [outcome.comparison.paired.queries[number] for number in kept]
    assert found["total"] == 60


def test_a_verdict_counts_the_tests_of_its_family():
    alone, together = many(2, 2).details(), many(2, 2, family="together").details()
    assert (alone.tests, together.tests) == (1, 2)
    assert "after Holm" not in sentence(alone, alone.differences[0])
    assert "after Holm" in sentence(together, together.differences[0])


def test_bars_count_as_wins_ties_and_losses_do():
    values = np.array([[[0.3, 0.5, 0.1, 0.7], [0.1 + 0.2, 0.4, 0.2, 0.7 + 1e-16]]])
    found = compare(Paired(("a", "b"), ("m",), ["1", "2", "3", "4"], values), Settings(resamples=100))
    outcome = Outcome(found, (), {}, "m", ())
    lost, equal, won = (sum(count for _, count, _ in one.points) for one in histograms(outcome).views[0].series)
    one = found.differences[0]
    assert (lost, equal, won) == (one.losses, one.ties, one.wins) == (1, 2, 1)
