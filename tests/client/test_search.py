import asyncio
import gc
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import data_sets
import orjson
import pytest
import services
from aiohttp import web
from cases import first_of
from command_line import said, sentence

from benchbench.client import search as search_module
from benchbench.client.answer_columns import Steps
from benchbench.client.decode import AnswerReader
from benchbench.client.descriptions import profile
from benchbench.client.retry import Retry
from benchbench.client.search import BatchRequest, BatchResult, Search, SearchPlan, in_order
from benchbench.client.transport import Transport
from benchbench.formats.tiered import read_tiered
from benchbench.serve.bm25 import BM25
from benchbench.tables.collection import Collection
from benchbench.tables.hits import Hits
from benchbench.tables.queries import Queries


@pytest.fixture
def queries(tmp_path: Path) -> Queries:
    return read_tiered(data_sets.write(tmp_path) / "tiered.jsonl")


def planned(retry: Retry, batch_size: int, concurrency: int) -> SearchPlan:
    return SearchPlan(
        profile=profile("benchbench"), retry=retry, top_k=20, concurrency=concurrency, batch_size=batch_size
    )


def searched(
    queries: Queries, url: str, batch_size: int = 4, concurrency: int = 1, retries: int = 2, timeout: float = 60.0
) -> list[BatchResult]:
    async def ask() -> list[BatchResult]:
        async with Transport(url, "/batch_search", concurrency, timeout, 1 << 20) as transport:
            plan = planned(Retry(retries, base=0.0), batch_size, concurrency)
            return [batch async for batch in Search(queries, plan, transport).batches()]

    return asyncio.run(ask())


def answered(batch: BatchResult, queries: Queries) -> bool:
    """Say whether each query of the batch got its own echo."""
    return batch.failure is None and batch.hits.ids == queries.texts[batch.first : batch.first + batch.count]


@pytest.mark.parametrize("batch_size", [1, 5, 12, 100])
def test_every_query_is_asked_once_and_gets_its_own_hits(queries: Queries, batch_size: int):
    with services.running(services.echo) as service:
        batches = searched(queries, service.url, batch_size, concurrency=3)
    assert all(answered(batch, queries) for batch in batches)
    assert [q for batch in batches for q in range(batch.first, batch.first + batch.count)] == list(range(len(queries)))
    assert sorted(text for message in service.messages for text in message["queries"]) == sorted(queries.texts)


def test_batches_come_in_query_order_whichever_is_answered_first(queries: Queries):
    others: list[web.Response] = []
    released = asyncio.Event()

    async def first_one_last(service: services.Service, request: web.Request, message: Any) -> web.StreamResponse:
        if queries.texts[0] in message["queries"]:
            await released.wait()
        else:
            others.append(await services.echo(service, request, message))
            if len(others) == 2:
                released.set()
        return await services.echo(service, request, message)

    with services.running(first_one_last) as service:
        batches = searched(queries, service.url, concurrency=3)
    assert [batch.first for batch in batches] == [0, 4, 8]
    assert all(answered(batch, queries) for batch in batches)


def test_the_service_is_not_asked_again_before_the_time_it_names(queries: Queries):
    with services.running(services.status(429, Retry_After="0.2"), services.echo) as service:
        first = searched(queries, service.url)[0]
    assert first.attempts[0].retry_after == 0.2
    assert first.attempts[1].sent - first.attempts[0].end >= 0.199


def test_a_service_that_dies_in_the_middle_leaves_failed_batches(queries: Queries):
    with services.running(services.echo, services.echo, services.die) as service:
        batches = searched(queries, service.url, batch_size=3, retries=1)
    assert [answered(batch, queries) for batch in batches] == [True, True, False, False]
    assert all(batch.attempts[-1].refused for batch in batches[2:])
    assert all(batch.failure.startswith("cannot connect: ") for batch in batches[2:])
    assert [batch.hits.counts.tolist() for batch in batches[2:]] == [[0] * 3] * 2


