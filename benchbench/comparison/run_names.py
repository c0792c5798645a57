"""What the runs of a comparison are called."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchbench.errors import InputError
from benchbench.tables.names import printable


def run_names(given: Sequence[str], ways: Sequence[Sequence[str]]) -> list[str]:
    """Return one name per run: as given, or by the first way that gives no two runs the same name.

    Parameters
    ----------
    given
        Names for all runs, in their order, or none.
    ways
        Names for all runs by each way of naming them.

    Raises
    ------
    InputError
        When there are more or fewer names than runs, or two runs have the same name.
    """
    runs = len(ways[0])
    if given and len(given) != runs:
        raise InputError(f"{runs} runs need {runs} names, and --run-name has {len(given)}; give one name per run")
    called = [[printable(name) for name in names] for names in ([given] if given else ways)]
    for names in called:
        if len(set(names)) == runs:
            return names
    twice = next(name for name in called[-1] if called[-1].count(name) > 1)
    raise InputError(f"two runs are called {twice}; give each a --run-name")


def baseline_among(paths: Mapping[str, Path], baseline: str | None) -> str | None:
    """Return the name of the baseline among files or folders by name; it may be given as its path."""
    if baseline is None or baseline in paths:
        return baseline
    names = {path.resolve(): name for name, path in paths.items()}
    return names.get(Path(baseline).resolve(), printable(baseline))
