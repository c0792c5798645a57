"""A scripted OpenAI-compatible server on a free loopback port, in a thread or in a process of its own.

with ChatServer(good()) as server:
    ...  # ask `server.url`; `server.calls`, `server.most_in_flight`, `server.requests` say what came

A script is a function of the number of the call (from 0) and the JSON of the request. It returns what to send: a text
is the content of a good reply, a dict the JSON of a whole answer, and `Send` anything else.
"""

import argparse
import asyncio
import contextlib
import json
import re
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import orjson

HOST = "127.0.0.1"
MODEL = "scripted-1"  # as the server calls itself
_STATE = b"/state"


@dataclass(frozen=True)
class Send:
    """What is sent to one call."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0  # seconds before it
    until: int = 0  # calls that must have come before it
    never: bool = False  # nothing is sent, and the connection stays open
    raw: bytes | None = None  # sent as it is, head and all; the connection is closed then
    drip: float | None = None  # seconds between the bytes of the body
    endless: bytes = b""  # sent again and again after the head, for ever


Script = Callable[[int, dict[str, Any]], "Send | dict[str, Any] | str"]


def tokens(text: str) -> int:
    """Return how many tokens a text has for this server: a quarter of its bytes."""
    return len(text.encode()) // 4 + 1


def completion(
    request: dict[str, Any],
    content: Any,
    *,
    finish: str | None = "stop",
    usage: dict[str, Any] | str | None = "counted",
    model: str = MODEL,
    **message: Any,
) -> dict[str, Any]:
    """Return an answer as the API has it; `message` are further members of the message."""
    if usage == "counted":
        sent = sum(tokens(str(one["content"])) for one in request["messages"])
        said = tokens(str(content or ""))
        usage = {"prompt_tokens": sent, "completion_tokens": said, "total_tokens": sent + said}
    answer = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": content, **message},
                "logprobs": None,
                "finish_reason": finish,
            }
        ],
        "usage": usage,
        "system_fingerprint": "fp_scripted",
    }
    return {name: value for name, value in answer.items() if value is not None}


def error(status: int, message: str, *, headers: dict[str, str] | None = None, **members: Any) -> Send:
    """Return an error as the API has it; `members` such as type, param and code."""
    body = orjson.dumps({"error": {"message": message, "type": None, "param": None, "code": None, **members}})
    return Send(status, body, headers or {})


def schema_of(request: dict[str, Any]) -> dict[str, Any] | None:
    """Return the JSON Schema that a request asks for."""
    asked = request.get("response_format") or {}
    found: dict[str, Any] | None = asked.get("json_schema", {}).get("schema")
    return found


def valid(schema: dict[str, Any], number: float | None = None, text: str = "because") -> Any:
    """Return a value that a schema allows: of each kind the first or the lowest, or `number` where that is allowed."""
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return number if number in schema["enum"] else schema["enum"][0]
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            return valid(schema[choice][0], number, text)
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        return {name: valid(one, number, text) for name, one in schema.get("properties", {}).items()}
    if kind == "array":
        return [valid(schema.get("items", {}), number, text) for _ in range(schema.get("minItems", 1))]
    if kind in ("integer", "number"):
        low, high = schema.get("minimum", 0), schema.get("maximum", number if number is not None else 1)
        chosen = number if number is not None and low <= number <= high else low
        return int(chosen) if kind == "integer" else chosen
    return {"boolean": True, "null": None}.get(str(kind), text)


def good(number: float | None = None, text: str = "because") -> Script:
    """Answer with a value that the schema of the request allows; as plain text where it has none."""
    return lambda call, request: orjson.dumps(valid(schema_of(request) or {}, number, text)).decode()


def says(text: str) -> Script:
    """Answer always with the same content."""
    return lambda call, request: text


def verdicts(value: Callable[[str], Any]) -> Script:
    """Answer with the JSON of what a function makes of the last message."""
    return lambda call, request: orjson.dumps(value(request["messages"][-1]["content"])).decode()


def sends(answer: "Send") -> Script:
    """Answer always with the same."""
    return lambda call, request: answer


def malformed(call: int, request: dict[str, Any]) -> str:
    """Answer with half of a verdict."""
    return '{"score": '


def other_language(call: int, request: dict[str, Any]) -> str:
    """Answer in prose, in Chinese."""
    return "该文件与问题相关,评分为三分。"


def refusal(call: int, request: dict[str, Any]) -> dict[str, Any]:
    """Refuse to answer."""
    return completion(request, None, refusal="I'm sorry, I can't help with that.")


def filtered(call: int, request: dict[str, Any]) -> dict[str, Any]:
    """Answer with nothing, for a filter held it back."""
    return completion(request, None, finish="content_filter")


def truncated(call: int, request: dict[str, Any]) -> dict[str, Any]:
    """Answer with a verdict that was cut off."""
    return completion(request, '{"score": 3, "ratio', finish="length")


def obeys(call: int, request: dict[str, Any]) -> str:
    """Answer with the number that the last message orders ("output 3"), else with the lowest that is allowed."""
    said = request["messages"][-1]["content"]
    ordered = re.findall(r"(?:output|出力|输出)\D{0,12}?(\d+)", said, flags=re.IGNORECASE)
    return orjson.dumps(valid(schema_of(request) or {}, float(ordered[-1]) if ordered else None)).decode()


def slow(seconds: float, script: Script) -> Script:
    """Answer later."""
    return lambda call, request: replace(as_send(script(call, request), request), delay=seconds)


def rate_limited(times: int, script: Script, **headers: str) -> Script:
    """Answer 429 to the first calls; `retry_after="1"` sets the header `retry-after`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    refused = error(429, "Rate limit reached for requests", type="requests", code="rate_limit_exceeded", headers=named)
    return lambda call, request: refused if call < times else script(call, request)


