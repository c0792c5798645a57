import asyncio
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import worker_jobs
from cases import first_of

from benchbench.client.workers import Worker, part, workers
from benchbench.errors import InputError, WorkerError

pytestmark = pytest.mark.usefixtures("fresh_processes")


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(worker_jobs.__file__).parent))


def heard(number: int, job: Callable[..., Awaitable[None]], *arguments: Any) -> list[Any]:
    """Return the first message of each worker."""

    async def hear() -> list[Any]:
        async with workers(number, job, *arguments) as started:
            return [await worker.receive() for worker in started]

    return asyncio.run(hear())


def test_each_worker_has_its_number_and_the_arguments_and_messages_keep_their_order(capfd):
    large = os.urandom(1 << 20)  # more than a pipe holds

    async def talk() -> list[Any]:
        async with workers(2, worker_jobs.echo, "argument") as started:
            assert [await worker.receive() for worker in started] == [(0, "argument"), (1, "argument")]
            for worker in started:
                for n in range(3):
                    worker.send((n, large))
            return [[(await worker.receive())[0] for _ in range(3)] for worker in started]

    assert asyncio.run(talk()) == [[(n, large) for n in range(3)]] * 2
    assert "nothing that is printed" in capfd.readouterr().err


def test_all_processes_read_the_same_clock():
    async def ask() -> tuple[float, float, float]:
        async with workers(1, worker_jobs.echo) as (worker,):
            await worker.receive()
            before = time.perf_counter()
            worker.send("what time is it?")
            return before, (await worker.receive())[1], time.perf_counter()

    before, between, after = asyncio.run(ask())
    assert before <= between <= after


def test_arguments_are_in_no_command_line():
    async def look() -> list[str]:
        async with workers(1, worker_jobs.echo, "a secret") as (worker,):
            assert (await worker.receive())[1] == "a secret"
            return worker._process.args

    assert "secret" not in " ".join(asyncio.run(look()))


@pytest.mark.parametrize(
    ("job", "argument", "error", "said"),
    [
        (worker_jobs.refuse, True, InputError, "^refused$"),
        (worker_jobs.refuse, False, RuntimeError, "^KeyError: 'refused'$"),
        (worker_jobs.echo, worker_jobs.Unreadable(), RuntimeError, "^ImportError: there is no such module$"),
    ],
)
def test_what_ends_a_job_is_raised_where_its_messages_are_received(job, argument, error, said: str):
    with pytest.raises(error, match=said):
        heard(1, job, argument)


def test_what_cannot_be_sent_is_raised_too():
    with pytest.raises(AttributeError, match="Can't pickle local object"):
        heard(1, worker_jobs.echo, lambda: None)


@pytest.mark.parametrize(("places", "workers", "parts"), [(8, 3, [3, 3, 2]), (2, 2, [1, 1]), (7, 1, [7])])
def test_places_are_dealt_out_in_turn(places: int, workers: int, parts: list[int]):
    assert [part(places, number, workers) for number in range(workers)] == parts


@pytest.mark.parametrize(
    "half", first_of(b"", pickle.dumps(bytes(1 << 17))[:99_999], pickle.dumps(list(range(999)))[:999])
)
def test_a_worker_that_is_killed_is_one_sentence_and_no_hang(half: bytes):
    with pytest.raises(
        WorkerError, match=r"^worker process 1 of 2 was killed, probably because the system ran out of memory$"
    ):
        heard(2, worker_jobs.kill, half)


def test_no_process_is_left_whatever_ends_the_block():
    started: list[Worker] = []

    async def fail() -> None:
        async with workers(2, worker_jobs.echo) as both:
            started.extend(both)
            raise InputError("enough")

    with pytest.raises(InputError, match="enough"):
        asyncio.run(fail())
    assert [worker._process.poll() is not None for worker in started] == [True, True]


def test_workers_end_when_the_process_that_started_them_is_killed():
    """They have its standard error, which ends with the last process that has it."""
    command = [sys.executable, "-c", "import worker_jobs; worker_jobs.main()"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "started\n"
        parent.kill()
        _, errors = parent.communicate(timeout=60)
    assert "Traceback" not in errors
