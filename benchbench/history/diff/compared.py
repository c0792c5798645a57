"""The comparison of two stored runs as `compare` makes it, which the page of their difference draws."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchbench.comparison.compare_result import ComparedSystem, CompareOutcome
from benchbench.comparison.conclusion import concluded
from benchbench.comparison.folders import compare_results
from benchbench.errors import InputError
from benchbench.history.diff.pairs import Pairs, TestedMeasure
from benchbench.history.entry import Entry
from benchbench.results.record import Data
from benchbench.significance.comparison_settings import CompareSettings
from benchbench.stored import load


def comparison_of(
    entries: Sequence[Entry],
    labels: tuple[str, str],
    pairs: Pairs,
    tests: Mapping[str, TestedMeasure],
    settings: CompareSettings,
) -> CompareOutcome | None:
    """Return the comparison of the measures that were tested; None where none was of which more is better.

    It has the hits, texts and latencies of the folders that the runs were added from, where both are there still.
    """
    measures = [name for name, test in tests.items() if test.sign > 0]
    if not measures:
        return None
    chosen: dict[str, Any] = {
        name: getattr(settings, name) for name in ("baseline", "alpha", "seed", "slices", "cluster")
    }
    folders = [entry.source for entry in entries if entry.kind == "run" and _is_there(entry)]
    if len(folders) == 2:
        try:
            return compare_results(folders, measures, names=labels, allow_different=True, **chosen)
        except InputError:  # its data set is gone, or was changed: the values per query are stored all the same
            pass
    finite = {name: np.isfinite(np.stack(pairs.values[name])).all(axis=0) for name in measures}
    there = np.flatnonzero(finite[measures[0]])
    alike = [name for name in measures if np.array_equal(finite[name], finite[measures[0]])]
    return concluded(
        pairs.paired(there, dict.fromkeys(alike, 1.0), labels),
        settings,
        str,
        None,
        fail_if=(),
        why_no_columns="",
        notes=(),
        options={},
        systems=tuple(
            ComparedSystem(name=label, source=entry.source, signature=entry.signature, counts={})
            for label, entry in zip(labels, entries, strict=True)
        ),
        data=Data(name=entries[0].data or None, queries=len(there)),
    )


def _is_there(entry: Entry) -> bool:
    """Say whether the folder that a run was added from has that run still."""
    try:
        return bool(entry.source) and load(entry.source).record.id == entry.id
    except InputError:
        return False
