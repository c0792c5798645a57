"""Measures that a task does not have and tasks that cannot be are refused, or left out and said."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from judged_data import LAMPS, options, refused, write

from benchbench.formats.datasets.data_set import DataSet
from benchbench.formats.datasets.locate import locate
from benchbench.formats.records import Part
from benchbench.measures.notation import resolve
from benchbench.tasks.criteria import Criteria
from benchbench.tasks.judging import judging_of

# Measures that are not defined


def test_what_asks_for_judgments_is_measured_for_tasks_that_have_them(cases: DataSet) -> None:
    found = judging_of(options(measures=["bpref", "AP"]), cases)
    (bpref, _) = found.criteria.measures
    assert found.undefined == {(task, bpref) for task in ("accusation", "article", "imprisonment")}
    assert found.notes == (
        "-m bpref: it asks which documents were judged; it is not measured for tasks accusation, article "
        "and imprisonment, by labels",
    )
    assert [(task, str(one)) for task, one, _ in found.columns()][:3] == [
        ("gold", "bpref"), ("gold", "AP"), ("accusation", "AP"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("measure", "why"),
    [
        ("bpref", "it asks which documents were judged"),
        ("Judged@5", "it asks which documents were judged"),
        ("infAP", "it asks which documents were judged"),
        ("P(judged_only=True)@5", "it asks which documents were judged"),
        ("P(rel=2)@5", "it asks for a grade, which judgments give"),
    ],
)
def test_a_measure_that_a_named_task_does_not_have_is_refused(
    cases: DataSet, shop: DataSet, measure: str, why: str
) -> None:
    text = resolve(measure)[0]
    assert refused(cases, measures=[measure], tasks=("gold", "article")) == (
        f"-m {text}: {why}, and task article compares labels; --tasks gold measures the others"
    )
    assert refused(replace(shop, card={}), measures=[measure]) == f"-m {text}: {why}, and task brand compares labels"
    assert judging_of(options(measures=[measure], tasks=("gold",)), cases).notes == ()


def test_what_looks_at_subtopics_is_refused(cases: DataSet) -> None:
    assert refused(cases, measures=["alpha_nDCG@5"]) == (
        "-m alpha_nDCG@5: it looks at subtopics, which judgments name, and the judgments of this data set have none"
    )


# Bad input


@pytest.mark.parametrize(
    ("task", "reason"),
    [
        ("x=equal(colour)", "--task x: no query of the data set has what this task compares"),
        ("x=equals(brand)", "--task 'x=equals(brand)': there is no rule 'equals'; did you mean equal?"),
        (
            "x=within(price)",
            "--task 'x=within(price)': within needs absolute or relative, as in within(meta.price, absolute=5)",
        ),
        (
            "x=equal(brand, within=true)",
            "--task 'x=equal(brand, within=true)': equal has no parameter 'within'; "
            "there are label, query_label, hit_label, recall",
        ),
    ],
)
def test_a_further_task_that_cannot_be_is_refused(shop: DataSet, task: str, reason: str) -> None:
    assert refused(shop, task=(task,)) == reason


def test_a_named_task_that_no_query_has_what_it_takes_for_is_refused(shop: DataSet) -> None:
    further = ("x=equal(colour)",)
    reason = "x: no query of the data set has what this task compares"
    assert refused(shop, task=further, tasks=("x", "brand")) == f"--tasks {reason}"
    assert judging_of(options(task=further, tasks=("brand",)), shop).tasks == ("brand",)


def test_a_task_named_twice_is_refused(shop: DataSet) -> None:
    assert refused(shop, task=("brand=equal(name)",)).startswith("task brand stands twice in ")
    assert refused(shop, task=("x=equal(name)", "x=equal(brand)")) == (
        "task x stands twice in --task; give one of them another name"
    )


@pytest.mark.parametrize(
    ("value", "shown", "task"),
    [
        ({"name": "lumen"}, '{"name": "lumen"}', "brand"),
        ([["lumen"]], '[["lumen"]]', "brand"),
        ("ten", '"ten"', "price"),
        ([10], "[10]", "price"),
    ],
)
def test_a_label_of_a_query_that_is_an_object_or_of_another_type_is_refused(
    shop: DataSet, tmp_path: Path, value: Any, shown: str, task: str
) -> None:
    bad = {"query_id": "b", "query": {"text": "desk", task: value}}
    data = replace(shop, queries=Part(write(tmp_path / "bad.jsonl", [LAMPS[0], bad])))
    wanted = "a number" if task == "price" else "a text, a number, true or false, or a list of these"
    message = f"line 2: the query's label {task} ({task}) is "
    said = refused(data)
    assert message in said
    assert said.endswith(f"not {wanted}")
    found = judging_of(Criteria(), data, skip_bad_lines=True)
    assert (len(found.queries), found.queries.skipped_lines) == (1, 1)


def test_numbers_that_queries_and_documents_share_by_accident_are_named_as_the_reason(tmp_path: Path) -> None:
    write(tmp_path / "corpus.jsonl", [{"_id": "1", "text": "a cat"}])
    write(tmp_path / "queries.jsonl", [{"_id": "1", "text": "who?"}])
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n1\t1\t1\n")
    assert refused(locate(tmp_path)) == (
        "no hit can be relevant: all judgments that count are of documents with the id of their query, which is the "
        "query itself where --self is id; --self text keeps them"
    )
    judging_of(Criteria(self_by="text"), locate(tmp_path))
