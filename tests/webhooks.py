"""Webhooks on a free loopback port, with any manners, and how secrets may come back."""

import base64
import contextlib
import html
import socket
import ssl
import threading
import urllib.parse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson
from raw_servers import serving


@dataclass
class Received:
    """What a webhook got: heads of requests, and their bodies as JSON."""

    url: str = ""
    heads: list[str] = field(default_factory=list)
    bodies: list[Any] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)  # the test has ended


Manner = Callable[[socket.socket, Received, str], None]  # of answering, after a request; it gets the head of that


def answer(status: str = "200 OK", body: bytes = b"ok", *headers: str) -> Manner:
    """Answer in one piece."""
    head = "\r\n".join([f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]).encode()
    return lambda connection, received, asked: connection.sendall(head + body)


def hang(connection: socket.socket, received: Received, asked: str) -> None:
    """Say nothing, and keep the connection."""
    received.over.wait(30)


def dribble(beginning: bytes) -> Manner:
    """Send a beginning, then a byte now and then, without an end."""

    def send(connection: socket.socket, received: Received, asked: str) -> None:
        connection.sendall(beginning)
        while not received.over.wait(0.02):
            connection.sendall(b"x")

    return send


def huge(connection: socket.socket, received: Received, asked: str) -> None:
    """Send an answer that does not end."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n")
    while not received.over.is_set():
        connection.sendall(b"x" * 65536)


def echo(encode: Callable[[str], str], status: str = "400 Bad Request", head: bytes = b"") -> Manner:
    """Send the head of the request back, and what is secret in it once more, in some encoding."""

    def send(connection: socket.socket, received: Received, asked: str) -> None:
        words = [asked, *asked.split(), *asked.split("/")]
        body = "\n".join(encode(one) for one in words).encode()
        answer(status, body)(connection, received, asked)

    return send


ENCODINGS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "upper": str.upper,
    "url": lambda text: urllib.parse.quote(text, safe=""),
    "html": html.escape,
    "json": lambda text: orjson.dumps(text).decode(),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64, shifted": lambda text: base64.b64encode(b"x" + text.encode()).decode(),
    "hex": lambda text: text.encode().hex(),
    "reversed": lambda text: text[::-1],
    "half": lambda text: text[: len(text) // 2],
}


@contextlib.contextmanager
def webhook(*manners: Manner, tls: ssl.SSLContext | None = None) -> Iterator[Received]:
    """Run one that has these manners in turn, and keeps the last."""
    received = Received()

    def handle(connection: socket.socket) -> None:
        data = b""
        while b"\r\n\r\n" not in data and (block := connection.recv(1 << 16)):
            data += block
        head, _, body = data.partition(b"\r\n\r\n")
        size = next((int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
        while len(body) < size and (block := connection.recv(1 << 16)):
            body += block
        manner = manners[min(len(received.heads), len(manners) - 1)]
        received.heads.append(head.decode())
        received.bodies.append(orjson.loads(body) if body else None)
        manner(connection, received, head.decode())

    with serving(handle, tls) as place:
        received.url = f"http{'s' if tls else ''}://{place}"
        try:
            yield received
        finally:
            received.over.set()
