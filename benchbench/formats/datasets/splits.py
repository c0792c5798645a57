"""Which judgments of several are taken."""

from collections.abc import Sequence

from benchbench.errors import InputError, visible

_DEFAULT = "test"


def chosen_split(name: str, splits: Sequence[str], wanted: str | None) -> str:
    """Return the split that is wanted, else `test`, else the only one.

    Raises
    ------
    InputError
        Naming those that there are, when none of them can be taken.
    """
    there = ", ".join(visible(split, 40) for split in splits)
    if wanted is not None:
        if wanted not in splits:
            raise InputError(f"{name} has no split {wanted}; there are: {there or 'none'}")
        return wanted
    if _DEFAULT in splits:
        return _DEFAULT
    if len(splits) == 1:
        return splits[0]
    raise InputError(f"{name} has the splits {there}, and no {_DEFAULT}: name one with --split")
