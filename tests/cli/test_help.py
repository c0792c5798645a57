"""The help of commands with many options: examples on top, headings, a line for each option."""

import shlex

import click
import embedded
import pytest
from command_line import COMMANDS, said
from golden_masks import RUN, masked

from benchbench.cli import help_text
from benchbench.cli.help import GUIDES
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


def printed(guide: str) -> list[tuple[str, str]]:
    """Return the commands of a guide, each with what stands below it."""
    parts = guide.partition("\nExit codes")[0].split("\n$ ")[1:]
    return [(command, output.strip("\n")) for command, _, output in (part.partition("\n") for part in parts)]


@pytest.mark.parametrize("path", sorted(GUIDES.glob("*.txt")), ids=lambda path: path.stem)
def test_a_guide_shows_what_its_commands_print(capsys, monkeypatch, tmp_path, path):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    embedded.in_this_process(monkeypatch)
    guide = path.read_text(encoding="utf-8")
    for command, output in printed(guide):
        made = said(capsys, *shlex.split(command)[1:])
        assert made.code == 0, made.errors
        assert masked(made.output.strip("\n") + "\n", RUN) == masked(f"{output}\n", RUN)
    help_of, _, shown = said(capsys, "help", path.stem).output.partition("\nGuide")
    assert help_of == said(capsys, path.stem, "--help").output
    assert f"Guide{shown}" == guide


def test_help_of_an_unknown_command_is_refused(capsys):
    assert said(capsys, "help", "history", "list").output == said(capsys, "history", "list", "--help").output
    code, _, errors = said(capsys, "help", "rnu")
    assert (code, "No such command 'rnu'" in errors) == (2, True)
