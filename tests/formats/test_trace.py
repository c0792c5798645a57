from pathlib import Path

import pytest

from benchbench.errors import InputError
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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '{"timestamp": "soon"}\n',
            "line 1: 'soon' is no time; give seconds, or ISO 8601 as in 2026-01-31T12:00:00.5Z",
        ),
        ('{"timestamp": 1}\n{"at": 2}\n', "line 2: no time (timestamp, @timestamp, time or ts)"),
        ('{"timestamp": true}\n', "line 1: True is no time; give seconds, or ISO 8601"),
        ('{"timestamp": "nan"}\n', "line 1: nan is no time"),
        ('{"timestamp": 1700000000000000}\n', "line 1: 1.7e+15 is too many seconds; times are in seconds"),
        (
            '{"timestamp": 1}\n{"timestamp": "2026-01-31T12:00Z"}\n',
            "line 2: its time is a time with a zone, and that of",
        ),
        ('{"timestamp": 1}\n{"timestamp": \n', "line 2: "),
        ("\n", "has no request"),
        ("", "is empty"),
    ],
)
def test_what_is_no_trace_is_said_in_a_sentence_with_file_and_line(tmp_path, text, said):
    path = written(tmp_path, text)
    with pytest.raises(InputError) as problem:
        read_trace(path)
    assert str(problem.value).startswith(str(path))
    assert said in str(problem.value)
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "is empty"), ("user,id\nx,1\n", "line 1: no column of times"), ("ts\n1\nx\n", "line 3: 'x' is no time")],
)
def test_what_is_no_table_of_times_too(tmp_path, text, said):
    with pytest.raises(InputError, match=said):
        read_trace(written(tmp_path, text, "log.csv"))


def test_a_table_in_another_encoding_is_refused(tmp_path):
    path = tmp_path / "log.csv"
    path.write_bytes(b"ts,query\n1," + "窃盗".encode("gb18030"))
    with pytest.raises(InputError, match="is not in UTF-8"):
        read_trace(path)
