"""CPU time, wall time and memory of every command's start, in turn with another checkout of benchbench.

usage: python benchmarks/start.py [--against FOLDER] [--rounds 5] [--only WORDS]

`--against` names the root of another checkout; the same interpreter and packages run both. Kernels are compiled before
the first round, and each side writes the results and the history that it reads. CPU time is that of the command and of
the processes that it starts and waits for: other work on a machine changes it less than wall time. Memory is that of
its largest process. Known bias: a machine under load takes more CPU time for the same work too, so compare ratios.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from machine import describe

_HERE = Path(__file__).parents[1]
_QUERIES, _DOCUMENTS = 50, 100
_CLICK = "python -c 'import click'"
_SHARED = {
    "score, 50 queries": ["score", "qrels.txt", "first.run", "-m", "nDCG@10", "-m", "RR", "-m", "R@100"],
    "compare, two run files": ["compare", "qrels.txt", "first.run", "second.run", "-m", "nDCG@10"],
    "history list": ["history", "list", "--store", "history.db"],
    "show of a run": ["show", "shown"],
    "run (default)": ["run", "--batch-size", "32", "--out", "OUT"],
}
_BEFORE = (  # what the commands above read
    ["run", "--batch-size", "32", "--out", "shown"],
    ["history", "add", "shown", "--store", "history.db"],
)


class Cost(NamedTuple):
    """What a command takes: seconds of CPU, seconds, megabytes."""

    cpu: float
    wall: float
    memory: float


class Checkout:
    """A checkout, with a folder of its own for what its commands read and keep."""

    def __init__(self, name: str, root: Path, folder: Path) -> None:
        self.name = name
        self._folder = folder / name
        self._folder.mkdir()
        self._environment = {**os.environ, "PYTHONPATH": str(root)}
        _write_runs(self._folder)

    def cost(self, arguments: Sequence[str]) -> Cost | None:
        """Return what a command takes; None where it failed, as one does that the checkout does not have."""
        out = self._folder / "out"
        shutil.rmtree(out, ignore_errors=True)
        if arguments == [_CLICK]:
            command = [sys.executable, "-c", "import click"]
        else:
            command = [
                sys.executable, "-m", "benchbench", *(str(out) if one == "OUT" else one for one in arguments)
            ]  # fmt: skip
        started = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        taken = Cost(used.ru_utime + used.ru_stime, time.perf_counter() - started, used.ru_maxrss / 1024)
        return None if process.returncode else taken

    def prepare(self, commands: Sequence[Sequence[str]]) -> None:
        """Compile what the commands compile, and write what they read."""
        for arguments in (*_BEFORE, *commands):
            self.cost(arguments)


def _write_runs(folder: Path) -> None:
    """Write judgments of a tenth of the documents, and two runs that rank them in two orders."""
    numbers = range(_DOCUMENTS)
    with (folder / "qrels.txt").open("w") as file:
        for query in range(_QUERIES):
            file.writelines(f"q{query} 0 d{one} {(query + one) % 2 + 1}\n" for one in numbers if not (query + one) % 10)
    for name, step in (("first", 7), ("second", 3)):
        with (folder / f"{name}.run").open("w") as file:
            for query in range(_QUERIES):
                file.writelines(
                    f"q{query} Q0 d{(rank * step + query) % _DOCUMENTS} {rank + 1} {_DOCUMENTS - rank} {name}\n"
                    for rank in numbers
                )


def _commands() -> dict[str, list[str]]:
    """Return what is measured, by the names in the table."""
    said = subprocess.run(
        [sys.executable, "-m", "benchbench", "--help"],
        env={**os.environ, "PYTHONPATH": str(_HERE)},
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    names = re.findall(r"^  (\w+) ", said.partition("Commands:")[2], re.MULTILINE)
    helps = {f"{name} --help": [name, "--help"] for name in names}
    return {_CLICK: [_CLICK], "--help": ["--help"], **helps, **_SHARED}


def _table(commands: Sequence[str], taken: dict[tuple[str, str], list[Cost]], sides: Sequence[str]) -> str:
    """Return a row per command: the least CPU time, wall time and memory of each side, and their ratios."""
    units = ("CPU s", "s", "MB")
    heads = [f"{side}, {unit}" for side in sides for unit in units]
    heads += [f"ratio, {unit}" for unit in units] if len(sides) == 2 else []
    lines = [f"| command | {' | '.join(heads)} |", f"|---|{'---:|' * len(heads)}"]
    for command in commands:
        least = [Cost(*map(min, zip(*taken[command, side], strict=True))) for side in sides if taken[command, side]]
        cells = [f"{cost.cpu:.3f} | {cost.wall:.3f} | {cost.memory:.0f}" for cost in least]
        if len(least) == 2:
            cells += [f"{ours / theirs:.2f}" for ours, theirs in zip(*least, strict=True)]
        lines.append(f"| {command if command == _CLICK else f'`{command}`'} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--against", type=Path, metavar="FOLDER")
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--only", default="", metavar="WORDS", help="measure commands with these words, as a regex")
    options = arguments.parse_args()
    commands = {name: words for name, words in _commands().items() if name == _CLICK or re.search(options.only, name)}
    with tempfile.TemporaryDirectory() as folder:
        sides = [Checkout("this", _HERE, Path(folder))]
        if options.against:
            sides.append(Checkout("other", options.against.resolve(), Path(folder)))
        for side in sides:
            side.prepare(list(commands.values()))
        taken: dict[tuple[str, str], list[Cost]] = {(name, side.name): [] for name in commands for side in sides}
        for _ in range(options.rounds):
            for name, command in commands.items():
                for side in sides:
                    cost = side.cost(command)
                    if cost is not None:
                        taken[name, side.name].append(cost)
    print(describe("click", "numpy", "polars"))
    against = f", in turn with {options.against.name}" if options.against else ""
    print(f"The least of {options.rounds} rounds{against}\n")
    print(_table(list(commands), taken, [side.name for side in sides]))


if __name__ == "__main__":
    main()
