"""Options of a command, made of the class of its settings: flag, kind of value, default and help of each."""

import functools
from collections.abc import Callable
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin

import click

from benchbench.cli.numbers import Number
from benchbench.cli.parameters import PATH, Choice, Option
from benchbench.tables.numbers import Range
from benchbench.tables.settings import Setting, described_settings

_Command = TypeVar("_Command", bound=Callable[..., Any])


def settings_options(settings: type, into: str = "settings") -> Callable[[_Command], Callable[..., Any]]:
    """Add an option for each described setting of a class; the command receives them by name, as one mapping."""
    known = described_settings(settings)

    def decorate(command: _Command) -> Callable[..., Any]:
        @functools.wraps(command)
        def wrapped(*arguments: Any, **others: Any) -> Any:
            given = {one.name: others.pop(one.name) for one in known}
            return command(*arguments, **{into: given}, **others)

        for one in reversed(known):
            wrapped = _option(one)(wrapped)
        return wrapped

    return decorate


def option(name: str, annotation: Any, default: Any) -> Callable[[_Command], _Command]:
    """Add the option of a setting that is described by itself, such as `Seed`, as a parameter of this name."""
    kind, opt = get_args(annotation)
    return _option(Setting(name, kind, opt, default))


def _option(setting: Setting) -> Callable[[_Command], _Command]:
    name, _, opt, default = setting
    kind, is_listed = _kind(setting.kind)
    if kind is bool:
        return click.option(opt.option(name), name, is_flag=True, help=opt.text)
    shown = not opt.default and default not in (None, ())
    return click.option(
        *(opt.flags or (opt.option(name),)),
        name,
        cls=Option,
        listed=is_listed,
        instead_of=opt.instead_of,
        type=_type(kind, opt.allowed),
        default=None if default == () else default,
        show_default=shown,
        metavar=opt.metavar,
        help=f"{opt.text}  [default: {opt.default}]" if opt.default else opt.text,
    )


def _kind(annotation: Any) -> tuple[Any, bool]:
    """Return the kind of one value, and whether there may be several."""
    if get_origin(annotation) is tuple:
        return get_args(annotation)[0], True
    if isinstance(annotation, UnionType):
        return next(one for one in get_args(annotation) if one is not type(None)), False
    return annotation, False


def _type(kind: Any, allowed: Range | tuple[str, ...] | None) -> Any:
    if isinstance(allowed, Range):
        return Number(allowed)
    if allowed is not None:
        return Choice(allowed)
    return PATH if kind is Path else None
