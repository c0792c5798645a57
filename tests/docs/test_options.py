"""Every option that a page of the documentation names is one that the command it stands with has."""

import re
import shlex
from collections.abc import Iterator

import click
import documented
import pytest
from docs.test_reproduce import SCRIPTS, options

from benchbench.cli.main import cli

OTHERS = {  # options of other programs, and the pages that name them
    "--data-urlencode": {"docs/my-api.md"},  # of curl, as are the next two
    "--json": {"docs/my-api.md", "docs/start/search-engineer.md"},
    "--netrc": {"docs/my-api.md"},
    "--path": {"docs/adapters.md"},  # of chroma
    "--junitxml": {"docs/ci.md"},  # of pytest
    "--deep": {"README.md"},  # of scripts/test, as is the next
    "--slow": {"README.md"},
    "--action": {"docs/uk-framework.md"},  # of the scripts that the page replaces
}
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]+")
_INLINE = re.compile(r"`(benchbench [^`]+)`")


def commands(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], set[str]]]:
    """Yield each command's words and options."""
    params = (one for one in command.params if isinstance(one, click.Option))
    yield path, {"--help", *(name for one in params for name in (*one.opts, *one.secondary_opts))}
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            if (found := command.get_command(context, name)) is not None:
                yield from commands(found, (*path, name))


KNOWN = dict(commands(cli))


def unknown(words: list[str]) -> set[str]:
    """Return the long options of a command line, without `benchbench`, that its command does not have."""
    words = words[: words.index("--")] if "--" in words else words
    path = max((path for path in KNOWN if tuple(words[: len(path)]) == path), key=len)
    return {found[0] for word in words if (found := _OPTION.match(word))} - KNOWN[path]


def test_an_option_that_a_command_does_not_have_is_seen() -> None:
    assert unknown(["history", "check", "--store", "h.db", "--batch-size=3", "--", "--else"]) == {"--batch-size"}


def test_each_command_within_a_sentence_has_the_options_that_it_is_given() -> None:
    for page in documented.PAGES:
        for line in _INLINE.findall(" ".join(page.read_text(encoding="utf-8").split())):
            assert not unknown(shlex.split(line, posix=False)[1:]), f"{page}: {line}"


def test_each_option_that_a_page_names_is_one_of_a_command_or_of_a_program_that_the_page_is_about(
    pytestconfig: pytest.Config,
) -> None:
    ours = set().union(*KNOWN.values())
    scripts = set().union(*(options(path.read_text(encoding="utf-8")) for path in SCRIPTS.glob("*.py")))
    tests = {name for group in pytestconfig._parser._groups for one in group.options for name in one.names()}
    for page in documented.PAGES:
        name = documented.name(page)
        named = set(_OPTION.findall(page.read_text(encoding="utf-8")))
        theirs = {option for option, pages in OTHERS.items() if name in pages}
        more = {option for option in tests if option.startswith("--benchbench-")} if name == "docs/ci.md" else set()
        if name in ("docs/reproduce.md", "docs/protocol.md"):
            more |= scripts | {"--bodies"}  # the latter of scripts/fuzz_answers
        assert named - ours - theirs - more == set(), name
