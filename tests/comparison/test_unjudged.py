"""A comparison says how many hits nobody judged, and what that may do to its differences."""

import random
from pathlib import Path

import pytest

import benchbench as bb
from benchbench.comparison import unjudged
from benchbench.comparison.runs import Sources
from benchbench.report.draw import draw

QUERIES = [f"q{n}" for n in range(30)]
QRELS = {query: {f"d{n}": n % 2 for n in range(6)} for query in QUERIES}


def hits(share: float, seed: int) -> dict[str, dict[str, float]]:
    """Return four hits a query, of which a share was judged."""
    draw = random.Random(seed)
    return {
        query: {(f"d{n}" if draw.random() < share else f"x{seed}-{n}"): -float(n) for n in range(4)}
        for query in QUERIES
    }


def compared(*runs: dict, **options) -> bb.Result:
    named = {name: bb.Run.from_dict(one) for name, one in zip("abc", runs, strict=False)}
    return bb.compare(bb.Qrels.from_dict(QRELS), named, ["nDCG@3", "P@2"], resamples=1000, **options)


def test_systems_that_differ_in_the_judged_share_are_said_to_with_an_interval():
    outcome = compared(hits(0.95, 1), hits(0.3, 2))
    (said,) = [note.text for note in outcome.record.notes if "Judged@3" in note.text]
    assert said.startswith("hits of b are judged less often than those of a: Judged@3 0.")
    assert said.endswith("what nobody judged counts as not relevant, so b may look worse than it is")
    numbers = {(one.name, *sorted(one.scope.values())): one for one in outcome.record.numbers}
    difference = numbers["Δ Judged@3", "a", "b"]
    assert difference.low < difference.value < difference.high < 0
    assert difference.value == pytest.approx(numbers["Judged@3", "b"].value - numbers["Judged@3", "a"].value)


def test_each_difference_has_its_worst_and_its_best_case():
    outcome = compared(hits(0.8, 1), hits(0.6, 2))
    cases = outcome.details().unjudged.cases
    assert [(one.measure, one.judged) for one in cases] == [("nDCG@3", "Judged@3"), ("P@2", "Judged@2")]
    for case, difference in zip(cases, outcome.details().differences, strict=True):
        assert case.mean == pytest.approx(difference.mean)
        assert case.worst < case.mean < case.best
    assert "Unjudged hits count as not relevant." in draw(outcome, "text")
    (gate,) = compared(hits(0.8, 1), hits(0.6, 2), fail_if="worst nDCG@3 < -0.9").record.gates
    assert (gate.name, gate.value) == ("worst nDCG@3", cases[0].worst)


def test_where_all_hits_are_judged_nothing_is_said(tmp_path: Path):
    outcome = compared(hits(1, 1), {query: dict(reversed(one.items())) for query, one in hits(1, 1).items()})
    found = outcome.details().unjudged
    assert {one.mean for one in found.shares} == {1.0}
    assert (found.differences, found.cases) == ((), ())
    assert "Unjudged" not in draw(outcome, "text")
    assert "Judged" not in " ".join(note.text for note in outcome.record.notes)


def test_it_is_stored_and_drawn_again(tmp_path: Path):
    outcome = compared(hits(0.8, 1), hits(0.6, 2))
    assert draw(bb.load(outcome.save(tmp_path / "saved")), "text") == draw(outcome, "text")


def test_cases_are_left_out_over_ties_and_of_runs_too_large_to_keep(monkeypatch: pytest.MonkeyPatch):
    named = {name: bb.Run.from_dict(hits(0.5, seed), ties="expected") for seed, name in enumerate("ab")}
    assert bb.compare(bb.Qrels.from_dict(QRELS), named, "P@2", resamples=1000).details().unjudged.cases == ()
    monkeypatch.setattr(unjudged, "_MOST_HITS", 100)
    outcome = compared(hits(0.8, 1), hits(0.6, 2))
    assert outcome.details().unjudged.cases == ()
    assert unjudged.NO_CASES in [note.text for note in outcome.record.notes]


def test_all_pairs_have_cases_or_those_with_the_baseline():
    runs = hits(0.8, 1), hits(0.6, 2), hits(0.7, 3)
    pairs = [(one.baseline, one.system) for one in compared(*runs).details().unjudged.cases[: len(runs)]]
    assert pairs == [("a", "b"), ("a", "c"), ("b", "c")]
    pairs = [(one.baseline, one.system) for one in compared(*runs, baseline="c").details().unjudged.cases[:2]]
    assert pairs == [("c", "a"), ("c", "b")]


def test_the_judged_share_is_tested_as_the_measures_are_by_groups_too(tmp_path: Path):
    courts = "".join(f'{{"_id": "{query}", "text": "x", "court": "c{n % 10}"}}\n' for n, query in enumerate(QUERIES))
    (tmp_path / "queries.jsonl").write_text(courts)
    where = Sources(None, tmp_path / "queries.jsonl")
    alone = compared(hits(0.95, 1), hits(0.3, 2)).details().unjudged.differences
    grouped = compared(hits(0.95, 1), hits(0.3, 2), sources=where, cluster="court").details().unjudged.differences
    assert [one.mean for one in grouped] == pytest.approx([one.mean for one in alone])
    assert [one.p for one in grouped] != [one.p for one in alone]
