"""`benchbench.toml`: what it may say, where it is looked for, and what takes precedence."""

import json
import sys
from pathlib import Path

import click
import pytest
from command_line import COMMANDS, Said, said, sentence

from benchbench.cli import project_file
from benchbench.cli.main import cli
from benchbench.cli.project_file import Command, found, sources
from benchbench.profile import child
from benchbench.tables.names import PROJECT_FILE


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder to work in, below the home folder."""
    folder = tmp_path / "home" / "project"
    folder.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv(PROJECT_FILE, raising=False)
    monkeypatch.chdir(folder)
    return folder


def write(folder: Path, text: str) -> Path:
    path = folder / project_file.NAME
    path.write_text(text, encoding="utf-8")
    return path


def context(name: str, *arguments: str) -> click.Context:
    """Return the context of a command as it is when its function is called."""
    outer = click.Context(cli, info_name="benchbench")
    command = cli.get_command(outer, name)
    assert command is not None
    return command.make_context(name, list(arguments), parent=outer)


SMALL = "[prepare.synthetic]\ncases = 40\nlimit = 2\nout = 'data'\nformat = 'json'\nforce = true\n"


def made(capsys: pytest.CaptureFixture[str], *arguments: object) -> Said:
    return said(capsys, "prepare", "synthetic", *arguments)


def test_every_command_reads_the_file():
    assert [name for name, command in COMMANDS.items() if not isinstance(command, Command)] == []


def test_options_of_the_file_are_used_and_it_is_said_once(capsys, project: Path):
    path = write(project, SMALL)
    code, output, errors = made(capsys)
    assert (code, json.loads(output)["queries"]["count"]) == (0, 2)
    assert errors == f"Options of [prepare.synthetic] in {path}\n"
    assert (project / "data" / "tiered.jsonl").exists()
    assert made(capsys, "--quiet").errors == ""


def test_the_file_is_found_upwards_and_its_paths_are_from_its_folder(capsys, project: Path, monkeypatch):
    write(project, SMALL)
    deep = project / "a" / "b"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    assert made(capsys).code == 0
    assert (project / "data" / "tiered.jsonl").exists()
    assert not list(deep.iterdir())


def test_the_search_ends_at_the_home_folder(project: Path, tmp_path: Path):
    write(tmp_path, SMALL)
    assert found() is None
    above = write(tmp_path / "home", SMALL)
    assert found() == above


def test_the_variable_names_another_file_or_none(capsys, project: Path, monkeypatch, tmp_path: Path):
    write(project, "[prepare.synthetic]\nlimit = 'x'\n")
    monkeypatch.setenv(PROJECT_FILE, "")
    assert made(capsys, "--cases", 40, "--limit", 2, "--out", "here").code == 0
    monkeypatch.setenv(PROJECT_FILE, str(tmp_path / "other.toml"))
    assert sentence(made(capsys).errors) == f"{tmp_path / 'other.toml'} cannot be read: No such file or directory"
    (tmp_path / "other.toml").write_text(SMALL, encoding="utf-8")
    assert made(capsys).code == 0
    assert (tmp_path / "data").is_dir()


def test_the_command_line_wins_silently_and_over_lists(project: Path):
    write(project, "[run]\ncutoff = [5, 10]\ntop-k = 7\ntasks = 'gold,article'\nfail-if = 'AP<1'\nself = 'id'\n")
    params = context("run", "-k", "3", "--top-k", "9").params
    assert (params["cutoffs"], params["top_k"]) == ((3,), 9)
    assert (params["tasks"], params["fail_if"], params["self_by"]) == (("gold", "article"), ("AP<1",), "id")


def test_an_option_of_the_line_puts_aside_what_it_excludes(project: Path):
    write(project, "[run]\nurl = 'http://a'\nmeasure = ['AP', 'P@5']\n[load]\nconcurrency = 4\ncutoff = 7\n")
    assert context("run").params["url"] == "http://a"
    assert context("run").params["measures"] == ("AP", "P@5")
    assert context("run", "-k", "5").params["measures"] == ()
    assert context("load", "-m", "AP").params["cutoffs"] == ()
    assert context("run", "--target", "b=http://b").params["url"] is None
    assert context("load", "--rate", "5").params["concurrencies"] == ()
    assert context("load", "--duration", "5s").params["concurrencies"] == (4,)


def test_a_name_that_is_a_file_is_one_of_the_files_folder(project: Path):
    (project / "data").mkdir()
    write(project, "[run]\ndataset = 'data'\nprotocol = 'qdrant'\nca-file = '/etc/ca.pem'\n")
    params = context("run").params
    assert (params["dataset"], params["protocol"]) == (str(project / "data"), "qdrant")
    assert params["ca_file"] == Path("/etc/ca.pem")


def test_each_value_has_its_source(project: Path):
    path = write(project, "[run]\ntop_k = 7\nbatch-size = 8\n")
    told = sources(context("run", "--batch-size", "16", "--header", "a: b"))
    assert (told["top_k"], told["batch_size"], told["cutoff"]) == (str(path), "command line", "default")
    assert "verbose" not in told
    assert set(sources(context("run")).values()) == {str(path), "default"}


def test_a_value_has_its_source_by_the_name_of_its_option_and_by_that_of_its_parameter(project: Path):
    told = sources(context("run", "--header", "a: b", "-k", "3"))
    assert (told["header"], told["headers"], told["protocol_options"]) == ("command line", "command line", "default")
    assert (told["cutoff"], told["cutoffs"], told["gold_by"]) == ("command line", "command line", "default")
    assert sources(context("show", "folder"))["results"] == "command line"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[prepare.synthetic]\ncases =\n", "{path}, line 2, column 8: not TOML (Invalid value)"),
        ("[prepare.sinthetic]\n", "[prepare] in {path} has a table 'sinthetic', and there is no such command; "
                                  "the nearest command is synthetic"),
        ("[ruin]\n", "{path} has a table 'ruin', and there is no such command; the nearest command is run"),
        ("[run.deep]\n[prepare]\nsynthetic = 1\n",
         "[prepare] in {path} has a key 'synthetic' outside the table of a command"),
        ("prepare = 3\n", "{path} has a key 'prepare' outside the table of a command"),
        ("cases = 3\n", "{path} has a key 'cases' outside the table of a command"),
        ("[prepare.synthetic]\ncase = 3\n", "{table} has a key 'case', and there is no such option; "
                                            "the nearest option is cases"),
        ("[prepare.synthetic]\nqueries = 3\n", "{table} has a key 'queries'; it is called limit"),
        ("[prepare.synthetic]\nverbose = true\n", "{table} has a key 'verbose'; it works on the command line "
                                                  "only, as --verbose"),
        ("[prepare.synthetic]\nzzz = 3\n", "{table} has a key 'zzz', and there is no such option; there are "
                                          "out, force, limit, positives, min-positives, seed, cases, format, quiet"),
        ("[zzz]\n", "{path} has a table 'zzz', and there is no such command; there are run, load, serve, protocol, "
                   "score, compare, audit, show, passages, answers, judge, evaluate, index, datasets, prepare, "
                   "history, help, profile"),
        ("[prepare.synthetic]\nmin-positives = 1\nmin_positives = 2\n",
         "{table} has min-positives twice, once with `-` and once with `_`"),
        ("[prepare.synthetic]\ncases = 0\n", "cases of {table} is a whole number from 1 to 1,000,000,000, and not 0"),
        ("[prepare.synthetic]\ncases = 'x'\n",
         "cases of {table} is a whole number from 1 to 1,000,000,000, and not 'x'"),
        ("[prepare.synthetic]\ncases = true\n",
         "cases of {table} is a whole number from 1 to 1,000,000,000, and not True"),
        ("[prepare.synthetic]\nforce = 'yes'\n", "force of {table} is true or false, and not 'yes'"),
        ("[prepare.synthetic]\nformat = 'xml'\n", "format of {table} 'xml' is not one of text, json"),
        ("[prepare.synthetic]\nformat = 3\n", "format of {table} 3 is not one of text, json"),
        ("[prepare.synthetic]\nout = 3\n", "out of {table} is the path of a file or folder, and not 3"),
    ],
)  # fmt: skip
def test_what_no_command_takes_is_one_sentence_with_the_file(capsys, project: Path, text: str, words: str):
    path = write(project, text)
    code, output, errors = made(capsys, *(() if "out =" in text else ("--out", "data")))
    assert (code, output) == (2, "")
    assert sentence(errors) == words.format(path=path, table=f"[prepare.synthetic] in {path}")


def test_a_text_is_a_text(capsys, project: Path):
    path = write(project, "[run]\nname = 3\n")
    assert sentence(said(capsys, "run").errors) == f"name of [run] in {path} is a text, and not 3"


def test_help_and_an_empty_file_need_nothing_of_it(capsys, project: Path):
    write(project, "no toml")
    assert made(capsys, "--help").code == 0
    assert said(capsys, "score", "--list-measures").code == 0
    write(project, "")
    assert made(capsys, "--cases", 40, "--limit", 2, "--out", "data", "--quiet").errors == ""


def test_a_folder_of_that_name_is_no_project_file(project: Path):
    (project / project_file.NAME).mkdir()
    assert found() is None


@pytest.mark.slow  # processes
def test_what_a_command_starts_takes_no_options_of_the_file(capsys, project: Path):
    write(project, "[serve]\nport = 'x'\n[score]\nrel = 'x'\n")
    assert said(capsys, "run", "--quiet", "--tasks", "gold", "--limit", 8).code == 0
    ended = child.run([sys.executable, "-m", "benchbench", "score", "qrels", "run"], 60)
    assert "rel of [score]" in said(capsys, "score", "qrels", "run").errors
    assert ended.failure is not None
    assert "qrels" in ended.failure
    assert "[score]" not in ended.failure
