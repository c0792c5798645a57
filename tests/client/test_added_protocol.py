"""A protocol that is added as one file is in every command, in the help and in what shells complete.

The test of the page misses it there. And its name stands nowhere else: no module lists those that are built in.
"""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import data_sets
import pytest
import services
from cases import check_each
from client.protocol_table import missing_from_table
from package_copy import copied

import benchbench
from benchbench.client.protocols import BUILT_IN

PACKAGE = Path(benchbench.__file__).parent
ADDED = """\
path = "/find/{shelf}"
body = { words = "{query}", most = "{top_k}" }

[results]
hits = "documents"
"""
LISTED = """\
from benchbench.index.protocols import benchbench


class Shelves(benchbench.Served):
    name = "shelves"
    path = "/shelves"


KIND = Shelves
"""
NAME = re.compile(rf"(?<![\w-])(?:{'|'.join(BUILT_IN)})(?![\w-])")
ASKED = ("--protocol", "added", "--protocol-option", "shelf=law")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Add a protocol, and one that lists an index, to a copy of the package, with a data set beside it."""
    project = copied(tmp_path_factory.mktemp("project"), "benchbench")
    (project / "benchbench" / "client" / "protocols" / "added.toml").write_text(ADDED)
    (project / "benchbench" / "index" / "protocols" / "shelves.py").write_text(LISTED)
    data_sets.write(project / "data")
    return project


def printed(project: Path, *command: object, **variables: str) -> str:
    """Return what a command of the copy prints."""
    environment = {"PYTHONPATH": str(project), "COLUMNS": "1000"}
    done = subprocess.run(
        [sys.executable, "-m", "benchbench", *map(str, command)],
        cwd=project,
        env={**os.environ, **environment, **variables},
        capture_output=True,
        encoding="utf-8",
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.slow  # processes, and a copy of the package
def test_a_run_and_a_load_test_ask_by_it(project: Path):
    quick = ("--no-reference", "--concurrency", 1, "--duration", "10ms", "--warm-up", "0s")
    with services.running(services.raw(json.dumps({"documents": [{"id": "c0"}, {"id": "c3"}]}))) as service:
        for command in (("run", "--top-k", 11), ("load", "--top-k", 12, *quick)):
            printed(project, *command, "--url", service.url, *ASKED, "--dataset", "data", "--out", command[0], "-q")
    assert {(*message, message["most"]) for message in service.messages} == {("words", "most", n) for n in (11, 12)}


@pytest.mark.slow  # processes
def test_it_is_listed_shown_and_completed(project: Path):
    assert "added            POST /find/{shelf}; options shelf; one query per request\n" in printed(project, "protocol")
    shown = printed(project, "protocol", "added", *ASKED[2:], "--query", "theft")
    assert shown.endswith('/find/law\nContent-Type: application/json\n\n{"words":"theft","most":10}\n')
    words = {"COMP_WORDS": "benchbench run --protocol ad", "COMP_CWORD": "3"}
    assert "plain,added\n" in printed(project, **words, _BENCHBENCH_COMPLETE="bash_complete")


@pytest.mark.slow  # processes
def test_one_that_lists_an_index_lists_one(project: Path):
    with services.running(
        services.raw(json.dumps({"total": 1, "documents": [{"id": "d1", "name": "Part 1"}]}))
    ) as service:
        asked = ("--url", service.url, "--protocol", "shelves", "--format", "json", "--quiet")
        assert json.loads(printed(project, "index", "list", *asked))["documents"][0]["name"] == "Part 1"


@pytest.mark.slow  # a copy of the package
def test_the_page_is_told_to_have_it_in_its_table(project: Path):
    added = project / "benchbench" / "client" / "protocols" / "added.toml"
    assert missing_from_table(added) == ["`added`", "| `POST /find/{shelf}", "`shelf`", "| no"]


def test_no_module_lists_the_built_in_protocols_again():
    """One name may be a default, a kind of index or an example; two in one expression are a second list."""

    def check(path: Path) -> None:
        source = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(source)) if len({*NAME.findall(source)}) > 1 else ():
            if isinstance(node, ast.Constant | ast.Tuple | ast.List | ast.Set | ast.Dict | ast.JoinedStr):
                assert len(named := protocols_in(node)) < 2, (path, node.lineno, named)

    check_each(check, PACKAGE.rglob("*.py"))


@pytest.mark.parametrize(
    "code", ["x = ('benchbench', 'qdrant')", "x = 'qdrant and elasticsearch'", "{'opensearch': 'qdrant'}"]
)
def test_a_second_list_would_be_found(code: str):
    assert max(len(protocols_in(node)) for node in ast.walk(ast.parse(code))) == 2


def protocols_in(node: ast.AST) -> set[str]:
    """Return the names in the texts of an expression; in a sentence, `benchbench` is that of the command."""
    texts = {text.value for text in ast.walk(node) if isinstance(text, ast.Constant) and isinstance(text.value, str)}
    named = {name for text in texts for name in NAME.findall(text)}
    return named - {"benchbench"} | ({"benchbench"} & texts)
