"""Ground truths, stored answers, four-choice questions, configuration files; and every way in which they are wrong."""

from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import pytest

from benchbench.errors import InputError
from benchbench.formats.answers_config import read_config
from benchbench.formats.evaluation_rows import answered
from benchbench.formats.ground_truth import (
    Reading,
    context_texts,
    ground_truth,
    read_answers,
    read_ground_truth,
    refuse_ground_truth,
)
from benchbench.judging.answer_run import AnswersToJudge
from benchbench.tables.questions import Answer, Question, by_name

ROW = {"question": "What is Part 36?", "truth": "Offers. [Part 36]", "source_type": "CPR", "category": "Costs"}


def lines(folder: Path, *rows: Any, name: str = "rows.jsonl") -> Path:
    path = folder / name
    path.write_bytes(b"".join(row if isinstance(row, bytes) else orjson.dumps(row) + b"\n" for row in rows))
    return path


def test_a_ground_truth_is_its_questions_in_order(tmp_path: Path):
    path = lines(tmp_path, ROW, {"question": "Q", "truth": "T", "more": 1})
    assert read_ground_truth(path) == [Question(*ROW.values()), Question("Q", "T")]


@pytest.mark.parametrize("row", [{}, {"truth": ""}, {"truth": " \n"}, {"truth": None}])
def test_a_truth_may_be_empty_where_no_metric_needs_one(tmp_path: Path, row: dict[str, Any]):
    path = lines(tmp_path, {"question": "Q", "answer": "A", **row})
    assert read_ground_truth(path, Reading(needs_truth=False)) == [Question("Q", "")]
    assert [one.truth for one in read_answers(path, reading=Reading(needs_truth=False))] == [""]


def test_stored_answers_bring_their_truth_or_find_it(tmp_path: Path):
    row = {**ROW, "answer": "Offers.", "context": ["a: b", {"text": "c"}], "latency": 2}
    (own,) = read_answers(lines(tmp_path, row))
    assert own == Answer(Question(*ROW.values()), "Offers.", ("a: b", "c"), 2.0)
    truths = {"Q": Question("Q", "T")}
    found = list(read_answers(lines(tmp_path, {"question": "Q", "answer": None, "error": "HTTP 500"}), truths))
    assert found == [Answer(truths["Q"], None, failure="HTTP 500")]
    with pytest.raises(InputError, match="line 1: there is no question 'R'; the first is called 'Q'"):
        list(read_answers(lines(tmp_path, {"question": "R", "answer": "x"}), truths))


@pytest.mark.parametrize(
    ("more", "failure"),
    [
        ({}, "the stored answer is null"),
        ({"answer": None, "latency": -1}, "the stored answer is null"),
        ({"answer": " \n"}, "the answer is empty"),
        ({"answer": " \n", "error": "HTTP 500"}, "HTTP 500"),
    ],
)
def test_an_answer_that_is_null_absent_or_blank_is_one_without_a_response(tmp_path: Path, more: Any, failure: str):
    (answer,) = read_answers(lines(tmp_path, {**ROW, **more}))
    assert (answer.response, answer.latency, answer.failure) == (None, None, failure)


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        *[(None, ()), ("", ()), ([], ()), ("a", ("a",)), (3, ("3",)), (["a", "b"], ("a", "b"))],
        ([{"content": "a"}, 3, ["b"]], ("a", "3", "b")),
        (["", {}, None, True, [[]], "a"], ("", "", "", "", "", "a")),
        ([{"text": {"content": "a"}}, {"text": 1.5}], ("a", "1.5")),
    ],
)
def test_a_context_is_whatever_texts_are_in_it(value: Any, texts: tuple[str, ...]):
    assert context_texts(value) == texts


def test_a_context_that_is_nested_without_end_has_no_text():
    assert context_texts(orjson.loads("[" * 900 + '"a"' + "]" * 900)) == ("",)
    assert context_texts(orjson.loads('{"text":' * 900 + '"a"' + "}" * 900)) == ()
    assert context_texts([[["a"]]]) == ("a",)


SAMPLE = {
    "ファイル名": "金商法_第2章_57",
    "問題文": "どれか。",
    "選択肢": "a 一\nb 二",
    "output": "b",
    "指示": "選べ。",
}


def test_four_choice_questions_have_the_letter_as_truth_and_the_law_as_category(tmp_path: Path):
    path = tmp_path / "selection.json"
    path.write_bytes(orjson.dumps({"samples": [SAMPLE]}))
    names = ("1", "金商法_第2章_57", "どれか。", "どれか。\na 一\nb 二")
    asked = Question("選べ。\nどれか。\na 一\nb 二", "b", "lawqa-jp", "金商法", names=names)
    assert read_ground_truth(path) == [asked]


