"""What a file of judgments or hits is: packed or plain, and in which format."""

import codecs
import csv
import gzip
import io
import mmap
import os
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast

import numpy as np
import orjson

from benchbench.errors import InputError, said_by
from benchbench.formats.columns import are_names
from benchbench.formats.lines import open_input
from benchbench.formats.pipes import is_file, kept, piped
from benchbench.kernels.arrays import Bytes
from benchbench.tables.names import printable

Format = Literal["trec", "json", "json lines", "table", "parquet", "arrow"]

LONGEST = 1 << 24  # bytes of a line
_SUFFIXES: dict[str, Format] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".jsonl": "json lines",
    ".ndjson": "json lines",
    ".json": "json",
    ".csv": "table",
    ".trec": "trec",  # an id may begin as another format does
}
_PACKINGS = {".gz": "gzip", ".zst": "zstd"}
_ENDINGS = {*_SUFFIXES, *_PACKINGS, ".txt", ".qrels", ".qrel", ".run", ".res", ".tsv"}
_MARKS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}  # what packed files begin with
_FIRST: dict[bytes, Format] = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\xff\xff\xff\xff": "arrow"}
_HEAD = 1 << 16  # bytes that show the format


def stem(path: Path | str) -> str:
    """Return the name of a file without the suffixes that say its format, as runs and judges are called."""
    if str(path) == "-":
        return "standard input"
    name = Path(path).name
    while (suffix := Path(name).suffix).lower() in _ENDINGS and suffix:
        name = name.removesuffix(suffix)
    return printable(name)


class Source:
    """A file that may be opened again and again, unpacked; standard input (`-`) and pipes are read once and kept."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._kept: bytes | None = None
        standard = str(path) == "-"
        self.name = "standard input" if standard else str(path)
        with self._refused():
            if standard:
                self._kept = kept(sys.stdin.buffer, self.name) if sys.stdin else b""
            elif self.path.exists() and not self.path.is_dir() and not is_file(self.path):
                self._kept = piped(self.path).read()

    @cached_property
    def packing(self) -> str | None:
        """What it is packed by, as its name or else its first bytes say."""
        suffix = self.path.suffix.lower()
        if suffix in _PACKINGS:
            return _PACKINGS[suffix]
        with self._refused(), self._bytes() as file:
            head = file.read(4)
        return next((packing for mark, packing in _MARKS.items() if head.startswith(mark)), None)

    @property
    def is_plain(self) -> bool:
        """Whether it is a file that others may open by its path."""
        return self._kept is None and self.packing is None

    @contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """Open it behind any byte order mark of UTF-8; what is wrong is an InputError, also while it is read."""
        with self._refused(), self._bytes() as file, self._unpacked(file) as unpacked:
            if unpacked.read(3) != codecs.BOM_UTF8:
                unpacked.seek(0)
            yield unpacked

    def narrow(self) -> None:
        """Keep a text in UTF-16, as some spreadsheets write it, in UTF-8."""
        with self._refused(), self._bytes() as file:
            head = file.read(4)
            if head[:2] not in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) or head == codecs.BOM_UTF32_LE:
                return
            try:
                self._kept = (head + file.read()).decode("utf-16").encode()
            except UnicodeError:
                raise InputError(f"{self.name} begins like UTF-16 but is not valid UTF-16; write it as UTF-8") from None

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the lines and their numbers, from 1; one that is too long is an InputError."""
        with self.opened() as file:
            for number in count(1):
                line = file.readline(LONGEST + 1)
                if not line:
                    return
                if len(line) > LONGEST:
                    too_long = f"longer than {LONGEST >> 20} MiB, so this is the wrong kind of file"
                    raise InputError(f"{self.name}, line {number}: {too_long}")
                yield number, line

    def text(self) -> Bytes | None:
        """Return the bytes, mapped and not read, of a plain file that ends in a line end; None for any other."""
        if self.packing is not None:
            return None
        with self.opened() as file:
            if file.tell() or not file.seek(0, os.SEEK_END):
                return None
            file.seek(-1, os.SEEK_END)
            if file.read() != b"\n":
                return None
            kept = self._kept or mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            return np.frombuffer(kept, np.uint8)

    def format(self) -> Format:
        """Return the format that the name or the first bytes tell."""
        with self.opened() as file:
            head = file.read(_HEAD)
            if not head:
                raise InputError(f"{self.name} is empty, so every score would be 0")
            suffixes = [suffix.lower() for suffix in self.path.suffixes if suffix.lower() not in _PACKINGS]
            if suffixes and suffixes[-1] in _SUFFIXES:
                return _SUFFIXES[suffixes[-1]]
            for mark, kind in _FIRST.items():
                if head.startswith(mark):
                    return kind
            if head.lstrip().startswith(b"{"):
                return _json_format(head.lstrip(), file)
        if re.match(rb"\s*\[\s*\{", head):
            return "json"
        return "table" if are_names(header_names(head.partition(b"\n")[0])) else "trec"

    @contextmanager
    def _refused(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise InputError(f"{self.name} cannot be read: {error.strerror or said_by(error)}") from None

    def _bytes(self) -> BinaryIO:
        return open_input(self.path) if self._kept is None else io.BytesIO(self._kept)

    @contextmanager
    def _unpacked(self, file: BinaryIO) -> Iterator[BinaryIO]:
        if self.packing is None:
            yield file
            return
        module: Any = gzip if self.packing == "gzip" else self._zstd()
        faults = (EOFError, zlib.error, gzip.BadGzipFile if module is gzip else module.ZstdError)
        try:
            with module.open(file) as unpacked:
                yield cast("BinaryIO", unpacked)
        except faults as error:
            raise InputError(f"{self.name} is not a whole {self.packing} file: {said_by(error)}") from None

    def _zstd(self) -> Any:
        with suppress(ImportError):
            return import_module("compression.zstd")
        with suppress(ImportError):
            return import_module("backports.zstd")
        raise InputError(f"{self.name} needs the zstd extra: pip install '.[zstd]' in the checkout of benchbench")


def separator(header: bytes) -> str:
    """Return what parts the columns of a table's first line: a tab, or else a comma."""
    return "\t" if b"\t" in header else ","


def header_names(header: bytes) -> list[str]:
    """Return the column names of a table's first line."""
    return fields_of(header, separator(header))


def fields_of(line: bytes, parted_by: str) -> list[str]:
    """Return the fields of a table's line, without their quotation marks."""
    text = line.decode(errors="replace").strip("\r\n")
    try:
        return next(csv.reader([text], delimiter=parted_by), [])
    except csv.Error:  # a carriage return within the line, or a field beyond the module's limit
        return text.split(parted_by)


def _json_format(head: bytes, file: BinaryIO) -> Format:
    """Tell lines of JSON from one object by the first line of it, which may be longer than the head."""
    line, end, rest = head.partition(b"\n")
    if not end:
        line, rest = line + file.readline(LONGEST), file.read(_HEAD)
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        return "json"
    return "json lines" if rest.strip() or not all(isinstance(hits, dict) for hits in record.values()) else "json"
