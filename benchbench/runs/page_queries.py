"""What a page shows of single queries: texts, labels, what was wanted and what came, of as many as a page can hold."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from benchbench.errors import InputError, visible
from benchbench.formats.collection_texts import texts_of
from benchbench.formats.datasets.data_set import TIERED, DataSet
from benchbench.formats.datasets.locate import stored_data_set
from benchbench.formats.query_records import each_query
from benchbench.formats.records import Part
from benchbench.formats.stored_judgments import stored_judgments
from benchbench.kernels.arrays import F64, I64, Bools
from benchbench.results.result import Result
from benchbench.retrieval.matched_terms import Sample, marked, rarity, terms, whole_words
from benchbench.tables.fields import called
from benchbench.tables.hashing import content_digest

MOST_ROWS = 10_000
MOST_OPENED = 200  # queries with their hits
MOST_LABELLED = 100_000  # queries whose labels are kept
_LARGEST = 512 << 20  # bytes of a file that is read for its texts
_TEXTS = 3_500_000  # bytes of whole texts
_LONGEST = 20_000  # characters of one
_BEGINNING = 60
_LOST = 240  # characters of all documents of a query that were not found
_TITLE = 56
_HITS, _POSITIVES, _LABELS, _LONGEST_LABEL = 10, 20, 8, 200
_REMOVED = ("self", "copy", "duplicate")


class Hit(NamedTuple):
    """A hit: what removed it, or for which tasks it is relevant; its text as plain and marked pieces in turn.

    These pieces are without the title.
    """

    rank: int | None
    id: str
    score: float | None
    relevant: tuple[bool, ...]
    removed: str
    pieces: tuple[str, ...]
    grade: float | None = None  # None: nobody judged it
    title: str = ""


class _StoredHit(NamedTuple):
    """A hit as it is stored; flags are what removed it, then the tasks."""

    place: int
    rank: int | None
    id: str | None
    positive: str | None
    score: float | None
    flags: tuple[bool, ...]


class Positive(NamedTuple):
    """A document that was judged relevant, and the rank at which it came."""

    id: str
    grade: float
    rank: int | None
    text: str


class Opened(NamedTuple):
    """A query, opened."""

    labels: tuple[tuple[str, str], ...]
    positives: tuple[Positive, ...]
    judged: int  # all of them
    hits: tuple[Hit, ...]
    received: int


class Texts(NamedTuple):
    """Texts and labels of queries; `why` says why there are none."""

    whole: Mapping[str, str]
    beginnings: Mapping[str, str]
    labels: Mapping[str, Mapping[str, tuple[str, ...]]]  # by column, then by query
    shown: Mapping[str, tuple[tuple[str, str], ...]]
    why: str
    lengths: Mapping[str, tuple[int, int]] = MappingProxyType({})  # words and characters


def kept_rows(values: F64, failed: Bools, most: int) -> I64:
    """Return which queries are kept, in their order: the worst, some of the failed, and some of all.

    Parameters
    ----------
    values
        (queries, views); the first goes first, equal ones go by the sum.
    failed
        Queries without an answer.
    most
        Of all together.
    """
    if len(values) <= most:
        return np.arange(len(values))
    order = np.lexsort((values.sum(axis=1), values[:, 0]))
    answered = order[~failed[order]]
    lost = np.flatnonzero(failed)[: most // 4]
    worst, rest = answered[: most // 2], np.sort(answered[most // 2 :])
    left = min(len(rest), most - len(lost) - len(worst))
    spread = rest[np.linspace(0, len(rest) - 1, left).astype(np.int64)] if left else rest[:0]
    return np.unique(np.concatenate([lost, worst, spread]))


class RunData:
    """Where texts of queries and of hits are: the folder of a run, and its data set; each None where it is gone."""

    def __init__(self, result: Result) -> None:
        """Find them."""
        self.options = {name: setting.value for name, setting in result.record.settings.items()}
        self.digest = result.record.data.digest  # of the queries when they were asked
        self.folder: Path | None = getattr(result, "folder", None)
        self.data = data_set_of(self.options)


def texts_and_labels(source: RunData, wanted: Sequence[str], queries: int) -> Texts:
    """Return texts and labels of queries.

    Parameters
    ----------
    source
        Of the run.
    wanted
        Ids of queries that the page has, those first whose texts matter most.
    queries
        How many there are in all.
    """
    data, options = source.data, source.options
    if data is None:
        return _none("the data set of the run is not where it was")
    if _size(data.queries) > _LARGEST:
        return _none(f"the file of queries has more than {_LARGEST >> 20} MB")
    texts: dict[str, str] = {}
    columns: dict[str, dict[str, tuple[str, ...]]] = {}
    shown: dict[str, tuple[tuple[str, str], ...]] = {}
    lengths: dict[str, tuple[int, int]] = {}
    labelled, needed = queries <= MOST_LABELLED, set(wanted)
    read = content_digest()
    try:
        # Nothing is counted by texts that are shown, so that what the run has not asked may be no query.
        only = None if labelled else needed
        for name, query in each_query(data.queries, options.get("encoding"), True, read, data.make == TIERED, only):
            labels = query.labels
            if name in needed:
                texts[name] = (query.text or "")[:_LONGEST]
                shown[name] = tuple(_shown(labels))
            if query.text and labelled:
                lengths[name] = len(query.text.split()), len(query.text)
            for label, value in labels.items():
                if its := _categories(value):
                    columns.setdefault(label, {})[name] = its
    except (InputError, OSError):
        return _none("the queries of the data set cannot be read")
    if data.make == TIERED and source.digest is not None and read.hexdigest() != source.digest:
        return _none("the data set has changed since")
    whole: dict[str, str] = {}
    left = _TEXTS
    for name in wanted:
        left -= len(texts.get(name, "").encode(errors="replace"))
        if left < 0:
            break
        whole[name] = texts.get(name, "")
    beginnings = {name: _cut(text, _BEGINNING) for name, text in texts.items()}
    return Texts(whole, beginnings, columns if labelled else {}, shown, "", lengths)


def opened(
    source: RunData,
    tasks: Sequence[str],
    texts: Texts,
    wanted: Sequence[str],
    beginning: int = _BEGINNING,
    others: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> tuple[dict[str, Opened], list[str], dict[str, float]]:
    """Return what queries got, by id, sentences on what cannot be shown, and shares of words.

    The texts of relevant documents are cut after `beginning` characters. The share is that of the words of a query that
    stand in a document of `others`, by query, in the one with most of them; of those with texts.
    """
    folder = source.folder
    if folder is None or not (folder / "hits.parquet").is_file():
        return {}, ["No hits: this result has none stored."], {}
    hits = (
        pl.scan_parquet(folder / "hits.parquet", glob=False)
        .filter(pl.col("query_id").is_in(list(wanted)))
        .collect(engine="streaming")
        .sort("query_id", "place")
    )
    judged: dict[str, list[tuple[str, float]]] = {}
    grades: dict[str, dict[str, float]] = {}
    for query, document, grade in stored_judgments(folder / "qrels.trec", wanted).iter_rows():
        grades.setdefault(query, {})[document] = grade
        if grade > 0:
            judged.setdefault(query, []).append((document, grade))
    there = [task for task in tasks if task in hits.columns]
    columns = ("query_id", "place", "rank", "id", "positive_id", "score", *_REMOVED, *there)
    per_query: dict[str, list[_StoredHit]] = {}
    for query, place, rank, name, positive, score, *flags in hits.select(columns).iter_rows():
        per_query.setdefault(query, []).append(_StoredHit(place, rank, name, positive, score, tuple(flags)))
    shown = {query: _first(rows) for query, rows in per_query.items()}
    more = {document for its in others.values() for document in its}
    titles: dict[str, str] = {}
    documents, sample, why = _documents(source, shown.values(), judged.values(), more, titles)
    rare = rarity({term for name in wanted for term in terms(texts.whole.get(name, ""))}, sample) if sample else {}
    found = {}
    for query in wanted:
        weights = {term: rare[term] for term in terms(texts.whole.get(query, "")) if term in rare}
        rows = per_query.get(query, [])
        ranks = {one.positive: one.rank for one in reversed(rows) if one.rank is not None}
        positives = []
        for name, grade in judged.get(query, ())[:_POSITIVES]:
            rank, text, title = ranks.get(name), documents.get(name, ""), titles.get(name, "")
            is_lost = rank is None or rank > _HITS
            most = max(beginning, _LOST // min(len(judged[query]), _POSITIVES)) if is_lost else beginning
            whole = f"{title} · {_body(text, title)}" if title else text
            if documents and not text:
                whole = "no text in the collection"
            positives.append(Positive(name, grade, rank, _cut(whole, most)))
        found[query] = Opened(
            texts.shown.get(query, ()),
            tuple(positives),
            len(judged.get(query, ())),
            tuple(_hit(one, documents, titles, weights, grades.get(query, {})) for one in shown.get(query, ())),
            len(rows),
        )
    return found, why, _shared_words(texts.whole, others, documents)


def _shared_words(
    texts: Mapping[str, str], others: Mapping[str, Sequence[str]], documents: Mapping[str, str]
) -> dict[str, float]:
    shares = {}
    for query, names in others.items():
        words = terms(texts.get(query, ""))
        found = [len(words & terms(documents[name])) for name in names if documents.get(name)]
        if words and found:
            shares[query] = max(found) / len(words)
    return shares


def _none(why: str) -> Texts:
    return Texts({}, {}, {}, {}, why)


def _size(part: Part) -> int:
    """Return the bytes of a file or a folder of shards."""
    if part.generated is not None:
        return 0
    files = part.path.iterdir() if part.path.is_dir() else (part.path,)
    return sum(path.stat().st_size for path in files if path.is_file())


def _categories(value: Any) -> tuple[str, ...]:
    """Return a label as texts that queries can be grouped by; nothing for a number or a long text."""
    if isinstance(value, bool | str):
        value = [value]
    if not isinstance(value, list):
        return ()
    names = tuple(called(one) for one in value if one is not None)
    return names if all(0 < len(name) <= _LONGEST_LABEL for name in names) else ()


def _shown(labels: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in list(labels.items())[:_LABELS]:
        values = value if isinstance(value, list) else [value]
        said = ", ".join(called(one) for one in values if one is not None)
        if said:
            yield visible(name.replace("_", " "), _BEGINNING), visible(_cut(said, _LONGEST_LABEL))


def _first(rows: Sequence[_StoredHit]) -> list[_StoredHit]:
    """Return the first hits that count, and those that were removed before or among them."""
    last = max((one.place for one in rows if one.rank is not None and one.rank <= _HITS), default=_HITS)
    return [one for one in rows if one.place <= last][: 2 * _HITS]


def data_set_of(options: Mapping[str, Any]) -> DataSet | None:
    """Return the data set of a run; None where it is gone."""
    with suppress(InputError):
        return stored_data_set(options)
    return None


def collection_of(data: DataSet | None, options: Mapping[str, Any]) -> Part | None:
    """Return the documents of a run; None where it knew none, or they are gone."""
    if data is not None and data.make != TIERED:
        return data.collection
    path = Path(options["collection"]) if options.get("collection") else None
    return Part(path) if path is not None and path.is_file() else None


def _documents(
    source: RunData,
    shown: Iterable[Sequence[_StoredHit]],
    judged: Iterable[Sequence[tuple[str, float]]],
    others: Iterable[str],
    titles: dict[str, str],
) -> tuple[dict[str, str], list[str], list[str]]:
    """Return texts by id, a sample of all, and sentences on why there are none; put titles into `titles`."""
    collection = collection_of(source.data, source.options)
    if collection is None:
        return {}, [], ["No texts of hits: the collection is not available."]
    if collection.generated is not None or _size(collection) > _LARGEST:
        return {}, [], [f"No texts of hits: the collection has more than {_LARGEST >> 20} MB."]
    names = {name for rows in shown for one in rows for name in (one.id, one.positive) if name is not None}
    names |= {document for its in judged for document, _ in its[:_POSITIVES]} | set(others)
    sample = Sample()
    try:
        return (
            texts_of(collection, names, source.options.get("encoding"), seen=sample.add, titles=titles),
            sample.texts,
            [],
        )
    except (InputError, OSError):
        return {}, [], ["No texts of hits: the collection cannot be read."]


def _hit(
    row: _StoredHit,
    documents: Mapping[str, str],
    titles: Mapping[str, str],
    weights: Mapping[str, float],
    grades: Mapping[str, float],
) -> Hit:
    known = next((name for name in (row.id, row.positive) if name and documents.get(name)), "")
    title = titles.get(known, "")
    removed = next((why for why, is_so in zip(_REMOVED, row.flags, strict=False) if is_so), "")
    pieces = whole_words(marked(_body(documents.get(known, ""), title), {} if removed else weights))
    name, grade = row.id or row.positive or "", grades.get(row.positive or row.id or "")
    return Hit(row.rank, name, row.score, row.flags[len(_REMOVED) :], removed, pieces, grade, _cut(title, _TITLE))


def _body(text: str, title: str) -> str:
    """Return a text without the title that it begins with."""
    return text[len(title) :].lstrip()


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else whole_words([f"{text[:length]}…"])[0]
