import asyncio

from benchbench.client.breaker import Breaker


def test_it_opens_after_so_many_failures_in_a_row_and_an_answer_closes_it():
    breaker = Breaker(3)
    for _ in range(2):
        breaker.failed("HTTP 503")
    breaker.answered()
    states = []
    for _ in range(3):
        breaker.failed("HTTP 503")
        states.append(breaker.open)
    assert states == [False, False, True]
    breaker.answered()
    assert (breaker.open, breaker.reason) == (False, None)


def test_with_0_it_never_opens():
    breaker = Breaker(0)
    for _ in range(100):
        breaker.failed("HTTP 503")
    assert not breaker.open


def turns(closes: bool) -> tuple[list[bool], int]:
    """Return who of five waiting batches went alone, and how many were under way at once when the first did."""

    async def main() -> tuple[list[bool], int]:
        breaker = Breaker(1)
        breaker.failed("HTTP 503")
        alone: list[bool] = []
        inside = most = 0

        async def batch() -> None:
            nonlocal inside, most
            async with breaker.turn() as is_alone:
                alone.append(is_alone)
                inside += 1
                if is_alone:
                    for _ in range(10):
                        await asyncio.sleep(0)
                        most = max(most, inside)
                    if closes:
                        breaker.answered()
                    else:
                        breaker.failed("HTTP 503", attempts=3)
                inside -= 1

        await asyncio.gather(*(batch() for _ in range(5)))
        assert (breaker.reason is None) == closes
        return alone, most

    return asyncio.run(main())


def test_open_lets_one_go_and_the_others_wait_for_what_it_finds():
    assert turns(closes=True) == ([True, False, False, False, False], 1)
    assert turns(closes=False) == ([True, False, False, False, False], 1)
