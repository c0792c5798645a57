"""The four-choice questions of the Digital Agency of Japan."""

from pathlib import Path

import orjson
import pytest
from command_line import said

from benchbench.formats.ground_truth import read_ground_truth


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
