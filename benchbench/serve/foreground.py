"""Running the service in the foreground, until a signal."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from benchbench.errors import InputError

if TYPE_CHECKING:
    from aiohttp import web

    from benchbench.serve.guard import Handler

_GRACE = 2.0  # seconds that requests in flight have to end after a signal, and then again to be cancelled
_IDLE = 60.0  # seconds until a connection without a whole request is closed, or twice as many


async def serve(
    application: "web.Application", host: str, port: int, ready: Callable[[str], None], until_eof: bool = False
) -> None:
    """Serve until SIGINT, SIGTERM or SIGHUP; requests in flight have two seconds to be answered before it returns.

    The work for a client that left is cancelled.

    Parameters
    ----------
    application
        What to serve.
    host, port
        Where; port 0 takes a free one.
    ready
        Called with the service's URL once it listens.
    until_eof
        Stop when standard input ends too, as it does when the parent process is gone.
    """
    from aiohttp import web  # a benchmark starts its service in another process, and serves nothing itself

    asked: set[object] = set()

    @web.middleware
    async def noted(request: "web.Request", handler: "Handler") -> "web.StreamResponse":
        asked.add(request.protocol)
        return await handler(request)

    application.middlewares.insert(0, noted)
    runner = web.AppRunner(
        application,
        access_log=None,
        shutdown_timeout=_GRACE,
        keepalive_timeout=_IDLE,
        handler_cancellation=True,
        auto_decompress=False,  # a packed body is refused, and not unpacked before that
    )
    await runner.setup()
    assert runner.server is not None
    looking = asyncio.create_task(_close_silent(runner.server, asked))
    try:
        site = web.TCPSite(runner, host, port)
        try:
            await site.start()
        except OSError as error:
            raise InputError(f"cannot listen on {host}:{port}: {error.strerror}") from None
        bound = runner.addresses[0][1]
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, stop.set)
        if until_eof:
            _at_the_end(loop, sys.stdin.fileno(), stop.set)
        ready(f"http://{f'[{host}]' if ':' in host else host}:{bound}")
        await stop.wait()
    finally:
        looking.cancel()
        await runner.cleanup()


def _at_the_end(loop: asyncio.AbstractEventLoop, source: int, then: Callable[[], None]) -> None:
    """Call a function at the end of a pipe; its content is dropped."""

    def read() -> None:
        if not os.read(source, 4096):
            loop.remove_reader(source)
            then()

    loop.add_reader(source, read)


async def _close_silent(server: "web.Server", asked: set[object]) -> None:
    """Close connections without a request between two looks; aiohttp itself times the others."""
    before: set[object] = set()
    while True:
        await asyncio.sleep(_IDLE)
        open_connections = server.connections
        asked.intersection_update(open_connections)
        silent = [connection for connection in open_connections if connection not in asked]
        for connection in silent:
            if connection in before:
                connection.force_close()
        before = set(silent)
