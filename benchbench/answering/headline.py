"""What an evaluation of answers comes to: which metrics are in which band, and what was not tested."""

from benchbench.answering.details import AnswersDetails
from benchbench.answers.summary import UNTESTED, Line
from benchbench.results.headline import GOOD, OPEN, PARTLY, WORSE, Headline
from benchbench.tables.shared_messages import and_joined, counted

MARKS = {"good": GOOD, "acceptable": PARTLY, "poor": WORSE, UNTESTED: OPEN}  # by band


def headline(found: AnswersDetails, name: str) -> Headline:
    """Return what a report begins with.

    Parameters
    ----------
    found
        The evaluation.
    name
        What was evaluated.
    """
    bands = {band: [plain(metric) for metric, one in found.metrics.items() if band_of(one) == band] for band in MARKS}
    said = [f"{band} in {and_joined(bands[band])}" for band in ("poor", "acceptable", "good") if bands[band]]
    mark = next((MARKS[band] for band in ("poor", "acceptable", "good") if bands[band]), OPEN)
    sentence = f"{name}: {counted(found.answers, 'answer')}, {', '.join(said) if said else 'no metric with bands'}."
    advice = [f"Not tested: {and_joined(bands[UNTESTED])}; no truth has anything to find."] if bands[UNTESTED] else []
    missing = found.nulls + found.unanswered
    if missing:
        every = found.answers + found.unanswered
        advice.append(f"{missing:,} of {every:,} questions {'has' if missing == 1 else 'have'} no answer, in no mean.")
    return Headline([(mark, sentence)], advice)


def band_of(line: Line) -> str:
    """Return the band of a metric's mean over the answers where something was expected, where that is known."""
    return line.band_expected or line.band


def plain(metric: str) -> str:
    """Return the name of a metric as people say it."""
    return metric.removesuffix("_accuracy").replace("_", " ")
