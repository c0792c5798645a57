"""What labels by a judge look like."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from chat_server import ChatServer
from page_text import Page
from pair_judges import beir, by_words, qrels_file, run_file

import benchbench as bb
from benchbench.answers.judges.rubric import rubric
from benchbench.chat.model import ChatModel
from benchbench.judging.judge_settings import JudgeSettings
from benchbench.judging.relevance.pairs import PairsToJudge
from benchbench.judging.relevance.relevance_result import RelevanceOutcome
from benchbench.judging.relevance.relevance_run import judge_relevance
from benchbench.report.draw import draw

GRADES = {("q0", "d1"): 3, ("q1", "d3"): 2, ("q1", "d1"): 1}
EVIL = "<script>window.broken = 1</script>"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RelevanceOutcome]:
    folder = tmp_path_factory.mktemp("labels")
    data = beir(folder / "data")
    runs = {
        "one": run_file(folder / "one.run", {q: ["d0", "d1", "d2"] for q in ("q0", "q1", "q2")}, "m"),
        EVIL: run_file(folder / "other.run", {q: ["d3", "d1", "d4"] for q in ("q0", "q1", "q2")}),
    }
    people = qrels_file(folder / "people.trec", {("q0", "d0"): 0, ("q1", "d1"): 1, ("q1", "d2"): 0})
    named = bb.locate(queries=data / "queries.jsonl", collection=data / "corpus.jsonl", qrels=people)
    given = PairsToJudge(named, runs, holes=True, measures=["P@2"])
    with ChatServer(by_words(GRADES)) as server:
        settings = JudgeSettings(rubric("relevance"), ChatModel("m", server.url), repeat=1)
        yield judge_relevance(given, settings)


def test_the_text_begins_with_what_there_is_and_what_it_settles(found: RelevanceOutcome):
    lines = draw(found, "text").splitlines()
    assert lines[0].startswith("▼ Not usable: existing labels go up to 1, new ones up to 3. ")
    assert lines[1] == "● 4 new labels by m; 3 existing labels kept."
    assert "● Settled in P@2: " in lines[2]
    assert any("The judge has ranked what it judges (one)" in line for line in lines)


def test_every_grade_of_the_scale_has_a_row(found: RelevanceOutcome):
    rows = [line.split() for line in draw(found, "text").splitlines()]
    counts = {row[0]: row[1] for row in rows if len(row) == 5 and row[3] == "%"}
    assert counts == {"0": "2", "1": "0", "2": "1", "3": "1"}


def test_the_page_has_its_sections_and_nothing_that_runs(found: RelevanceOutcome):
    html = draw(found, "html")
    for heading in ("How unjudged hits could change the differences", "New labels, and how far to trust them"):
        assert heading in html
    assert {"h1", "h2"} <= set(Page(html).tags)
    assert EVIL not in html
    assert EVIL.replace("<", "&lt;").replace(">", "&gt;") in html


def test_a_stored_result_is_drawn_as_it_was(found: RelevanceOutcome, tmp_path: Path):
    stored = bb.load(found.save(tmp_path / "saved"))
    for form in ("text", "markdown", "csv", "latex"):
        assert draw(stored, form) == draw(found, form)
