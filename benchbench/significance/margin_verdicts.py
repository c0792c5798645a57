"""What a comparison says of a margin, for each pair and measure."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from benchbench.kernels.arrays import F64
from benchbench.significance.comparison_settings import CompareSettings
from benchbench.significance.margins import MarginTests, MarginUnits, largest_change, within
from benchbench.significance.notes import TOO_FEW
from benchbench.significance.pairs import Pair
from benchbench.significance.result import Margin
from benchbench.significance.subset_means import kept, patterns
from benchbench.tables.paired import Paired


def margins(
    paired: Paired, settings: CompareSettings, pairs: Sequence[Pair], directions: F64, correct: Callable[[F64], F64]
) -> list[list[Margin]]:
    """Return what is said of `settings.margin` in each measure, pair by pair.

    Parameters
    ----------
    paired
        The values, with the groups of their queries where those belong together.
    settings
        The margin, alpha, and the resamples of the tests.
    pairs
        Places of baseline and system.
    directions
        (measures, pairs): 1 where the system is significantly better, -1 where worse, else 0.
    correct
        Corrects p-values (measures, pairs).
    """
    tests = [list(_measure(paired, settings, pairs, m)) for m in range(len(paired.measures))]
    equivalent = correct(np.array([[test.equivalent for test in of_measure] for of_measure in tests]))
    not_inferior = correct(np.array([[test.not_inferior for test in of_measure] for of_measure in tests]))
    return [
        [
            Margin(
                verdict=_verdict(settings, float(equivalent[m, c]), float(not_inferior[m, c]), directions[m, c]),
                low=float(test.low) if np.isfinite(test.low) else None,
                high=float(test.high) if np.isfinite(test.high) else None,
                equivalent=float(equivalent[m, c]),
                not_inferior=float(not_inferior[m, c]),
            )
            for c, test in enumerate(of_measure)
        ]
        for m, of_measure in enumerate(tests)
    ]


def _measure(paired: Paired, settings: CompareSettings, pairs: Sequence[Pair], m: int) -> Iterator[MarginTests]:
    """Yield what each pair shows in one measure."""
    sums, sizes = paired.units[0][m], paired.units[1]
    drawn = kept(np.concatenate([sums - sums[:1], sizes[None]]), settings.resamples, settings.seed)
    exact, largest = patterns(len(sizes), settings.resamples) is not None, largest_change(paired.values[m])
    for a, b in pairs:
        units = MarginUnits(sums[b] - sums[a], sizes, drawn[b] - drawn[a], drawn[-1], exact)
        yield within(units, settings.margin or 0.0, largest, paired.rounding[m], settings.alpha)


def _verdict(settings: CompareSettings, equivalent: float, not_inferior: float, direction: float) -> str:
    """Return what is shown, the most telling first; a difference may be significant and within the margin."""
    if equivalent <= settings.alpha:
        return f"equivalent within {settings.margin:g}"
    if direction:
        return "better" if direction > 0 else "worse"
    return f"not inferior by more than {settings.margin:g}" if not_inferior <= settings.alpha else TOO_FEW
