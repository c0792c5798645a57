"""Answers of services decoded to columns and by objects: `scripts/fuzz_answers [--bodies N] [--seed S]`.

Whole and damaged bodies of a grammar (`tests/client/answer_grammar.py`), a block of them with vocabularies that grow,
so that labels of one answer are met again in the next. The first difference ends it with exit code 1, its seed and a
body as small as shows it; so does a crash or a hang of a process, with the number of the body that it had.
"""

import argparse
import multiprocessing
import signal
import sys
import time
from collections import Counter
from queue import Empty
from typing import Any

from client.answer_grammar import BLOCK, Case, drawn
from client.two_paths import by_columns, difference, differing, minimised
from legal_labels import SCHEMA

from benchbench.client import known_labels
from benchbench.processes import usable_cores
from benchbench.tables.labels import Vocabulary

LONGEST = 120  # seconds a block

ROOMS = (  # for labels that are known from one answer to the next: what there is, and so little that it does not last
    (known_labels._VALUES, known_labels._MOST_VALUES),
    (3, 20),
)

Counts = Counter[tuple[str, str]]  # kind of body, "bodies" or "by columns"


def block(seed: int, number: int, last: int, at: Any) -> tuple[Counts, str]:
    """Compare the bodies of one block, at most to the last one; return counts, and the first difference."""
    counts: Counts = Counter()
    columns, objects = Vocabulary(), Vocabulary()
    known_labels._VALUES, known_labels._MOST_VALUES = ROOMS[number % 2]
    for one in range(number * BLOCK, min((number + 1) * BLOCK, last)):
        at.value = one
        case = drawn(seed, one)
        if one % 8 < 2:
            is_taken, found = difference(case, by_columns, Vocabulary(), Vocabulary())
        else:
            is_taken, found = difference(case, by_columns, columns, objects)
        counts[case.kind, "bodies"] += 1
        counts[case.kind, "by columns"] += is_taken
        if found:
            return counts, told(f"{seed}.{one}", case, found)
    return counts, ""


def told(seed: str, case: Case, found: str) -> str:
    """Return what there is to say about a difference."""
    if differing(case):
        small = minimised(case, differing)
        found = f"{small.body!r}\n{differing(small)}"
    else:
        found = f"only after the bodies before it in its block: {case.body!r}\n{found}"
    schema = "that of legal cases" if case.schema is SCHEMA else case.schema
    said = f"{case.text_prefixes=}\n{case.described=}\n{schema=}\n{case.top_k=}".replace("case.", "")
    return f"seed {seed}, {case.kind}:\n{found}\n{said}"


def work(seed: int, blocks: range, last: int, at: Any, results: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process ends the others
    for number in blocks:
        signal.alarm(LONGEST)  # a hang ends the process
        counts, found = block(seed, number, last, at)
        results.put((counts, found))
        if found:
            return
    signal.alarm(0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--bodies", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=usable_cores())
    asked = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)  # what was counted is told
    began, total = time.monotonic(), Counts()
    spawn = multiprocessing.get_context("spawn")
    results, blocks = spawn.Queue(), range(-(-asked.bodies // BLOCK))
    at = [spawn.Value("q", -1) for _ in range(asked.processes)]
    workers = [
        spawn.Process(
            target=work, args=(asked.seed, blocks[n :: asked.processes], asked.bodies, at[n], results), daemon=True
        )
        for n in range(asked.processes)
    ]
    for worker in workers:
        worker.start()
    wrong = ""
    while not wrong and total["all", "blocks"] < len(blocks):
        try:
            counts, wrong = results.get(timeout=1)
            total.update(counts)
            total["all", "blocks"] += 1
        except Empty:
            for worker, number in zip(workers, at, strict=True):
                if worker.exitcode:
                    wrong = f"the process ended with {worker.exitcode} at seed {asked.seed}.{number.value}"
        except KeyboardInterrupt:
            wrong = "stopped before the last body"
    for worker in workers:
        worker.terminate()
    del total["all", "blocks"]
    for kind in sorted({kind for kind, _ in total}):
        print(f"{kind:40} {total[kind, 'bodies']:>12,} bodies {total[kind, 'by columns']:>12,} by columns")
    bodies = sum(number for (_, what), number in total.items() if what == "bodies")
    taken = sum(number for (_, what), number in total.items() if what == "by columns")
    print(f"{bodies:,} bodies, {taken:,} by columns, {bodies / (time.monotonic() - began):,.0f} a second")
    if wrong:
        sys.exit(wrong)


if __name__ == "__main__":
    main()
