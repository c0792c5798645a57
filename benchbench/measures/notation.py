"""A measure as a value, and the texts that name it.

Notation
--------
As ir_measures writes it: `Name(parameter=value)@k`. What is parsed, printed and parsed again is the same
value: parameters are in order of their names, those at their default are left out, `2.0` as a grade is `2`.

Accepted besides; case is forgiven, and `-` is `_`:

other names
    `MRR`, `recip_rank`, `hit_rate`, … (`Definition.aliases`).
`name.5,10`, `name_5`, `name_at_5`
    One measure a cut-off, as trec_eval and MTEB write it. `set_F.0.5` gives beta; `rbp.95` gives p, by its
    decimals, as in ranx (`RBP@95` is a cut-off).
`P`, `recall`, `success`, `ndcg_cut`, `map_cut`, `iprec_at_recall`
    Alone, a family at trec_eval's default cut-offs. The names without `_` only in this spelling: `Recall`,
    `R`, `Success` and `P(rel=2)` are not trec_eval's, and lack a cut-off.
`nDCG(dcg='exp-log2')`, `NumRet(rel=2)`
    ir_measures' own words for `nDCG(gains='exp')` and `NumRelRet(rel=2)`.
"""

import functools
import re
from collections.abc import Iterable
from contextlib import suppress
from difflib import get_close_matches
from typing import Literal

from msgspec import Struct

from benchbench.errors import InputError
from benchbench.measures.catalog import CATALOG, Definition, Number, Param, Value
from benchbench.results.figures import total, value

_LONGEST = 200  # characters: bounds the work on a text, and keeps each number in it within a float

_DIGITS = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
_NUMBER = re.compile(rf"[+-]?{_DIGITS}(?:[eE][+-]?[0-9]+)?")
_MEASURE = re.compile(r"(?P<name>[^()@]+)(?:\((?P<params>[^()]*)\)\s*)?(?:@(?P<cutoff>[^()@]*))?")
_SUFFIXED = re.compile(rf"(?P<name>.+?)(?P<join>_at_|[._])(?P<values>{_DIGITS}(?:,{_DIGITS})*)", re.IGNORECASE)
_WITH_CUTOFF = re.compile(r"(?P<name>\D*[^\W\d])[\W_]*(?P<cutoff>\d+)")  # such as ndcg10
_COMMA = re.compile(r",(?![^{}]*\})")  # not within a map

_RANKS = "5,10,15,20,30,100,200,500,1000"
_FAMILIES = {
    "P": _RANKS,
    "recall": _RANKS,
    "success": "1,5,10",
    "ndcg_cut": _RANKS,
    "map_cut": _RANKS,
    "iprec_at_recall": "0,.1,.2,.3,.4,.5,.6,.7,.8,.9,1",
}
_SUFFIX_PARAMS = {"RBP": ("p", "0."), "SetF": ("beta", "")}  # what `.x` sets, and what a whole x lacks in front
_DCG = {"log2": "'linear'", "exp-log2": "'exp'"}
_NAMES = {name: row for row in CATALOG.values() for name in (row.name.lower(), *row.aliases)}


class Measure(Struct, frozen=True):
    """A measure with all that distinguishes it; `parse` makes valid ones."""

    name: str
    params: tuple[tuple[str, Value], ...] = ()  # by name, without those at their default
    cutoff: int | float | None = None

    def __str__(self) -> str:
        params = ",".join(f"{name}={_printed(value)}" for name, value in self.params)
        return self.name + (f"({params})" if params else "") + (f"@{self.cutoff}" if self.cutoff is not None else "")


def parse(text: str) -> list[Measure]:
    """Return the measures that a text names: several for `P.5,10` or `ndcg_cut`, otherwise one.

    Parameters
    ----------
    text
        In the notation of this module. A measure named twice is returned once.

    Raises
    ------
    InputError
        Saying what is wrong with the text, with an example of what is right.
    """
    try:
        return list(_parse(text))
    except InputError as problem:
        shown = text if len(text) <= _LONGEST else f"{text[:20]}…"
        raise InputError(f"measure {shown!r}: {problem}") from None


def resolve(measures: str | Measure | Iterable[str | Measure]) -> list[Measure]:
    """Return the measures of some texts, or of one, each once, in their order; InputError for anything else."""
    several = [measures] if isinstance(measures, str | Measure) else measures
    if not isinstance(several, Iterable):
        raise InputError(f"measures are texts such as 'nDCG@10', and not of type {type(measures).__name__}")
    return list(dict.fromkeys(one for text in several for one in _of(text)))


def _of(text: str | Measure) -> list[Measure]:
    if isinstance(text, Measure):
        return [text]
    if not isinstance(text, str):
        raise InputError(f"a measure is a text such as 'nDCG@10', and not {text!r}, of type {type(text).__name__}")
    return parse(text)


