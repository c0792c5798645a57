"""Turns of the event loop: who waits goes on in order, a few at a time."""

import asyncio

from benchbench.client.turns import AT_ONCE, Turns


def test_some_go_on_in_each_turn_of_the_loop_in_the_order_in_which_they_came():
    async def work() -> list[tuple[int, int]]:
        turns, went, now = Turns(), list[tuple[int, int]](), 0

        async def one(number: int) -> None:
            await turns.wait()
            went.append((now, number))

        tasks = [asyncio.ensure_future(one(number)) for number in range(5 * AT_ONCE + 1)]
        while not all(task.done() for task in tasks):
            await asyncio.sleep(0)
            now += 1
        return went

    went = asyncio.run(work())
    assert [number for _, number in went] == list(range(5 * AT_ONCE + 1))
    in_each = [sum(turn == at for turn, _ in went) for at, _ in went]
    assert max(in_each) <= AT_ONCE


def test_who_comes_alone_does_not_wait():
    async def work() -> int:
        turns, looks = Turns(), 0

        async def look() -> None:
            nonlocal looks
            while True:
                looks += 1
                await asyncio.sleep(0)

        watching = asyncio.ensure_future(look())
        for _ in range(3):
            await turns.wait()
        watching.cancel()
        return looks

    assert asyncio.run(work()) == 0


def test_who_gives_up_takes_no_turn_away():
    async def work() -> int:
        turns = Turns()
        tasks = [asyncio.ensure_future(turns.wait()) for _ in range(10 * AT_ONCE)]
        await asyncio.sleep(0)
        for task in tasks[AT_ONCE : 9 * AT_ONCE]:
            task.cancel()
        async with asyncio.timeout(10):
            await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.wait_for(turns.wait(), 10)
        return sum(not task.cancelled() for task in tasks)

    assert asyncio.run(work()) == 2 * AT_ONCE
