"""Lines of JSON in any encoding, and the sentence that says which line is bad and why."""

import codecs
import fcntl
import os
import termios
import threading
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
import xxhash
from answer_values import read_answers
from hypothesis import given
from hypothesis import strategies as st

import benchbench as bb
from benchbench.client.descriptions import profile
from benchbench.client.service import Service
from benchbench.errors import InputError
from benchbench.formats import lines, pipes, trec_reading
from benchbench.formats.answers_config import read_config
from benchbench.formats.collection import read_collection
from benchbench.formats.collection_texts import texts_of
from benchbench.formats.datasets.locate import locate
from benchbench.formats.exports import read_export
from benchbench.formats.json_rows import json_rows
from benchbench.formats.legalbench_rag import read_gold, read_predictions
from benchbench.formats.lines import json_chunks, json_file, json_lines, open_input
from benchbench.formats.query_table import read_query_table
from benchbench.formats.source import Source
from benchbench.formats.tiered import read_tiered
from benchbench.tables.hashing import content_digest

VALUES = [{"fact": "被告人张某"}, {"fact": "é😀"}, {"fact": "a\nb"}]


TEXT = "\n".join(orjson.dumps(value).decode() for value in VALUES) + "\n"


ENCODINGS = {
    "utf-8": b"",
    "utf-8-sig": b"",  # Python's codec writes the mark itself
    "utf-16-le": b"",
    "utf-16-be": b"",
    "utf-32-le": b"",
    "utf-32-be": b"",
    "utf-16-le with mark": codecs.BOM_UTF16_LE,
    "utf-16-be with mark": codecs.BOM_UTF16_BE,
    "utf-32-le with mark": codecs.BOM_UTF32_LE,
    "utf-32-be with mark": codecs.BOM_UTF32_BE,
}


each_encoding = pytest.mark.parametrize("name", ENCODINGS)


WIDE = [name for name in ENCODINGS if not name.startswith("utf-8")]


each_wide_encoding = pytest.mark.parametrize("name", WIDE)


def encoded(text: str, name: str) -> bytes:
    return ENCODINGS[name] + text.encode(name.removesuffix(" with mark"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "file.jsonl"


def read(path: Path, **options: Any) -> list[tuple[int, Any]]:
    return list(json_lines(path, **options))


def error(path: Path, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        read(path, **options)
    return str(caught.value)


# Encodings


@each_encoding
@pytest.mark.parametrize(
    ("text", "values"),
    [
        (TEXT, list(enumerate(VALUES, 1))),
        # CR LF, blank lines and a missing last line end do no harm, nor does a blank first line
        ('{"a": 1}\r\n\r\n  \n\t\n{"a": 2}\r\n[3]', [(1, {"a": 1}), (5, {"a": 2}), (6, [3])]),
        ('\n{"a": 1}\n', [(2, {"a": 1})]),
    ],
)
def test_every_utf_encoding_is_detected_with_and_without_a_mark_and_may_be_named(file: Path, name: str, text, values):
    file.write_bytes(encoded(text, name))
    assert read(file) == read(file, encoding=name.removesuffix(" with mark")) == values


@pytest.mark.parametrize("name", ["gb18030", "GB18030", "big5", "shift_jis", "latin-1"])
def test_any_other_encoding_has_to_be_named(file: Path, name: str) -> None:
    text = '{"fact": "é"}' if name == "latin-1" else '{"fact": "一人\\n"}\r\n{"fact": "二"}'
    file.write_bytes(text.encode(name))
    expected = [{"fact": "é"}] if name == "latin-1" else [{"fact": "一人\n"}, {"fact": "二"}]
    assert [value for _, value in read(file, encoding=name)] == expected
    assert f"{file}, line 1: not UTF-8 (byte " in error(file)


def test_gb18030_reads_what_gbk_cannot(file: Path) -> None:
    file.write_bytes('{"fact": "䶮😀"}'.encode("gb18030"))
    assert read(file, encoding="gb18030") == [(1, {"fact": "䶮😀"})]
    assert "not GBK" in error(file, encoding="gbk")


@pytest.mark.parametrize("name", ["nonsense", "utf-99", "hex", "rot13", "zip", "undefined"])
def test_an_unknown_encoding_is_an_error_that_names_known_ones(file: Path, name: str) -> None:
    """Codecs of Python that do not turn bytes into text are unknown encodings, too."""
    file.write_bytes(b"{}")
    assert error(file, encoding=name) == f"--encoding {name} is not a known encoding; try utf-8 or gb18030"


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), min_size=1),
    st.sampled_from(list(ENCODINGS)),
)
def test_any_text_is_read_back_from_any_encoding(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], name: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "read-back.jsonl"
    path.write_bytes(encoded("\n".join(orjson.dumps([text]).decode() for text in texts), name))
    assert read(path) == [(number, [text]) for number, text in enumerate(texts, 1)]


# Files that cannot be read


