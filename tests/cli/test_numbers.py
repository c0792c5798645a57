"""Every option of every command that takes a number: what is none, or too large, is one sentence and exit code 2."""

from collections.abc import Iterator

import click
from cases import check_rows
from command_line import COMMANDS, said, sentence

from benchbench.cli.numbers import Number, Time
from benchbench.cli.options import _TaskName
from benchbench.results.ranges import Range

NO_NUMBERS = ["nan", "inf", "-inf", "1e400", str(10**30), "-1", "", "１２", "1_0"]
TEXTS = {"text", "path", "choice", "boolean", "filename"}  # kinds of values that are no numbers


def number_options() -> list[tuple[str, str, click.Option]]:
    """Return command and option of all whose type is no text, path, choice or flag."""
    found = []
    for name, command in COMMANDS.items():
        for one in command.params:
            if isinstance(one, click.Option) and not one.is_flag and one.nargs == 1 and one.type.name not in TEXTS:
                found.append((name, max(one.opts, key=len), one))
    return found


def kind(option: click.Option) -> Range | type:
    """Return what decides how an option reads a text: the range, where it has one."""
    return getattr(option.type, "allowed", type(option.type))


def others(name: str, option: str) -> Iterator[str]:
    """Yield what a command wants besides an option; nothing of it is there."""
    for one in COMMANDS[name].params:
        if one.required and isinstance(one, click.Argument):
            yield from ["x"] * max(one.nargs, 1)
        elif one.required and option not in one.opts:
            yield from (one.opts[0], "http://127.0.0.1:9")


def test_the_walk_finds_the_options_that_there_are():
    found = [(name, option) for name, option, _ in number_options()]
    assert len(found) > 50
    for name, option in (("run", "--cutoff"), ("load", "--rate"), ("load", "--duration"), ("index search", "--top-k")):
        assert (name, option) in found


def test_what_is_no_number_is_bad_usage(capsys, monkeypatch, tmp_path):
    """Every option once; each kind of number, and each range of one, with all that is none."""
    monkeypatch.chdir(tmp_path)

    def check(name: str, option: str, given: str) -> None:
        code, output, errors = said(capsys, *name.split(), option, given, *others(name, option))
        assert (code, output) == (2, "")
        assert option in sentence(errors)
        assert "unexpected" not in errors
        assert not list(tmp_path.iterdir())

    options = number_options()
    kinds = {kind(one): (name, option) for name, option, one in options}
    rows = [(*named, given) for named in kinds.values() for given in NO_NUMBERS]
    check_rows(check, rows + [(name, option, "1_0") for name, option, _ in options])


def test_whatever_is_no_word_is_a_number_of_a_range_or_a_time():
    """So that none is refused in words of its own, or not at all."""

    def check(name: str, option: str, one: click.Option) -> None:
        assert isinstance(one.type, Number | Time | _TaskName)
        assert isinstance(kind(one), Range | type)

    check_rows(check, number_options())


def test_a_number_is_read_and_its_default_is_taken():
    context = COMMANDS["run"].make_context("run", ["--timeout", " 5 ", "-k", "7", "-k", "3"])
    assert (context.params["timeout"], context.params["cutoffs"]) == (5.0, (7, 3))
    assert context.params["concurrency"] == 8
