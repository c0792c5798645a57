"""Machine code on disk: never that of other sources, never a reason to fail."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchbench.kernels import _cache

KERNELS = Path(_cache.__file__).parent
HELPER = "from benchbench.kernels._jit import inline\n\n@inline\ndef answer():\n    return {answer}\n"
KERNEL = """
import numpy as np
from benchbench.kernels._jit import jit, leaf
from benchbench.kernels.helper import answer

@leaf
def ask():
    return answer()

@jit
def fill(size):
    return np.full(size, answer())
"""
CODE = """
from benchbench.kernels.asking import ask
print(ask(), sum(ask.stats.cache_misses.values()))
"""
ALLOCATING = """
from benchbench.kernels.asking import fill
assert fill(3).tolist() == [1, 1, 1]
"""


class Package:
    """A copy of the package's kernels, with one of its own whose helper stands in another file."""

    def __init__(self, folder: Path) -> None:
        self.root, self.kernels = folder, folder / "benchbench" / "kernels"
        shutil.copytree(KERNELS, self.kernels, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(KERNELS.parent / "__init__.py", self.kernels.parent)
        self.write(1)
        (self.kernels / "asking.py").write_text(KERNEL)
        self.environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
        self.environment |= {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "XDG_CACHE_HOME": "/dev/null/x"}

    @property
    def cache(self) -> Path:
        return self.kernels / "__pycache__"

    def write(self, answer: int) -> None:
        """Write the helper with the time of before, as an unpacked archive may."""
        path = self.kernels / "helper.py"
        path.write_text(HELPER.format(answer=answer))
        os.utime(path, (1_700_000_000, 1_700_000_000))

    def start(self, before: str = "", **environment: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-W", "error", "-c", before + CODE],
            cwd=self.root,
            env=self.environment | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, before: str = "", **environment: str) -> tuple[int, int]:
        """Return what the kernel answered, and how many kernels were compiled for it."""
        return ended(self.start(before, **environment))

    def files(self) -> list[Path]:
        return sorted(self.root.rglob("benchbench-*/*"))


def ended(process: "subprocess.Popen[str]") -> tuple[int, int]:
    said, errors = process.communicate()
    assert (process.returncode, errors) == (0, "")
    answer, compiled = said.split()
    return int(answer), int(compiled)


@pytest.fixture
def package(tmp_path):
    return Package(tmp_path)


def test_the_second_process_compiles_nothing(package):
    assert package.run() == (1, 1)
    assert package.run() == (1, 0)


def test_a_helper_that_changed_in_another_file_is_compiled_though_size_and_time_are_the_same(package):
    package.run()
    package.write(2)
    assert package.run() == (2, 1)


def test_a_kernel_of_another_room_is_compiled_when_its_own_file_changed(package):
    for answer in (1, 2, 1):
        elsewhere = package.kernels.parent / "elsewhere.py"
        elsewhere.write_text(f"from benchbench.kernels._jit import jit\n\n@jit\ndef asked():\n    return {answer}\n")
        before = f"from benchbench.elsewhere import asked; assert asked() == {answer}\n"
        package.run(before)
    assert len([path for path in package.files() if "elsewhere" in path.name]) == 2


def test_of_other_sources_only_the_newest_stay(package):
    for number in range(6):
        old = package.cache / f"benchbench-{number}"
        old.mkdir(parents=True)
        os.utime(old, (number, number))
    package.run()
    left = {path.name for path in package.cache.glob("benchbench-?")}
    assert left == {"benchbench-3", "benchbench-4", "benchbench-5"}
    assert len(package.files()) == 1


def test_where_no_folder_can_be_written_kernels_are_compiled_in_memory(package):
    package.cache.write_text("a file where a folder would be")
    assert package.run(NUMBA_CACHE_DIR="/dev/null/x", XDG_CACHE_HOME="", HOME="/dev/null") == (1, 1)
    assert not package.files()


def test_the_folder_that_numba_is_told_to_use_comes_first_and_the_users_last(package, tmp_path):
    package.run(NUMBA_CACHE_DIR=str(tmp_path / "told"))
    assert {path.parents[1] for path in package.files()} == {tmp_path / "told"}
    package.cache.write_text("a file where a folder would be")
    package.run(XDG_CACHE_HOME=str(tmp_path / "user"))
    assert {path.parents[1] for path in package.files()} == {tmp_path / "told", tmp_path / "user" / "benchbench"}


def test_a_folder_that_can_only_be_read_is_read(package, tmp_path):
    package.run()
    user = tmp_path / "user"
    before = f"import os; os.access = lambda path, mode: path.is_dir() and path.is_relative_to({str(user)!r})\n"
    assert package.run(before, XDG_CACHE_HOME=str(user)) == (1, 0)
    for path in package.cache.glob("benchbench-*/*"):
        path.unlink()
    assert package.run(before, XDG_CACHE_HOME=str(user)) == (1, 1)
    assert {path.parents[1] for path in package.files()} == {user / "benchbench"}


def test_a_full_disk_costs_the_cache_and_not_the_run(package):
    before = "from resource import RLIMIT_FSIZE, setrlimit; setrlimit(RLIMIT_FSIZE, (64, 64))\n"
    assert package.run(before) == (1, 1)
    assert not package.files()


def test_a_damaged_file_is_compiled_anew(package):
    package.run()
    (kept,) = package.files()
    kept.write_bytes(kept.read_bytes()[:99])
    assert package.run() == (1, 1)
    assert package.run() == (1, 0)


def test_processes_that_compile_at_once_leave_one_whole_file_each_kernel(package):
    for process in [package.start() for _ in range(2)]:
        assert ended(process)[0] == 1
    assert len(package.files()) == 1
    assert package.run() == (1, 0)


def test_whether_a_kernel_was_never_compiled_and_would_be_kept(package):
    asked = "from benchbench.kernels.asking import ask; from benchbench.kernels._cache import would_keep\n"
    package.run(f"{asked}assert would_keep(ask)\n")
    package.run(f"{asked}assert not would_keep(ask); assert not would_keep(len)\n")
    shutil.rmtree(package.cache)
    package.cache.write_text("a file where a folder would be")
    package.run(f"{asked}assert not would_keep(ask)\n")


@pytest.mark.parametrize(
    ("missing", "compiled_again"),
    [
        ("from numba.core import compiler; del compiler.CompileResult._reduce", 1),
        ("from numba.core import runtime; del runtime.rtsys", 0),
        ("from numba.core import cpu; del cpu.CPUTargetOptions", 0),
        ("from numba.core.options import DefaultOptions; del DefaultOptions._nrt", 0),
    ],
)
def test_what_a_numba_does_not_have_is_done_without(package, missing, compiled_again):
    assert package.run(missing + ALLOCATING) == (1, 1)
    assert package.run(missing + ALLOCATING) == (1, compiled_again)
