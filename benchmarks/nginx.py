"""nginx with one worker and a fixed answer to every POST."""

import contextlib
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

# A static file answers GET only: what is refused for its method is sent on inside, as a GET.
_CONFIG = """
daemon off;
master_process off;
worker_processes 1;
pid {folder}/pid;
error_log {folder}/error.log warn;
events {{ worker_connections 256; }}
http {{
    access_log off;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 100000000;
    client_max_body_size 64m;
    client_body_buffer_size 1m;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    open_file_cache max=10;
    types {{ application/json json; }}
    server {{
        listen 127.0.0.1:{port};
        root {folder};
        location = /answer.json {{ }}
        location = /batch_search {{ error_page 404 405 =200 /answer.json; }}
    }}
}}
"""


def version() -> str | None:
    """Return which nginx there is on PATH; None without one."""
    path = shutil.which("nginx")
    if path is None:
        return None
    said = subprocess.run([path, "-v"], capture_output=True, text=True, check=True).stderr
    return said.strip().rpartition("/")[2].split()[0]


@contextlib.contextmanager
def serving(body: bytes) -> Iterator[str]:
    """Serve a body while the block lasts; yield the URL."""
    with tempfile.TemporaryDirectory(prefix="benchbench-nginx-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "answer.json").write_bytes(body)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        config = folder / "nginx.conf"
        config.write_text(_CONFIG.format(folder=folder, port=port))
        process = subprocess.Popen(["nginx", "-c", str(config), "-p", name], stderr=subprocess.DEVNULL)
        try:
            _await(process, port, folder / "error.log")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait()


def _await(process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    while True:
        with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
            return
        try:
            process.wait(0.02)
        except subprocess.TimeoutExpired:
            continue
        raise SystemExit(f"nginx did not start: {log.read_text() if log.exists() else process.returncode}")
