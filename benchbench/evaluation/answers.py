"""Answers from an assistant, as it is asked by `answers run`, with the documents that it says it was given."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from benchbench.client.assistant import ASSISTANT, Assistant, Reply, ask
from benchbench.client.keys import NO_TARGET_KEY
from benchbench.client.service import Service
from benchbench.client.sync import run_sync
from benchbench.formats.evaluation_rows import Row, contexts_of

Progress = Callable[[int, int], None]
Take = Callable[[Row], None]


def asked(
    rows: Sequence[Row], service: Service, assistant: Assistant, concurrency: int, take: Take, progress: Progress
) -> list[Row]:
    """Return rows with the answers of an assistant, and with the contexts that it shows.

    Parameters
    ----------
    rows
        The questions.
    service
        Where the assistant is; its profile is `client.assistant.ASSISTANT`.
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
    return run_sync(_asked(rows, service, assistant, concurrency, take, progress))


async def _asked(
    rows: Sequence[Row], service: Service, assistant: Assistant, concurrency: int, take: Take, progress: Progress
) -> list[Row]:
    found = list(rows)
    done = 0

    def answered(number: int, reply: Reply) -> None:
        nonlocal done
        row = rows[number] if reply.context is None else rows[number].retrieved(contexts_of(reply.context))
        seconds = None if reply.text is None else reply.seconds
        found[number] = replace(row, answer=reply.text, failure=reply.failure, latency=seconds)
        take(found[number])
        done += 1
        progress(done, len(rows))

    progress(0, len(rows))
    async with service.transport() as transport:
        transport.key_advice = service.key_advice() or NO_TARGET_KEY
        texts = [row.question for row in rows]
        await ask(texts, assistant, transport, service.retry(), concurrency, answered)
    return found


def service_of(url: str, concurrency: int, **reach: object) -> Service:
    """Return the service of an assistant; `reach` are the options of `Service`."""
    return Service(url, ASSISTANT, connections=concurrency, **reach)  # type: ignore[arg-type]
