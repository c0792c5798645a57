"""The cache of what judges have said, and what a run may cost."""

import asyncio
import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import copied_processes
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.chat.prices import Price
from benchbench.errors import InputError
from benchbench.judging.cache import StoredReply, VerdictCache, begun, default_place, digest
from benchbench.judging.spending import Budget, CostReservation, cost, dollars

ONE = StoredReply('{"grade": 3}', None, 120, 8, 0.5)


def test_what_is_stored_is_found_by_the_next_run(tmp_path):
    place = tmp_path / "new" / "folder" / "judge.sqlite"
    with VerdictCache(place) as cache:
        assert cache.find(b"key") is None
        cache.store(b"key", ONE)
        assert cache.find(b"key") == ONE
    with VerdictCache(place) as cache:
        assert cache.find(b"key") == ONE
        refused = StoredReply("", "refused", None, None, 0.1)
        cache.store(b"key", refused)
        assert cache.find(b"key") == refused
        assert cache.problem is None


def test_where_one_part_of_a_key_ends_is_part_of_it():
    assert digest(["ab", "c"]) != digest(["a", "bc"]) != digest(["abc"])
    assert digest(["a", "b"]) == digest(iter(["a", "b"]))
    assert digest(["\ud800"]) != digest(["?"])


def test_the_default_place_is_the_users_cache_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_place() == tmp_path / "benchbench" / "judge.sqlite"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_place() == tmp_path / ".cache" / "benchbench" / "judge.sqlite"


def refusal(place: Path) -> str:
    with pytest.raises(InputError) as caught, VerdictCache(place):
        pass
    return str(caught.value)


def damage(place: Path) -> None:
    with VerdictCache(place) as cache:
        for number in range(500):
            cache.store(b"%d" % number, ONE)
    content = bytearray(place.read_bytes())
    content[16:200] = b"\xff" * 184
    place.write_bytes(content)


def run_in(place: Path, statement: str) -> None:
    with contextlib.closing(sqlite3.connect(place)) as file:
        file.execute(statement)


def renew(place: Path) -> None:
    with VerdictCache(place):
        pass
    run_in(place, "PRAGMA user_version = 99")


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (
            lambda place: place.write_text("no database, but long" * 100),
            "is not a cache of verdicts, or is damaged",
        ),
        (damage, "is not a cache of verdicts, or is damaged"),
        (lambda place: run_in(place, "CREATE TABLE notes (text)"), "is a database, but not a cache of verdicts; name"),
        (
            renew,
            "is a cache of a newer version of benchbench; name another file with --cache, or use none with --no-cache",
        ),
        (lambda place: place.mkdir(), "cannot be used as the cache of verdicts"),
        (
            lambda place: place.parent.rmdir() or place.parent.write_text(""),
            "cannot be used as the cache of verdicts",
        ),
    ],
    ids=["text", "damaged", "of another program", "newer", "folder", "below a file"],
)
def test_what_is_no_cache_is_refused_and_left_as_it_is(tmp_path: Path, spoil: Callable[[Path], object], why: str):
    place = tmp_path / "in" / "judge.sqlite"
    place.parent.mkdir()
    spoil(place)
    before = place.read_bytes() if place.is_file() else None
    assert refusal(place).startswith(f"{place} {why}")
    assert before is None or place.read_bytes() == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_that_may_not_be_written_is_refused_before_anything_is_asked(tmp_path):
    place = tmp_path / "judge.sqlite"
    with VerdictCache(place):
        pass
    place.chmod(0o400)
    tmp_path.chmod(0o500)
    try:
        assert "cannot be used as the cache of verdicts" in refusal(place)
    finally:
        tmp_path.chmod(0o700)


def test_a_cache_that_can_take_no_more_stops_and_says_why(tmp_path):
    place = tmp_path / "judge.sqlite"
    with VerdictCache(place) as cache:
        cache.store(b"before", ONE)
        assert cache._file is not None
        cache._file.execute("PRAGMA max_page_count = 4")
        for number in range(100):
            cache.store(b"%d" % number, StoredReply("x" * 5000, None, 1, 1, 0.1))
        assert cache.problem is not None
        assert "full" in cache.problem
        assert cache.find(b"before") is None
    with VerdictCache(place) as cache:
        assert cache.find(b"before") == ONE


_FILL = """
import sys
from pathlib import Path
from benchbench.judging.cache import StoredReply, VerdictCache
print("ready", flush=True)
first = int(sys.stdin.readline())
with VerdictCache(Path(sys.argv[1])) as cache:
    for number in range(first, first + 300):
        cache.store(b"%d" % number, StoredReply(str(number), None, number, 1, 0.1))
sys.exit(cache.problem)
"""


@pytest.mark.slow  # four processes
def test_several_processes_may_make_and_fill_one_cache_at_once(tmp_path):
    place = tmp_path / "judge.sqlite"
    pipe = subprocess.PIPE
    others = [
        copied_processes.Popen(
            [sys.executable, "-c", _FILL, str(place)], stdin=pipe, stdout=pipe, stderr=pipe, text=True
        )
        for _ in range(4)
    ]
    assert [one.stdout.readline() for one in others] == ["ready\n"] * 4
    for number, one in enumerate(others):
        one.stdin.write(f"{300 * number}\n")
        one.stdin.flush()
    said = [one.communicate(timeout=120)[1] for one in others]
    assert [one.returncode for one in others] == [0] * 4, said
    with VerdictCache(place) as cache:
        assert all(
            cache.find(b"%d" % number) == StoredReply(str(number), None, number, 1, 0.1) for number in range(1200)
        )


