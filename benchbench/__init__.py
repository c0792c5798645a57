"""benchbench: how good, and how fast, is a retriever?

>>> import benchbench as bb
>>> result = bb.run(bb.Settings("synthetic-cases"))
>>> result.numbers()

Measure
-------
run : Benchmark a service, the embedded retriever, or a Python function.
run_targets : Benchmark several services over the same queries, in turn.
run_load : Load a service step by step, and measure speed and quality.
run_answers : Ask an assistant questions, and score what it says.
evaluate : Score a run against judgments, with any measures.
score_answers : Score stored answers.
score_passages : Score retrieved passages against those that answer each query.
compare : Say whether runs differ, over the same queries.
compare_results : Say whether the services of several results folders differ.
compare_runs : Say how far runs differ, without judgments.
evaluate_pillars : Evaluate retrieval, generation and domain quality of one data set.

Judge
-----
judge_relevance : Label the first hits of runs by a language model.
judge_answers : Let a language model judge stored answers.
judge_agreement : Say how far judges agree with people.
assign_nuggets : Let a language model say which nuggets answers support, and score the answers.
nugget_scores : Score answers by the nuggets that they support.
read_calibration : Return what a results folder says of how far a judge agrees with people.
find_attacks : Return what looks like an instruction to the judge.
rubric : Return a rubric that is built in, or the one of a file.
rubrics : Return the names of the rubrics that are built in.

Settings
--------
Settings : Everything that a run depends on.
LoadSettings : Everything that a load test depends on.
AnswersSettings : Everything that asking an assistant depends on.
Criteria : How hits are judged.
Service : One service, and how it is reached.
Assistant : What an assistant is sent, and where its answers are.
CompareSettings : Everything that the verdicts of a comparison depend on.
JudgeSettings : Everything that a judge's verdicts depend on.
ChatModel : A language model at an endpoint.
Price : What a model's tokens cost.
Rubric : What a judge judges by.
PairsToJudge : Which pairs of query and document are judged.
AnswersToJudge : Which answers are judged.
NuggetsToAssign : Which nuggets are looked for in which answers.
protocol : Return how a kind of service is asked: one that is built in, or a description in a file.
answer_metric : Register a function as a metric of answers.

Data
----
DataSet : A data set, and what is known of it.
locate : Return the data set that a path or a name stands for.
Qrels : Judgments of documents by query.
Run : Ranked documents by query.
scan_run : Return a run that stays in its file and is read when it is scored.
Question : A question with what would be right.
Answer : What an assistant said to a question.
JudgeItem : What a judge judges: texts by name.

Results
-------
Result : What each of these returns: a record, tables, a folder.
load : Read a result back from its folder.
draw : Return a result as text, JSON, CSV, Markdown, LaTeX or a page.
History : The store of results: runs over time, and their numbers.
Outcome : What a run found.
Output : Where the results of a service go while it runs.
LoadOutcome : What a load test found.
AnswersOutcome : What an evaluation of answers found.
JudgeAgreement : How far judges agree with people.
Calibration : How far a judge agrees with people, and what that is true of.
PassageScores : Values of passages by query, and their means.
Scores : Values of measures by query, and their means.

Errors
------
BenchbenchError : Base of all errors of this package.
GateError : A condition of `fail_if` holds.
InputError : Bad usage or bad input.
InterruptedRunError : The run was stopped before its end.
TooManyFailuresError : More queries failed than are allowed.
UnreachableError : The service cannot be reached.
WorkerError : A worker process died before the end of the run.

`help(bb.run)` says more of each.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchbench.answering.answers_result import AnswersOutcome
    from benchbench.answering.asking import AnswersSettings
    from benchbench.answering.asking import run as run_answers
    from benchbench.answering.retrieved import score_passages
    from benchbench.answering.stored import score_answers
    from benchbench.answers.judges.attacks import attacks as find_attacks
    from benchbench.answers.judges.prompt import Item as JudgeItem
    from benchbench.answers.judges.rubric import Rubric, rubric, rubrics
    from benchbench.answers.metrics import metric as answer_metric
    from benchbench.answers.passage_scores import PassageScores
    from benchbench.chat.assistant import Assistant
    from benchbench.chat.model import ChatModel
    from benchbench.chat.prices import Price
    from benchbench.client.descriptions import profile as protocol
    from benchbench.client.service import Service
    from benchbench.comparison.agreement import compare_runs
    from benchbench.comparison.folders import compare_results
    from benchbench.comparison.runs import compare
    from benchbench.errors import (
        BenchbenchError,
        GateError,
        InputError,
        InterruptedRunError,
        TooManyFailuresError,
        UnreachableError,
        WorkerError,
    )
    from benchbench.evaluation.pillars import evaluate_pillars
    from benchbench.experiment import Outcome, Output, Settings, run, run_targets
    from benchbench.formats.datasets.data_set import DataSet
    from benchbench.formats.datasets.locate import locate
    from benchbench.formats.qrels_runs import Qrels, Run, scan_run
    from benchbench.history.api import History
    from benchbench.judging.agreement.agreement_result import JudgeAgreement
    from benchbench.judging.agreement.agreement_run import judge_agreement
    from benchbench.judging.agreement.calibration import Calibration, read_calibration
    from benchbench.judging.answer_run import AnswersToJudge, judge_answers
    from benchbench.judging.judge_settings import JudgeSettings
    from benchbench.judging.nuggets.nuggets_run import NuggetsToAssign, assign_nuggets
    from benchbench.judging.nuggets.scores import nugget_scores
    from benchbench.judging.relevance.pairs import PairsToJudge
    from benchbench.judging.relevance.relevance_run import judge_relevance
    from benchbench.load_test import LoadOutcome, LoadSettings
    from benchbench.load_test import run as run_load
    from benchbench.measures.scores import Scores
    from benchbench.report.draw import draw
    from benchbench.results.result import Result
    from benchbench.scoring import evaluate
    from benchbench.significance.comparison_settings import CompareSettings
    from benchbench.stored import load
    from benchbench.tables.questions import Answer, Question
    from benchbench.tasks.criteria import Criteria

__version__ = "0.2.0"

__all__ = [
    "Answer",
    "AnswersOutcome",
    "AnswersSettings",
    "AnswersToJudge",
    "Assistant",
    "BenchbenchError",
    "Calibration",
    "ChatModel",
    "CompareSettings",
    "Criteria",
    "DataSet",
    "GateError",
    "History",
    "InputError",
    "InterruptedRunError",
    "JudgeAgreement",
    "JudgeItem",
    "JudgeSettings",
    "LoadOutcome",
    "LoadSettings",
    "NuggetsToAssign",
    "Outcome",
    "Output",
    "PairsToJudge",
    "PassageScores",
    "Price",
    "Qrels",
    "Question",
    "Result",
    "Rubric",
    "Run",
    "Scores",
    "Service",
    "Settings",
    "TooManyFailuresError",
    "UnreachableError",
    "WorkerError",
    "answer_metric",
    "assign_nuggets",
    "compare",
    "compare_results",
    "compare_runs",
    "draw",
    "evaluate",
    "evaluate_pillars",
    "find_attacks",
    "judge_agreement",
    "judge_answers",
    "judge_relevance",
    "load",
    "locate",
    "nugget_scores",
    "protocol",
    "read_calibration",
    "rubric",
    "rubrics",
    "run",
    "run_answers",
    "run_load",
    "run_targets",
    "scan_run",
    "score_answers",
    "score_passages",
]

_HOMES = {  # loaded on first use: importing benchbench costs nothing
    **dict.fromkeys(("Answer", "Question"), "benchbench.tables.questions"),
    **dict.fromkeys(("AnswersSettings", "run_answers"), "benchbench.answering.asking"),
    **dict.fromkeys(("Outcome", "Output", "Settings", "run", "run_targets"), "benchbench.experiment"),
    "DataSet": "benchbench.formats.datasets.data_set",
    "locate": "benchbench.formats.datasets.locate",
    **dict.fromkeys(("Qrels", "Run", "scan_run"), "benchbench.formats.qrels_runs"),
    **dict.fromkeys(("LoadOutcome", "LoadSettings", "run_load"), "benchbench.load_test"),
    "AnswersOutcome": "benchbench.answering.answers_result",
    "Assistant": "benchbench.chat.assistant",
    "Criteria": "benchbench.tasks.criteria",
    "Scores": "benchbench.measures.scores",
    "PassageScores": "benchbench.answers.passage_scores",
    "answer_metric": "benchbench.answers.metrics",
    "Result": "benchbench.results.result",
    "compare": "benchbench.comparison.runs",
    "CompareSettings": "benchbench.significance.comparison_settings",
    "draw": "benchbench.report.draw",
    "load": "benchbench.stored",
    "compare_results": "benchbench.comparison.folders",
    "compare_runs": "benchbench.comparison.agreement",
    "Service": "benchbench.client.service",
    "evaluate": "benchbench.scoring",
    "protocol": "benchbench.client.descriptions",
    "score_answers": "benchbench.answering.stored",
    "score_passages": "benchbench.answering.retrieved",
    "find_attacks": "benchbench.answers.judges.attacks",
    "JudgeItem": "benchbench.answers.judges.prompt",
    **dict.fromkeys(("Rubric", "rubric", "rubrics"), "benchbench.answers.judges.rubric"),
    "ChatModel": "benchbench.chat.model",
    "Price": "benchbench.chat.prices",
    "evaluate_pillars": "benchbench.evaluation.pillars",
    "History": "benchbench.history.api",
    "JudgeAgreement": "benchbench.judging.agreement.agreement_result",
    "judge_agreement": "benchbench.judging.agreement.agreement_run",
    **dict.fromkeys(("AnswersToJudge", "judge_answers"), "benchbench.judging.answer_run"),
    **dict.fromkeys(("Calibration", "read_calibration"), "benchbench.judging.agreement.calibration"),
    "nugget_scores": "benchbench.judging.nuggets.scores",
    **dict.fromkeys(("NuggetsToAssign", "assign_nuggets"), "benchbench.judging.nuggets.nuggets_run"),
    "PairsToJudge": "benchbench.judging.relevance.pairs",
    "judge_relevance": "benchbench.judging.relevance.relevance_run",
    "JudgeSettings": "benchbench.judging.judge_settings",
}

_THERE = {  # names at home, where they differ
    "JudgeItem": "Item",
    "answer_metric": "metric",
    "find_attacks": "attacks",
    "protocol": "profile",
    "run_answers": "run",
    "run_load": "run",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'benchbench' has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, "benchbench.errors")), _THERE.get(name, name))


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
