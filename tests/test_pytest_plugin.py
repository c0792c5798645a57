"""The plugin costs nothing until a test measures, and says in every report what was asserted."""

import os
import re
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from cases import first_of

from benchbench.history.store import open_history

ROOT = Path(__file__).resolve().parents[1]
PLUGIN = ("--disable-plugin-autoload", "-p", "xdist", "-p", "benchbench.pytest_plugin")  # no others of the machine
QRELS = "".join(f"q{n} 0 d{n} 1\n" for n in range(20))
RUN = "".join(f"q{n} Q0 {'d' if n % 4 else 'e'}{n} 1 2 x\n" for n in range(20))
TESTS = """
import pytest

def test_passes(benchbench):
    benchbench.score("qrels.trec", "run.trec", ["P@1"]).assert_at_least("P@1", 0.5)

def test_fails(benchbench):
    result = benchbench.score("qrels.trec", "run.trec", ["P@1"])
    result.assert_at_least("P@1", 0.5)
    result.assert_at_least("P@1", 0.7)

@pytest.mark.parametrize("name", ["<é>"])
def test_of_another_kind(name, tmp_path, benchbench):
    result = benchbench.score("qrels.trec", "run.trec", ["P@1"])
    result.save(tmp_path / "results")
    benchbench.load(tmp_path / "results").assert_at_most("P@1", 0.75, level="point")

def test_without():
    pass
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "qrels.trec").write_text(QRELS)
    (tmp_path / "run.trec").write_text(RUN)
    (tmp_path / "test_it.py").write_text(TESTS)
    return tmp_path


def run(folder: Path, *options: str, path: str = "", plugin: tuple[str, ...] = PLUGIN) -> tuple[int, str]:
    command = [sys.executable, "-m", "pytest", "--rootdir", str(folder), "-W", "error", "-p", "no:cacheprovider"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "GITHUB", "CI"))}
    done = subprocess.run(
        [*command, *plugin, *options],
        cwd=folder,
        env={**environment, "PYTHONPATH": f"{path}{os.pathsep if path else ''}{ROOT}", "COLUMNS": "1000"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


SECTION = """\
test_it.py::test_fails
  passed: P@1 is 0.75 [0.5313, 0.8881] (95 %, Wilson, n = 20), required at least 0.5
  failed: P@1 is 0.75 [0.5313, 0.8881] (95 %, Wilson, n = 20), required at least 0.7: the low end of the interval is \
0.5313; with an interval as wide, a value of at least 0.9187 would be enough, or this value over about 390 instead of 20
test_it.py::test_of_another_kind[<\\xe9>]
  passed: P@1 is 0.75, n = 20, required at most 0.75
test_it.py::test_passes
  passed: P@1 is 0.75 [0.5313, 0.8881] (95 %, Wilson, n = 20), required at least 0.5
"""


@pytest.mark.parametrize("processes", first_of("0", "2"))  # a pytest of its own
def test_each_number_its_bound_and_the_verdict_are_shown_and_recorded(project: Path, processes: str):
    store = project / "history.db"
    code, out = run(
        project,
        f"-n{processes}",
        "--junitxml=junit.xml",
        "--strict-markers",
        "--benchbench-record",
        f"--benchbench-store={store}",
    )
    assert code == 1
    assert "1 failed, 3 passed" in out
    _, rule, section = out.partition(" benchbench ==")
    assert rule
    assert section.partition("\n")[2].startswith(SECTION)
    shown = out.partition("test_fails ___")[2]
    assert '>       result.assert_at_least("P@1", 0.7)' in shown
    assert "assertions.py" not in out
    assert "result.py" not in out
    cases = {one.get("name"): one for one in ElementTree.parse(project / "junit.xml").iter("testcase")}
    (said,) = cases["test_passes"].iter("property")
    assert said.get("name") == "benchbench P@1"
    assert (said.get("value") or "").startswith("passed: P@1 is 0.75 [0.5313, 0.8881] (95 %, Wilson, n = 20), required")
    assert len(list(cases["test_fails"].iter("property"))) == 2
    assert list(cases["test_without"].iter("property")) == []
    with open_history(store) as history:
        entries = history.entries()
        assert sorted(one.tags["test"] for one in entries) == [
            "test_it.py::test_fails",
            "test_it.py::test_of_another_kind[<\\xe9>]",
            "test_it.py::test_passes",
        ]
        assert {one.name for one in entries} == {one.tags["test"] for one in entries}


@pytest.mark.slow  # a pytest of its own
def test_it_imports_nothing_heavy_before_a_test_measures(tmp_path: Path):
    (tmp_path / "test_light.py").write_text(
        """
