"""Files are told by name or content, opened unpacked, and refused in one sentence when they cannot be."""

import codecs
import gzip
import io
import json
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
from answer_values import read_answers
from cases import check_rows, first_of, tables
from judged_files import FILES, arrow, flat, gzipped, json_rows, parquet, refusal, trec, zstandard

import benchbench as bb
from benchbench.errors import InputError
from benchbench.formats.answers_config import read_config
from benchbench.formats.collection import read_collection
from benchbench.formats.evaluation_config import read_evaluation_config
from benchbench.formats.exports import read_export
from benchbench.formats.ground_truth import Reading, read_ground_truth
from benchbench.formats.legalbench_rag import read_gold, read_predictions
from benchbench.formats.nuggets import read_assigned, read_nuggets
from benchbench.formats.query_table import read_query_table
from benchbench.formats.records import records
from benchbench.formats.source import LONGEST, Source, header_names
from benchbench.formats.trace import read_trace

TABLES = tables(__file__)


HITS = {"a": {"x": 2.5, "y": 1.5}, "b": {"x": 7.0}}


ROWS, DIGEST = flat(HITS), bb.Run.from_dict(HITS).digest


TREC, LINES = trec(ROWS, True), json_rows(ROWS, True)


TEXTS = ["lines.trec", "rows.jsonl", "objects.jsonl", "object.json", "beir.tsv", "commas.csv"]


LONG = b"a" * (LONGEST + LONGEST // 4)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "file"


def told(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    return Source(path).format()


@pytest.mark.parametrize(("name", "kind"), TABLES["names"].items())
def test_a_format_is_told_by_the_name(tmp_path: Path, name: str, kind: str):
    assert told(tmp_path / name, gzip.compress(TREC) if name.lower().endswith("gz") else TREC) == kind


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (TREC, "trec"),
        (b"query 0 doc 1\n", "trec"),
        (b"query\t0\tx\t1\n", "trec"),
        (b"[1] Q0 {x 1 2 t\n", "trec"),
        (b"query_id,doc_id,score\n", "table"),
        (b"query-id\tcorpus-id\tscore\r\n", "table"),
        (b'"qid"\t"docno"\t"text"', "table"),
        (LINES, "json lines"),
        (b"\n" + LINES, "json lines"),
        (LINES.splitlines()[0], "json lines"),
        (b'{"a": {"x": 1}}\n{"b": {"x": 1}}\n', "json lines"),
        (b'{"a": {"x": 1}}\n', "json"),
        (b' {\n "a": {"x": 1}}', "json"),
        (b"{}", "json"),
        (b"[\n  {}]", "json"),
        (parquet(ROWS, True), "parquet"),
        (arrow(ROWS, True), "arrow"),
    ],
)
def test_a_format_is_told_by_the_first_bytes_packed_or_not(file: Path, data: bytes, kind: str):
    assert told(file, data) == kind
    assert told(file, codecs.BOM_UTF8 + data) == kind or data.startswith((b"PAR1", b"ARROW1"))
    assert told(file, gzipped(data)) == kind
    assert told(file, zstandard(data)) == kind


def test_a_first_line_of_json_may_be_longer_than_what_is_looked_at(file: Path):
    first = b'{"a": {' + b", ".join(b'"d%d": 1' % i for i in range(20_000)) + b"}}\n"
    assert told(file, first) == "json"
    assert told(file, first + b'{"b": {"x": 1}}') == "json lines"
    assert told(file, first[:-4] + b",\n" + b'"y": 1}}') == "json"


@pytest.mark.parametrize("name", TEXTS)
def test_a_byte_order_mark_is_no_part_of_the_first_id(tmp_path: Path, name: str):
    data = FILES[name](ROWS, True)
    (tmp_path / name).write_bytes(codecs.BOM_UTF8 + data)
    assert bb.Run.from_file(tmp_path / name).digest == DIGEST


@pytest.mark.parametrize("end", [b"", b"\r\n", b"\n\n\r\n"])
def test_line_ends_of_any_kind_and_a_last_line_without_one_change_nothing(tmp_path: Path, end: bytes):
    for name in TEXTS:
        data = FILES[name](ROWS, True).replace(b"\r\n", b"\n")
        data = data.rstrip(b"\n") if not end else data.replace(b"\n", end)
        (tmp_path / name).write_bytes(data)
        assert bb.Run.from_file(tmp_path / name).digest == DIGEST


