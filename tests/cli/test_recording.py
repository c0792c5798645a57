"""`--record`, `--store` and `--tag` of every command that yields numbers."""

import json
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import golden_files
import pytest
from cases import some_of
from chat_server import ChatServer, good
from command_line import COMMANDS, said, sentence
from golden_cases import CASES
from naive_nuggets import invented_assignments
from nugget_judges import written

import benchbench as bb
from benchbench.errors import InputError
from benchbench.history.entry import Entry
from benchbench.history.store import Store, open_history
from benchbench.tables.names import PROJECT_FILE

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 2\n"
RUN = "q1 Q0 d1 1 3 mine\nq1 Q0 d2 2 2 mine\nq2 Q0 d9 1 1 mine\nq2 Q0 d3 2 0.5 mine\n"
STORED = {"show", "history show", "history diff", "history check", "history trend"}  # they measure nothing
URL = "postgresql://someone:p%40ss%20w0rd@127.0.0.1:1/results?password=other-s3cret"
SECRETS = ("p%40ss", "w0rd", "p@ss", "other-s3cret")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Be in a folder with a run to score, which is in no repository and on no CI system."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("BENCHBENCH_HISTORY", "GITHUB_SHA", "GITHUB_REF_NAME", "GITHUB_HEAD_REF", "CI_COMMIT_SHA",
                 "CI_COMMIT_REF_NAME", PROJECT_FILE):  # fmt: skip
        monkeypatch.delenv(name, raising=False)
    Path("qrels").write_text(QRELS)
    Path("run").write_text(RUN)
    return tmp_path


SCORE = ("score", "qrels", "run")


def entries(store: str = "h.db") -> list[Entry]:
    with open_history(store, write=False) as history:
        return history.entries()


def test_every_command_with_gates_records_and_those_that_show_what_is_stored_do_not():
    gated = {name for name, one in COMMANDS.items() if "fail_if" in {parameter.name for parameter in one.params}}
    assert len(gated) >= 20
    for name in gated:
        options = {option for parameter in COMMANDS[name].params for option in parameter.opts}
        assert ({"--record", "--tag"} <= options) == (name not in STORED), name
    measuring = "run load score compare passages audit evaluate profile+metrics profile+client index+test"
    judging = "index+validate judge+relevance judge+answers judge+nuggets judge+agreement answers+run answers+score"
    assert {one.replace("+", " ") for one in f"{measuring} {judging}".split()} <= gated - STORED


RECORDED = {  # golden case -> kinds and names of what is recorded
    "run": [("run", "service")],
    "run-targets": [("targets", "a-b")],
    "load-closed": [("load", "out")],
    "score-three": [("score", "good poor tied")],
    "compare": [("compare", "good and poor")],
    "compare-runs": [("agreement", "good, poor and tied")],
    "compare-folders": [("compare", "whole and half")],
    "passages": [("passages", "texts.json")],
    "passages-k": [("passages", "texts.json")],
    "answers-score": [("answers", "answers.jsonl")],
    "answers-score-few": [("answers", "answers.jsonl")],
    "answers-run": [("answers", None)],
    "index-test": [("index", "collection.jsonl")],
    "index-validate": [("index", "collection.jsonl")],
    "profile-metrics": [("profile", "metrics")],
    "profile-client": [("profile", "client")],
    "audit": [("audit", "data")],
}


@pytest.mark.parametrize("name", some_of(RECORDED, 2))
def test_the_command_records_what_it_prints_and_ends_as_it_ended_before(name: str, tmp_path: Path):
    case = next(one for one in CASES if one.name == name)
    recorded = replace(case, command=(*case.command, "--record", "--store", "h.db", "--tag", "model=v2"))
    folder = tmp_path / "here"
    folder.mkdir()
    made = golden_files.ran(recorded, "json", folder)
    expected = golden_files.GOLDEN / name / ("json.end.txt" if "json" in case.formats else "text.end.txt")
    said_before = expected.read_text("utf-8").splitlines()
    assert made["json.end.txt"].splitlines()[0] == said_before[0]
    quiet = "-q" in case.command
    assert ("Recorded as #1 in h.db" in made["json.end.txt"].splitlines()) == (not quiet)
    found = entries(str(folder / "h.db"))
    assert [
        (one.kind, one.name if wanted else None) for one, (_, wanted) in zip(found, RECORDED[name], strict=True)
    ] == (RECORDED[name])
    assert [dict(one.tags) for one in found] == [{"model": "v2"}]
    record = json.loads(made["json.json"])["record"] if "record" in made["json.json"] else None
    assert record is None or record["tags"] == {"model": "v2"}
    for path in folder.rglob("record.json"):
        if "out" in path.parts or "asked" in path.parts:
            assert json.loads(path.read_bytes())["tags"] == {"model": "v2"}, path
    with open_history(folder / "h.db") as history:
        assert history.numbers(found).height > 0
        result = history.result(found[0])
        if found[0].source:
            assert not history.add(bb.load(found[0].source))[1]
        assert bb.draw(result, "json")


