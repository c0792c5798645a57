import asyncio
import itertools

from cases import check_rows

from benchbench.loads.find_max import PRECISION, find_max


def searched(limit: float, start: float, lowest: float = 0.01) -> tuple[float | None, list[float]]:
    tried: list[float] = []

    async def holds(rate: float) -> bool:
        tried.append(rate)
        return rate <= limit

    return asyncio.run(find_max(holds, start, lowest)), tried


def test_the_highest_rate_is_found_to_five_per_cent():
    def check(limit: float, start: float) -> None:
        found, tried = searched(limit, start)
        assert found is not None
        assert found <= limit
        assert any(limit < rate <= (1 + PRECISION) * found * (1 + 1e-12) for rate in tried)
        assert len(set(tried)) == len(tried) <= 30

    check_rows(check, itertools.product([0.3, 7.9, 8.0, 13.0, 100.0, 12345.6], [1.0, 8.0, 500.0]))


def test_it_doubles_and_then_halves_the_gap():
    assert searched(45.0, 10.0)[1] == [10, 20, 40, 80, 60, 50, 45, 47.5, 46.25]


def test_a_first_rate_that_is_too_high_is_halved():
    assert searched(3.0, 8.0)[1][:3] == [8, 4, 2]


def test_none_when_the_lowest_rate_breaks_too():
    found, tried = searched(0.0, 8.0, lowest=1.0)
    assert found is None
    assert tried == [8, 4, 2, 1]


def test_a_condition_that_always_holds_does_not_search_for_ever():
    found, tried = searched(float("inf"), 1.0)
    assert found is not None
    assert found > 1e5
    assert len(tried) < 25