def test_what_is_no_file_and_an_empty_one_are_errors(tmp_path: Path, file: Path) -> None:
    assert error(file) == f"{file} does not exist"
    file.touch()
    assert error(file) == f"{file} is empty"
    assert error(tmp_path) == f"{tmp_path} is a folder; name the file in it"
    assert "cannot be read: Not a directory" in error(file / "inner.jsonl")
    with pytest.raises(InputError, match="cannot be read: File name too long"):
        open_input(tmp_path / ("x" * 5000))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read every file")
def test_a_file_without_permission_is_an_error(file: Path) -> None:
    file.touch(mode=0)
    assert error(file) == f"{file} cannot be read: Permission denied"


@each_encoding
def test_a_file_with_nothing_but_a_mark_is_empty(file: Path, name: str) -> None:
    file.write_bytes(encoded("", name))
    assert error(file) == f"{file} is empty"


def test_a_file_of_blank_lines_has_no_value(file: Path) -> None:
    file.write_bytes(b"\n  \r\n\t")
    assert read(file) == []


# Lines that cannot be read


@each_encoding
def test_a_bad_line_is_named_by_its_number_with_the_reason(file: Path, name: str) -> None:
    file.write_bytes(encoded('{"a": 1}\n\n{"a": }\n{"a": 3}\n', name))
    sentence = error(file)
    assert sentence.startswith(f"{file}, line 3: not JSON (")
    assert sentence.endswith(" at column 7)")


@each_encoding
def test_a_skipped_line_yields_none_and_the_others_their_values(file: Path, name: str) -> None:
    file.write_bytes(encoded('{"a": 1}\n{"a": \n\n{"a": 3}\nnonsense', name))
    assert read(file, skip_bad_lines=True) == [(1, {"a": 1}), (2, None), (4, {"a": 3}), (5, None)]


NO_JSON = [b"{}{}", b'{"a": NaN}', b"'a'", b'{"a": 1,}', b"[" * 5000, b'"\\ud800"', b"\0" * 100, b'{"a"\0: 1}']


OTHER = "name the encoding, e.g. --encoding gb18030"


@pytest.mark.parametrize(
    ("line", "encoding", "reason"),
    [
        *((line, None, "not JSON (") for line in NO_JSON),
        (b'{"latency": 1e999}', None, "the number '1e999' is too large for a 64-bit float"),
        (b'{"a": "\xff"}', None, f"not UTF-8 (byte 8 of the line); {OTHER}"),
        (b'{"a": "\xff"}', "gb18030", "not GB18030 (byte 8 of the line); name another with --encoding"),
    ],
)
def test_a_bad_line_is_named_with_its_reason_or_skipped(file: Path, line: bytes, encoding: str | None, reason: str):
    file.write_bytes('["一"]\n'.encode(encoding or "utf-8") + line + b"\n[3]")
    assert error(file, encoding=encoding).startswith(f"{file}, line 2: {reason}")
    assert read(file, encoding=encoding, skip_bad_lines=True) == [(1, ["一"]), (2, None), (3, [3])]


@each_wide_encoding
@pytest.mark.parametrize("lines_before", [2, 3000])
def test_a_broken_character_of_a_wide_encoding_is_an_error_of_its_own_line(
    file: Path, name: str, lines_before: int
) -> None:
    """However many lines the decoder takes at once, and half a surrogate pair is what a careless cut leaves."""
    half = '"\ud83d"\n'.encode(name.removesuffix(" with mark"), "surrogatepass")
    rest = '{"a": 3}\n'.encode(name.removesuffix(" with mark"))
    file.write_bytes(encoded('{"a": 1}\n' * lines_before, name) + half + rest)
    assert error(file).startswith(f"{file}, line {lines_before + 1}: not UTF-")
    assert read(file, skip_bad_lines=True)[-3:] == [
        (lines_before, {"a": 1}),
        (lines_before + 1, None),
        (lines_before + 2, {"a": 3}),
    ]


@each_wide_encoding
def test_a_wide_file_that_was_cut_within_a_character_is_an_error_of_its_last_line(file: Path, name: str) -> None:
    file.write_bytes(encoded('{"a": 1}\n{"a": 2}', name)[:-1])
    assert error(file).startswith(f"{file}, line 2: not UTF-")
    assert read(file, skip_bad_lines=True) == [(1, {"a": 1}), (2, None)]


def test_lines_before_a_bad_one_are_yielded_first(file: Path) -> None:
    file.write_bytes(b"[1]\n[2]\nnonsense")
    lines = json_lines(file)
    assert [next(lines), next(lines)] == [(1, [1]), (2, [2])]
    with pytest.raises(InputError, match="line 3"):
        next(lines)


# The digest


