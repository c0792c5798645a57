"""The lowest rows do not depend on the order in which they come."""

from hypothesis import given
from hypothesis import strategies as st

from benchbench.scores.lowest import Lowest


@given(st.permutations(range(12)), st.integers(1, 14))
def test_the_rows_with_the_greatest_places_are_kept_in_any_order(numbers: list[int], most: int):
    lowest = Lowest[str](most)
    for number in numbers:
        place = -(number // 3), -number
        if lowest.takes(*place):
            lowest.add(f"{number}", *place)
    assert lowest.rows() == [f"{number}" for number in range(min(most, 12))]
