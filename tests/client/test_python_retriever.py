"""Python functions and objects as retrievers: each is measured as the same answers over HTTP are."""

import asyncio
import math
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import data_sets
import numpy as np
import polars as pl
import pytest
import services
from cases import first_of, some_of

from benchbench.client.decode import decode
from benchbench.client.python_retriever import python_service
from benchbench.errors import InputError, InterruptedRunError, TooManyFailuresError, UnreachableError
from benchbench.experiment import Outcome, Settings, run
from benchbench.formats.datasets.locate import locate
from benchbench.load_test import LoadSettings
from benchbench.load_test import run as run_load
from benchbench.runs.journal import Journal
from benchbench.serve.bm25 import BM25
from benchbench.tables.labels import MISSING, Kind, Label, LabelSchema, Vocabulary
from benchbench.tasks.criteria import Criteria

MEASURED = pl.exclude("latency_ms")
Search = Callable[[Sequence[str], int], Any]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return data_sets.write(tmp_path)


def ran(data: Path, retriever: Any, **options: Any) -> Outcome:
    return run(Settings(locate(str(data)), retriever=retriever, **options))


def same(one: Outcome, other: Outcome) -> bool:
    return (
        one.estimates == other.estimates
        and one.counts == other.counts
        and one.hit_faults == other.hit_faults
        and one.signature == other.signature
        and one.per_query.select(MEASURED).equals(other.per_query.select(MEASURED))
    )


class Pairs:
    """Ids and scores of one query after the other, as everybody would write them first."""

    def __init__(self, data: Path) -> None:
        self.collection = data_sets.collection(data)
        self.index = BM25(self.collection)

    def hits(self, query: str, top_k: int) -> list[tuple[str, float]]:
        numbers, scores = self.index.search(query, top_k)
        return [(self.collection.ids[n], float(score)) for n, score in zip(numbers, scores, strict=True)]

    def search(self, queries: Sequence[str], top_k: int) -> list[list[tuple[str, float]]]:
        return [self.hits(query, top_k) for query in queries]


class Cases(Pairs):
    """The same with text and labels, as the wire protocol has them."""

    def cases(self, query: str, top_k: int) -> list[dict[str, Any]]:
        by_id = {one["_id"]: one for one in data_sets.cases()}
        hits = self.hits(query, top_k)
        return [
            {"id": name, "score": score, "text": by_id[name]["text"], "meta": by_id[name]["meta"]}
            for name, score in hits
        ]

    def search(self, queries: Sequence[str], top_k: int) -> list[list[dict[str, Any]]]:  # type: ignore[override]
        return [self.cases(query, top_k) for query in queries]


@pytest.mark.parametrize("options", first_of({}, {"batch_size": 1, "concurrency": 3}, {"batch_size": 5, "chunk": 5}))
def test_a_function_is_measured_as_the_same_hits_over_http_are(data: Path, options: dict[str, int]):
    cases = Cases(data)
    with services.running(services.answering(cases.cases)) as service:
        served = data_sets.outcome(data, service.url, **options)
    called = ran(data, cases.search, **options)
    assert same(called, served)
    assert called.counts["positive_hits"] > 0
    assert called.counts["self_hits"] > 0


def test_hits_that_are_pairs_are_measured_as_hits_with_an_id_and_a_score_are(data: Path):
    pairs = Pairs(data)
    served = services.answering(lambda q, k: [{"id": one, "score": s} for one, s in pairs.hits(q, k)])
    with services.running(served) as service:
        assert same(ran(data, pairs), data_sets.outcome(data, service.url))


def whole(data: Path) -> Callable[[Sequence[str], int], tuple[list[list[str]], list[list[float]]]]:
    """Return a function of ids and scores, five for each query."""
    ids = list(data_sets.collection(data).ids)

    def search(queries: Sequence[str], top_k: int) -> tuple[list[list[str]], list[list[float]]]:
        places = [[(len(query) * 7 + n * 5) % len(ids) for n in range(5)] for query in queries]
        return [[ids[place] for place in row] for row in places], [[1 / (n + 1.5) for n in range(5)] for _ in places]

    return search


class Number:
    """A hit's members without being a dict."""


