"""The result of a run of judges: its record, and its gates.

A gate on a score is refused where nothing says how far to trust the judge.

Names
-----
the name of a rubric, such as `faithfulness`
    The mean of its scores; `faithfulness_true` the mean of one of its parts.
`flip_rate`, `repeat_spread`
    Of the items that were judged several times: the share whose score changed, and the mean of the highest score less
    the lowest.
`errors`, `error_rate`
    Failed verdicts, and their share of all.
`cost`, `worst_cost`, `latency`, `latency_p50`, `latency_p99`
    In USD, and in seconds per verdict.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from benchbench.answers.judges.rubric import Rubric
from benchbench.answers.judges.scores import Found, Mean, Member, Share
from benchbench.errors import InputError
from benchbench.judging.agreement.calibration import Calibration, calibrations_in, refusal
from benchbench.judging.judge_details import CalibrationDetails, JudgeDetails, RubricDetails, trust
from benchbench.judging.judge_folder import tables_in_memory
from benchbench.judging.lowest_scores import LowestVerdict
from benchbench.results import checks
from benchbench.results.gates import ERROR_RATE, ERRORS, Gate
from benchbench.results.record import (
    Count,
    GateResult,
    Note,
    Number,
    Record,
    Scope,
    Subject,
    counts_of,
    failures_of,
)
from benchbench.results.result import Result
from benchbench.results.verdict import too_many_failures
from benchbench.scores.gates import Texts, check_gates
from benchbench.scores.gates import parse_gates as parse_scored
from benchbench.scores.numbers import mean_number
from benchbench.scores.result import ScoresResult, in_verdict
from benchbench.scores.tables import table_of
from benchbench.tables.shared_messages import and_joined, capital, counted

if TYPE_CHECKING:
    import polars as pl

LOWEST = "lowest_scores"
FLIP_RATE, SPREAD = "flip_rate", "repeat_spread"
LATENCIES = ("latency", "latency_p50", "latency_p99")
_EXAMPLES = "'faithfulness<0.8' or 'errors>1%'"
_RUN = {ERRORS: "", ERROR_RATE: "", FLIP_RATE: "", SPREAD: "", "cost": "USD", "worst_cost": "USD"} | dict.fromkeys(
    LATENCIES, "s"
)


@dataclass(frozen=True, kw_only=True, repr=False)
class JudgeOutcome(ScoresResult):
    """The result of a run of a judge; `answers` among its options names what was judged.

    Attributes
    ----------
    lowest
        The verdicts with the lowest scores, for its page.
    verdicts, attacks
        The rows of the tables, where they are kept in memory; None where a folder has them.
    """

    kind = "judge"
    libraries: ClassVar[tuple[str, ...]] = ("aiohttp", "jsonschema_rs", "orjson")

    found: JudgeDetails
    lowest: Sequence[LowestVerdict] = ()
    verdicts: Sequence[Mapping[str, Any]] | None = None
    attacks: Sequence[Mapping[str, Any]] | None = None

    @property
    def subject(self) -> str:
        """Return the name of the judge's model."""
        return self.found.model

    def to_record(self) -> Record:
        """Return the record."""
        details, options = self.found, self.options
        data = options.get("ground_truth") or options.get("answers")
        return self._of_judge(
            notes(details),
            source=str(options.get("answers") or self.subject),
            data=self._data("answers", data, details.items),
            numbers=list(numbers(details)),
            counts=[
                *counts_of({
                    "items": details.items,
                    "null_answers": details.nulls,
                    "verdicts": details.verdicts,
                    **self._asked(),
                }),
                *(
                    Count(name=name, count=getattr(rubric, name), scope=scope(details, rubric))
                    for rubric in details.rubrics
                    for name in ("verdicts", "judged", "unscored", "failed")
                ),
            ],
        )  # fmt: skip

    def _of_judge(self, notes: Iterable[Note], source: str, **members: Any) -> Record:
        """Return the record of a run of a judge; `source` is what was judged."""
        details = self.found
        return self._record(
            notes,
            name=self.subject,
            subject=[Subject(name=self.subject, source=source, signature=details.signature)],
            failures=[
                entry for rubric in details.rubrics for entry in failures_of(rubric.failures, scope(details, rubric))
            ],
            **members,
        )

    def _asked(self) -> dict[str, int]:
        """Return the counts of what was asked again, failed, and looked like an attack."""
        details = self.found
        again = {"failed": details.failed, "repeats": details.repeats, "repeats_failed": details.repeats_failed}
        return {**again, **details.cost.counts(), "attacked": details.attacked}

    def tables(self) -> "Mapping[str, Callable[[], pl.DataFrame]]":
        """Return the tables: the lowest scores, and the verdicts and attacks where they are in memory."""
        made = tables_in_memory(self.verdicts, self.attacks)
        if self.lowest:
            made[LOWEST] = partial(table_of, LowestVerdict, self.lowest)
        return made


