import os
import subprocess
import sys

import click
import command_line
import pytest
from command_line import said

import benchbench
from benchbench import errors
from benchbench.cli import main
from benchbench.cli.project_file import Command


@pytest.mark.parametrize("arguments", [["--help"], ["-h"]])
def test_help_names_every_command_and_the_exit_codes(capsys, arguments: list[str]):
    code, output, complaints = said(capsys, *arguments)
    assert (code, complaints) == (0, "")
    assert all(f"\n  {name} " in output for name in ("run", "serve", "prepare"))
    assert "130 interrupted" in output


@pytest.mark.parametrize("command", [["run"], ["serve"], ["prepare"], ["prepare", "cail"], ["prepare", "synthetic"]])
def test_every_command_explains_itself(capsys, command: list[str]):
    code, output, complaints = said(capsys, *command, "--help")
    assert (code, complaints) == (0, "")
    assert output.startswith(f"Usage: benchbench {' '.join(command)} ")


def test_the_version_is_that_of_the_package(capsys):
    assert said(capsys, "--version") == (0, f"benchbench, version {benchbench.__version__}\n", "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fly"], "No such command 'fly'"),
        (["run", "--fly"], "No such option"),
        (["run", "--format", "xml"], "'xml' is not one of"),
        (["run", "--retries", "-1"], "--retries"),
        (["run", "--tasks", "gold,fly"], "'fly' is not one of gold, accusation, article, imprisonment"),
        (["serve"], "name a collection, a data set or ir_datasets:ID"),
    ],
)
def test_bad_usage_ends_with_2_and_a_sentence(capsys, arguments: list[str], words: str):
    code, output, complaints = said(capsys, *arguments)
    assert (code, output) == (2, "")
    assert complaints.splitlines()[-1].startswith("Error: ")
    assert words in complaints.splitlines()[-1]
    assert "Traceback" not in complaints


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.InputError, 2),
        (errors.UnreachableError, 3),
        (errors.TooManyFailuresError, 4),
        (errors.InterruptedRunError, 130),
    ],
)
def test_each_error_has_its_exit_code_and_is_one_sentence(capsys, monkeypatch, error: type[Exception], code: int):
    def fail(*arguments: object, **options: object) -> None:
        raise error("it is so")

    monkeypatch.setattr(main.cli, "main", fail)
    assert said(capsys, "run") == (code, "", "Error: it is so\n")


def test_what_is_kept_is_said_wherever_an_interrupt_comes(capsys, monkeypatch):
    def fail(*arguments: object, **options: object) -> None:
        error = KeyboardInterrupt()
        error.add_note("what came is in there")
        raise error

    monkeypatch.setattr(main.cli, "invoke", fail)
    code, output, complaints = said(capsys, "run")
    assert (code, output, complaints.strip()) == (130, "", "Interrupted; what came is in there.")


def test_a_fault_of_ours_is_one_sentence_too(capsys, monkeypatch):
    monkeypatch.setattr(main.cli, "main", lambda *arguments, **options: {}["gone"])
    code, _, complaints = said(capsys, "run")
    assert code == 2
    assert command_line.sentence(complaints) == "KeyError: 'gone' (unexpected; --verbose shows where)"


def test_a_panic_of_a_library_that_is_no_exception_is_code_2_too(capsys, monkeypatch):
    class PanicException(BaseException):
        pass

    def panic(*arguments: object, **options: object) -> None:
        raise PanicException("no thread")

    monkeypatch.setattr(main.cli, "main", panic)
    code, _, complaints = said(capsys, "run")
    assert (code, command_line.sentence(complaints)) == (
        2,
        "PanicException: no thread (unexpected; --verbose shows where)",
    )


def test_only_verbose_shows_a_traceback(capsys):
    missing = ["run", "--dataset", "no-such-thing"]
    assert "Traceback" not in said(capsys, *missing).errors
    assert "Traceback" in said(capsys, *missing, "--verbose").errors


def test_a_reader_who_has_seen_enough_is_no_error():
    assert command_line.ended_without_a_reader("--help") == (0, "", "")


def test_nothing_heavy_is_imported_for_help():
    with command_line.process(
        "--help", env={**os.environ, "PYTHONPROFILEIMPORTTIME": "1"}, stdout=subprocess.DEVNULL
    ) as ended:
        imported = {line.rsplit("|")[-1].strip() for line in ended.communicate(timeout=60)[1].splitlines()}
    assert "click" in imported
    assert not imported & {"numpy", "numba", "polars", "aiohttp", "asyncio", "orjson", "rich"}


# The streams and the locale of the process


