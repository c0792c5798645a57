"""Wheels of the package: what the build step puts into them, with every linker and with none."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from small_package import WITHOUT_NUMBA, SmallPackage

PROJECT = Path(__file__).parents[2]
COMPILERS = {"cc", "gcc", "clang", "ld"}
BUILD = "from hatchling.build import build_wheel; print(build_wheel('..'))"


def _without_compilers(folder: Path) -> str:
    """Return a PATH on which everything is but compilers and linkers."""
    folder.mkdir()
    for place in os.environ["PATH"].split(os.pathsep):
        for program in Path(place).iterdir() if Path(place).is_dir() else ():
            if program.name not in COMPILERS and not (folder / program.name).is_symlink():
                (folder / program.name).symlink_to(program)
    return str(folder)


def _run(*command: object, cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=cwd,
        env=os.environ | environment,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    SmallPackage(root)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(PROJECT / name, root)
    (root / "scripts").mkdir()
    shutil.copy(PROJECT / "scripts" / "hatch_build.py", root / "scripts")
    (root / "datasets").mkdir()
    return root


@pytest.mark.slow  # builds wheels
@pytest.mark.parametrize(("linker", "suffix"), [("cc", ".so"), ("ziglang", ".so"), ("none", ".o")])
def test_a_wheel_has_the_machine_code_and_needs_no_numba(linker: str, suffix: str, project: Path) -> None:
    if linker == "ziglang":
        pytest.importorskip("ziglang", reason="needs the linker of ziglang, 100 MB: pip install ziglang")
    environment = {} if linker == "cc" else {"PATH": _without_compilers(project.parent / "path")}
    if linker == "none":
        (project / "ziglang.py").write_text("raise ImportError")
    wheel = project.parent / _run("-c", BUILD, cwd=project, **environment).splitlines()[-1]
    name = wheel.stem.split("-")
    assert name[2:4] == ["py3", "none"]
    assert os.uname().machine in name[4]
    installed = project.parent / "a place, ä"
    _run("-m", "pip", "install", "--no-deps", "--no-index", "--quiet", "--target", installed, wheel, cwd=project)
    compiled = installed / "benchbench" / "kernels" / "compiled"
    assert {path.suffix for path in compiled.iterdir()} == {suffix}
    shutil.rmtree(project)
    missing = ("numba",) if suffix == ".o" else ("numba", "llvmlite")
    code = WITHOUT_NUMBA.format(names=missing) + "from benchbench.kernels.asking import ask; print(ask())"
    assert _run("-c", code, cwd=installed, PYTHONPATH=str(installed)) == "1\n"


@pytest.mark.slow  # builds
def test_where_nothing_can_be_compiled_the_wheel_is_one_of_python_alone(project: Path) -> None:
    (project / "benchbench" / "kernels" / "broken.py").write_text(
        "from benchbench.kernels._jit import leaf\n\n@leaf\ndef broken(x: int) -> int:\n    return x.nothing\n"
    )
    assert _run("-c", BUILD, cwd=project).splitlines()[-1].endswith("-py3-none-any.whl")
