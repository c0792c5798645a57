"""The pairs of query and document that a judge is asked about: the first hits of runs, without what is labelled.

And who ranked them: a model rates its own choice higher.

Conventions
-----------
A pool is a frame with a row per pair: `query` and `document`, their ids as fields of TREC text; `rank`, the best of the
pair in any run; `key`, a hash of both. Files of TREC have such fields already, and they stay as they are; ids of other
files are written as `formats.trec_writing.token` writes them. Two pairs have one key with probability 2**-64.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import polars as pl

from benchbench.errors import InputError
from benchbench.formats.parts import Parts, file_parts, kind_of
from benchbench.formats.qrels_runs import RunFile
from benchbench.formats.source import Source, stem
from benchbench.formats.trec_writing import UNSAFE, token
from benchbench.judging.names import same_model
from benchbench.kernels.arrays import U64
from benchbench.kernels.spans import copy_spans, hash_spans
from benchbench.tables.borrowed import Borrowed
from benchbench.tables.qrels_runs import rankings, texts_between
from benchbench.tables.rows import Rows
from benchbench.tables.threads import in_order

_ODD = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)
_SHIFT = np.uint64(31)
_KINDS = {"query": pl.String, "document": pl.String, "rank": pl.UInt32, "key": pl.UInt64}


def open_run(path: Path | str, ties: str = "trec") -> tuple[RunFile, bool]:
    """Return a run, and whether it is TREC text, whose ids are fields already."""
    source = Source(path)
    kind = kind_of(source, True)
    run = RunFile(stem(path), ties, False, source.name, file_parts(source, True, kind))
    return run, kind == "trec"


def pooled(runs: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Return the pairs of several runs, each once: in the order of the runs' queries, within a query by best rank."""
    pairs = pl.DataFrame(schema={**_KINDS, "place": pl.UInt32})
    places: dict[str, int] = {}
    for hits in runs:
        number = hits["query"].unique(maintain_order=True)
        for query in number.to_list():
            places.setdefault(query, len(places))
        order = pl.DataFrame({"query": list(places), "place": pl.Series(range(len(places)), dtype=pl.UInt32)})
        more = hits.join(order, on="query", how="left", maintain_order="left")
        pairs = pl.concat([pairs, more.select(pairs.columns)]).sort("place", "rank", "document")
        pairs = pairs.unique("key", keep="first", maintain_order=True)
    return pairs.drop("place")


def top_hits(run: RunFile, depth: int, of_trec: bool) -> pl.DataFrame:
    """Return the first hits of each query of a run, as they are ranked when it is scored.

    Parameters
    ----------
    run
        It is read once, part by part; twice, and into memory, where the hits of a query do not stand together.
    depth
        Hits per query; a repeated document counts once.
    of_trec
        Whether its ids are fields of TREC text.

    Raises
    ------
    InputError
        For faults of its file, and for a run without a hit.
    """
    frames = list(in_order(partial(_first_hits, run, part, depth, of_trec) for part in run.parts()))
    queries = [query for frame in frames for query in frame["query"].unique(maintain_order=True).to_list()]
    if len(set(queries)) < len(queries):
        frames = [_first_hits(run, run.whole(), depth, of_trec)]
    if not sum(frame.height for frame in frames):
        raise InputError(f"{run.source} has no hit, so there is nothing to judge")
    return pl.concat(frames)


def pairs_of(parts: Parts, of_trec: bool) -> pl.DataFrame:
    """Return the pairs of a file of judgments as a pool, in their order; grades say nothing here."""

    def listed(rows: Rows) -> pl.DataFrame:
        if not rows.value.size:
            return pl.DataFrame(schema=_KINDS)
        documents = document_texts(rows)
        return _pairs(query_texts(rows), np.diff(rows.groups), documents, np.zeros(rows.value.size, np.uint32), of_trec)

    frames = list(in_order(partial(part.use, listed) for part in parts()))
    return pl.concat([pl.DataFrame(schema=_KINDS), *frames]).unique("key", keep="first", maintain_order=True)


def without(pool: pl.DataFrame, keys: U64) -> pl.DataFrame:
    """Return the pairs whose keys are not among some."""
    return pool.filter(pl.Series(~np.isin(pool["key"].to_numpy(), keys)))


