"""What the page of an evaluation of answers says: which metrics are in which band, and how sure that is."""

from collections.abc import Iterable, Mapping, Sequence

from benchbench.answering.details import AnswersDetails, MetricDetails
from benchbench.answers.summary import Line
from benchbench.report.layouts.card_parts import listed
from benchbench.report.layouts.page_scales import capital
from benchbench.report.page_blocks import Masthead
from benchbench.results.figures import moment, share, value
from benchbench.results.record import Record
from benchbench.scores.names import BANDS
from benchbench.tables.shared_messages import counted


def tested_ones(found: AnswersDetails, names: Iterable[str]) -> list[str]:
    """Return those metrics that expected something of an answer."""
    return [name for name in names if found.metrics[name].mean_expected is not None]


def verdict(
    found: AnswersDetails, record: Record, known: Mapping[str, MetricDetails], names: Sequence[str]
) -> Masthead:
    """Return the verdict; `names` are the accuracies, worst first."""
    of = f" of {record.data.name}" if record.data.name else ""
    facts = [record.name, counted(found.answers, "question") + of, moment(record.started)]
    return Masthead(
        "answers",
        facts,
        found.signature,
        _sentence(found, known, names),
        _pieces(found, known, names),
    )


def _sentence(found: AnswersDetails, known: Mapping[str, MetricDetails], names: Sequence[str]) -> str:
    """Return which metrics are in which band."""
    if found.answers and found.nulls == found.answers:
        reason, times = next(iter(found.failures.items()))
        return f"No question has an answer: {reason}{'' if times == found.answers else f', {times:,} times'}."
    tested = tested_ones(found, names)
    banded = [
        (band, [_name(known[name]) for name in tested if found.metrics[name].band_expected == band]) for band in BANDS
    ]
    said: list[str] = []
    for band, titles in banded:
        if titles:
            verb = "" if said else "are " if _are_several(titles) else "is "
            said.append(f"{listed(titles)} {verb}{band}")
    others = [name for name in tested if not found.metrics[name].band_expected]
    said += [_scored(found.metrics[name], known[name]) for name in others]
    if not said and not names:
        return f"{counted(found.answers, 'answer')}: the metrics measure, and none says what is right."
    if not said:
        return f"{counted(found.answers - found.nulls, 'answer')}, of which no metric expected anything."
    return f"{capital(', '.join(said))}."


def _scored(line: Line, one: MetricDetails) -> str:
    """Return the mean of a metric without bands in words."""
    mean = line.mean_expected or 0.0
    return f"{share(mean)} of {_name(one)} are right" if one.is_share else f"{_name(one)} {value(mean, 2)} of 1"


def _name(one: MetricDetails) -> str:
    """Return a metric's title as it stands within a sentence: acronyms and names keep their capitals."""
    title = one.short if " and " in one.title else one.title
    word = title.split(" ")[0]
    return title if word[1:] != word[1:].lower() or word in ("Japanese", "Chinese") else title[:1].lower() + title[1:]


def _pieces(found: AnswersDetails, known: Mapping[str, MetricDetails], names: Sequence[str]) -> list[str]:
    """Return what the verdict rests on, plain and strong parts in turn."""
    given, tested = found.answers - found.nulls, tested_ones(found, names)
    said = ""
    if given and tested and found.definitions:
        said = f"{found.faulty:,} of {counted(given, 'answer')} {'has' if found.faulty == 1 else 'have'} a fault. "
    untested = [name for name in names if name not in tested] if given else []
    strong, reason = "", ""
    if untested:
        titles = [_name(known[name]) for name in untested]
        strong = f"{capital(listed(titles))} {'were' if _are_several(titles) else 'was'} not tested"
        reasons = [known[name].untested for name in untested if known[name].untested]
        reason = f": {'; '.join(reasons)}. " if reasons and len(untested) < 3 else ". "
    if found.nulls and given:
        reason += f"{capital(counted(found.nulls, 'question'))} {'has' if found.nulls == 1 else 'have'} no answer and "
        reason += f"{'is' if found.nulls == 1 else 'are'} in no mean. "
    if found.unanswered:
        have = "has" if found.unanswered == 1 else "have"
        reason += f"{counted(found.unanswered, 'question')} of the ground truth {have} no answer at all. "
    open_ = [name for name in tested if len(known[name].reached(found.metrics[name])) > 1]
    banded = [name for name in tested if found.metrics[name].band_expected]
    if open_ and len(open_) < len(banded):
        sure = [_name(known[name]) for name in banded if name not in open_]
        reason += f"Only the {'band' if len(sure) == 1 else 'bands'} of {listed(sure)} {_is(len(sure))} not in doubt."
    elif open_:
        reason += "With so few answers, every band is in doubt."
    return [said, strong, reason.rstrip()] if strong else [f"{said}{reason}".rstrip()]


def _are_several(titles: Sequence[str]) -> bool:
    return len(titles) > 1 or (titles[0].endswith("s") and not titles[0].endswith("ss"))


def _is(number: int) -> str:
    return "is" if number == 1 else "are"
