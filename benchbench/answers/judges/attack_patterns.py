"""The patterns of `attacks.toml`, compiled: what instructions to a judge look like, in three languages."""

import re
from functools import cache
from importlib import resources
from typing import NamedTuple

from benchbench.tables.text_files import toml_value

HIDDEN = "hidden"

_FILE = "attacks.toml"
_PIECE = re.compile(r"\(\?&(\w+)\)")


class Pattern(NamedTuple):
    """A pattern that is searched only where the text has one of the needles."""

    kind: str
    needles: frozenset[str]
    regex: re.Pattern[str]


@cache
def patterns() -> tuple[Pattern, ...]:
    """Return all patterns, for texts in lower case."""
    table = toml_value(resources.files("benchbench.answers.judges").joinpath(_FILE).read_bytes(), _FILE)
    pieces = table["pieces"]
    return tuple(
        Pattern(
            one["kind"],
            frozenset(one["needles"]),
            re.compile(_PIECE.sub(lambda piece: pieces[piece[1]], one["regex"]), re.MULTILINE),
        )
        for one in table["patterns"]
    )


@cache
def needles(is_ascii: bool) -> frozenset[str]:
    """Return the needles of all patterns; with `is_ascii` those that a text in ASCII can have."""
    every = frozenset[str]().union(*(pattern.needles for pattern in patterns()))
    return frozenset(needle for needle in every if needle.isascii()) if is_ascii else every
