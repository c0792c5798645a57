"""One measure of one series: its runs held against the reference, and what changed where they differ."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from benchbench.errors import InputError
from benchbench.history.check.check_details import BETTER, FAILED, OPEN, TOO_LITTLE, WORSE, CheckedRun, MeasureVerdict
from benchbench.history.check.measured import Later, Past, grown, joining, measured, season, whole
from benchbench.history.check.measures import JudgedMeasure, Scale
from benchbench.history.check.reference import Reference
from benchbench.history.check.run_values import (
    NOTHING,
    aligned,
    means,
    moved_queries,
    moved_slices,
    onset,
    repeat,
    run_means,
    states_of,
)
from benchbench.history.check_settings import CheckSettings
from benchbench.kernels.arrays import F64, I64, Bools
from benchbench.significance.comparison_settings import USUAL_POWER
from benchbench.significance.distributions import normal_quantile
from benchbench.significance.power import detectable_effect
from benchbench.significance.run_gate import GateFinding, GateSettings, gate
from benchbench.significance.run_recovery import recovered
from benchbench.significance.run_windows import WINDOWS, Tests
from benchbench.tables.groups import groups_of

if TYPE_CHECKING:
    from benchbench.history.alerts.alert import Alert
    from benchbench.history.values import RunValues


# Of the normal quantile of a test's level. The least p by flips of n equal differences, 2^(1 - n), is at the root of n:
# 0.98 of that quantile for 13, and 0.91 for 30. Below 0.7 of it no test is worth its time.
_FAR = 0.7
_FEW = 30  # queries, of which nothing is taken to be normal


def judged(
    measure: JudgedMeasure, reference: Reference, later: Later, past: Past, settings: CheckSettings, measures: int
) -> MeasureVerdict:
    """Return what the latest run, and those before it, show of one measure.

    Parameters
    ----------
    measure
        Which.
    reference
        What they are held against; it has the measure.
    later
        At least one run.
    past
        What earlier checks found.
    settings
        Of the check.
    measures
        How many share alpha: those of quality, or those of speed.

    Raises
    ------
    InputError
        The queries have no column to cluster by.
    """
    scale, mean, known, values = measured(measure, reference, later)
    of_runs = run_means(values, mean)
    compared = np.isfinite(values[-1]) & np.isfinite(mean)
    details = MeasureVerdict(
        measure=measure.name,
        unit=measure.unit,
        better=measure.better,
        verdict=TOO_LITTLE,
        why="",
        ratio=scale.is_ratio,
        latest=scale.shown(float(of_runs[-1])) if compared.any() else None,
        value=scale.shown(float(of_runs[-1])) if compared.any() else None,
        planned=settings.planned,
        units=int(compared.sum()),
        missing=int((np.isfinite(mean) & ~np.isfinite(values[-1])).sum()),
        means=[scale.shown(float(value)) if np.isfinite(value) else None for value in (*known, *of_runs)],
        **reference_members(scale, mean, known, reference.runs[-1].number),
    )
    if not compared.any():
        what = {"block": "all of its requests failed", "query": "all of its queries failed", "run": "it has none"}
        return replace(
            details,
            verdict=FAILED,
            why=f"run {later.runs[-1].number} has no value to judge: {what[measure.per]}",
            alert="open" if past.open else "",
        )
    turning, ahead = season(known, of_runs, [run.number for run in later.runs], past)
    if turning:
        of_reference, of_later = np.split(ahead, [len(known)])
        known, mean = known - of_reference, mean - of_reference.mean()
        values, of_runs = values - of_later[:, None], of_runs - of_later
        details = replace(details, cycles=[cycle.period for cycle in turning], reference=scale.shown(whole(mean)))
    states = states_of(values[:, np.isfinite(mean)], mean[np.isfinite(mean)])
    tests: Tests = (
        "runs" if measure.per == "run" else "queries" if measure.per == "query" and repeat(known, states) else "both"
    )
    earlier = later.earlier.get(measure.name, 0)
    tested = [earlier + int(state) for state in np.maximum.accumulate(states)]
    order = [earlier + int(state) if state else 0 for state in states] if tests == "queries" else tested
    numbers = [run.number for run in later.runs]
    if tests != "queries" and (more := joining(known, of_runs, numbers, past)):
        mean, known = grown(mean, values[more], len(known)), np.concatenate([known, of_runs[more]])
        details = replace(details, **reference_members(scale, mean, known, numbers[more[-1]]))
    after, there = [at for at, number in enumerate(numbers) if number > details.reference_to], np.isfinite(mean)
    rows = _Rows(
        reference=mean[there] * scale.sign,
        reference_runs=known * scale.sign,
        later=values[after][:, there] * scale.sign,
        numbers=[numbers[at] for at in after],
        groups=_groups(measure, reference, later, settings, there),
        settings=GateSettings(
            settings.alpha,
            settings.planned,
            measures,
            scale.margin(settings.margin),
            seed=settings.seed,
            tests=tests,
            least_spread=scale.least_spread,
        ),
        order=[order[at] for at in after],
    )
    moved = np.where(there, values[-1] - mean, 0.0)
    moved[~np.isfinite(moved) | (np.abs(moved) <= NOTHING * np.abs(mean))] = 0.0
    details = replace(
        details,
        tested=tested[-1],
        tests=tests,
        higher=int(np.count_nonzero(moved > 0.0)),
        lower=int(np.count_nonzero(moved < 0.0)),
    )
    since = replace(later, runs=[later.runs[at] for at in after], values=[later.values[at] for at in after])
    judge = _Judge(
        details=details,
        scale=scale,
        rows=rows,
        later=since,
        past=past,
        mean=mean,
        values=values[after],
        reference=reference,
    )
    return judge.decided()


def reference_members(scale: Scale, mean: F64, known: F64, last: int) -> dict[str, Any]:
    """Return the members that say what runs are held against: its mean, its runs, and the last of them."""
    return {
        "reference": scale.shown(whole(mean)),
        "low_run": scale.shown(float(known.min())),
        "high_run": scale.shown(float(known.max())),
        "reference_runs": len(known),
        "reference_to": last,
    }


@dataclass(frozen=True, kw_only=True)
class _Rows:
    """What the gate takes, in the sign where more is better."""

    reference: F64
    reference_runs: F64
    later: F64
    numbers: list[int]
    groups: I64 | None
    settings: GateSettings
    order: list[int]  # which distinct observation each run is

    def since(self, number: int, to: int | None = None) -> F64:
        """Return the runs from one number on, up to another."""
        places = [at for at, run in enumerate(self.numbers) if run >= number and (to is None or run <= to)]
        return self.later[places]

    def gate(self, later: F64, tested: int) -> GateFinding:
        return gate(self.reference, self.reference_runs, later, tested, self.groups, self.settings)

    def has_recovered(self, alarmed: F64, later: F64) -> bool:
        return recovered(self.reference, self.reference_runs, alarmed, later, self.groups, self.settings)


@dataclass(frozen=True, kw_only=True)
class _Judge:
    """The decision on one measure, in steps."""

    details: MeasureVerdict
    scale: Scale
    rows: _Rows
    later: Later
    past: Past
    mean: F64
    values: F64
    reference: Reference

    def decided(self) -> MeasureVerdict:
        """Return the verdict, with what changed."""
        if self.past.open is not None:
            return self._while_open(self.past.open)
        finding = self.rows.gate(self.rows.since(self.past.ended_run), self.rows.order[-1])
        details = self._with(finding)
        if details.verdict == WORSE:
            return replace(self._with_change(details), alert="began")
        unseen = self._unseen()
        if unseen is None:
            return self._with_change(details)
        run, finding = unseen
        why = f"shown by the test of run {run}, and nothing shows that it has recovered since: {finding.why}"
        return replace(self._with_change(replace(self._with(finding), why=why)), alert="began")

    def _unseen(self) -> tuple[int, GateFinding] | None:
        """Return a run before the latest that a check after it would have found to be worse, and still would.

        A check may come after several runs. Each of the last eight is tested as if it were the latest, as a check after
        every run does, so that a loss is found by either; alpha is spent by runs and not by checks.
        """
        free = [at for at, number in enumerate(self.rows.numbers) if number >= self.past.ended_run]
        for at in free[-WINDOWS[-1] - 1 : -1]:
            rows = self.rows.later[free[0] : at + 1]
            if not self._may_be_worse(rows, self.rows.order[at]):
                continue
            finding = self.rows.gate(rows, self.rows.order[at])
            if finding.verdict != WORSE or finding.decided is None:
                continue
            alarmed, after = rows[-finding.decided.runs :], self.rows.later[at + 1 :]
            if not any(self.rows.has_recovered(alarmed, after[: end + 1]) for end in range(len(after))):
                return self.rows.numbers[at], finding
        return None

    def _may_be_worse(self, rows: F64, observation: int) -> bool:
        """Say whether flips could show that the last runs are worse: a bound that costs little.

        A p-value by flips is about that of a normal distribution; what is far from it needs no test.
        """
        bound = _FAR * float(normal_quantile(1.0 - self.rows.settings.level(observation) / 2))
        for runs in self.rows.settings.windows:
            difference = means(rows[-runs:], axis=0) - self.rows.reference
            difference = difference[np.isfinite(difference)]
            if len(difference) < _FEW or self.rows.groups is not None:
                return True
            error = float(np.sqrt((difference**2).sum())) / len(difference)
            if -float(difference.mean()) >= bound * error:
                return True
        return False

    def _while_open(self, alert: "Alert") -> MeasureVerdict:
        """Return the verdict where an alert is open: it is worse until runs since are shown to be better."""
        body = alert.body
        last = body.found_run or body.since_run
        alarmed, since = self.rows.since(body.since_run, last), self.rows.since(last + 1)
        finding = self.rows.gate(self.rows.since(self.past.ended_run), self.rows.order[-1])
        ended = ""
        if finding.verdict == "better":
            ended = "better"
        elif len(since) and len(alarmed) and self.rows.has_recovered(alarmed, since):
            finding, ended = self.rows.gate(self.rows.later[-1:], self.rows.order[-1]), "recovered"
        details = self._with(finding)
        if ended:
            why = f"it has recovered from what began with run {body.since_run}" if ended == "recovered" else details.why
            return replace(self._with_change(details), alert="ended", ended_why=ended, why=why)
        if details.verdict != WORSE:
            still = f"nothing shows that it has recovered since run {body.since_run}; latest test: {details.why}"
            details = replace(details, verdict=WORSE, why=still)
        details = self._with_change(details)
        known = {run.number: run for run in (*self.reference.runs, *self.later.runs)}
        before = body.before_run
        return replace(
            details,
            alert="open",
            since=known.get(
                body.since_run, CheckedRun(body.since_run, body.since_id, body.since_at, body.since_commit)
            ),
            before=None if before is None else known.get(before, CheckedRun(before, "", "", body.before_commit)),
        )

    def _with(self, finding: GateFinding) -> MeasureVerdict:
        """Return the finding in the unit of the measure."""
        windows = [self.scale.window(window) for window in finding.windows]
        decided = None if finding.decided is None else self.scale.window(finding.decided)
        shown = decided or next((window for window in windows), None)
        return replace(
            self.details,
            verdict=finding.verdict,
            why=finding.why,
            windows=windows,
            decided=shown,
            value=self.details.value if shown is None else self._value(shown.runs),
            level=finding.level,
            spent=self.rows.settings.spent(self.details.tested),
            changed=finding.changed,
            detectable=self._detectable(finding),
        )

    def _detectable(self, finding: GateFinding) -> float | None:
        """Return the least difference that the test of a state without noise finds with 80 %, as `compare` has it."""
        if self.details.tests != "queries" or finding.verdict != OPEN or finding.changed < 2:
            return None
        differences = self.values[-1] - self.mean
        differences = differences[np.isfinite(differences)]
        return float(differences.std(ddof=1)) * detectable_effect(len(differences), finding.level, USUAL_POWER)

    def _value(self, runs: int) -> float:
        return self.scale.shown(float(means(run_means(self.values[-runs:], self.mean)[None], axis=1)[0]))

    def _with_change(self, measure: MeasureVerdict) -> MeasureVerdict:
        """Add since when, which queries and which slices, where something changed."""
        if measure.verdict == OPEN and measure.is_steady and measure.changed:
            return replace(measure, moved=moved_queries(self.reference.queries, self.mean, self.values[-1], None))
        if measure.verdict not in (WORSE, BETTER) or measure.decided is None:
            return measure
        direction = -1.0 if measure.verdict == WORSE else 1.0
        numbers = self.rows.numbers
        free = [at for at, number in enumerate(numbers) if number >= self.past.ended_run]
        of_runs = run_means(self.rows.later[free], self.rows.reference)
        level = float(means(self.rows.reference[None], axis=1)[0])
        first = free[onset(-direction * (of_runs - level))]
        earlier = [*self.reference.runs, *self.later.runs[:first]]
        after = means(self.values[-measure.decided.runs :], axis=0)
        changed = replace(measure, since=self.later.runs[first], before=earlier[-1])
        if self.details.tests == "runs" or self.scale.is_ratio:
            return changed
        sign = direction * self.scale.sign
        columns = _columns(self.later.values[-1], self.reference.queries)
        return replace(
            changed,
            moved=moved_queries(self.reference.queries, self.mean, after, sign),
            slices=moved_slices(columns, self.mean, after, sign),
        )


def _columns(values: "RunValues", queries: pl.Series) -> pl.DataFrame:
    return aligned(values.queries, values.columns, queries) if values.columns.columns else pl.DataFrame()


def _groups(
    measure: JudgedMeasure, reference: Reference, later: Later, settings: CheckSettings, there: Bools
) -> I64 | None:
    """Return the group of each query that has a reference; None without groups, and of blocks of requests."""
    if settings.cluster is None or measure.per != "query":
        return None
    columns = later.values[-1].columns
    if settings.cluster not in columns.columns:
        have = ", ".join(columns.columns) or "none"
        raise InputError(
            f"--cluster {settings.cluster}: the queries of run {later.runs[-1].number} have no such column; "
            f"they have {have}"
        )
    return groups_of(_columns(later.values[-1], reference.queries).filter(pl.Series(there)), settings.cluster).codes
