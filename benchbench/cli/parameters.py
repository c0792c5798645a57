"""One kind of option for all commands: its names, its lists, and one wording for what it refuses."""

import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import click.shell_completion

from benchbench.errors import InputError, visible

WRITTEN = "benchbench.written"  # in a context's `meta`: parameter -> the names under which it was given
PLACE = "benchbench.place"  # … what a message says of the project file's table, where one is used
_COMMA = r",(?![^()]*\))"  # outside parentheses, as of P(rel=2,x=1)@5
_NUMBER = r"[0-9]+\.?[0-9]*|\.[0-9]+"
_OF_STEP = r"batch [0-9]+( \([0-9]+\))?\..+"  # the end of `10 requests/s, batch 4.p50`
_GOES_ON = r"[^\W\d].*[._][0-9][0-9.,]*"  # with numbers, as P.5 does in P.5,10


class Option(click.Option):
    """An option that may have old names, and take a list."""

    def __init__(
        self,
        *arguments: Any,
        old: Sequence[str] = (),
        listed: bool = False,
        instead_of: Sequence[str] = (),
        **settings: Any,
    ) -> None:
        """Take what `click.Option` takes.

        Parameters
        ----------
        old
            Names that work, are shown nowhere, and are answered with the name that there is.
        listed
            Whether it takes many values, repeated or with commas between them; each counts once.
        instead_of
            Parameters whose value in the project file goes when this option is on the line.
        """
        self.old, self.listed, self.instead_of = tuple(old), listed, tuple(instead_of)
        settings["multiple"] = listed or settings.get("multiple", False)
        super().__init__(*arguments, **settings)

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Give each name a place of its own, so that a message can say the one that was written."""
        for name in (*self.opts, *self.old):
            one = copy.copy(self)
            one.name, one.opts = f"{self.name} {name}", [name]
            click.Option.add_to_parser(one, parser, ctx)

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> tuple[Any, Any]:
        """Return the value that was given under any of the names, and where it comes from."""
        given = {name: opts[key] for name in (*self.opts, *self.old) if (key := f"{self.name} {name}") in opts}
        if given:
            ctx.meta.setdefault(WRITTEN, {})[self.name] = tuple(given)
            if len(given) > 1 and not self.multiple:
                raise InputError(f"{' and '.join(given)} are one option; give it once")
            values = [one for many in given.values() for one in many] if self.multiple else next(iter(given.values()))
            opts = {**opts, str(self.name): values}
        return super().consume_value(ctx, opts)

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        """Return the values as their type has them."""
        if not self.listed:
            return super().type_cast_value(ctx, value)
        if isinstance(value, list | tuple):
            value = tuple(part for one in value for part in _parts(one))
        values = super().type_cast_value(ctx, value)
        return tuple(dict.fromkeys(values)) if isinstance(values, tuple) else values

    def shell_complete(self, ctx: click.Context, incomplete: str) -> Any:
        """Complete the last value of a list."""
        before, comma, last = incomplete.rpartition(",") if self.listed else ("", "", incomplete)
        items = super().shell_complete(ctx, last)
        for item in items:
            item.value = f"{before}{comma}{item.value}"
        return items


def _parts(value: Any) -> Iterator[Any]:
    """Yield what stands between commas, but for those within one value."""
    if not isinstance(value, str):
        yield value
        return
    before, *others = (part.strip() for part in re.split(_COMMA, value))
    for part in others:
        if re.fullmatch(_GOES_ON, before) and re.fullmatch(_NUMBER, part):
            before = f"{before},{part}"
        elif re.fullmatch(_OF_STEP, part):
            before = f"{before}, {part}"
        else:
            yield before
            before = part
    yield before


def long_name(param: click.Parameter) -> str:
    """Return the name that a message and the project file have for an option; for an argument, that of its usage."""
    return max(param.opts, key=len) if isinstance(param, click.Option) else param.human_readable_name


def called(param: click.Parameter | None, ctx: click.Context | None) -> str:
    """Return what a message calls a parameter: as it was written, on the line or in the project file."""
    if param is None:
        return "a value"
    written = ctx.meta.get(WRITTEN, {}).get(param.name) if ctx else None
    if written:
        return str(written[-1])
    source = ctx.get_parameter_source(str(param.name)) if ctx else None
    if ctx and source is click.core.ParameterSource.DEFAULT_MAP:
        return f"{long_name(param).lstrip('-')} of {ctx.meta[PLACE]}"
    return long_name(param)


def on_the_line(ctx: click.Context, name: str) -> bool:
    """Say whether a parameter was given on the command line."""
    return ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


class Choice(click.Choice):  # type: ignore[type-arg]  # a generic only since click 8.2
    """One of some words, refused in the words in which settings refuse it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the word; InputError names the option."""
        if value not in self.choices:
            raise InputError(f"{called(param, ctx)} {visible(repr(value))} is not one of {', '.join(self.choices)}")
        return value


class _Place(click.Path):
    """A file or a folder, there or not."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path; InputError names the option."""
        if value == "" or not isinstance(value, str | Path) or "\0" in str(value):
            raise InputError(f"{called(param, ctx)} is the path of a file or folder, and not {visible(repr(value))}")
        return super().convert(value, param, ctx)


PATH = _Place(path_type=Path)


class Address(click.ParamType):  # type: ignore[type-arg]  # a generic only since click 8.2
    """A file, or the URL of a database; that may have a password, so that no message quotes it."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text as it stands; InputError names the option."""
        if value == "" or not isinstance(value, str) or "\0" in value:
            raise InputError(f"{called(param, ctx)} is a file, or the URL of a database")
        return value

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[click.shell_completion.CompletionItem]:
        """Complete files."""
        return PATH.shell_complete(ctx, param, incomplete)


class Named(click.ParamType):  # type: ignore[type-arg]  # a generic only since click 8.2
    """The name of something that is known, or a file or folder."""

    name = "text"

    def __init__(self, *names: str) -> None:
        """Take the names that a shell completes."""
        self.names = names

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text as it stands."""
        return str(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[click.shell_completion.CompletionItem]:
        """Complete names, and files."""
        names = [click.shell_completion.CompletionItem(one) for one in self.names if one.startswith(incomplete)]
        return [*names, *PATH.shell_complete(ctx, param, incomplete)]
