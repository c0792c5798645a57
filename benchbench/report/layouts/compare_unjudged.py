"""What hits that nobody judged may do to a comparison, as a table."""

from collections.abc import Iterator

from benchbench.comparison.outcome import CompareDetails
from benchbench.report.blocks import SUMMARY, TERMINAL, Table

_SAID = "Unjudged hits count as not relevant. The mean if those of the baseline were relevant, or those of the system:"
_HEAD = ("Measure", "Difference", "Mean", "Worst", "Best", "Judged", "Baseline", "System")


def unjudged(details: CompareDetails) -> Iterator[Table]:
    """Yield what the differences would be if hits that nobody judged were relevant, where there are such hits."""
    found = details.unjudged
    rows: list[list[str]] = []
    above = ""
    for one in found.cases:
        shares = [found.share(one.judged, name) for name in (one.baseline, one.system)]
        shown = ["-" if share is None else f"{share:.4f}" for share in shares]
        ends = [f"{value:+.4f}" for value in (one.mean, one.worst, one.best)]
        named, above = "" if one.measure == above else one.measure, one.measure
        rows.append([named, f"{one.system} - {one.baseline}", *ends, one.judged, *shown])
    if rows:
        keeps = [0, 0, 1, 0, 0, 0, 2, 2]
        yield Table(_HEAD, rows, "llrrrlrr", caption=_SAID, where=TERMINAL | SUMMARY, keeps=keeps)