def with_rel(measure: Measure, rel: Number) -> Measure:
    """Return the measure with this lowest relevant grade, if it takes one and names none itself."""
    takes = any(param.name == "rel" for param in CATALOG[measure.name].params)
    if not takes or "rel" in dict(measure.params):
        return measure
    params = ",".join(f"{name}={_printed(value)}" for name, value in (*measure.params, ("rel", rel)))
    return parse(f"{measure.name}({params})" + (f"@{measure.cutoff}" if measure.cutoff is not None else ""))[0]


@functools.lru_cache(maxsize=4_096)  # a report names each of its measures in hundreds of cells
def _parse(text: str) -> tuple[Measure, ...]:
    match = _MEASURE.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    if match is None:
        raise InputError("a measure is written Name(parameter=value)@cut-off, as in nDCG@10 or P(rel=2)@5")
    name, join, values = _split(match)
    definition = _find(name)
    given = _assignments(match["params"] or "", definition)
    if definition.name == "NumRet" and "rel" in given:
        definition = CATALOG["NumRelRet"]
    if join in (".", "_") and definition.name in _SUFFIX_PARAMS:
        param, front = _SUFFIX_PARAMS[definition.name]
        if param in given:
            raise InputError(f"{param} appears twice; write it once, as in {_example(definition, [param])}")
        texts = [value if "." in value else front + value for value in values]
        return tuple(dict.fromkeys(_measure(definition, given | {param: value}, None) for value in texts))
    if not values and _key(name).endswith("_cut"):
        raise InputError(f"{name} needs a cut-off, as in {name}@10")
    return tuple(dict.fromkeys(_measure(definition, given, value) for value in values or (None,)))


def _split(match: re.Match[str]) -> tuple[str, str, list[str]]:
    """Return the name, what joins it to its values, and those: its cut-offs, as texts."""
    name, params, cutoff = match["name"].strip(), match["params"], match["cutoff"]
    key = _key(name)
    suffixed = None if key in _NAMES else _SUFFIXED.fullmatch(name)
    if suffixed and cutoff is not None:
        raise InputError("the cut-off appears twice; write it once, as in P@5 or P_5")
    if suffixed:
        return suffixed["name"], suffixed["join"], suffixed["values"].split(",")
    if cutoff is not None:
        return name, "@", [cutoff.strip()]
    family = _FAMILIES.get(key if "_" in key else name) if params is None else None
    return name, "@", family.split(",") if family else []


def _key(name: str) -> str:
    return name.lower().replace("-", "_")


def _find(name: str) -> Definition:
    key = _key(name)
    if key in _NAMES:
        return _NAMES[key]
    raise InputError(f"there is no measure {name!r}; {_there_are(key)}")


@functools.lru_cache(maxsize=4_096)  # a history asks of each of its numbers whether it is a measure
def _there_are(key: str) -> str:
    cut = _WITH_CUTOFF.fullmatch(key)
    if cut and cut["name"] in _NAMES:
        return f"did you mean {_NAMES[cut['name']].name}@{cut['cutoff']}?"
    near: dict[str, str] = {}
    for other in get_close_matches(key, _NAMES, n=6, cutoff=0.5):
        row = _NAMES[other]
        near.setdefault(row.name, row.name if other == row.name.lower() else f"{row.name} ({other})")
    return f"did you mean {' or '.join(list(near.values())[:3])}?" if near else f"there are {', '.join(CATALOG)}"


def _assignments(text: str, definition: Definition) -> dict[str, str]:
    given: dict[str, str] = {}
    takes = [param.name for param in definition.params]
    for part in _COMMA.split(text) if text.strip() else ():
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not (name and equals and value):
            raise InputError(f"parameters are written name=value, as in {_example(definition, takes)}")
        if name in given:
            raise InputError(f"{name!r} appears twice; write it once, as in {_example(definition, [name])}")
        given[name] = value
    if definition.name == "nDCG" and "dcg" in given:
        gains = _DCG.get(_unquoted(given.pop("dcg")) or "")
        if gains is None or "gains" in given:
            raise InputError("dcg is 'log2' or 'exp-log2', without gains; write instead nDCG(gains='exp')@10")
        given["gains"] = gains
    return given


def _measure(definition: Definition, given: dict[str, str], cutoff: str | None) -> Measure:
    params = {param.name: param for param in definition.params}
    values: list[tuple[str, Value]] = []
    for name, text in sorted(given.items()):
        param = params.get(name)
        if param is None:
            known, example = ", ".join(params) or "none", _example(definition, params)
            raise InputError(f"{definition.name} has no parameter {name!r}; it takes {known}, as in {example}")
        if param.excludes in given:
            example = _example(definition, [name])
            raise InputError(f"{name} and {param.excludes} exclude each other; write one, as in {example}")
        value = _value(text, param)
        if value is None:
            example = _example(definition, [name])
            raise InputError(f"{name} is {_kind(param)}, not {text!r}; write, for example, {example}")
        if value != param.default:
            values.append((name, value))
    return Measure(definition.name, tuple(values), _cutoff(definition, cutoff))


