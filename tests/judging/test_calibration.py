"""What a calibration is bound to, and each sentence that refuses one."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from benchbench.answers.judges.rubric import Rubric, rubric
from benchbench.errors import InputError
from benchbench.formats.qrels_runs import Qrels
from benchbench.judging.agreement.calibration import (
    Calibration,
    calibrated,
    calibration_setting,
    calibrations_in,
    read_calibration,
    refusal,
)
from benchbench.judging.agreement.grades import Grades
from benchbench.judging.agreement.numbers import agreed
from benchbench.judging.agreement.run import judge_agreement

DAY = datetime(2026, 11, 23, 12, tzinfo=UTC)
RELEVANCE = rubric("relevance", "ja")


def grades(seed: int, off: float) -> dict[str, dict[str, float]]:
    rng = np.random.default_rng(seed)
    human = np.random.default_rng(0).integers(0, 4, (30, 8))
    changed = np.where(rng.random(human.shape) < off, rng.integers(0, 4, human.shape), human)
    return {f"q{q}": {f"d{d}": float(grade) for d, grade in enumerate(row)} for q, row in enumerate(changed)}


def calibration(off: float = 0.1, n: int = 400) -> Calibration:
    rng = np.random.default_rng(1)
    human = rng.integers(0, 4, n).astype(float)
    judge = np.where(rng.random(n) < off, (human + 1) % 4, human)
    found = agreed(human, judge, np.arange(n) // 10)
    return calibrated(found, "gpt-4o", RELEVANCE.label, RELEVANCE.digest, "d1", DAY.timestamp(), "judge")


def why(one: Calibration | None, rubric: Rubric = RELEVANCE, data: str = "d1", needed: float = 0.4, **others: object):
    return refusal(one, "gpt-4o", rubric, data, needed, now=DAY, **others)  # type: ignore[arg-type]


def test_a_good_and_fresh_calibration_of_this_judge_on_these_data_is_taken() -> None:
    assert why(calibration()) is None


def test_what_is_missing_is_refused() -> None:
    assert "the judge gpt-4o is not calibrated" in str(why(None))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"model": "other"}, "the calibration is of the model other, and the judge is gpt-4o"),
        ({"rubric": "umbrela.en@1", "digest": "x"}, "of the rubric umbrela.en@1, and this is relevance.ja@1"),
        ({"digest": "0123456789abcdef"}, "the wording of the rubric relevance.ja@1 has changed since its calibration"),
        ({"data": "d2"}, "the calibration is of other data (d2, and this is d1)"),
        ({"date": "2026-08-01T00:00:00.000Z"}, "114 days old (2026-08-01), and good for 90"),
        ({"date": "soon"}, "no date, but 'soon'"),
        ({"n": 99}, "has 99 labels by people, and 100 are needed"),
        ({"model": "", "digest": ""}, "does not say of which model and rubric it is"),
        ({"agreement": {}}, "the calibration has no kappa"),
    ],
)
def test_what_is_stale_or_of_something_else_is_refused(changed: dict[str, object], said: str) -> None:
    assert said in str(why(replace(calibration(), **changed)))  # type: ignore[arg-type]


def test_the_lower_end_decides_and_not_the_value() -> None:
    one = calibration(0.42)
    assert one.kappa.value is not None
    assert one.kappa.low is not None
    between = (one.kappa.value + one.kappa.low) / 2
    assert "is needed" in str(why(one, needed=between))
    assert why(one, needed=one.kappa.low) is None


def test_a_gate_may_go_by_another_number() -> None:
    one = calibration(0.42)
    assert why(one, needed=0.5) is not None
    assert why(one, needed=0.3, by="kappa@2") is None
    assert "has no kappa@9" in str(why(one, by="kappa@9"))


def test_a_longer_age_and_fewer_labels_may_be_allowed() -> None:
    old = replace(calibration(), date="2026-08-01T00:00:00.000Z", n=50)
    assert why(old, age=200, fewest=50) is None


def test_perfect_agreement_over_few_queries_is_too_weak() -> None:
    human = np.tile([0.0, 1.0], 60)
    found = agreed(human, human, np.repeat(np.arange(3), 40))
    one = calibrated(found, "gpt-4o", RELEVANCE.label, RELEVANCE.digest, "d1", DAY.timestamp(), "judge")
    assert "kappa of judge and people is 1.000" in str(why(one))


def test_a_calibration_is_read_back_from_the_folder_of_judge_agreement(tmp_path: Path) -> None:
    judge = Grades("j", "memory", Qrels.from_dict(grades(1, 0.2)), "gpt-4o", RELEVANCE.label, RELEVANCE.digest, "d1")
    other = replace(judge, name="k", rubric="umbrela.en@1", digest="x")
    result = judge_agreement(Qrels.from_dict(grades(0, 0.0)), [judge, other])
    result.save(tmp_path / "both")
    one = read_calibration(tmp_path / "both", "gpt-4o", RELEVANCE.label)
    assert replace(one, folder="") == result.calibrations[0]
    assert one.folder == str(tmp_path / "both")
    assert refusal(one, "gpt-4o", RELEVANCE, "d1", 0.4) is None
    assert len(calibrations_in(tmp_path / "both")) == 2
    with pytest.raises(InputError, match="calibrations of several judges"):
        read_calibration(tmp_path / "both")
    with pytest.raises(InputError, match="calibrations of several judges"):
        read_calibration(tmp_path / "both", "none of them")


def test_a_folder_without_a_calibration_says_how_to_make_one(tmp_path: Path) -> None:
    from benchbench.formats.qrels_runs import Run
    from benchbench.scoring import evaluate

    scores = evaluate(Qrels.from_dict({"q": {"d": 1}}), Run.from_dict({"q": {"d": 1}}), "P@1")
    scores.save(tmp_path / "scores")
    with pytest.raises(InputError, match="benchbench judge agreement"):
        read_calibration(tmp_path / "scores")


def test_a_calibration_says_itself_in_a_few_words() -> None:
    assert calibration().said.startswith("kappa 0.")
    assert calibration().said.endswith(" over 400 pairs, 2026-11-23")
    assert replace(calibration(), agreement={}).said == "kappa unknown over 400 pairs, 2026-11-23"


def test_no_calibration_is_no_setting() -> None:
    assert calibration_setting([]) == {}


def test_the_numbers_at_the_end_of_a_run_have_its_scope() -> None:
    numbers = agreed(np.array([0.0, 1.0]), np.array([0.0, np.nan])).numbers({"judge": "m", "rubric": "r"})
    assert {tuple(one.scope.items()) for one in numbers} == {(("judge", "m"), ("rubric", "r"))}
    assert next(one.value for one in numbers if one.name == "unparsed") == 1.0
