"""The tools that can be measured: how each is called, and how its output is read."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from benchbench.errors import InputError
from benchbench.processes import python
from benchbench.profile.machine import installed
from benchbench.profile.peers import MEASURES, TREC_FAMILIES, TREC_NAMES, Means

PACKAGES = {"pytrec_eval": "pytrec-eval-terrier", "ir_measures": "ir-measures", "ranx": "ranx"}
PEERS = (*PACKAGES, "trec_eval")
_ALONE = tuple(python("-m", "benchbench.profile.peers"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A command that takes qrels and a run, and what its means are read with.

    `again` is the command that evaluates a second time in memory, None where a tool has no such way. Means may
    differ from ours by `tolerance`.
    """

    name: str
    package: str
    version: str | None
    command: tuple[str, ...]
    means: Callable[[str], Means]
    again: tuple[str, ...] | None = None
    tolerance: float = 1e-6


def ours() -> Tool:
    """Return this engine: the command `benchbench score` itself."""
    measures = (word for name in MEASURES for word in ("-m", name))
    command = tuple(python("-m", "benchbench", "score", "--format", "json", *measures))
    return Tool(
        name="benchbench",
        package="benchbench",
        version=installed("benchbench"),
        command=command,
        means=_scored,
        again=(*_ALONE, "benchbench"),
    )


def peers(names: Iterable[str] = ()) -> list[Tool]:
    """Return the named peers, or all that are installed.

    Raises
    ------
    InputError
        A peer was named and is not installed.
    """
    wanted = list(dict.fromkeys(names))
    installed = [tool for tool in map(_peer, wanted or PEERS) if tool is not None]
    for name in wanted:
        if name not in [tool.name for tool in installed]:
            how = f"pip install {PACKAGES[name]}" if name in PACKAGES else "build it and put it on PATH"
            raise InputError(f"--peers {name} is not installed; {how}, or leave it out")
    return installed


def _peer(name: str) -> Tool | None:
    if name in PACKAGES:
        package = PACKAGES[name]
        command, version = (*_ALONE, name), installed(package)
        tool = Tool(name=name, package=package, version=version, command=command, means=printed, again=command)
        return tool if version else None
    path = shutil.which(name)
    if path is None:
        return None
    families = (word for family in TREC_FAMILIES for word in ("-m", family))
    # It prints four decimals only.
    return Tool(
        name=name,
        package=name,
        version=_trec_version(path),
        command=(path, *families),
        means=_listed,
        tolerance=5e-5 + 1e-6,
    )


def _trec_version(path: str) -> str | None:
    try:
        done = subprocess.run([path, "-v"], stdin=subprocess.DEVNULL, capture_output=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    number = re.search(rb"version (\S+)", done.stdout + done.stderr)
    return number[1].decode(errors="replace") if number else None


def printed(output: str) -> Means:
    """Return the means that a child of `benchbench.profile.peers` printed."""
    return _twelve(json.loads(output)["means"])


def _scored(output: str) -> Means:
    return _twelve(json.loads(output)["runs"][0]["measures"])


def _listed(output: str) -> Means:
    means = {name: float(value) for name, _, value in (line.split() for line in output.splitlines())}
    return {ours: means[theirs] for ours, theirs in zip(MEASURES, TREC_NAMES, strict=True)}


def _twelve(means: Means) -> Means:
    return {name: float(means[name]) for name in MEASURES}
