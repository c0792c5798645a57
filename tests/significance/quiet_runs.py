"""Runs of one system that differ by noise alone, as gates are given them."""

from dataclasses import dataclass

import numpy as np


@dataclass
class Runs:
    """Ten runs of a reference, and later ones."""

    reference_runs: np.ndarray  # (10, queries)
    later: np.ndarray  # (runs, queries)

    @property
    def reference(self) -> np.ndarray:
        """The mean of each query."""
        return self.reference_runs.mean(axis=0)

    @property
    def means(self) -> np.ndarray:
        """The mean of each run of the reference."""
        return self.reference_runs.mean(axis=1)


def drawn(seed: int, runs: int = 8, queries: int = 40, noise: float = 0.1, shared: float = 0.0) -> Runs:
    """Draw runs over queries of many values; `noise` of each query, `shared` of whole runs."""
    rng = np.random.default_rng(seed)
    base = rng.beta(0.6, 0.9, queries)
    every = base + noise * rng.normal(size=(10 + runs, queries)) + shared * rng.normal(size=(10 + runs, 1))
    return Runs(every[:10], every[10:])


def identical(seed: int, runs: int = 8, queries: int = 40) -> Runs:
    """Return runs of a retriever that always answers alike."""
    return drawn(seed, runs, queries, noise=0.0)
