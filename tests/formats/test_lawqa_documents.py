"""The articles of lawqa_jp's contexts as documents."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from benchbench.errors import InputError
from benchbench.evaluation.pillars import evaluate_pillars
from benchbench.formats.evaluation_rows import read_rows
from benchbench.formats.lawqa_documents import lawqa_documents


def written(folder: Path, *contexts: Any) -> Path:
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
    found = lawqa_documents(written(tmp_path, one, other))
    assert found.of_sample == [["民法 第5条", "民法 第6条"], ["民法 第5条", "商法 第5条"]]
    assert found.documents == {
        "民法 第5条": "## 民法\n### 第5条\n#### 第１項\n一\n#### 第２項\n二\n#### 第3項\n三",
        "民法 第6条": "## 民法\n### 第6条\n六",
        "商法 第5条": "## 商法\n### 第5条\n商",
    }


def test_a_section_that_is_no_article_is_a_document_for_each_of_its_texts(tmp_path: Path):
    found = lawqa_documents(written(tmp_path, *(f"## 指針\n### Q&A\n問{number}" for number in (1, 2, 1))))
    assert found.of_sample == [["指針 Q&A"], ["指針 Q&A (2)"], ["指針 Q&A"]]
    assert lawqa_documents(written(tmp_path, "## 指針\n本文")).documents == {"指針": "## 指針\n本文"}


def test_a_row_has_its_choices_and_searches_without_the_instruction(tmp_path: Path):
    data = read_rows(written(tmp_path, "## 民法\n### 第5条\n一"))
    (row,) = data.rows
    assert row.choices == ("a 一", "b 二", "c 三", "d 四")
    assert (row.truth, row.reference) == ("b", "b 二")
    assert row.question == "選んでください。\n問0\na 一\nb 二\nc 三\nd 四"
    assert row.sought == "問0\na 一\nb 二\nc 三\nd 四"
    assert (row.relevant, row.category) == ({"民法 第5条": 1.0}, "民法")
    assert [one.text for one in row.contexts or ()] == [data.documents["民法 第5条"]]


def test_a_sample_without_contexts_is_named(tmp_path: Path):
    with pytest.raises(InputError, match="sample 2: it has no text コンテキスト"):
        read_rows(written(tmp_path, "## 民法\n### 第5条\n一", None))


def test_the_published_file_has_197_documents_and_each_question_some(shared_data: Path):
    data = read_rows(shared_data / "lawqa-jp" / "selection.json")
    assert (len(data.rows), len(data.documents)) == (140, 197)
    assert all(row.relevant and len(row.choices) == 4 for row in data.rows)
    assert {key for row in data.rows for key in row.relevant or ()} == set(data.documents)


def test_contexts_that_the_data_give_are_not_retrieved_until_something_else_is(shared_data: Path):
    source = shared_data / "lawqa-jp" / "selection.json"
    as_given = evaluate_pillars({"data": str(source)})
    assert as_given.details().pillars[0].missing == "it is not known what was retrieved"
    assert "140 questions have contexts that the data give and nobody retrieved" in as_given.details().notes[1]
    searched = evaluate_pillars({"data": str(source), "contexts": {"collection": "data", "top_k": 5}})
    assert searched.details().pillars[0].mean.n == 140
