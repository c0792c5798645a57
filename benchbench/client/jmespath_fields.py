"""JMESPath expressions, compiled once: the places of fields in an answer."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, reduce
from typing import Any, ClassVar

from msgspec import Struct

from benchbench.tables.fields import identity

_NAME = r'(?:[A-Za-z_][A-Za-z0-9_]*|"[^"\\]+")'
_PLAIN = re.compile(rf"{_NAME}(?:\.{_NAME})*")

# What jmespath raises over data that an expression does not fit, `ceil` of NaN among them.
_UNFIT = (ValueError, ArithmeticError, TypeError, LookupError, AttributeError, RecursionError)


@dataclass(frozen=True, slots=True)
class FieldPath:
    """An expression; `find` returns what it selects of a JSON value, or None.

    Names joined by dots, such as `_source.text` or `"@search.score"`, are followed without the jmespath
    package: that takes seven times as long, and a response has thousands of members to look for.

    Raises
    ------
    ValueError
        Not a JMESPath expression.
    """

    expression: str
    find: Callable[[Any], Any] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "find", _compiled(self.expression.strip()))

    def __reduce__(self) -> tuple[type["FieldPath"], tuple[str]]:
        return FieldPath, (self.expression,)

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names that lead to the value, none for `@`; None where the expression is more than names."""
        return _names(self.expression.strip())


class JoinedPath(Struct, frozen=True):
    """Several fields of a value as one text, an id such as `rules.pdf#12`."""

    parts: tuple[FieldPath, ...]
    separator: str
    names: ClassVar[None] = None  # it is more than names

    def find(self, value: Any) -> Any:
        """Return the text; None where no field is there, and a list, which is no id, where some are."""
        values = [part.find(value) for part in self.parts]
        texts = [text for value in values if (text := identity(value)) is not None]
        if len(texts) == len(values):
            return self.separator.join(texts)
        return None if all(value is None for value in values) else values


def _names(expression: str) -> tuple[str, ...] | None:
    if expression == "@":
        return ()
    if _PLAIN.fullmatch(expression) is None:
        return None
    return tuple(name.strip('"') for name in re.findall(_NAME, expression))


def _compiled(expression: str) -> Callable[[Any], Any]:
    names = _names(expression)
    if names is None:
        return _searched(expression)
    if len(names) == 1:
        return lambda value, name=names[0]: _member(value, name)  # type: ignore[misc]
    return lambda value: reduce(_member, names, value)


def _member(value: Any, name: str) -> Any:
    return value.get(name) if type(value) is dict else None


def _searched(expression: str) -> Callable[[Any], Any]:
    import jmespath

    functions = _with_pairs()
    compiled, options = jmespath.compile(expression), jmespath.Options(custom_functions=functions)
    tree: Any = compiled.parsed
    for name in _functions(tree):
        if name not in functions.FUNCTION_TABLE:
            raise ValueError(f"there is no function {name}()")

    def found(value: Any) -> Any:
        try:
            return compiled.search(value, options)
        except _UNFIT:
            return None

    return found


@cache
def _with_pairs() -> Any:
    """Return the functions of JMESPath, and two of its community's for answers that have no list of objects."""
    from jmespath.functions import Functions, signature

    class WithPairs(Functions):  # type: ignore[misc]  # jmespath has no types
        @signature({"types": ["object"]})  # type: ignore[untyped-decorator]
        def _func_items(self, value: dict[str, Any]) -> list[list[Any]]:
            return [[name, member] for name, member in value.items()]

        @signature({"types": ["array"], "variadic": True})  # type: ignore[untyped-decorator]
        def _func_zip(self, *lists: list[Any]) -> list[list[Any]]:
            return [list(row) for row in zip(*lists, strict=False)]

    return WithPairs()


def _functions(node: dict[str, Any]) -> Iterator[str]:
    if node["type"] == "function_expression":
        yield node["value"]
    for child in node["children"]:
        if isinstance(child, dict):
            yield from _functions(child)
