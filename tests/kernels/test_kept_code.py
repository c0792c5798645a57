"""Machine code on disk: never that of other sources or of another processor, never a reason to fail."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from small_package import WITHOUT_NUMBA, SmallPackage

COUNTED = """
from benchbench.kernels import machine_code
compiled, made = [], machine_code.machine_code
machine_code.machine_code = lambda *given: compiled.append(1) or made(*given)
"""
CODE = """
from benchbench.{module} import ask
print(ask(), len(compiled))
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
        exec(code, {"__name__": "__main__"})
        sys.stdout.flush()
        os._exit(0)
"""
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("NUMBA_CACHE_DIR", "PYTHONPATH")}


class Processes:
    """Starts processes that have imported numba, and nothing of ours."""

    def __init__(self) -> None:
        self.source = subprocess.Popen(
            [sys.executable, "-B", "-W", "error", "-c", PROCESSES],
            cwd="/",
            env=ENVIRONMENT,
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
        output, errors = (path.read_text() for path in self.streams)
        assert (code, errors) == (0, "")
        answer, compiled = output.split()
        return int(answer), int(compiled)


class Package(SmallPackage):
    """A copy of the package, and processes that use it."""

    def __init__(self, root: Path, processes: Processes) -> None:
        super().__init__(root)
        self.processes = processes
        self.cache = self.kernels / "__pycache__"

    def start(self, before: str = "", module: str = "kernels.asking", **environment: str) -> Process:
        code = COUNTED + before + CODE.format(module=module)
        return self.processes.start(code, self.root, ENVIRONMENT | {"XDG_CACHE_HOME": "/dev/null/x"} | environment)

    def run(self, *given: str, **environment: str) -> tuple[int, int]:
        """Return what the kernel answered, and how many kernels were compiled for it."""
        return self.start(*given, **environment).ended()

    def build(self, linker: bool = True) -> None:
        """Build the library; without a linker, the object files."""
        (self.root / "ziglang.py").write_text("" if linker else "raise ImportError")
        environment = ENVIRONMENT | {"PYTHONPATH": str(self.root)} | ({} if linker else {"PATH": "/dev/null"})
        subprocess.run(
            [sys.executable, "-m", "benchbench.kernels.build"],
            cwd=self.root,
            env=environment,
            capture_output=True,
            check=True,
        )


@pytest.fixture(scope="module")
def processes() -> Iterator[Processes]:
    made = Processes()
    yield made
    made.source.communicate("")
    assert made.source.returncode == 0


@pytest.fixture
def package(tmp_path: Path, processes: Processes) -> Package:
    root = tmp_path / "a folder, ä"
    root.mkdir()
    return Package(root, processes)


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory, processes: Processes) -> Path:
    """Return the folder of libraries of the package of `package`."""
    package = Package(tmp_path_factory.mktemp("built"), processes)
    package.build()
    return package.compiled


@pytest.fixture
def built(package: Package, libraries: Path) -> Package:
    shutil.copytree(libraries, package.compiled)
    return package


# What is kept of what was compiled


def test_the_second_process_compiles_nothing(package: Package) -> None:
    assert package.run() == (1, 1)
    assert package.run() == (1, 0)


@pytest.mark.slow  # compiles in processes
def test_a_helper_that_changed_in_another_file_is_compiled_though_size_and_time_are_the_same(package: Package) -> None:
    package.run()
    package.write(2)
    assert package.run() == (2, 1)


@pytest.mark.slow  # compiles in processes
def test_a_kernel_of_another_folder_is_compiled_when_its_own_file_changed(package: Package) -> None:
    for answer, compiled in ((3, 1), (4, 1), (3, 0)):
        package.write_elsewhere(answer)
        assert package.run("", "prepare.tiers") == (answer, compiled)


def test_what_a_file_said_before_it_changed_is_not_kept_as_what_it_says_now(package: Package) -> None:
    changed = "import benchbench.prepare.tiers as tiers, pathlib\n"
    changed += "path = pathlib.Path(tiers.__file__); path.write_text(path.read_text().replace('3', '4'))\n"
    changed += "import os; os.utime(path, (4e9, 4e9))\n"
    assert package.run(changed, "prepare.tiers") == (3, 1)
    assert not package.kept()


@pytest.mark.slow  # compiles in processes
def test_what_another_numba_compiled_is_not_taken(package: Package) -> None:
    package.run()
    other = "import importlib.metadata as metadata; metadata.version = lambda name: '99'\n"
    assert package.run(other) == (1, 1)
    assert len(package.kept()) == 2


def test_of_other_sources_only_the_newest_stay(package: Package) -> None:
    for number in range(6):
        old = package.cache / f"benchbench-{number}"
        old.mkdir(parents=True)
        os.utime(old, (number, number))
    package.run()
    left = {path.name for path in package.cache.glob("benchbench-?")}
    assert left == {"benchbench-3", "benchbench-4", "benchbench-5"}
    assert len(package.kept()) == 1


def test_where_no_folder_can_be_written_kernels_are_compiled_in_memory(package: Package) -> None:
    package.cache.write_text("a file where a folder would be")
    assert package.run(NUMBA_CACHE_DIR="/dev/null/x", XDG_CACHE_HOME="", HOME="/dev/null") == (1, 1)
    assert not package.kept()


@pytest.mark.slow  # compiles in processes
def test_the_folder_that_numba_is_told_to_use_comes_first_and_the_users_last(package: Package, tmp_path: Path) -> None:
    package.run(NUMBA_CACHE_DIR=str(package.root / "told"))
    assert {path.parents[1] for path in package.kept()} == {package.root / "told"}
    package.cache.write_text("a file where a folder would be")
    package.run(XDG_CACHE_HOME=str(package.root / "user"))
    user = package.root / "user" / "benchbench"
    assert {path.parents[1] for path in package.kept()} == {package.root / "told", user}


@pytest.mark.slow  # compiles in processes
def test_a_folder_that_can_only_be_read_is_read(package: Package) -> None:
    package.run()
    user = package.root / "user"
    before = "import os, pathlib\nos.access = lambda path, mode: "
    before += f"pathlib.Path(path).exists() and (mode == os.R_OK or pathlib.Path(path).is_relative_to({str(user)!r}))\n"
    assert package.run(before, XDG_CACHE_HOME=str(user)) == (1, 0)
    for path in package.cache.glob("benchbench-*/*"):
        path.unlink()
    assert package.run(before, XDG_CACHE_HOME=str(user)) == (1, 1)
    assert {path.parents[1] for path in package.kept()} == {user / "benchbench"}


def test_a_full_disk_costs_the_kept_code_and_not_the_run(package: Package) -> None:
    before = "from resource import RLIMIT_FSIZE, setrlimit; setrlimit(RLIMIT_FSIZE, (64, 64))\n"
    assert package.run(before) == (1, 1)
    assert not package.kept()


def test_a_damaged_file_is_compiled_anew(package: Package) -> None:
    package.run()
    (kept,) = package.kept()
    kept.write_bytes(kept.read_bytes()[:99])
    assert package.run() == (1, 1)
    assert package.run() == (1, 0)


@pytest.mark.slow  # compiles in processes
def test_processes_that_compile_at_once_leave_one_whole_file_each_kernel(package: Package) -> None:
    for process in [package.start() for _ in range(2)]:
        assert process.ended()[0] == 1
    assert len(package.kept()) == 1
    assert package.run() == (1, 0)


# The library that was built with the package


def _without(package: Package, *names: str, module: str = "kernels.asking") -> "subprocess.CompletedProcess[str]":
    """Call the kernel in a process that cannot import some packages."""
    code = WITHOUT_NUMBA.format(names=names) + f"from benchbench.{module} import ask; print(ask())"
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=package.root,
        env=ENVIRONMENT | {"PYTHONPATH": str(package.root), "XDG_CACHE_HOME": "/dev/null/x"},
        capture_output=True,
        encoding="utf-8",
    )


@pytest.mark.slow  # builds a library
def test_with_its_library_nothing_is_compiled_and_numba_is_not_needed(built: Package) -> None:
    assert _without(built, "numba", "llvmlite").stdout == "1\n"
    assert _without(built, "numba", "llvmlite", module="prepare.tiers").stdout == "3\n"


@pytest.mark.slow  # builds a library
def test_a_library_that_is_not_whole_or_not_its_own_is_not_loaded(built: Package) -> None:
    for path in built.compiled.iterdir():
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2])
    assert built.run() == (1, 1)
    for path in built.compiled.iterdir():
        path.rename(path.with_name(path.name.replace("x86-64", "x86-65")))
    shutil.rmtree(built.cache)
    assert built.run() == (1, 1)


@pytest.mark.slow  # builds a library
def test_changed_sources_never_use_the_library(built: Package) -> None:
    built.write(2)
    built.write_elsewhere(4)
    assert built.run() == (2, 1)
    assert built.run("", "prepare.tiers") == (4, 1)


@pytest.mark.slow  # builds a library
def test_a_processor_gets_the_machine_code_that_it_runs(built: Package) -> None:
    if os.uname().machine != "x86_64":
        return
    plain = "from benchbench.kernels import _native; _native.levels = lambda: ('x86-64',)\n"
    assert built.run(plain) == (1, 0)
    for path in built.compiled.glob("*-x86-64-[!v]*"):
        path.unlink()
    assert built.run(plain) == (1, 1)


@pytest.mark.slow  # builds
def test_where_nothing_links_object_files_are_built_and_llvmlite_loads_them(package: Package) -> None:
    package.build(linker=False)
    assert {path.suffix for path in package.compiled.iterdir()} == {".o"}
    assert package.run() == (1, 0)
    assert _without(package, "numba").stdout == "1\n"
    assert "asking.ask has to be compiled, and numba cannot be imported" in _without(package, "llvmlite").stderr


def test_a_kernel_that_has_to_be_compiled_without_numba_is_one_sentence(package: Package) -> None:
    lines = _without(package, "numba", "llvmlite").stderr.splitlines()
    assert lines[-1] == (
        "benchbench.errors.InputError: benchbench.kernels.asking.ask has to be compiled, "
        "and numba cannot be imported: No module named 'llvmlite'"
    )
