"""Ground truths, stored answers, four-choice questions, configuration files; and every way in which they are wrong."""

from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import pytest
from answer_values import read_answers

from benchbench.errors import InputError
from benchbench.evaluation.pillars import evaluate_pillars
from benchbench.evaluation.subscores import plan_scores
from benchbench.formats.answers_config import read_config
from benchbench.formats.evaluation_config import Bands, ContextsConfig, Pillars, Weights, read_evaluation_config
from benchbench.formats.evaluation_rows import answered, read_rows
from benchbench.formats.exports import read_export
from benchbench.formats.ground_truth import (
    Reading,
    context_texts,
    ground_truth,
    read_ground_truth,
    refuse_ground_truth,
)
from benchbench.formats.lawqa_documents import lawqa_documents
from benchbench.formats.nuggets import (
    Assigned,
    assigned_line,
    has_assignments,
    read_assigned,
    read_nuggets,
    read_run_answers,
)
from benchbench.formats.trace import TraceRow, read_trace
from benchbench.judging.answer_run import AnswersToJudge, StoredAnswers
from benchbench.tables.documents import Document
from benchbench.tables.nuggets import Nugget
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
    with pytest.raises(
        InputError, match="2 questions are called 'same'; name one by something that only it is called: '1', 'a'"
    ):
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
        lambda path: StoredAnswers(AnswersToJudge(path), "m"),
        lambda path: [*answered([], path)],
    ):
        with pytest.raises(InputError, match="is ground truth: 140 questions, and no answers"):
            refuse(path)


# Nuggets, assignments and answers as the tools of the TREC RAG track write them

FACT = {"text": "made in 1991", "importance": "vital", "assignment": "support"}


def nuggets_lines(path: Path, *rows: Any) -> Path:
    path.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    return path


def test_nuggets_are_read_by_question_and_words_in_any_case(tmp_path: Path):
    path = nuggets_lines(
        tmp_path / "n.jsonl", {"qid": 7, "query": "which?", "nuggets": [{"text": "a", "importance": "Vital "}]}
    )
    assert read_nuggets(path) == {"7": ("which?", [Nugget("a", "vital")])}


def test_assignments_of_answers_and_of_retrieved_documents_are_read(tmp_path: Path):
    answer = {"qid": "1", "query": "q", "answer_text": "t", "run_id": "r", "nuggets": [FACT]}
    document = {"qid": "1", "text": "q", "candidate_text": "t", "docid": "d1", "nuggets": [FACT]}
    found = list(read_assigned(nuggets_lines(tmp_path / "called.jsonl", answer, document)))
    assert found == [
        Assigned("r", "1", "", "q", "t", [Nugget(**FACT)]),
        Assigned("called", "1", "d1", "q", "t", [Nugget(**FACT)]),
    ]


def test_answers_of_2024_and_of_2025_are_read(tmp_path: Path):
    old = {"run_id": "r", "topic_id": 3, "topic": "q", "answer": [{"text": "One.", "citations": [0]}, {"text": "Two."}]}
    new = {"metadata": {"run_id": "r", "narrative_id": "9", "narrative": "q"}, "answer": [{"text": "One."}]}
    plain = {"qid": "4", "answer": None}
    found = list(read_run_answers(nuggets_lines(tmp_path / "f.jsonl", old, new, plain)))
    assert found == [("r", "3", "q", "One. Two."), ("r", "9", "q", "One."), ("f", "4", "", "")]


def test_a_line_is_read_as_it_was_written():
    one = Assigned("r", "1", "", "q", "two words", [Nugget(**FACT)], "gpt", "nugget_assignment.en@1")
    line = assigned_line(one)
    assert line["response_length"] == 2
    assert list(read_assigned([line])) == [one]


def test_a_file_of_nuggets_is_told_from_one_of_assignments(tmp_path: Path):
    none = {"qid": "1", "nuggets": []}
    bare = {"qid": "2", "nuggets": [{"text": "a", "importance": "okay"}]}
    assert not has_assignments(nuggets_lines(tmp_path / "n.jsonl", none, bare))
    assert has_assignments(nuggets_lines(tmp_path / "a.jsonl", none, {"qid": "2", "nuggets": [FACT]}))


def test_a_line_without_an_answer_and_an_answer_that_is_no_text_are_refused():
    with pytest.raises(InputError, match="line 1: it has no answer; a line has `answer`, a text or a list of objects"):
        list(read_run_answers([{"qid": "1", "nuggets": [FACT]}]))
    with pytest.raises(InputError, match="line 1: answer is a text, or a list of objects with a text each"):
        list(read_run_answers([{"qid": "1", "answer": [{"citations": [1]}]}]))