@pytest.mark.slow  # a process
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_a_closed_stream_does_not_keep_a_command_from_its_work(tmp_path, closed: str):
    command = f"exec {sys.executable} -m benchbench prepare synthetic --cases 40 --limit 2 --out data -q {closed}"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert {path.name for path in (tmp_path / "data").iterdir()} == {
        "collection.jsonl",
        "tiered.card.json",
        "tiered.jsonl",
    }


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")  # noqa: PTH110
def test_standard_output_that_is_full_is_one_sentence(tmp_path):
    command = f"exec {sys.executable} -m benchbench --help >/dev/full"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert command_line.sentence(done.stderr) == (
        "a file, or standard output, cannot be read or written: No space left on device"
    )


@pytest.mark.slow  # processes
def test_in_a_locale_of_ascii_names_and_words_are_utf_8_all_the_same(tmp_path):
    (tmp_path / "盗窃").mkdir()
    (tmp_path / "盗窃" / "docs.jsonl").write_text('{"id": "1", "title": "a", "text": "被告人张某"}\n', encoding="utf-8")
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-m", "benchbench", "index", "search", "被告人", "--collection", "盗窃/docs.jsonl"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8", check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "1 of 1 hits\n")
    assert "被告人张某" in done.stdout


def test_a_python_that_is_told_to_keep_ascii_starts_anew_once():
    command = [sys.executable, "-X", "utf8=0", "-m", "benchbench", "--version"]
    environment = {**os.environ, "LC_ALL": "C"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (0, f"benchbench, version {benchbench.__version__}\n")


@pytest.mark.slow  # a process
def test_a_stream_that_cannot_encode_a_text_shows_escapes(tmp_path):
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    done = subprocess.run(
        [sys.executable, "-m", "benchbench", "run", "--dataset", "没有"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert "--dataset \\u6ca1\\u6709" in command_line.sentence(done.stderr)


@pytest.mark.parametrize("words", [("run", "http://u:hush@h/?key=hush"), ("show", "http://u:hush@h/x")])
def test_a_url_in_the_wrong_place_shows_no_secret(words, capsys):
    code, _, errors = said(capsys, *words)
    assert code == 2
    assert "hush" not in errors


def groups() -> list[tuple[str, ...]]:
    """Return the line of every group of commands."""
    found: list[tuple[str, ...]] = []

    def walk(group: click.Group, line: tuple[str, ...]) -> None:
        found.append(line)
        for name in group.list_commands(click.Context(group)):
            command = group.get_command(click.Context(group), name)
            if isinstance(command, click.Group):
                walk(command, (*line, name))

    walk(main.cli, ())
    return found


def test_a_group_alone_prints_its_help_and_ends_well(capsys):
    assert {("judge",), ("history",), ("answers",), ("prepare",), ("index",), ("profile",)} <= set(groups())
    for line in groups():
        code, output, errors_ = said(capsys, *line)
        assert (code, errors_) == (0, "")
        assert output.startswith(f"Usage: {' '.join(('benchbench', *line))} ")
        assert output == said(capsys, *line, "--help").output


def test_a_misspelt_command_gets_the_nearest_in_every_group(capsys):
    assert "No such command 'rnu' (did you mean run?)" in said(capsys, "rnu").errors
    assert "No such command 'chek' (did you mean check?)" in said(capsys, "history", "chek").errors
    assert "did you mean" not in said(capsys, "zzzz").errors


def test_every_command_takes_options_from_the_project_file():
    for line in groups():
        group = main.cli
        for name in line:
            group = group.get_command(click.Context(group), name)
        for name in group.list_commands(click.Context(group)):
            command = group.get_command(click.Context(group), name)
            assert isinstance(command, Command | click.Group), (*line, name)


def test_an_empty_url_is_no_embedded_retriever(capsys):
    for command in ("run", "load"):
        code, output, complaint = said(capsys, command, "--url", "")
        assert (code, output) == (2, "")
        assert complaint == "Error: --url is empty; is the variable set that should hold the URL?\n"


def test_only_a_command_that_can_pass_over_bad_lines_says_so(capsys, tmp_path):
    file = tmp_path / "rows.jsonl"
    file.write_text("words\n")
    advised = said(capsys, "datasets", "--dataset", file, "--dataset-format", "tiered")
    bare = said(capsys, "index", "list", "--collection", file)
    assert (advised.code, bare.code) == (2, 2)
    assert bare.errors.endswith("line 1: not JSON (unexpected character, expected a JSON value at column 1)\n")
    assert advised.errors.endswith("column 1); --skip-bad-lines counts such lines and goes on\n")