def test_each_load_test_of_several_targets_is_recorded_and_their_comparison(capsys):
    case = next(one for one in CASES if one.name == "run-targets")
    with case.inputs() as urls:
        code, _, errors = said(
            capsys, "load", "--target", f"a={urls['a']}", "--target", f"b={urls['b']}", "--dataset", "data", "--out",
            "out", "--warm-up", "0s", "--duration", "20ms", "--concurrency", "1", "--batch-size", "1", "-k", "10",
            "--record", "--tag", "x=",
        )  # fmt: skip
    assert code == 0, errors
    assert errors.endswith("Results in out\n")
    found = entries("results/history.db")
    assert [(one.kind, one.name, dict(one.tags)) for one in found] == [
        ("load", "a", {"x": ""}),
        ("load", "b", {"x": ""}),
        ("loads", "a and b", {"x": ""}),
    ]
    places = [Path(one.source).relative_to(Path.cwd()).as_posix() for one in found]
    assert places == ["out/a", "out/b", "out/comparison"]


def test_verdicts_of_judges_are_recorded(capsys, tmp_path: Path):
    rows = [{"question": f"q{n}", "answer": "a", "context": ["c"], "truth": "t"} for n in range(3)]
    answers = written(tmp_path / "answers.jsonl", rows)
    more = ("--record", "--store", "h.db", "--tag", "a=b")
    with ChatServer(good(1)) as server:
        line = ("judge", "answers", answers, "--rubric", "faithfulness", "--model", "j", "--base-url", server.url)
        assert said(capsys, *line, "--retry-for", "0", "--dry-run", *more).code == 0
        assert not Path("h.db").exists()
        assert said(capsys, *line, "--retry-for", "0", "--out", "judged", *more).code == 0
    assignments = written(tmp_path / "both.jsonl", invented_assignments("a", 8))
    assert said(capsys, "judge", "nuggets", assignments, *more).code == 0
    human = "".join(f"q{q} 0 d{d} {(q + d) % 3}\n" for q in range(8) for d in range(4))
    Path("human").write_text(human)
    Path("judge").write_text(human.replace("d1 1", "d1 2"))
    assert said(capsys, "judge", "agreement", "human", "judge", "--judge-name", "j", *more).code == 0
    assert [one.kind for one in entries()] == ["judge", "nuggets", "judge_agreement"]
    assert {tuple(one.tags.items()) for one in entries()} == {(("a", "b"),)}


# What git says