def _cutoff(definition: Definition, text: str | None) -> Number | None:
    name, example = definition.name, _example(definition)
    if text is None:
        if definition.cutoff == "required":
            raise InputError(f"{name} needs a cut-off, as in {example}")
        return None
    if definition.cutoff == "none":
        raise InputError(f"{name} takes no cut-off; write {example}")
    if definition.cutoff_type == "recall":
        limits = Param("cut-off", "real", None, "recall level", high=1)
    else:
        limits = Param("cut-off", "integer", None, "number of ranks", low=1)
    value = _number(text, limits)
    if value is None:
        raise InputError(f"the cut-off of {name} is {_kind(limits)}, not {text!r}; write {example}")
    return value


def _value(text: str, param: Param) -> Value | None:
    """Return the value of a parameter, or None if the text is none."""
    if param.type == "flag":
        return {"True": True, "False": False}.get(text)
    return _gains(text, param) if param.type == "gains" else _number(text, param)


def _number(text: str, param: Param) -> Number | None:
    """Return the number in its one form for this parameter, or None if it is none or out of range."""
    if not _NUMBER.fullmatch(text):
        return None
    value = int(text) if text.lstrip("+-").isdigit() else float(text)
    if param.type == "integer" and isinstance(value, float):
        return None
    if not param.low <= value <= param.high or (param.open and value in (param.low, param.high)):
        return None
    if param.type == "real":
        return float(value) + 0.0  # so that -0.0 is 0.0
    return int(value) if value == int(value) else value


def _gains(text: str, param: Param) -> Value | None:
    if (word := _unquoted(text)) is not None:
        return word if word in ("linear", "exp") else None
    if not (text.startswith("{") and text.endswith("}")):
        return None
    gains: dict[Number, Number] = {}
    for pair in text[1:-1].split(","):
        left, _, right = pair.partition(":")
        grade, gain = _number(left.strip(), param), _number(right.strip(), param)
        if grade is None or gain is None or grade in gains:
            return None
        gains[grade] = gain
    return tuple(sorted(gains.items()))


def _unquoted(text: str) -> str | None:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else None


def _printed(value: Value) -> str:
    if isinstance(value, tuple):
        return "{" + ",".join(f"{grade}:{gain}" for grade, gain in value) + "}"
    return repr(value)


def _kind(param: Param) -> str:
    if param.type == "gains":
        return "'linear', 'exp' or a map of each grade once to a gain from 0, such as {1:1,2:3}"
    if param.type == "flag":
        return "True or False"
    noun = "a whole number" if param.type == "integer" else "a number"
    return f"{noun} {'above' if param.open else 'from'} {param.low} {'and below' if param.open else 'to'} {param.high}"


def _example(definition: Definition, names: Iterable[str] = ()) -> str:
    """Return a right text for this measure, with the first of its parameters that is among `names`."""
    values: dict[str, Value] = {"integer": 10, "grade": 2, "real": 0.5, "gains": "exp", "flag": True}
    params = tuple((param.name, values[param.type]) for param in definition.params if param.name in names)
    cutoff = None if definition.cutoff == "none" else 0.1 if definition.cutoff_type == "recall" else 10
    return str(Measure(definition.name, params[:1], cutoff))


def measure_named(name: str) -> tuple[str, str | None]:
    """Return the one form in which a measure is reported, and that it has no unit; any other name as it is, and None.

    A text that names several measures is an InputError.
    """
    try:
        found = parse(name)
    except InputError:
        return name, None  # what is measured is not known here; who knows it refuses the name with a list
    if len(found) > 1:
        raise InputError(f"{name} names {len(found)} measures; give each its own --fail-if")
    return str(found[0]), ""


def task_and_measures(name: str) -> tuple[str, list[Measure]]:
    """Return what a name has in front of a measure, and the measures that the rest is; none where it is no measure.

    What is a measure as it stands has no task (`P.5`); otherwise the first dot ends it (`gold.P.5`).
    """
    task, _, rest = name.partition(".")
    for front, text in (("", name), (task, rest)):
        with suppress(InputError):
            return front, parse(text)
    return "", []


def least_grade(measure: Measure) -> float:
    """Return the lowest grade that is relevant for a measure."""
    value = dict(measure.params).get("rel", 1)
    return float(value) if isinstance(value, int | float) else 1.0


def better(measure: str) -> Literal["higher", "lower"] | None:
    """Return which direction of a measure is an improvement; None for neither, and for a name that is no measure."""
    try:
        (found,) = parse(measure)
    except InputError:
        return None
    direction = CATALOG[found.name].direction
    return None if direction == "none" else direction


def is_total(name: str) -> bool:
    """Say that a measure is a count, and not a share."""
    (one,) = resolve(name)
    return CATALOG[one.name].aggregate == "sum"


def measured(name: str, number: float | None) -> str:
    """Return the value of a measure as people read it: a share with three decimals, a total as it is."""
    return total(number) if is_total(name) else value(number)
