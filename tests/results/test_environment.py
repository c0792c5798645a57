import os
import re
import tomllib
from pathlib import Path

from benchbench.results.environment import environment


def test_the_host_has_its_cores_and_those_that_the_process_may_use():
    host = environment(()).host
    assert host["cpus"] == os.cpu_count()
    assert 1 <= host["usable_cpus"] <= host["cpus"]


def test_records_name_libraries_that_the_core_installs():
    """The version of one that an extra brings would be an error where the extra is not installed."""
    root = Path(__file__).resolve().parents[2]
    core = tomllib.loads((root / "pyproject.toml").read_text())["project"]["dependencies"]
    installed = {re.match(r"[\w.-]+", one)[0].replace("-", "_") for one in core}  # type: ignore[index]
    named = {
        library
        for path in (root / "benchbench").rglob("*.py")
        for listed in re.findall(r"^_?LIBRARIES = \((.*?)\)$", path.read_text(), re.MULTILINE | re.DOTALL)
        for library in re.findall(r'"([\w-]+)"', listed)
    }
    assert {"numpy", "polars"} <= named <= installed
