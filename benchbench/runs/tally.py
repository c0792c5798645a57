"""The numbers of a run, added up chunk by chunk: judged values, counts, latencies, digests."""

import time
from collections import Counter
from collections.abc import Sequence

import numpy as np
import polars as pl

from benchbench.client.attempts import attempt_frame
from benchbench.client.health import bottleneck
from benchbench.client.search import BatchResult
from benchbench.errors import visible
from benchbench.formats.trec_writing import gold_run
from benchbench.kernels.arrays import F64, I32, I64
from benchbench.kernels.judge_hits import COPY, DUPLICATE, KEPT, SELF, Judged
from benchbench.measures.aggregate import block_estimates
from benchbench.measures.catalog import CATALOG
from benchbench.measures.gate_names import measured_numbers
from benchbench.measures.latency import latency
from benchbench.measures.signature import run_signature
from benchbench.results.checks import check
from benchbench.results.signature import Signature
from benchbench.runs.repeats import Lists, Pass, repeats
from benchbench.runs.run_result import Chunk, Outcome
from benchbench.runs.run_settings import Settings
from benchbench.tables.dictionary_encoding import DictionaryEncoded
from benchbench.tables.frames import hit_frame
from benchbench.tables.groups import Groups
from benchbench.tables.hashing import content_digest
from benchbench.tables.hits import Hits
from benchbench.tables.shared_messages import of_tasks
from benchbench.tasks.count_sentences import limit_of_hits
from benchbench.tasks.criteria import TOP_K
from benchbench.tasks.judging import Judging

_SHOWN = 40  # characters of an id in a sentence


