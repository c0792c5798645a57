"""The plan of the house, held by tests: floors, fences, public names, and a README that runs."""

import ast
import contextlib
import functools
import re
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import click
import documented
import pytest
from cases import check_each
from click.testing import CliRunner

import benchbench
from benchbench.cli.main import cli

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "benchbench"
FLOORS = (
    {"kernels", "errors", "signals", "processes", "caches"},
    {"tables"},
    {"results"},
    {"scores", "significance"},
    {"measures", "formats", "client", "answers", "retrieval"},
    {"tasks", "chat", "describe"},
    {"serve", "prepare", "profile", "loads", "runs", "answering", "judging"},
    {"stored", "scoring", "audit"},
    {"experiment", "load_test", "comparison", "index", "evaluation"},
    {"history"},
    {"report"},
    {"cli", "pytest_plugin"},
)
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
FENCES = {  # library -> where alone it may be imported
    "numba": {"kernels"},
    "click": {"cli"},
    "aiohttp": {"client/transport", "client/wire", "serve"},
    "xxhash": {"tables/hashing", "profile/clients"},
    "jmespath": {"client/jmespath_fields"},
    "bm25s": {"serve"},
    "hdrh": {"loads/latency"},
    "rich": {"cli"},
    "scipy": {"significance"},
    "tomllib": {"tables/text_files"},
    "jinja2": {"report/render"},
    "datasketch": {"audit/near_duplicates"},
    "jsonschema_rs": {"answers/judges"},
    "sqlite3": {"judging", "history/database", "history/opening"},
    "pytest": {"pytest_plugin"},
}
CEILINGS = {  # code lines of a room
    "report": 12_070, "history": 5_870, "answers": 5_300, "judging": 5_120, "formats": 4_780, "client": 4_000,
    "cli": 4_020, "kernels": 4_000, "significance": 3_050, "loads": 2_500, "comparison": 2_620, "audit": 2_600,
    "results": 2_030, "runs": 2_150, "evaluation": 1_600, "tables": 1_700, "measures": 1_550, "tasks": 1_450,
    "chat": 1_200, "profile": 950, "answering": 950, "describe": 900, "serve": 900, "prepare": 960,
}  # fmt: skip
ROOM_BELOW = 100  # lines by which a room may be smaller before its ceiling goes down
MODULES = [path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0] != "datasets"]


class Told(NamedTuple):
    """What the trees of a module say: kept in their place, hundreds of them keep the cycle collector busy."""

    imports: set[str]  # dotted names, wherever in it
    classes: list[str]  # public ones, at its top
    docstrings: set[int]  # their lines


@functools.cache
def told(path: Path) -> Told:
    nodes = list(statements(tree := ast.parse(path.read_text(encoding="utf-8"))))
    classes = [node.name for node in tree.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]
    return Told(_imported(path, nodes), classes, _docstring_lines([tree, *nodes]))


def imports(path: Path) -> set[str]:
    """Return the dotted names that a module imports, wherever in it."""
    return told(path).imports


