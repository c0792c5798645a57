"""Every measure of every task: the values of naive twins, of runs that are scored by files, and never above 1."""

import naive
import numpy as np
import pytest
from drawn_records import ALL_TASKS, ASKED, MEASURES
from hypothesis import given
from hypothesis import strategies as st
from judged_records import Asked, Record, judged
from naive_measures import Ranked, columns
from naive_rules import is_relevant

from benchbench.formats.qrels_runs import Qrels, Run
from benchbench.kernels.bootstrap import column_sums
from benchbench.kernels.judge import Judged
from benchbench.measures.catalog import CATALOG
from benchbench.measures.micro import micro
from benchbench.measures.notation import Measure, resolve
from benchbench.measures.plan import needs_judgments, plans
from benchbench.scoring import evaluate
from benchbench.tasks.reading import parse_tasks, read_task
from benchbench.tasks.task import Task

COUNTS = {"NumRet", "NumRel", "NumRelRet", "NumQ"}
RECALLS = st.sampled_from([("full", 0), ("capped", 2), ("fixed", 5), ("fixed", 10)])
LABELLED = parse_tasks(["brand=equal(brand)"])


def test_the_measures_drawn_from_are_all_that_look_at_hits() -> None:
    assert {one.name for one in MEASURES} == {row.name for row in CATALOG.values() if not row.diverse}


def ranked(task: Task, one: Asked, number: int, self_by: str, recall: tuple[str, float]) -> Ranked:
    """Return the hits of a query as a task sees them, by the naive twins."""
    fate = naive.fates({"id": one.query_id, "text": one.query["text"]}, one.hits, self_by)
    kept = [h for h, its in enumerate(fate) if its == "kept"]
    if task.judged:
        found = naive.found_positives(one.positives, one.hits, fate, "text")
        grades = [None if found[h] is None else float(one.positives[found[h]]["grade"]) for h in kept]
        judgments = [float(positive["grade"]) for positive in one.positives]
        return Ranked(grades, judgments, rel=task["rel"], gains=task.gains, recall=recall)
    fits = [is_relevant(task, one.query, one.hits[h]) is True for h in kept]
    return Ranked([1.0 if its else None for its in fits], [1.0] * number, by_labels=True)


@given(
    st.lists(ASKED, min_size=1, max_size=3),
    st.lists(st.sampled_from(ALL_TASKS), min_size=1, max_size=5, unique=True),
    st.lists(st.sampled_from(MEASURES), min_size=1, max_size=12, unique=True) | st.just(MEASURES),
    st.sampled_from(["text", "id"]),
    RECALLS,
)
def test_values_are_those_of_the_naive_twin(
    asked: list[Asked], tasks: list[Task], measures: list[Measure], self_by: str, recall: tuple[str, float]
) -> None:
    for one in asked:
        one.relevant = one.relevant[: len(tasks)]
    result = judged(asked, tasks, measures, self_by, recall=recall)
    places = plans(measures).columns
    for q, one in enumerate(asked):
        for t, task in enumerate(tasks):
            query = ranked(task, one, one.relevant[t], self_by, recall)
            for measure in measures:
                if task.judged or not needs_judgments(measure):
                    values = result.values[q, t, list(places[measure])].tolist()
                    assert values == pytest.approx(columns(measure, query), rel=1e-12, abs=1e-12), (task, measure)


@given(st.lists(ASKED, min_size=1, max_size=3), RECALLS)
def test_no_value_is_below_0_and_none_but_counts_is_above_1(asked: list[Asked], recall: tuple[str, float]) -> None:
    result = judged(asked, ALL_TASKS, MEASURES, recall=recall)
    assert np.isfinite(result.values).all()
    assert (result.values >= 0).all()
    by_labels = np.array([not task.judged for task in ALL_TASKS])
    places = plans(MEASURES).columns
    for measure in MEASURES:
        if measure.name not in COUNTS:
            values = result.values[:, :, places[measure][0]]  # of micro averages, P; the others are counts
            defined = values[:, ~by_labels] if needs_judgments(measure) else values
            assert defined.max() <= 1 + 1e-12, measure


def labelled(good: str, number: int, *measures: str) -> list[float]:
    """Return measures of a list of hits, + where one has the query's brand, where so many documents are relevant."""
    hits = [{"id": str(place), "brand": "a" if one == "+" else "b"} for place, one in enumerate(good)]
    wanted = resolve(measures)
    result = judged([Asked({"text": "q", "brand": "a"}, hits, [number])], LABELLED, wanted)
    places = plans(wanted).columns
    return [result.values[0, 0, places[one][0]].item() for one in wanted]


