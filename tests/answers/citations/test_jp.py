"""Citations of Japanese statutes."""

import json
from pathlib import Path

import pytest
from answers.citations.samples import check_agreement, japanese

from benchbench.answers.citations.jp import extract


def test_the_place_of_a_range_is_the_whole_range():
    text = "なお、民法第3条から第5条までの規定"
    assert {text[one.start : one.end] for one in extract(text)} == {"民法第3条から第5条まで"}


@pytest.fixture(scope="module")
def rows(shared_data: Path) -> list[dict[str, str]]:
    return json.loads((shared_data / "lawqa-jp" / "selection.json").read_text(encoding="utf-8"))["samples"]


def test_the_citations_of_sixty_rows_are_found(rows):
    pairs = []
    for (field, number), citations in japanese().items():
        row = rows[number]
        text = row["コンテキスト"] if field == "c" else row["問題文"] + "\n" + row["選択肢"]
        pairs.append((extract(text), citations))
    check_agreement(pairs)


def test_every_row_is_read_and_every_question_that_names_a_law_gives_a_citation(rows):
    assert len(rows) == 140
    for row in rows:
        for field in ("コンテキスト", "問題文", "選択肢"):
            citations = extract(row[field])
            assert all(0 <= one.start < one.end <= len(row[field]) for one in citations)
            assert citations or "法第" not in row[field]
