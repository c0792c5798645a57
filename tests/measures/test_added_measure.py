"""A measure that is added by a row and a formula is in every command, in gates and on the page of measures."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import pytest
from command_line import said
from data_sets import write_lines

from benchbench.kernels import _cache

PROJECT = Path(__file__).parents[2]
ADDED = {
    "benchbench/measures/catalog.py": (
        "_ROWS = (\n",
        '_ROWS = (\n    Definition("Half", "hits@k / 2 k.", "A test, 2026", cutoff="required"),\n',
    ),
    "benchbench/kernels/plan.py": ("    NUMQ = 22\n", "    NUMQ = 22\n    HALF = 23\n"),
    "benchbench/kernels/formulas.py": (
        "    elif formula == Formula.NUMQ:\n",
        "    elif formula == Formula.HALF:\n        value = hits / (2.0 * k)\n    elif formula == Formula.NUMQ:\n",
    ),
}
COMPILED_ANEW = ("_score", "measure", "measure_expected")  # the kernels that call a formula


def copied(folder: Path) -> Path:
    """Copy the package without what is compiled of its kernels, its pages and its scripts."""
    shutil.copytree(PROJECT / "benchbench", folder / "benchbench", ignore=shutil.ignore_patterns("benchbench-*"))
    for name in ("docs", "scripts"):
        shutil.copytree(PROJECT / name, folder / name)
    return folder


def ran(project: Path, *command: object) -> "subprocess.CompletedProcess[str]":
    """Run a command with a copy of the package, in the folder above it."""
    environment = {**os.environ, "PYTHONPATH": str(project), "NUMBA_CACHE_DIR": str(project / "compiled")}
    return subprocess.run(
        [sys.executable, *map(str, command)], cwd=project, env=environment, capture_output=True, encoding="utf-8"
    )


def keep_compiled(project: Path) -> None:
    """Keep for the copy what is compiled already of the kernels that call no formula."""
    changed = (f"*.{name}-*" for name in COMPILED_ANEW)
    ignored = shutil.ignore_patterns(*changed, "*.????????????????")  # these are being written
    with patch.object(_cache, "__file__", project / "benchbench" / "kernels" / "_cache.py"):
        folder = project / "compiled" / f"{_cache._PREFIX}{_cache._digest()}"
    for kept in _cache.FOLDERS:
        shutil.copytree(kept, folder, ignore=ignored, dirs_exist_ok=True)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Add a measure to a copy of the package, and a shop beside it in which one of two hits is of the brand."""
    project = copied(tmp_path_factory.mktemp("project"))
    for name, (text, with_more) in ADDED.items():
        path = project / name
        before = path.read_text(encoding="utf-8")
        assert before.count(text) == 1
        path.write_text(before.replace(text, with_more), encoding="utf-8")
    keep_compiled(project)
    (project / "shop").mkdir()
    write_lines(
        project / "shop" / "tiered.jsonl", [{"query_id": "q", "query": {"text": "red shoe", "brand": "Nimbus"}}]
    )
    documents = [{"_id": f"p{n}", "text": f"shoe {n}", "brand": brand} for n, brand in enumerate(("Nimbus", "Alpen"))]
    write_lines(project / "shop" / "collection.jsonl", documents)
    (project / "shop" / "dataset.toml").write_text('[tasks.brand]\nrule = "equal"\nlabel = ["brand", "meta.brand"]\n')
    (project / "qrels.trec").write_text("q 0 p0 1\n")
    (project / "a.run").write_text("q Q0 p1 1 2 a\nq Q0 p0 2 1 a\n")
    return project


@pytest.mark.slow  # the kernels of a run that call a formula are compiled anew
def test_a_run_measures_it_and_a_gate_names_it(project: Path):
    command = ("-m", "benchbench", "run", "--dataset", "shop", "-m", "Half@2", "--format", "json", "-q")
    done = ran(project, *command, "--fail-if", "Half@2<0.3", "--out", "results")
    assert done.returncode == 1
    assert done.stderr == "Error: gate failed: brand.Half@2 is 0.25, required at least 0.3\n"
    result = json.loads(done.stdout)
    assert result["measures"]["brand"]["Half@2"]["value"] == 0.25
    assert "|measures:Half@2|" in result["signature"]


@pytest.mark.slow  # as a run
def test_a_load_test_measures_it(project: Path):
    options = ("--dataset", "shop", "--concurrency", 1, "--duration", 0.2, "--warm-up", 0, "--batch-size", 1)
    done = ran(
        project, "-m", "benchbench", "load", *options, "-m", "Half@2", "--fail-if", "Half@2<0.3", "--out", "load", "-q"
    )
    assert done.returncode == 1
    assert "brand.Half@2 is 0.25, required at least 0.3" in done.stderr


@pytest.mark.slow  # as those of `score`
def test_run_files_are_scored_by_it(project: Path):
    done = ran(project, "-m", "benchbench", "score", "qrels.trec", "a.run", "-m", "Half@2", "-q", "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    assert '"Half@2":0.25' in done.stdout.replace(" ", "")


@pytest.mark.slow  # and those of expected ties
def test_it_is_refused_under_expected_ties_until_it_says_what_is_expected(capsys, project: Path):
    command = ("score", project / "qrels.trec", project / "a.run", "--ties", "expected", "-q", "-m", "P@2")
    assert said(capsys, *command).code == 0
    done = ran(project, "-m", "benchbench", *command, "-m", "Half@2")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "Error: Half@2 has no expected value over ties here; score it with ties trec or input\n"


@pytest.mark.slow  # processes
def test_it_is_listed_and_has_its_row_on_the_page(project: Path):
    done = ran(project, "-m", "benchbench", "score", "--list-measures")
    assert done.stdout.startswith("Half@k\n    hits@k / 2 k.\n    A test, 2026\n")
    assert ran(project, "scripts/measures").returncode == 0
    assert "| `Half@k` | hits@k / 2 k. | yes |\n" in (project / "docs" / "scoring.md").read_text(encoding="utf-8")


@pytest.mark.slow  # processes
def test_the_table_of_the_page_is_that_of_the_catalog(tmp_path: Path):
    copy = copied(tmp_path)
    assert ran(copy, "scripts/measures").returncode == 0
    assert (copy / "docs" / "scoring.md").read_bytes() == (PROJECT / "docs" / "scoring.md").read_bytes()
