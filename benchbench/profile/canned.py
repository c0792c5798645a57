"""A service that gives every request the same answer, in a process of its own.

usage: python -m benchbench.profile.canned ANSWER     prints its URL, and ends with its standard input
"""

import contextlib
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from benchbench.errors import BenchbenchError
from benchbench.processes import python

_HOST = "127.0.0.1"


@contextlib.contextmanager
def serving(body: bytes) -> Iterator[str]:
    """Serve a body on a free loopback port while the block lasts; yield its URL.

    Raises
    ------
    BenchbenchError
        The process did not start.
    """
    with tempfile.TemporaryDirectory(prefix="benchbench-canned-") as folder:
        answer = Path(folder, "answer")
        answer.write_bytes(body)
        command = python("-m", "benchbench.profile.canned", str(answer))
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            url = process.stdout.readline().decode().strip()
            if not url:
                raise BenchbenchError("the canned service did not start; see its messages above")
            try:
                yield url
            finally:
                process.stdin.close()


def main(answer: str) -> None:
    """Answer until standard input ends, as it does when the parent process ends."""
    body = Path(answer).read_bytes()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.create_server((_HOST, 0)) as server:
        name = f"{_HOST}:{server.getsockname()[1]}"
        threading.Thread(target=_accept, args=(server, name.encode(), head.encode() + body), daemon=True).start()
        print(f"http://{name}", flush=True)
        sys.stdin.read()


def _accept(server: socket.socket, name: bytes, answer: bytes) -> None:
    with contextlib.suppress(OSError):  # closed: it is over
        while True:
            threading.Thread(target=_answer, args=(server.accept()[0], name, answer), daemon=True).start()


def _answer(connection: socket.socket, name: bytes, answer: bytes) -> None:
    """Answer every request on a connection, once its body has been read.

    One under another name is a web page's that let its own point here, and ends the connection.
    """
    with contextlib.suppress(ConnectionError), connection, connection.makefile("rb") as requests:
        while requests.readline():
            length, host = 0, b""
            while (line := requests.readline().strip().lower()) != b"":
                if line.startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
                elif line.startswith(b"host:"):
                    host = line[5:].strip()
            if host != name:
                return
            requests.read(length)
            connection.sendall(answer)


if __name__ == "__main__":
    main(*sys.argv[1:])
