import asyncio
import contextlib
import signal
import socket
import subprocess
from pathlib import Path

import aiohttp
import command_line
import data_sets
import orjson
import pytest
from aiohttp import web

from benchbench.errors import InputError
from benchbench.serve import run
from benchbench.serve.run import serve


def collection(folder: Path) -> Path:
    return data_sets.write(folder) / "collection.jsonl"


async def healthy(url: str) -> bool:
    async with aiohttp.ClientSession() as session, session.get(f"{url}/healthz") as response:
        return response.status == 200


def test_a_request_in_flight_is_answered_before_the_service_ends():
    async def scene() -> None:
        begun, go = asyncio.Event(), asyncio.Event()

        async def slow(request: web.Request) -> web.Response:
            begun.set()
            await go.wait()
            return web.Response(text="whole")

        async def stopping(application: web.Application) -> None:
            go.set()  # not before the signal has arrived

        application = web.Application()
        application.router.add_get("/", slow)
        application.on_shutdown.append(stopping)
        ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        serving = asyncio.create_task(serve(application, "127.0.0.1", 0, ready.set_result))
        url = await ready
        async with aiohttp.ClientSession() as session:

            async def ask() -> str:
                async with session.get(url) as response:
                    return await response.text()

            asked = asyncio.create_task(ask())
            await begun.wait()
            signal.raise_signal(signal.SIGINT)
            assert await asked == "whole"
            await serving
            with pytest.raises(aiohttp.ClientConnectorError):
                await ask()

    asyncio.run(asyncio.wait_for(scene(), 60))


@pytest.mark.slow  # two processes
def test_the_real_process_ends_with_code_0_on_sigterm_and_when_standard_input_ends(tmp_path: Path):
    path = collection(tmp_path)
    told = command_line.process("serve", path)
    orphan = command_line.process("serve", path, "--until-eof", stdin=subprocess.PIPE)
    with told, orphan:
        for one in (told, orphan):
            assert asyncio.run(healthy(one.stdout.readline().strip()))
        told.send_signal(signal.SIGTERM)
        orphan.stdin.close()
        assert told.wait(30) == 0
        assert orphan.wait(30) == 0


@pytest.mark.slow  # a process
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_it_ends_at_once_beside_connections_that_stand_still(tmp_path: Path, number: int):
    head = b"POST /batch_search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
    search = orjson.dumps({"queries": [data_sets.cases()[0]["text"]] * 4096, "top_k": 1000})
    with contextlib.ExitStack() as stack:
        service = stack.enter_context(command_line.process("serve", collection(tmp_path)))
        port = int(service.stdout.readline().strip().rpartition(":")[2])
        for sent in (b"", head[:20], head + b"100\r\n\r\n{", head + b"%d\r\n\r\n%b" % (len(search), search)):
            still = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            still.sendall(sent)
        still.recv(1)  # of an answer of which nothing more is taken
        service.send_signal(number)
        assert service.wait(10) == 0


def test_a_connection_without_a_whole_request_is_closed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(run, "_IDLE", 0.1)

    async def scene() -> None:
        ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        serving = asyncio.create_task(serve(web.Application(), "127.0.0.1", 0, ready.set_result))
        reader, writer = await asyncio.open_connection("127.0.0.1", int((await ready).rpartition(":")[2]))
        writer.write(b"POST /batch_search HTTP/1.1\r\nHost:")
        assert await reader.read() == b""
        writer.close()
        signal.raise_signal(signal.SIGTERM)
        await serving

    asyncio.run(asyncio.wait_for(scene(), 60))


def test_a_port_that_is_taken_is_bad_input():
    async def scene() -> None:
        async with contextlib.AsyncExitStack() as stack:
            taken = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
            await stack.enter_async_context(taken)
            port = taken.sockets[0].getsockname()[1]
            with pytest.raises(InputError, match=f"^cannot listen on 127.0.0.1:{port}: "):
                await serve(web.Application(), "127.0.0.1", port, lambda url: None)

    asyncio.run(scene())
