"""Nugget scores of assignment files: means of each run with intervals, and whether two runs differ."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import benchbench
from benchbench.answers.judges.rubric import Rubric, rubric, rubrics
from benchbench.answers.nuggets import MAIN, MEASURES
from benchbench.answers.sums import GroupSums, Sums, interval
from benchbench.errors import InputError, visible
from benchbench.formats.nuggets import Rows, has_assignments, read_assigned, read_nuggets
from benchbench.judging.agreement.calibration import calibration_setting
from benchbench.judging.judge_details import CalibrationDetails
from benchbench.judging.judge_result import calibration_details
from benchbench.judging.judge_settings import JudgeTrust
from benchbench.judging.nuggets.nuggets_result import (
    NuggetDifference,
    NuggetOutcome,
    NuggetRun,
    NuggetsDetails,
    gated,
    parse_gates,
)
from benchbench.judging.nuggets.tally import NuggetTally
from benchbench.results.signature import Signature
from benchbench.scores.numbers import ScoreMean
from benchbench.significance.mean_intervals import UNIT_SCALE
from benchbench.tables.paired import Paired

_QUERY = "query"
_OF_DIFFERENCE = ("measure", "baseline", "mean", "low", "high", "interval", "direction", "wins", "ties", "losses")


def nugget_scores(
    assignments: Path | str | Rows | Sequence[Path | str],
    nuggets: Path | str | Rows | None = None,
    baseline: str | None = None,
    fail_if: str | Iterable[str] = (),
    seed: int = 0,
    trust: JudgeTrust | None = None,
    options: Mapping[str, Any] | None = None,
) -> NuggetOutcome:
    """Score the nuggets that answers support, of one run or of several.

    Parameters
    ----------
    assignments
        A file of assignments, several, or rows: an answer each, with `qid`, `run_id` and `nuggets`, a list of objects
        with `text`, `importance` (vital or okay) and `assignment` (support, partial_support or not_support).
    nuggets
        A file of the nuggets of each question, or such rows: `qid` and `nuggets` with `text` and `importance`. Then
        importance and number of nuggets are theirs, and a question that a run has not answered counts as 0.
    baseline
        The run that all others are compared with. Without one, two runs are compared, and more are not.
    fail_if
        Gates, one or several, such as `"strict_vital_score<0.4"`.
    seed
        Of the resamples.
    trust
        How far to trust a judge that assigned the nuggets.
    options
        Further settings for the record.

    Raises
    ------
    InputError
        For an entry that cannot be read, a question that a run has twice, or a gate on a number that there is not.

    Examples
    --------
    >>> said = [{"text": "who", "importance": "vital", "assignment": "support"}]
    >>> nugget_scores([{"qid": "1", "nuggets": said}]).mean()["strict_vital_score"]
    1.0
    """
    began = time.time()
    gates = parse_gates(fail_if)
    wanted = None if nuggets is None else read_nuggets(Path(nuggets) if isinstance(nuggets, str) else nuggets)
    tally = NuggetTally(wanted)
    several, called = sources(assignments)
    for source in several:
        for answer in read_assigned(source):
            tally.add(answer, str(source) if isinstance(source, Path) else "")
    given = {
        "assignments": called,
        "nuggets": str(nuggets) if isinstance(nuggets, Path | str) else None,
    }
    by, trusted = _assigned_by(tally, trust or JudgeTrust())
    result = details(tally, baseline, seed, **by)
    more = {"baseline": baseline, "seed": seed, "fail_if": [gate.text for gate in gates], **trusted}
    return NuggetOutcome(
        found=result, tally=tally, gates=gated(gates, result), options={**given, **more, **(options or {})}, began=began
    )


def split(files: Sequence[Path]) -> tuple[Path | None, Sequence[Path]]:
    """Return the file of nuggets, where the first of several has no assignment in it, and those of assignments."""
    if len(files) > 1 and not has_assignments(files[0]):
        return files[0], files[1:]
    return None, files


def details(
    tally: NuggetTally, baseline: str | None, seed: int, judge: str = "", rubric: str = "", **by: Any
) -> NuggetsDetails:
    """Return the scores of all runs; `by` is what is known of the judge. InputError where there is nothing to score."""
    if not tally.values:
        what = " that the nuggets have" if tally.counts["unknown_queries"] else ""
        raise InputError(f"there is no answer to a question{what}, and so nothing to score")
    tally.check_words()
    counts = dict(+tally.counts) | ({"missing": missing} if (missing := sum(1 for _ in tally.missing())) else {})
    differences, compared = _differences(tally, baseline, seed)
    return NuggetsDetails(
        signature=_signature(tally, {"judge": judge, "rubric": rubric} if judge else {}),
        main=MAIN,
        queries=_queries(tally),
        runs=[_run(tally, name) for name in tally.runs],
        differences=differences,
        counts=counts,
        words=dict(tally.words.most_common()),
        judge=judge,
        rubric=rubric,
        compared=compared,
        **by,
        data_digest=tally.data_digest,
        has_documents=tally.has_documents,
    )


def _queries(tally: NuggetTally) -> int:
    return len({query for name in tally.runs for query, _ in tally.places(name)})


def sources(answers: Path | str | Rows | Sequence[Path | str]) -> tuple[list[Any], str]:
    """Return files, or rows alone, and what they are called."""
    several = answers if isinstance(answers, Sequence) and not isinstance(answers, str) else [answers]
    if several and all(isinstance(source, Path | str) for source in several):
        files = [Path(str(source)) for source in several]
        return files, ", ".join(map(str, files))
    return [answers], "rows"


def _assigned_by(tally: NuggetTally, trust: JudgeTrust) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the judge that the lines name, and its settings; several are named together, without a calibration."""
    named, usual = [judge for judge in tally.judges if judge[0]], {"is_trusted": trust.trusts_judge}
    if not named:
        return usual, {}
    judge, label = (" + ".join(dict.fromkeys(side)) for side in zip(*named, strict=True))
    by, bound = _built_in(label), None
    if by is None:
        calibration = CalibrationDetails("", f"the rubric {visible(label, 60) or 'of the judge'} is not built in")
    else:
        bound = trust.known([by], judge)[by.label]
        calibration = calibration_details(bound, judge, by, tally.data_digest, trust.least_kappa)
    setting = calibration_setting([bound] if bound else [])
    return {"judge": judge, "rubric": label, **asdict(calibration), **usual}, {**trust.shown(), **setting}


