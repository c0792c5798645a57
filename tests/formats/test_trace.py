from pathlib import Path

import pytest

from benchbench.formats.trace import TraceRow, read_trace


def written(tmp_path: Path, text: str, name: str = "log.jsonl") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_times_are_seconds_or_iso_8601_and_queries_are_ids_or_texts(tmp_path):
    path = written(tmp_path, '{"timestamp": 1.5, "query_id": 7}\n\n{"ts": "2", "query": "theft"}\n3\n')
    assert read_trace(path) == [
        TraceRow(1, 1.5, "7", True),
        TraceRow(3, 2.0, "theft", False),
        TraceRow(4, 3.0, None, False),
    ]


def test_a_time_with_a_zone_is_the_moment_that_it_means(tmp_path):
    text = '{"time": "2026-01-31T13:00:00+01:00"}\n{"time": "2026-01-31T12:00:00.25Z"}\n'
    first, second = read_trace(written(tmp_path, text))
    assert second.seconds - first.seconds == 0.25


@pytest.mark.parametrize(("name", "separator"), [("log.csv", ","), ("log.tsv", "\t")])
def test_a_table_has_a_header_and_other_columns_are_passed_over(tmp_path, name, separator):
    lines = [["user", "timestamp", "id"], ["x", "2026-01-31T12:00:00", "001"], ["y", "2026-01-31 12:00:01", ""]]
    path = written(tmp_path, "\ufeff" + "\r\n".join(separator.join(line) for line in lines), name)
    first, second = read_trace(path)
    assert (first.line, first.query, first.by_id) == (2, "001", True)
    assert (second.line, second.query, second.seconds - first.seconds) == (3, None, 1.0)
