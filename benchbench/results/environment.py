"""What a result was measured with, and where; no secret."""

import os
import platform
import re
import sys
from collections.abc import Sequence
from functools import cache

import benchbench
from benchbench.processes import usable_cores
from benchbench.results.record import Environment
from benchbench.tables.random_keys import without_keys


def environment(libraries: Sequence[str]) -> Environment:
    """Return the versions of Python and some libraries, the host, and the command line without what may be secret."""
    return Environment(
        versions={
            "benchbench": benchbench.__version__,
            "python": platform.python_version(),
            **{name: _version(name) for name in libraries},
        },
        host=_host(),
        command=shown_command(sys.argv[1:]),
    )


def _version(name: str) -> str:
    known = getattr(sys.modules.get(name), "__version__", None)  # ten times as fast as to look it up
    if isinstance(known, str):
        return known
    from importlib.metadata import version

    return version(name)


@cache
def _host() -> dict[str, object]:
    return {
        "system": platform.platform(),
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
        "usable_cpus": usable_cores(),
    }


_URL = re.compile(r"([A-Za-z][\w+.-]*://)(?:\S*@)?([^\s?#]*)\S*")  # of services, and of databases
_WHOLE_URL = re.compile(r"([A-Za-z][\w+.-]*://)(?:.*@)?([^?#]*).*", re.DOTALL)  # with blanks in a password


def _shown_url(url: "re.Match[str]") -> str:
    return url[1] + without_keys(url[2])


def shown_command(words: Sequence[str]) -> list[str]:
    """Return the words without what may be secret: user, password, query and keys in URLs, values of headers."""
    shown = list(words)
    for place, word in enumerate(words):
        option, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
        before = words[place - 1] if place else ""
        if option == "--header" and equals:
            shown[place] = f"{option}={_shown_header(value)}"
        elif before == "--header":
            shown[place] = _shown_header(word)
        elif (option == "--store" and equals) or before == "--store":
            shown[place] = _WHOLE_URL.sub(_shown_url, word)
        else:
            shown[place] = _URL.sub(_shown_url, word)
    return shown


def _shown_header(header: str) -> str:
    return f"{header.partition(':')[0]}: [hidden]"