def scope(details: JudgeDetails, rubric: RubricDetails) -> Scope:
    """Return the scope of the numbers of a rubric."""
    return {"judge": details.model, "rubric": rubric.label}


def numbers(details: JudgeDetails) -> Iterator[Number]:
    """Yield the numbers: of each rubric, and what the run has cost."""
    for rubric in details.rubrics:
        of_rubric = scope(details, rubric)
        yield mean_number(rubric.name, rubric.score.as_mean(), of_rubric, better="higher")
        for name, part in rubric.parts.items():
            yield mean_number(f"{rubric.name}_{name}", part.as_mean(), of_rubric)
        if rubric.repeats.items:
            again = rubric.repeats
            yield Number(name=FLIP_RATE, value=again.flip_rate, n=again.items, better="lower", scope=of_rubric)
            yield Number(name=SPREAD, value=again.spread, n=again.items, better="lower", scope=of_rubric)
        for column, name, group in rubric.groups():
            of_group = {**of_rubric, "slice": f"{column}={name}"}
            yield mean_number(rubric.name, group.score.as_mean(), of_group, better="higher")
    total, cost = details.verdicts, details.cost
    yield Number(name="errors", value=float(details.failed), n=total, better="lower")
    yield Number(name="error_rate", value=details.failed / total if total else None, n=total, better="lower")
    if cost.price is not None:
        yield Number(name="cost", value=cost.cost, n=cost.calls, unit="USD", better="lower")
        yield Number(name="worst_cost", value=cost.worst_cost, n=cost.calls, unit="USD", better="lower")
    if cost.latency_mean is not None:
        for name, value in zip(LATENCIES, (cost.latency_mean, cost.latency_p50, cost.latency_p99), strict=True):
            yield Number(name=name, value=value, unit="s", better="lower")


def notes(details: JudgeDetails) -> list[Note]:
    """Return one sentence per thing that the scores leave out or assume; what weighs most stands in the verdict too."""
    cost, sentences = details.cost, []
    if cost.uncounted:
        sentences.append(f"The endpoint did not say how many tokens {counted(cost.uncounted, 'call')} had.")
    if cost.possibly_billed:
        sentences.append(f"{counted(cost.possibly_billed, 'request')} without an answer may still be billed.")
    if details.problem:
        sentences.append(f"{capital(details.problem)}; verdicts after that were not stored.")
    return [*in_verdict(trust(details)), *(Note(text=text) for text in sentences)]


def parse_gates(texts: Texts, rubrics: Sequence[Rubric]) -> tuple[Gate, ...]:
    """Return the gates in texts.

    Raises
    ------
    InputError
        When one is malformed, names a number that is not measured, or is about two rubrics.
    """
    owners = {name: rubric.name for rubric in rubrics for name in _names(rubric)}
    gates = parse_scored(texts, dict.fromkeys(owners, "") | _RUN, _EXAMPLES)
    for gate in gates:
        named = {owners[condition.name] for condition in gate.conditions if condition.name in owners}
        if len(named) > 1:
            raise InputError(
                f"--fail-if {gate.text}: {and_joined(sorted(named))} are two rubrics; give one gate per rubric"
            )
    return gates


def _names(rubric: Rubric) -> list[str]:
    """Return the names of the numbers of a rubric: the score and its parts."""
    rule = rubric.rule
    parts: tuple[str, ...] = ()
    if isinstance(rule, Member):
        parts = rule.parts
    elif isinstance(rule, Share):
        parts = (rule.list, *rule.worth)
    elif isinstance(rule, Mean | Found):
        parts = rule.members
    return [rubric.name, *(f"{rubric.name}_{part}" for part in parts)]


