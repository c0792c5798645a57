"""What a result was measured with, and where; no secret."""

import os
import platform
import re
import sys
from collections.abc import Sequence
from functools import cache

import benchbench
from benchbench.results.record import Environment
from benchbench.tables.cores import usable_cores
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
    said = getattr(sys.modules.get(name), "__version__", None)  # ten times as fast as to look it up
    if isinstance(said, str):
        return said
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


def _shown_url(url: "re.Match[str]") -> str:
    return url[1] + without_keys(url[2])


def shown_command(words: Sequence[str]) -> list[str]:
    """Return the words without what may be secret: user, password, query and keys in URLs, values of headers."""
    shown = [re.sub(r"(https?://)(?:\S*@)?([^\s?#]*)\S*", _shown_url, word) for word in words]
    for place, word in enumerate(shown):
        if word == "--header" and place + 1 < len(shown):
            shown[place + 1] = f"{shown[place + 1].partition(':')[0]}: [hidden]"
        elif word.startswith("--header="):
            shown[place] = f"{word.partition(':')[0]}: [hidden]"
    return shown