# Configurations of an evaluation in three pillars: TOML, JSON, and those of an assistant's evaluation

OWN = Path(__file__).with_name("own_evaluation.toml").read_text(encoding="utf-8")


def written(folder: Path, name: str, text: str | dict[str, Any]) -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else orjson.dumps(text))
    return path


def test_what_a_file_leaves_out_is_the_default_and_paths_are_relative_to_it(tmp_path: Path):
    found = read_evaluation_config(written(tmp_path, "own.toml", OWN))
    assert (found.name, found.language, found.law, found.cutoff) == ("law", "ja", "jp", 3)
    assert (found.data, found.answers) == (tmp_path / "questions.jsonl", tmp_path / "answers.jsonl")
    assert found.contexts == ContextsConfig(tmp_path / "laws.jsonl", top_k=7, analysis="words", k1=1, b=0.5)
    assert found.weights == Weights(domain=1.0)
    assert found.pillars == Pillars(generation=("faithfulness", "faithfulness"))
    assert [one.name for one in plan_scores(found, "ja", "jp").of("generation")] == ["faithfulness"]
    assert (found.bands, found.beside, found.assistants) == (Bands(0.9, 0.5), None, None)
    assert found.given == ("name", "data", "language", "cutoff", "answers", "contexts", "weights", "pillars", "bands")


def test_json_says_the_same(tmp_path: Path):
    value = {"data": "questions.jsonl", "target": {"url": "http://127.0.0.1/ask", "answer": "text"}}
    found = read_evaluation_config(written(tmp_path, "own.json", value))
    assert (found.data, found.weights.retrieval) == (tmp_path / "questions.jsonl", 0.2)
    assert found.target is not None
    assert (found.target.url, found.target.answer) == ("http://127.0.0.1/ask", "text")
    assert found.target.context == "context.data_points.text"


def test_a_file_with_testdata_path_is_an_assistants(tmp_path: Path):
    value = {"testdata_path": "truth.jsonl", "requested_metrics": ["gpt_relevance", "latency"], "new": 1}
    found = read_evaluation_config(written(tmp_path, "own.json", value))
    assert found.assistants is not None
    assert (found.assistants.judged, found.assistants.metrics) == (("gpt_relevance",), ("latency",))
    assert (found.data, found.language, found.law) == (tmp_path / "truth.jsonl", "en", "uk")
    assert found.assistants.notes == (f"{tmp_path / 'own.json'}: the key `new` has no effect here",)


# Exports

RECORD = {"@search.score": 3.1, "id": "d1", "sourcepage": "N", "sourcefile": "f.pdf", "content": "text"}


WHOLE = Document("d1", "N", "f.pdf", "", "text")


@pytest.mark.parametrize(
    ("value", "query", "document"),
    [
        ({"query": "q", "documents": [{"id": "d1", "name": "N", "file": "f.pdf", "text": "text"}]}, "q", WHOLE),
        ({"query": "q", "@odata.count": 1, "value": [RECORD]}, "q", WHOLE),
        ({"query": "q", "results": [RECORD]}, "q", WHOLE),
        ([{"title": "N", "category": None, "text": 3}], "", Document("", "N")),  # a list alone has no query
    ],
)
def test_the_shapes_of_exports(tmp_path: Path, value: Any, query: str, document: Document):
    path = tmp_path / "export.json"
    path.write_bytes(orjson.dumps(value))
    export = read_export(path)
    assert (export.query, export.documents) == (query, [document])


# Trace


def trace_written(tmp_path: Path, text: str, name: str = "log.jsonl") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_times_are_seconds_or_iso_8601_and_queries_are_ids_or_texts(tmp_path):
    path = trace_written(tmp_path, '{"timestamp": 1.5, "query_id": 7}\n\n{"ts": "2", "query": "theft"}\n3\n')
    assert read_trace(path) == [
        TraceRow(1, 1.5, "7", True),
        TraceRow(3, 2.0, "theft", False),
        TraceRow(4, 3.0, None, False),
    ]


def test_a_time_with_a_zone_is_the_moment_that_it_means(tmp_path):
    text = '{"time": "2026-01-31T13:00:00+01:00"}\n{"time": "2026-01-31T12:00:00.25Z"}\n'
    first, second = read_trace(trace_written(tmp_path, text))
    assert second.seconds - first.seconds == 0.25


