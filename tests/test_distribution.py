"""The wheel and the source distribution: both are in order, have what they should, and work once installed."""

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import benchbench

PROJECT = Path(__file__).parents[1]
pytestmark = pytest.mark.slow  # builds, and installs
SHIPPED = {"library-help/corpus.jsonl", "library-help/qrels/test.tsv", "synthetic-cases/tiered.jsonl"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Build the wheel and the source distribution, without machine code: tests/kernels/test_build.py is about that."""
    folder = tmp_path_factory.mktemp("built")
    ran(folder, "-m", "hatchling", "build", "-d", folder, cwd=PROJECT)
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, source


def ran(folder: Path, *words: object, cwd: Path, path: str = "") -> str:
    """Run Python where numba, which would compile for half a minute, cannot be imported."""
    (folder / "numba.py").write_text("raise ImportError")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, (str(folder), path)))}
    command = [sys.executable, *map(str, words)]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_both_are_in_order(built: tuple[Path, Path], tmp_path: Path) -> None:
    pytest.importorskip("twine")
    assert ran(
        tmp_path, "-m", "twine", "check", "--strict", *built, cwd=tmp_path, path=os.environ.get("PYTHONPATH", "")
    )


def test_both_have_the_data_sets_and_the_source_has_what_builds_it(built: tuple[Path, Path]) -> None:
    wheel, source = built
    with zipfile.ZipFile(wheel) as packed:
        assert {f"benchbench/datasets/{name}" for name in SHIPPED} <= set(packed.namelist())
    with tarfile.open(source) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    files = {"scripts/hatch_build.py", "LICENSE", "CITATION.cff", "CONTRIBUTING.md", "SECURITY.md", "ARCHITECTURE.md"}
    assert files | {f"datasets/{name}" for name in SHIPPED} <= names


@pytest.mark.parametrize("which", [0, 1], ids=["wheel", "source"])
def test_each_works_once_it_is_installed(built: tuple[Path, Path], which: int, tmp_path: Path) -> None:
    installed = tmp_path / "installed"
    options = ("--no-deps", "--no-index", "--no-build-isolation", "--quiet", "--target", installed)
    ran(tmp_path, "-m", "pip", "install", *options, built[which], cwd=tmp_path)
    printed = ran(tmp_path, "-m", "benchbench", "--version", cwd=tmp_path, path=str(installed))
    assert printed == f"benchbench, version {benchbench.__version__}\n"
    code = "import benchbench; print(benchbench.locate('library-help').queries.path)"
    found = Path(ran(tmp_path, "-c", code, cwd=tmp_path, path=str(installed)).strip())
    assert found.is_file()
    assert found.is_relative_to(installed)
