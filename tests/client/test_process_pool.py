"""Whichever process read a hit, in this run or in one that was killed, its labels mean the same."""

import asyncio
import math
import os
import signal
import sys
from pathlib import Path
from typing import Any

import copied_processes
import orjson
import polars as pl
import pytest
import services

from benchbench.client.descriptions import profile
from benchbench.client.process_pool import SearchProcessPool
from benchbench.client.search import BatchResult, Search, SearchPlan
from benchbench.client.service import Service
from benchbench.formats.tiered import read_tiered
from benchbench.runs.journal import Journal
from benchbench.tables.labels import MISSING, Kind, Label, LabelSchema
from benchbench.tables.queries import Queries

QUERIES, BATCH = 24, 2


def label(name: str, kind: Kind = Kind.SET) -> Label:
    paths = (("meta", name), (name,))
    return Label(name, kind, paths, paths)


SHOP = LabelSchema(
    (label("price", Kind.NUMBER), label("first"), label("categories"), label("sold", Kind.FLAG), label("nowhere"))
)


def shop(query: str, top_k: int) -> list[dict[str, Any]]:
    """Return hits with sets that queries have, sets that no query has, and none."""
    q = int(query.rpartition(" ")[2])
    return [
        {
            "id": f"{q}-{n}",
            "score": 1.0,
            "text": f"text {q} {n}",
            "first": f"brand {(q * n) % 11}",
            "meta": {
                "categories": [f"c{(q + n) % 5}", f"c{(q * q + n) % 7}"] if n % 4 else None,
                "price": q + n / 7 if n % 3 else None,
                "sold": n % 2 == 0,
            },
        }
        for n in range(q % 6)
    ]


def queries_of(folder: Path) -> Queries:
    """Return queries as a process reads them."""
    lines = [
        {
            "query_id": q,
            "query": {"fact": f"query {q}", "meta": {"first": f"brand {q % 3}", "categories": ["c1", f"c{q % 4}"]}},
            "positives": [],
        }
        for q in range(QUERIES)
    ]
    path = folder / "shop.jsonl"
    path.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    return read_tiered(path, schema=SHOP)


def asked(
    queries: Queries, url: str, workers: int, first: int = 0, last: int = QUERIES, **headers: str
) -> list[BatchResult]:
    """Return the results of some queries."""
    service = Service(url, profile("benchbench"), headers, connections=6)

    plan = SearchPlan(
        profile=service.profile, retry=service.retry(), top_k=20, concurrency=6, batch_size=BATCH, give_up_after=16
    )

    async def ask() -> list[BatchResult]:
        if workers > 1:
            async with SearchProcessPool(queries, plan, service, workers) as pool:
                return [batch async for batch in pool.batches(first, last)]
        async with service.transport() as transport:
            return [batch async for batch in Search(queries, plan, transport).batches(first, last)]

    return asyncio.run(ask())


def meant(batches: list[BatchResult], queries: Queries) -> list[Any]:
    """Return hits with what their labels stand for, and whether these equal the query's."""
    sets = queries.labels.sets()
    found = []
    for batch in batches:
        assert batch.failure is None
        of = [batch.first + n for n, count in enumerate(batch.hits.counts) for _ in range(count)]
        columns: list[list[Any]] = []
        for one, column in zip(SHOP.labels, batch.hits.labels, strict=bool(batch.hits.labels)):
            if one.kind is Kind.NUMBER:
                columns.append(["none" if math.isnan(number) else number for number in column])
            else:
                own = queries.codes[SHOP.row(one.name)]
                columns.append(
                    [
                        (None if code == MISSING else sorted(sets[int(code)]), code != MISSING and code == own[q])
                        for code, q in zip(column, of, strict=True)
                    ]
                )
        arrays = [column.tolist() for column in (batch.hits.counts, batch.hits.id, batch.hits.text)]
        found.append((batch.first, batch.hits.ids, arrays, columns))
    return found


def stored(folder: Path, queries: Queries) -> tuple[Journal, list[BatchResult]]:
    journal = Journal(folder / "received")
    parts = journal.begin({}, schema=SHOP, vocabulary=queries.labels)
    return journal, [batch for part in parts for batch in part.read()]


def ask_and_be_killed(folder: str, url: str, workers: str) -> None:
    """Ask the first half of the queries, store what came, and end without another step."""
    queries = queries_of(Path(folder))
    journal, _ = stored(Path(folder), queries)
    batches = asked(queries, url, int(workers), last=QUERIES // 2)
    journal.keep(batches[:3])
    journal.keep(batches[3:])
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow  # kills processes
@pytest.mark.parametrize(("before", "after"), [(3, 1), (1, 3)])
def test_labels_mean_the_same_for_any_number_of_workers_and_after_a_kill(tmp_path: Path, before: int, after: int):
    with services.running(services.answering(shop)) as service:
        queries = queries_of(tmp_path)
        whole = meant(asked(queries, service.url, 1), queries)
        script = "import sys; from client.test_process_pool import ask_and_be_killed; ask_and_be_killed(*sys.argv[1:])"
        command = [sys.executable, "-c", script, str(tmp_path), service.url, str(before)]
        assert copied_processes.run(command, cwd=Path(__file__).parents[1]).returncode == -signal.SIGKILL
        resumed = queries_of(tmp_path)
        _, batches = stored(tmp_path, resumed)
        assert batches[-1].first + batches[-1].count == QUERIES // 2
        batches += asked(resumed, service.url, after, first=QUERIES // 2)
    assert meant(batches, resumed) == whole
    relevant = [equal for *_, columns in whole for column in columns[1:3] for _, equal in column]
    assert {True, False} == set(relevant), "the data have both"


@pytest.mark.slow  # starts processes
@pytest.mark.parametrize("workers", [1, 3])
def test_a_secret_that_comes_back_in_a_label_is_not_stored(tmp_path: Path, workers: int):
    key = "tok-3n-0f-acme"

    def leaking(query: str, top_k: int) -> list[dict[str, Any]]:
        return [hit | {"first": ["x", f"key {key}"]} for hit in shop(query, top_k)]

    with services.running(services.answering(leaking)) as service:
        queries = queries_of(tmp_path)
        batches = asked(queries, service.url, workers, Authorization=f"Bearer {key}")
    journal, _ = stored(tmp_path, queries)
    journal.keep(batches)
    (path,) = (tmp_path / "received").glob("*.parquet")
    texts = pl.read_parquet(path)["texts"][0].to_list()
    assert [text for text in texts if "tok" in text or "acme" in text] == []
    assert "key [hidden]" in texts
    counted = sum(batch.hits.faults.get("labels_with_a_secret", 0) for batch in batches)
    assert counted == sum(len(batch.hits.ids) for batch in batches)
