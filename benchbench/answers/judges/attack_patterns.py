"""The patterns of `attacks.toml`, compiled: what instructions to a judge look like, in three languages."""

import re
from functools import cache
from typing import NamedTuple

from benchbench.tables.text_files import toml_beside

HIDDEN = "hidden"
WIDE = "\u3000"  # here the signs and letters of East Asia begin

_PIECE = re.compile(r"\(\?&(\w+)\)")


class Pattern(NamedTuple):
    """A pattern that is searched only where the text has one of the needles."""

    kind: str
    needles: frozenset[str]
    regex: re.Pattern[str]


@cache
def patterns() -> tuple[Pattern, ...]:
    """Return all patterns, for texts in lower case."""
    table = toml_beside(__file__, "attacks.toml")
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
def needles(is_wide: bool) -> frozenset[str]:
    """Return the needles of all patterns; without `is_wide` those that a text in Latin letters can have."""
    every = frozenset[str]().union(*(pattern.needles for pattern in patterns()))
    return every if is_wide else frozenset(needle for needle in every if max(needle) < WIDE)
