"""Machine code on disk: never that of other sources, never a reason to fail."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from cases import first_of

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


PROCESSES = """
import json, os, sys
import numba  # half of what a process would take; nothing is compiled here, or some of it would be made already

for line in sys.stdin:
    asked = json.loads(line)
    if isinstance(asked, int):
        print(os.waitstatus_to_exitcode(os.waitpid(asked, 0)[1]), flush=True)
    elif child := os.fork():
        print(child, flush=True)
    else:
        code, folder, environment, streams = asked
        for number, path in enumerate(streams, 1):
            os.dup2(os.open(path, os.O_WRONLY), number)
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(folder)
        sys.path.insert(0, folder)
        numba.config.reload_config()
        exec(code, {"__name__": "__main__"})
        sys.stdout.flush()
        os._exit(0)
"""


class Processes:
    """Starts processes that have imported numba, and nothing of ours."""

    def __init__(self) -> None:
        self.source = subprocess.Popen(
            [sys.executable, "-B", "-W", "error", "-c", PROCESSES],
            cwd="/",
            env={name: value for name, value in os.environ.items() if name not in ("NUMBA_CACHE_DIR", "PYTHONPATH")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, *asked: Any) -> int:
        assert self.source.stdin
        assert self.source.stdout
        print(json.dumps(asked[0] if len(asked) == 1 else asked), file=self.source.stdin, flush=True)
        return int(self.source.stdout.readline())

    def start(self, code: str, folder: Path, environment: dict[str, str]) -> "Process":
        streams = [folder / f"{os.urandom(8).hex()}.txt" for _ in range(2)]
        for path in streams:
            path.touch()
        return Process(self, self.ask(code, str(folder), environment, list(map(str, streams))), streams)


class Process(NamedTuple):
    """One that was started, its number, and the files that its streams are written to."""

    started_by: Processes
    number: int
    streams: list[Path]

    def ended(self) -> tuple[int, int]:
        """Wait for it; return what the kernel answered, and how many kernels were compiled for it."""
        code = self.started_by.ask(self.number)
        said, errors = (path.read_text() for path in self.streams)
        assert (code, errors) == (0, "")
        answer, compiled = said.split()
        return int(answer), int(compiled)


@pytest.fixture(scope="module")
def processes() -> Iterator[Processes]:
    made = Processes()
    yield made
    made.source.communicate("")
    assert made.source.returncode == 0


class Package:
    """A copy of the package's kernels, with one of its own whose helper stands in another file."""

    def __init__(self, folder: Path, processes: Processes) -> None:
        self.processes = processes
        self.root, self.kernels = folder, folder / "benchbench" / "kernels"
        shutil.copytree(KERNELS, self.kernels, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("__init__.py", "caches.py"):
            shutil.copy(KERNELS.parent / name, self.kernels.parent)
        self.write(1)
        (self.kernels / "asking.py").write_text(KERNEL)
        self.environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
        self.environment |= {"XDG_CACHE_HOME": "/dev/null/x"}

    @property
    def cache(self) -> Path:
        return self.kernels / "__pycache__"

    def write(self, answer: int) -> None:
        """Write the helper with the time of before, as an unpacked archive may."""
        path = self.kernels / "helper.py"
        path.write_text(HELPER.format(answer=answer))
        os.utime(path, (1_700_000_000, 1_700_000_000))

    def start(self, before: str = "", **environment: str) -> Process:
        return self.processes.start(before + CODE, self.root, self.environment | environment)

    def run(self, before: str = "", **environment: str) -> tuple[int, int]:
        """Return what the kernel answered, and how many kernels were compiled for it."""
        return self.start(before, **environment).ended()

    def files(self) -> list[Path]:
        return sorted(self.root.rglob("benchbench-*/*"))


@pytest.fixture
def package(tmp_path, processes):
    return Package(tmp_path, processes)


def test_the_second_process_compiles_nothing(package):
    assert package.run() == (1, 1)
    assert package.run() == (1, 0)


@pytest.mark.slow  # compiles in processes
def test_a_helper_that_changed_in_another_file_is_compiled_though_size_and_time_are_the_same(package):
    package.run()
    package.write(2)
    assert package.run() == (2, 1)


@pytest.mark.slow  # compiles in processes
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


@pytest.mark.slow  # compiles in processes
def test_the_folder_that_numba_is_told_to_use_comes_first_and_the_users_last(package, tmp_path):
    package.run(NUMBA_CACHE_DIR=str(tmp_path / "told"))
    assert {path.parents[1] for path in package.files()} == {tmp_path / "told"}
    package.cache.write_text("a file where a folder would be")
    package.run(XDG_CACHE_HOME=str(tmp_path / "user"))
    assert {path.parents[1] for path in package.files()} == {tmp_path / "told", tmp_path / "user" / "benchbench"}


@pytest.mark.slow  # compiles in processes
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


@pytest.mark.slow  # compiles in processes
def test_processes_that_compile_at_once_leave_one_whole_file_each_kernel(package):
    for process in [package.start() for _ in range(2)]:
        assert process.ended()[0] == 1
    assert len(package.files()) == 1
    assert package.run() == (1, 0)


@pytest.mark.slow  # compiles in processes
def test_whether_a_kernel_was_never_compiled_and_would_be_kept(package):
    asked = "from benchbench.kernels.asking import ask; from benchbench.kernels._cache import would_keep\n"
    package.run(f"{asked}assert would_keep(ask)\n")
    package.run(f"{asked}assert not would_keep(ask); assert not would_keep(len)\n")
    shutil.rmtree(package.cache)
    package.cache.write_text("a file where a folder would be")
    package.run(f"{asked}assert not would_keep(ask)\n")


@pytest.mark.slow  # compiles in processes
@pytest.mark.parametrize(
    ("missing", "compiled_again"),
    first_of(
        ("from numba.core import compiler; del compiler.CompileResult._reduce", 1),
        ("from numba.core import runtime; del runtime.rtsys", 0),
        ("from numba.core import cpu; del cpu.CPUTargetOptions", 0),
        ("from numba.core.options import DefaultOptions; del DefaultOptions._nrt", 0),
    ),
)
def test_what_a_numba_does_not_have_is_done_without(package, missing, compiled_again):
    assert package.run(missing + ALLOCATING) == (1, 1)
    assert package.run(missing + ALLOCATING) == (1, compiled_again)


# Helpers are code that is put into kernels

HELPERS_CODE = """
from benchbench.kernels import _helpers
_helpers.is_supported &= {supported}
from benchbench.kernels._jit import inline, jit, step

@step
def doubled(x):
    return x + x

@inline
def quadrupled(x):
    return doubled(doubled(x))

@jit
def sixteen_times(x):
    return quadrupled(quadrupled(x))

assert sixteen_times(3) == 48
[overload] = quadrupled.overloads.values()
print(isinstance(overload.library, _helpers._Parts))
"""


@pytest.mark.slow  # compiles
@pytest.mark.parametrize("supported", [True, False])
def test_a_kernel_does_what_its_helpers_say_with_and_without_code_of_their_own(supported: bool, tmp_path):
    code = HELPERS_CODE.format(supported=supported)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout.split() == [str(supported)]


LEAN = """
import gc
import sys
import numpy as np
from numba import njit
from numba.core.errors import NumbaError
from benchbench.kernels._jit import inline, leaf

@inline
def larger(a, b):
    return a if a > b else b

@leaf
def largest(numbers, start):
    most = start
    for i in range(numbers.size):
        most = larger(most, numbers[i])
    return most

@leaf
def wrong(numbers):
    return numbers.nothing

assert largest(np.array([1, 5, 3]), 2) == 5
assert largest(np.array([1.5, 0.5]), 2) == 2.0
assert gc.isenabled()
try:
    wrong(np.zeros(1))
except NumbaError as error:
    assert "nothing" in str(error)
else:
    raise AssertionError
assert gc.isenabled()
gc.disable()
assert largest(np.array([1, 5, 3], np.int32), 2) == 5
assert not gc.isenabled()
assert "scipy.linalg" not in sys.modules

@njit
def product(a, b):
    return np.dot(a, b)

assert product(np.ones(3), np.arange(3.0)) == 3.0
assert "scipy.linalg" in sys.modules
"""


@pytest.mark.slow  # compiles
def test_a_kernel_is_compiled_without_what_it_does_not_need_and_numba_still_has_all_of_it(tmp_path):
    subprocess.run([sys.executable, "-W", "error", "-c", LEAN], check=True, cwd=tmp_path)


# The compile policy: what a cached kernel does not load

JIT_CODE = """
import sys
import numpy as np
from benchbench.kernels.lookup import find, table
keys = np.arange(1, 9, dtype=np.uint64)
found = find(table(keys), keys, keys)
assert found.tolist() == list(range(8))
print(*(name for name in sys.modules if name in ("numba.cpython.unicode", "numba.np.arrayobj")))
"""


@pytest.mark.slow  # two processes
def test_a_cached_kernel_starts_without_what_only_compiling_needs():
    for _ in range(2):  # the first may have to compile
        done = subprocess.run([sys.executable, "-c", JIT_CODE], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
