import fcntl
import os
import termios
import threading
from array import array
from pathlib import Path

import pytest

import benchbench as bb
from benchbench.client.profiles import PROFILES
from benchbench.client.service import Service
from benchbench.errors import InputError
from benchbench.formats import lines, pipes, trec_text
from benchbench.formats.collection import read_collection
from benchbench.formats.collection_texts import texts_of
from benchbench.formats.datasets.locate import locate
from benchbench.formats.exports import read_export
from benchbench.formats.ground_truth import read_answers
from benchbench.formats.legalbench_rag import read_gold
from benchbench.formats.lines import json_chunks, json_file, json_lines
from benchbench.formats.query_table import read_queries
from benchbench.formats.source import Source
from benchbench.formats.tiered import read_tiered

READERS = {
    "run": bb.Run.from_file,
    "qrels": bb.Qrels.from_file,
    "data set": locate,
    "queries": read_tiered,
    "collection": read_collection,
    "documents": lambda path: texts_of(path, ["a"]),
    "lines": lambda path: list(json_lines(path)),
    "chunks": lambda path: list(json_chunks(path, 10)),
    "json": json_file,
    "export": read_export,
    "passages": read_gold,
    "answers": lambda path: list(read_answers(path)),
    "queries to compare by": read_queries,
    "table": lambda path: read_queries(path.rename(path.with_suffix(".csv"))),
    "certificates": lambda path: Service("https://there", PROFILES["benchbench"], ca_file=path),
}
needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs a device without an end")
@pytest.mark.parametrize("reader", [name for name in READERS if name != "table"])
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom", "/dev/null"])
def test_a_device_is_no_file_for_any_reader(reader: str, device: str):
    with pytest.raises(InputError, match=f"{device}( is a device and no file|: {device} is neither| is not a file)"):
        READERS[reader](Path(device) if reader != "data set" else device)


@needs_pipes
@pytest.mark.parametrize("reader", READERS)
def test_a_pipe_into_which_nobody_writes_is_a_sentence_for_any_reader(monkeypatch, tmp_path: Path, reader: str):
    monkeypatch.setattr(pipes, "PATIENCE", 0.0)
    path = tmp_path / "pipe"
    os.mkfifo(path)
    said = r"(no process writes anything into it|is neither a file nor a folder|is not a file|is no file)$"
    with pytest.raises(InputError, match=said):
        READERS[reader](path if reader != "data set" else str(path))


@needs_pipes
def test_lines_come_out_of_a_pipe_as_out_of_a_file(tmp_path: Path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    content = b"".join(b'{"id": "%d", "text": "a"}\n' % n for n in range(100_000))
    writer = threading.Thread(target=path.write_bytes, args=(content,))
    writer.start()
    assert [number for number, _ in json_lines(path)] == list(range(1, 100_001))
    writer.join()


def waiting(pipe: int) -> int:
    """Return how many bytes nobody has read yet."""
    count = array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, count)
    return count[0]


@needs_pipes
def test_a_writer_that_takes_its_time_is_waited_for(monkeypatch, tmp_path: Path):
    monkeypatch.setattr(pipes, "PATIENCE", 0.0)
    path = tmp_path / "pipe"
    os.mkfifo(path)
    held = os.open(path, os.O_RDWR)  # keeps the pipe open for writing, and writes nothing yet
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipes.piped(path).read()))
    reader.start()
    os.write(held, b"a")
    os.write(held, b"b" * 1000)
    while waiting(held) and reader.is_alive():
        pass
    os.close(held)
    reader.join()
    assert read == [b"a" + b"b" * 1000]


@needs_pipes
def test_a_pipe_without_an_end_is_not_kept_without_an_end(monkeypatch, tmp_path: Path):
    monkeypatch.setattr(pipes, "MOST", 1 << 21)
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=_write_until_nobody_reads, args=(path,))
    writer.start()
    with pytest.raises(InputError, match="has more than 2 MiB; what does not fit in memory comes from a file"):
        Source(path)
    writer.join()


def _write_until_nobody_reads(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(1 << 16))
        except BrokenPipeError:
            return


# Lines without an end


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32-le"])
def test_a_line_of_json_that_is_too_long_is_one_sentence(monkeypatch, tmp_path: Path, encoding: str):
    monkeypatch.setattr(lines, "LONGEST", 100)
    path = tmp_path / "x.jsonl"
    path.write_text('{"id": "a", "text": "b"}\n{"text": "' + "a" * 100, encoding=encoding)
    for reading in (json_lines(path), json_chunks(path, 10)):
        with pytest.raises(InputError, match=r"x\.jsonl, line 2: longer than 0 MiB, so these are no lines of JSON"):
            list(reading)
    path.write_text('"' + "a" * 97 + '"\n', encoding=encoding.removesuffix("-le"))
    assert [value for _, value in json_lines(path)] == ["a" * 97]


def test_a_line_of_a_plain_run_that_is_too_long_is_one_sentence_and_a_long_query_is_none(monkeypatch, tmp_path: Path):
    monkeypatch.setattr(trec_text, "LONGEST", 1000)
    monkeypatch.setattr(trec_text, "PART", 500)
    path = tmp_path / "x.run"
    path.write_text("".join(f"q Q0 d{n} 1 1 t\n" for n in range(1000)))
    assert bb.Run.from_file(path).rankings.offsets.tolist() == [0, 1000]
    path.write_text(path.read_text() + "q Q0 " + "d" * 1000 + " 1 1 t\n" + "r Q0 d 1 1 t\n" * 100)
    with pytest.raises(InputError, match=r"x\.run, line 1001: longer than 0 MiB"):
        bb.Run.from_file(path)
