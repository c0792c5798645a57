"""Completion by the shell, asked as a shell asks: a process of its own with words in its environment."""

import os
import shutil
import subprocess
import sys

import command_line
import pytest
from cases import first_of


def completed(*words: str) -> list[str]:
    """Return what the last word may become, as bash is told."""
    asked = {"COMP_WORDS": " ".join(("benchbench", *words)), "COMP_CWORD": str(len(words))}
    environment = {**os.environ, **asked, "_BENCHBENCH_COMPLETE": "bash_complete"}
    with command_line.process(env=environment) as ended:
        output, errors = ended.communicate(timeout=60)
    assert (ended.returncode, errors) == (0, "")
    return [line for line in output.splitlines() if line]


@pytest.mark.parametrize(
    ("words", "expected"),
    first_of(
        (("com",), ["plain,compare"]),
        (("prepare", "s"), ["plain,shards", "plain,synthetic"]),
        (("profile", "client", "--rep"), ["plain,--repeat"]),
        (("profile", "client", "--ro"), []),
        (("run", "--format", "js"), ["plain,json", "plain,jsonl"]),
        (("run", "--tasks", "gold,acc"), ["plain,gold,accusation"]),
        (("run", "--out", "res"), ["file,res"]),
        (("run", "--dataset", "my"), ["file,my"]),
        (("run", "--protocol", "e"), ["plain,elasticsearch", "file,e"]),
        (("score", "q"), ["file,q"]),
        first=2,
    ),
)
def test_commands_options_choices_and_paths_complete(words: tuple[str, ...], expected: list[str]):
    assert completed(*words) == expected


@pytest.mark.slow  # processes
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_its_script(shell: str):
    with command_line.process(env={**os.environ, "_BENCHBENCH_COMPLETE": f"{shell}_source"}) as ended:
        output, errors = ended.communicate(timeout=60)
    assert (ended.returncode, errors) == (0, "")
    assert f"{shell}_complete" in output


@pytest.mark.slow  # a shell
@pytest.mark.skipif(shutil.which("bash") is None, reason="this machine has no bash")
def test_bash_completes_with_the_script(tmp_path):
    program = tmp_path / "benchbench"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m benchbench "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    script = (
        'eval "$(_BENCHBENCH_COMPLETE=bash_source benchbench)"; COMP_WORDS=(benchbench prepare s); COMP_CWORD=2; '
        '_benchbench_completion benchbench s prepare; echo "${COMPREPLY[@]}"'
    )
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", script], env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.stdout.strip(), done.stderr) == ("shards synthetic", "")
