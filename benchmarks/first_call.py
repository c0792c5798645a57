"""What a first command waits for: seconds of compiling, by command and by kernel.

usage: python benchmarks/first_call.py [--rounds 3] [COMMAND...]

Each command runs in a folder and with a cache of compiled kernels of its own, once with the cache empty and once with
what the first left there. Compiling is the difference of the two, in seconds of CPU of the whole command, its service
and its processes included. A kernel's seconds are those of its thread, helpers included, of one more first command.
"""

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from machine import describe

COMMANDS = {
    "run": "run --out {out}",
    "run --url": "run --url {url}/batch_search --out {out}",
    "score": "score {folder}/qrels {folder}/one.run",
    "compare": "compare {folder}/one {folder}/other --out {out}",
    "load": "load --duration 1 --warm-up 0 --concurrency 2 --out {out}",
}
_LARGEST = 15  # kernels that are shown


def _write_files(folder: Path) -> None:
    """Write a small run and its judgments, and make two results folders to be compared."""
    drawn = random.Random(7)
    with (folder / "qrels").open("w") as qrels, (folder / "one.run").open("w") as run:
        for query in range(50):
            documents = [f"d{drawn.randrange(10**6)}" for _ in range(100)]
            qrels.writelines(f"q{query} 0 {one} {drawn.randrange(3)}\n" for one in documents[::5])
            run.writelines(f"q{query} Q0 {one} {rank} {200 - rank}.5 x\n" for rank, one in enumerate(documents))
    for name, option in (("one", "0.9"), ("other", "1.5")):
        _run(["run", "--k1", option, "--out", str(folder / name)], str(folder / "warm"))


def _run(arguments: list[str], cache: str, traced: str = "") -> float:
    """Run a command; return its seconds of CPU, those of its processes included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    program = [__file__, "--traced", traced] if traced else ["-m", "benchbench"]
    subprocess.run(
        [sys.executable, *program, *arguments],
        env={**os.environ, "NUMBA_CACHE_DIR": cache},
        check=True,
        capture_output=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@contextmanager
def _serving() -> Iterator[str]:
    with subprocess.Popen(
        [sys.executable, "-m", "benchbench", "serve", "--dataset", "synthetic-cases"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as service:
        assert service.stdout is not None
        try:
            yield service.stdout.readline().split()[-1]
        finally:
            service.terminate()


def _trace(path: str, arguments: list[str]) -> None:
    """Run a command in this process, and write the seconds of each kernel that it compiles."""
    from numba.core import event as numba_event

    from benchbench.cli.main import main

    event: Any = numba_event  # numba has no types
    seconds: dict[str, float] = {}
    started: list[float] = []

    class Listener(event.Listener):  # type: ignore[misc]
        def on_start(self, told: Any) -> None:
            started.append(time.thread_time())

        def on_end(self, told: Any) -> None:
            spent = time.thread_time() - started.pop()
            if not started:  # what a kernel calls is its own
                function = told.data["dispatcher"].py_func
                name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"
                seconds[name] = seconds.get(name, 0.0) + spent

    event.register("numba:compile", Listener())
    try:
        main(arguments)
    finally:
        Path(path).write_text(json.dumps(seconds))


def main() -> None:
    if sys.argv[1:2] == ["--traced"]:
        _trace(sys.argv[2], sys.argv[3:])
        return
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("commands", nargs="*", metavar="COMMAND", help=", ".join(COMMANDS))
    options = arguments.parse_args()
    chosen = options.commands or list(COMMANDS)
    first: dict[str, list[float]] = {name: [] for name in chosen}
    second: dict[str, list[float]] = {name: [] for name in chosen}
    kernels: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as name, _serving() as url:
        folder = Path(name)
        _write_files(folder)
        for number in range(options.rounds):
            for command in chosen:
                out = folder / f"{command}{number}".replace(" ", "")
                cache = f"{out}-cache"

                def asked(part: str, command: str = command, out: Path = out) -> list[str]:
                    return COMMANDS[command].format(folder=folder, url=url, out=f"{out}-{part}").split()

                first[command].append(_run(asked("first"), cache))
                second[command].append(_run(asked("second"), cache))
                if command not in kernels:
                    _run(asked("traced"), f"{cache}-traced", f"{out}.json")
                    kernels[command] = json.loads(Path(f"{out}.json").read_text())
    print(describe("numba", "numpy"))
    print(f"\nmedian of {options.rounds}\n\n| command | first | second | compiling |\n|---|---:|---:|---:|")
    for command in chosen:
        one, other = statistics.median(first[command]), statistics.median(second[command])
        print(f"| `{command}` | {one:.2f} | {other:.2f} | {one - other:.2f} |")
    print(f"\n| kernel | {' | '.join(chosen)} |\n|---|{'---:|' * len(chosen)}")
    names = {name for seconds in kernels.values() for name in seconds}
    largest = sorted(names, key=lambda name: -max(seconds.get(name, 0.0) for seconds in kernels.values()))
    for name in largest[:_LARGEST]:
        cells = (f"{kernels[command][name]:.2f}" if name in kernels[command] else "" for command in chosen)
        print(f"| `{name}` | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
