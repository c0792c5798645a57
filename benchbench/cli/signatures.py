"""Commands made of their signatures: a parameter that is described is an option, and a group of options is a parameter.

    @described_command("score")
    def command(qrels: File, runs: Files, rel: Annotated[float | None, Opt("Lowest grade.", GRADE)] = None) -> None:

A parameter is described by an `Opt` of `results.settings`, or by an `Argument`. That of a group has as its type
`Options`, or a class of described settings; or is annotated with what makes its value of options: a function, whose
parameters are described too, or the `Fields` of a class.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from types import FunctionType
from typing import Annotated, Any, NamedTuple, get_args, get_origin

import click

from benchbench.cli.numbers import Number, Time
from benchbench.cli.parameters import PATH, Choice, Named, Option
from benchbench.cli.project_file import Command
from benchbench.results.ranges import Range
from benchbench.results.settings import OUTPUT, DescribedSetting, Opt, setting, told

VERBOSE = "benchbench.verbose"  # in a context's `meta`


class Argument(NamedTuple):
    """What stands without a name on the command line; several, where the type is a tuple."""

    metavar: str | None = None


class After(NamedTuple):
    """The option after which a parameter's own stand in `--help`, where that is not the one before it."""

    name: str


class Options:
    """A group of options: its attributes are described, as parameters are. A dataclass would take a ms to be made."""

    def __init__(self, **given: Any) -> None:
        """Take the values."""
        self.__dict__.update(given)


class Fields(NamedTuple):
    """The described settings of a class, which a command receives as a mapping; those of `but` are its own."""

    settings: type
    but: tuple[str, ...] = ()


class Made(NamedTuple):
    """Options that are made in another way; the value is that of the one of the parameter's name."""

    options: Callable[[], Sequence[click.Parameter]]


File = Annotated[Path, Argument()]
Files = Annotated[tuple[Path, ...], Argument()]


def described_command(
    name: str, *more: tuple[Callable[[], click.Option], str], within: click.Group | None = None
) -> Callable[[Callable[..., None]], click.Command]:
    """Make a command of a function; `--quiet` and `--verbose` come last.

    Parameters
    ----------
    name
        What is typed.
    more
        Options that do something by themselves, each with the name of the one before it.
    within
        The group that it is of.
    """

    def decorate(function: Callable[..., None]) -> click.Command:
        places: list[tuple[click.Parameter, str]] = [(made(), after) for made, after in more]
        params = [*_options(function, places), *sectioned(_loudness(), OUTPUT)]
        for param, after in places:
            params.insert(1 + next(n for n, one in enumerate(params) if one.name == after), param)
        made = Command(name, callback=lambda **values: _call(function, values), params=params, help=function.__doc__)
        if within is not None:
            within.add_command(made)
        return made

    return decorate


def sectioned(params: list[click.Parameter], section: str) -> list[click.Parameter]:
    """Say under which heading of the help options stand that have none yet."""
    for param in params:
        if section and not getattr(param, "section", ""):
            param.section = section  # type: ignore[attr-defined]
    return params


def at_once(name: str, text: str, work: Callable[[], None]) -> Callable[[], click.Option]:
    """Return what makes an option that does something in place of the command."""

    def done(context: click.Context, _: click.Parameter, wanted: bool) -> None:
        if wanted:
            work()
            context.exit()

    return lambda: click.Option([name], is_flag=True, is_eager=True, expose_value=False, callback=done, help=text)


class _Parameter:
    """A parameter of a command, or of a group.

    `group` is what makes its value of several options; None where it is one option, or none.
    """

    __slots__ = ("annotation", "default", "group", "kind", "name", "notes", "parameter")

    def __init__(self, name: str, annotation: Any, default: Any) -> None:
        self.name, self.annotation, self.default = name, annotation, default
        self.notes: dict[type, Any] = {type(one): one for one in getattr(annotation, "__metadata__", ())}
        self.kind = annotation.__origin__ if self.notes else annotation
        opt = self.notes.get(Opt)
        self.parameter = (opt and opt.parameter) or name  # as click has it
        self.group = self.notes.get(Fields) or self.notes.get(FunctionType)
        if opt is None and self.group is None and isinstance(self.kind, type):
            self.group = self.kind if issubclass(self.kind, Options) or is_dataclass(self.kind) else None

    def type(self) -> Any:
        """Return the type that click converts it to, where it is annotated."""
        return next((one for one in self.notes.values() if isinstance(one, click.ParamType)), None)

    def own(self) -> Iterator[click.Parameter]:
        """Yield its option or argument, or what was made for it."""
        required = self.default is MISSING
        described = setting(self.name, self.annotation, None if required else self.default)
        if described is not None:
            yield _option(described, self.type() if len(self.notes) > 1 else None, required)
        elif Made in self.notes:
            yield from self.notes[Made].options()
        elif Argument in self.notes:
            is_path = Path in (self.kind, *get_args(self.kind))
            yield click.Argument(
                [self.name],
                type=self.type() or (PATH if is_path else None),
                metavar=self.notes[Argument].metavar,
                nargs=-1 if get_origin(self.kind) is tuple else 1,
                required=required,
            )