@pytest.mark.parametrize("content", [*(encoded(TEXT + "\n\r\n", name) for name in ENCODINGS), b"nonsense\n\xff\n{}"])
def test_the_digest_is_of_all_bytes_as_they_are_those_of_skipped_lines_too(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    digest = content_digest()
    read(file, skip_bad_lines=True, digest=digest)
    assert digest.hexdigest() == xxhash.xxh3_128_hexdigest(content)


# Chunks


@each_encoding
def test_chunks_have_the_values_and_line_numbers_of_the_whole(file: Path, name: str) -> None:
    file.write_bytes(encoded('\n{"a": 1}\r\n\r\n  \n{"a": 2}\r\n[3]', name))
    chunks = list(json_chunks(file, 2))
    assert [chunk.first for chunk in chunks] == [1, 3, 5]
    assert [value for chunk in chunks for value in chunk.values()] == read(file)


def test_a_chunk_ends_with_the_line_that_makes_it_large(file: Path) -> None:
    file.write_bytes(b"[1]\n" * 5)
    assert [len(chunk.lines) for chunk in json_chunks(file, 100, size=7)] == [2, 2, 1]


@pytest.mark.parametrize("content", [b"", codecs.BOM_UTF8])
def test_an_empty_file_has_no_chunks(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(InputError, match="is empty"):
        list(json_chunks(file, 2))


@pytest.mark.parametrize("bad", [b"{", b'"\xff"', b'{"a": "\xed\xa0\x80"}'])
def test_a_bad_line_of_a_chunk_is_named_as_that_of_the_whole(file: Path, bad: bytes) -> None:
    file.write_bytes(b"[1]\n[2]\n[3]\n" + bad + b"\n")
    with pytest.raises(InputError) as caught:
        [list(chunk.values()) for chunk in json_chunks(file, 2)]
    assert str(caught.value) == error(file)


def ids_of_a_run(path: Path) -> list[str]:
    return [part.use(lambda rows: rows.query_id(0)) for part in json_rows(Source(path), run=True)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize(
    ("name", "written", "read", "wanted"),
    [
        ("x.json", '{"target_url": "é"}', lambda path: read_config(path).url, "é"),
        ("x.json", '{"query": "é", "documents": []}', lambda path: read_export(path).query, "é"),
        (
            "x.json",
            '[{"query": "é", "retrieved_passages": ["x"]}]',
            lambda p: [*read_predictions(p).by_query],
            ["é"],
        ),
        ("x.json", '{"tests": [{"query": "é", "snippets": []}]}', lambda path: [*read_gold(path).by_query], ["é"]),
        ("x.json", '{"é": {"d": 1}}', lambda path: ids_of_a_run(path), ["é"]),
        ("x.json", '{"body": {"é": "{queries}"}}', lambda path: profile(str(path)).name, "x"),
        ("x.toml", 'body = {"é" = "{queries}"}', lambda path: profile(str(path)).name, "x"),
        ("x.card.json", '{"title": "é"}', lambda path: locate(str(path.parent / "x.jsonl")).card["title"], "é"),
    ],
)
def test_every_reader_of_a_whole_file_takes_every_encoding(
    tmp_path: Path, encoding: str, name: str, written: str, read: Callable[[Path], object], wanted: object
) -> None:
    (tmp_path / "x.jsonl").touch()
    (tmp_path / name).write_bytes(written.encode(encoding))
    assert read(tmp_path / name) == wanted


# Pipes

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
    "queries to compare by": read_query_table,
    "table": lambda path: read_query_table(path.rename(path.with_suffix(".csv"))),
    "certificates": lambda path: Service("https://there", profile("benchbench"), ca_file=path),
}


needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs a device without an end")
@pytest.mark.parametrize("reader", [name for name in READERS if name != "table"])
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom", "/dev/null"])
def test_a_device_is_no_file_for_any_reader(reader: str, device: str):
    with pytest.raises(InputError, match=f"{device}( is a device, not a file|: {device} is neither| is not a file)"):
        READERS[reader](Path(device) if reader != "data set" else device)


@needs_pipes
@pytest.mark.parametrize("reader", READERS)
def test_a_pipe_into_which_nobody_writes_is_a_sentence_for_any_reader(monkeypatch, tmp_path: Path, reader: str):
    monkeypatch.setattr(pipes, "PATIENCE", 0.0)
    path = tmp_path / "pipe"
    os.mkfifo(path)
    said = r"(no process writes to it|is neither a file nor a folder|is not a file|is no file)$"
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
    with pytest.raises(InputError, match="has more than 2 MiB; give what does not fit in memory as a file"):
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
        with pytest.raises(InputError, match=r"x\.jsonl, line 2: longer than 0 MiB, so these are not lines of JSON"):
            list(reading)
    path.write_text('"' + "a" * 97 + '"\n', encoding=encoding.removesuffix("-le"))
    assert [value for _, value in json_lines(path)] == ["a" * 97]


def test_a_line_of_a_plain_run_that_is_too_long_is_one_sentence_and_a_long_query_is_none(monkeypatch, tmp_path: Path):
    monkeypatch.setattr(trec_reading, "LONGEST", 1000)
    monkeypatch.setattr(trec_reading, "PART", 500)
    path = tmp_path / "x.run"
    path.write_text("".join(f"q Q0 d{n} 1 1 t\n" for n in range(1000)))
    assert bb.Run.from_file(path).rankings.offsets.tolist() == [0, 1000]
    path.write_text(path.read_text() + "q Q0 " + "d" * 1000 + " 1 1 t\n" + "r Q0 d 1 1 t\n" * 100)
    with pytest.raises(InputError, match=r"x\.run, line 1001: longer than 0 MiB"):
        bb.Run.from_file(path)