@pytest.mark.parametrize("number", [0, 1, 2, 3, 4, 12])
def test_more_hits_than_documents_are_relevant_are_no_better_than_all(number: int) -> None:
    """A fixed denominator may be below what is found: each measure stays at what a perfect list has."""
    measures = [one for one in MEASURES if not needs_judgments(one) and one.name not in COUNTS]
    texts = [str(one) for one in measures if CATALOG[one.name].aggregate != "micro"]
    values = dict(zip(texts, labelled("+++", number, *texts), strict=True))
    assert max(values.values()) <= 1
    best = [values[name] for name in ("R@3", "AP", "nDCG@3", "Rprec", "SetR", "IPrec@1.0")]
    assert best == ([1.0] * 6 if 1 <= number <= 3 else [0.0] * 3 + [0.0, 0.0, 1.0] if number == 0 else best)
    if number > 3:
        assert values["R@3"] == values["AP"] == values["Rprec"] == values["SetR"] == 3 / number


# Runs and judgments in files

IDS = st.sampled_from([f"d{number}" for number in range(9)])
GRADES = st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0])
HITS = st.lists(st.sampled_from([*"uvwxyz", *(f"d{number}" for number in range(9))]), unique=True)
JUDGED_HITS = st.lists(st.tuples(st.dictionaries(IDS, GRADES, min_size=1), HITS), min_size=1, max_size=3)


@given(JUDGED_HITS, st.lists(st.sampled_from(MEASURES), min_size=1, unique=True) | st.just(MEASURES))
def test_judgments_are_scored_to_the_bit_as_files_of_them_are(
    lists: list[tuple[dict[str, float], list[str]]], measures: list[Measure]
) -> None:
    qrels = {f"q{number}": grades for number, (grades, _) in enumerate(lists)}
    run = {f"q{number}": {name: -rank for rank, name in enumerate(hits)} for number, (_, hits) in enumerate(lists)}
    returned = {query: hits for query, hits in run.items() if hits}
    if not returned:
        return
    scores = evaluate(Qrels.from_dict(qrels), Run.from_dict(returned, ties="input"), measures)
    result = of_files(qrels, run, measures)
    places = plans(measures).columns
    rows = [[*qrels].index(query) for query in scores.ids]
    for one in measures:
        its = np.ascontiguousarray(result.values[rows, 0][:, list(places[one])])
        if CATALOG[one.name].aggregate == "micro":
            assert scores.aggregates[str(one)] == micro(one.name, *(column_sums(its) / len(rows)))
        else:
            assert its.tobytes() == np.ascontiguousarray(scores.values[str(one)]).tobytes(), one


def of_files(qrels: dict[str, dict[str, float]], run: dict[str, dict[str, float]], measures: list[Measure]) -> Judged:
    asked = [
        Asked(
            {"text": query},
            [{"id": name} for name in run[query]],
            [0],
            [{"id": name, "grade": grade} for name, grade in qrels[query].items()],
        )
        for query in qrels
    ]
    return judged(asked, parse_tasks(["gold=judgments(by='id')"]), measures, "id", "id")


@given(JUDGED_HITS, st.sampled_from([2, 3, 0.5]))
def test_the_grade_of_a_task_is_that_of_measures_that_name_none(
    lists: list[tuple[dict[str, float], list[str]]], rel: float
) -> None:
    binary = ["P@2", "R@3", "RR", "AP@3", "Rprec", "bpref", "RBP", "infAP", "SetF", "NumRel", "P(judged_only=True)@2"]
    asked = [
        Asked({"text": "q"}, [{"id": n} for n in hits], [0], [{"id": n, "grade": g} for n, g in grades.items()])
        for grades, hits in lists
    ]
    of_task = values_of(asked, read_task("gold", {"rule": "judgments", "rel": rel}), binary)
    named = [with_rel(name, rel) for name in binary]
    assert of_task == values_of(asked, read_task("gold", {"rule": "judgments"}), named)


def with_rel(name: str, rel: float) -> str:
    head, at, cutoff = name.partition("@")
    return f"{head.removesuffix(')')}{',' if '(' in head else '('}rel={rel}){at}{cutoff}"


def values_of(asked: list[Asked], task: Task, names: list[str]) -> list[Record]:
    measures = resolve(names)
    result, places = judged(asked, [task], measures), plans(measures).columns
    return [result.values[:, 0, places[one][0]].tolist() for one in measures]