def calibrations_of(rubrics: Iterable[Rubric], model: str, folders: Iterable[Path]) -> dict[str, Calibration | None]:
    """Return what is known of a judge, by the label of each rubric; of several calibrations the one that fits best.

    Raises
    ------
    InputError
        When a folder has no calibration.
    """
    calibrations = [calibration for folder in folders for calibration in calibrations_in(folder)]
    return {rubric.label: _best(calibrations, model, rubric) for rubric in rubrics}


def _best(calibrations: Sequence[Calibration], model: str, rubric: Rubric) -> Calibration | None:
    """Return the calibration that fits best in rubric, model, wording and date; `refusal` says what does not fit."""

    def fit(known: Calibration) -> tuple[bool, bool, bool, str]:
        return known.rubric == rubric.label, known.model == model, known.digest == rubric.digest, known.date

    return max(calibrations, key=fit, default=None)


def calibration_details(
    calibration: Calibration | None, model: str, rubric: Rubric, data: str, least_kappa: float
) -> CalibrationDetails:
    """Return what reports say beside the scores by a rubric."""
    why = refusal(calibration, model, rubric, data, least_kappa)
    return CalibrationDetails("" if calibration is None else calibration.said, why or "")


def refused_already(
    conditions: Iterable[Gate],
    rubrics: Sequence[Rubric],
    model: str,
    calibrations: Mapping[str, Calibration | None],
    least_kappa: float,
) -> list[str]:
    """Return a sentence per gate that will be refused, as far as that is known before anything is asked and paid."""
    sentences = []
    for gate in conditions:
        named = {condition.name for condition in gate.conditions}
        for rubric in rubrics:
            calibration = calibrations[rubric.label]
            why = refusal(calibration, model, rubric, "" if calibration is None else calibration.data, least_kappa)
            if why and not named.isdisjoint(_names(rubric)):
                sentences.append(f"the gate {gate.text} will be refused: {why}")
    return list(dict.fromkeys(sentences))


def check(conditions: Sequence[Gate], details: JudgeDetails, max_error_rate: float = 1.0) -> list[GateResult]:
    """Return the result of each gate; before them, that more verdicts failed than allowed.

    A gate on a score fails, whatever the score is, where its judge is not calibrated and nobody said to trust it.
    """
    noun = "verdict" if details.verdicts == 1 else "verdicts"
    broken = too_many_failures(details.failed, details.verdicts, max_error_rate, details.failures, what=noun)
    asked = {condition.name for gate in conditions for condition in gate.conditions} - _RUN.keys()
    measured = list(numbers(details)) if conditions else []
    unknown = asked - {number.name for number in measured}
    for rubric in details.rubrics:  # a part that no verdict has
        parts = [name for name in unknown if name.startswith(f"{rubric.name}_")]
        measured += [Number(name=name, value=None, scope=scope(details, rubric)) for name in parts]
    refusals = {} if details.is_trusted else {rubric.label: rubric.calibration.refusal for rubric in details.rubrics}
    results = [broken] if broken else []
    for gate in conditions:
        results += [_trusted(result, gate, refusals) for result in check_gates([gate], lambda: measured, _RUN)]
    return results


def refused(result: Result) -> dict[str, checks.Refusal]:
    """Return the same as `refusals` of a result of this kind, also of one that was read back."""
    return refusals(result.details_as(JudgeDetails))


def refusals(details: JudgeDetails) -> dict[str, checks.Refusal]:
    """Return which numbers no gate may go by: scores and their parts, where nothing vouches for the judge."""
    return {
        name: checks.Refusal(rubric.calibration.refusal, checks.TRUST)
        for rubric in details.rubrics
        if rubric.calibration.refusal and not details.is_trusted
        for name in (rubric.name, *(f"{rubric.name}_{part}" for part in rubric.parts))
    }


def _trusted(result: GateResult, gate: Gate, refusals: Mapping[str, str]) -> GateResult:
    """Return the result of a gate, or that it is refused."""
    why = refusals.get(result.scope.get("rubric", ""))
    if not why or all(condition.name in _RUN for condition in gate.conditions):
        return result
    return checks.refused(result, why, checks.TRUST)
