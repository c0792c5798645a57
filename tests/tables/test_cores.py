"""Cores that are there for this process, beside invented control groups."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchbench.tables.cores import usable_cores

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


@pytest.mark.parametrize(
    ("groups", "files"),
    [
        ("0::/\n", {"cpu_max": "100000 100000\n"}),
        ("0::/a/b\n", {"a__b__cpu_max": "max 100000\n", "a__cpu_max": "50000 100000\n"}),
        ("0::/a/b\n", {"a__b__cpu_max": "100000 100000\n", "a__cpu_max": "900000 100000\n"}),
        ("0::/../../elsewhere\n", {"cpu_max": "100000 100000\n"}),
        (
            "4:memory:/m\n3:cpu,cpuacct:/x:y/b\n0::/\n",
            {"cpu,cpuacct__x:y__cfs_quota_us": "20000\n", "cpu,cpuacct__x:y__cfs_period_us": "100000\n"},
        ),
        ("3:cpuacct,cpu:/not/seen\n", {"cpu__cfs_quota_us": "100000\n", "cpu__cfs_period_us": "100000\n"}),
    ],
)
def test_the_tightest_quota_of_all_groups_above_counts(tmp_path: Path, groups: str, files: dict[str, str]):
    assert usable_cores(root(tmp_path, groups, **files)) == 1


@pytest.mark.parametrize(
    ("groups", "files"),
    [
        ("", {}),
        ("nonsense\n", {"cpu_max": "100000 100000\n"}),
        ("0::/\n", {"cpu_max": "max 100000\n"}),
        ("0::/\n", {"cpu_max": "9000000 100000\n"}),
        ("0::/\n", {"cpu_max": "100000\n"}),
        ("0::/\n", {"cpu_max": "0 0\n"}),
        ("0::/\n", {"cpu_max": "\u4e00"}),
        ("0::/\n", {"a__cpu_max": "100000 100000\n"}),
        ("3:cpu:/\n", {"cpu__cfs_quota_us": "-1\n", "cpu__cfs_period_us": "100000\n"}),
        ("3:cpu:/\n", {"cpu__cfs_quota_us": "100000\n"}),
        ("3:cpuset:/\n", {"cpu__cfs_quota_us": "100000\n", "cpu__cfs_period_us": "100000\n"}),
    ],
)
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
