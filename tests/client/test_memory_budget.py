import asyncio
import contextlib
from random import Random

import pytest
import services
import virtual_time
from cases import check_each

from benchbench.client import transport as transport_module
from benchbench.client.memory_budget import MemoryBudget, MemoryReservation
from benchbench.client.transport import Transport


async def turns(times: int = 5) -> None:
    for _ in range(times):
        await asyncio.sleep(0)


async def taking(reservation: MemoryReservation, size: int) -> asyncio.Task[None]:
    task = asyncio.ensure_future(reservation.reserve(size))
    await turns()
    return task


def test_what_fits_is_taken_at_once_and_what_does_not_waits_for_others_to_leave():
    async def job() -> None:
        budget = MemoryBudget(10)
        first, second, third = budget.reservation(), budget.reservation(), budget.reservation()
        assert (await taking(first, 8)).done()
        assert (await taking(second, 5)).done(), "one answer at a time may take more than there is"
        waiting = await taking(third, 1)
        assert not waiting.done()
        second.release()
        await turns()
        assert waiting.done()
        assert third.waited > 0
        assert first.waited == second.waited == 0

    asyncio.run(job())


def test_nobody_overtakes_who_waits_longer():
    async def job() -> None:
        budget = MemoryBudget(10)
        first, large, small = budget.reservation(), budget.reservation(), budget.reservation()
        await taking(first, 11)
        waiting = await taking(large, 9)
        after = await taking(small, 1)
        assert (waiting.done(), after.done()) == (False, False)
        first.release()
        await turns()
        assert (waiting.done(), after.done()) == (True, True)

    asyncio.run(job())


def test_one_that_waits_for_much_is_not_overtaken_by_others_that_want_little():
    """Else a large answer waits as long as small ones come; the one over the budget goes on, for it lets go first."""

    async def job() -> None:
        budget = MemoryBudget(10)
        first, over, large, small = (budget.reservation() for _ in range(4))
        assert first.try_reserve(6)
        assert over.try_reserve(5)
        waiting = await taking(large, 9)
        first.release()
        await turns()
        assert not waiting.done(), "5 bytes are free"
        assert not small.try_reserve(1)
        assert over.try_reserve(1)
        over.release()
        await turns()
        assert waiting.done()
        assert small.try_reserve(1)

    asyncio.run(job())


def test_one_that_is_cancelled_keeps_nobody_waiting():
    async def job() -> None:
        budget = MemoryBudget(10)
        first, gone, last = budget.reservation(), budget.reservation(), budget.reservation()
        await taking(first, 11)
        waiting = await taking(gone, 5)
        after = await taking(last, 5)
        waiting.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await waiting
        gone.release()
        first.release()
        await turns()
        assert after.done()

    asyncio.run(job())


def test_many_answers_of_any_size_all_end_and_the_sum_is_bounded_by_the_room_and_one_of_them():
    def check(seed: int) -> None:
        random, budget, largest = Random(seed), MemoryBudget(100), 300
        held: list[MemoryReservation] = []
        most = 0

        async def answer() -> None:
            nonlocal most
            with budget.reservation() as reservation:
                held.append(reservation)
                left = random.randint(1, largest)
                while left:
                    piece = random.randint(1, left)
                    await reservation.reserve(piece)
                    most = max(most, sum(one.size for one in held))
                    left -= piece
                    await turns(random.randint(0, 3))
            held.remove(reservation)

        async def job() -> None:
            await asyncio.gather(*(answer() for _ in range(50)))
            again = budget.reservation()
            assert (await taking(again, 100)).done(), "all have left"

        asyncio.run(asyncio.wait_for(job(), 60))
        assert most <= 100 + largest

    check_each(check, range(20))


@pytest.mark.parametrize("announced", [True, False])
def test_bodies_under_way_wait_for_each_other_and_come_whole(monkeypatch, announced: bool):
    """Eight answers of 100,000 bytes in room for two: each is read once those before it have left."""
    monkeypatch.setattr(transport_module, "_AT_ONCE", 1 << 10 if not announced else 1 << 20)
    body = bytes(100_000)
    most, reservations = 0, []

    async def job(url: str) -> None:
        async with Transport(url, "/search", 8, 60.0, 1 << 20, memory=200_000) as transport:

            async def ask() -> None:
                nonlocal most
                with transport.memory.reservation() as reservation:
                    reservations.append(reservation)
                    attempt, got = await transport.post(b"{}", reservation)
                    assert (attempt.error, got) == (None, body)
                    assert attempt.sent <= attempt.first_byte <= attempt.end
                    most = max(most, sum(one.size for one in reservations))
                    await turns()

            await asyncio.gather(*(ask() for _ in range(8)))

    with services.running(services.held(8, services.raw(body))) as service:
        asyncio.run(job(service.url))
    assert most <= 200_000 + len(body)
    assert sum(reservation.size for reservation in reservations) == 0


def test_the_room_is_left_by_a_body_that_is_not_read_to_its_end():
    async def job(url: str) -> None:
        async with Transport(url, "/search", 2, 60.0, 1 << 16, memory=1 << 10) as transport:
            for _ in range(3):
                attempt, _ = await transport.post(b"{}")
                assert attempt.error == "the body is larger than 65,536 bytes"
            assert (await taking(transport.memory.reservation(), 1 << 10)).done()

    with services.running(services.endless) as service:
        asyncio.run(job(service.url))


def test_a_connection_that_ends_while_its_body_waits_for_room_is_a_broken_attempt():
    async def job(url: str) -> None:
        async with Transport(url, "/search", 1, 60.0, 1 << 20, memory=10) as transport:
            first = transport.memory.reservation()
            await first.reserve(11)
            asking = asyncio.create_task(transport.post(b"{}"))
            while not transport.receiving:
                await asyncio.sleep(0)
            (connection,) = transport._connections._used
            while connection._handler.is_connected():
                await asyncio.sleep(0)
            first.release()
            attempt, body = await asyncio.wait_for(asking, 10)
            assert (attempt.status, attempt.broken, body) == (200, True, b"")
            assert attempt.error.startswith("connection broken: ")
            assert transport.receiving == 0

    with services.running(services.reset_in_body) as service:
        asyncio.run(job(service.url))


def test_a_time_limit_stands_still_while_room_is_waited_for():
    async def job() -> None:
        budget, loop = MemoryBudget(10), asyncio.get_running_loop()
        first, second = budget.reservation(), budget.reservation()
        await first.reserve(11)
        loop.call_later(50.0, first.release)
        async with asyncio.timeout(1.0) as limit:
            await second.reserve(5, limit)
            assert loop.time() == pytest.approx(50.0)
            assert limit.when() == pytest.approx(51.0)

    virtual_time.run(job())