def git(*words: str) -> str:
    names = ("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *names, *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def repository(place: Path) -> str:
    """Return the commit of a repository in which the run lies."""
    git("init", "--quiet", "--initial-branch", "work")
    git("add", "run", "qrels")
    git("commit", "--quiet", "-m", "one")
    return git("rev-parse", "HEAD")


def recorded_tags(capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, str]:
    found = said(capsys, *SCORE, "--record", "--quiet", *more)
    assert (found.code, found.errors) == (0, "")
    return dict(entries("results/history.db")[-1].tags)


def test_commit_and_branch_are_tags_and_changes_are_told(capsys, repository: str):
    assert recorded_tags(capsys) == {"commit": repository, "branch": "work"}
    Path("run").write_text(RUN.replace("0.5", "0.25"))
    assert recorded_tags(capsys) == {"commit": repository, "branch": "work", "dirty": "yes"}
    (entry,) = [one for one in entries("results/history.db") if one.tags.get("dirty")]
    assert (entry.commit, entry.branch) == (repository, "work")


def test_a_commit_that_is_given_wins(capsys, repository: str):
    found = recorded_tags(capsys, "--tag", "commit=abcdef", "--tag", "branch=")
    assert found == {"commit": "abcdef", "branch": ""}
    assert entries("results/history.db")[-1].commit == "abcdef"


def test_a_head_without_branch_has_that_of_the_ci_system(capsys, repository: str, monkeypatch):
    git("checkout", "--quiet", "--detach")
    assert recorded_tags(capsys) == {"commit": repository}
    monkeypatch.setenv("GITHUB_REF_NAME", "12/merge")
    monkeypatch.setenv("GITHUB_SHA", "0" * 40)
    assert recorded_tags(capsys) == {"commit": repository, "branch": "12/merge"}
    monkeypatch.setenv("GITHUB_HEAD_REF", "topic")
    assert recorded_tags(capsys) == {"commit": repository, "branch": "topic"}


def test_without_git_or_a_repository_the_environment_says_or_nothing(capsys, monkeypatch):
    assert recorded_tags(capsys) == {}
    monkeypatch.setenv("CI_COMMIT_SHA", "1" * 40)
    assert recorded_tags(capsys) == {"commit": "1" * 40}
    monkeypatch.setenv("PATH", "")
    assert recorded_tags(capsys) == {"commit": "1" * 40}


def test_the_folder_has_the_tags_too_and_without_record_only_those_that_are_given(capsys, repository: str):
    assert said(capsys, *SCORE, "--out", "plain", "--tag", "model=v1", "--quiet").code == 0
    assert bb.load("plain").record.tags == {"model": "v1"}
    assert said(capsys, *SCORE, "--out", "kept", "--tag", "model=v1", "--record", "--quiet").code == 0
    assert bb.load("kept").record.tags == {"commit": repository, "branch": "work", "model": "v1"}
    assert "results/history.db" not in json.dumps(json.loads(Path("kept/config.json").read_bytes())["options"])


# What goes wrong


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--tag", "model"), "--tag model is not NAME=VALUE"),
        (("--tag", "=v1"), "--tag =v1 is not NAME=VALUE"),
        (("--tag", "a=1", "--tag", "a=2"), "--tag a is given twice"),
        (("--store", "h.db"), "--store says where --record keeps the result; add --record"),
        (("--record", "--store", "folder"), "--store folder is a folder; name a file in it, such as folder/history.db"),
        (("--record", "--store", ""), "--store is a file, or the URL of a database"),
        (("--record", "--store", "run/h.db"), "--store run/h.db: "),
        (("--record", "--store", "qrels"), "the history qrels is not a history, or is damaged"),
        (("--record", "--store", "mysql://u:s3cret@h/d"), "--store is a file, sqlite:///FILE or postgresql://"),
    ],
)
def test_what_cannot_be_recorded_is_one_sentence_before_anything_is_measured(capsys, place, options, reason):
    Path("folder").mkdir()
    before = sorted(place.rglob("*"))
    code, output, errors = said(capsys, "score", "qrels", "gone", *options)
    assert (code, output) == (2, "")
    assert sentence(errors).startswith(reason)
    assert "s3cret" not in errors
    assert sorted(place.rglob("*")) == before


