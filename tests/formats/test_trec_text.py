"""Runs and qrels from text: what is read, and what is refused with file, line and reason."""

import contextlib
import gzip
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.errors import InputError
from benchbench.formats import trec_text
from benchbench.formats.qrels_runs import Qrels, Run, scan_qrels, scan_run
from benchbench.tables.qrels_runs import Rankings
from benchbench.tables.rows import Rows

RUN = "a Q0 x 1 2.5 tag\na Q0 y 2 1.5 tag\nb Q0 x 1 7 tag\n"
HITS = {"a": {"x": 2.5, "y": 1.5}, "b": {"x": 7.0}}
QRELS = "a 0 x 1\na 0 y 0\nb 0 x 2\n"
JUDGMENTS = {"a": {"x": 1, "y": 0}, "b": {"x": 2}}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "lines.txt"


def same(one: Any, other: Any) -> bool:
    columns = ("query", "offsets", "document")
    mine, theirs = getattr(one, "rankings", one), getattr(other, "rankings", other)
    return one.digest == other.digest and all(
        np.array_equal(getattr(mine, name), getattr(theirs, name)) for name in columns
    )


@pytest.mark.parametrize(
    "text",
    [
        RUN,
        RUN.rstrip("\n"),
        RUN.replace("\n", "\r\n"),
        RUN.replace(" ", "\t"),
        RUN.replace(" ", "  \t"),
        "# a comment\n" + RUN + "#the end",
        RUN.replace("\n", "\n\n  \n"),
        RUN.replace(" tag", ""),
        RUN.replace("tag", "tag and more behind it"),
        RUN.replace("a Q0", " a Q0"),
        "a Q0 y 1 1.5 t\na Q0 x 2 2.5 t\nb Q0 x 9 7 t\n",  # the rank is ignored, and the score decides
        "a Q0 x 1 2.5 t\nb Q0 x 1 7 t\na Q0 y 2 1.5 t\n",  # not grouped by query
    ],
)
def test_a_run_is_read_with_any_white_space_comments_and_order(file: Path, text: str):
    file.write_bytes(text.encode())
    assert same(Run.from_file(file), Run.from_dict(HITS))
    assert same(Run.from_file(str(file)), Run.from_dict(HITS))


def test_qrels_are_read_and_a_hash_sign_within_an_id_is_no_comment(file: Path):
    file.write_text(QRELS.replace("x", "x#1"))
    ours = Qrels.from_file(file)
    assert same(ours, Qrels.from_dict({"a": {"x#1": 1, "y": 0}, "b": {"x#1": 2}}))
    assert ours.ids == ["a", "b"]


def test_gzip_and_json_are_told_by_name_and_content(tmp_path: Path):
    (tmp_path / "run.gz").write_bytes(gzip.compress(RUN.encode()))
    (tmp_path / "run.json").write_bytes(orjson.dumps(HITS))
    (tmp_path / "qrels.json").write_bytes(orjson.dumps(JUDGMENTS))
    assert same(Run.from_file(tmp_path / "run.gz"), Run.from_dict(HITS))
    assert same(Run.from_file(tmp_path / "run.json"), Run.from_dict(HITS))
    assert same(Qrels.from_file(tmp_path / "qrels.json"), Qrels.from_dict(JUDGMENTS))


ids = st.text("ab#é法", min_size=1, max_size=3).filter(lambda text: not text.startswith("#"))


@given(st.lists(st.tuples(ids, ids, st.floats(allow_nan=False)), min_size=1, max_size=60), st.integers(1, 80))
def test_parts_of_any_size_give_what_the_dictionary_gives(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, float]], size: int
):
    hits: dict[str, dict[str, float]] = {}
    for query, document, score in rows:
        hits.setdefault(query, {}).setdefault(document, score)
    path = tmp_path_factory.getbasetemp() / "parts.run"
    lines = [f"{q} Q0 {d} 1 {s!r} t\n" for q, found in hits.items() for d, s in found.items()]
    path.write_bytes("".join(lines).encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trec_text, "PART", size)
        assert same(Run.from_file(path), Run.from_dict(hits))


def test_a_repeated_document_is_dropped_and_counted_or_an_error_when_strict(file: Path):
    file.write_text(RUN + "b Q0 x 2 3 tag\n")
    assert same(Run.from_file(file), Run.from_dict(HITS))
    assert Run.from_file(file).rankings.duplicates == 1
    with pytest.raises(InputError, match="has document x twice for query b"):
        Run.from_file(file, strict=True)


