"""Sums over the queries kept by random or by all sign patterns."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.kernels.sign_flips import GROUP, WIDTH, kept_sums


def tiled(values: np.ndarray) -> np.ndarray:
    """Put (rows, columns) into tiles, filled up with zeros."""
    rows, columns = values.shape
    tiles = np.zeros((-(-columns // WIDTH), -(-rows // GROUP) * GROUP, WIDTH))
    for c in range(columns):
        tiles[c // WIDTH, :rows, c % WIDTH] = values[:, c]
    return tiles


def sums(values: np.ndarray, first: int, number: int, seed: int, enumerate_all: bool = False) -> np.ndarray:
    """Return (number, columns)."""
    found = kept_sums(tiled(values), first, number, seed, enumerate_all)
    return found.transpose(1, 0, 2).reshape(number, -1)[:, : values.shape[1]]


def kept_rows(rows: int, first: int, number: int, seed: int) -> np.ndarray:
    """Row i counts 1 in column i, so the sums say which rows are kept; (number, rows)."""
    return sums(np.eye(rows), first, number, seed)


@given(st.integers(1, 9), st.integers(1, 20), st.integers(0, 2**32))
def test_enumerating_goes_through_every_subset_once(rows: int, columns: int, seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=(rows, columns))
    found = sums(values, 0, 2**rows, seed, True)
    for subset in range(2**rows):
        for c in range(columns):
            twin = math.fsum(values[i, c] for i in range(rows) if subset >> i & 1)
            assert found[subset, c] == pytest.approx(twin, rel=1e-12, abs=1e-12)


@given(st.integers(1, 150), st.integers(1, 20), st.integers(0, 2**62))
def test_a_resample_sums_the_rows_that_it_keeps_of_every_column(rows: int, columns: int, seed: int) -> None:
    values = np.random.default_rng(rows).normal(size=(rows, columns))
    kept = kept_rows(rows, 3, 10, seed)
    assert set(np.unique(kept)) <= {0.0, 1.0}
    assert sums(values, 3, 10, seed) == pytest.approx(kept @ values, rel=1e-10, abs=1e-10)


@given(st.integers(1, 200), st.integers(1, 30), st.integers(1, 30), st.integers(0, 2**62))
def test_splitting_the_resamples_changes_no_bit(rows: int, few: int, more: int, seed: int) -> None:
    values = np.random.default_rng(1).normal(size=(rows, 9))
    whole = sums(values, 0, few + more, seed)
    parts = [sums(values, 0, few, seed), sums(values, few, more, seed)]
    assert whole.tobytes() == np.concatenate(parts).tobytes()


def test_every_row_is_kept_by_half_of_the_resamples_whatever_the_others_are() -> None:
    kept = kept_rows(130, 0, 4000, 5) - 0.5
    assert abs(kept.sum(axis=0)).max() < 4.5 * math.sqrt(4000) / 2
    together = (kept.T @ kept)[np.triu_indices(130, 1)]
    assert abs(together).max() < 5.5 * math.sqrt(4000) / 4
    after = (kept[1:] * kept[:-1]).sum(axis=0)  # one resample says nothing of the next
    assert abs(after).max() < 4.5 * math.sqrt(4000) / 4


def test_another_seed_keeps_other_rows() -> None:
    assert kept_rows(60, 0, 1, 1).tolist() != kept_rows(60, 0, 1, 2).tolist()
