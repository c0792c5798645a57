"""A process that compiles for another one: what it leaves, and that nothing depends on it."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from benchbench.kernels import compiled_ahead as module
from benchbench.kernels.compiled_ahead import begin, compiled_ahead

CODE = """
from functools import partial
from benchbench.kernels import lookup, measure
from benchbench.measures.evaluate import compile_scoring
from benchbench.kernels import compiled_ahead as module
module.usable_cores = lambda: 2
with module.compiled_ahead(measure.measure, partial(compile_scoring, ["AP"], "trec")) as done:
    done()
compile_scoring(["AP"], "trec")
for kernel in (measure.measure, lookup._find):
    assert kernel.stats.cache_hits, kernel
    assert not kernel.stats.cache_misses, kernel
"""


@pytest.mark.slow  # kernels are compiled anew
def test_what_the_other_process_compiled_is_not_compiled_again(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    subprocess.run([sys.executable, "-W", "error", "-c", CODE], check=True)


def waited(*jobs: Callable[[], object]) -> None:
    with compiled_ahead(None, *jobs) as done:
        done()


@pytest.fixture
def cold(monkeypatch):
    monkeypatch.setattr(module, "usable_cores", lambda: 2)
    monkeypatch.setattr(module, "would_keep", lambda kernel: True)


def test_the_jobs_are_done_when_it_was_waited_for(tmp_path, cold):
    waited(partial(os.mkdir, tmp_path / "one"), partial(os.mkdir, tmp_path / "two"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]


def test_it_ends_with_the_block(tmp_path, cold):
    with compiled_ahead(None, partial(time.sleep, 999), partial(os.mkdir, tmp_path / "one")):
        pass
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("missing", "cores"), [(False, 2), (True, 1)])
def test_no_process_is_started_for_nothing(missing: bool, cores: int, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "usable_cores", lambda: cores)
    monkeypatch.setattr(module, "would_keep", lambda kernel: missing)
    waited(partial(os.mkdir, tmp_path / "one"))
    assert not list(tmp_path.iterdir())


def test_a_process_that_cannot_be_started_is_done_without(cold, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/dev/null/x")
    waited(partial(os.mkdir, "never"))
    assert not Path("never").exists()


def test_a_process_that_fails_is_done_without(tmp_path, cold):
    waited(partial(os._exit, 3))
    waited(partial(os.mkdir, tmp_path), partial(os.mkdir, tmp_path / "one"))
    assert not list(tmp_path.iterdir())


def test_one_process_begins_early_and_does_what_is_known_later_too(tmp_path, cold, monkeypatch):
    started = []
    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *args, **options: started.append(1) or popen(*args, **options))
    (tmp_path / "early_job.py").write_text(f"import os\ndef work(): os.mkdir({str(tmp_path / 'early')!r})\n")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    begin(None, "early_job", "work")
    begin(None, "early_job", "work")
    waited(partial(os.mkdir, tmp_path / "late"))
    assert len(started) == 1
    assert (tmp_path / "early").is_dir()
    assert (tmp_path / "late").is_dir()
