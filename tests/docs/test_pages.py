"""Pages of the documentation: their links, and the options and scripts that they name."""

import ast
import re
import shlex
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import click
import documented
import pytest
from cases import check_each

from benchbench.cli.main import cli
from benchbench.significance.run_gate import GateSettings, units_needed

FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


def text(page: Path) -> str:
    return FENCED.sub("", page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", text(page), re.MULTILINE)
    kept = (
        "".join(one for one in said.lower() if one in " -_" or unicodedata.category(one)[0] in "LN")
        for said in headings
    )
    return {one.strip().replace(" ", "-") for one in kept}


def test_each_link_of_a_page_leads_to_a_file_and_a_heading_that_are_there():
    def check(page: Path) -> None:
        for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text(page))):
            if re.match(r"https?:", link):
                continue
            path, _, anchor = link.partition("#")
            target = page.parent / path if path else page
            assert target.exists(), f"{page}: {link}"
            assert not anchor or anchor in anchors(target), f"{page}: {link}"

    check_each(check, documented.PAGES)


def test_every_page_of_docs_is_reached_from_the_way_in() -> None:
    start = documented.ROOT / "docs" / "index.md"
    reached, ahead = set(), [start]
    while ahead:
        page = ahead.pop()
        if page not in reached:
            reached.add(page)
            links = re.findall(r"\]\(([^)\s#:]+\.md)", text(page))
            ahead += [(page.parent / one).resolve() for one in links]
    assert {page for page in documented.PAGES if page.is_relative_to(start.parent)} <= reached


# docs/reproduce.md has a command for each script that measures a figure, with options that the script has

PAGE = documented.ROOT / "docs" / "reproduce.md"


SCRIPTS = documented.ROOT / "benchmarks"


COMMANDS = [line.split() for block in documented.blocks(PAGE) for line in documented.lines(block)]


MEASURING = [words[1:] for words in COMMANDS if words[0] == "python"]


HELPERS = {"law_service.py", "machine.py", "nginx.py"}  # which others import or start


def options(script: str) -> set[str]:
    """Return the options that a script adds to its parser."""
    calls = (one for one in ast.walk(ast.parse(script)) if isinstance(one, ast.Call))
    adding = (one for one in calls if isinstance(one.func, ast.Attribute) and one.func.attr == "add_argument")
    return {one.value for call in adding for one in call.args if isinstance(one, ast.Constant)}


def test_each_command_names_a_script_and_options_that_it_has() -> None:
    for path, *words in MEASURING:
        script = (documented.ROOT / path).read_text(encoding="utf-8")
        assert {word for word in words if word.startswith("-")} <= options(script), path


def test_each_script_that_measures_has_its_command() -> None:
    named = {path.removeprefix("benchmarks/") for path, *_ in MEASURING}
    assert named == {path.name for path in SCRIPTS.glob("*.py")} - HELPERS


# docs/history-gates.md has the smallest fall that a check can find, by the number of questions


def test_the_smallest_falls_are_those_of_the_check() -> None:
    page = text(documented.ROOT / "docs" / "history-gates.md")
    rows = re.findall(r"^\| (\d+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", page, re.MULTILINE)
    cases = [GateSettings(planned=planned, tests=tests) for tests in ("queries", "both") for planned in (60, 10)]
    needed = [units_needed(case.level(1)) for case in cases]
    assert f"That is {needed[0]}, {needed[1]}, {needed[2]} and {needed[3]} questions" in page
    assert len(rows) == 4
    for questions, *falls in rows:
        assert falls == [f"{units / int(questions):.3f}" for units in needed]


def test_each_figure_that_the_results_page_names_is_one_of_a_page() -> None:
    section = text(documented.ROOT / "docs" / "results.md").partition("## Figures")[2].partition("\n## ")[0]
    cells = [row.split("|")[2] for row in section.splitlines() if row.startswith("| ") and row.count("|") == 3]
    named = {name for cell in cells for name in re.findall(r"`([a-z][a-z-]+)`", cell)}
    layouts = documented.ROOT / "benchbench" / "report" / "layouts"
    drawn = "".join(path.read_text(encoding="utf-8") for path in layouts.glob("*.py")).lower().replace(" ", "-")
    assert len(named) > 10
    assert {name for name in named if f'"{name}"' not in drawn} == set()


# Every option that a page of the documentation names is one that the command it stands with has

OTHERS = {  # options of other programs, and the pages that name them
    "--data-urlencode": {"docs/my-api.md"},  # of curl, as are the next two
    "--json": {"README.md", "docs/my-api.md", "docs/start/search-engineer.md"},
    "--netrc": {"docs/my-api.md"},
    "--path": {"docs/adapters.md"},  # of chroma
    "--junitxml": {"docs/ci.md"},  # of pytest
    "--deep": {"CONTRIBUTING.md"},  # of scripts/test, as is the next
    "--slow": {"CONTRIBUTING.md"},
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
        if name in ("docs/reproduce.md", "docs/reference/client.md"):
            more |= scripts | {"--bodies"}  # the latter of scripts/fuzz_answers
        assert named - ours - theirs - more == set(), name