def _built_in(label: str) -> Rubric | None:
    """Return the rubric of a label, where it is built in."""
    name, _, rest = label.partition(".")
    language = rest.partition("@")[0]
    if name not in rubrics() or language not in ("en", "ja", "zh"):
        return None
    built_in = rubric(name, language)
    return built_in if built_in.label == label else None


def _run(tally: NuggetTally, name: str) -> NuggetRun:
    places = tally.places(name)
    scores = {}
    for measure in MEASURES:
        values = tally.column(name, measure)
        groups = None
        if tally.has_documents:
            groups = GroupSums()
            groups.add((query, value) for (query, _), value in zip(places, values, strict=True))
        ends = interval(Sums.of(values), UNIT_SCALE, groups, _QUERY)
        scores[measure] = ScoreMean(
            sum(values) / len(values), ends.low, ends.high, ends.method or "", len(values), "", ends.design_effect
        )
    return NuggetRun(name, len(tally.values[name]), len(places), scores)


def _differences(tally: NuggetTally, baseline: str | None, seed: int) -> tuple[list[NuggetDifference], list[str]]:
    """Return what runs differ by, and what a reader should know of that."""
    runs = tally.runs
    if baseline is not None and baseline not in runs:
        raise InputError(f"the baseline {visible(baseline, 60)} is none of the runs: {', '.join(runs)}")
    if len(runs) < 2:
        return [], []
    if tally.has_documents:
        return [], ["Runs are not compared: these are scores of documents, and each run has its own."]
    if len(runs) > 2 and baseline is None:
        return [], ["The runs were not tested against each other. To test them: `--baseline RUN`."]
    places = tally.places(runs[0])
    if len(places) < 2:
        return [], ["Runs are not compared: there is one question."]
    import numpy as np

    from benchbench.significance.comparing import compare
    from benchbench.significance.comparison_settings import CompareSettings

    values = np.array([[tally.column(name, measure) for name in runs] for measure in MEASURES])
    paired = Paired(tuple(runs), MEASURES, [query for query, _ in places], values)
    comparison = compare(paired, CompareSettings(baseline=baseline or runs[0], seed=seed))
    differences = [
        NuggetDifference(
            **{name: getattr(difference, name) for name in _OF_DIFFERENCE},
            run=difference.system,
            p=difference.corrected[comparison.settings.test],
            n=len(places),
        )
        for difference in comparison.differences
    ]
    return differences, list(comparison.notes)


def _signature(tally: NuggetTally, by: Mapping[str, str]) -> str:
    return str(
        Signature(
            {
                "measures": ",".join(MEASURES),
                **by,
                "partial": "0.5",
                "okay": "0.5 in weighted",
                "undefined": "0",
                "missing": "0",
                "queries": str(_queries(tally)),
                "nuggets": tally.data_digest,
                "assignments": tally.digest,
                "version": benchbench.__version__,
            }
        )
    )