def test_a_cache_that_was_being_written_can_be_copied_with_its_log(tmp_path):
    """As after `kill -9`: what was stored is in the log, and nothing closed the file."""
    place, copy = tmp_path / "judge.sqlite", tmp_path / "copy"
    with VerdictCache(place) as cache:
        cache.store(b"key", ONE)
        copy.mkdir()
        for one in tmp_path.glob("judge.sqlite*"):
            shutil.copy(one, copy)
    with VerdictCache(copy / "judge.sqlite") as cache:
        assert cache.find(b"key") == ONE


def test_what_is_kept_in_one_turn_is_there_for_others_when_it_returns(tmp_path):
    place = tmp_path / "judge.sqlite"

    async def keep() -> None:
        await asyncio.gather(*(cache.keep(b"%d" % number, ONE) for number in range(50)))
        await cache.keep(b"more", ONE)

    with VerdictCache(place) as cache:
        asyncio.run(keep())
        with VerdictCache(place) as other:
            assert all(other.find(b"%d" % number) == ONE for number in range(50))
            assert other.find(b"more") == ONE


def test_who_is_cancelled_while_it_keeps_holds_nobody_up(tmp_path):
    async def keep() -> None:
        first = asyncio.ensure_future(cache.keep(b"first", ONE))
        second = asyncio.ensure_future(cache.keep(b"second", ONE))
        await asyncio.sleep(0)
        first.cancel()
        await second

    with VerdictCache(tmp_path / "judge.sqlite") as cache:
        asyncio.run(keep())
        assert cache.find(b"first") == cache.find(b"second") == ONE
        assert cache.problem is None


def test_the_first_parts_of_a_key_may_be_hashed_before():
    assert digest(["c", "d"], begun(["a", "b"])) == digest(["a", "b", "c", "d"])


AMOUNTS = st.integers(0, 60)


def in_a_loop(test: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """Return the test that runs another one, which waits."""
    return lambda: asyncio.run(test())


def test_a_cost_is_exact_to_the_picodollar():
    price = Price(0.15, 0.6, "2026-01-01", "test")
    assert cost(price, 1, 0) == 150_000
    assert dollars(cost(price, 1_000_000, 1_000_000)) == 0.75
    assert sum(cost(price, 1, 1) for _ in range(30_000)) == cost(price, 30_000, 30_000)


@given(limit=AMOUNTS, verdicts=st.lists(st.tuples(AMOUNTS, AMOUNTS, AMOUNTS, AMOUNTS), max_size=12))
def test_no_order_of_events_lets_more_be_reserved_and_spent_than_the_limit(limit, verdicts):
    """Each verdict reserves a worst case, uses a part of it, maybe asks for more, and gives the rest back."""
    budget = Budget(dollars(limit))
    judged, refused = [], []

    def holds():
        assert budget.reserved >= 0
        assert budget.spent + budget.reserved <= limit

    async def judge(number, worst, used, more, turns):
        with CostReservation(budget) as held:
            if not await held.hold(worst):
                refused.append((number, worst))
                return
            holds()
            for _ in range(turns % 4):
                await asyncio.sleep(0)
            held.use(min(used, worst))
            holds()
            if held.add(more):
                holds()
                await asyncio.sleep(0)
                held.use(more)
            judged.append(number)
        holds()

    async def run():
        await asyncio.gather(*(judge(number, *one) for number, one in enumerate(verdicts)))

    asyncio.run(asyncio.wait_for(run(), 10))
    assert len(judged) + len(refused) == len(verdicts)
    assert budget.reserved == 0
    assert budget.spent <= limit
    assert all(budget.spent + worst > limit for _, worst in refused)


@in_a_loop
async def test_who_needs_more_than_is_free_waits_for_what_others_give_back():
    budget = Budget(dollars(10))
    with CostReservation(budget) as first:
        assert await first.hold(8)
        second = CostReservation(budget)
        waiting = asyncio.create_task(second.hold(6))
        await asyncio.sleep(0)
        assert not waiting.done()
        first.use(2)
    assert await waiting
    assert (budget.spent, budget.reserved) == (2, 6)


@in_a_loop
async def test_who_waits_is_refused_once_too_much_is_spent():
    budget = Budget(dollars(10))
    with CostReservation(budget) as first:
        assert await first.hold(8)
        waiting = asyncio.create_task(CostReservation(budget).hold(6))
        await asyncio.sleep(0)
        first.use(8)
    assert not await waiting


@in_a_loop
async def test_who_stops_waiting_keeps_nothing_and_holds_nobody_up():
    budget = Budget(dollars(10))
    first = CostReservation(budget)
    assert await first.hold(8)
    given_up = asyncio.create_task(CostReservation(budget).hold(6))
    other = asyncio.create_task(CostReservation(budget).hold(4))
    await asyncio.sleep(0)
    given_up.cancel()
    first.__exit__()
    assert await other
    with pytest.raises(asyncio.CancelledError):
        await given_up
    assert (budget.spent, budget.reserved) == (0, 4)


@in_a_loop
async def test_who_holds_something_does_not_wait_for_more():
    """Two that did would wait for each other."""
    budget = Budget(dollars(10))
    first, second = CostReservation(budget), CostReservation(budget)
    assert await first.hold(5)
    assert await second.hold(5)
    assert not await first.hold(6)
    assert not await second.hold(6)


@in_a_loop
async def test_without_a_limit_everything_is_allowed():
    budget = Budget(None)
    assert await budget.reserve(10**30)
