"""The help of commands with many options: examples on top, headings, a line for each option."""

import shlex

import click
import pytest
from command_line import COMMANDS, said

from benchbench.cli import help_text
from benchbench.cli.main import cli
from benchbench.results.settings import SECTIONS

LONG = [name for name, command in COMMANDS.items() if len(help_text.shown(command, click.Context(command))) > 12]


@pytest.mark.parametrize("name", LONG)
def test_options_have_a_line_each_under_headings(capsys, monkeypatch, name: str):
    monkeypatch.setenv("COLUMNS", "80")
    lines = said(capsys, *name.split(), "--help").output.splitlines()
    headings = [line for line in lines if line in SECTIONS]
    assert headings == [section for section in SECTIONS if section in headings]
    assert len(headings) > 1
    options = lines[lines.index(headings[0]) :]
    assert max(map(len, options)) <= 80
    command = COMMANDS[name]
    listed = [line for line in options if line.startswith("  -")]
    assert len(listed) == len(help_text.shown(command, click.Context(command)))
    assert [line for line in options if line and line not in headings and not line.startswith("  -")] == []


@pytest.mark.parametrize("name", LONG)
def test_three_examples_stand_on_top_and_can_be_typed(name: str):
    _, examples = help_text.split(COMMANDS[name].help or "")
    assert len(examples) == 3
    for line, what in examples:
        words = shlex.split(line)
        assert words[: 1 + len(name.split())] == ["benchbench", *name.split()]
        assert what
        command: click.Command = cli
        rest = words[1:]
        while isinstance(command, click.Group):
            command, rest = command.get_command(click.Context(command), rest[0]), rest[1:]  # type: ignore[assignment]
        command.make_context(name, rest)
