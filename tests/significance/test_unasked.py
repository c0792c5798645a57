"""Notes on queries that belong together though nobody said so."""

import numpy as np
import polars as pl
import pytest
from significance.drawn import paired_of

from benchbench.significance.comparing import compare
from benchbench.significance.settings import Settings

QUERIES = 300


def alike(groups: int, correlation: float = 0.5) -> np.ndarray:
    """Draw two systems whose differences are alike within groups of consecutive queries."""
    rng = np.random.default_rng(1)
    size = QUERIES // groups
    common = np.repeat(rng.normal(size=groups), size)
    differences = 0.15 + np.sqrt(correlation) * common + np.sqrt(1 - correlation) * rng.normal(size=QUERIES)
    return np.array([[np.zeros(QUERIES), differences]])


def named(groups: int) -> pl.DataFrame:
    return pl.DataFrame({"document": [f"d{query // (QUERIES // groups)}" for query in range(QUERIES)]})


def test_a_column_whose_groups_are_alike_is_noted_with_the_p_value_it_would_give() -> None:
    paired = paired_of(alike(30), named(30))
    (note,) = compare(paired, Settings()).notes
    (asked,) = compare(paired, Settings(cluster="document")).differences
    (alone,) = compare(paired, Settings()).differences
    assert note == (
        f"queries with the same document are alike (30 groups; design effect {asked.design_effect:.2f} of B - A in "
        f"M0): --cluster document keeps them together, and the p-value before correction is "
        f"{asked.p['randomization']:.2g} instead of {alone.p['randomization']:.2g}"
    )
    assert asked.design_effect > 3
    assert "alike" not in "".join(compare(paired, Settings(cluster="document")).notes)


@pytest.mark.parametrize(
    ("values", "columns"),
    [
        (alike(30, 0.0), named(30)),  # no design effect
        (alike(10), named(10)),  # too few groups to rely on
        (alike(30), named(QUERIES)),  # every query by itself
        (alike(30), pl.DataFrame({"length": np.repeat(np.arange(30), 10)})),  # numbers are measured, and name nothing
    ],
)
def test_nothing_is_said_of_columns_that_change_nothing_or_name_nothing(values, columns) -> None:
    assert compare(paired_of(values, columns), Settings()).notes == ()


@pytest.mark.slow  # a simulated rate
def test_a_column_that_says_nothing_is_seldom_noted_however_many_differences_are_looked_at() -> None:
    rng = np.random.default_rng(3)
    noted = 0
    for _ in range(40):
        columns = pl.DataFrame({name: pl.Series(rng.integers(0, 25, 250)).cast(pl.String) for name in ("user", "case")})
        noted += bool(compare(paired_of(rng.random((3, 5, 250)), columns), Settings(resamples=100)).notes)
    assert noted <= 6  # of 40, each with a chance of 0.05; a design effect above 1.5 alone is in nearly all of them


def test_a_note_names_a_test_that_takes_groups() -> None:
    (note,) = (
        one for one in compare(paired_of(alike(30), named(30)), Settings(test="wilcoxon")).notes if "alike" in one
    )
    assert "--cluster document with --test randomization keeps them together" in note


def test_lists_of_labels_are_looked_at_too() -> None:
    columns = named(30).select(pl.concat_list("document").alias("accusation"))
    (note,) = compare(paired_of(alike(30), columns), Settings()).notes
    assert note.startswith("queries with the same accusation are alike (30 groups")
