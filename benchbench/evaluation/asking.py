"""What an assistant answers, with the documents that it says it was given; and where contexts come from otherwise.

That is our own BM25 over a collection, a search service, or a run file.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from benchbench.chat.assistant import ASSISTANT, Assistant, Reply, ask
from benchbench.client.breaker import Breaker
from benchbench.client.descriptions import profile
from benchbench.client.keys import NO_TARGET_KEY
from benchbench.client.request_runner import RequestRunner
from benchbench.client.service import Service
from benchbench.client.sync import all_of, run_sync
from benchbench.describe.trial import understood
from benchbench.errors import InputError
from benchbench.formats.collection import read_collection
from benchbench.formats.evaluation_config import OWN, ContextsConfig, EvaluationConfig
from benchbench.formats.evaluation_rows import Context, EvaluationRows, Row, contexts_of, plain_name
from benchbench.formats.qrels_runs import Run
from benchbench.judging.relevance.pool import hashes_of
from benchbench.retrieval.bm25_options import BM25Options
from benchbench.serve.bm25 import BM25
from benchbench.tables.collection import Collection

_HINT = "is it a search service, and is --timeout long enough?"
Progress = Callable[[int, int], None]
Take = Callable[[Row], None]


class SearchedRows(NamedTuple):
    """Rows with their contexts, which of them have none because the search failed, and what a reader must know."""

    rows: list[Row]
    failures: dict[int, str]  # by the number of the question
    about: str
    names: frozenset[str] = frozenset()  # of all documents that can be found, as `plain_name` has them


def with_contexts(
    data: EvaluationRows, config: ContextsConfig, service: Service | None, progress: Progress
) -> SearchedRows:
    """Return the rows of a data set with contexts from where a configuration says.

    Parameters
    ----------
    data
        The questions, and their own documents where the file has some.
    config
        Where contexts come from.
    service
        The service to ask, where the configuration names one.
    progress
        Called with questions done and questions in all.

    Raises
    ------
    InputError
        A collection or a run cannot be read, or do not fit.
    UnreachableError
        Nothing answers at the service's address.
    """
    if service is not None:
        return run_sync(_asked(data.rows, service, config.top_k, progress))
    collection = _collection(data, config)
    if config.run is not None:
        return _of_run(data.rows, collection, config)
    retriever = BM25(collection, BM25Options(config.analysis, config.k1, config.b))  # type: ignore[arg-type]
    rows = []
    for number, row in enumerate(data.rows):
        documents, _ = retriever.search(row.sought, config.top_k)
        rows.append(row.retrieved(_documents(collection, documents.tolist())))
        progress(number + 1, len(data.rows))
    return SearchedRows(
        rows,
        {},
        f"contexts: the first {config.top_k} of {retriever.about}, {len(collection):,} documents",
        _names(collection),
    )


def _collection(data: EvaluationRows, config: ContextsConfig) -> Collection:
    if config.collection is not None and config.collection is not OWN:
        return read_collection(config.collection)
    if not data.documents:
        raise InputError(f"{data.name} has no documents; name a collection in `contexts.collection`")
    return Collection(list(data.documents), list(data.documents.values()), [{} for _ in data.documents])


def _documents(collection: Collection, numbers: Sequence[int]) -> tuple[Context, ...]:
    names = collection.names or [""] * len(collection)
    return tuple(Context(collection.ids[number], collection.texts[number], names[number]) for number in numbers)


def _names(collection: Collection) -> frozenset[str]:
    return frozenset(map(plain_name, collection.names)) - {""}


def _of_run(rows: Sequence[Row], collection: Collection, config: ContextsConfig) -> SearchedRows:
    """Return the documents of a run file; a question that is not in it has found nothing."""
    assert config.run is not None
    run = Run.from_file(config.run)
    places = {key: number for number, key in enumerate(hashes_of(list(collection.ids)).tolist())}
    ranked = run.rankings
    queries = {key: number for number, key in enumerate(run.ids)}
    ranked_rows, unknown = [], 0
    for row in rows:
        at = queries.get(row.id)
        hashes = [] if at is None else ranked.document[ranked.offsets[at] : ranked.offsets[at + 1]].tolist()
        numbers = [places.get(key) for key in hashes[: config.top_k]]
        unknown += sum(number is None for number in numbers)
        ranked_rows.append(row.retrieved(_documents(collection, [number for number in numbers if number is not None])))
    if unknown:
        raise InputError(
            f"{unknown:,} hits of {config.run} are not documents of {config.collection}; do both use the same ids?"
        )
    if not any(row.contexts for row in ranked_rows):
        raise InputError(f"{config.run} has no hit for any question; its query ids must be the ids of the questions")
    return SearchedRows(ranked_rows, {}, f"contexts: the first {config.top_k} of {config.run.name}", _names(collection))


async def _asked(rows: Sequence[Row], service: Service, top_k: int, progress: Progress) -> SearchedRows:
    """Return what a service finds for each question; a failed request is a failure of the question."""
    service.profile.check_one_page(top_k, "evaluate")
    contexts: dict[int, tuple[Context, ...]] = {}
    failures: dict[int, str] = {}
    async with service.transport() as transport:
        advice = service.key_advice() or NO_TARGET_KEY
        runner = RequestRunner(transport, service.retry(), service.connections, Breaker(), _HINT, key_advice=advice)

        async def one(number: int) -> None:
            exchange = await runner.run(lambda: service.profile.payload([rows[number].sought], top_k))
            failure = exchange.failure
            if failure is None:
                answer = understood(service, exchange.body, 1, top_k)
                failure = answer.problem
                if failure is None and any(text is None for _, _, text in answer.hits):
                    failure = "the service returns hits without texts"
                contexts[number] = tuple(Context(key or "", text or "") for key, _, text in answer.hits)
                runner.note_answer(exchange, failure)
            if failure is not None:
                failures[number] = failure
                contexts.pop(number, None)
            progress(len(contexts) + len(failures), len(rows))

        await all_of(map(one, range(len(rows))))
        about = f"contexts: the first {top_k} of {transport.shown}"
    return SearchedRows([row.retrieved(contexts.get(number)) for number, row in enumerate(rows)], failures, about)


def asked(
    rows: Sequence[Row], service: Service, assistant: Assistant, concurrency: int, take: Take, progress: Progress
) -> list[Row]:
    """Return rows with the answers of an assistant, and with the contexts that it shows.

    Parameters
    ----------
    rows
        The questions.
    service
        Where the assistant is; its profile is `chat.assistant.ASSISTANT`.
    assistant
        How it is asked.
    concurrency
        Questions in flight at once.
    take
        Called with each row that is answered, as they come.
    progress
        Called with questions done and questions in all.

    Raises
    ------
    UnreachableError
        When nothing answers before the first usable answer.
    """
    return run_sync(_all_answers(rows, service, assistant, concurrency, take, progress))


async def _all_answers(
    rows: Sequence[Row], service: Service, assistant: Assistant, concurrency: int, take: Take, progress: Progress
) -> list[Row]:
    answered_rows = list(rows)
    done = 0

    def answered(number: int, reply: Reply) -> None:
        nonlocal done
        row = rows[number] if reply.context is None else rows[number].retrieved(contexts_of(reply.context))
        seconds = None if reply.text is None else reply.seconds
        answered_rows[number] = replace(row, answer=reply.text, failure=reply.failure, latency=seconds)
        take(answered_rows[number])
        done += 1
        progress(done, len(rows))

    progress(0, len(rows))
    async with service.transport() as transport:
        transport.key_advice = service.key_advice() or NO_TARGET_KEY
        texts = [row.question for row in rows]
        await ask(texts, assistant, transport, service.retry(), concurrency, answered)
    return answered_rows


def services_of(config: EvaluationConfig, concurrency: int, **reach: Any) -> tuple[Service | None, Service | None]:
    """Return the assistant to ask, where answers come from one, and the search service, where contexts do.

    `reach` are further options of `Service`.
    """
    target = search = None
    if config.answers is None and config.target is not None and config.target.url:
        target = Service(config.target.url, ASSISTANT, connections=concurrency, **reach)
    if config.contexts is not None and config.contexts.service is not None:
        protocol = profile(config.contexts.protocol, {})
        search = Service(config.contexts.service, protocol, connections=concurrency, **reach)
    return target, search
