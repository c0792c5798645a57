"""Pairs of query and document, prepared for a judge: which pairs, and the texts of both."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchbench.answers.judges.prompt import Item
from benchbench.errors import InputError, visible
from benchbench.formats.datasets.data_set import DataSet
from benchbench.formats.datasets.data_set_options import DataSetOptions
from benchbench.formats.datasets.unlabelled import located_unlabelled
from benchbench.formats.parts import file_parts, kind_of
from benchbench.formats.records import Part
from benchbench.formats.source import Source
from benchbench.judging.item_options import PairOptions
from benchbench.judging.judge_settings import JudgeTrust
from benchbench.judging.relevance.holes import depth_of, of_judged_queries
from benchbench.judging.relevance.labels import NO_LABELS, human, spread_sample, write_labels
from benchbench.judging.relevance.pair_texts import PairTexts, Spool, add_documents, add_queries
from benchbench.judging.relevance.pool import drawn, in_slices, open_run, pairs_of, pooled, top_hits, without
from benchbench.judging.relevance.relevance_result import PoolDetails
from benchbench.kernels.arrays import I64
from benchbench.measures.notation import Measure, resolve
from benchbench.measures.scores import labels as told_apart
from benchbench.results.settings import check_described, described, described_settings
from benchbench.tables.hashing import content_digest

QRELS = "qrels.trec"
DEPTH = 10
_SPARE = 2  # times the sample: labels whose documents have no text are left out
_IDS = ("query", "document")
_OTHERS = ".compare.trec"
SEPARATOR = "\t"  # of a key: no field of TREC text has one


@described
@dataclass(frozen=True, kw_only=True)
class PairsToJudge(PairOptions, JudgeTrust):
    """Which pairs of query and document are judged.

    Attributes
    ----------
    data
        A data set, or what names one (`locate`), which need not have judgments; those that it has stay as they are,
        and are not judged again.
    runs
        Files whose first hits are judged; by name, or alone.
    """

    data: DataSet | Path | str = field(kw_only=False)
    runs: Mapping[str, Path | str] | Sequence[Path | str] = field(default=(), kw_only=False)

    def __post_init__(self) -> None:
        """Find the data set, name the runs, and refuse what does not go together."""
        check_described(self)
        if not isinstance(self.data, DataSet):
            located = located_unlabelled(DataSetOptions(str(self.data)))
            object.__setattr__(self, "data", located)
        if not isinstance(self.runs, Mapping):
            paths = list(self.runs)
            names = told_apart([Path(path).name for path in paths])
            object.__setattr__(self, "runs", dict(zip(names, paths, strict=True)))
        object.__setattr__(self, "measures", tuple(resolve(self.measures)))
        if self.pairs is not None and (self.runs or self.holes):
            raise InputError("--pairs and runs both name what to judge; give one of them")
        if self.holes and len(self.runs) < 2:
            raise InputError("--holes needs a comparison: name at least two runs")
        if self.holes:
            depth_of(self.wanted, self.depth)  # a measure without one is refused before anything is read
        if not self.runs and self.pairs is None:
            raise InputError(
                "there is nothing to judge: name RUNs whose first hits to judge, or a file of pairs with --pairs"
            )

    @property
    def found(self) -> DataSet:
        """The data set."""
        assert isinstance(self.data, DataSet)
        return self.data

    @property
    def files(self) -> Mapping[str, Path | str]:
        """The runs by name."""
        assert isinstance(self.runs, Mapping)
        return self.runs

    @property
    def wanted(self) -> list[Measure]:
        """The measures."""
        return [measure for measure in self.measures if isinstance(measure, Measure)]

    @property
    def hits(self) -> int | None:
        """Hits per query and run; None where the pairs are those of a file."""
        if self.pairs is not None:
            return None
        return depth_of(self.wanted, self.depth) if self.holes else self.depth or DEPTH

    def shown(self) -> dict[str, Any]:
        """Return what is given as JSON values."""
        return {
            **self.found.shown(),
            "runs": {name: str(path) for name, path in self.files.items()},
            **{setting.name: getattr(self, setting.name) for setting in described_settings(PairOptions)},
            **{name: str(path) for name in ("pairs", "compare_with") if (path := getattr(self, name)) is not None},
            "depth": self.hits,
            "measures": list(map(str, self.measures)) if self.holes else None,
            "ranked_by": list(self.ranked_by),
            **super().shown(),
        }


class ReadyPairs:
    """The pairs that a judge is asked about: first those that become labels, then those to compare it with people.

    Attributes
    ----------
    asked
        The pairs, as `judging.relevance.pool` has them.
    judged
        How many of them become labels.
    labels
        Those that there are; `path` is their file.
    compared
        Labels by people that the judge is compared with; None where there are none.
    pool
        What is known of the pairs.
    digest
        Of the queries' file: the data that a calibration is bound to.
    trec
        The names of the runs that are TREC text.
    """

    def __init__(self, given: PairsToJudge, seed: int, folder: Path, spool: Spool) -> None:
        """Read runs, labels and texts; `folder` is where the labels are written, and `spool` keeps the texts."""
        self._given = given
        self.path = folder / QRELS
        self.labels = write_labels(given.found, self.path, given.encoding)
        if given.holes and not self.labels.height:
            raise InputError("--holes are unjudged hits of queries with judgments: name the judgments with --qrels")
        self.trec: set[str] = set()
        pool, counts = self._pool()
        pool, counts["limited"] = (some := drawn(pool, given.limit, seed)), pool.height - some.height
        self.judged = pool.height
        self.compared = self._compared(folder)
        candidates = NO_LABELS
        if self.compared is not None:
            candidates = spread_sample(self.compared, _SPARE * given.compare_sample, seed)
            candidates = without(candidates, pool["key"].to_numpy())
        self._read_texts(spool, pool, candidates)
        sample = spread_sample(self._with_texts(candidates), given.compare_sample, seed)
        sample = sample.with_columns(pl.lit(0, pl.UInt32).alias("rank")).select(pool.columns)
        self.sampled = sample.height
        self.asked = pl.concat([pool, sample])
        self.pool = self._counted(counts)

    def items(self) -> Iterator[Item]:
        """Yield the pairs as items, each with its texts, if there are any, and its place."""
        for place, (query, document) in enumerate(in_slices(self.asked)):
            fields = {"question": self._queries.get(query), "document": self._documents.get(document)}
            yield Item(f"{query}{SEPARATOR}{document}", fields, about=place)

    def _pool(self) -> tuple[pl.DataFrame, dict[str, int]]:
        given = self._given
        if given.pairs is not None:
            kind = kind_of(source := Source(given.pairs), False)
            every = pairs_of(file_parts(source, False, kind), kind == "trec")
        else:
            every = pooled(self._hits(given.hits or DEPTH))
        fresh = without(every, self.labels["key"].to_numpy())
        counts = {"pairs": every.height, "labelled": every.height - fresh.height, "unjudged_queries": 0}
        if given.holes:
            holes = of_judged_queries(fresh, self.labels)
            counts["unjudged_queries"] = fresh.height - holes.height
            fresh = holes
        return fresh, counts

    def _hits(self, depth: int) -> Iterator[pl.DataFrame]:
        for name, path in self._given.files.items():
            run, of_trec = open_run(path)
            if of_trec:
                self.trec.add(name)
            yield top_hits(run, depth, of_trec)

    def _compared(self, folder: Path) -> pl.DataFrame | None:
        """Return the labels by people that the judge is compared with."""
        given = self._given
        if not given.compare_sample:
            return None
        if given.compare_with is None:
            by_people = human(self.labels)
            return by_people if by_people.height else None
        path = folder / _OTHERS
        try:
            others = replace(given.found, make="files", qrels=(Part(given.compare_with),))
            by_people = human(write_labels(others, path, given.encoding))
        finally:
            path.unlink(missing_ok=True)
        if not by_people.height:
            raise InputError(f"--compare-with {given.compare_with} has no label by a person")
        return by_people

    def _read_texts(self, spool: Spool, *pools: pl.DataFrame) -> None:
        data, digest = self._given.found, content_digest()
        self._queries, self._documents = PairTexts(spool), PairTexts(spool)
        wanted = {
            kind: pl.concat([pool[kind] for pool in pools]).unique(maintain_order=True).to_list() for kind in _IDS
        }
        add_queries(self._queries, data.queries, wanted["query"], self._given.encoding, digest)
        self.digest: str = digest.hexdigest()
        self._check(self._queries, "query", wanted["query"], data.queries)
        if data.collection is not None:
            add_documents(self._documents, data.collection, wanted["document"], self._given.encoding)
            self._check(self._documents, "document", wanted["document"], data.collection)

    def _with_texts(self, pool: pl.DataFrame) -> pl.DataFrame:
        """Return the pairs with both texts: a label of a missing document says nothing about the judge."""
        both = [query in self._queries and document in self._documents for query, document in in_slices(pool)]
        return pool.filter(pl.Series(both, dtype=pl.Boolean))

    def _check(self, texts: PairTexts, what: str, wanted: Sequence[str], part: Part) -> None:
        """Refuse pairs of which no id is known: nothing could be judged."""
        if wanted and not len(texts):
            raise InputError(
                f"{part.path} has no {what} of the pairs, such as {visible(wanted[0], 60)}; do these "
                "files belong to the same data set?"
            )

    def _counted(self, counts: Mapping[str, int]) -> PoolDetails:
        pool = self.asked[: self.judged]
        lacking = {"without_query": 0, "without_document": 0}
        for query, document in in_slices(pool):
            lacking["without_query"] += query not in self._queries
            lacking["without_document"] += document not in self._documents
        return PoolDetails(
            runs=list(self._given.files),
            depth=self._given.hits,
            asked=pool.height,
            queries=pool["query"].n_unique(),
            **counts,
            **lacking,
        )


def query_numbers(pool: pl.DataFrame) -> I64:
    """Return a number per pair, the same for those of one query."""
    return pool["query"].rank("dense").to_numpy().astype(np.int64)
