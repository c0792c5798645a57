"""What can be seen without knowing law: is anything cited, what of the truth's citations, how long, how fast."""

import math
import re

from benchbench.answers.metrics import Value, metric
from benchbench.tables.answers import Answer

_CITATION = re.compile(r"\[(?!\d{4}\]\s?[A-Z])[^\[\]\n]{1,300}\]")  # not the year of a neutral citation


@metric(
    "any_citation", "1 when the answer has a citation in brackets, else 0: its mean is the citation rate.", binary=True
)
def any_citation(answer: Answer) -> float:
    """Look for anything in brackets."""
    assert answer.response is not None
    return float(_CITATION.search(answer.response) is not None)


@metric("citations_matched", "Share of the truth's bracketed citations that stand in the answer letter for letter.")
def citations_matched(answer: Answer) -> Value:
    """Compare what stands in brackets as it is written."""
    assert answer.response is not None
    expected = set(_CITATION.findall(answer.truth))
    if not expected:
        return Value(1.0, expected=False)
    return Value(len(expected & set(_CITATION.findall(answer.response))) / len(expected))


@metric("answer_length", "Characters of the answer.")
def answer_length(answer: Answer) -> float:
    """Count characters."""
    assert answer.response is not None
    return float(len(answer.response))


@metric("latency", "Seconds from asking to the whole answer; not of stored answers that have none.")
def latency(answer: Answer) -> Value:
    """Return what was measured; not a number where nothing was."""
    return Value(math.nan if answer.latency is None else answer.latency)