def _imported(path: Path, nodes: list[ast.AST]) -> set[str]:
    names = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            module = node.module or ""
            names |= {f"{module}.{alias.name}" if _is_module(module, alias.name) else module for alias in node.names}
    return names


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all statements, whatever they stand in, and what some of them consist of."""
    left = [node]
    while left:
        node = left.pop()
        for name in ("body", "orelse", "handlers", "finalbody", "cases"):
            parts = getattr(node, name, ())
            left += parts
            yield from parts


def _docstring_lines(nodes: list[ast.AST]) -> set[int]:
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    parts = [node for node in nodes if isinstance(node, kinds)]
    found = [part.body[0] for part in parts if ast.get_docstring(part, clean=False) is not None]
    return {line for one in found for line in range(one.lineno, (one.end_lineno or one.lineno) + 1)}


@functools.cache
def _is_module(package: str, name: str) -> bool:
    return ROOT.joinpath(*package.split("."), f"{name}.py").is_file()


def place(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").as_posix()


def test_imports_go_down_and_never_between_rooms_of_one_floor():
    def check(path: Path) -> None:
        room = place(path).split("/")[0]
        if room not in FLOOR:
            assert room in {"__init__", "__main__"}, f"{path} is in no room of the plan"
            return
        for name in imports(path):
            other = name.split(".")[1] if name.startswith("benchbench.") else None
            if other is not None and other not in {room, "errors", "signals", "processes", "caches"}:
                assert FLOOR[other] < FLOOR[room], f"{path} imports {name}"

    check_each(check, MODULES)


def test_no_module_imports_another_that_imports_it():
    """Not even for a type, or within a function: of two that know each other, neither is read alone."""
    modules = {f"benchbench.{place(path).replace('/', '.')}": path for path in MODULES}
    order = TopologicalSorter({name: imports(path) & modules.keys() - {name} for name, path in modules.items()})
    order.prepare()  # raises CycleError, which names the circle


def test_no_public_class_has_the_name_of_another_on_its_floor():
    homes: defaultdict[tuple[int, str], list[str]] = defaultdict(list)
    for path in MODULES:
        room = place(path).split("/")[0]
        for name in told(path).classes:
            homes[FLOOR.get(room, -1), name].append(place(path))
    assert {name: places for (_, name), places in homes.items() if len(places) > 1} == {}


def test_no_file_name_stands_in_five_rooms():
    """A name that every room has says nothing in a list of open files."""
    names = Counter(path.name for path in MODULES if path.name != "__init__.py")
    assert {name: number for name, number in names.items() if number >= 5} == {}


def test_each_library_stays_in_its_room():
    def check(path: Path) -> None:
        for name in imports(path):
            allowed = FENCES.get(name.split(".")[0])
            assert allowed is None or any(place(path).startswith(room) for room in allowed), f"{path} imports {name}"

    check_each(check, MODULES)


def test_a_file_is_one_idea_of_at_most_400_lines():
    def check(path: Path) -> None:
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 400

    check_each(check, MODULES)


def code_lines(path: Path) -> int:
    """Return how many lines a module has without docstrings, comments and blank lines."""
    docstrings = told(path).docstrings
    lines = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    return sum(
        number not in docstrings and bool(line.strip()) and not line.lstrip().startswith("#") for number, line in lines
    )


def test_no_room_grows_unnoticed():
    """A ceiling goes down in the commit that removes lines, and up only in one that says what for."""
    lines: Counter[str] = Counter()
    for path in MODULES:
        lines[place(path).split("/")[0]] += code_lines(path)
    for room, ceiling in CEILINGS.items():
        assert ceiling - ROOM_BELOW < lines[room] <= ceiling, f"{room} has {lines[room]:,} code lines"
    assert {room for room in FLOOR if lines[room] > 800} <= CEILINGS.keys()


MEASURES = {"kernels", "client", "formats", "significance", "prepare", "serve"}  # rooms in which things are found out
SAYS = {
    *("kernels.arrays", "significance.drawing", "significance.letters", "significance.notes", "significance.outcome"),
    "significance.result",
}


def test_a_report_computes_nothing():
    """What is shown has been measured: of the rooms that measure, only types and words are used."""

    def check(path: Path) -> None:
        for name in imports(path):
            room, _, module = name.removeprefix("benchbench.").partition(".")
            assert not (name.startswith("benchbench.") and room in MEASURES) or f"{room}.{module}" in SAYS, name
            assert name not in {"scipy", "numba"}

    check_each(check, [path for path in MODULES if place(path).startswith("report/")])


def test_the_page_on_the_code_shows_the_floors():
    block = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").split("```")[1]
    shown: list[set[str]] = []
    for floor, room in re.findall(r"^([ 1]\d|  )  (\w+)(?:/|\.py) ", block, flags=re.MULTILINE):
        if floor.strip():
            shown.insert(0, set())
            assert int(floor) + len(shown) == len(FLOORS)
        shown[0].add(room)
    assert tuple(shown) == FLOORS


def test_no_page_and_no_message_advises_to_install_a_package_of_somebody_else():
    """`benchbench` on PyPI is not this one, so that extras are installed from the checkout, by names that it has."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] != "benchbench"
    assert list(project["scripts"]) == ["benchbench"]
    named = set()
    for path in (*MODULES, *ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/*.py")):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"benchbench\[|pip install '?benchbench", text), path
        named |= {extra for extras in re.findall(r"pip install '\.\[([\w,]+)\]", text) for extra in extras.split(",")}
    assert {"zstd", "ir_datasets"} <= named <= set(project["optional-dependencies"])


def test_public_names_are_sorted_and_there():
    assert benchbench.__all__ == sorted(benchbench.__all__)
    for name in benchbench.__all__:
        assert getattr(benchbench, name) is not None


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = benchbench.no_such_name


def test_help_imports_nothing_heavy():
    heavy = ("numpy", "numba", "polars", "aiohttp", "orjson", "rich")
    code = f"""
import sys
from benchbench.cli.main import main
try:
    main(["--help"])
except SystemExit:
    pass
print(*(name for name in {heavy} if name in sys.modules), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stderr.strip() == ""


def test_every_documented_command_parses():
    """Each option that the pages name exists, and takes the value that they show."""

    def check(command: list[str]) -> None:
        words, group = list(command), cli
        while words and hasattr(group, "commands") | hasattr(group, "list_commands"):
            found = group.get_command(None, words[0])  # type: ignore[arg-type]
            if found is None:
                break
            group, words = found, words[1:]
        if words == ["--help"]:
            assert CliRunner().invoke(group, words).exit_code == 0
        else:
            with contextlib.suppress(click.exceptions.Exit):  # an option that prints and ends
                group.make_context("documented", words)

    check_each(check, map(list, documented.commands()))


def test_every_test_that_the_docs_name_exists():
    named = {
        (name, match)
        for page in (ROOT / "docs").rglob("*.md")
        for name, match in re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", page.read_text(encoding="utf-8"))
    }
    assert len(named) > 10
    for file, function in named:
        assert f"def {function}(" in (ROOT / file).read_text(encoding="utf-8"), f"{file}::{function}"
