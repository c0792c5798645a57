"""The table of values per answer: a column per number, in parts, and the same whatever those are."""

import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from invented_answers import rows

from benchbench.answering import per_answer
from benchbench.answering.answers_folder import AnswersFolder
from benchbench.answering.answers_result import AnswersOutcome
from benchbench.answering.per_answer import NAME, PerAnswer, columns
from benchbench.answering.scoring import chosen
from benchbench.answering.stored import score_answers
from benchbench.answers.metrics import Metric, Value
from benchbench.errors import InputError
from benchbench.results.folder import PartialFolder
from benchbench.tables.questions import Answer, Question

FIXED = ["number", "question", "failure", "source_type", "category"]


def table(given: list[dict[str, Any]], *metrics: str, **options: Any) -> pl.DataFrame:
    return score_answers(given, metrics, **options).table(NAME)


def naive(outcome: AnswersOutcome, given: list[dict[str, Any]]) -> dict[str, list[float | None]]:
    """Return every column by a loop over answers and metrics."""
    found: dict[str, list[float | None]] = {}
    for one in outcome.metrics:
        for row in given:
            said = row["answer"]
            asked = Question(row["question"], row["truth"])
            value = one.value(Answer(asked, said, (), row["latency"], None if said else "failed"))
            cells = {one.name: value.score, **{part: value.parts.get(part) for part in one.parts}}
            if one.is_accuracy:
                cells[f"{one.name}_expected"] = value.score if value.expected else None
            for name, cell in cells.items():
                is_there = said is not None and cell is not None and not math.isnan(cell)
                found.setdefault(name, []).append(cell if is_there else None)
    untested = {name for name, line in outcome.found.metrics.items() if line.mean is None}
    return {name: [None] * len(given) if name in untested else its for name, its in found.items()}


def test_there_is_a_column_per_number_with_its_values():
    given = rows(30, failed=4)
    outcome = score_answers(given)
    found = outcome.table(NAME)
    expected = naive(outcome, given)
    assert found.columns == [*FIXED, *expected]
    assert found.drop(FIXED).to_dict(as_series=False) == expected
    assert found["number"].to_list() == list(range(1, 31))
    assert found["question"].to_list() == [row["question"] for row in given]
    assert found["failure"].to_list() == [None] * 26 + ["HTTP 500"] * 4
    assert found["source_type"].to_list() == [row["source_type"] for row in given]


def test_means_of_the_columns_are_the_numbers_of_the_record():
    outcome = score_answers(rows(30, failed=4))
    found = outcome.table(NAME)
    numbers = {one.name: one.value for one in outcome.record.numbers if not one.scope}
    assert {*numbers} - {"errors", "error_rate"} == {*found.columns} - {*FIXED}
    for name in found.columns[len(FIXED) :]:
        assert found[name].mean() == (None if numbers[name] is None else pytest.approx(numbers[name]))


def test_what_was_not_tested_is_null_throughout():
    given = [{**row, "answer": "See Part 46."} for row in rows(3)]
    found = table(given, "case_law_citation_accuracy")
    assert found["case_law_citation_accuracy"].null_count() == 3
    assert found["case_law_citation_accuracy_expected"].null_count() == 3


def test_the_cluster_is_a_column_and_a_question_that_stands_alone_has_none():
    given = [{**row, "document": document} for row, document in zip(rows(3), ("a", "", "a"), strict=True)]
    found = table(given, "any_citation", cluster="document")
    assert found["document"].to_list() == ["a", None, "a"]
    assert table(rows(4), "any_citation", cluster="category").columns == [*FIXED, "any_citation"]


@pytest.mark.parametrize("part", [1, 5, 1000])
def test_parts_of_any_size_make_the_same_table_in_memory_and_in_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: int
):
    monkeypatch.setattr(per_answer, "_PART", part)
    metrics = chosen(())
    scored = []
    for row in rows(12, failed=2):
        answer = Answer(Question(row["question"], row["truth"]), row["answer"], (), 1.0)
        scored.append((answer, [one.value(answer) for one in metrics]))
    whole = PerAnswer()
    whole.add(columns(metrics, range(1, 13), scored))
    memory, folder = PerAnswer(), PerAnswer(tmp_path / NAME)
    for first in range(0, 12, 3):
        some = columns(metrics, range(first + 1, first + 4), scored[first : first + 3])
        memory.add(some)
        folder.add(some)
    folder.write(["latency"])
    assert memory.table().equals(whole.table())
    assert pl.read_parquet(tmp_path / f"{NAME}.parquet").equals(whole.table(["latency"]))
    assert whole.table(["latency"])["latency"].null_count() == 12
    assert sorted(one.name for one in tmp_path.iterdir()) == [f"{NAME}.parquet"]


def test_answers_that_come_in_any_order_are_sorted_by_their_numbers():
    metrics = chosen(["answer_length"])
    found = PerAnswer()
    for number in (3, 1, 2):
        answer = Answer(Question(f"{number}?", ""), "x" * number)
        found.add(columns(metrics, [number], [(answer, [Value(float(number))])]))
    assert found.table()["answer_length"].to_list() == [1.0, 2.0, 3.0]


def test_a_metric_with_the_name_of_a_fixed_column_has_none_and_half_a_character_is_a_question_mark():
    def function(answer: Answer) -> float:
        return 1.0

    answer = Answer(Question("half \ud800?", "t"), "a")
    found = PerAnswer()
    metrics = [Metric("question", "", function), Metric("other", "", function)]
    found.add(columns(metrics, [1], [(answer, [Value(1.0), Value(0.5)])]))
    assert found.table().columns == [*FIXED, "other"]
    assert found.table()["question"].to_list() == ["half ??"]


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(per_answer, "_PART", 1)
    (tmp_path / NAME).write_text("in the way")
    answer = Answer(Question("?", "t"), "a")
    table = PerAnswer(tmp_path / NAME)
    with pytest.raises(InputError, match=f"cannot write {tmp_path}"):
        table.add(columns(chosen(["answer_length"]), [1], [(answer, [Value(1.0)])]))


def test_without_an_answer_there_is_no_table_and_a_folder_has_no_empty_one(tmp_path: Path):
    assert not PerAnswer()
    with AnswersFolder(tmp_path / "out", []) as folder:
        assert isinstance(folder, PartialFolder)
        assert not folder.table
