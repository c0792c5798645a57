"""What cannot be read is refused by every reader in one sentence, with its file, its place and the reason.

A row of `refused.jsonl` names the reader and the file, and has its content and how the sentence goes on behind the path
of the file; without a content there is no file. Bytes that are no UTF-8 stand in it as `surrogateescape` has them.
"""

import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
from cases import check_rows

import benchbench as bb
from benchbench.errors import InputError
from benchbench.formats.answers_config import read_config
from benchbench.formats.collection import read_collection
from benchbench.formats.evaluation_config import read_evaluation_config
from benchbench.formats.exports import read_export
from benchbench.formats.ground_truth import Reading, read_answers, read_ground_truth
from benchbench.formats.legalbench_rag import read_gold, read_predictions
from benchbench.formats.nuggets import read_assigned, read_nuggets
from benchbench.formats.query_table import read_queries
from benchbench.formats.records import records
from benchbench.formats.trace import read_trace

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
    "queries": read_queries,
    "records": lambda path: list(records(path)),
    "run": bb.Run.from_file,
    "trace": read_trace,
}
ROWS: dict[str, list[tuple[str, str | None, str]]] = defaultdict(list)
for line in Path(__file__).with_name("refused.jsonl").read_text(encoding="utf-8").splitlines():
    row = json.loads(line)
    ROWS[row["reader"]].append((row["name"], row["content"], row["said"]))


def test_every_reader_has_rows():
    assert sorted(ROWS) == sorted(READERS)


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

    check_rows(check, ROWS[reader])
