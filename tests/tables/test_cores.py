"""Cores that are there for this process, beside invented control groups."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from cases import tables

from benchbench.tables.cores import usable_cores

TABLES = tables(__file__)

ALL = len(os.sched_getaffinity(0))


def root(folder: Path, groups: str, **files: str) -> Path:
    """Write what the kernel shows of control groups; `__` in a file's name is a slash."""
    (folder / "proc/self").mkdir(parents=True)
    (folder / "proc/self/cgroup").write_text(groups)
    for name, content in files.items():
        file = folder / "sys/fs/cgroup" / name.replace("__", "/").replace("_max", ".max").replace("cfs_", "cpu.cfs_")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    return folder


@pytest.mark.parametrize(("groups", "files"), TABLES["one"])
def test_the_tightest_quota_of_all_groups_above_counts(tmp_path: Path, groups: str, files: dict[str, str]):
    assert usable_cores(root(tmp_path, groups, **files)) == 1


@pytest.mark.parametrize(("groups", "files"), TABLES["all"])
def test_without_a_quota_the_affinity_counts(tmp_path: Path, groups: str, files: dict[str, str]):
    assert usable_cores(root(tmp_path, groups, **files)) == ALL


def test_a_part_of_a_core_is_a_core(tmp_path: Path):
    if ALL < 2:
        pytest.skip("needs two cores")
    assert usable_cores(root(tmp_path, "0::/\n", cpu_max="150000 100000\n")) == 2


def test_where_the_kernel_shows_nothing_the_affinity_counts(tmp_path: Path):
    assert usable_cores(tmp_path) == ALL


def test_a_process_that_was_given_one_core_uses_one():
    one = min(os.sched_getaffinity(0))
    code = f"""
import os
os.sched_setaffinity(0, {{{one}}})
from benchbench.tables.threads import THREADS
print(THREADS)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1"