CONFIG = {
    "testdata_path": "ground_truth_cpr.jsonl",
    "results_dir": "results/legal-domain",
    "requested_metrics": ["gpt_groundedness", "latency", "precedent_matching", "latency"],
    "target_url": "http://localhost:50505/ask",
    "target_parameters": {"overrides": {"top": 5, "seed": 1}},
    "target_response_answer_jmespath": "message.content",
    "target_response_context_jmespath": "context.data_points.text",
}


def test_the_keys_of_the_seed_are_taken_as_they_stand(tmp_path: Path):
    path = tmp_path / "config.json"
    path.write_bytes(orjson.dumps(CONFIG))
    config = read_config(path)
    assert (config.testdata, config.results) == (tmp_path / "ground_truth_cpr.jsonl", tmp_path / "results/legal-domain")
    assert config.metrics == ("latency", "precedent_matching")
    assert (config.url, config.parameters) == (CONFIG["target_url"], CONFIG["target_parameters"])
    assert (config.answer, config.context) == ("message.content", "context.data_points.text")
    assert (config.judged, config.notes) == (("gpt_groundedness",), ())


def test_a_key_without_effect_is_a_note(tmp_path: Path):
    path = tmp_path / "config.json"
    path.write_bytes(orjson.dumps({"overwrite": True}))
    assert read_config(path).notes == (f"{path}: the key `overwrite` has no effect here",)


def test_questions_given_without_a_cluster_are_clusters_of_their_own():
    given = [Question("a", "t", cluster="x"), Question("b", "t"), Question("c", "t")]
    assert len({one.cluster for one in ground_truth(given, Reading(cluster="user"))}) == 3
    with pytest.raises(InputError, match="has a member user to group by"):
        ground_truth(given[1:], Reading(cluster="user"))


def test_numbers_that_are_equal_are_one_cluster(tmp_path: Path):
    path = lines(tmp_path, *({"question": f"{n}", "truth": "t", "user": [1, 1.0, "1"][n]} for n in range(3)))
    assert {one.cluster for one in read_ground_truth(path, Reading(cluster="user"))} == {"1"}


def test_an_answer_names_its_question_by_text_or_id_and_by_what_only_one_has(tmp_path: Path) -> None:
    truth, answers = tmp_path / "truth.jsonl", tmp_path / "answers.jsonl"
    truth.write_text('{"id": "q1", "question": "Why? ", "truth": "t"}\n{"question": "How?", "truth": "t"}\n')
    known = by_name(read_ground_truth(truth))
    for row, asked in (('"id": "q1"', "Why? "), ('"question": "Why? "', "Why? "), ('"question": " How?"', "How?")):
        answers.write_text(f'{{{row}, "answer": "a"}}\n')
        assert [one.asked.question for one in read_answers(answers, known)] == [asked]
    for row, why in (
        ('"question": "x"', r"there is no question 'x'; the first is called 'q1', 'Why\?'"),
        ('"n": 1', "no `question` and no `id` says what was asked; its members are n, answer"),
    ):
        answers.write_text(f'{{{row}, "answer": "a"}}\n')
        with pytest.raises(InputError, match=why):
            list(read_answers(answers, known))


def test_a_name_that_two_questions_have_names_neither(tmp_path: Path) -> None:
    one, other = Question("a", "t", names=("same", "1")), Question("b", "t", names=("same", "2", "a"))
    assert by_name([one, other]) == {"a": one, "b": other, "1": one, "2": other}
    answers = lines(tmp_path, {"question": "same", "answer": "x"})
    with pytest.raises(InputError, match="2 questions are called 'same'; name one by what only it is called: '1', 'a'"):
        list(read_answers(answers, by_name([one, other])))


def test_four_choice_questions_go_by_number_by_text_and_by_text_with_choices(shared_data: Path) -> None:
    path = shared_data / "lawqa-jp" / "selection.json"
    known = by_name(read_ground_truth(path))
    samples = orjson.loads(path.read_bytes())["samples"]
    texts = Counter(one["問題文"].strip() for one in samples)
    for number, one in enumerate(samples, 1):
        alone, choices = one["問題文"].strip(), one["選択肢"].strip()
        asked = known[str(number)]
        assert known[f"{alone}\n{choices}"] is known[one["ファイル名"]] is asked
        assert known.get(alone) is (asked if texts[alone] == 1 else None)
    for refuse in (
        refuse_ground_truth,
        lambda path: AnswersToJudge(path).source("m"),
        lambda path: [*answered([], path)],
    ):
        with pytest.raises(InputError, match="is ground truth: 140 questions, and no answers"):
            refuse(path)
