"""A make of data set is a reader and a line of one list, where every command finds it; no other list names makes."""

import ast
import shutil
from pathlib import Path

import orjson
import pytest
from package_copy import PROJECT, copied, put_before, ran

from benchbench.formats.datasets.locate import make_of
from benchbench.formats.datasets.makes import MAKES

LIST = Path("formats", "datasets", "makes.py")
OF_MAKES = {*MAKES} - {"trec", "parquet"}  # these are kinds of files as well


def named(node: ast.AST) -> set[str]:
    """Return the makes that a literal names."""
    if isinstance(node, ast.Dict):
        node = ast.List(node.keys)
    if not isinstance(node, ast.List | ast.Tuple | ast.Set):
        return set()
    return OF_MAKES & {one.value for one in node.elts if isinstance(one, ast.Constant) and isinstance(one.value, str)}


def test_there_is_one_list_of_makes():
    package = PROJECT / "benchbench"
    found = {
        path.relative_to(package)
        for path in package.rglob("*.py")
        if any(len(named(node)) > 1 for node in ast.walk(ast.parse(path.read_bytes())))
    }
    assert found == {LIST}


@pytest.mark.parametrize("name", MAKES)
def test_a_make_is_called_what_the_list_calls_it(name: str):
    assert make_of(name).name == name


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Add a make to a copy of the package, and a data set of it."""
    project = copied(tmp_path_factory.mktemp("project"), "benchbench", "datasets")
    put_before(project / "benchbench" / LIST, [('    "trec": "trec",\n', '    "pairs": "added_make",\n')])
    shutil.copy(PROJECT / "tests" / "added_make.py", project / "benchbench" / LIST.with_name("added_make.py"))
    (project / "trees").mkdir()
    rows = [f"q{n}\t{word} tree\td{n}\ta tree that is called {word}" for n, word in enumerate(("oak", "elm", "fir"))]
    (project / "trees" / "pairs.txt").write_text("\n".join(rows), encoding="utf-8")
    return project


@pytest.mark.slow  # processes
def test_it_is_in_the_lists_of_makes(project: Path):
    unknown = ran(project, "-m", "benchbench", "run", "--dataset-format", "other").stderr
    assert ", pairs, " in unknown
    listed = ran(project, "-m", "benchbench", "datasets").stdout
    assert "pairs           a file pairs.txt of questions, each with its document\n" in listed
    (project / "empty").mkdir()
    refused = ran(project, "-m", "benchbench", "run", "--dataset", "empty").stderr
    assert "pairs (a file pairs.txt of questions, each with its document)" in refused


@pytest.mark.slow  # processes
@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("run", ()),
        ("load", ("--concurrency", 1, "--duration", 0.2, "--warm-up", 0, "--batch-size", 1)),
        ("audit", ()),
    ],
)
def test_data_of_it_are_found_measured_loaded_and_audited(project: Path, command: str, options: tuple[object, ...]):
    out = project / command
    done = ran(project, "-m", "benchbench", command, "--dataset", "trees", *options, "--out", out, "-q")
    assert done.returncode == 0, done.stderr
    record = orjson.loads((out / "record.json").read_bytes())
    assert (record["data"]["make"], record["data"]["queries"]) == ("pairs", 3)


@pytest.mark.slow  # a process
def test_it_is_said_what_data_of_it_are(project: Path):
    (found,) = orjson.loads(ran(project, "-m", "benchbench", "datasets", "trees", "--format", "json").stdout)
    assert (found["make"], found["queries"], found["judgments"], found["documents"]) == ("pairs", 3, 3, 3)
