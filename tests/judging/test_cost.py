import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.client.prices import Price
from benchbench.judging.spending import Budget, Reservation, cost, dollars

AMOUNTS = st.integers(0, 60)


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
        with Reservation(budget) as held:
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


def test_who_needs_more_than_is_free_waits_for_what_others_give_back():
    async def run():
        budget = Budget(dollars(10))
        with Reservation(budget) as first:
            assert await first.hold(8)
            second = Reservation(budget)
            waiting = asyncio.create_task(second.hold(6))
            await asyncio.sleep(0)
            assert not waiting.done()
            first.use(2)
        assert await waiting
        assert (budget.spent, budget.reserved) == (2, 6)

    asyncio.run(run())


def test_who_waits_is_refused_once_too_much_is_spent():
    async def run():
        budget = Budget(dollars(10))
        with Reservation(budget) as first:
            assert await first.hold(8)
            waiting = asyncio.create_task(Reservation(budget).hold(6))
            await asyncio.sleep(0)
            first.use(8)
        assert not await waiting

    asyncio.run(run())


def test_who_stops_waiting_keeps_nothing_and_holds_nobody_up():
    async def run():
        budget = Budget(dollars(10))
        first = Reservation(budget)
        assert await first.hold(8)
        given_up = asyncio.create_task(Reservation(budget).hold(6))
        other = asyncio.create_task(Reservation(budget).hold(4))
        await asyncio.sleep(0)
        given_up.cancel()
        first.__exit__()
        assert await other
        with pytest.raises(asyncio.CancelledError):
            await given_up
        assert (budget.spent, budget.reserved) == (0, 4)

    asyncio.run(run())


def test_who_holds_something_does_not_wait_for_more():
    """Two that did would wait for each other."""

    async def run():
        budget = Budget(dollars(10))
        first, second = Reservation(budget), Reservation(budget)
        assert await first.hold(5)
        assert await second.hold(5)
        assert not await first.hold(6)
        assert not await second.hold(6)

    asyncio.run(run())


def test_without_a_limit_everything_is_allowed():
    async def run():
        budget = Budget(None)
        assert await budget.reserve(10**30)

    asyncio.run(run())