def shapes(search: Callable[[Sequence[str], int], tuple[Any, Any]]) -> dict[str, Search]:
    def pairs(queries: Sequence[str], top_k: int) -> list[list[tuple[str, float]]]:
        return [list(zip(*row, strict=True)) for row in zip(*search(queries, top_k), strict=True)]

    async def later(queries: Sequence[str], top_k: int) -> list[list[tuple[str, float]]]:
        await asyncio.sleep(0)
        return pairs(queries, top_k)

    def generated(queries: Sequence[str], top_k: int) -> Any:
        for hits in pairs(queries, top_k):
            yield iter(hits)

    class Asynchronous:
        async def __call__(self, queries: Sequence[str], top_k: int) -> Any:
            return await later(queries, top_k)

    return {
        "arrays": lambda q, k: tuple(np.array(one) for one in search(q, k)),
        "arrays of objects": lambda q, k: (np.array(search(q, k)[0], object), np.array(search(q, k)[1])),
        "ids as lists": lambda q, k: (search(q, k)[0], np.array(search(q, k)[1])),
        "dicts": lambda q, k: [[{"id": one, "score": s} for one, s in hits] for hits in pairs(q, k)],
        "mappings": lambda q, k: [[MappingProxyType({"id": a, "score": s}) for a, s in one] for one in pairs(q, k)],
        "numbers of NumPy": lambda q, k: [[(np.str_(a), np.float64(s)) for a, s in hits] for hits in pairs(q, k)],
        "lists and tuples": lambda q, k: [tuple(map(list, hits)) for hits in pairs(q, k)],
        "generators": generated,
        "an async function": later,
        "an object that is async": Asynchronous(),
        "a function that returns an awaitable": lambda q, k: later(q, k),
        "partial": partial(later),
    }


@pytest.mark.parametrize("kind", some_of(shapes(lambda queries, top_k: ([], [])), 3))
def test_all_shapes_of_an_answer_give_the_same_numbers(data: Path, kind: str):
    search = whole(data)
    outcome = ran(data, shapes(search)[kind])
    assert outcome.counts["failed"] == 0
    assert outcome.counts["hits"] == 5 * data_sets.QUERIES
    assert same(outcome, ran(data, lambda q, k: [list(zip(*r, strict=True)) for r in zip(*search(q, k), strict=True)]))


def test_scores_keep_their_bits_in_arrays_and_pairs(data: Path):
    score = np.float32(0.1)
    for answer in (
        lambda q, k: (np.full((len(q), 1), "c1"), np.full((len(q), 1), score)),
        lambda q, k: [[("c1", score)] for _ in q],
    ):
        chunks: list[Any] = []
        run(Settings(locate(str(data)), retriever=answer), chunks.append)
        assert chunks[0].hits["score"].to_list() == [float(score)] * data_sets.QUERIES


@pytest.mark.parametrize("number", [12.5, np.float32(12.5), "12.5"])
@pytest.mark.parametrize("tags", [["x", "y"], ("y", "x"), np.array(["x", "y"])])
def test_labels_of_any_name_are_read_from_a_hit_and_from_its_meta(number: Any, tags: Any):
    def search(queries: Sequence[str], top_k: int) -> Any:
        meta = MappingProxyType({"price": number, "tags": tags})
        return [[{"id": 1, "meta": meta, "colour": "red", "count": np.int64(3)}, {"id": 2}] for _ in queries]

    async def called() -> bytes:
        async with service.transport() as transport:
            attempt, body = await transport.post(service.profile.payload(["a"], 5))
            assert attempt.error is None
            return body

    service, labels = python_service(search), Vocabulary()
    schema = LabelSchema(
        (
            Label("meta.price", Kind.NUMBER, (), (("meta", "price"),)),
            *(Label(".".join(path), Kind.SET, (), (path,)) for path in (("meta", "tags"), ("colour",), ("count",))),
        )
    )
    hits = decode(asyncio.run(called()), [()], labels, schema, service.profile.results)
    (price, none), *codes = hits.labels
    assert (price, math.isnan(none)) == (12.5, True)
    assert [labels.sets()[int(code)] for code, _ in codes] == [{"x", "y"}, {"red"}, {"3"}]
    assert [other for _, other in codes] == [MISSING] * 3


def test_what_orjson_cannot_write_costs_its_own_hit_only(data: Path):
    hits = [{"id": "c1", "score": 1.0, "meta": {1: "a"}}, {"id": "\ud800", "score": 2.0}, {"id": "c2", "score": 10**30}]
    outcome = ran(data, lambda q, k: [hits for _ in q])
    assert outcome.counts["failed"] == 0
    assert outcome.hit_faults["dropped_hits"] == data_sets.QUERIES


