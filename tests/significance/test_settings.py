"""What a comparison cannot be made by is refused before anything is drawn."""

import pytest
from cases import check_rows, tables

from benchbench.errors import InputError
from benchbench.significance.power import detectable_effect
from benchbench.significance.settings import Settings

TABLES = tables(__file__)


def test_what_cannot_be_is_refused_in_a_sentence():
    def check(given, reason):
        with pytest.raises(InputError) as refused:
            Settings(**given)
        assert str(refused.value).startswith(reason)

    check_rows(check, [*TABLES["refused"], ({"power": None}, "--power is a number from 1e-06 to 0.999, and not None")])


def test_the_furthest_that_can_be_asked_for_is_taken():
    furthest = Settings(alpha=1e-6, power=0.999, seed=2**62, tie=0.0, slices=("tier",))
    assert 0.0 < detectable_effect(2, furthest.alpha, furthest.power) < float("inf")


def test_one_column_to_slice_by_may_stand_alone():
    assert Settings(slices="tier").slices == ("tier",)  # type: ignore[arg-type]
