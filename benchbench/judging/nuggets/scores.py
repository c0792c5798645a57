"""Nugget scores of assignment files: means of each run with intervals, and whether two runs differ."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import benchbench
from benchbench.answers.judges.rubric import Rubric, rubric, rubrics
from benchbench.answers.nuggets import MAIN, MEASURES
from benchbench.answers.sums import GroupSums, Sums, interval
from benchbench.errors import InputError, visible
from benchbench.formats.nuggets import Rows, has_assignments, read_assigned, read_nuggets
from benchbench.judging.agreement.calibration import Calibration, calibration_setting
from benchbench.judging.details import CalibrationDetails, JudgeDetails
from benchbench.judging.gates import LEAST_KAPPA, calibration_details, calibrations_of
from benchbench.judging.nuggets.nuggets_result import (
    OF_JUDGE,
    NuggetDifference,
    NuggetMean,
    NuggetOutcome,
    NuggetRun,
    NuggetsDetails,
    names,
    numbers,
)
from benchbench.judging.nuggets.tally import NuggetTally, nuggets_digest
from benchbench.results import checks
from benchbench.results.gates import Gate, as_gates
from benchbench.results.record import GateResult
from benchbench.results.result import Result
from benchbench.results.signature import Signature
from benchbench.scores.gates import check_gates
from benchbench.tables.paired import Paired

_QUERY = "query"
_NO_MORE: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class NuggetTrust:
    """What says how far to trust the judge that assigned the nuggets, and whether gates go by its scores.

    Attributes
    ----------
    calibrations
        Results folders that say how far the judge agrees with people.
    least_kappa
        What the lower end of kappa's interval must reach, for a gate to go by a score.
    trusts_judge
        Whether gates go by scores all the same.
    """

    calibrations: Sequence[Path] = ()
    least_kappa: float = LEAST_KAPPA
    trusts_judge: bool = False

    def details(self, model: str, given: "Rubric | str", data: str) -> CalibrationDetails:
        """Return what is known of a judge by a rubric, which may be known by its label alone."""
        if not model:
            return CalibrationDetails()
        by = given if isinstance(given, Rubric) else _built_in(given)
        if by is None:
            return CalibrationDetails("", f"the rubric {visible(str(given), 60) or 'of the judge'} is not built in")
        return calibration_details(self._known(model, by), model, by, data, self.least_kappa)

    def setting(self, model: str, given: "Rubric | str") -> dict[str, Any]:
        """Return the settings of the record; InputError for a folder that has no calibration."""
        by = given if isinstance(given, Rubric) else _built_in(given)
        bound = None if by is None or not model else self._known(model, by)
        return {
            "calibration_folders": [str(one) for one in self.calibrations],
            "least_kappa": self.least_kappa,
            "trust_judge": self.trusts_judge,
            **calibration_setting([bound] if bound else []),
        }

    def _known(self, model: str, by: Rubric) -> Calibration | None:
        return calibrations_of([by], model, self.calibrations)[by.label]


@dataclass(frozen=True, slots=True)
class Scoring:
    """What scores are compared and gated by."""

    baseline: str | None = None
    seed: int = 0
    fail_if: str | Gate | Iterable[str | Gate] = ()
    trust: NuggetTrust = field(default_factory=NuggetTrust)

    def gates(self, is_judged: bool = False) -> tuple[Gate, ...]:
        """Return the gates; InputError for one that is malformed or is about nothing that there will be."""
        found = as_gates(self.fail_if)
        for one in found:
            one.measured(names(True, is_judged))
        return found


def nugget_scores(
    assignments: Path | str | Rows | Sequence[Path | str],
    nuggets: Path | str | Rows | None = None,
    baseline: str | None = None,
    fail_if: str | Iterable[str] = (),
    seed: int = 0,
    trust: NuggetTrust | None = None,
    options: Mapping[str, Any] = _NO_MORE,
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
    scoring = Scoring(baseline, seed, fail_if, trust or NuggetTrust())
    gates = scoring.gates()
    wanted = None if nuggets is None else read_nuggets(Path(nuggets) if isinstance(nuggets, str) else nuggets)
    tally = NuggetTally(wanted)
    files = _files(assignments)
    for source in files or (assignments,):
        where = str(source) if isinstance(source, Path) else ""
        for one in read_assigned(source):  # type: ignore[arg-type]
            tally.add(one, where)
    given = {
        "assignments": ", ".join(map(str, files)) or "rows",
        "nuggets": str(nuggets) if isinstance(nuggets, Path | str) else None,
    }
    judge, by = _judge_of(tally)
    found = details(tally, scoring, judge, by)
    trusted = scoring.trust.setting(judge, by) if judge else {}
    more = {"baseline": baseline, "seed": seed, "fail_if": [one.text for one in gates], **trusted}
    return NuggetOutcome(
        found=found, tally=tally, gates=gated(gates, found), options={**given, **more, **options}, began=began
    )


def split(files: Sequence[Path]) -> tuple[Path | None, Sequence[Path]]:
    """Return the file of nuggets, where the first of several has no assignment in it, and those of assignments."""
    if len(files) > 1 and not has_assignments(files[0]):
        return files[0], files[1:]
    return None, files


def details(
    tally: NuggetTally,
    scoring: Scoring,
    judge: str = "",
    by: Rubric | str = "",
    run: JudgeDetails | None = None,
) -> NuggetsDetails:
    """Return the scores of all runs; InputError where there is nothing to score."""
    if not tally.values:
        what = " that the nuggets have" if tally.counts["unknown_queries"] else ""
        raise InputError(f"there is no answer to a question{what}, and so nothing to score")
    tally.check_words()
    counts = dict(+tally.counts) | ({"missing": missing} if (missing := sum(1 for _ in tally.missing())) else {})
    data = tally.digest if tally.wanted is None else nuggets_digest(tally.wanted)
    differences, compared = _differences(tally, scoring)
    known = scoring.trust.details(judge, by, data)
    label = by.label if isinstance(by, Rubric) else by
    return NuggetsDetails(
        _signature(tally, data, judge, label),
        MAIN,
        len({query for name in tally.runs for query, _ in tally.places(name)}),
        [_run(tally, name) for name in tally.runs],
        differences,
        counts,
        dict(tally.words.most_common()),
        judge,
        label,
        known.said,
        known.refusal,
        scoring.trust.trusts_judge,
        compared,
        run,
        data,
        tally.has_documents,
    )


def gated(gates: Sequence[Gate], found: NuggetsDetails, broken: GateResult | None = None) -> list[GateResult]:
    """Return the result of each gate; one on a score fails where nothing says how far to trust the judge."""
    units = OF_JUDGE if found.run is not None else {}
    return check_gates(gates, lambda: numbers(found), units, broken, refusals(found))


def refused(result: Result) -> dict[str, checks.Refusal]:
    """Return the same as `refusals` of a result of this kind, also of one that was read back."""
    return refusals(result.details_as(NuggetsDetails))


def refusals(found: NuggetsDetails) -> dict[str, checks.Refusal]:
    """Return which numbers no gate may go by: the scores, where nothing vouches for the judge."""
    if not found.refusal or found.is_trusted:
        return {}
    return dict.fromkeys(MEASURES, checks.Refusal(found.refusal, checks.TRUST))


def _files(given: Path | str | Rows | Sequence[Path | str]) -> list[Path]:
    if isinstance(given, Path | str):
        return [Path(given)]
    if isinstance(given, Sequence) and given and all(isinstance(one, Path | str) for one in given):
        return [Path(one) for one in given]
    return []


def _judge_of(tally: NuggetTally) -> tuple[str, str]:
    """Return the judge that lines name, and its rubric; several are named together: no calibration is of those."""
    named = [one for one in tally.judges if one[0]]
    if not named:
        return "", ""
    return " + ".join(dict.fromkeys(judge for judge, _ in named)), " + ".join(dict.fromkeys(by for _, by in named))


def _built_in(label: str) -> Rubric | None:
    """Return the rubric of a label, where it is built in."""
    name, _, rest = label.partition(".")
    language = rest.partition("@")[0]
    if name not in rubrics() or language not in ("en", "ja", "zh"):
        return None
    found = rubric(name, language)
    return found if found.label == label else None


def _run(tally: NuggetTally, name: str) -> NuggetRun:
    places = tally.places(name)
    scores = {}
    for measure in MEASURES:
        values = tally.column(name, measure)
        groups = None
        if tally.has_documents:
            groups = GroupSums()
            groups.add((query, value) for (query, _), value in zip(places, values, strict=True))
        ends = interval(Sums.of(values), True, groups, _QUERY)
        scores[measure] = NuggetMean(sum(values) / len(values), ends.low, ends.high, ends.method or "")
    return NuggetRun(name, len(tally.values[name]), len(places), scores)


def _differences(tally: NuggetTally, scoring: Scoring) -> tuple[list[NuggetDifference], list[str]]:
    """Return what runs differ by, and what a reader should know of that."""
    runs, baseline = tally.runs, scoring.baseline
    if baseline is not None and baseline not in runs:
        raise InputError(f"the baseline {visible(baseline, 60)} is none of the runs: {', '.join(runs)}")
    if len(runs) < 2:
        return [], []
    if tally.has_documents:
        return [], ["Runs are not compared: these are scores of documents, and each run has its own."]
    if len(runs) > 2 and baseline is None:
        return [], [f"{len(runs)} runs are not compared with one another; --baseline names the one to compare with."]
    places = tally.places(runs[0])
    if len(places) < 2:
        return [], ["Runs are not compared: there is one question."]
    import numpy as np

    from benchbench.significance.comparing import compare
    from benchbench.significance.settings import Settings

    values = np.array([[tally.column(name, measure) for name in runs] for measure in MEASURES])
    paired = Paired(tuple(runs), MEASURES, [query for query, _ in places], values)
    found = compare(paired, Settings(baseline=baseline or runs[0], seed=scoring.seed))
    made = [
        NuggetDifference(
            one.measure, one.baseline, one.system, one.mean, one.low, one.high, one.interval,
            one.corrected[found.settings.test], one.direction, one.wins, one.ties, one.losses, len(places),
        )
        for one in found.differences
    ]  # fmt: skip
    return made, list(found.notes)


def _signature(tally: NuggetTally, data: str, judge: str, label: str) -> str:
    by = {"judge": judge, "rubric": label} if judge else {}
    return str(
        Signature(
            {
                "measures": ",".join(MEASURES),
                **by,
                "partial": "0.5",
                "okay": "0.5 in weighted",
                "undefined": "0",
                "missing": "0",
                "queries": str(len({query for name in tally.runs for query, _ in tally.places(name)})),
                "nuggets": data,
                "assignments": tally.digest,
                "version": benchbench.__version__,
            }
        )
    )
