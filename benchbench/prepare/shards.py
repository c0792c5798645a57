"""A run as a folder of Parquet: all hits of a query in one shard, written in memory that does not grow with the run."""

import shutil
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchbench.errors import InputError
from benchbench.formats.qrels_runs import scan_run
from benchbench.kernels.arrays import U64
from benchbench.kernels.spans import copy_spans
from benchbench.tables.rows import Rows
from benchbench.tables.threads import in_order

if TYPE_CHECKING:
    import polars as pl

_AT_ONCE = 2_000_000  # hits in memory: some 300 MB with their ids
_BETWEEN = "\x1e"  # ids in one text: the record separator, which ids have not
_SHARD = "shard"


class Sharded(NamedTuple):
    """What was written."""

    shards: int  # that have a hit
    files: int
    hits: int


def write_shards(run: Path, out: Path, shards: int) -> Sharded:
    """Write the hits of a run by query, in `OUT/query_shard=07/part-0000.parquet` and so on.

    Parameters
    ----------
    run
        What `Run.from_file` takes: a file of any format, or a folder whose queries are anywhere.
    out
        The folder; it is there whole or not at all.
    shards
        How many. A query is in that of its hash.

    Raises
    ------
    InputError
        A fault of the run, or of the disk; something that has the name of the folder.
    """
    if out.exists():
        raise InputError(f"{out} exists already; name another place with --out")
    aside = out.with_name(f".{out.name}.partial")
    digits, hits = len(str(shards - 1)), 0
    written: Counter[int] = Counter()  # files of each shard
    try:
        shutil.rmtree(aside, ignore_errors=True)
        for frame in _rounds(run, shards):
            hits += frame.height
            for (shard,), rows in frame.partition_by(_SHARD, as_dict=True, include_key=False).items():
                folder = aside / f"query_shard={shard:0{digits}}"
                folder.mkdir(parents=True, exist_ok=True)
                rows.write_parquet(folder / f"part-{written[shard]:05}.parquet")
                written[shard] += 1
        aside.rename(out)
    except OSError as error:
        raise InputError(f"cannot write {out}: {error.strerror}; name another place with --out") from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return Sharded(len(written), written.total(), hits)


def _rounds(run: Path, shards: int) -> Iterator["pl.DataFrame"]:
    """Yield as many hits as memory holds."""
    import polars as pl

    frames: list[pl.DataFrame] = []
    for frame in in_order(partial(part.use, partial(_frame, shards=shards)) for part in scan_run(run).parts()):
        frames.append(frame)
        if sum(each.height for each in frames) >= _AT_ONCE:
            yield pl.concat(frames)
            frames = []
    if frames:
        yield pl.concat(frames)


def _frame(rows: Rows, shards: int) -> "pl.DataFrame":
    import polars as pl

    owner = np.repeat(np.arange(rows.query.size), np.diff(rows.groups))
    return pl.DataFrame(
        {
            _SHARD: (rows.query % np.uint64(shards)).astype(np.uint32)[owner],
            "query_id": _texts(rows, rows.query_start, rows.query_stop).gather(owner),
            "doc_id": _texts(rows, rows.start, rows.stop),
            "score": rows.value.copy(),
        }
    )


def _texts(rows: Rows, starts: U64, stops: U64) -> "pl.Series":
    """Return ids as a column, with no object of Python for each."""
    import polars as pl

    sizes = (stops - starts).astype(np.int64)
    if not sizes.size:
        return pl.Series(dtype=pl.String)
    ends = np.cumsum(sizes)
    text = np.full(int(sizes.sum()) + sizes.size, ord(_BETWEEN), np.uint8)
    is_id = np.ones(text.size, np.bool_)
    is_id[ends + np.arange(sizes.size)] = False
    text[is_id] = copy_spans(rows.text, starts, stops)
    column = pl.Series([text[:-1].tobytes().decode(errors="replace")]).str.split(_BETWEEN).explode()
    if len(column) != sizes.size:
        raise InputError(f"an id has the control character {_BETWEEN!r}, which shards cannot have")
    return column