def test_a_judgment_given_twice_is_dropped_and_a_contradiction_is_an_error(file: Path):
    file.write_text(QRELS + "a 0 x 1\n")
    assert Qrels.from_file(file).duplicates == 1
    file.write_text(QRELS + "a 0 x 3\n")
    with pytest.raises(InputError, match="judges document x of query a twice, with different grades"):
        Qrels.from_file(file)


def test_a_line_of_megabytes_is_named_as_any_bad_line(file: Path):
    file.write_text(f"# first\n{RUN}{'a' * 5_000_000}\n")
    with pytest.raises(InputError, match="line 5: 1 fields instead of 6"):
        Run.from_file(file)


def test_what_is_no_file_of_lines_is_refused(tmp_path: Path):
    (tmp_path / "empty").touch()
    (tmp_path / "comments").write_text("# nothing\n")
    (tmp_path / "cut.gz").write_bytes(gzip.compress(RUN.encode() * 1000)[:-20])
    (tmp_path / "no.gz").write_bytes(b"not gzip")
    (tmp_path / "list.json").write_bytes(b'{"a": [1]}')
    (tmp_path / "bad.json").write_bytes(b'{"a": {"x": 1}\n')
    reasons = {
        "empty": "is empty",
        "comments": "has no hit",
        "cut.gz": "is not a whole gzip file",
        "no.gz": "is not a whole gzip file",
        "list.json": "is not a JSON object of objects",
        "bad.json": "not JSON",
        "absent": "does not exist",
        ".": "is a folder",
    }
    for name, reason in reasons.items():
        with pytest.raises(InputError, match=reason):
            Run.from_file(tmp_path / name)


@given(st.binary(max_size=200) | st.text('aQ0 19.e-\n\r\t#\0{}":', max_size=80).map(str.encode))
def test_no_bytes_crash_a_reader(tmp_path_factory: pytest.TempPathFactory, data: bytes):
    path = tmp_path_factory.getbasetemp() / "bytes.run"
    path.write_bytes(data)
    for read in (Run.from_file, Qrels.from_file):
        with contextlib.suppress(InputError):
            read(path)


# Memory that is used again

OWN = {"text", "offsets", "tied", "fingerprint", "duplicates", "rising", "close"}  # no part of what is parsed into


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["mapped", "streamed"])
def test_no_column_of_a_part_is_kept_unnoticed_and_none_is_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes]
):
    monkeypatch.setattr(trec_text, "PART", 6)
    run, qrels = tmp_path / "run", tmp_path / "qrels"
    run.write_bytes(pack(RUN.encode()))
    qrels.write_bytes(pack(QRELS.encode()))
    tables = [
        (scan_qrels(qrels), Rows, OWN),
        (scan_run(run).parts, Rows, OWN | {"subtopic"}),
        (scan_run(run).shards, Rankings, OWN),
    ]
    for parts, table, own in tables:
        for column in table.__struct_fields__:
            first, second = parts()
            wanted = getattr(first.kept(), column)
            told = pytest.warns(ResourceWarning, match=r"^borrowed memory was kept; ")
            with contextlib.nullcontext() if column in own else told:
                kept = first.use(attrgetter(column))
            second.kept()
            assert np.array_equal(kept, wanted)


@pytest.mark.parametrize("score", ["1e400", "-1e309", "9" * 400, "1.8e308"])
def test_a_finite_score_that_overflows_is_an_error_with_its_line(tmp_path: Path, score: str) -> None:
    (tmp_path / "r").write_text(f"q Q0 a 1 inf x\nq Q0 b 2 {score} x\n")
    (tmp_path / "r.tsv").write_text(f"query_id\tdoc_id\tscore\nq\ta\tinf\nq\tb\t{score}\n")
    for name, line in (("r", 2), ("r.tsv", 3)):
        with pytest.raises(InputError, match=f"line {line}: the score .* is too large for a 64-bit float"):
            Run.from_file(tmp_path / name)


def test_infinite_scores_that_are_written_so_stay_allowed(tmp_path: Path) -> None:
    (tmp_path / "r").write_text("q Q0 a 1 inf x\nq Q0 b 2 -Infinity x\nq Q0 c 3 1.7976931348623157e308 x\n")
    assert len(Run.from_file(tmp_path / "r")) == 1