def _parameters(function: Any) -> list[_Parameter]:
    """Return the parameters of a function or class; of `Fields` those that are described."""
    if isinstance(function, Fields):
        return [one for one in _parameters(function.settings) if Opt in one.notes and one.name not in function.but]
    if is_dataclass(function):
        return [_Parameter(one.name, one.type, one.default) for one in fields(function)]
    if isinstance(function, type):
        kinds: dict[str, Any] = {}
        for one in reversed(function.__mro__):
            kinds |= vars(one).get("__annotations__", {})
        return [_Parameter(name, kind, getattr(function, name, MISSING)) for name, kind in kinds.items()]
    positional = function.__code__.co_varnames[: function.__code__.co_argcount]  # inspect.signature takes 0.1 ms
    defaults = dict(zip(reversed(positional), reversed(function.__defaults__ or ()), strict=False))
    defaults |= function.__kwdefaults__ or {}
    kinds = {name: kind for name, kind in function.__annotations__.items() if name != "return"}
    return [_Parameter(name, kind, defaults.get(name, MISSING)) for name, kind in kinds.items()]


def _options(function: Any, places: list[tuple[click.Parameter, str]]) -> list[click.Parameter]:
    """Return the options of a command or a group; those that stand elsewhere go to `places`, the last one first."""
    found: list[click.Parameter] = []
    for one in _parameters(function):
        params = [*one.own()] if one.group is None else _options(one.group, places)
        opt = one.notes.get(Opt)
        group = function.settings if isinstance(function, Fields) else function
        sectioned(params, opt.section if opt and opt.section else getattr(group, "__section__", ""))
        if after := one.notes.get(After):
            places += [(param, after.name) for param in reversed(params)]
        else:
            found += params
    return found


def _call(function: Any, values: dict[str, Any]) -> Any:
    """Return what a command or a group makes of the values of the options."""
    given: dict[str, Any] = {}
    for one in _parameters(function):
        if one.annotation is click.Context:
            given[one.name] = click.get_current_context()
        elif one.group is not None:
            given[one.name] = _call(one.group, values)
        elif one.default is MISSING or not one.notes.keys().isdisjoint((Opt, Argument, Made)):
            given[one.name] = values[one.parameter]
    return given if isinstance(function, Fields) else function(**given)


def _option(described: DescribedSetting, kind: Any, required: bool) -> click.Option:
    name, _, opt, default, is_list, _ = described
    name = opt.parameter or name
    names = [*(opt.flags or (opt.option(name),)), name]
    text = f"{opt.text}  [default: {opt.default}]" if opt.default else opt.text
    given: dict[str, Any] = {} if default in (None, ()) else {"default": default}
    if opt.is_time:
        given = {"default": told(opt, default)}
    if described.kind is bool:
        return click.Option(names, is_flag=True, hidden=opt.is_hidden, help=text, **given)
    return Option(
        names,
        listed=is_list and not opt.is_repeated,
        multiple=is_list,
        instead_of=opt.instead_of,
        old=opt.old,
        type=kind or _type(described),
        required=required,
        show_default=not opt.default and default not in (None, (), ""),
        metavar=opt.metavar,
        envvar=opt.variable,
        hidden=opt.is_hidden,
        help=text,
        **given,
    )


def _type(described: DescribedSetting) -> Any:
    allowed = described.opt.allowed
    if described.opt.is_time:
        return Time()
    if described.opt.completed:
        return Named(*described.opt.completed)
    if isinstance(allowed, Range):
        return Number(allowed)
    if allowed is not None:
        return Choice(allowed)
    return PATH if described.kind is Path else None


def keep(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    """Return a callback that keeps the value of an option in the context's `meta`."""

    def kept(context: click.Context, _: click.Parameter, value: Any) -> None:
        context.meta[name] = value

    return kept


def _loudness() -> list[click.Parameter]:
    """Return `--quiet` and `--verbose`; reports and errors read verbose themselves."""
    keeps = keep(VERBOSE)
    return [
        click.Option(["-q", "--quiet"], is_flag=True, help="Show no progress and no notes on standard error."),
        click.Option(
            ["-v", "--verbose"],
            is_flag=True,
            expose_value=False,
            callback=keeps,
            help="Show all notes, and tracebacks.",
        ),
    ]
