"""Gates of a run of a judge: one on a score needs a calibration that is bound to it."""

import time
from dataclasses import replace

import pytest
from chat_server import ChatServer, good, says

from benchbench.answers.judges.rubric import rubric
from benchbench.chat.model import ChatModel
from benchbench.chat.prices import Price
from benchbench.errors import InputError
from benchbench.judging.agreement.calibration import Calibration, calibration_setting
from benchbench.judging.answer_run import AnswersToJudge, judge_answers
from benchbench.judging.judge_result import parse_gates
from benchbench.judging.judge_settings import JudgeSettings
from benchbench.results.estimates import Estimate
from benchbench.results.record import utc

FAITHFULNESS, CORRECTNESS = rubric("faithfulness"), rubric("correctness")
ROWS = [{"question": f"q{n}", "answer": "a", "context": ["c"], "truth": "t"} for n in range(8)]


@pytest.fixture(scope="module")
def server():
    with ChatServer(good(1)) as running:
        yield running


def run(server, *gates, rubrics=FAITHFULNESS, **given):
    model = ChatModel("judge", server.url)
    settings = JudgeSettings(rubrics, model, Price(1, 1, "", "--price"), repeat=2, repeat_sample=3, fail_if=gates)
    return judge_answers(AnswersToJudge(ROWS, **given), settings)


@pytest.fixture
def calibrated(server, tmp_path):
    """Return what makes a results folder with a calibration of this judge, some of it changed."""
    plain = run(server)
    fitting = Calibration(
        model="judge",
        rubric=FAITHFULNESS.label,
        digest=FAITHFULNESS.digest,
        data=plain.found.data_digest,
        date=utc(time.time()),
        n=400,
        queries=100,
        agreement={"kappa": Estimate(0.7, 0.6, 0.8)},
    )

    def folder(**changes):
        outcome = run(server)
        changed = replace(outcome, options=outcome.options | calibration_setting([replace(fitting, **changes)]))
        return changed.save(tmp_path / str(len(list(tmp_path.iterdir()))))

    return folder


def verdicts(outcome):
    return [(one.condition, one.verdict) for one in outcome.record.gates]


def test_a_gate_on_a_score_is_refused_without_a_calibration_whatever_the_score_is(server):
    outcome = run(server, "faithfulness<0.8", "faithfulness_statements<0.1", "low faithfulness<0.1")
    assert [verdict for _, verdict in verdicts(outcome)] == ["failed"] * 3
    said = outcome.record.gates[0].said
    assert said.startswith("judge, faithfulness.en@1: gate refused: the judge judge is not calibrated")
    assert said.endswith("faithfulness is 1 (--trust-judge uses it anyway)")
    assert outcome.record.status == "complete"


def test_gates_on_what_is_no_score_need_no_calibration(server):
    outcome = run(server, "errors>0", "flip_rate>0.1", "cost>1", "latency>20s", "error_rate>1%", "repeat_spread>0")
    assert {verdict for _, verdict in verdicts(outcome)} == {"passed"}
    assert verdicts(run(server, "cost>0")) == [("cost>0", "failed")]


def test_who_trusts_the_judge_says_so_and_the_result_repeats_it(server):
    outcome = run(server, "faithfulness<0.8", "faithfulness<2", trusts_judge=True)
    assert [verdict for _, verdict in verdicts(outcome)] == ["passed", "failed"]
    assert any("--trust-judge" in one.text for one in outcome.record.notes)


def test_a_calibration_that_fits_lets_a_gate_decide_and_stands_beside_the_score(server, calibrated):
    outcome = run(server, "faithfulness<0.8", "faithfulness<2", calibrations=[calibrated()])
    assert [verdict for _, verdict in verdicts(outcome)] == ["passed", "failed"]
    assert outcome.found.rubrics[0].calibration.said.startswith("kappa 0.70 (0.60 to 0.80) over 400 pairs")
    assert outcome.found.rubrics[0].calibration.refusal == ""
    assert not any("Nothing says" in one.text for one in outcome.record.notes)


def test_a_calibration_that_is_stale_refuses_the_gate(server, calibrated):
    outcome = run(server, "faithfulness<0.8", calibrations=[calibrated(date="2020-01-01T00:00:00Z")])
    assert verdicts(outcome) == [("faithfulness<0.8", "failed")]
    for said in (outcome.record.gates[0].said, outcome.found.rubrics[0].calibration.refusal):
        assert "days old" in said


def test_the_least_kappa_can_be_chosen(server, calibrated):
    folder = calibrated()
    assert verdicts(run(server, "faithfulness<0.8", calibrations=[folder], least_kappa=0.6))[0][1] == "passed"
    assert verdicts(run(server, "faithfulness<0.8", calibrations=[folder], least_kappa=0.61))[0][1] == "failed"


def test_a_least_kappa_that_cannot_be_is_refused_before_anything_is_asked(server):
    with pytest.raises(InputError, match="--least-kappa"):
        run(server, least_kappa=1.5)


def test_each_rubric_has_its_own_calibration(server, calibrated):
    outcome = run(
        server,
        "faithfulness<0.8",
        "correctness<0.8",
        rubrics=[FAITHFULNESS, CORRECTNESS],
        calibrations=[calibrated(model="older"), calibrated()],
    )
    assert [verdict for _, verdict in verdicts(outcome)] == ["passed", "failed"]


def test_a_folder_without_a_calibration_is_refused_before_anything_is_asked(server, tmp_path):
    folder = run(server).save(tmp_path / "plain")
    before = server.calls
    with pytest.raises(InputError, match="has no calibration"):
        run(server, calibrations=[folder])
    assert server.calls == before


@pytest.mark.parametrize(
    ("gate", "said"),
    [
        ("faithfulnes<0.8", "faithfulness"),
        ("faithfulness", "not name, comparison and bound"),
        ("latency>2", "write latency>2.0?ms, or s|is a time"),
        ("correctness<0.8", "correctness is not measured|correctness"),
        ("faithfulness_nonsense<0.8", "faithfulness_statements"),
    ],
)
def test_a_gate_that_names_nothing_is_refused_before_anything_is_asked(server, gate, said):
    before = server.calls
    with pytest.raises(InputError, match=said):
        run(server, gate)
    assert server.calls == before


def test_a_gate_over_two_rubrics_is_refused_with_what_to_do():
    with pytest.raises(InputError, match="give one gate per rubric"):
        parse_gates("faithfulness<0.8 and correctness<1", [FAITHFULNESS, CORRECTNESS])


def test_a_gate_on_a_part_that_no_verdict_has_fails_without_a_value():
    with ChatServer(says("no verdict")) as server:
        outcome = run(server, "faithfulness_statements<0.8", trusts_judge=True)
    (broken, gate) = outcome.record.gates
    assert (broken.verdict, gate.verdict) == ("broken", "failed")
    assert "faithfulness_statements has no value" in gate.said
