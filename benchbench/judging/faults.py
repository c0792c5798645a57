"""What a verdict found wrong, in words: the statements that nothing supports, the laws that were missed."""

from collections.abc import Mapping
from typing import Any

from benchbench.answers.judges.rubric import Rubric
from benchbench.answers.judges.scores import Found, Share


def faults(rubric: Rubric, values: Mapping[str, Any] | None) -> list[str]:
    """Return the entries of a verdict that took something off the score."""
    if values is None:
        return []
    rule = rubric.rule
    if isinstance(rule, Share):
        best = max(rule.worth.values(), default=1.0)
        return [_words(one) for one in values[rule.list] if rule.worth.get(_word(one[rule.member]), best) < best]
    if isinstance(rule, Found):
        return [f"{name}: {_words(one)}" for name in (rule.missed, rule.wrong) for one in values[name]]
    return []


def _word(value: Any) -> Any:
    return ("false", "true")[value] if isinstance(value, bool) else value


def _words(entry: Any) -> str:
    """Return an entry as a person reads it: of an object its texts."""
    if isinstance(entry, Mapping):
        return " – ".join(one for one in entry.values() if isinstance(one, str) and one)
    return str(entry)