WRONG: dict[str, tuple[Search, str]] = {
    "nothing": (lambda q, k: None, "the retriever returned None"),
    "one list for all": (lambda q, k: [("c1", 1.0)] * len(q), "a hit of query 1 of 12 is an object of type str"),
    "too few lists": (lambda q, k: [[("c1", 1.0)]], "1 lists of hits for 12 queries"),
    "a mapping": (lambda q, k: {"c1": 1.0}, "the retriever returned an object of type dict"),
    "a mapping per query": (lambda q, k: [{"c1": 1.0}] * 12, "the hits of query 1 of 12 are an object of type dict"),
    "triples": (lambda q, k: [[("c1", 1.0, 2)]] * 12, "a hit of query 1 of 12 is a tuple of 3"),
    "texts": (lambda q, k: [["c1"]] * 12, "a hit of query 1 of 12 is an object of type str"),
    "other keys": (lambda q, k: [[{"key": 1}]] * 12, "they have the keys 'key'"),
    "objects": (lambda q, k: [[(Number(), 1.0)]] * 12, "a hit holds an object of type Number"),
    "scores first": (lambda q, k: (np.ones((12, 2)), np.ones((12, 2), int)), "return (ids, scores), in this order"),
    "one dimension": (lambda q, k: (np.ones(3, int), np.ones(3)), "ids is a list of 3; return (ids, scores) with one"),
    "unlike arrays": (lambda q, k: (np.ones((12, 2), int), np.ones((12, 3))), "rows of different lengths"),
    "without end": (lambda q, k: (([("c1", 1.0)]) for _ in iter(int, 1)), "13 lists of hits for 12 queries"),
}


@pytest.mark.parametrize("kind", some_of(WRONG, 3))
def test_an_answer_of_a_wrong_shape_is_a_failure_with_one_sentence(data: Path, kind: str):
    retriever, said = WRONG[kind]
    (reason,) = ran(data, retriever).failures
    assert reason.startswith("protocol error: ")
    assert said in reason
    assert "\n" not in reason


@pytest.mark.parametrize(("answer", "said"), [(None, "protocol error: the retriever returned None"), ([], "0 lists")])
def test_first_answers_of_no_use_end_the_run(answer: Any, said: str):
    with pytest.raises(TooManyFailuresError, match=said):
        run(Settings(locate("synthetic-cases"), retriever=lambda queries, top_k: answer))


def test_a_retriever_that_always_raises_gives_a_result_whose_first_line_says_so(data: Path):
    def retriever(queries: list[str], top_k: int) -> None:
        raise ValueError("no index")

    outcome = ran(data, retriever)
    (broken,) = outcome.record.gates
    assert (outcome.record.status, broken.verdict) == ("failed", "broken")
    said = f"failed: {data_sets.QUERIES} of {data_sets.QUERIES} queries failed, mostly: ValueError: no index>"
    assert repr(outcome).partition("\n")[0].endswith(said)


def test_lists_without_a_hit_end_the_run_too():
    with pytest.raises(TooManyFailuresError, match="every list of hits is empty"):
        run(Settings(locate("synthetic-cases"), retriever=lambda queries, top_k: [[] for _ in queries]))


def test_hits_beyond_top_k_are_counted_and_left_out(data: Path):
    outcome = ran(data, lambda q, k: [[(f"c{n}", 1.0 / (n + 1)) for n in range(k + 3)] for _ in q], top_k=10)
    assert outcome.hit_faults["beyond_top_k"] == 3 * data_sets.QUERIES
    assert outcome.counts["hits"] == 10 * data_sets.QUERIES


def test_an_exception_is_a_failed_request_with_its_class_and_message_and_is_not_tried_again(data: Path):
    calls: list[int] = []
    pairs = Pairs(data)

    def search(queries: Sequence[str], top_k: int) -> Any:
        calls.append(len(queries))
        if len(calls) == 2:
            raise ValueError("no\nsuch index")
        return pairs.search(queries, top_k)

    outcome = ran(data, search, batch_size=3, concurrency=1)
    assert outcome.failures == {"ValueError: no such index": 3}
    assert outcome.counts["failed"] == 3
    assert calls == [3, 3, 3, 3]


def late(queries: Sequence[str], top_k: int) -> Any:
    raise StopIteration("early")


async def cancelled(queries: Sequence[str], top_k: int) -> Any:
    raise asyncio.CancelledError


def broken_generator(queries: Sequence[str], top_k: int) -> Any:
    yield []
    raise OSError("disk gone")


@pytest.mark.parametrize(
    ("retriever", "reason"),
    [
        (late, "RuntimeError: StopIteration: early"),
        (cancelled, "CancelledError"),
        (broken_generator, "OSError: disk gone"),
        (lambda queries: [], "TypeError: "),
    ],
)
def test_whatever_is_raised_is_a_reason(data: Path, retriever: Any, reason: str):
    (said,) = ran(data, retriever).failures
    assert said.startswith(reason)


def stopped(queries: Sequence[str], top_k: int) -> Any:
    raise KeyboardInterrupt


async def stopped_later(queries: Sequence[str], top_k: int) -> Any:
    raise SystemExit(3)


@pytest.mark.parametrize(("retriever", "kind"), [(stopped, "KeyboardInterrupt"), (stopped_later, "SystemExit")])
def test_a_retriever_that_wants_to_end_ends_the_run(data: Path, retriever: Any, kind: str):
    with pytest.raises(InterruptedRunError, match=f"the retriever raised {kind}, which ends the run"):
        ran(data, retriever)


