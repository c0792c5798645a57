"""The service that always says the same."""

import contextlib
import http.client
import subprocess
import sys
from urllib.parse import urlsplit

import pytest

from benchbench.errors import BenchbenchError
from benchbench.profile import canned


def test_every_request_gets_the_answer_over_a_kept_connection_and_it_ends_with_the_block():
    with canned.serving(b'{"results": []}') as url:
        address = urlsplit(url)
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
        for size in (0, 1, 100_000):
            connection.request("POST", "/batch_search", b"x" * size)
            response = connection.getresponse()
            assert (response.status, response.read()) == (200, b'{"results": []}')
        connection.close()
    with pytest.raises(ConnectionRefusedError):
        http.client.HTTPConnection(address.hostname, address.port).connect()


@pytest.mark.parametrize("host", ["evil.example", "", "127.0.0.1"])
def test_under_another_name_it_says_nothing(host: str):
    with canned.serving(b'{"results": []}') as url:
        address = urlsplit(url)
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
        with contextlib.closing(connection):
            connection.request("POST", "/batch_search", b"", {"Host": host})
            with pytest.raises(http.client.RemoteDisconnected):
                connection.getresponse()


def test_a_process_that_does_not_start_is_one_sentence(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(BenchbenchError, match="did not start"), canned.serving(b""):
        pass


def test_it_ends_with_its_standard_input(tmp_path):
    answer = tmp_path / "answer"
    answer.write_bytes(b"1")
    command = [sys.executable, "-m", "benchbench.profile.canned", str(answer)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=60)
    assert done.stdout.startswith(b"http://127.0.0.1:")
