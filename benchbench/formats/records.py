"""Records of queries and documents from files of any kind, one in memory at a time.

The kind is found out by the name of a file, else by its beginning: JSON lines, one JSON array or object, tables
(`formats.table_records`), Parquet (`formats.parquet_records`), TREC documents and topics (`formats.trec_records`).
Each may be packed with gzip or zstd. A folder holds shards of one kind, which are read in the order of their names.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import orjson

from benchbench.errors import InputError, visible
from benchbench.formats.lines import json_lines_of
from benchbench.formats.source import Source
from benchbench.formats.table_records import is_header, table_records
from benchbench.tables.fields import COLUMN_IDS, COLUMN_TEXTS, ID, QUERY_IDS, QUERY_TEXTS, TEXT, identity
from benchbench.tables.text_files import detect_encoding, json_value, read_whole

FORMATS = ("jsonl", "json", "tsv", "csv", "parquet", "trec")

_SUFFIXES = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".tsv": "tsv",
    ".csv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".trec": "trec",
    ".sgml": "trec",
    ".xml": "trec",
}
_PACKED = (".gz", ".zst")
_USUAL: Mapping[str, tuple[str, ...]] = {"id": ID, "text": TEXT}
_IN_COLUMNS: Mapping[str, tuple[str, ...]] = {"id": COLUMN_IDS, "text": COLUMN_TEXTS}
_UNITS = {"jsonl": "line", "tsv": "row", "csv": "row", "parquet": "row", "trec": "element"}
_HEAD = 1 << 16  # bytes that show the kind
_WHOLE = 2.0**53  # below it, each whole number is a float of its own


@dataclass(frozen=True, slots=True)
class Part:
    """Where one part of a data set is, and which of its members is what.

    Attributes
    ----------
    path
        A file, or a folder of shards.
    members
        For "id", "text", "title" …: the names under which they stand. Of "text" all that are there count, joined by a
        space; of others the first. Empty: the usual names.
    format
        One of `FORMATS`; "" is detected.
    generated
        Makes the records anew for each reading, where they come from no file; `path` is what they are called.
    """

    path: Path
    members: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    format: str = ""
    generated: Callable[[], Iterable[dict[str, Any]]] | None = None

    @classmethod
    def of(cls, given: "Part | Path") -> "Part":
        """Return a part as it is, or that of a path."""
        return given if isinstance(given, cls) else cls(Path(given))  # type: ignore[arg-type]

    def names(self, member: str, kind: str = "jsonl") -> tuple[str, ...]:
        """Return the names under which a member may stand in records of a kind, the best first."""
        if member in self.members:
            return self.members[member]
        usual = _USUAL.get(member, (member,))
        return (*usual, *_IN_COLUMNS.get(member, ())) if kind in ("tsv", "csv", "parquet") else usual


class Records(Iterable[tuple[int, Any]]):
    """The records of a part and their numbers from 1; None stands for a bad one."""

    def __init__(self, part: Part, encoding: str | None, skip_bad: bool, only: Collection[str] | None, digest: Any):
        """Begin before the first record; nothing is opened yet."""
        self.part = part
        self._begin("jsonl")
        self._options = encoding, skip_bad, only, digest
        self._starts: list[int] = []
        self._files: list[Path] = []
        self._rows = self._all()

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        """Iterate over them once."""
        return self._rows

    def where(self, number: int, beside: int | None = None) -> str:
        """Return file and place of a record that has been read, as an error names it.

        `beside` is the number of another one that was named before: of the same file, the place alone is returned.
        """
        unit = "record" if self.part.generated is not None else _UNITS.get(self.kind, "record")
        shard = self._shard(number)
        path = self._files[shard] if self._files else self.part.path
        place = f"{unit} {number - self._starts[shard] if self._files else number}"
        return place if beside is not None and self._shard(beside) == shard else f"{path}, {place}"

    def repeated(self, what: str, identity: str, earlier: int, number: int) -> str:
        """Return that an id was used in an earlier record already."""
        return f"{what} {visible(identity, 200)} was used in {self.where(earlier, number)} already"

    def _shard(self, number: int) -> int:
        return bisect_right(self._starts, number - 1) - 1

    def _begin(self, kind: str) -> None:
        self.kind = kind  # one of `FORMATS`, of the file that is being read; known with the first record
        self._ids, self._texts = self.part.names("id", kind), self.part.names("text", kind)
        self._nested = any("." in name for name in self._ids)

    @property
    def names(self) -> set[str]:
        """The names under which id and text may stand."""
        return {*self._ids, *self._texts}

    def id_of(self, number: int, record: dict[str, Any]) -> str | None:
        """Return the id of a record, by its number where it has none; None where that is no id."""
        for name in self._ids:
            given = value_of(record, name) if self._nested else record.get(name)
            if given is not None:
                return record_id(given)
        return str(number)

    def text_of(self, record: dict[str, Any]) -> str | None:
        """Return the text of a record, without its title; None where it has none."""
        names = self._texts
        if "text" in self.part.members:
            return joined_text(record, names)
        value = next((record[name] for name in names if record.get(name) is not None), None)
        return value if isinstance(value, str) else None

    def _all(self) -> Iterator[tuple[int, Any]]:
        part, digest = self.part, self._options[3]
        if part.generated is not None:
            self._begin("generated")
            for number, record in enumerate(part.generated(), 1):
                if digest is not None:
                    digest.update(orjson.dumps(record))
                yield number, record
            return
        if not part.path.is_dir():
            yield from self._file(part.path)
            return
        first = 0
        for shard in _shards(part):
            self._starts.append(first)
            self._files.append(shard)
            number = 0
            for number, record in self._file(shard):
                yield first + number, record
            first += number

    def _file(self, path: Path) -> Iterator[tuple[int, Any]]:
        encoding, skip_bad, only, digest = self._options
        source = Source(path)
        with source.opened() as file:
            file.seek(0)
            kind = _checked(self.part.format) or _kind(path, file, encoding)
            self._begin(kind)
            file.seek(0)
            match kind:
                case "parquet":
                    from benchbench.formats.parquet_records import parquet_records

                    wanted = None if only is None else {name: self.part.names(name, kind) for name in only}
                    yield from parquet_records(source, file, wanted, digest)
                case "tsv" | "csv":
                    names = [name for names in self.part.members.values() for name in names]
                    yield from table_records(file, path, kind, names, encoding, skip_bad, digest)
                case "trec":
                    from benchbench.formats.trec_records import trec_records

                    yield from trec_records(file, path, encoding, skip_bad, only, digest)
                case "json":
                    yield from self._objects(_json_records(file, path, digest))
                case _:
                    yield from self._objects(json_lines_of(file, path, encoding, skip_bad, digest))

    def _objects(self, values: Iterable[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
        for number, value in values:
            if isinstance(value, dict):
                yield number, value
            elif self._options[1]:
                yield number, None
            else:
                raise InputError(f"{self.where(number)}: not a JSON object")


def records(
    part: Part | Path,
    encoding: str | None = None,
    skip_bad_lines: bool = False,
    only: Collection[str] | None = None,
    digest: Any = None,
) -> Records:
    """Return the records of a part, each with its number; the names of their members are those of the file.

    Parameters
    ----------
    part
        Where they are.
    encoding
        A Python codec name, of what is text; None detects the UTF encodings.
    skip_bad_lines
        Yield None for a line, row or element that cannot be read, instead of raising.
    only
        Members that are needed, in terms of `Part.members`. Of Parquet these columns alone are read.
    digest
        Is fed the bytes, unpacked.

    Raises
    ------
    InputError
        While they are read, with file, place and reason.
    """
    return Records(Part.of(part), encoding, skip_bad_lines, only, digest)


def record_id(value: Any) -> str | None:
    """Return an id as text; a whole number that was written as a float, as pandas writes it, is that number."""
    if isinstance(value, float) and value.is_integer() and abs(value) < _WHOLE:
        return str(int(value))
    return identity(value)


def value_of(record: Mapping[str, Any], name: str) -> Any:
    """Return a member of a record, or where it has none of that name, what a path with dots leads to."""
    if name in record:
        return record[name]
    if "." not in name:
        return None
    value: Any = record
    for step in name.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(step)
    return value


def joined_text(record: Mapping[str, Any], names: Iterable[str]) -> str | None:
    """Return the texts of several members, joined by a space; None where there is none."""
    texts = [value for name in names if isinstance(value := value_of(record, name), str)]
    return " ".join(texts) if texts else None


def _checked(kind: str) -> str:
    if kind and kind not in FORMATS:
        raise InputError(f"the format {visible(kind, 40)!r} is none of {', '.join(FORMATS)}")
    return kind


def _suffix(path: Path) -> str:
    return next((suffix.lower() for suffix in reversed(path.suffixes) if suffix.lower() not in _PACKED), "")


def _kind(path: Path, file: BinaryIO, encoding: str | None) -> str:
    """Return the kind that the name or the beginning of a file tells."""
    suffix = _suffix(path)
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    head = file.read(_HEAD)
    if head.startswith(b"PAR1"):
        return "parquet"
    try:
        text = head.decode(encoding or detect_encoding(head[:4]), "replace").lstrip("\ufeff \t\r\n")
    except LookupError:  # which the reader says in a sentence
        return "jsonl"
    if text.startswith("<"):
        return "trec"
    line, _, rest = text.partition("\n")
    if text.startswith(("{", "[")):
        return _json_kind(line, rest)
    if "\t" in line:
        return "tsv"
    return "csv" if "," in line and is_header(line.strip().split(","), ()) else "jsonl"


def _json_kind(line: str, rest: str) -> str:
    """Tell lines of JSON from one array or object: its first line is no value, or the only one and of several."""
    try:
        value = orjson.loads(line.encode(errors="replace"))
    except orjson.JSONDecodeError:
        return "json" if re.match(r'[\[{]\s*(?:[\[{"}\]]|$)', line) and len(line) < _HEAD >> 1 and rest else "jsonl"
    if rest.strip():
        return "jsonl"
    if isinstance(value, list):
        return "json" if value and isinstance(value[0], dict) else "jsonl"
    known = any(name in value for name in (*ID, *TEXT, *QUERY_IDS, *QUERY_TEXTS))
    return "jsonl" if known or not all(isinstance(member, str | dict) for member in value.values()) else "json"


def _json_records(file: BinaryIO, path: Path, digest: Any) -> Iterator[tuple[int, Any]]:
    """Yield the objects of an array, or those of an object with their names as ids; only one is parsed at a time."""
    content = read_whole(file, str(path))
    if digest is not None:
        digest.update(content)
    encoding = detect_encoding(content[:4])
    try:
        text = content if encoding == "utf-8" else content.decode(encoding).encode()
        parts = msgspec.json.decode(text, type=list[msgspec.Raw] | dict[str, msgspec.Raw])
    except (UnicodeDecodeError, msgspec.DecodeError):
        json_value(content, str(path))
        raise InputError(f"{path} is neither a JSON array nor an object") from None
    named: Iterable[tuple[str | None, msgspec.Raw]]
    named = parts.items() if isinstance(parts, dict) else ((None, raw) for raw in parts)
    for number, (name, raw) in enumerate(named, 1):
        value = orjson.loads(memoryview(raw))
        if name is not None:
            value = {"text": value} if isinstance(value, str) else value
            value = {"id": name, **value} if isinstance(value, dict) else value
        yield number, value


def _shards(part: Part) -> list[Path]:
    """Return the files of a folder that are of one kind: Parquet, else JSON lines, else what begins as TREC does."""
    folder = part.path
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith((".", "_")))
    kinds = [part.format] if part.format else ["parquet", "jsonl"]
    for kind in kinds:
        shards = [path for path in files if _SUFFIXES.get(_suffix(path)) == kind]
        if shards:
            return shards
    if part.format in ("", "trec"):
        shards = [path for path in files if _begins_with_documents(path)]
        if shards:
            return shards
    raise InputError(
        f"{folder} has no shards: no file in it is {part.format or 'Parquet, JSON lines or TREC documents'}"
    )


def _begins_with_documents(path: Path) -> bool:
    with Source(path).opened() as file:
        return re.match(rb"\s*(?:<[!?][^>]*>\s*)*<doc[\s>]", file.read(_HEAD), re.IGNORECASE) is not None