@pytest.mark.parametrize(("name", "separator"), [("log.csv", ","), ("log.tsv", "\t")])
def test_a_table_has_a_header_and_other_columns_are_passed_over(tmp_path, name, separator):
    lines = [["user", "timestamp", "id"], ["x", "2026-01-31T12:00:00", "001"], ["y", "2026-01-31 12:00:01", ""]]
    path = trace_written(tmp_path, "\ufeff" + "\r\n".join(separator.join(line) for line in lines), name)
    first, second = read_trace(path)
    assert (first.line, first.query, first.by_id) == (2, "001", True)
    assert (second.line, second.query, second.seconds - first.seconds) == (3, None, 1.0)


# The articles of lawqa_jp's contexts as documents


def lawqa_documents_written(folder: Path, *contexts: Any) -> Path:
    path = folder / "selection.json"
    samples = [
        {
            "ファイル名": "民法_第1章_選択式",
            "コンテキスト": context,
            "指示": "<following_context>選んでください。",
            "問題文": f"問{number}",
            "選択肢": "a 一\nb 二\nc 三\nd 四",
            "output": "b",
        }
        for number, context in enumerate(contexts)
    ]
    path.write_bytes(orjson.dumps({"samples": samples}))
    return path


def test_an_article_is_one_document_with_all_its_paragraphs_in_order(tmp_path: Path):
    one = "## 民法\n### 第５条\n#### 第２項\n二\n#### 第１項\n一\n### 第6条\n六"
    other = "## 民法\n### 第5条\n#### 第3項\n三\n#### 第２項\n二\n## 商法\n### 第5条\n商"
    found = lawqa_documents(lawqa_documents_written(tmp_path, one, other))
    assert found.of_sample == [["民法 第5条", "民法 第6条"], ["民法 第5条", "商法 第5条"]]
    assert found.documents == {
        "民法 第5条": "## 民法\n### 第5条\n#### 第１項\n一\n#### 第２項\n二\n#### 第3項\n三",
        "民法 第6条": "## 民法\n### 第6条\n六",
        "商法 第5条": "## 商法\n### 第5条\n商",
    }


def test_a_section_that_is_no_article_is_a_document_for_each_of_its_texts(tmp_path: Path):
    found = lawqa_documents(
        lawqa_documents_written(tmp_path, *(f"## 指針\n### Q&A\n問{number}" for number in (1, 2, 1)))
    )
    assert found.of_sample == [["指針 Q&A"], ["指針 Q&A (2)"], ["指針 Q&A"]]
    assert lawqa_documents(lawqa_documents_written(tmp_path, "## 指針\n本文")).documents == {"指針": "## 指針\n本文"}


def test_a_row_has_its_choices_and_searches_without_the_instruction(tmp_path: Path):
    data = read_rows(lawqa_documents_written(tmp_path, "## 民法\n### 第5条\n一"))
    (row,) = data.rows
    assert row.choices == ("a 一", "b 二", "c 三", "d 四")
    assert (row.truth, row.reference) == ("b", "b 二")
    assert row.question == "選んでください。\n問0\na 一\nb 二\nc 三\nd 四"
    assert row.sought == "問0\na 一\nb 二\nc 三\nd 四"
    assert (row.relevant, row.category) == ({"民法 第5条": 1.0}, "民法")
    assert [one.text for one in row.contexts or ()] == [data.documents["民法 第5条"]]


def test_a_sample_without_contexts_is_named(tmp_path: Path):
    with pytest.raises(InputError, match="sample 2: it has no text コンテキスト"):
        read_rows(lawqa_documents_written(tmp_path, "## 民法\n### 第5条\n一", None))


def test_the_published_file_has_197_documents_and_each_question_some(shared_data: Path):
    data = read_rows(shared_data / "lawqa-jp" / "selection.json")
    assert (len(data.rows), len(data.documents)) == (140, 197)
    assert all(row.relevant and len(row.choices) == 4 for row in data.rows)
    assert {key for row in data.rows for key in row.relevant or ()} == set(data.documents)


def test_contexts_that_the_data_give_are_not_retrieved_until_something_else_is(shared_data: Path):
    source = shared_data / "lawqa-jp" / "selection.json"
    as_given = evaluate_pillars({"data": str(source)})
    assert as_given.details().pillars[0].missing == "what was retrieved is unknown"
    assert "140 questions have contexts that came with the data and were not retrieved" in as_given.details().notes[1]
    searched = evaluate_pillars({"data": str(source), "contexts": {"collection": "data", "top_k": 5}})
    assert searched.details().pillars[0].mean.n == 140
