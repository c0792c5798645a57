"""JMESPath expressions, compiled once: the places of fields in an answer."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

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


def _compiled(expression: str) -> Callable[[Any], Any]:
    if expression == "@":
        return lambda value: value
    if _PLAIN.fullmatch(expression) is None:
        return _searched(expression)
    names = [name.strip('"') for name in re.findall(_NAME, expression)]
    if len(names) == 1:
        return lambda value, name=names[0]: _member(value, name)  # type: ignore[misc]
    return lambda value: reduce(_member, names, value)


def _member(value: Any, name: str) -> Any:
    return value.get(name) if type(value) is dict else None


def _searched(expression: str) -> Callable[[Any], Any]:
    import jmespath
    from jmespath.functions import Functions

    compiled = jmespath.compile(expression)
    tree: Any = compiled.parsed
    for name in _functions(tree):
        if name not in Functions.FUNCTION_TABLE:
            raise ValueError(f"there is no function {name}()")

    def found(value: Any) -> Any:
        try:
            return compiled.search(value)
        except _UNFIT:
            return None

    return found


def _functions(node: dict[str, Any]) -> Iterator[str]:
    if node["type"] == "function_expression":
        yield node["value"]
    for child in node["children"]:
        if isinstance(child, dict):
            yield from _functions(child)
