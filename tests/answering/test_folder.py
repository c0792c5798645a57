"""What the folder of an evaluation of answers keeps, and says, when the disk is full."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchbench.answering.answers_folder import AnswersFolder
from benchbench.errors import InputError
from benchbench.tables.questions import Answer, Question

LARGEST = 1 << 20


@contextmanager
def small_disk() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def stored(folder: AnswersFolder, line: bytes) -> None:
    """Store an answer, fill the disk to its last byte, and store a line more."""
    with folder:
        folder.append(0, Answer(Question("What is it?", "A rule."), "A rule."), [])
        folder.write(b" " * (LARGEST - (folder.partial / "eval_results.jsonl").stat().st_size))
        folder.write(line)


def test_a_disk_that_fills_up_is_named_with_where_the_answers_are_that_had_come(tmp_path: Path):
    with small_disk(), pytest.raises(InputError) as ended:
        stored(AnswersFolder(tmp_path / "out", []), b"no room\n")
    partial = tmp_path / "out.partial"
    assert str(ended.value) == f"cannot write {partial}: File too large; name another place with --out"
    assert ended.value.__notes__ == [f"the answer that had come is in {partial}"]
    assert (partial / "eval_results.jsonl").read_bytes().startswith(b'{"')