def test_a_store_of_a_newer_benchbench_is_refused_before_anything_is_measured(capsys):
    assert said(capsys, *SCORE, "--record", "--store", "h.db").code == 0
    with open_history("h.db") as history, history.transaction() as connection:
        connection.run("UPDATE history_version SET version_num = '9999'")
    code, output, errors = said(capsys, "score", "qrels", "gone", "--record", "--store", "h.db")
    assert (code, output) == (2, "")
    assert "newer" in sentence(errors)


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Let nothing be added to a store, until that is undone."""

    def fail(*_: object, **__: object) -> None:
        raise InputError("the store h.db is full; free some space")

    with monkeypatch.context() as patch:
        patch.setattr(Store, "add", fail)
        yield patch


def test_what_a_store_does_not_take_is_printed_and_lies_in_a_folder_that_can_be_added(capsys, failing):
    code, output, errors = said(capsys, *SCORE, "--record", "--store", "h.db")
    assert code == 2
    assert "nDCG@10" in output
    (folder,) = Path("results").glob("*-score")
    assert sentence(errors) == (
        "the result is not recorded: the store h.db is full; free some space; it lies in "
        f"{folder}, and `benchbench history add {folder} --store h.db` adds it later"
    )
    failing.undo()
    assert said(capsys, "history", "add", folder, "--store", "h.db").code == 0
    assert [one.name for one in entries()] == ["run"]


def test_a_gate_that_failed_as_well_is_said(capsys, failing):
    gated = ("--fail-if", "AP<0.9", "--out", "out", "--record", "--store", "h.db")
    code, _, errors = said(capsys, *SCORE, *gated)
    assert code == 2
    assert errors.splitlines()[-1] == (
        "Error: the result is not recorded: the store h.db is full; free some space; it lies in out, and `benchbench "
        "history add out --store h.db` adds it later; gate failed: AP is 0.75, required at least 0.9"
    )


def test_a_gate_that_fails_ends_with_1_once_the_result_is_recorded(capsys):
    code, _, errors = said(capsys, *SCORE, "--fail-if", "AP<0.9", "--record", "--store", "h.db")
    assert (code, errors) == (1, "Recorded as #1 in h.db\nError: gate failed: AP is 0.75, required at least 0.9\n")


def test_a_fault_of_the_store_loses_nothing_and_an_interruption_neither(capsys, monkeypatch):
    def broken(*_: object, **__: object) -> None:
        raise problem

    monkeypatch.setattr(Store, "add", broken)
    problem: BaseException = RuntimeError("a fault")
    code, output, errors = said(capsys, *SCORE, "--record", "--store", "h.db", "--out", "one")
    assert (code, "nDCG@10" in output) == (2, True)
    assert "the result is not recorded: a fault; it lies in one, and " in errors
    problem = KeyboardInterrupt()
    code, output, errors = said(capsys, *SCORE, "--record", "--store", "h.db", "--out", "two")
    assert (code, "nDCG@10" in output) == (130, True)
    assert "the result is not recorded: interrupted; it lies in two, and " in errors


def test_where_nothing_can_be_written_the_result_is_at_least_printed(capsys, failing):
    Path("results").write_text("a file")
    code, output, errors = said(capsys, *SCORE, "--record", "--store", "h.db")
    assert (code, "nDCG@10" in output) == (2, True)
    assert sentence(errors).startswith(
        "the result is not recorded: the store h.db is full; free some space; nor can it be kept in a folder: "
    )


# Secrets, and where options come from


def test_a_password_is_in_no_output_record_or_file(capsys, place: Path, monkeypatch):
    monkeypatch.setattr("benchbench.cli.recording.Recording.check", lambda self: None)
    code, output, errors = said(capsys, *SCORE, "--record", "--store", URL, "--out", "out", "--verbose")
    assert (code, "nDCG@10" in output) == (2, True)
    assert "`benchbench history add out --store URL` adds it later" in errors
    files = [path.read_text("utf-8", errors="replace") for path in place.rglob("*") if path.is_file()]
    assert not [secret for secret in SECRETS if secret in "".join((output, errors, *files))]


@pytest.mark.parametrize(
    "line", [(*SCORE, URL), ("history", URL), ("history", "list", URL), ("history", "list", "--stor", URL)]
)
def test_a_misplaced_url_is_quoted_without_its_password(capsys, line: tuple[str, ...]):
    code, output, errors = said(capsys, *line)
    assert (code, [secret for secret in SECRETS if secret in output + errors]) == (2, [])


def test_the_project_file_says_what_is_recorded_and_where(capsys, place: Path, monkeypatch):
    Path("benchbench.toml").write_text(
        '[score]\nrecord = true\nstore = "kept/h.db"\ntag = ["model=v3"]\n\n[history.list]\nstore = "kept/h.db"\n'
        'format = "csv"\n'
    )
    (place / "below").mkdir()
    monkeypatch.chdir("below")
    assert said(capsys, "score", "../qrels", "../run").code == 0
    assert [dict(one.tags) for one in entries("../kept/h.db")] == [{"model": "v3"}]
    assert said(capsys, "history", "list").output.startswith("number,id,started,")
    monkeypatch.chdir(place)
    Path("benchbench.toml").write_text('[score]\nrecord = true\nstore = "postgresql://u:s3cret@h"\ntag = ["x"]\n')
    code, _, errors = said(capsys, *SCORE)
    assert (code, "s3cret" in errors) == (2, False)


def test_the_store_may_be_named_by_the_environment(capsys, monkeypatch):
    monkeypatch.setenv("BENCHBENCH_HISTORY", "env.db")
    assert said(capsys, *SCORE, "--quiet").code == 0
    assert not Path("env.db").exists()
    assert said(capsys, *SCORE, "--record", "--quiet").code == 0
    assert len(entries("env.db")) == 1
    assert said(capsys, *SCORE, "--record", "--quiet", "--store", "h.db").code == 0
    assert len(entries("env.db")) == len(entries("h.db")) == 1


def test_the_example_of_an_address_is_shown_whole(capsys):
    code, _, errors = said(capsys, *SCORE, "--record", "--store", "postgresql://u:s3c@ret@h/d")
    assert code == 2
    assert "write postgresql://USER:PASSWORD@HOST:PORT/DATABASE" in sentence(errors)
    assert "s3c" not in errors