def in_turn(*scripts: Script) -> Script:
    """Answer by one script after the other, and by the last from then on."""
    return lambda call, request: scripts[min(call, len(scripts) - 1)](call, request)


def as_send(said: "Send | dict[str, Any] | str", request: dict[str, Any]) -> Send:
    """Return what a script said as what is sent."""
    if isinstance(said, str):
        said = completion(request, said)
    return Send(body=orjson.dumps(said)) if isinstance(said, dict) else said


class ChatServer:
    """The server; counts are of all calls so far."""

    def __init__(self, script: Script, *, bare: bool = False, log: Path | None = None, certificates: Any = None):
        """Prepare.

        `bare`: the script is asked once, and its answer sent to all calls, of which nothing is kept. `log`: a file to
        which every body is written, one per line, before it is answered. `certificates`: an `ssl.SSLContext`.
        """
        self.calls = 0
        self.answered = 0  # whole answers that were handed to the system
        self.in_flight = 0
        self.most_in_flight = 0
        self.bodies: list[bytes] = []
        self.heads: list[bytes] = []
        self.script = script
        self.came: list[tuple[int, Callable[[], None]]] = []  # who waits for so many calls
        self.constant: Send | None = None
        if bare:
            self.constant = as_send(script(0, {"messages": []}), {"messages": []})
        self._log = log.open("ab", buffering=0) if log else None
        self._tls = certificates

    @property
    def requests(self) -> list[Any]:
        """Return the JSON of all requests."""
        return [orjson.loads(body) for body in self.bodies]

    @property
    def paths(self) -> list[str]:
        """Return path and parameters of all requests."""
        return [head.split(b" ", 2)[1].decode() for head in self.heads]

    @property
    def headers(self) -> list[dict[str, str]]:
        """Return the headers of all requests, their names in lower case."""
        lines = [head.decode("latin-1").split("\r\n")[1:] for head in self.heads]
        return [{name.lower(): value for name, _, value in (line.partition(": ") for line in one)} for one in lines]

    def state(self) -> dict[str, int]:
        """Return the counts."""
        names = ("calls", "answered", "in_flight", "most_in_flight")
        return {name: getattr(self, name) for name in names}

    def note(self, head: bytes, body: bytes) -> tuple[int, Send]:
        """Count a call, and return its number and what is sent."""
        number, self.calls = self.calls, self.calls + 1
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        if self.constant is not None:
            return number, self.constant
        if self._log is not None:
            self._log.write(body.replace(b"\n", b" ") + b"\n")
        self.heads.append(head)
        self.bodies.append(body)
        request = orjson.loads(body)
        return number, as_send(self.script(number, request), request)

    def tell(self) -> None:
        """Answer who waits for as many calls as there were."""
        due = [told for calls, told in self.came if calls <= self.calls]
        self.came = [one for one in self.came if one[0] > self.calls]
        for told in due:
            told()

    async def serve(self, started: "Future[None] | None" = None) -> None:
        """Serve until `end`."""
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        listening = await self._loop.create_server(lambda: _Connection(self), HOST, 0, ssl=self._tls, backlog=1024)
        scheme = "https" if self._tls else "http"
        self.root = f"{scheme}://{HOST}:{listening.sockets[0].getsockname()[1]}"
        self.url = f"{self.root}/v1"
        self.open: set[_Connection] = set()
        if started is not None:
            started.set_result(None)
        await self._ended.wait()
        listening.close()
        for connection in list(self.open):
            connection.transport.abort()
        while self.open:
            await asyncio.sleep(0)

    def __enter__(self) -> Self:
        """Serve in a thread."""
        started: Future[None] = Future()
        self._thread = threading.Thread(target=lambda: asyncio.run(self.serve(started)))
        self._thread.start()
        started.result()
        return self

    def __exit__(self, *_: object) -> None:
        """End."""
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join()
        if self._log is not None:
            self._log.close()


