"""Values from outside, read by a declared type: what fits becomes that type, and what does not, one sentence.

What a type accepts is said by `Meta(description=…)` where it has one; a sentence names nothing that lies deeper.
"""

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, inspect

from benchbench.errors import InputError, visible
from benchbench.results.ranges import Range, shown_value
from benchbench.tables.shared_messages import not_among, or_joined

Declared = TypeVar("Declared")
Convert = Callable[[type, Any], Any]  # a type that msgspec does not know, and a value -> of that type

_FILLED = "a text that is not empty"
Filled = Annotated[str, Meta(description=_FILLED)]  # which `not_blank` checks: a pattern takes longer than all else
Texts = Annotated[tuple[str, ...], Meta(description="a list of texts")]
Number = Annotated[float, Meta(ge=-sys.float_info.max, le=sys.float_info.max)]  # finite
Seconds = Annotated[Number, Meta(description="a number of seconds")]

_PLACE = re.compile(r" - at `\$((?:\.\w+|\[(?:\d+|\.\.\.)\])*)`\Z")
_LACKS = re.compile(r"Object missing required field `(\w+)`")
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]")
_UNKNOWN = "Object contains unknown field `"
_WORDS = {"DictType": "a table", "StructType": "a table", "VarTupleType": "a list of texts"}  # else a text
_KEPT = (date,)  # TOML has days: a text is none, even one that reads like a day
_MOST = 40  # characters of a member's name, and of a text that is compared with those known


def number(allowed: Range) -> Meta:
    """Return what makes a type that of the numbers of a range, and says so."""
    if allowed.above:
        return Meta(gt=allowed.low, le=allowed.high, description=str(allowed))
    return Meta(ge=allowed.low, le=allowed.high, description=str(allowed))


def taken(
    value: Any, declared: type[Declared], where: str, expected: str = "", convert: Convert | None = None
) -> Declared:
    """Return a value as its declared type.

    Parameters
    ----------
    value
        Of JSON or TOML, or from Python, with numbers of any library.
    declared
        A `msgspec.Struct`; null and a missing member are what it says of them.
    where
        What messages begin with: a file, or a line of one.
    expected
        Of a member that is missing: a clause on what there has to be.
    convert
        Makes values of types such as `Path`; a ValueError says that it cannot.

    Raises
    ------
    InputError
        Naming the member, what stood there, and what it accepts; of an unknown one, the nearest that is known.
    """
    try:
        try:
            return msgspec.convert(value, declared, builtin_types=_KEPT, dec_hook=convert)
        except msgspec.ValidationError:
            value = _plain(value)
            return msgspec.convert(value, declared, builtin_types=_KEPT, dec_hook=convert)
    except msgspec.ValidationError as error:
        problem = _refusal(str(error), value, inspect.type_info(declared), expected)
    except InputError as error:
        problem = str(error)
    raise InputError(f"{where}: {problem}")


def not_blank(text: str, name: str, where: str = "") -> str:
    """Return the text of a member; InputError where there is nothing in it."""
    if not text or text.isspace():
        raise InputError(f"{where}{': ' if where else ''}`{name}` is {_FILLED}, and not {shown_value(text)}")
    return text


def beside(path: Path) -> Convert:
    """Return what makes paths of texts that are relative to the folder of a file."""

    def convert(kind: type, value: Any) -> Any:
        if not isinstance(value, str):
            raise ValueError(f"no {kind.__name__}")
        return path.parent / value

    return convert


def _plain(value: Any) -> Any:
    """Return a value with the numbers of other libraries as Python's."""
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value.tolist() if hasattr(value, "tolist") else value


def _refusal(error: str, value: Any, kind: Any, expected: str) -> str:
    """Return a sentence for what msgspec says, such as `Expected int, got str - at $.contexts.top_k`."""
    name, is_described = "", False
    for member, place in _STEP.findall(_path(error, value)):
        if is_described := any(words for _, words in _parts(kind)):
            break
        name += f".{member}" if name and member else member
        kind, value = _inner(kind, value, member or int(place))
    if not name and not isinstance(value, Mapping):
        return "not a JSON object"
    prefix = f"{name}." if name else ""
    lacks = None if is_described else _LACKS.match(error)
    if lacks is not None:
        there = visible(", ".join(value), 200) or "none"
        return f"`{prefix}{lacks[1]}` is missing; its members are {there}, and {expected}"
    if error.startswith(_UNKNOWN) and not is_described:
        struct = _struct(kind, value)
        known = [field.encode_name for field in struct.fields] + [struct.tag_field] * bool(struct.tag_field)
        strange = visible(next(str(member) for member in value if member not in known), _MOST)
        return not_among(prefix + strange, "known", [prefix + member for member in known])
    near = get_close_matches(value[:_MOST], _literals(kind), 1) if isinstance(value, str) else []
    meant = f"; did you mean {near[0]}?" if near else ""
    return f"`{name}` is {_accepted(kind)}, and not {shown_value(value)}{meant}"


def _path(error: str, value: Any) -> str:
    """Return where the error is; an unknown member's name may end as msgspec's sentences do."""
    if isinstance(value, Mapping) and any(error == f"{_UNKNOWN}{name}`" for name in value):
        return ""
    place = _PLACE.search(error)
    return place[1] if place else ""


def _parts(kind: Any, words: str = "") -> Iterator[tuple[Any, str]]:
    """Yield the types that a declared one may be, but for null, each with its description."""
    if isinstance(kind, inspect.Metadata):
        yield from _parts(kind.type, (kind.extra_json_schema or {}).get("description", ""))
    elif isinstance(kind, inspect.UnionType):
        for one in kind.types:
            yield from _parts(one, words)
    elif not isinstance(kind, inspect.NoneType):
        yield kind, words


def _struct(kind: Any, value: Any) -> Any:
    """Return which of the declared objects a value is meant to be."""
    structs = [one for one, _ in _parts(kind) if isinstance(one, inspect.StructType)]
    return next((one for one in structs if not one.tag_field or one.tag == value.get(one.tag_field)), structs[0])


def _inner(kind: Any, value: Any, step: str | int) -> tuple[Any, Any]:
    """Return what is declared of a member or an entry, and its value."""
    if isinstance(step, int):
        return next(one.item_type for one, _ in _parts(kind) if hasattr(one, "item_type")), value[step]
    members = {field.encode_name: field.type for field in _struct(kind, value).fields}
    tags = [one.tag for one, _ in _parts(kind) if isinstance(one, inspect.StructType)]
    return members.get(step) or inspect.LiteralType(tuple(tags)), value[step]


def _literals(kind: Any) -> list[str]:
    literals = (one for one, _ in _parts(kind) if isinstance(one, inspect.LiteralType))
    return [str(value) for literal in literals for value in literal.values if value]


def _accepted(kind: Any) -> str:
    """Return in words what a declared type accepts."""
    said = [words or _WORDS.get(type(one).__name__, "a text") for one, words in _parts(kind)]
    accepted = _literals(kind) or list(dict.fromkeys(said))
    return or_joined(accepted)
