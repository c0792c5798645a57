"""Every command and every piece of Python on the pages of the documentation runs, or says why it does not."""

import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import command_line
import documented
import embedded
import pytest
from command_line import said
from documented import SHELL, Block

from docs import worlds

EXTRAS = tomllib.loads((documented.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]
WITH_BLOCKS = [
    page for page in documented.PAGES if any(one.language in (*SHELL, "python") for one in documented.blocks(page))
]


PYTEST = ("--rootdir", ".", "--import-mode", "importlib", "-p", "benchbench.pytest_plugin")


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("measured")
    with pytest.MonkeyPatch.context() as monkeypatch:
        embedded.in_this_process(monkeypatch)
        worlds.measure(folder)
    return folder


@pytest.fixture
def world(
    request: pytest.FixtureRequest, tmp_path: Path, measured: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[worlds.World]:
    monkeypatch.chdir(tmp_path)
    shim = tmp_path / ".bin" / "benchbench"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m benchbench "$@"\n')
    shim.chmod(0o755)
    embedded.in_this_process(monkeypatch)
    monkeypatch.setenv("PATH", f"{shim.parent}{os.pathsep}{os.environ['PATH']}")
    yield from worlds.made(documented.name(request.param), tmp_path, measured, monkeypatch)


@pytest.mark.slow  # a page has up to fifty commands; that each parses is a test of the first tier
@pytest.mark.parametrize(
    ("page", "world"), [(page, page) for page in WITH_BLOCKS], indirect=["world"], ids=documented.name
)
def test_each_block_of_a_page_runs_or_says_why_not(
    page: Path, world: worlds.World, capsys: pytest.CaptureFixture[str]
) -> None:
    for block in documented.blocks(page):
        if block.reason or block.language not in (*SHELL, "python"):
            continue
        if block.language == "python":
            code = compile(_replaced(block.text, world), f"{block.page}:{block.line}", "exec")
            exec(code, world.names)
            continue
        for line in documented.lines(block):
            world.before(line)
            _run(_replaced(line, world), block, world, capsys)


def _replaced(text: str, world: worlds.World) -> str:
    for old, new in world.replaced.items():
        text = text.replace(old, new)
    return text


def _run(line: str, block: Block, world: worlds.World, capsys: pytest.CaptureFixture[str]) -> None:
    """Run a line: benchbench in this process, a service beside it, and anything else in a shell."""
    where = f"{block.page}:{block.line}: {line}"
    if line.startswith("pip install "):  # the environment of the tests has it; its extras exist
        named = re.findall(r"\.\[([\w,]+)\]", line)
        assert set(",".join(named).split(",")) - {""} <= EXTRAS.keys(), where
        line = line.partition(" && ")[2]
    if not line:
        return
    words = shlex.split(line)
    if words[0] == "export":
        world.monkeypatch.setenv(*words[1].split("=", 1))
        return
    while "=" in words[0]:
        world.monkeypatch.setenv(*words.pop(0).split("=", 1))
    if words[0] == "pytest":
        with world.monkeypatch.context() as here:
            here.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
            assert pytest.main([*words[1:], *PYTEST]) == pytest.ExitCode.OK, where
        return
    if words[0] != "benchbench" or {"|", ">", "&&", "&"} & set(words):
        if shutil.which(words[0]) is None:
            pytest.skip(f"needs {words[0]}")
        done = subprocess.run(["bash", "-ec", line], capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{where}\n{done.stderr}"
        return
    if words[1] == "serve":
        url = world.stack.enter_context(_serving(words[2:]))
        world.replaced.setdefault(worlds.URL, url)
        return
    if words[1] == "load" and "--duration" not in words:
        words += worlds.OF_A_TRACE if "--trace" in words else worlds.SHORT
    if words[1] == "run" and not {"--dataset", "--queries"} & set(words):
        words += worlds.FEW
    if words[1] == "profile":
        words += worlds.LITTLE
    found = said(capsys, *words[1:])
    fine = (0, 1) if any(part in line for part in world.failing) else (0,)
    assert found.code in fine, f"{where}\n{found.errors}"


@contextlib.contextmanager
def _serving(words: list[str]) -> Iterator[str]:
    """Run `benchbench serve` on a free port while the page is read."""
    port = words.index("--port")
    with command_line.process("serve", *words[:port], *words[port + 2 :], "--quiet") as service:
        yield service.stdout.readline().strip()
        service.send_signal(signal.SIGTERM)
        service.communicate(timeout=60)


def test_a_block_that_no_test_runs_says_why() -> None:
    for block in (block for page in documented.PAGES for block in documented.blocks(page)):
        if block.title and block.language in (*SHELL, "python"):
            assert len(block.reason) > 10, f"{block.page}:{block.line}: begins with {documented.NOT_RUN!r}"


def test_no_command_hides_in_a_block_that_is_not_a_shells() -> None:
    for page in documented.PAGES:
        text = page.read_text(encoding="utf-8")
        assert text.count("```") == 2 * len(documented.blocks(page)), (
            f"{page}: a fence that is not at a line's beginning"
        )
        for block in documented.blocks(page):
            if block.language not in SHELL:
                assert not re.search(r"^(\$ )?(benchbench|pip|scripts/)", block.text, re.MULTILINE), block
        assert not re.search(r"^    (\$ )?benchbench ", text, re.MULTILINE), page
