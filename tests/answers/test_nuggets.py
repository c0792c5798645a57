"""Nugget scores of one answer: the definitions, and what is not as they expect it."""

from pathlib import Path

import orjson
import pytest
from answer_values import scored
from cases import check_rows, tables
from command_line import said
from hypothesis import given
from hypothesis import strategies as st
from naive_nuggets import invented_assignments, naive_scores

from benchbench.answers.choices import choice
from benchbench.answers.nuggets import MAIN, MEASURES, aligned, problems, scores
from benchbench.formats.ground_truth import read_ground_truth
from benchbench.tables.nuggets import Nugget

words = st.sampled_from(["support", "partial_support", "not_support", "failed", "odd"])


importances = st.sampled_from(["vital", "okay", "failed"])


drawn = st.lists(
    st.fixed_dictionaries({"text": st.sampled_from("abc"), "importance": importances, "assignment": words}), max_size=9
)


@given(drawn)
def test_scores_are_those_of_the_definitions_word_for_word(nuggets):
    assert scores([Nugget(**one) for one in nuggets]) == pytest.approx(naive_scores(nuggets), abs=1e-15)


def test_scores_are_those_of_the_tracks_tool():
    """`calculate_nugget_scores` of castorini/nuggetizer (d00dc3e, core/metrics.py) gave these of the same nuggets."""
    nuggets = invented_assignments()[11]["nuggets"]
    found = scores([Nugget(**one) for one in nuggets])
    assert {name: found[name] for name in MEASURES if "weighted" not in name} == {
        "strict_vital_score": 0.3333333333333333,
        "strict_all_score": 0.6666666666666666,
        "vital_score": 0.3333333333333333,
        "all_score": 0.6666666666666666,
    }


def test_two_nuggets_with_one_text_count_twice():
    twice = [Nugget("a", "vital", "support")] * 2 + [Nugget("b", "vital", "not_support")]
    assert scores(twice)[MAIN] == 2 / 3
    assert problems(twice) == {"repeated": 1}


def test_what_is_odd_is_counted_and_supports_nothing():
    nuggets = [
        Nugget("a", "vital"),
        Nugget("b", "failed", "failed"),
        Nugget("c", None, "supported"),
        Nugget("d", "okay", "support"),
    ]
    assert problems(nuggets) == {
        "unassigned": 1,
        "unknown_importance": 1,
        "failed": 1,
        "without_importance": 1,
        "unknown_assignment": 1,
    }
    assert scores(nuggets)["all_score"] == 0.25
    assert scores(nuggets)["vital_score"] == 0.0


def test_assignments_come_to_their_nuggets_by_text_and_the_importance_is_that_of_the_question():
    wanted = [Nugget("a", "vital"), Nugget("b", "okay"), Nugget("a", "okay"), Nugget("c", "vital")]
    assigned = [
        Nugget("b", "vital", "support"),
        Nugget(" a ", "okay", "support"),
        Nugget("a", None, "not_support"),
        Nugget("x", "vital", "support"),
    ]
    found = aligned(wanted, assigned)
    assert [(one.importance, one.assignment) for one in found.nuggets] == [
        ("vital", "support"),
        ("okay", "support"),
        ("okay", "not_support"),
        ("vital", None),
    ]
    assert found.beyond == 1


# The four-choice questions of the Digital Agency of Japan


def test_the_accuracy_is_by_law_and_has_intervals(shared_data: Path, tmp_path: Path, capsys):
    """Every second answer is right, one in four is another letter, and one in four chooses none."""
    source = shared_data / "lawqa-jp" / "selection.json"
    questions = read_ground_truth(source)
    wrong = dict(zip("abcd", "bcda", strict=True))
    path = tmp_path / "answers.jsonl"
    with path.open("wb") as file:
        for n, one in enumerate(questions):
            letter = (one.truth, wrong[one.truth], one.truth, "どれか")[n % 4]
            file.write(orjson.dumps({"question": one.question, "answer": f"正解は{letter}です。"}) + b"\n")
    code, output, _ = said(
        capsys, "answers", "score", path, "--ground-truth", source, "-m", "choice_accuracy", "--format", "json"
    )
    found = orjson.loads(output)
    assert code == 0
    assert found["answers"] == 140
    assert found["metrics"]["choice_accuracy"]["mean"] == pytest.approx(0.5)
    assert found["metrics"]["choice_unclear"]["mean"] == pytest.approx(0.25)
    assert {law: group["answers"] for law, group in found["category"].items()} == {
        "金商法": 80,
        "薬機法": 39,
        "借地借家法": 21,
    }
    for group in found["category"].values():
        line = group["metrics"]["choice_accuracy"]
        assert 0 < line["low"] < line["mean"] < line["high"] < 1


# The letter that an answer chooses

TABLES = tables(__file__, "choices")


def test_a_stated_choice_is_found():
    def check(text: str, letter: str) -> None:
        found = choice(text)
        assert found is not None
        assert found[0] == letter

    check_rows(check, TABLES["stated"].items())


@pytest.mark.parametrize("text", TABLES["none"])
def test_no_choice_or_several_are_none(text: str):
    assert choice(text) is None


@given(st.text(alphabet="abcd正解は答えanswer is:()「」\n \\boxed{}e", max_size=60))
def test_the_place_is_that_of_the_letter(text: str):
    found = choice(text)
    if found is not None:
        letter, start, end = found
        assert text[start:end].lower() == letter


def test_a_choice_that_is_unclear_is_wrong_and_said_to_be_unclear():
    unclear = scored("choice_accuracy", "a or c", "c")
    assert (unclear.score, unclear.parts) == (0.0, {"choice_unclear": 1.0})
