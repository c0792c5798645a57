"""What scores come to."""

from benchbench.measures.headline import headline
from benchbench.measures.scores import RunDetails, RunScores
from benchbench.results.old_names import Part
from benchbench.results.record import Number, Setting, Subject, counts_of, record

COUNTS = {"judged": 10, "returned": 10, "missing": 0, "unjudged": 0, "without_positives": 0}


def run(name: str, value: float | None, missing: int = 0) -> RunScores:
    measures = {"P@5": 0.5, "nDCG@10": value}
    made = record(
        "score",
        1.0,
        subject=[Subject(name=name, source=name)],
        settings={"measure": Setting(value=list(measures))},
        numbers=[Number(name=measure, value=mean) for measure, mean in measures.items()],
        counts=counts_of({**COUNTS, "missing": missing}),
    )
    return RunScores(Part(made), RunDetails([]))


def said(*runs: RunScores) -> tuple[list[tuple[str, str]], list[str]]:
    found, advice = headline(runs)
    return list(found), list(advice)


def test_of_one_run_it_is_the_leading_measure():
    assert said(run("a", 0.25)) == ([("●", "a: nDCG@10 0.2500 over 10 judged queries.")], [])
    assert said(run("a", None)) == ([("●", "a: nDCG@10 – over 10 judged queries.")], [])


def test_of_several_it_is_the_best_and_how_to_know_whether_that_is_chance():
    found, advice = said(run("a", 0.25), run("b", 0.5), run("c", 0.5))
    assert found == [("●", "b, c have the best nDCG@10, 0.5000, of 3 runs over 10 judged queries.")]
    assert advice == ["benchbench compare says whether that is more than chance."]
    assert said(run("a", 0.5), run("b", 0.5))[0] == [("●", "2 runs over 10 judged queries.")]


def test_queries_that_a_run_lacks_are_said():
    assert said(run("a", 0.25, 2)) == (
        [("○", "a: nDCG@10 0.2500 over 10 judged queries.")],
        ["It lacks 2 of 10 judged queries."],
    )
    assert "b lacks 1 of 10 judged queries." in said(run("a", 0.25), run("b", 0.5, 1))[1]
