"""An assistant asked from Python."""

from pathlib import Path
from typing import Any

import assistants
import pytest
import services
from results.round_trip import round_trip

from benchbench.answering.asking import AnswersSettings, run
from benchbench.errors import InputError

TRUTHS = [{"question": f"What is Part {n}?", "truth": f"A part. [Part {n}]"} for n in (31, 36)]
ANSWERED = assistants.saying(assistants.said("A part. [Part 36]"))


def settings(url: str, **options: Any) -> AnswersSettings:
    return AnswersSettings(TRUTHS, f"{url}/ask", metrics="any_citation", **{"concurrency": 1, **options})  # type: ignore[arg-type]


def test_an_outcome_is_drawn_alike_before_and_after_it_lay_in_a_folder(tmp_path: Path):
    with services.running(ANSWERED, ANSWERED) as service:
        outcome = run(settings(service.url, fail_if="any_citation<0.5"), options={"config": "config.json"})
    loaded = round_trip(outcome, tmp_path / "out")
    assert (loaded.record.status, loaded.record.name) == ("complete", f"{service.url}/ask")
    assert {"config", "questions", "concurrency", "max_error_rate"} <= loaded.record.settings.keys()
    assert [gate.verdict for gate in loaded.record.gates] == ["passed"]


@pytest.mark.parametrize(("share", "status"), [(0.0, "failed"), (0.5, "complete")])
def test_more_failed_questions_than_may_fail_make_the_result_a_failed_one(share: float, status: str):
    with services.running(ANSWERED, services.status(404)) as service:
        outcome = run(settings(service.url, max_error_rate=share))
    assert outcome.record.status == status
    assert [gate.verdict for gate in outcome.gates] == (["broken"] if status == "failed" else [])
    assert outcome.details().gates == []


@pytest.mark.parametrize("option", ["max_error_rate", "concurrency"])
def test_what_cannot_be_is_refused_before_anything_is_asked(option: str):
    with pytest.raises(InputError, match=f"--{option.replace('_', '-')} is a"):
        settings("http://127.0.0.1:9", **{option: -1})
