"""Settings described once: what each means and what it may be. Options, checks and docstrings are made of that.

A setting is a field of a frozen dataclass, as in `top_k: Annotated[int, Opt("Hits to ask for per query.", HITS)] = 20`.
The class has `described` as its decorator, and calls `check_described` in `__post_init__`; `cli.signatures` makes
the options of a command of it.
"""

import re
from dataclasses import MISSING, Field, fields
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin

from benchbench.errors import InputError, visible
from benchbench.results.ranges import (
    BATCH,
    COUNT_OR_0,
    HITS,
    MEGABYTES,
    PLACES,
    SECONDS,
    SEED,
    SHARE,
    TIMEOUT,
    WORKERS,
    Range,
)

_HEADING = "    Attributes\n    ----------\n"
_ATTRIBUTE = r"^(?=    (\w+)\n)(    .*\n(?:        .*\n)+)"  # its name, and all of it
_Class = TypeVar("_Class", bound=type)

AS_PROTOCOL_ALLOWS: Any = None  # of settings that name no `batch_size`
AS_MEASURES_NEED: Any = None  # … and no `top_k`
NO_CLUSTER = "none"  # of `--cluster`, where a data set or a run names a column
USUAL_GIVE_UP_AFTER = 16  # more than the default concurrency: requests that fail together are one event, no outage


class Opt(NamedTuple):
    """What a setting means, and what it may be.

    Attributes
    ----------
    text
        A sentence without its default.
    allowed
        The range of a number, or of each of several; or the words that it may be, where its type is not `Literal`.
    flags
        Names of its option; of none `--name`.
    default
        How its default is told where it is not the value itself.
    metavar
        What stands for its value in `--help`; of none what its type says.
    instead_of
        Settings whose value in the project file goes when this one is on the command line.
    old
        Names that its option had, which still work.
    is_repeated
        Whether several are given by several options, and a comma is part of a value.
    is_time
        Whether a number of seconds may be written as 500ms, 30s or 2m.
    is_hidden
        Whether `--help` leaves it out.
    variable
        Of the environment, that has its value where no option gives it.
    parameter
        Its name among all options of a command, where another one has that of the setting.
    completed
        Names that may stand for a file or folder, as a shell completes them.
    """

    text: str
    allowed: Range | tuple[str, ...] | None = None
    flags: tuple[str, ...] = ()
    default: str = ""
    metavar: str | None = None
    instead_of: tuple[str, ...] = ()
    old: tuple[str, ...] = ()
    is_repeated: bool = False
    is_time: bool = False
    is_hidden: bool = False
    variable: str | None = None
    completed: tuple[str, ...] = ()
    parameter: str = ""

    def __repr__(self) -> str:
        """Return the sentence, as the help of Python and notebooks show it in a signature."""
        return repr(self.text)

    def option(self, name: str) -> str:
        """Return the longest of the names that a setting of this name has on the command line, or what turns it off."""
        return max(self.flags, key=len, default=f"--{name.replace('_', '-')}").rpartition("/")[2]


Cluster = Annotated[
    str | None,
    Opt("Column that groups queries that belong together, such as those on one document.", metavar="COLUMN"),
]
AllowDifferent = Annotated[bool, Opt("Compare even if rules, data or queries differ.")]
Slices = Annotated[
    tuple[str, ...], Opt("Compare within each value of this column.", flags=("--slice",), metavar="COLUMN")
]
BatchSize = Annotated[
    int, Opt("Queries per request.", BATCH, default="32, or 1 where the protocol takes one query per request")
]
Depth = Annotated[int, Opt("Hits to ask for per query.", HITS, default="20, or 20 more than a cut-off beyond 10")]
Concurrency = Annotated[int, Opt("Requests under way at once.", PLACES)]
Moved = Annotated[int, Opt("Queries to show: those that changed most.", COUNT_OR_0)]
Encoding = Annotated[
    str | None, Opt("Encoding of the input, e.g. gb18030. UTF encodings are detected.", metavar="NAME")
]
SkipBadLines = Annotated[bool, Opt("Skip lines that cannot be read, and count them.")]
Workers = Annotated[int, Opt("Processes that share the requests; at most one per request under way.", WORKERS)]
GiveUpAfter = Annotated[
    int,
    Opt("Give up on the service after so many failed requests in a row; 0: never.", COUNT_OR_0),
]
MaxErrorRate = Annotated[float, Opt("Share of queries that may fail before the exit code is 4.", SHARE)]
Seed = Annotated[int, Opt("Seed of the random numbers.", SEED)]
TopK = Annotated[int, Opt("Hits to ask for per query.", HITS)]
CaFile = Annotated[Path | None, Opt("Certificates to trust instead of the system's (PEM).")]
Timeout = Annotated[float, Opt("Seconds for a whole attempt.", TIMEOUT)]
RetryFor = Annotated[
    float,
    Opt(
        "How long an outage may last; before the first usable answer, 3 attempts in total. 0: no second attempt.",
        SECONDS,
        is_time=True,
    ),
]
Retries = Annotated[int | None, Opt("Further attempts per request, instead of --retry-for.", COUNT_OR_0)]
MaxResponseMb = Annotated[int, Opt("Largest response in MB, uncompressed.", MEGABYTES)]


