"""Scores on a terminal: several runs in the order of the first measure, each with its interval."""

import pytest

import benchbench as bb
from benchbench.measures.aggregate import means_of
from benchbench.measures.scores import SeveralScores
from benchbench.report.draw import draw
from benchbench.report.render.screen import Screen

QRELS = bb.Qrels.from_dict({f"q{n}": {"d": 1} for n in range(20)})
MEASURES = ["nDCG@10", "RR", "NumRet"]


def found(*ranks: int) -> SeveralScores:
    """Return the scores of runs that have the relevant document of each query at a rank, the first query's at 1."""
    scores = []
    for rank in ranks:
        places = {f"q{n}": 1 if n == 0 else rank for n in range(20)}
        hits = {
            query: {**{f"x{n}": 99.0 - n for n in range(1, place)}, "d": 99.0 - place}
            for query, place in places.items()
        }
        scores.append(bb.evaluate(QRELS, bb.Run.from_dict(hits, name=f"at-{rank}"), MEASURES))
    return SeveralScores(tuple(scores))


def test_runs_stand_in_the_order_of_the_first_measure_with_its_interval():
    text = draw(found(3, 1, 5, 2), "text", Screen(80))
    table = text.partition("──\n")[2].partition("\n\n")[0].splitlines()
    assert [line.split()[0] for line in table] == ["at-1", "at-2", "at-3", "at-5"]
    assert all(" to " in line and "●" in line for line in table)
    assert "Queries     20 judged, all returned\n" in text
    assert " 0 " not in text.partition("Queries")[2]


def test_the_interval_is_the_one_that_a_run_has_of_the_same_values():
    run = found(3).scores[0]
    ((mean, ends),) = means_of(run.values["RR"][:, None])
    number = next(number for number in run.record.numbers if number.name == "RR")
    assert (number.value, number.low, number.high) == (pytest.approx(mean), ends.low, ends.high)
    assert next(number.low for number in run.record.numbers if number.name == "NumRet") is None


def test_notes_and_signatures_of_many_runs_are_one_each():
    text = draw(found(2, 3, 4, 5), "text", Screen(80))
    assert text.count("Judged@10 ") == 1
    assert text.count("Signature") == text.count("Note ") == 1


@pytest.mark.parametrize("ranks", [(1, 1), (11, 12)])
def test_runs_that_are_all_alike_are_drawn(ranks: tuple[int, ...]):
    assert draw(found(*ranks), "text", Screen(40)).count("\nat-") == 2