def drawn(pool: pl.DataFrame, limit: int | None, seed: int) -> pl.DataFrame:
    """Return at most `limit` pairs, drawn at random, in their order."""
    if limit is None or pool.height <= limit:
        return pool
    places = np.random.Generator(np.random.PCG64(seed)).permutation(pool.height)[:limit]
    return pool[np.sort(places)]


def keys_of(queries: U64, documents: U64) -> U64:
    """Return the keys of pairs, by the hashes of their ids (`kernels.spans.hash_span`)."""
    mixed = (queries * _ODD) ^ (queries >> _SHIFT)
    multiplied: U64 = (mixed ^ documents) * _MIX
    return multiplied ^ (multiplied >> _SHIFT)


def hashes_of(texts: Sequence[str]) -> U64:
    """Return the hashes of ids, as those that are read have them."""
    encoded = [text.encode(errors="surrogatepass") for text in texts]
    ends = np.cumsum([0, *map(len, encoded)]).astype(np.uint64)
    return hash_spans(np.frombuffer(b"".join(encoded) or b"\0", np.uint8), ends[:-1], ends[1:])


def as_fields(ids: pl.Series) -> pl.Series:
    """Return ids as fields of TREC text."""
    return ids if not any(map(UNSAFE.search, ids)) else pl.Series(list(map(token, ids)), dtype=pl.String)


def _first_hits(run: RunFile, part: Borrowed[Rows], depth: int, of_trec: bool) -> pl.DataFrame:
    def first(rows: Rows) -> pl.DataFrame:
        if not rows.value.size:
            return pl.DataFrame(schema=_KINDS)
        before = rows.document.copy()  # ranking moves the hashes, and leaves the spans of the ids where they were
        ranked = rankings(Borrowed.of(lambda: rows), run.ties, run.strict, run.source, run.precision)
        offsets, document = ranked.use(lambda table: (table.offsets.copy(), table.document.copy()))
        sizes = np.minimum(np.diff(offsets), depth)
        group = np.repeat(np.arange(sizes.size), sizes)
        rank = np.arange(group.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        kept = document[offsets[:-1][group] + rank]
        came = pl.DataFrame({"group": np.repeat(np.arange(sizes.size), np.diff(rows.groups)), "hash": before})
        came = came.with_row_index("row").unique(["group", "hash"], keep="first", maintain_order=True)
        places = pl.DataFrame({"group": group, "hash": kept}).join(
            came, on=["group", "hash"], how="left", maintain_order="left"
        )
        documents = document_texts(rows, places["row"].to_numpy())
        return _pairs(query_texts(rows), sizes, documents, (rank + 1).astype(np.uint32), of_trec)

    return part.use(first)


def query_texts(rows: Rows) -> list[str]:
    """Return the ids of queries."""
    return _texts(rows, rows.query_start, rows.query_stop)


def document_texts(rows: Rows, places: np.ndarray | None = None) -> list[str]:
    """Return the ids of documents of some rows, in their order; of all by default."""
    if places is None:
        return _texts(rows, rows.start, rows.stop)
    return _texts(rows, rows.start[places], rows.stop[places])


def _texts(rows: Rows, starts: U64, stops: U64) -> list[str]:
    return texts_between(copy_spans(rows.text, starts, stops), np.cumsum(stops - starts).astype(np.int64))


def _pairs(
    queries: Sequence[str], sizes: np.ndarray, documents: Sequence[str], rank: np.ndarray, of_trec: bool
) -> pl.DataFrame:
    query, document = pl.Series(queries, dtype=pl.String), pl.Series(documents, dtype=pl.String)
    if not of_trec:
        query, document = as_fields(query), as_fields(document)
    key = keys_of(np.repeat(hashes_of(query.to_list()), sizes), hashes_of(document.to_list()))
    owner = np.repeat(np.arange(len(query)), sizes)
    return pl.DataFrame({"query": query[owner], "document": document, "rank": rank, "key": key}, schema=_KINDS)


def in_slices(pool: pl.DataFrame, rows: int = 10_000) -> Iterator[tuple[str, str]]:
    """Yield query and document of each pair; few are objects of Python at once."""
    for part in pool.select("query", "document").iter_slices(rows):
        yield from part.iter_rows()


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
    names = [f"--ranked-by {name}" for name in named if same_model(name, model)]
    for name, path, of_trec in runs:
        if of_trec and any(same_model(ranker, model) for ranker in rankers(path)):
            names.append(name)
    return names
