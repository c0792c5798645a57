"""What is known of two runs beside the gate: the latest and the one before it, and those at a step of the reference."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from benchbench.errors import InputError
from benchbench.history.check.check_details import TOO_LITTLE, CheckedRun, MeasureVerdict, PairedRuns
from benchbench.history.check_settings import CheckSettings, DiffSettings
from benchbench.kernels.arrays import F64
from benchbench.significance.run_gate import ALIKE, REFERENCE

if TYPE_CHECKING:
    from benchbench.history.diff.diff_details import DiffDetails
    from benchbench.history.entry import Entry
    from benchbench.history.store import Store


class BetweenRuns:
    """The paired tests of runs of a series, each made once.

    Parameters
    ----------
    history, entries
        The store, and all runs of the series.
    measures
        Names of those that have a value per query.
    settings
        Of the check.
    """

    def __init__(
        self, history: "Store", entries: "Sequence[Entry]", measures: Sequence[str], settings: CheckSettings
    ) -> None:
        self.history, self.entries, self.measures, self.settings = history, entries, tuple(measures), settings
        self.tested: dict[tuple[int, int], DiffDetails | None] = {}

    def with_pairs(self, measure: MeasureVerdict, runs: Sequence[CheckedRun]) -> MeasureVerdict:
        """Return a verdict with what is known beside it; `runs` are those of its means.

        A reference that is not level is reported whatever the verdict. Where nothing can be judged, so are a step in
        any of the runs, and the latest run against the one before.
        """
        there = [(run, mean) for run, mean in zip(runs, measure.means, strict=False) if mean is not None]
        if measure.measure not in self.measures or len(there) < 2:
            return measure
        is_open = measure.verdict == TOO_LITTLE
        held = there if is_open else [pair for pair in there if pair[0].number <= measure.reference_to]
        means = np.array([mean for _, mean in held])
        at = step_of(means) if len(held) >= REFERENCE else None
        step = None if at is None else self._paired(measure, held[at - 1][0], held[at][0])
        if step is not None and step.verdict and step.after != there[-1][0]:
            step = replace(step, first=float(np.median(means[:at])), second=float(np.median(means[at:])))
            is_cause = step.after.number <= measure.reference_to and measure.why.startswith(ALIKE)
            measure = replace(measure, step=step, reference_changes=is_cause)
        return replace(measure, previous=self._paired(measure, there[-2][0], there[-1][0])) if is_open else measure

    def _paired(self, measure: MeasureVerdict, before: CheckedRun, after: CheckedRun) -> PairedRuns | None:
        """Return the test of two runs; None where one is deleted, or its values are not there."""
        pair = before.number, after.number
        if pair not in self.tested:
            self.tested[pair] = self._diff(*pair)
        details = self.tested[pair]
        tested = [] if details is None else [its for its in details.changes if its.tested]
        change = next((its for its in tested if its.measure == measure.measure), None)
        if details is None or change is None or change.first is None or change.second is None:
            return None
        return PairedRuns(
            before=before, after=after, first=change.first, second=change.second, p=change.p, queries=change.queries,
            verdict=change.verdict, causes=details.differs,
        )  # fmt: skip

    def _diff(self, before: int, after: int) -> "DiffDetails | None":
        from benchbench.history.diff.diff_run import StoredRun, diff  # late: most checks can judge

        entries = [entry for entry in self.entries if entry.number in (before, after)]
        if len(entries) < 2:
            return None
        settings = DiffSettings(
            measures=self.measures, alpha=self.settings.alpha, seed=self.settings.seed, cluster=self.settings.cluster
        )
        first, second = (StoredRun(self.history, entry, f"run {entry.number}") for entry in entries)
        try:
            return diff(first, second, settings).found
        except InputError:  # other queries, or a column that one of them lacks
            return None


def step_of(means: F64) -> int | None:
    """Return the place of the first run after a step; None where there is none, and there is one at most.

    At a step all runs before differ from all runs since by more than either differ among themselves. Ten runs that vary
    by chance alone have one in 1 % of cases, and in 2 to 4 % where they resemble the one before.
    """
    for at in range(1, len(means)):
        before, after = means[:at], means[at:]
        gap = max(after.min() - before.max(), before.min() - after.max())
        if gap > max(np.ptp(before), np.ptp(after)):
            return at
    return None
