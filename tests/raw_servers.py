"""Servers on a free loopback port that do with a connection what a test tells them, with or without TLS."""

import contextlib
import shutil
import socket
import socketserver
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import services


@contextlib.contextmanager
def serving(handle: Callable[[socket.socket], None], tls: ssl.SSLContext | None = None) -> Iterator[str]:
    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with contextlib.suppress(OSError):
                connection = self.request if tls is None else tls.wrap_socket(self.request, server_side=True)
                handle(connection)
                connection.close()

    with socketserver.ThreadingTCPServer((services.HOST, 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"{services.HOST}:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def saying(answer: bytes) -> Callable[[socket.socket], None]:
    """Return what sends these bytes, whatever it gets."""

    def handle(connection: socket.socket) -> None:
        connection.recv(1 << 16)
        connection.sendall(answer)

    return handle


def certificate(folder: Path, days: int, name: str) -> ssl.SSLContext:
    """Return what serves with a certificate that signed itself, for an address; a negative day is over."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("needs the openssl command, to make certificates")
    (folder / "names").write_text(f"subjectAltName=IP:{name}\n")
    for command in (
        f"req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout k.pem -out r.pem -subj /CN={name}",
        f"x509 -req -in r.pem -signkey k.pem -days {days} -extfile names -out c.pem",
    ):
        subprocess.run([openssl, *command.split()], cwd=folder, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "c.pem", folder / "k.pem")
    return context
