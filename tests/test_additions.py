"""A measure and a rule that are added to a copy of the package are in every command, in gates, on pages and in tables.

A measure is a row of the catalog and its formulas; a rule is a row and what it compares.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import said
from data_sets import write_lines
from package_copy import PROJECT, copied, put_before, ran

BEFORE = {  # what stands in the package, and what is put before it
    "benchbench/measures/catalog.py": [
        (
            '    Definition(\n        "P", "hits@k / k',
            '    Definition("Half", "hits@k / 2 k.", "A test, 2026", "averaged", cutoff="required"),\n'
            '    Definition("Hollow", "0.", "A test, 2026", "none", cutoff="required"),\n',
        )
    ],
    "benchbench/kernels/formulas.py": [
        ("\n\nPLAIN, ALL, CAPPED", "    HALF = 26\n    HOLLOW = 27\n"),
        (
            "    elif formula == Formula.NUMQ:\n",
            "    elif formula == Formula.HALF:\n        value = hits / (2.0 * k)\n"
            "    elif formula == Formula.HOLLOW:\n        value = 0.0\n",
        ),
    ],
    "benchbench/kernels/expected_over_ties.py": [
        (
            "            elif formula == Formula.HITS:\n",
            "            elif formula == Formula.HALF:\n"
            "                values[q, m] = _hits(blocks, k, rel) / (2.0 * k)\n",
        )
    ],
    "benchbench/tasks/rules.py": [
        (
            '    RelevanceRule(\n        "judgments",',
            '    RelevanceRule(\n        "differs", "its label is another one than the query\'s",\n'
            '        "its {} is another one than the query\'s.", "another {}", Differs,\n'
            '        (Parameter("common", "number", "shared members", default=0, range=COUNT_OR_0), _COUNTED),\n'
            "    ),\n",
        ),
        ("from benchbench.kernels.rules", "from benchbench.kernels.differs import Differs\n"),
    ],
}
COMPILED_ANEW = ("_score", "measure", "measure_expected")  # the kernels that call a formula
TASKS = """
[labels]
brand = ["brand", "meta.brand"]

[tasks.brand]
rule = "equal"
label = "brand"

[tasks.other]
rule = "differs"
label = "brand"
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Add two measures and a rule to a copy of the package, and a shop in which one of two hits is of the brand."""
    project = copied(tmp_path_factory.mktemp("project"), "benchbench", "docs", "scripts")
    for name, additions in BEFORE.items():
        put_before(project / name, additions)
    shutil.copy(Path(__file__).with_name("added_rule.py"), project / "benchbench" / "kernels" / "differs.py")
    (project / "shop").mkdir()
    queries = [{"query_id": "q", "query": {"text": "red shoe", "brand": "Nimbus"}}]
    write_lines(project / "shop" / "tiered.jsonl", queries)
    documents = [{"_id": f"p{n}", "text": f"shoe {n}", "brand": brand} for n, brand in enumerate(("Nimbus", "Alpen"))]
    write_lines(project / "shop" / "collection.jsonl", documents)
    (project / "shop" / "dataset.toml").write_text(TASKS)
    (project / "qrels.trec").write_text("q 0 p0 1\n")
    (project / "a.run").write_text("q Q0 p1 1 2 a\nq Q0 p0 2 2 a\n")
    return project


@pytest.mark.slow  # the kernels of a run that call a formula are compiled anew
def test_a_run_measures_them_a_gate_names_them_and_its_page_says_what_counts(project: Path):
    command = ("-m", "benchbench", "run", "--dataset", "shop", "-m", "Half@2,R@2", "--format", "json", "-q")
    done = ran(project, *command, "--fail-if", "other.Half@2<0.3", "--out", "results")
    assert done.returncode == 1
    assert done.stderr == "Error: gate failed: other.Half@2 is 0.25, required at least 0.3\n"
    result = json.loads(done.stdout)
    assert {task: one["Half@2"]["value"] for task, one in result["measures"].items()} == {"brand": 0.25, "other": 0.25}
    assert result["measures"]["other"]["R@2"]["value"] == 1.0  # of one document in the collection
    assert 'other=differs(["brand", "meta.brand"])|measures:Half@2,R@2|' in result["signature"]
    page = (project / "results" / "report.html").read_text(encoding="utf-8")
    assert "A hit counts when its brand is another one than the query" in page
    assert "Half@2" in page


@pytest.mark.slow  # as a run
def test_a_load_test_measures_them(project: Path):
    options = ("--dataset", "shop", "--concurrency", 1, "--duration", 0.2, "--warm-up", 0, "--batch-size", 1)
    gate = ("-m", "Half@2", "--fail-if", "other.Half@2<0.3")
    done = ran(project, "-m", "benchbench", "load", *options, *gate, "--out", "load", "-q")
    assert done.returncode == 1
    assert "other.Half@2 is 0.25, required at least 0.3" in done.stderr


@pytest.mark.slow  # as those of `score`
@pytest.mark.parametrize(("ties", "half"), [("input", 0.0), ("expected", 0.25)])
def test_run_files_are_scored_by_a_measure_and_ties_by_what_it_expects(project: Path, ties: str, half: float):
    command = ("score", "qrels.trec", "a.run", "-m", "Half@1", "--ties", ties, "-q", "--format", "json")
    done = ran(project, "-m", "benchbench", *command)
    assert (done.returncode, done.stderr) == (0, "")
    assert f'"Half@1":{half}' in done.stdout.replace(" ", "")


@pytest.mark.slow  # and those of expected ties
def test_a_measure_that_says_no_expected_form_is_refused_under_expected_ties(capsys, project: Path):
    command = ("score", project / "qrels.trec", project / "a.run", "--ties", "expected", "-q", "-m", "P@2")
    assert said(capsys, *command).code == 0
    done = ran(project, "-m", "benchbench", *command, "-m", "Hollow@2")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "Error: Hollow@2 has no expected value over ties here; score it with ties trec or input\n"


@pytest.mark.slow  # processes
def test_they_are_listed_and_have_their_rows_on_pages(project: Path):
    done = ran(project, "-m", "benchbench", "score", "--list-measures")
    assert done.stdout.startswith("Half@k\n    hits@k / 2 k.\n    A test, 2026\n")
    done = ran(project, "-m", "benchbench", "run", "--dataset", "shop", "--task", "a=diff(brand)")
    assert done.stderr == "Error: --task 'a=diff(brand)': there is no rule 'diff'; did you mean differs?\n"
    assert ran(project, "scripts/measures").returncode == 0
    assert "| `Half@k` | hits@k / 2 k. | yes |\n" in (project / "docs" / "scoring.md").read_text(encoding="utf-8")
    tasks = (project / "docs" / "tasks.md").read_text(encoding="utf-8")
    assert "| `differs` | its label is another one than the query's | both |\n" in tasks
    assert "| `differs` | `common` | `0` | shared members |\n" in tasks


def test_the_tables_of_the_pages_are_those_of_the_catalog_and_of_the_rules(tmp_path: Path):
    copied(tmp_path, "docs", "scripts")
    subprocess.run([sys.executable, "scripts/measures"], cwd=tmp_path, check=True)
    for page in ("scoring.md", "tasks.md"):
        assert (tmp_path / "docs" / page).read_bytes() == (PROJECT / "docs" / page).read_bytes()
