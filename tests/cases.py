"""A statement over many cases is one test: every case is checked, and all that fail are told together."""

import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest


def check_each(check: Callable[[Any], object], cases: Iterable[Any]) -> None:
    """Call `check` with every case; fail with all that fail."""
    check_rows(check, ((case,) for case in cases))


def check_rows(check: Callable[..., object], rows: Iterable[Iterable[Any]]) -> None:
    """Call `check` with the values of every row; fail with all rows that fail."""
    failures, count = [], 0
    for row in rows:
        values, count = tuple(row), count + 1
        try:
            check(*values)
        except Exception as error:
            error.add_note("for " + ", ".join(map(repr, values)))
            failures.append(error)
        except pytest.fail.Exception as error:  # as `pytest.raises` fails; it is no Exception
            failures.append(AssertionError(f"{error.msg} for {', '.join(map(repr, values))}"))
    assert count, "there is no case"
    if failures:
        raise ExceptionGroup(f"{len(failures)} of {count} cases fail", failures)


def some_of(cases: Iterable[Any], every: int) -> list[Any]:
    """Return parameters of which the first tier takes one of so many, and the second tier all others."""
    given = list(cases)
    chosen = given[::every]
    return first_of(*chosen, *(one for n, one in enumerate(given) if n % every), first=len(chosen))


def first_of(*cases: Any, first: int = 1) -> list[Any]:
    """Return parameters of which the first tier takes the first one, or so many, and the second tier all others."""
    rest = (pytest.param(*(one if isinstance(one, tuple) else (one,)), marks=pytest.mark.slow) for one in cases[first:])
    return [*cases[:first], *rest]


def tables(file: str, name: str = "") -> dict[str, Any]:
    """Return cases that stand beside a test file: for `test_notation.py` those in `notation.toml`, or by a name."""
    path = Path(file)
    found = path.with_name(f"{name or path.stem.removeprefix('test_')}.toml")
    return tomllib.loads(found.read_text(encoding="utf-8"))
