"""Several processes use one store at once: nothing is lost, and who reads sees whole runs only."""

import signal
import subprocess
import sys
from pathlib import Path

import copied_processes
import pytest
from cases import first_of
from stored_runs import kept

from benchbench.history.store import open_history

TESTS = Path(__file__).resolve().parents[1]
RUNS = 80  # per process

WRITE = """
import sys
sys.path.insert(0, sys.argv[1])
from stored_runs import kept
from benchbench.history.store import open_history
address, first, runs = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
with open_history(address, create=True) as history:
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(first, first + runs):
        values = [number / 1000] if number % 10 == 0 else None
        entry, new = history.add(kept(number, values, tags={"number": str(number)}))
        assert new
        if number % 8 == 0:
            print(number, flush=True)
            history.add(kept(number, id=f"shared-{number % runs}", tags={"number": "shared"}))
"""


def writer(address: str, first: int, runs: int = RUNS) -> subprocess.Popen[str]:
    line = [sys.executable, "-c", WRITE, str(TESTS), address, str(first), str(runs)]
    return copied_processes.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def start(writers: list[subprocess.Popen[str]]) -> None:
    """Let processes begin that have opened the store."""
    for one in writers:
        assert one.stdout.readline() == "ready\n"
    for one in writers:
        one.stdin.write("\n")
        one.stdin.flush()


def end(writers: list[subprocess.Popen[str]]) -> list[int]:
    for one in writers:
        one.communicate(timeout=200)
    return [one.returncode for one in writers]


@pytest.mark.slow  # three processes
def test_two_processes_write_many_runs_while_a_third_reads(address: str):
    """Both find no store, and make one; of each 8 runs they also add one that the other adds too."""
    writers = [writer(address, first) for first in (0, RUNS)]
    start(writers)
    seen = [0]
    with open_history(address, write=False) as history:
        while writers[0].stdout and writers[0].stdout.readline():  # a line per 8 runs
            entries = history.entries()
            assert [one.number for one in entries[: seen[-1]]] == list(range(1, seen[-1] + 1))  # none comes in between
            assert history.numbers(entries).height == len(entries)
            assert all(one.tags for one in entries)
            seen.append(len(entries))
        assert end(writers) == [0, 0]
        entries = history.entries()
        written = [history.values(one).values["gold.nDCG@10"].item() for one in entries if one.values]
    numbers = [int(one.tags["number"]) for one in entries if not one.id.startswith("shared")]
    assert sorted(numbers) == list(range(2 * RUNS))
    assert sorted(written) == [number / 1000 for number in range(0, 2 * RUNS, 10)]
    assert len(entries) == 2 * RUNS + RUNS // 8
    assert len(set(seen)) > 5  # it has read while they wrote


@pytest.mark.parametrize("after", first_of(7, 1, 30))
def test_a_store_whose_writer_is_killed_has_every_run_that_was_added(tmp_path: Path, after: int):
    """The writer is killed in the middle of whatever it does when so many runs are seen."""
    address = str(tmp_path / "history.db")
    running = writer(address, 0, 10_000)
    start([running])
    with open_history(address, write=False) as history:
        while len(history.entries()) < after:
            pass
        running.send_signal(signal.SIGKILL)
        seen = len(history.entries())
    running.communicate(timeout=60)
    with open_history(address) as history:
        entries = history.entries()
        assert len(entries) >= seen >= after
        numbers = [int(one.tags["number"]) for one in entries if not one.id.startswith("shared")]
        assert numbers == list(range(len(numbers)))  # in order, none left out
        assert history.numbers(entries).height == len(entries)
        for one in entries:
            assert history.record(one).id == one.id
            assert not one.values or history.values(one).values.height == 1
        with history.reading() as connection:
            assert connection.value("PRAGMA integrity_check") == "ok"
        assert history.add(kept(20_000))[1]