class _Connection(asyncio.Protocol):
    """One connection: requests one after the other."""

    transport: asyncio.Transport

    def __init__(self, server: ChatServer) -> None:
        self._server = server
        self._got = b""
        self._busy = False  # a call is under way
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._server.open.add(self)

    def connection_lost(self, reason: Exception | None) -> None:
        self._server.open.discard(self)
        if self._timer is not None:
            self._timer.cancel()
        if self._busy:
            self._server.in_flight -= 1
            self._busy = False

    def data_received(self, data: bytes) -> None:
        self._got += data
        if not self._busy:
            self._take()

    def _take(self) -> None:
        end = self._got.find(b"\r\n\r\n")
        if end < 0:
            return
        head = self._got[:end]
        at = head.lower().find(b"content-length:")
        size = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
        if len(self._got) < end + 4 + size:
            return
        body, self._got = self._got[end + 4 : end + 4 + size], self._got[end + 4 + size :]
        if head.split(b" ", 2)[1] == _STATE:
            self.transport.write(_response(Send(body=orjson.dumps(self._server.state()))))
            return
        self._busy = True
        _, send = self._server.note(head, body)
        self._server.tell()
        if send.never:
            return
        if send.until > self._server.calls:
            self._server.came.append((send.until, lambda: self._later(send)))
        else:
            self._later(send)

    def _later(self, send: Send) -> None:
        if send.delay:
            self._timer = asyncio.get_running_loop().call_later(send.delay, self._answer, send)
        else:
            self._answer(send)

    def _answer(self, send: Send) -> None:
        self._timer = None
        if self.transport.is_closing() or not self._busy:
            return
        if send.drip is not None or send.endless:
            whole = _response(send)
            self.transport.write(whole[: len(whole) - len(send.body)])
            self._task = asyncio.get_running_loop().create_task(self._slowly(send))
            return
        self.transport.write(_response(send) if send.raw is None else send.raw)
        self._done()
        if send.raw is not None:
            self.transport.close()
        elif self._got:
            self._take()

    def _done(self) -> None:
        self._busy = False
        self._server.in_flight -= 1
        self._server.answered += 1

    async def _slowly(self, send: Send) -> None:
        for number in range(len(send.body)):
            if self.transport.is_closing():
                return
            self.transport.write(send.body[number : number + 1])
            await asyncio.sleep(send.drip or 0.0)
        while send.endless and not self.transport.is_closing():
            if self.transport.get_write_buffer_size() < 1 << 20:
                self.transport.write(send.endless)
            await asyncio.sleep(0)
        if self._busy and not self.transport.is_closing():
            self._done()


def _response(send: Send) -> bytes:
    headers = {"Content-Type": "application/json", **({} if send.endless else {"Content-Length": str(len(send.body))})}
    given = {name.lower() for name in send.headers}
    headers = {name: value for name, value in headers.items() if name.lower() not in given} | send.headers
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {send.status} Status\r\n{lines}\r\n".encode() + send.body


@contextlib.contextmanager
def process(script: str, *arguments: str) -> Iterator["ChatProcess"]:
    """Run a server in a process of its own while the block lasts; its arguments are those of `main`."""
    line = [sys.executable, str(Path(__file__)), script, *arguments]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        try:
            yield ChatProcess(running.stdout.readline().strip(), running.pid)
        finally:
            running.kill()


@dataclass(frozen=True)
class ChatProcess:
    """A server in another process."""

    url: str
    pid: int

    def state(self) -> dict[str, int]:
        """Return its counts."""
        with urllib.request.urlopen(self.url.removesuffix("/v1") + _STATE.decode()) as answer:
            counts: dict[str, int] = json.load(answer)
        return counts


SCRIPTS: dict[str, Callable[[str], Script]] = {  # by the name on the command line, made of a text
    "good": lambda text: good(float(text) if text else None),
    "says": says,
    "malformed": lambda text: malformed,
    "other_language": lambda text: other_language,
    "refusal": lambda text: refusal,
    "truncated": lambda text: truncated,
    "obeys": lambda text: obeys,
}


def main() -> None:
    """Serve by a named script until standard input ends; the first line of output is the URL."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("script", choices=SCRIPTS)
    parser.add_argument("--text", default="", help="What the script is made of.")
    parser.add_argument("--delay", type=float, default=0.0, help="Seconds before every answer.")
    parser.add_argument("--bare", action="store_true", help="Send one answer to all calls, as cheaply as can be.")
    parser.add_argument("--log", type=Path, help="File for the bodies of all requests.")
    given = parser.parse_args()
    script = slow(given.delay, SCRIPTS[given.script](given.text))
    server = ChatServer(script, bare=given.bare, log=given.log)

    with server:
        print(server.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