def test_plain_text_is_mapped_and_all_other_text_is_not(file: Path):
    for data, mapped in (
        (TREC, True),
        (TREC[:-1], False),
        (codecs.BOM_UTF8 + TREC, False),
        (gzipped(TREC), False),
        (b"", False),
    ):
        file.write_bytes(data)
        text = Source(file).text()
        assert (text is not None) == mapped
        assert text is None or bytes(text) == data


def test_names_of_columns_may_be_quoted():
    assert header_names(b'"a","b ""c"", d",e\r\n') == ["a", 'b "c", d', "e"]
    assert header_names(b"a\tb,c\td\n") == ["a", "b,c", "d"]
    assert header_names(b"a\rb,c") == ["a\rb", "c"]


# What cannot be opened


def test_what_is_no_file_is_refused(tmp_path: Path):
    assert refusal(tmp_path / "absent") == " does not exist"
    assert refusal(tmp_path / "absent.zst") == " does not exist"
    (tmp_path / "folder.json").mkdir()
    assert refusal(tmp_path / "folder.json") == " is a folder without Parquet or Arrow in it; name the file in it"


def test_a_file_that_may_not_be_read_is_refused(monkeypatch: pytest.MonkeyPatch, file: Path):
    def denied(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    file.write_bytes(TREC)
    monkeypatch.setattr(Path, "open", denied)
    assert refusal(file) == " cannot be read: Permission denied"


def test_a_device_that_fails_while_it_is_read_is_refused(monkeypatch: pytest.MonkeyPatch, file: Path):
    class Failing(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise OSError(5, "Input/output error")

    file.write_bytes(TREC)
    monkeypatch.setattr(Path, "open", lambda *_: Failing())
    assert refusal(file) == " cannot be read: Input/output error"


@pytest.mark.parametrize(
    "name", ["", "x.json", "x.jsonl", "x.csv", "x.tsv", "x.parquet", "x.arrow", "x.gz", "x.csv.gz"]
)
@pytest.mark.parametrize("run", [True, False])
def test_an_empty_file_is_refused(tmp_path: Path, name: str, run: bool):
    path = tmp_path / (name or "x")
    path.write_bytes(b"")
    assert refusal(path, run) == " is empty, so every score would be 0"
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(b""))
        assert refusal(path, run) == " is empty, so every score would be 0"


@pytest.mark.parametrize(
    "name", ["lines.trec", "rows.jsonl", "object.json", "commas.csv", "columns.parquet", "columns.arrow"]
)
@pytest.mark.parametrize("suffix", [".gz", ".zst", ""])
def test_a_packed_file_that_is_cut_is_refused_wherever_the_cut_is(tmp_path: Path, name: str, suffix: str):
    rows = [(f"q{i // 7}", f"d{i * i % 1009}", i / 7) for i in range(500)]
    pack, kind = (zstandard, "zstd") if suffix == ".zst" else (gzip.compress, "gzip")
    whole = pack(FILES[name](rows, True))
    for size in (len(whole) - 1, len(whole) // 2, 19):
        path = tmp_path / f"{name if suffix else 'file'}{suffix}"
        path.write_bytes(whole[:size])
        assert refusal(path).startswith(f" is not a whole {kind} file: ")


@pytest.mark.parametrize("name", ["x.gz", "x.zst", "x.jsonl.gz", "x.parquet.zst"])
def test_what_is_not_packed_as_its_name_says_is_refused(tmp_path: Path, name: str):
    pytest.importorskip("backports.zstd")
    (tmp_path / name).write_bytes(TREC)
    assert " is not a whole " in refusal(tmp_path / name)


def test_zstd_files_name_their_extra_where_it_is_absent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    (tmp_path / "x.zst").write_bytes(b"\x28\xb5\x2f\xfd")
    (tmp_path / "x").write_bytes(b"\x28\xb5\x2f\xfd")
    for name in ("compression.zstd", "backports.zstd"):
        monkeypatch.setitem(sys.modules, name, None)
    assert refusal(tmp_path / "x.zst") == " needs the zstd extra: pip install '.[zstd]' in the checkout of benchbench"
    assert refusal(tmp_path / "x") == " needs the zstd extra: pip install '.[zstd]' in the checkout of benchbench"
    assert refusal(tmp_path / "y.zst") == " does not exist"


@pytest.mark.parametrize(
    ("name", "before", "line"),
    first_of(
        ("x", b"", 1),
        ("x.gz", b"", 1),
        ("x", b"# one\na Q0 x 1 2 t\n", 3),
        ("x.gz", b"# one\na Q0 x 1 2 t\n", 3),
        ("x.jsonl", b"", 1),
        ("x.jsonl.gz", LINES, 4),
        ("x.csv", b"query_id,doc_id,score,", 1),
        ("x.csv", b"query_id,doc_id,score\na,", 2),
        ("x.tsv.gz", b"query-id\tcorpus-id\tscore\na\t", 2),
        first=3,
    ),
)
def test_a_line_without_an_end_is_refused_before_it_fills_the_memory(
    tmp_path: Path, name: str, before: bytes, line: int
):
    data = before + LONG
    (tmp_path / name).write_bytes(gzip.compress(data, 1) if name.endswith("gz") else data)
    assert refusal(tmp_path / name).startswith(f", line {line}: longer than 16 MiB")


@pytest.mark.parametrize("name", TEXTS)
def test_utf_16_with_its_mark_is_read(tmp_path: Path, name: str):
    (tmp_path / name).write_bytes(FILES[name](ROWS, True).decode().encode("utf-16"))
    assert bb.Run.from_file(tmp_path / name).digest == DIGEST


def test_what_begins_as_utf_16_and_is_not_is_refused(file: Path):
    file.write_bytes(codecs.BOM_UTF16_LE + b"a\0b\0c")
    assert refusal(file) == " begins like UTF-16 but is not valid UTF-16; write it as UTF-8"


@pytest.mark.parametrize("name", ["x", "x.csv", "x.json", "x.jsonl"])
@pytest.mark.parametrize("encoding", ["utf-16-be", "utf-32-le"])
def test_text_of_two_or_four_bytes_a_character_without_a_mark_is_refused(tmp_path: Path, name: str, encoding: str):
    (tmp_path / name).write_bytes("query_id,doc_id,score\na,x,1\n".encode(encoding))
    assert refusal(tmp_path / name)


def test_a_file_that_is_named_as_standard_input_is_reached_by_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    Path("-").write_bytes(TREC)
    assert bb.Run.from_file("./-").digest == DIGEST


# What cannot be read is refused by every reader in one sentence, with its file, its place and the reason

READERS: dict[str, Callable[[Path], object]] = {
    "answers": lambda path: list(read_answers(path)),
    "assignments": lambda path: list(read_assigned(path)),
    "collection": read_collection,
    "config": read_config,
    "evaluation": read_evaluation_config,
    "export": read_export,
    "gold": read_gold,
    "ground truth": read_ground_truth,
    "ground truth that needs no truth": lambda path: read_ground_truth(path, Reading(needs_truth=False)),
    "nuggets": read_nuggets,
    "predictions": read_predictions,
    "qrels": bb.Qrels.from_file,
    "queries": read_query_table,
    "records": lambda path: list(records(path)),
    "run": bb.Run.from_file,
    "trace": read_trace,
}


REFUSED: dict[str, list[tuple[str, str | None, str]]] = defaultdict(list)


for line in Path(__file__).with_name("refused.jsonl").read_text(encoding="utf-8").splitlines():
    row = json.loads(line)
    REFUSED[row["reader"]].append((row["name"], row["content"], row["said"]))


def test_every_reader_has_rows():
    assert sorted(REFUSED) == sorted(READERS)


@pytest.mark.parametrize("reader", READERS)
def test_what_cannot_be_read_is_one_sentence_with_file_place_and_reason(tmp_path: Path, reader: str):
    def check(name: str, content: str | None, said: str) -> None:
        path = tmp_path / name
        if content is not None:
            path.write_bytes(content.encode(errors="surrogateescape"))
        with pytest.raises(InputError) as refused:
            READERS[reader](path)
        assert str(refused.value).startswith(f"{path}{said}")
        assert "\n" not in str(refused.value)

    check_rows(check, REFUSED[reader])
