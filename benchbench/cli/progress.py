"""What is shown while a command works: on a terminal only, on standard error, and gone at the end."""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

import click

_ERASE = "\r\x1b[K"  # back to the line's beginning, and clear it


def wanted(quiet: bool) -> bool:
    """Say whether somebody is looking."""
    return not quiet and sys.stderr.isatty()


@contextlib.contextmanager
def line(quiet: bool) -> Iterator[Callable[[str], None]]:
    """Show one line that is written over; without rich, whose memory would count as that of what is measured."""
    if not wanted(quiet):
        yield lambda text: None
        return
    try:
        yield lambda text: click.echo(f"{_ERASE}{text}", nl=False, err=True)
    finally:
        click.echo(_ERASE, nl=False, err=True)


@contextlib.contextmanager
def queries(quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """Show a bar with rate and time left; what is yielded takes queries done and queries in all."""
    if not wanted(quiet):
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("queries, {task.fields[rate]}/s,"),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Starting", total=None, rate="-")
        started = time.perf_counter()

        def show(done: int, total: int) -> None:
            nonlocal started
            if done == 0:
                started = time.perf_counter()
            rate = done / (time.perf_counter() - started) if done else 0.0
            bar.update(task, description="Searching", completed=done, total=total, rate=f"{rate:,.0f}")

        yield show
