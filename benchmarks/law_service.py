"""A search service of a known law of latency, which writes down when it received and completed each request.

usage: python benchmarks/law_service.py LAW LOG     prints its URL; SIGTERM ends it, and writes LOG

A line of LOG is a request: when it was received and completed, in seconds of `time.perf_counter`, which is one clock
for all processes of a machine, and its status.

Laws, with times in seconds
---------------------------
const:T, exp:MEAN
    Each request by itself.
bimodal:T,SHARE,SLOW
    T, but SLOW for a share of them.
stall:T,LENGTH,PERIOD
    T; at the beginning of each period nothing is answered for so long.
mm1:MEAN, md1:T
    One server, which takes requests in turn, for an exponential or constant time.
cap:SERVERS,T
    Several such servers.
shed:MOST,T
    T, but 503 at once while so many are under way.
err:T,SHARE
    T, and 500 for a share of them.
"""

import asyncio
import json
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

_HIT = {"id": "s1", "score": 1.0, "text": "x"}
_EARLY = 2e-5  # seconds before its time at which an answer may leave


class Law:
    """When a request is to be answered, and with which status, by the time at which it was received."""

    def __init__(self, text: str) -> None:
        name, _, parameters = text.partition(":")
        self._parameters = [float(one) for one in parameters.split(",")]
        self._answer: Callable[[float], tuple[float, int]] = getattr(self, f"_{name}")
        servers = int(self._parameters[0]) if name == "cap" else 1
        self._free, self._random, self._began = [0.0] * servers, random.Random(5), time.perf_counter()
        self.under_way = 0

    def __call__(self, now: float) -> tuple[float, int]:
        """Return the time of the answer, and its status."""
        return self._answer(now)

    def _const(self, now: float) -> tuple[float, int]:
        return now + self._parameters[0], 200

    def _exp(self, now: float) -> tuple[float, int]:
        return now + self._random.expovariate(1.0 / self._parameters[0]), 200

    def _bimodal(self, now: float) -> tuple[float, int]:
        usual, share, slow = self._parameters
        return now + (slow if self._random.random() < share else usual), 200

    def _stall(self, now: float) -> tuple[float, int]:
        usual, length, period = self._parameters
        return now + max(0.0, length - (now - self._began) % period) + usual, 200

    def _mm1(self, now: float) -> tuple[float, int]:
        return self._in_turn(now, self._random.expovariate(1.0 / self._parameters[0])), 200

    def _md1(self, now: float) -> tuple[float, int]:
        return self._in_turn(now, self._parameters[0]), 200

    def _cap(self, now: float) -> tuple[float, int]:
        return self._in_turn(now, self._parameters[1]), 200

    def _shed(self, now: float) -> tuple[float, int]:
        most, seconds = self._parameters
        return (now, 503) if self.under_way >= most else (now + seconds, 200)

    def _err(self, now: float) -> tuple[float, int]:
        seconds, share = self._parameters
        return now + seconds, 500 if self._random.random() < share else 200

    def _in_turn(self, now: float, seconds: float) -> float:
        first = min(range(len(self._free)), key=self._free.__getitem__)
        self._free[first] = max(now, self._free[first]) + seconds
        return self._free[first]


class Connection(asyncio.Protocol):
    """One connection; a request waits for no other of it."""

    def __init__(self, law: Law, log: list[tuple[float, float, int]]) -> None:
        self._law, self._log, self._unread = law, log, b""
        self._loop = asyncio.get_running_loop()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the connection."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Take whole requests out of what has come."""
        self._unread += data
        while (end := self._unread.find(b"\r\n\r\n")) >= 0:
            _, _, rest = self._unread[:end].lower().partition(b"content-length:")
            whole = end + 4 + int(rest.partition(b"\r\n")[0])
            if len(self._unread) < whole:
                return
            body, self._unread = self._unread[end + 4 : whole], self._unread[whole:]
            now = time.perf_counter()
            due, status = self._law(now)
            self._law.under_way += 1
            self._answer(now, due, status, len(json.loads(body)["queries"]))

    def _answer(self, received: float, due: float, status: int, queries: int) -> None:
        """Answer when it is due: the loop's timer is late by up to a millisecond, which the log has too."""
        if (wait := due - time.perf_counter()) > _EARLY:
            self._loop.call_later(wait, self._answer, received, due, status, queries)
            return
        self._law.under_way -= 1
        body = json.dumps({"results": [[_HIT]] * queries}).encode() if status == 200 else b"busy"
        head = f"HTTP/1.1 {status} -\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self._transport.write(head.encode() + body)
        self._log.append((received, time.perf_counter(), status))


async def main(law: str, log: str) -> None:
    """Serve until SIGTERM, then write the log."""
    rows: list[tuple[float, float, int]] = []
    loop, stop, answering = asyncio.get_running_loop(), asyncio.Event(), Law(law)
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    server = await loop.create_server(lambda: Connection(answering, rows), "127.0.0.1", 0, backlog=1024)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await stop.wait()
    lines = [f"{received:.7f} {completed:.7f} {status}\n" for received, completed, status in rows]
    Path(log).write_text("".join(lines), encoding="ascii")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
