"""Label sets of cases as integer codes, and sentences as months and flags."""

from contextlib import suppress
from functools import lru_cache
from operator import itemgetter
from typing import Any

MISSING = -1
MALFORMED = -2

DEATH, LIFE = 1, 2


class Labels:
    """A vocabulary of label sets: equal sets have equal codes, from 0 in order of first appearance.

    Labels are compared as strings, article 341 being `"341"`, and without the square brackets that one
    export of CAIL2018 sets (`[走私、贩卖、运输、制造]毒品`) and another leaves out.
    """

    def __init__(self) -> None:
        self._codes: dict[frozenset[str], int] = {}
        self._seen: dict[tuple[Any, ...], int] = {}
        self.rows: dict[bytes, tuple[int, int, int, int]] = {}  # what the JSON of a hit's labels was found to say

    def code(self, labels: Any) -> int:
        """Return the code of a list of labels (or a single one), `MISSING` or `MALFORMED`."""
        if type(labels) is list:
            raw = tuple(labels)
        elif labels is None:
            return MISSING
        else:
            raw = (labels,)
        try:
            return self._seen[raw]
        except TypeError:  # a member that is itself a list or an object
            return MALFORMED
        except KeyError:
            pass
        members = [_label(member) for member in raw]
        if None in members:
            return MALFORMED
        names = frozenset(name for name in members if name)
        code = self._codes.setdefault(names, len(self._codes)) if names else MISSING
        self._seen[raw] = code
        return code

    def codes(self, column: list[Any]) -> list[int]:
        """Return the codes of many lists; a list seen before costs one look-up."""
        seen = self._seen
        if set(map(type, column)) == {list}:
            with suppress(KeyError, TypeError):
                return list(map(seen.__getitem__, map(tuple, column)))
        return [self.code(labels) for labels in column]

    def sets(self) -> list[frozenset[str]]:
        """Return the label sets in the order of their codes."""
        return list(self._codes)


def _label(value: Any) -> str | None:
    if isinstance(value, str):
        return value.replace("[", "").replace("]", "").strip()
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return str(int(value))
    return None


def sentence(value: Any) -> tuple[int, int]:
    """Return months (or `MISSING`, `MALFORMED`) and penalty flags (`DEATH`, `LIFE`) of a sentence.

    Accepts `{"imprisonment": 8, "death_penalty": false, "life_imprisonment": false}` with any member
    missing, or a bare number of months. Months are 0 where a flag is set.
    """
    if value is None:
        return MISSING, 0
    if not isinstance(value, dict):
        return _months(value), 0
    death, life = value.get("death_penalty") or False, value.get("life_imprisonment") or False
    if not isinstance(death, bool | int) or not isinstance(life, bool | int):
        return MALFORMED, 0
    penalty = (DEATH if death else 0) | (LIFE if life else 0)
    if penalty:
        return 0, penalty
    months = value.get("imprisonment")
    return (MISSING if months is None else _months(months)), 0


def sentences(column: list[Any]) -> tuple[list[int], list[int]]:
    """Return months and penalty flags of many sentences; a sentence seen before costs one look-up."""
    if not column:
        return [], []
    try:
        known = list(map(_known_sentence, *zip(*map(_MEMBERS, column), strict=True)))
    except (KeyError, TypeError):  # members missing, or unhashable
        known = [sentence(value) for value in column]
    months, penalties = zip(*known, strict=True)
    return list(months), list(penalties)


_MEMBERS = itemgetter("imprisonment", "death_penalty", "life_imprisonment")


@lru_cache(maxsize=4096, typed=True)
def _known_sentence(*members: Any) -> tuple[int, int]:
    return sentence(dict(zip(("imprisonment", "death_penalty", "life_imprisonment"), members, strict=True)))


def _months(value: Any) -> int:
    if isinstance(value, str) and len(value) < 32 and value.strip().isdecimal():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        return MALFORMED
    return int(value) if 0 <= value < 2**31 else MALFORMED