class DescribedSetting(NamedTuple):
    """A setting of a class, or of a command: its name, the kind of one value, its description and its default.

    Attributes
    ----------
    is_list
        Whether there may be several values.
    is_optional
        Whether None is a value.
    """

    name: str
    kind: Any
    opt: Opt
    default: Any
    is_list: bool
    is_optional: bool


def setting(name: str, annotation: Any, default: Any) -> DescribedSetting | None:
    """Return the setting that an annotation describes; None where it describes none."""
    if get_origin(annotation) is not Annotated:
        return None
    kind, *notes = get_args(annotation)
    opt = next((note for note in notes if isinstance(note, Opt)), None)
    if opt is None:
        return None
    is_optional = default is None
    if get_origin(kind) in (Union, UnionType):
        is_optional = is_optional or type(None) in get_args(kind)
        kinds = [other for other in get_args(kind) if other is not type(None)]
        kind = Path if Path in kinds else kinds[0]
    is_list = get_origin(kind) is tuple
    kind = get_args(kind)[0] if is_list else kind
    if get_origin(kind) is Literal and opt.allowed is None:
        opt = opt._replace(allowed=get_args(kind))
    return DescribedSetting(name, kind, opt, default, is_list, is_optional)


def described_settings(settings: type) -> list[DescribedSetting]:
    """Return the described settings of a class, in their order."""
    return [found for one in fields(settings) if (found := setting(one.name, one.type, _default(one)))]


def described(settings: _Class) -> _Class:
    """Say in the docstring of a class what its settings are, beside the attributes that stand there already."""
    text, _, written = (settings.__doc__ or "").rstrip().partition(_HEADING)
    attributes = dict(re.findall(_ATTRIBUTE, f"{written}\n", re.MULTILINE)) if written else {}
    attributes |= {one.name: _attribute(one.name, one.opt, one.default) for one in described_settings(settings)}
    own = "".join(attributes[one.name] for one in fields(settings) if one.name in attributes)
    settings.__doc__ = f"{text.rstrip()}\n\n{_HEADING}{own}    "
    return settings


def shown_settings(settings: Any) -> dict[str, Any]:
    """Return the described settings as JSON values, by their names."""
    values = ((one.name, getattr(settings, one.name)) for one in described_settings(type(settings)))
    return {name: str(value) if isinstance(value, Path) else value for name, value in values}


def check_described(settings: Any) -> None:
    """Make numbers Python's own, and of a list, of which one may stand alone, a tuple; InputError names the option.

    What is None by default, or says so in its type, may be None.
    """
    for name, _, opt, _, is_list, is_optional in described_settings(type(settings)):
        given, option = getattr(settings, name), opt.option(name)
        if given is None and is_optional:
            continue
        if is_list:
            given = tuple(given) if isinstance(given, tuple | list) else (given,)
            object.__setattr__(settings, name, given)
        if isinstance(opt.allowed, Range):
            if isinstance(given, tuple):
                given = tuple(opt.allowed.take(value, option) for value in given)
            else:
                given = opt.allowed.take(given, option)
                given = given if opt.allowed.whole else float(given)
            object.__setattr__(settings, name, given)
        elif opt.allowed is not None and given not in opt.allowed:
            raise InputError(f"{option} is one of {', '.join(opt.allowed)}, and not {visible(str(given))}")


def _default(described: "Field[Any]") -> Any:
    return None if described.default is MISSING else described.default


def told(opt: Opt, default: Any) -> str:
    """Return what a reader is told of a default; empty where there is none."""
    if opt.default or default is None or isinstance(default, bool):
        return opt.default
    if isinstance(default, tuple):
        return ", ".join(map(str, default))
    if not opt.is_time:
        return f"{default}"
    return f"{default / 60:g}min" if default > 60 else f"{default:g}s"


def _attribute(name: str, opt: Opt, default: Any) -> str:
    by_default = f" Default: {usual}." if (usual := told(opt, default)) else ""
    return f"    {name}\n        {opt.text}{by_default} (`{opt.option(name)}`)\n"