def test_no_more_requests_are_under_way_than_allowed(queries: Queries):
    under_way: list[int] = [0]
    most: list[int] = [0]

    async def counting(service: services.Service, request: web.Request, message: Any) -> web.StreamResponse:
        under_way[0] += 1
        most[0] = max(most[0], under_way[0])
        response = await services.echo(service, request, message)
        await response.prepare(request)
        under_way[0] -= 1
        return response

    with services.running(counting) as service:
        searched(queries, service.url, batch_size=1, concurrency=2)
    assert len(service.messages) == len(queries)
    assert most[0] <= 2


def test_a_search_leaves_the_cycle_collector_as_it_was(queries: Queries):
    before = gc.get_threshold()
    with services.running(services.echo) as service:
        searched(queries, service.url)
    assert gc.get_threshold() == before


def test_a_slow_batch_lets_four_rounds_after_it_go_ahead_and_no_more(queries: Queries):
    async def main() -> tuple[int, int]:
        slow, asked = asyncio.get_running_loop().create_future(), []

        async def ask(question: BatchRequest) -> BatchResult:
            asked.append(question.first)
            if question.first == 0:
                await slow
            return BatchResult(question.first, 1, 0.0, Hits.none(1), (), None)

        batches = in_order(ask, queries, range(len(queries)), concurrency=2)
        first = asyncio.ensure_future(anext(batches))
        for _ in range(100):
            await asyncio.sleep(0)
        before = len(asked)
        slow.set_result(None)
        rest = [await first, *[batch async for batch in batches]]
        assert [batch.first for batch in rest] == asked == list(range(len(queries)))
        return before, len(rest)

    assert asyncio.run(main()) == (4 * 2, 12)


def test_stopping_early_cancels_what_is_under_way(queries: Queries):
    async def first_only(url: str) -> BatchResult:
        async with Transport(url, "/batch_search", 2, 60.0, 1 << 20) as transport:
            batches: Iterator = Search(queries, planned(Retry(0), 1, 2), transport).batches()
            first = await anext(batches)
            await batches.aclose()
            assert len(asyncio.all_tasks()) == 1
            return first

    answer = services.choosing(
        lambda n, message: services.echo if queries.texts[0] in message["queries"] else services.never
    )
    with services.running(answer) as service:
        assert asyncio.run(first_only(service.url)).first == 0


def test_requests_are_json_in_the_profiles_words(queries: Queries):
    with services.running(services.echo) as service:
        searched(queries, service.url, batch_size=12)
    assert orjson.dumps(service.messages[0]) == orjson.dumps(profile("benchbench").request(queries.texts[:], 20))


@pytest.mark.parametrize(("long", "aside", "turn"), [(0, True, 0.0), (1 << 20, False, 60.0), (1 << 20, False, 0.0)])
def test_answers_are_decoded_one_at_a_time_and_long_ones_aside(
    queries: Queries, monkeypatch: pytest.MonkeyPatch, long: int, aside: bool, turn: float
):
    places: list[bool] = []
    reading = threading.Lock()

    class Watched(AnswerReader):
        def steps(self, *arguments: Any) -> Steps:
            assert reading.acquire(blocking=False)
            places.append(threading.current_thread() is not threading.main_thread())
            try:
                return (yield from super().steps(*arguments))
            finally:
                reading.release()

    monkeypatch.setattr(search_module, "_LONG", long)
    monkeypatch.setattr(search_module, "_TURN", turn)
    monkeypatch.setattr(search_module, "AnswerReader", Watched)
    with services.running(services.echo) as service:
        batches = searched(queries, service.url, 1, concurrency=4)
    assert all(answered(batch, queries) for batch in batches)
    assert places == [aside] * len(queries)


@pytest.mark.parametrize(("turn", "between"), [(60.0, {False}), (0.0, {True})])
def test_the_event_loop_has_turns_while_an_answer_is_read(
    queries: Queries, monkeypatch: pytest.MonkeyPatch, turn: float, between: set[bool]
):
    found = list[bool]()

    class Watched(AnswerReader):
        def steps(self, *arguments: Any) -> Steps:
            reading = super().steps(*arguments)
            while True:
                try:
                    step = next(reading)
                except StopIteration as end:
                    return end.value  # type: ignore[no-any-return]
                passed = list[str]()
                asyncio.get_running_loop().call_soon(passed.append, step)
                yield step
                found.append(passed == [step])

    monkeypatch.setattr(search_module, "_TURN", turn)
    monkeypatch.setattr(search_module, "AnswerReader", Watched)
    with services.running(services.echo) as service:
        searched(queries, service.url, 1, concurrency=4)
    steps = len(found) // len(queries)
    assert set(found[steps:]) == between  # the first answer shows whether the service is of use