def test_a_retriever_may_say_that_what_it_asks_is_out_of_reach(data: Path):
    def search(queries: Sequence[str], top_k: int) -> Any:
        raise UnreachableError("the index is not up")

    with pytest.raises(UnreachableError, match="the index is not up"):
        ran(data, search)


def test_what_is_out_of_reach_for_a_moment_is_asked_again(data: Path):
    pairs, calls = Pairs(data), []

    def search(queries: Sequence[str], top_k: int) -> Any:
        calls.append(1)
        if len(calls) == 2:
            raise UnreachableError("the index restarts")
        return pairs.search(queries, top_k)

    outcome = ran(data, search, batch_size=6, concurrency=1, backoff=0.0)
    assert (outcome.counts["failed"], len(calls)) == (0, 3)


def test_a_call_that_takes_too_long_is_a_failure(data: Path):
    async def search(queries: Sequence[str], top_k: int) -> Any:
        await asyncio.Event().wait()

    assert list(ran(data, search, timeout=0.01).failures) == ["no answer within 0.01 s"]


def test_a_function_runs_in_threads_so_many_at_once_as_there_are_places(data: Path):
    together, pairs = threading.Barrier(3, timeout=30), Pairs(data)

    def search(queries: Sequence[str], top_k: int) -> Any:
        together.wait()
        return pairs.search(queries, top_k)

    assert ran(data, search, batch_size=2, concurrency=3).counts["failed"] == 0


def test_a_run_goes_on_with_what_its_journal_has(data: Path, tmp_path: Path):
    pairs, asked = Pairs(data), []

    def search(queries: Sequence[str], top_k: int) -> Any:
        asked.append(len(queries))
        if len(asked) == 3:
            raise KeyboardInterrupt
        return pairs.search(queries, top_k)

    settings = Settings(locate(str(data)), retriever=search, batch_size=3, concurrency=1)
    folder = tmp_path / "received"
    folder.mkdir()
    with pytest.raises(InterruptedRunError):
        run(settings, journal=Journal(folder))
    before = len(asked)
    resumed = run(settings, journal=Journal(folder))
    assert asked[before:] == [3, 3]
    assert same(resumed, ran(data, pairs, batch_size=3, concurrency=1))
    with pytest.raises(InputError):
        run(Settings(locate(str(data)), retriever=pairs, batch_size=3, concurrency=1), journal=Journal(folder))


def named(queries: Sequence[str], top_k: int) -> Any:
    return [[("c1", 1.0)] for _ in queries]


def test_a_retriever_is_shown_by_where_it_is_defined(data: Path):
    outcome = ran(data, named)
    assert outcome.url == f"python:{__name__}.named"
    assert (outcome.settings.name, ran(data, Pairs(data)).settings.name) == ("named", "Pairs")
    shown = outcome.settings.shown(outcome.url)
    assert (shown["url"], shown["protocol"], shown["headers"]) == (outcome.url, "python", [])
    assert ran(data, named, name="mine").settings.name == "mine"
    assert python_service(lambda queries, top_k: []).url.endswith("<lambda>")


@pytest.mark.parametrize(
    ("retriever", "options", "said"),
    [
        (Pairs, {}, "retriever is the class Pairs; give an object of it"),
        ("bm25", {}, "retriever is a function of .* and not of type str"),
        (named, {"workers": 2}, "--workers 2 uses several processes, but a Python retriever is called in this"),
        (named, {"url": "http://127.0.0.1:1"}, "excludes url"),
        (named, {"targets": {"a": "http://127.0.0.1:1"}}, "excludes url, service, targets"),
        (named, {"protocol": "legal-agent"}, "and protocol"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_called(data: Path, retriever: Any, options: Any, said: str):
    with pytest.raises(InputError, match=said):
        Settings(locate(str(data)), retriever=retriever, **options)


def test_a_notebook_whose_loop_is_running_may_measure_one(data: Path):
    pairs = Pairs(data)

    async def cell() -> Outcome:
        return ran(data, pairs.search)

    assert same(asyncio.run(cell()), ran(data, pairs.search))


@pytest.mark.parametrize("options", [{"concurrencies": 2}, {"rates": 50.0}])
def test_a_load_test_takes_a_retriever_for_its_service(data: Path, options: Any):
    cases = Cases(data)
    settings = LoadSettings(
        locate(str(data)), cases, batch_sizes=1, duration=0.3, warm_up=0.0, criteria=Criteria(cutoffs=3), **options
    )
    (step,) = run_load(settings).steps
    assert not step.failures
    assert step.counts["hits"] > 0
    with pytest.raises(InputError, match="--workers 2 uses several processes"):
        LoadSettings(locate(str(data)), cases, workers=2)
