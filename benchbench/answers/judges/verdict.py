"""Reading a verdict: one JSON object that fits the schema, or a failure with a plain reason; never a guess."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from benchbench.answers.judges.prompt import Item
from benchbench.answers.judges.rubric import Rubric
from benchbench.answers.judges.rubric_file import RATIONALE
from benchbench.answers.judges.scores import NoScoreError
from benchbench.errors import visible

EMPTY = "empty"
NOT_JSON = "not JSON"
TWICE = "a member twice"
NOT_FITTING = "does not fit the schema"
OUT_OF_SCALE = "out of scale"

_THOUGHT = re.compile(r"\s*<think>.*?</think>", re.DOTALL)
_FENCED = re.compile(r"```(?:json|JSON)?[ \t]*\r?\n(.*?)\r?\n?```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a judge said.

    Attributes
    ----------
    values
        The verdict; None where there is none.
    score
        Made of the values by the rubric's rule; None where there is none.
    parts
        Further numbers, by name.
    rationale
        The judge's reasons.
    problem
        Why it is no verdict, in few and plain words that can be counted; None for a verdict.
    """

    values: Mapping[str, Any] | None
    score: float | None
    parts: Mapping[str, float] = field(default_factory=dict)
    rationale: str = ""
    problem: str | None = None


def read(rubric: Rubric, text: str, item: Item) -> Reading:
    """Return the verdict that a reply is, or why it is none.

    A code fence around the JSON and a ``<think>…</think>`` before it are passed over, and nothing else: no number is
    taken out of prose, none is moved into the scale, and of two verdicts none is taken.

    Parameters
    ----------
    rubric
        What the judge was given.
    text
        What it replied.
    item
        What it judged; its numbered fields are those that the verdict has to take one by one.
    """
    text = _inner(text)
    if not text:
        return _none(EMPTY)
    try:
        values = orjson.loads(text)
    except orjson.JSONDecodeError:
        return _none(NOT_JSON)
    if _has_twice(text, values):
        return _none(TWICE)
    if not rubric.validator.is_valid(values):
        return _none(_misfit(rubric, values))
    try:
        score, parts = rubric.rule.score(values, item.fields)
    except NoScoreError as error:
        return _none(str(error))
    low, high = rubric.scale
    if not low <= score <= high:
        return _none(OUT_OF_SCALE)
    return Reading(values, score, parts, values[RATIONALE])


def _inner(text: str) -> str:
    """Return a reply without a thought before it and a fence around it."""
    thought = _THOUGHT.match(text)
    text = text[thought.end() if thought else 0 :].strip()
    fenced = _FENCED.fullmatch(text)
    return fenced[1].strip() if fenced else text


def _none(problem: str) -> Reading:
    return Reading(None, None, problem=problem)


def _has_twice(text: str, values: Any) -> bool:
    """Whether an object has a member twice: of which orjson takes the last."""
    if text.count(":") == _members(values):  # a member that is lost leaves a colon behind
        return False
    try:
        _EXACT.decode(text)
    except _TwiceError:
        return True
    return False


def _members(value: Any) -> int:
    if isinstance(value, dict):
        return len(value) + sum(_members(inner) for inner in value.values())
    if isinstance(value, list):
        return sum(_members(inner) for inner in value)
    return 0


class _TwiceError(ValueError):
    pass


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _TwiceError
    return members


_EXACT = json.JSONDecoder(object_pairs_hook=_once)


def _misfit(rubric: Rubric, values: Any) -> str:
    """Return where the values do not fit and by which keyword, without anything that the judge wrote."""
    error = next(iter(rubric.validator.iter_errors(values)))
    path = ".".join("*" if isinstance(step, int) else str(step) for step in error.instance_path)
    return visible(f"{NOT_FITTING}: {path or 'the whole'} ({error.kind.name})", 120)
