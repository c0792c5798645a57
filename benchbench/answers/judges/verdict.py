"""Reading a verdict: one JSON object that fits the schema, or a failure with a plain reason; never a guess."""

import json
import re
from collections.abc import Iterable, Mapping
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
TOO_DEEP = "nested too deeply"
OUT_OF_SCALE = "out of scale"
COPIED = "appears in a judged text"

_THOUGHT = re.compile(r"\s*<think>.*?</think>", re.DOTALL)
_FENCE = "```"
_NAME_END = re.compile(r'"[ \t\r\n]*:')  # of every member, and of an escaped quotation mark before a colon
_OWN_WORDS = 8  # characters: shorter reasons may be the same by chance
_DEEPEST = 64  # objects and lists in one another


@dataclass(frozen=True, slots=True)
class VerdictReading:
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


def read(rubric: Rubric, text: str, item: Item) -> VerdictReading:
    """Return the verdict that a reply is, or why it is none.

    A code fence around the JSON and a ``<think>…</think>`` before it are passed over, and nothing else: no number is
    taken out of prose, none is moved into the scale, of two verdicts none is taken, and none that the item has brought.

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
    try:
        if _has_twice(text, values):
            return _none(TWICE)
    except RecursionError:
        return _none(TOO_DEEP)
    if not rubric.validator.is_valid(values):
        return _none(_misfit(rubric, values))
    if _is_copied(text, values[RATIONALE], item):
        return _none(COPIED)
    try:
        score, parts = rubric.rule.score(values, item.fields)
    except NoScoreError as error:
        return _none(str(error))
    low, high = rubric.scale
    if not low <= score <= high:
        return _none(OUT_OF_SCALE)
    return VerdictReading(values, score, parts, values[RATIONALE])


def _inner(text: str) -> str:
    """Return a reply without a thought before it and a fence around it."""
    thought = _THOUGHT.match(text)
    text = text[thought.end() if thought else 0 :].strip()
    if len(text) > 2 * len(_FENCE) and text.startswith(_FENCE) and text.endswith(_FENCE):
        inner = text[len(_FENCE) : -len(_FENCE)]
        return (inner[4:] if inner[:4].lower() == "json" else inner).strip()
    return text


def _none(problem: str) -> VerdictReading:
    return VerdictReading(None, None, problem=problem)


def _has_twice(text: str, values: Any) -> bool:
    """Whether an object has a member twice: of which orjson takes the last."""
    if len(_NAME_END.findall(text)) == _members(values):  # a member that is lost leaves its name behind
        return False
    try:
        _EXACT.decode(text)
    except _TwiceError:
        return True
    return False


def _members(value: Any, depth: int = 0) -> int:
    if depth > _DEEPEST:
        raise RecursionError
    inner: Iterable[Any] = ()
    if isinstance(value, dict):
        inner = value.values()
    elif isinstance(value, list):
        inner = value
    count = len(value) if isinstance(value, dict) else 0
    for one in inner:
        if isinstance(one, dict | list):
            count += _members(one, depth + 1)
    return count


class _TwiceError(ValueError):
    pass


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _TwiceError
    return members


_EXACT = json.JSONDecoder(object_pairs_hook=_once, parse_int=float)  # int() refuses what has thousands of digits


def _is_copied(text: str, rationale: str, item: Item) -> bool:
    """Whether a text of the item has the reply, or a verdict with the same reasons: nobody writes that by chance."""
    for value in item.fields.values():
        for stood in value if isinstance(value, list | tuple) else (value,):
            if isinstance(stood, str) and (
                text in stood or (len(rationale) >= _OWN_WORDS and RATIONALE in stood and rationale in stood)
            ):
                return True
    return False


def _misfit(rubric: Rubric, values: Any) -> str:
    """Return where the values do not fit and by which keyword, without anything that the judge wrote."""
    error = next(iter(rubric.validator.iter_errors(values)))
    path = ".".join("*" if isinstance(step, int) else str(step) for step in error.instance_path)
    return visible(f"{NOT_FITTING}: {path or 'the whole'} ({error.kind.name})", 120)
