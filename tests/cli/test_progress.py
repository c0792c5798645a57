import contextlib
import os
import pty
from collections.abc import Callable

import pytest

from benchbench.cli import progress


def line(quiet: bool) -> None:
    with progress.line(quiet) as show:
        show("Asked 1 of 3")
        show("Asked 2 of 3")


def queries(quiet: bool) -> None:
    with progress.queries(quiet) as show:
        show(0, 3)
        show(3, 3)


def on_a_terminal(work: Callable[[], None]) -> str:
    """Return what a terminal gets on standard error."""
    master, slave = pty.openpty()
    with os.fdopen(slave, "w", encoding="utf-8") as terminal, contextlib.redirect_stderr(terminal):
        work()
    said = b""
    with os.fdopen(master, "rb", buffering=0) as screen, contextlib.suppress(OSError):  # its other end is closed
        while part := os.read(screen.fileno(), 1 << 16):
            said += part
    return said.decode()


def test_a_line_is_written_over_and_gone_at_the_end():
    erase = "\r\x1b[K"
    assert on_a_terminal(lambda: line(False)) == f"{erase}Asked 1 of 3{erase}Asked 2 of 3{erase}"


def test_queries_are_a_bar_that_is_gone_at_the_end(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TERM", "xterm")
    said = on_a_terminal(lambda: queries(False))
    assert "Searching" in said
    assert "3/3" in said
    assert said.endswith("\x1b[2K")


@pytest.mark.parametrize("work", [line, queries])
def test_who_wants_it_quiet_or_is_no_terminal_sees_nothing(capsys, work: Callable[[bool], None]):
    work(False)
    assert capsys.readouterr().err == ""
    assert on_a_terminal(lambda: work(True)) == ""