class Tally:
    """Adds up a run. Memory grows with the queries, one or two bytes per value, and not with the hits."""

    def __init__(self, settings: Settings, judging: Judging, groups: Groups | None = None) -> None:
        """Start empty; `groups` belong together."""
        n, tasks = len(judging.queries), judging.tasks
        self._settings = settings
        self._judging = judging
        self._queries = judging.queries
        self._tasks = tasks
        self._groups = groups
        self._columns = judging.columns()
        self._values = DictionaryEncoded(n, self._columns.width)
        self._fate_counts: I32 = np.zeros((n, 4), np.int32)  # hits per fate
        self._latency: F64 = np.full(n, np.nan)
        self._failure: dict[int, str] = {}
        self._unlabelled: I64 = np.zeros(len(tasks), np.int64)
        self._own_first = 0
        self._positive_hits = self._namesakes = 0
        self._any_id = False  # whether a hit has one
        self._example = ""  # of hits and positives, while no hit is a positive
        self._faults: Counter[str] = Counter()
        self._requests: list[pl.DataFrame] = []
        self._lines, self._relevant = content_digest(), content_digest()
        self._done = 0
        self.lists = Lists(n) if settings.repeat > 1 else None  # what later passes are compared with
        self._began = time.time()

    def add(self, batches: list[BatchResult]) -> Chunk:
        """Judge and score the next queries; times count from the start of the search."""
        first = self._done
        hits = Hits.joined([batch.hits for batch in batches])
        judged = self._judging.judge(first, hits)
        last = self._done = first + len(hits.counts)
        if self.lists is not None:
            self.lists.add(hits, judged)
        self._values.put(first, self._columns.rows(judged.values))
        self._unlabelled += judged.unlabelled
        owner = np.repeat(np.arange(first, last), hits.counts)
        np.add.at(self._fate_counts, (owner, judged.fate), 1)
        places = hits.offsets[:-1][hits.counts > 0]
        self._own_first += int(np.isin(judged.fate[places], (SELF, COPY)).sum())
        self._faults.update(hits.faults)
        for batch in batches:
            span = slice(batch.first, batch.first + batch.count)
            if batch.attempts:
                self._latency[span] = batch.attempts[-1].end - batch.attempts[0].sent
            if batch.failure is not None:
                self._failure.update(dict.fromkeys(range(span.start, span.stop), batch.failure))
                if self.lists is not None:
                    self.lists.fail(span.start, span.stop)
        lines, namesakes = gold_run(self._queries, first, hits, judged, self._settings.criteria.gold_by == "text")
        self._lines.update(lines.encode())
        self._count_matches(first, hits, judged, namesakes)
        self._relevant.update(np.packbits(judged.relevant, axis=0, bitorder="little").T.tobytes())
        requests = attempt_frame(batches)
        self._requests.append(requests)
        return Chunk(hit_frame(self._queries, first, hits, judged, self._tasks), requests, lines)

    def outcome(self, url: str, client: dict[str, float], asked_again: int = 0, later: Sequence[Pass] = ()) -> Outcome:
        """Return the run's numbers; all chunks must have been added. `later` passes are compared with this one."""
        queries, settings = self._queries, self._settings
        counts = self._counts() | {"asked_again": asked_again}
        estimates = block_estimates(self._values.blocks, len(queries), self._columns, self._groups)
        times = latency(pl.concat(self._requests), counts["scored"])
        if times.further_pages:
            counts["further_pages"] = times.further_pages
        numbers = measured_numbers(estimates, times, len(queries), counts["failed"])
        again = None
        if self.lists is not None and later:
            again = repeats(self.lists, {(row.task, row.measure): row.value for row in estimates}, later, settings)
            numbers += again.numbers()
        return Outcome(
            settings=settings,
            url=url,
            queries=queries,
            tasks=self._tasks,
            estimates=estimates,
            rows=self._rows,
            counts=counts,
            unlabelled_hits={
                task: number
                for task, number in zip(self._tasks, self._unlabelled.tolist(), strict=True)
                if task in self._judging.compiled.by_labels
            },
            queries_without_label=dict(self._judging.lacking),
            hit_faults=dict(sorted(self._faults.items())),
            failures=dict(Counter(self._failure.values()).most_common()),
            latency=times,
            client=client,
            bottleneck=None
            if settings.retriever is not None
            else bottleneck(client, times.percentiles["p50"]),  # it is the client
            gates=check(settings.gates(), numbers),
            signature=self._signature(counts),
            unmatched=self._unmatched(),
            began=self._began,
            repeats=again,
            groups=self._groups,
            assumed=self._judging.notes,
            defaults=self._judging.defaults,
        )

    def _count_matches(self, first: int, hits: Hits, judged: Judged, namesakes: int) -> None:
        offset = int(self._queries.positives.offsets[first])
        matched = judged.positive[judged.positive >= 0]
        self._positive_hits += int((self._queries.positives.grade[offset + matched] > 0).sum())
        self._namesakes += namesakes if self._judging.judged_tasks else 0  # labels need no text of a document
        self._any_id = self._any_id or any(hits.ids)
        if self._positive_hits or self._example:
            return
        positives, start = self._queries.positives, 0
        for q, count in enumerate(hits.counts, first):
            kept = [place for place in range(start, start + count) if judged.fate[place] == KEPT and hits.ids[place]]
            span = positives.of(q)
            wanted = np.flatnonzero(positives.grade[span] > 0)
            if kept and wanted.size:
                named = (self._queries.ids[q], hits.ids[kept[0]] or "", positives.ids[span.start + int(wanted[0])])
                query, got, positive = (visible(identity, _SHOWN) for identity in named)
                self._example = f"query {query} got '{got}', and its first positive is '{positive}'"
                return
            start += count

    def _unmatched(self) -> str | None:
        """Return a sentence when there are hits and positives, and no hit is a positive."""
        kept = int(self._fate_counts[:, KEPT].sum())
        judged = self._judging.judged_tasks
        if not judged or not kept or self._positive_hits:
            return None
        without_text = self._faults.get("without_text", 0) == self._fate_counts.sum()
        by = "id" if without_text or self._settings.criteria.gold_by == "id" else "text"
        advice = (
            "does the service search the documents of this data set, by the same ids?"
            if by == "id"
            else "are these the whole texts of the same documents?"
        )
        if by == "id" and not self._any_id:
            advice = "no hit has an id; a description of the service (--protocol FILE) says where it is"
        if by == "text" and self._namesakes:
            advice += " --gold id compares ids"
        return (
            f"none of the {kept:,} hits is a positive of its query, so {of_tasks(judged)} is 0 throughout; they were "
            f"compared by {by}: {advice}{f' (e.g. {self._example})' if self._example else ''}"
        )

    def _counts(self) -> dict[str, int]:
        queries, fate_counts = self._queries, self._fate_counts
        kept = fate_counts[:, KEPT]
        failed = np.array(sorted(self._failure), np.int64)
        short = kept < (self._settings.criteria.deepest or 0)
        short[failed] = False
        return {
            **queries.judged,
            "scored": len(queries) - len(failed),
            "failed": len(failed),
            "hits": int(fate_counts.sum()),
            "self_hits": int(fate_counts[:, SELF].sum()),
            "copies": int(fate_counts[:, COPY].sum()),
            "duplicates": int(fate_counts[:, DUPLICATE].sum()),
            "own_text_first": self._own_first,
            "short_lists": int(short.sum()),
            **queries.read,
            "positive_hits": self._positive_hits,
            "hits_named_like_positives": self._namesakes,
            **self._cap(failed),
        }

    def _cap(self, failed: I64) -> dict[str, int]:
        settings, each = self._settings, np.delete(self._fate_counts.sum(axis=1), failed)
        if settings.embedded:
            return {}
        return limit_of_hits(each, settings.top_k, settings.dataset.card, settings.service_at("").profile.pages)

    def _signature(self, counts: dict[str, int]) -> Signature:
        return run_signature(
            **self._judging.rules,
            counts=counts,
            data_digest=self._queries.digest,
            top_k=None if self._settings.top_k == TOP_K else self._settings.top_k,
            run_digest=content_digest(self._lines.digest() + self._relevant.digest()).hexdigest(),
        )

    def _rows(self, first: int, last: int) -> pl.DataFrame:
        values, fate_counts = self._values.rows(first, last), self._fate_counts[first:last]
        places = {f"{task}.{m}": places[0] for task, m, places in self._columns if CATALOG[m.name].aggregate != "micro"}
        return pl.DataFrame(
            {
                "query_id": self._queries.ids[first:last],
                "latency_ms": pl.Series(self._latency[first:last] * 1e3).fill_nan(None),
                "failure": pl.Series([self._failure.get(q) for q in range(first, last)], dtype=pl.String),
                "hits": fate_counts.sum(axis=1),
                "kept": fate_counts[:, KEPT],
                "self_hits": fate_counts[:, SELF],
                "copies": fate_counts[:, COPY],
                "duplicates": fate_counts[:, DUPLICATE],
                **{name: np.ascontiguousarray(values[:, place]) for name, place in places.items()},
            }
        )
