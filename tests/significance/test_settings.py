"""What a comparison cannot be made by is refused before anything is drawn."""

import pytest
from cases import check_rows

from benchbench.errors import InputError
from benchbench.significance.power import detectable_effect
from benchbench.significance.settings import Settings


def test_what_cannot_be_is_refused_in_a_sentence():
    def check(given, reason):
        with pytest.raises(InputError) as refused:
            Settings(**given)
        assert str(refused.value).startswith(reason)

    check_rows(
        check,
        [
            ({"test": "permutation"}, "--test is one of randomization, t, wilcoxon, and not permutation"),
            ({"correction": "fdr"}, "--correction is one of holm, maxt, bonferroni, bh, none, and not fdr"),
            ({"family": "all"}, "--family is one of measure, together, and not all"),
            ({"alpha": 1e-7}, "--alpha is a number from 1e-06 to 0.999"),
            ({"alpha": float("nan")}, "--alpha is a number from 1e-06 to 0.999, and not nan"),
            ({"alpha": True}, "--alpha is a number from 1e-06 to 0.999"),
            ({"power": 0.9999999999999999}, "--power is a number from 1e-06 to 0.999"),
            ({"power": 0.05}, "--power 0.05 is not above --alpha 0.05"),
            ({"resamples": 99}, "--resamples is a whole number"),
            ({"resamples": 1000.5}, "--resamples is a whole number"),
            ({"seed": -1}, "--seed is a whole number from 0 to"),
            ({"seed": 2**62 + 1}, "--seed is a whole number from 0 to"),
            ({"seed": 0.5}, "--seed is a whole number from 0 to"),
            ({"tie": -0.1}, "--tie is a number from 0"),
            ({"alpha": "0.05"}, "--alpha is a number from 1e-06 to 0.999, and not '0.05'"),
            ({"power": None}, "--power is a number from 1e-06 to 0.999, and not None"),
            (
                {"correction": "maxt", "test": "t"},
                "--correction maxt is of the randomization test, and not of --test t",
            ),
            ({"margin": 0}, "--margin is a number above 0"),
            ({"need": "0.01"}, "--need is a number above 0"),
            ({"margin": 0.01, "alpha": 0.5, "power": 0.8}, "--margin needs an --alpha below 0.5, and not 0.5"),
            ({"baseline": 3}, "baseline is the name of a run, and not of type int"),
        ],
    )


def test_the_furthest_that_can_be_asked_for_is_taken():
    furthest = Settings(alpha=1e-6, power=0.999, seed=2**62, tie=0.0, slices=("tier",))
    assert 0.0 < detectable_effect(2, furthest.alpha, furthest.power) < float("inf")


def test_one_column_to_slice_by_may_stand_alone():
    assert Settings(slices="tier").slices == ("tier",)  # type: ignore[arg-type]
