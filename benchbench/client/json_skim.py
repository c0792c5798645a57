"""Parse answers without their long texts, which are read on demand, and read equal labels once."""

import secrets
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import orjson

from benchbench.client.record_columns import SKIMMED
from benchbench.kernels.arrays import U64
from benchbench.kernels.json_skim import DIGITS, MARKED, skim

_SAMPLE = 1 << 15  # bytes from the beginning of an answer by which it is judged; smaller ones are not worth it
_STRINGY = 40  # where a sample has a quote in less than so many bytes, it has no long texts

_NAMES = np.frombuffer("".join(SKIMMED).encode(), np.uint8)
_ENDS = np.cumsum([len(name) for name in SKIMMED]).astype(np.uint64)
_MARKER = secrets.token_hex(12)  # no service can know it
_MARK = np.frombuffer(_MARKER.encode(), np.uint8)
_TAIL = len(_MARKER) + DIGITS
_QUOTE = 0x22  # stands before a text, and not before an object


Row = tuple[float, ...]  # the labels of a hit, codes and numbers of `tables.labels`
_ROWS = 1 << 14  # that are kept; the labels of a collection repeat, but not where a name or a number stands by them


class Skimmed:
    """The texts that marks stand for; empty where a body was parsed completely."""

    def __init__(
        self, body: bytes = b"", starts: Sequence[int] = (), stops: Sequence[int] = (), rows: list[Row] | None = None
    ) -> None:
        self._body, self._starts, self._stops, self._rows = body, starts, stops, rows or []

    def text(self, text: str) -> str:
        """Return a text as the body has it."""
        if text[-_TAIL:-DIGITS] != _MARKER:
            return text
        n = int(text[-DIGITS:])
        return str(orjson.loads(self._body[self._starts[n] - 1 : self._stops[n] + 1]))

    def whole(self, value: Any) -> Any:
        """Return what the body has where this was parsed: a text, or an object that is called `meta`."""
        if type(value) is not str:
            return value
        if not value.startswith(_MARKER):
            return self.text(value)
        n = int(value[-DIGITS:])
        return orjson.loads(self._body[self._starts[n] : self._stops[n]])

    def rows(self, metas: Sequence[Any]) -> list[Row] | None:
        """Return the labels of objects in the order of the body, None unless marks stand for all, and no other is."""
        if len(self._rows) != len(metas) or set(map(type, metas)) != {str}:
            return None
        return self._rows if "".join(metas).count(_MARKER) == len(metas) else None


def prepare() -> None:
    """Compile before requests are under way."""
    nothing, spans = np.frombuffer(b"{}", np.uint8), np.empty((2, 1), np.uint64)
    skim(nothing, _NAMES, _ENDS, _MARK, np.empty(2, np.uint8), spans[0], spans[1])


def loads(body: bytes, rows: dict[bytes, Row], read: Callable[[list[Any]], Iterable[Row]]) -> tuple[Any, Skimmed]:
    """Parse JSON, large answers with marks in it.

    Texts (`tables.fields.TEXT`) are cut after at least 17 characters if they are long, and a string stands for an
    object that is called `meta`.

    Parameters
    ----------
    body
        JSON.
    rows, read
        What JSON read before has given, and what reads objects.

    Raises
    ------
    orjson.JSONDecodeError
    """
    if len(body) < _SAMPLE or body.count(b'"', 0, _SAMPLE) * _STRINGY > _SAMPLE:
        return orjson.loads(body), Skimmed()
    data = np.frombuffer(body, np.uint8)
    short = np.empty(len(body), np.uint8)
    spans: U64 = np.empty((2, len(body) // MARKED + 1), np.uint64)
    length, number = skim(data, _NAMES, _ENDS, _MARK, short, spans[0], spans[1])
    if not number:
        return orjson.loads(body), Skimmed()
    value = orjson.loads(short[: int(length)].data)
    spans = spans[:, : int(number)]
    starts, stops = spans.tolist()
    if len(rows) > _ROWS:
        rows.clear()
    objects = np.flatnonzero(data[spans[0] - np.uint64(1)] != _QUOTE)
    sources = [body[start:stop] for start, stop in zip(*spans[:, objects].tolist(), strict=True)]
    return value, Skimmed(body, starts, stops, _rows(sources, rows, read))


def _rows(sources: list[bytes], rows: dict[bytes, Row], read: Callable[[list[Any]], Iterable[Row]]) -> list[Row]:
    """Return what objects say, of JSON that came before without parsing it."""
    found = list(map(rows.get, sources))
    if None in found:
        unseen = list(dict.fromkeys(source for source, row in zip(sources, found, strict=True) if row is None))
        rows.update(zip(unseen, read(list(map(orjson.loads, unseen))), strict=True))
        found = list(map(rows.get, sources))
    return [row for row in found if row is not None]
