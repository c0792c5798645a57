"""How wide a report is printed, and when in colours."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import compared
import copied_processes
import pytest
from command_line import said

from benchbench.report.render.lines import width


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    judged, good, _ = compared.write_files(tmp_path)
    return judged, good


def on_a_terminal(*arguments: object, columns: int = 100, **variables: str) -> str:
    """Return what a command prints on a terminal of so many columns."""
    import fcntl
    import struct
    import termios

    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    command = [sys.executable, "-m", "benchbench", *map(str, arguments)]
    environment = {**os.environ, "TERM": "xterm", **variables}
    with copied_processes.Popen(command, stdout=its, env=environment) as started:
        os.close(its)
        shown = b""
        while block := _read(ours):
            shown += block
        assert started.wait() == 0
    os.close(ours)
    return shown.decode().replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # its other end is closed
        return b""


@pytest.mark.slow  # five processes
def test_a_terminal_has_colours_and_no_color_takes_them_away(files):
    assert "\x1b[1m" in on_a_terminal("score", *files)
    assert "\x1b" not in on_a_terminal("score", *files, NO_COLOR="1")
    assert "\x1b" not in on_a_terminal("score", *files, TERM="dumb")
    assert "\x1b" not in on_a_terminal("score", *files, "--color", "never")
    assert "\x1b[1m" in on_a_terminal("score", *files, "--color", "always", NO_COLOR="1")


@pytest.mark.slow  # three processes
def test_a_report_is_as_wide_as_the_terminal(files):
    narrow = on_a_terminal("score", *files, "--color", "never", columns=44)
    assert 30 < max(map(width, narrow.splitlines())) <= 44
    assert on_a_terminal("score", *files, "--color", "never", columns=0) == said_at(80, files), "such as some CI has"


def said_at(columns: int, files: tuple[Path, Path]) -> str:
    environment = {**os.environ, "COLUMNS": str(columns)}
    command = [sys.executable, "-m", "benchbench", "score", *map(str, files)]
    return subprocess.run(command, env=environment, capture_output=True, check=True, encoding="utf-8").stdout


@pytest.mark.parametrize(
    ("options", "variables", "colours"),
    [
        ((), {}, False),
        (("--color", "always"), {}, True),
        (("--color", "always"), {"NO_COLOR": "1"}, True),
        ((), {"FORCE_COLOR": "1"}, True),
        ((), {"CLICOLOR_FORCE": "1"}, True),
        ((), {"CLICOLOR_FORCE": "0"}, False),
        ((), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ((), {"FORCE_COLOR": "1", "NO_COLOR": ""}, True),
        (("--color", "never"), {"FORCE_COLOR": "1"}, False),
    ],
)
def test_a_pipe_has_colours_only_where_that_is_asked_for(capsys, monkeypatch, files, options, variables, colours: bool):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    code, output, _ = said(capsys, "score", *files, *options)
    assert (code, "\x1b[" in output) == (0, colours)


@pytest.mark.parametrize("form", ["json", "jsonl", "csv", "markdown", "latex"])
def test_no_other_format_has_colours(capsys, files, form: str):
    plain = said(capsys, "score", *files, "--format", form, "--color", "never").output
    coloured = said(capsys, "score", *files, "--format", form, "--color", "always").output
    assert "\x1b" not in coloured
    assert len(coloured.splitlines()) == len(plain.splitlines())


@pytest.mark.parametrize(
    ("columns", "widest"), [("60", 60), ("", 80), ("no", 80), ("0", 80), ("-5", 80), ("3", 20)], ids=str
)
def test_columns_says_how_wide_and_80_is_where_nothing_does(capsys, monkeypatch, files, columns: str, widest: int):
    monkeypatch.setenv("COLUMNS", columns)
    notes = [line for line in said(capsys, "score", *files).output.splitlines() if line.startswith("            ")]
    assert all(width(line) <= widest for line in notes)


def test_wide_is_120_columns_or_those_of_a_wider_terminal(capsys, monkeypatch, tmp_path: Path):
    judged, good, poor = compared.write_files(tmp_path)
    for columns, hits in (("60", True), ("80", True), ("200", True)):
        monkeypatch.setenv("COLUMNS", columns)
        output = said(capsys, "compare", judged, good, poor, "--wide").output
        assert ("Queries that moved most" in output) is hits
    monkeypatch.setenv("COLUMNS", "80")
    assert "Queries that moved most" not in said(capsys, "compare", judged, good, poor).output


def test_another_colour_is_refused(capsys, files):
    code, output, errors = said(capsys, "score", *files, "--color", "red")
    assert (code, output) == (2, "")
    assert "--color 'red' is not one of auto, always, never" in errors


@pytest.mark.slow  # a process
def test_a_stream_of_ascii_gets_no_other_character(files):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "benchbench", "score", *map(str, files)]
    done = subprocess.run(command, env=environment, capture_output=True, check=True)
    assert done.stdout.isascii()
    assert b"\\u" not in done.stdout
