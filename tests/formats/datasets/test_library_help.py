"""The shipped data set `library-help`: it is whole, small, and what its page says."""

import zlib
from pathlib import Path

import orjson

from benchbench.formats.datasets.locate import shipped

FOLDER = shipped() / "library-help"


def lines(name: str) -> list[dict[str, str]]:
    return [orjson.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


def test_each_question_has_a_page_that_answers_it_and_all_is_what_the_card_says() -> None:
    pages, questions = lines("corpus.jsonl"), lines("queries.jsonl")
    rows = (FOLDER / "qrels" / "test.tsv").read_text(encoding="utf-8").splitlines()[1:]
    judged = [row.split("\t") for row in rows]
    assert {question for question, _, grade in judged if grade == "2"} == {one["_id"] for one in questions}
    assert {page for _, page, _ in judged} <= {one["_id"] for one in pages}
    assert {grade for *_, grade in judged} == {"1", "2"}
    assert len({one["text"] for one in pages}) == len(pages)
    said = f"{len(pages)} English help pages of an invented town library on ten topics, {len(questions)} questions"
    card = (Path(__file__).parents[3] / "datasets" / "README.md").read_text(encoding="utf-8")
    assert f"{said} of readers, {len(judged)} graded judgments" in card


def test_it_takes_less_than_15_kb_packed() -> None:
    files = [path for path in FOLDER.rglob("*") if path.is_file()]
    assert sum(len(zlib.compress(path.read_bytes(), 9)) for path in files) < 15_000