# Whole runs over services of another make: the numbers are those of the same index behind our own shape


def answering(respond: Callable[[str, Any], Any]) -> services.Answer:
    """Answer a path and a message with JSON."""

    async def answer(service: services.Service, request: web.Request, message: Any) -> web.Response:
        return web.json_response(respond(request.path_qs, message))

    return answer


def hits(collection: Collection) -> Callable[[str, int], list[tuple[str, float, dict[str, Any]]]]:
    index = BM25(collection)

    def found(query: str, top_k: int) -> list[tuple[str, float, dict[str, Any]]]:
        numbers, scores = (column.tolist() for column in index.search(query, top_k))
        sources = [{"text": collection.texts[d], **collection.meta[d]} for d in numbers]
        return list(zip((collection.ids[d] for d in numbers), scores, sources, strict=True))

    return found


def elasticsearch(collection: Collection) -> services.Answer:
    found = hits(collection)

    def listed(line: dict[str, Any]) -> list[dict[str, Any]]:
        return [
            {"_index": "cases", "_id": name, "_score": score, "_source": source}
            for name, score, source in found(line["query"]["match"]["text"], line["size"])
        ]

    def respond(path: str, lines: list[Any]) -> Any:
        assert path == "/cases/_msearch"
        assert lines[::2] == [{}] * (len(lines) // 2)
        return {"responses": [{"hits": {"hits": listed(line)}} for line in lines[1::2]]}

    return answering(respond)


def azure(collection: Collection) -> services.Answer:
    found = hits(collection)

    def respond(path: str, asked: Any) -> Any:
        assert path == "/indexes/cases/docs/search?api-version=2024-07-01"
        listed = found(asked["search"], asked["top"])
        return {"value": [{"@search.score": score, "id": name, **source} for name, score, source in listed]}

    return answering(respond)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return data_sets.write(tmp_path_factory.mktemp("data"))


@pytest.mark.parametrize(
    ("protocol", "make", "more"),
    first_of(("elasticsearch", elasticsearch, ("--batch-size", 5)), ("azure-ai-search", azure, ())),
)
def test_another_protocol_changes_no_number(
    protocol: str, make: Callable[[Collection], services.Answer], more: tuple[object, ...], data: Path, tmp_path, capsys
):
    collection = data_sets.collection(data)
    common = ("run", "--dataset", data, "--quiet", "--format", "json")
    with services.running(services.searching(collection)) as target:
        usual = said(capsys, *common, "--url", target.url, "--out", tmp_path / "usual")
    with services.running(make(collection)) as target:
        other = said(
            capsys,
            *(*common, "--url", target.url, "--out", tmp_path / "other", *more),
            *("--protocol", protocol, "--protocol-option", "index=cases"),
        )
    assert (usual.code, other.code, other.errors) == (0, 0, "")
    options = json.loads((tmp_path / "other" / "config.json").read_text())["options"]
    assert options["batch_size"] == (5 if more else 1)
    assert json.loads(other.output)["measures"] == json.loads(usual.output)["measures"]
    assert (tmp_path / "other" / "run.trec").read_text() == (tmp_path / "usual" / "run.trec").read_text()


def test_a_batch_for_a_service_of_one_query_ends_the_run_before_it_asks(data: Path, tmp_path: Path, capsys):
    azure_options = ("--protocol", "azure-ai-search", "--protocol-option", "index=cases", "--batch-size", 2)
    done = said(
        capsys, "run", "--dataset", data, "--url", "http://127.0.0.1:9", *azure_options, "--out", tmp_path / "r"
    )
    assert done.code == 2
    assert "use --batch-size 1" in sentence(done.errors)
    assert not (tmp_path / "r").exists()
