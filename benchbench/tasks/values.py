"""Values of parameters, as TOML has them, in their one form."""

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from benchbench.errors import InputError, said_of
from benchbench.measures.catalog import LARGEST
from benchbench.results.ranges import COUNT, Range
from benchbench.tasks.label_paths import LabelPaths, read_label
from benchbench.tasks.rules import Parameter, Value
from benchbench.tasks.toml_text import shown

_GAIN = Range(0, LARGEST, whole=False)
_MOST_LABELS = 32


def taken(given: Any, parameter: Parameter, labels: Mapping[str, LabelPaths]) -> Value:
    """Return the value of a parameter; InputError, which begins with its name, for what is none."""
    match parameter.type:
        case "flag":
            if not isinstance(given, bool):
                raise InputError(f"{parameter.name} is true or false, and not {shown(given)}")
            return given
        case "number":
            return _number(given, parameter.range, parameter.name)
        case "label":
            return replace(_label(given, parameter.name, labels), query=())
        case "labels":
            return _labels(given, parameter.name, labels)
    if isinstance(given, str):
        return _word(given, parameter)
    if parameter.type == "gains":
        return _gains(given, parameter)
    if parameter.type == "recall":
        return _number(given, COUNT, f"{parameter.name}, where it is not a word,")
    raise InputError(f"{parameter.name} is {_words(parameter)}, and not {shown(given)}")


def nearest(name: str, known: Mapping[str, object]) -> str:
    """Return the end of a sentence on a name that is unknown: the nearest known one, or all."""
    near = get_close_matches(name.lower(), known, n=1, cutoff=0.5)
    return f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"


def _number(given: Any, allowed: Range, name: str) -> int | float:
    """Return a number, as a whole one where it is."""
    number: int | float = allowed.take(given, name)
    return int(number) if abs(number) < 1e15 and number == int(number) else number


def _word(given: str, parameter: Parameter) -> str:
    if given not in parameter.words:
        raise InputError(f"{parameter.name} is {_words(parameter)}, and not {shown(given)}")
    return given


def _words(parameter: Parameter) -> str:
    other = {"gains": ["a table of each grade's gain"], "recall": ["a whole number"]}.get(parameter.type, [])
    *first, last = [f'"{word}"' for word in parameter.words] + other
    return f"{', '.join(first)} or {last}"


def _gains(given: Any, parameter: Parameter) -> tuple[tuple[float, float], ...]:
    if not isinstance(given, dict) or not given:
        raise InputError(f"{parameter.name} is {_words(parameter)}, and not {shown(given)}")
    gains: dict[float, float] = {}
    for written, gain in given.items():
        name = f"a grade of {parameter.name}"
        grade = _GAIN.read(written, name)
        if grade in gains:
            raise InputError(f"{name} appears twice: {shown(written)}")
        gains[_number(grade, _GAIN, name)] = _number(gain, _GAIN, f"the gain of a grade in {parameter.name}")
    return tuple(sorted(gains.items()))


def _labels(given: Any, name: str, labels: Mapping[str, LabelPaths]) -> tuple[LabelPaths, ...]:
    if not isinstance(given, list):
        raise InputError(f'{name} is a list of labels, such as ["meta.currency"], and not {shown(given)}')
    if len(given) > _MOST_LABELS:
        raise InputError(f"{name} has {len(given)} labels, and at most {_MOST_LABELS} are compared")
    return tuple(dict.fromkeys(_label(one, name, labels) for one in given))


def _label(given: Any, name: str, labels: Mapping[str, LabelPaths]) -> LabelPaths:
    with said_of(name):
        return read_label(given, labels)
