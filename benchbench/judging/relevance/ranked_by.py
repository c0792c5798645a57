"""Who ranked a run: its tag, and what its header of ir_metadata names."""

import re
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from benchbench.formats.source import Source
from benchbench.judging.names import same_model

_HEADER = 400  # lines of comments that are read
_WORD = re.compile(r"""[^\s"'\[\],{}()=]+""")
_TAG = 5  # place of the field


def rankers(path: Path | str) -> set[str]:
    """Return the names that a run of TREC text gives: its tag, and the words of the comments above it."""
    names: set[str] = set()
    source = Source(path)
    source.narrow()
    for _, line in islice(source.lines(), _HEADER):
        text = line.decode(errors="replace")
        if text.startswith("#"):
            names.update(_WORD.findall(text))
        elif text.strip():
            names.update(text.split()[_TAG:])
            break
    return names


def own_rankings(model: str, runs: Iterable[tuple[str, Path | str, bool]], named: Iterable[str]) -> list[str]:
    """Return where the judge's model has ranked what it judges, in words.

    Parameters
    ----------
    model
        The judge.
    runs
        Their names, their files, and whether these are TREC text.
    named
        Models that are known to have retrieved or reranked.
    """
    found = [f"--ranked-by {name}" for name in named if same_model(name, model)]
    for name, path, of_trec in runs:
        if of_trec and any(same_model(one, model) for one in rankers(path)):
            found.append(name)
    return found
