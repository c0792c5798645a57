import signal
import socket
import urllib.request
from pathlib import Path

import command_line
import data_sets
import orjson
import pytest
from command_line import said, sentence


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    return data_sets.write(tmp_path) / "collection.jsonl"


def test_the_url_is_printed_alone_and_ctrl_c_ends_it_with_0(collection: Path):
    with command_line.process("serve", collection) as service:
        url = service.stdout.readline().strip()
        with urllib.request.urlopen(f"{url}/healthz") as response:
            health = orjson.loads(response.read())
        service.send_signal(signal.SIGINT)
        output, notes = service.communicate(timeout=60)
    about = "BM25, words and CJK bigrams, k1 1.2, b 0.75"
    assert health == {"status": "ok", "documents": 28, "retriever": about}
    assert (service.returncode, output) == (0, "")
    assert notes.startswith(f"Serving 28 documents of {collection}: POST {url}/batch_search, ")
    assert notes.splitlines()[1:] == [about]


@pytest.mark.slow  # a process
def test_members_that_hits_come_without_are_named(tmp_path: Path):
    long = {f"m{n}": "x" * 2000 for n in range(7)}
    documents = [{"text": "a", **long}, {"text": "b", "ab\nstract": "y" * 2000, "m3": "z" * 2000}]
    path = data_sets.write_lines(tmp_path / "documents.jsonl", documents)
    with command_line.process("serve", path) as service:
        service.stdout.readline()
        service.send_signal(signal.SIGINT)
        notes = service.communicate(timeout=60)[1].splitlines()
    assert notes[2:] == [
        "Too long for the meta of hits (1,000 bytes per member, 4,000 per document), with the number of documents: "
        "m3 (2), m0 (1), m1 (1), m2 (1), m4 (1) and 3 more"
    ]


@pytest.mark.slow  # a process
def test_quiet_says_nothing_on_standard_error(collection: Path):
    with command_line.process("serve", collection, "--quiet") as service:
        assert service.stdout.readline().startswith("http://127.0.0.1:")
        service.send_signal(signal.SIGTERM)
        assert service.communicate(timeout=60) == ("", "")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "{path} does not exist"),
        (b"", "{path} is empty"),
        (b"\n", "{path} has no document"),
        (b"[]\n", "{path}, line 1: not a JSON object"),
        (b'{"text": "a"}\n{"id": 2}\n', '{path}, line 2: the document has no text (a member "text")'),
        (b'{"id": [], "text": "a"}\n', "{path}, line 1: the id is neither a number nor a string"),
        (b'{"id": 1, "text": "a"}\n{"id": "1", "text": "b"}\n', "{path}, line 2: id 1 was used in line 1 already"),
        ('{"text": "甲"}\n'.encode("gb18030"), "{path}, line 1: not UTF-8 (byte 11 of the line); "),
    ],
)
def test_a_bad_collection_ends_with_2_and_names_the_line(capsys, tmp_path: Path, content: bytes | None, reason: str):
    path = tmp_path / "documents.jsonl"
    if content is not None:
        path.write_bytes(content)
    code, output, errors = said(capsys, "serve", path)
    assert (code, output) == (2, "")
    assert sentence(errors).startswith(reason.format(path=path))


def test_a_port_that_is_taken_ends_with_2(capsys, collection: Path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, output, errors = said(capsys, "serve", collection, "--port", port)
    assert (code, output) == (2, "")
    assert sentence(errors).startswith(f"cannot listen on 127.0.0.1:{port}: ")
