"""Values as TOML on one line, and texts parted at commas."""

from typing import Any

import pytest
from cases import tables
from hypothesis import given
from hypothesis import strategies as st

from benchbench.errors import InputError
from benchbench.tasks.toml_text import parts, printed, value

TABLES = tables(__file__)

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
PLAIN = TEXTS | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    PLAIN, lambda one: st.lists(one, max_size=3) | st.dictionaries(TEXTS, one, max_size=3), max_leaves=6
)


@given(VALUES)
def test_a_printed_value_is_one_line_that_reads_back(some: Any) -> None:
    text = printed(some)
    assert text.isprintable()
    assert not set(text) & set("|()")
    assert value(text) == some


@given(st.lists(VALUES, min_size=1, max_size=4))
def test_values_are_parted_at_the_commas_between_them(some: list[Any]) -> None:
    assert [value(part.strip()) for part in parts(", ".join(map(printed, some)))] == some


@pytest.mark.parametrize(("text", "parted"), TABLES["parted"].items())
def test_commas_in_quotes_and_brackets_part_nothing(text: str, parted: list[str]) -> None:
    assert list(parts(text)) == parted


@pytest.mark.parametrize(
    "text", ["", "x", "0.2.1", '"a', "1, other = 2", "1}, x = {a = 1", "1 # one", "1\n", "[" * 1000, '"\ud800"', "01"]
)
def test_what_is_no_value_is_an_error(text: str) -> None:
    with pytest.raises(InputError, match="it is"):
        value(text)