import sys

def test_light():
    heavy = {"numpy", "polars", "numba", "aiohttp", "sqlite3", "orjson", "msgspec"}
    assert heavy.isdisjoint(sys.modules)
    assert [name for name in sys.modules if name.startswith("benchbench")] == ["benchbench", "benchbench.pytest_plugin"]
"""
    )
    code, out = run(tmp_path, "-n0")
    assert code == 0, out
    assert "benchbench ==" not in out


@pytest.mark.slow  # a pytest of its own
def test_it_loads_by_its_entry_point_where_pytest_rewrites_every_assertion_of_the_package(project: Path):
    """As it is installed: pytest rewrites all modules of what has a plugin, compiled kernels among them."""
    installed = project / "installed" / "benchbench_retrieval-0.1.0.dist-info"
    installed.mkdir(parents=True)
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: benchbench-retrieval\nVersion: 0.1.0\n")
    points = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]["pytest11"]
    lines = "".join(f"{name} = {target}\n" for name, target in points.items())
    (installed / "entry_points.txt").write_text(f"[pytest11]\n{lines}")
    files = "".join(f"{path.relative_to(ROOT)},,\n" for path in (ROOT / "benchbench").rglob("*.py"))
    (installed / "RECORD").write_text(files)
    code, out = run(project, "-n0", "-k", "passes or without", path=str(installed.parent), plugin=())
    assert code == 0, out
    assert "passed: P@1 is 0.75" in out


@pytest.mark.slow  # a pytest of its own
def test_what_measures_is_left_out_by_its_marker(project: Path):
    code, out = run(project, "-n0", "-m", "not benchbench", "--strict-markers")
    assert code == 0, out
    assert "1 passed, 3 deselected" in out


@pytest.mark.slow  # a pytest of its own
def test_a_store_without_anything_to_record_is_a_slip(project: Path):
    code, out = run(project, "-n0", "--benchbench-store=history.db")
    assert code == pytest.ExitCode.USAGE_ERROR
    assert "ERROR: --benchbench-store says where --benchbench-record records; give both" in out


@pytest.mark.slow  # a pytest of its own
def test_a_store_that_cannot_be_written_is_the_error_of_the_test_in_one_sentence(project: Path):
    (project / "history.db").write_text("no database")
    code, out = run(project, "-n0", "-k", "passes", "--benchbench-record", "--benchbench-store=history.db")
    assert code == 1
    assert "1 passed, 3 deselected, 1 error" in out
    assert re.search(r"^benchbench: .*history\.db.*$", out, flags=re.MULTILINE), out
    assert "Traceback" not in out


@pytest.mark.slow  # a pytest of its own
def test_bad_usage_shows_the_line_of_the_test_and_one_sentence(project: Path):
    (project / "test_it.py").write_text(
        """
def test_file(benchbench):
    benchbench.score("none.trec", "run.trec", ["P@1"])

def test_folder(benchbench):
    benchbench.load("none")

def test_data_set(benchbench):
    benchbench.run("no-such-data-set")

def test_setting(benchbench):
    benchbench.run("synthetic-cases", url="nowhere")
"""
    )
    code, out = run(project, "-n0")
    assert code == 1
    assert out.count("E       benchbench.errors.InputError: ") == 4
    assert "site-packages" not in out
    assert "pytest_plugin.py:" not in out


@pytest.mark.slow  # a pytest of its own, and a run of the shipped data set
def test_a_function_of_the_project_is_measured(project: Path):
    (project / "test_it.py").write_text(
        """
def hits(queries, top_k):
    return [[("c1", 1.0)] for _ in queries]

def test_function(benchbench):
    benchbench.run("synthetic-cases", retriever=hits, name="mine").assert_at_most("gold.nDCG@10", 0.1)
"""
    )
    code, out = run(project, "-n0")
    assert code == 0, out
    assert "passed: gold.nDCG@10 is " in out
