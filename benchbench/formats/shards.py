"""Folders of files that are one run or one set of judgments: each file a shard, or each hive partition.

`run/part-0.parquet` and `run/query_shard=07/part-0.parquet` are files of shards; the files of a partition are one
shard. All rows of a query are in one shard, in any order there.
"""

from collections.abc import Iterator
from functools import cached_property, partial
from itertools import groupby
from pathlib import Path

import numpy as np

from benchbench.errors import InputError, visible
from benchbench.formats.parts import Parts, file_parts, kind_of
from benchbench.formats.source import Format, Source
from benchbench.kernels.arrays import I32, U64
from benchbench.results.folder import CONFIG, RECORD, SUMMARY
from benchbench.tables.borrowed import Borrowed
from benchbench.tables.names import printable
from benchbench.tables.rows import Rows

_SUFFIXES = (".parquet", ".pq", ".arrow", ".feather", ".ipc")
_SHOWN = 40  # characters of an id in a sentence


def are_shards(path: Path) -> bool:
    """Say whether a path is a folder with Parquet or Arrow in it, and not one of results."""
    return path.is_dir() and not is_results(path) and any(file.suffix.lower() in _SUFFIXES for file in path.rglob("*"))


def is_results(folder: Path) -> bool:
    """Say whether a folder has results."""
    return any((folder / name).exists() for name in (RECORD, SUMMARY, CONFIG))


class Shards:
    """A folder whose files have one format; files that begin with `_` or `.` are of whoever wrote them.

    Parameters
    ----------
    folder
        It may have folders inside, such as `query_shard=07`.
    run
        Whether it has hits; else judgments.
    """

    def __init__(self, folder: Path, run: bool) -> None:
        self.name, self.title = str(folder), printable(folder.name)
        self._folder, self._run = folder, run

    @cached_property
    def kind(self) -> Format:
        """The format of all files; InputError where they have several."""
        first, *others = (file for shard in self._files for file in shard)
        kind = kind_of(Source(first), self._run)
        for file in others:
            other = kind_of(Source(file), self._run)
            if other != kind:
                raise InputError(
                    f"{self.name} is a folder of shards, which have one format, but {first.name} is {kind} and "
                    f"{file.relative_to(self._folder)} is {other}; leave in it what belongs to the "
                    f"{'run' if self._run else 'judgments'}"
                )
        return kind

    @cached_property
    def _files(self) -> list[list[Path]]:
        """The files of each shard."""
        if is_results(self._folder):
            raise InputError(
                f"{self.name} is a folder of results; name its {'run.trec' if self._run else 'qrels.trec'}"
            )
        found = sorted(
            path
            for path in self._folder.rglob("*")
            if path.is_file() and not any(part[0] in "._" for part in path.relative_to(self._folder).parts)
        )
        if not any(path.suffix.lower() in _SUFFIXES for path in found):
            raise InputError(f"{self.name} is a folder without Parquet or Arrow in it; name the file in it")
        shards = groupby(found, lambda path: path.parent if _is_partition(path) else path)
        return [list(files) for _, files in shards]

    def parts(self) -> Iterator[Borrowed[Rows]]:
        """Yield the rows of whole queries at a time, those of a partition all at once."""
        for files in self._files:
            if _is_partition(files[0]):
                yield Borrowed.of(partial(self._gathered, files))
            else:
                yield from self._parts(files[0])

    def _parts(self, file: Path) -> Iterator[Borrowed[Rows]]:
        return file_parts(Source(file), self._run, self.kind)()

    def _gathered(self, files: list[Path]) -> Rows:
        read = [part.kept() for file in files for part in self._parts(file)]
        return Rows.concatenated(read).gathered() if read else Rows.of([], [], [], np.zeros(0))

    def refusal(self) -> InputError:
        """Return the error of the first query whose rows are in two shards, or not next to each other in one file."""
        groups = [self._queries(number, files) for number, files in enumerate(self._files)]
        hashes, owners = (np.concatenate(columns) for columns in zip(*groups, strict=True))
        order = np.argsort(hashes, kind="stable")
        again = np.flatnonzero(hashes[order][1:] == hashes[order][:-1])
        first, second = (int(owners[order[again[0] + place]]) for place in (0, 1))
        query = visible(self._named(int(hashes[order[again[0]]]), self._files[first]), _SHOWN)
        places = [self._shown(self._files[number]) for number in dict.fromkeys((first, second))]
        where = f"both {places[0]} and {places[1]}" if len(places) == 2 else f"several places of {places[0]}"
        return InputError(
            f"{self.name}: query {query} has rows in {where}; a folder is read shard by shard, and a shard has all "
            f"rows of a query: benchbench prepare shards {self.name} --out DIR writes such a folder"
        )

    def _queries(self, number: int, files: list[Path]) -> tuple[U64, I32]:
        """Return the hashes of the queries of a shard, as often as they begin, and the number of the shard for each."""
        gathered = _is_partition(files[0])
        parts = [self._gathered(files)] if gathered else [part.kept() for part in self._parts(files[0])]
        hashes = np.concatenate([part.query for part in parts]) if parts else np.zeros(0, np.uint64)
        return hashes, np.full(hashes.size, number, np.int32)

    def _named(self, query: int, files: list[Path]) -> str:
        for part in (part for file in files for part in self._parts(file)):
            rows = part.kept()
            if (at := np.flatnonzero(rows.query == query)).size:
                return rows.query_id(int(rows.groups[at[0]]))
        raise AssertionError("the file has changed")

    def _shown(self, files: list[Path]) -> str:
        return str((files[0].parent if _is_partition(files[0]) else files[0]).relative_to(self._folder))


def _is_partition(file: Path) -> bool:
    """Say whether a file is in a hive partition, such as `query_shard=07`."""
    return "=" in file.parent.name


def parts_of(path: Path | str, run: bool) -> Parts:
    """Return what reads the rows of a file or a folder of shards each time it is called."""
    return Shards(Path(path), run).parts if Path(path).is_dir() else file_parts(Source(path), run)
