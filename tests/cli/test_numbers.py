"""Every option of every command that takes a number: what is none, or too large, is one sentence and exit code 2."""

from collections.abc import Iterator

import click
import pytest
from command_line import COMMANDS, said, sentence

NO_NUMBERS = ["nan", "inf", "-inf", "1e400", str(10**30), "-1", "", "１２", "1_0"]
TEXTS = {"text", "path", "choice", "boolean", "filename"}  # kinds of values that are no numbers


def number_options() -> list[tuple[str, str]]:
    """Return command and option of all whose type is no text, path, choice or flag."""
    found = []
    for name, command in COMMANDS.items():
        for one in command.params:
            if isinstance(one, click.Option) and not one.is_flag and one.type.name not in TEXTS:
                found.append((name, max(one.opts, key=len)))
    return found


def others(name: str, option: str) -> Iterator[str]:
    """Yield what a command wants besides an option; nothing of it is there."""
    for one in COMMANDS[name].params:
        if one.required and isinstance(one, click.Argument):
            yield from ["x"] * max(one.nargs, 1)
        elif one.required and option not in one.opts:
            yield from (one.opts[0], "http://127.0.0.1:9")


def test_the_walk_finds_the_options_that_there_are():
    found = number_options()
    assert len(found) > 50
    for name, option in (("run", "--cutoff"), ("load", "--rate"), ("load", "--duration"), ("index search", "--top-k")):
        assert (name, option) in found


@pytest.mark.parametrize("given", NO_NUMBERS)
@pytest.mark.parametrize(("name", "option"), number_options(), ids=" ".join)
def test_what_is_no_number_is_bad_usage(capsys, monkeypatch, tmp_path, name: str, option: str, given: str):
    monkeypatch.chdir(tmp_path)
    code, output, errors = said(capsys, *name.split(), option, given, *others(name, option))
    assert (code, output) == (2, "")
    assert option in sentence(errors)
    assert "unexpected" not in errors
    assert not list(tmp_path.iterdir())


def test_a_number_is_read_and_its_default_is_taken():
    context = COMMANDS["run"].make_context("run", ["--timeout", " 5 ", "-k", "7", "-k", "3"])
    assert (context.params["timeout"], context.params["cutoffs"]) == (5.0, (7, 3))
    assert context.params["concurrency"] == 8
