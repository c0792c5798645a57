"""Gates on judged scores go by a calibration of the same model, rubric and data, and by no other."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import chat_server
import pytest

from benchbench.answers.judges.rubric import rubric
from benchbench.answers.summary import digest
from benchbench.chat.model import ChatModel
from benchbench.errors import InputError
from benchbench.evaluation.pillars import evaluate_pillars
from benchbench.judging.agreement.calibration import Calibration, calibration_setting
from benchbench.results.estimates import Estimate
from benchbench.results.record import record, settings_of, utc
from benchbench.results.result import Result
from benchbench.tables.questions import Question

ROWS: list[dict[str, Any]] = [
    {"id": f"q{number}", "question": f"Why {number}?", "answer": "So.", "contexts": ["It is so."]}
    for number in range(3)
]
PILLARS = {"pillars": {"generation": ["faithfulness"], "domain": [], "retrieval": []}}
DIGEST = digest(Question(row["question"], "") for row in ROWS)


class Known(Result):
    """A result whose record has calibrations."""

    kind = "judge_agreement"

    def __init__(self, *calibrations: Calibration) -> None:
        self._calibrations = calibrations

    def to_record(self) -> Any:
        return record("judge_agreement", 0.0, settings=settings_of(calibration_setting(self._calibrations)))


def calibration() -> Calibration:
    made = rubric("faithfulness", "en")
    kappa = {"kappa": Estimate(0.8, 0.7, 0.9)}
    return Calibration(
        model="judge-1",
        rubric=made.label,
        digest=made.digest,
        data=DIGEST,
        date=utc(4e9),
        n=400,
        queries=90,
        agreement=kappa,
    )


@pytest.fixture(scope="module")
def judge() -> Iterator[ChatModel]:
    with chat_server.ChatServer(chat_server.good(1.0)) as server:
        yield ChatModel("judge-1", base_url=server.url, headers={"Authorization": "Bearer k-123456"}, retries=0)


def evaluated(judge: ChatModel, folder: Path, **options: Any) -> Any:
    return evaluate_pillars(PILLARS, judge, rows=ROWS, fail_if="generation<0.5", calibrations=[folder], **options)


def test_a_calibration_of_the_same_judge_and_data_lets_a_gate_pass_and_stands_beside_the_score(judge, tmp_path: Path):
    Known(calibration()).save(tmp_path / "known")
    outcome = evaluated(judge, tmp_path / "known")
    assert [one.verdict for one in outcome.record.gates] == ["passed"]
    (score,) = outcome.details().of("generation")
    assert (score.refusal, score.calibration[:27]) == ("", "kappa 0.80 (0.70 to 0.90) o")
    assert outcome.record.settings["calibration"].value[0]["model"] == "judge-1"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"model": "judge-2"}, "the calibration is of the model judge-2"),
        ({"digest": "0" * 64}, "the wording of the rubric faithfulness.en@1 has changed"),
        ({"data": "0" * 32}, "the calibration was made on other data"),
    ],
)
def test_a_calibration_of_something_else_or_a_weak_one_does_not(judge, tmp_path: Path, changed, said: str):
    Known(replace(calibration(), **changed)).save(tmp_path / "known")
    (gate,) = evaluated(judge, tmp_path / "known").record.gates
    assert gate.verdict == "failed"
    assert gate.said.startswith("gate refused: faithfulness: ")
    assert said in gate.said
    assert evaluated(judge, tmp_path / "known", trust_judge=True).record.gates[0].verdict == "passed"


def test_a_folder_without_a_calibration_is_refused_before_the_judge_is_asked(tmp_path: Path):
    Known().save(tmp_path / "nothing")
    gone = ChatModel("judge-1", base_url="http://127.0.0.1:9/v1", retries=0)
    with pytest.raises(InputError, match="has no calibration"):
        evaluated(gone, tmp_path / "nothing")
