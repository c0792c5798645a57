"""Settings described once: what each means and what it may be. Options, checks and docstrings are made of that.

A setting is a field of a frozen dataclass, as in `top_k: Annotated[int, Opt("Hits to ask for per query.", HITS)] = 20`.
The class has `described` as its decorator, and calls `check_described` in `__post_init__`; `cli.settings_options` makes
the options of a command of it.
"""

import re
from dataclasses import MISSING, Field, fields
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_origin

from benchbench.errors import InputError, visible
from benchbench.tables.numbers import BATCH, COUNT_OR_0, HITS, PLACES, SEED, SHARE, WORKERS, Range

_HEADING = "    Attributes\n    ----------\n"
_ATTRIBUTE = re.compile(r"^(?=    (\w+)\n)(    .*\n(?:        .*\n)+)", re.MULTILINE)  # its name, and all of it
_Class = TypeVar("_Class", bound=type)

AS_PROTOCOL_ALLOWS: Any = None  # of settings that name no `batch_size`
NO_CLUSTER = "none"  # of `--cluster`, where a data set or a run names a column
USUAL_GIVE_UP_AFTER = 16  # more than the default concurrency: requests that fail together are one event, no outage


class Opt(NamedTuple):
    """What a setting means, and what it may be.

    Attributes
    ----------
    text
        A sentence without its default.
    allowed
        The range of a number, or of each of several; or the words that it may be.
    flags
        Names of its option; of none `--name`.
    default
        How its default is told where it is not the value itself.
    metavar
        What stands for its value in `--help`; of none what its type says.
    instead_of
        Settings whose value in the project file goes when this one is on the command line.
    """

    text: str
    allowed: Range | tuple[str, ...] | None = None
    flags: tuple[str, ...] = ()
    default: str = ""
    metavar: str | None = None
    instead_of: tuple[str, ...] = ()

    def option(self, name: str) -> str:
        """Return the longest of the names that a setting of this name has on the command line."""
        return max(self.flags, key=len, default=f"--{name.replace('_', '-')}")


Cluster = Annotated[
    str | None,
    Opt("Column of the queries that says which belong together, such as those of one document.", metavar="COLUMN"),
]
AllowDifferent = Annotated[bool, Opt("Compare what went by other rules, other data or other queries too.")]
Slices = Annotated[
    tuple[str, ...], Opt("Compare within each value of this column.", flags=("--slice",), metavar="COLUMN")
]
BatchSize = Annotated[
    int, Opt("Queries per request.", BATCH, default="32, or 1 where the protocol takes one query per request")
]
Depth = Annotated[int, Opt("Hits to ask for per query.", HITS, default="20, or 20 more than a cut-off beyond 10")]
Concurrency = Annotated[int, Opt("Requests under way at once.", PLACES)]
Moved = Annotated[int, Opt("Queries to show that moved most.", COUNT_OR_0)]
Encoding = Annotated[
    str | None, Opt("Encoding of the input, e.g. gb18030. UTF encodings are detected.", metavar="NAME")
]
SkipBadLines = Annotated[bool, Opt("Skip lines that cannot be read, and count them.")]
Workers = Annotated[int, Opt("Processes that share the requests; at most one per request under way.", WORKERS)]
GiveUpAfter = Annotated[
    int,
    Opt("Requests in a row without anything usable after which the service is given up; 0: never.", COUNT_OR_0),
]
MaxErrorRate = Annotated[float, Opt("Share of queries that may fail before the exit code is 4.", SHARE)]
Seed = Annotated[int, Opt("Seed of what is left to chance.", SEED)]


class Setting(NamedTuple):
    """A setting of a class: its name, its kind of value, its description and its default."""

    name: str
    kind: Any
    opt: Opt
    default: Any


def described_settings(settings: type) -> list[Setting]:
    """Return the described settings of a class, in their order."""
    return [Setting(one.name, *annotated, _default(one)) for one in fields(settings) if (annotated := _annotated(one))]


def described(settings: _Class) -> _Class:
    """Say in the docstring of a class what its settings are, beside the attributes that stand there already."""
    text, _, written = (settings.__doc__ or "").rstrip().partition(_HEADING)
    attributes = dict(_ATTRIBUTE.findall(f"{written}\n"))
    attributes |= {name: _attribute(name, opt, default) for name, _, opt, default in described_settings(settings)}
    own = "".join(attributes[one.name] for one in fields(settings) if one.name in attributes)
    settings.__doc__ = f"{text.rstrip()}\n\n{_HEADING}{own}    "
    return settings


def check_described(settings: Any) -> None:
    """Make numbers Python's own, and of a list, of which one may stand alone, a tuple; InputError names the option.

    What is None by default may be None.
    """
    for name, kind, opt, default in described_settings(type(settings)):
        given, option = getattr(settings, name), opt.option(name)
        if given is None and default is None:
            continue
        if get_origin(kind) is tuple:
            given = tuple(given) if isinstance(given, tuple | list) else (given,)
            object.__setattr__(settings, name, given)
        if isinstance(opt.allowed, Range):
            if isinstance(given, tuple):
                given = tuple(opt.allowed.take(one, option) for one in given)
            else:
                given = opt.allowed.take(given, option)
                given = given if opt.allowed.whole else float(given)
            object.__setattr__(settings, name, given)
        elif opt.allowed is not None and given not in opt.allowed:
            raise InputError(f"{option} is one of {', '.join(opt.allowed)}, and not {visible(str(given))}")


def _annotated(one: "Field[Any]") -> tuple[Any, Opt] | None:
    """Return the kind and the description of a field; None where it is not described."""
    if get_origin(one.type) is not Annotated:
        return None
    kind, *notes = get_args(one.type)
    return next(((kind, note) for note in notes if isinstance(note, Opt)), None)


def _default(one: "Field[Any]") -> Any:
    return None if one.default is MISSING else one.default


def _attribute(name: str, opt: Opt, default: Any) -> str:
    is_told = not (default is None or default is False or default == ())
    told = opt.default or (f"{default}" if is_told else "")
    by_default = f" Default: {told}." if told else ""
    return f"    {name}\n        {opt.text}{by_default} (`{opt.option(name)}`)\n"
