"""Calls in threads: their results in order, few of them ahead, and no fault lost."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
import pytest
from cases import tables

from benchbench.processes import usable_cores
from benchbench.tables import threads
from benchbench.tables.borrowed import ArrayPool, Borrowed
from benchbench.tables.threads import in_order


@pytest.fixture(params=[1, 2, 5])
def workers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(threads, "THREADS", request.param)
    return int(request.param)


def failing(*_: object) -> int:
    raise ValueError("this one")


@pytest.mark.usefixtures("workers")
def test_results_come_in_the_order_of_the_calls():
    assert list(in_order(partial(int, i) for i in range(500))) == list(range(500))
    assert list(in_order([])) == []


@pytest.mark.usefixtures("workers")
def test_a_call_that_is_alone_takes_no_other_thread():
    assert list(in_order([threading.get_ident])) == [threading.get_ident()]


def test_a_call_that_ends_first_waits_for_those_before_it(workers: int):
    if workers == 1:
        return
    later = threading.Event()

    def first() -> str:
        assert later.wait(60)
        return "first"

    def second() -> str:
        later.set()
        return "second"

    assert list(in_order([first, second])) == ["first", "second"]


def test_few_calls_are_ahead_of_the_consumer(workers: int):
    made = 0

    def calls() -> Iterator[Callable[[], int]]:
        nonlocal made
        for i in range(100):
            made += 1
            yield partial(int, i)

    for taken, _ in enumerate(in_order(calls()), 1):
        assert made <= taken + 2 * workers
    assert made == 100


@pytest.mark.usefixtures("workers")
def test_nothing_is_called_before_the_first_result_is_wanted():
    results = in_order(iter([failing]))
    results.close()
    results = in_order(iter([failing]))
    with pytest.raises(ValueError, match="this one"):
        next(results)


def test_a_fault_of_a_call_reaches_the_consumer_in_its_place_and_the_rest_is_dropped(workers: int):
    made: list[int] = []

    def calls() -> Iterator[Callable[[], int]]:
        for i in range(1000):
            made.append(i)
            yield failing if i == 7 else partial(int, i)

    results = in_order(calls())
    assert [next(results) for _ in range(7)] == list(range(7))
    with pytest.raises(ValueError, match="this one"):
        next(results)
    assert len(made) <= 8 + 2 * workers
    assert list(results) == []


@pytest.mark.usefixtures("workers")
def test_a_fault_of_what_makes_the_calls_reaches_the_consumer():
    def calls() -> Iterator[Callable[[], int]]:
        yield partial(int, 1)
        failing()

    with pytest.raises(ValueError, match="this one"):
        list(in_order(calls()))


@pytest.mark.usefixtures("workers")
def test_whoever_leaves_early_drops_the_rest():
    started = threading.Semaphore(0)
    results = in_order(started.release for _ in range(1000))
    next(results)
    results.close()
    begun = sum(started.acquire(blocking=False) for _ in range(1000))
    assert begun <= 1 + 2 * threads.THREADS
    assert list(results) == []


@pytest.mark.usefixtures("workers")
def test_no_thread_is_left_behind():
    before = threading.active_count()
    list(in_order(partial(int, i) for i in range(50)))
    results = in_order(partial(int, i) for i in range(50))
    next(results)
    results.close()
    with pytest.raises(ValueError, match="this one"):
        list(in_order([failing] * 50))
    assert threading.active_count() == before


# Tables in memory that is used again: what is kept of them is told at once, and no later table overwrites it

KEPT = "borrowed memory was kept; what may be kept is what `kept` returns"


@dataclass(frozen=True)
class Table:
    """A table of one column."""

    number: np.ndarray

    def copied(self) -> "Table":
        return Table(self.number.copy())


def arrays(rows: int) -> tuple[np.ndarray, np.ndarray]:
    return np.empty(rows), np.empty(rows)


def filled(first: int, rows: int, memory: tuple[np.ndarray, np.ndarray]) -> Table:
    memory[1][:rows] = np.arange(first, first + rows)
    return Table(memory[1][:rows])


def part(scratch: ArrayPool[tuple[np.ndarray, np.ndarray]], first: int, rows: int = 3) -> Borrowed[Table]:
    return scratch.lent(lambda: rows, partial(filled, first, rows))


def numbers(table: Table) -> list[float]:
    return table.number.tolist()


def address(table: Table) -> int:
    return table.number.ctypes.data


def doubled(table: Table) -> Table:
    np.multiply(table.number, 2, out=table.number)
    return Table(table.number[::-1])


@pytest.fixture
def scratch() -> ArrayPool[tuple[np.ndarray, np.ndarray]]:
    return ArrayPool(arrays)


def test_a_table_is_made_whenever_it_is_used(scratch):
    one, other = part(scratch, 1), part(scratch, 5)
    assert [each.use(numbers) for each in (one, other, one)] == [[1, 2, 3], [5, 6, 7], [1, 2, 3]]
    made = Borrowed.of(lambda: Table(np.ones(2)))
    assert [made.then(doubled).use(numbers) for _ in range(2)] == [[2, 2], [2, 2]]


def test_what_is_kept_has_memory_of_its_own(scratch):
    one, other = part(scratch, 1).kept(), part(scratch, 5).then(doubled).kept()
    assert (numbers(one), numbers(other)) == ([1, 2, 3], [14, 12, 10])
    assert part(scratch, 9).use(lambda table: np.shares_memory(table.number, one.number)) is False


def test_memory_is_lent_again_and_that_of_a_smaller_table_is_not_enough(scratch):
    first = part(scratch, 1).use(address)
    assert part(scratch, 5).use(address) == part(scratch, 5, rows=2).use(address) == first
    assert part(scratch, 0, rows=100).use(numbers) == list(range(100))


def test_tables_that_are_used_at_the_same_time_do_not_share_memory(scratch):
    one, other = part(scratch, 1), part(scratch, 5)
    assert one.use(lambda table: (other.use(numbers), one.use(numbers), numbers(table))) == (
        [5, 6, 7], [1, 2, 3], [1, 2, 3]
    )  # fmt: skip
    both = threading.Barrier(2, timeout=30)

    def met(table: Table) -> list[float]:
        both.wait()
        return numbers(table)

    found: SimpleQueue[list[float]] = SimpleQueue()
    threads = [threading.Thread(target=lambda one=one: found.put(one.use(met))) for one in (one, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found.get() for _ in threads) == [[1, 2, 3], [5, 6, 7]]


KEEPING: dict[str, Callable[[Table], Any]] = {
    "the table": lambda table: table,
    "a column": lambda table: table.number,
    "a view of a view": lambda table: table.number[1:][:1].reshape(1, 1),
    "other bits": lambda table: table.number.view(np.uint64),
    "what will look at it": lambda table: lambda: table.number.sum(),
    "what has begun to look at it": lambda table: (one for one in table.number),
    "a buffer": lambda table: memoryview(table.number),
}


@pytest.mark.parametrize("keep", KEEPING.values(), ids=KEEPING.keys())
@pytest.mark.parametrize("made", [lambda one: one, lambda one: one.then(doubled)], ids=["lent", "made of it"])
def test_who_keeps_something_is_told_and_nothing_overwrites_it(scratch, made, keep: Callable[[Table], Any]):
    one = made(part(scratch, 1))
    with pytest.warns(ResourceWarning, match=f"^{KEPT}$") as told:
        kept = one.use(keep)
    assert len(told) == 1
    assert part(scratch, 5).use(numbers) == [5, 6, 7]
    assert read(kept) == read(keep(one.kept()))


def read(kept: Any) -> Any:
    """Return the numbers that something kept leads to."""
    if isinstance(kept, Table):
        return numbers(kept)
    if callable(kept):
        return kept()
    return kept.tolist() if hasattr(kept, "tolist") else list(kept)


def test_what_was_kept_on_the_side_or_by_another_thread_is_told(scratch):
    kept: list[Any] = []
    with pytest.warns(ResourceWarning, match=KEPT):
        part(scratch, 1).use(lambda table: kept.append(table))
    passed: SimpleQueue[np.ndarray | None] = SimpleQueue()
    done, found = threading.Event(), []

    def hold() -> None:
        view = passed.get()
        done.wait()
        found.append(view.tolist())

    holder = threading.Thread(target=hold)
    holder.start()
    with pytest.warns(ResourceWarning, match=KEPT):
        part(scratch, 5).use(lambda table: passed.put(table.number))
    assert part(scratch, 9).use(numbers) == [9, 10, 11]
    done.set()
    holder.join()
    assert (found, numbers(kept[0])) == ([[5, 6, 7]], [1, 2, 3])


def test_in_tests_to_keep_something_is_an_error_in_whatever_thread(scratch):
    parts = (part(scratch, first) for first in range(20))
    with pytest.raises(ResourceWarning, match=KEPT):
        list(in_order(partial(one.use, lambda table: table.number) for one in parts))
    assert list(in_order(partial(part(scratch, n).use, numbers) for n in range(20)))[-1] == [19, 20, 21]


@pytest.mark.parametrize("made", [lambda one: one, lambda one: one.then(doubled)], ids=["lent", "made of it"])
def test_a_fault_of_a_use_is_that_of_the_call_and_what_it_holds_stays(scratch, made):
    def fail(table: Table) -> None:
        raise LookupError(table.number)

    with pytest.raises(LookupError) as failed:
        made(part(scratch, 1)).use(fail)
    assert part(scratch, 5).use(numbers) == [5, 6, 7]
    assert sorted(failed.value.args[0].tolist()) in ([1, 2, 3], [2, 4, 6])


# Cores that are there for this process, beside invented control groups

TABLES = tables(__file__, "cores")


ALL = len(os.sched_getaffinity(0))


def root(folder: Path, groups: str, **files: str) -> Path:
    """Write what the kernel shows of control groups; `__` in a file's name is a slash."""
    (folder / "proc/self").mkdir(parents=True)
    (folder / "proc/self/cgroup").write_text(groups)
    for name, content in files.items():
        file = folder / "sys/fs/cgroup" / name.replace("__", "/").replace("_max", ".max").replace("cfs_", "cpu.cfs_")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    return folder


@pytest.mark.parametrize(("groups", "files"), TABLES["one"])
def test_the_tightest_quota_of_all_groups_above_counts(tmp_path: Path, groups: str, files: dict[str, str]):
    assert usable_cores(root(tmp_path, groups, **files)) == 1


@pytest.mark.parametrize(("groups", "files"), TABLES["all"])
def test_without_a_quota_the_affinity_counts(tmp_path: Path, groups: str, files: dict[str, str]):
    assert usable_cores(root(tmp_path, groups, **files)) == ALL


def test_a_part_of_a_core_is_a_core(tmp_path: Path):
    if ALL < 2:
        pytest.skip("needs two cores")
    assert usable_cores(root(tmp_path, "0::/\n", cpu_max="150000 100000\n")) == 2


def test_where_the_kernel_shows_nothing_the_affinity_counts(tmp_path: Path):
    assert usable_cores(tmp_path) == ALL


def test_a_process_that_was_given_one_core_uses_one():
    one = min(os.sched_getaffinity(0))
    code = f"""
import os
os.sched_setaffinity(0, {{{one}}})
from benchbench.tables.threads import THREADS
print(THREADS)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1"
