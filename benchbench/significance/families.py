"""Step-down maxT over the families of a comparison: all pairs of a measure, or of all measures together."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from benchbench.kernels.arrays import F64
from benchbench.significance.comparison_settings import CompareSettings
from benchbench.significance.max_t import flipped_maxima, maxima_of_units_that_differ, simultaneous_intervals, step_down
from benchbench.significance.pairs import Pair
from benchbench.tables.paired import Paired


class FamilyTests(NamedTuple):
    """What a family says of its differences, each (measures, pairs)."""

    p: F64  # corrected by step-down maxT
    low: F64  # of intervals that all hold together; infinite where there is no end
    high: F64


def tested_together(paired: Paired, settings: CompareSettings, pairs: Sequence[Pair]) -> FamilyTests:
    """Correct the randomisation tests of all measures and pairs, a family at a time.

    Parameters
    ----------
    paired
        The values, with the groups of their queries where those belong together.
    settings
        What a family is, with the resamples of the test.
    pairs
        Places of baseline and system.
    """
    measures = len(paired.measures)
    together = [range(measures)] if settings.family == "together" else [range(m, m + 1) for m in range(measures)]
    tested = [_family(paired, settings, pairs, family) for family in together]
    return FamilyTests(*(np.concatenate(ends).reshape(measures, len(pairs)) for ends in zip(*tested, strict=True)))


def _family(paired: Paired, settings: CompareSettings, pairs: Sequence[Pair], measures: range) -> tuple[F64, F64, F64]:
    """Return p-values and both ends of the intervals (tests,) of the pairs in some measures."""
    sums, sizes = paired.units
    systems = len(paired.systems)
    columns = np.concatenate([sums[m] - sums[m, :1] for m in measures])  # of differences to one system sums lose least
    places = np.concatenate([np.array(pairs) + systems * k for k in range(len(measures))])
    rounding = np.repeat([paired.rounding[m] for m in measures], len(pairs))
    whole = flipped_maxima(columns, sizes, settings.resamples, settings.seed)
    flipped = maxima_of_units_that_differ(whole, places, rounding, settings.resamples, settings.seed)
    p = step_down(flipped, places, rounding)
    return p, *simultaneous_intervals(flipped, whole, places, rounding, settings.alpha)
