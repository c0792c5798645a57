"""The steps of the GitHub Action run as they stand, in their order, with what a runner gives them."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml
from cases import first_of
from command_line import said
from webhooks import answer, webhook

ROOT = Path(__file__).resolve().parents[1]
ACTION = ROOT / ".github" / "actions" / "benchbench"
STEPS: list[dict[str, Any]] = yaml.safe_load((ACTION / "action.yml").read_text(encoding="utf-8"))["runs"]["steps"]
DESCRIBED = yaml.safe_load((ACTION / "action.yml").read_text(encoding="utf-8"))
EXPRESSION = re.compile(r"\$\{\{ *([\w.-]+) *\}\}")

QRELS = "".join(f"q{n} 0 d{n} 1\n" for n in range(20))
GOOD = "".join(f"q{n} Q0 d{n} 1 2 x\nq{n} Q0 e{n} 2 1 x\n" for n in range(20))
BAD = "".join(f"q{n} Q0 e{n} 1 2 x\nq{n} Q0 d{n} 2 1 x\n" for n in range(20))


@dataclass
class Job:
    """One run of the action in a job."""

    folder: Path
    inputs: Mapping[str, str]
    environment: Mapping[str, str] = field(default_factory=dict)
    steps: dict[str, dict[str, str]] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)
    log: str = ""
    code: int = 0

    def run(self) -> "Job":
        given = {name: str(one.get("default", "")) for name, one in DESCRIBED["inputs"].items()} | dict(self.inputs)
        runner = self.folder / "runner"
        runner.mkdir(exist_ok=True)
        for number, step in enumerate(STEPS):
            if "uses" in step:
                self.skipped.append(step["uses"].partition("@")[0])
                continue
            assert step["shell"] == "bash"
            output = runner / f"output-{len(list(runner.iterdir()))}"
            output.touch()
            environment = {name: self._value(value, given) for name, value in step.get("env", {}).items()}
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]],
                cwd=self.folder,
                env={
                    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
                    "PYTHONPATH": str(ROOT),
                    "HOME": os.environ.get("HOME", "/"),
                    "NUMBA_CACHE_DIR": os.environ.get("NUMBA_CACHE_DIR", ""),
                    "GITHUB_ACTION_PATH": str(ACTION),
                    "GITHUB_OUTPUT": str(output),
                    "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
                    "GITHUB_SHA": "0123456789abcdef0123456789abcdef01234567",
                    "GITHUB_REF_NAME": "main",
                    "RUNNER_TEMP": str(runner),
                    **self.environment,
                    **environment,
                },
                capture_output=True,
                text=True,
                check=False,
            )
            self.log += done.stdout + done.stderr
            told = dict(line.split("=", 1) for line in output.read_text(encoding="utf-8").splitlines())
            self.steps[step.get("id", str(number))] = told
            self.code = done.returncode
            if done.returncode:
                break
        return self

    def _value(self, text: str, given: Mapping[str, str]) -> str:
        def meant(found: re.Match[str]) -> str:
            first, *rest = found[1].split(".")
            if first == "inputs":
                return given[rest[0]]
            step, outputs, name = rest
            assert (first, outputs) == ("steps", "outputs")
            return self.steps[step].get(name, "")

        return EXPRESSION.sub(meant, text)

    @property
    def outputs(self) -> dict[str, str]:
        return {name: self._value(one["value"], {}) for name, one in DESCRIBED["outputs"].items()}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "qrels.trec").write_text(QRELS)
    (tmp_path / "run.trec").write_text(GOOD)
    for name in ("secrets", "types", "json"):  # of a project's own, which Python's must not be taken for
        (tmp_path / f"{name}.py").write_text("raise SystemExit('a file of the working folder was imported')\n")
    return tmp_path


def job(project: Path, **inputs: str) -> Job:
    environment = inputs.pop("environment", {})
    named = {name.replace("_", "-"): value for name, value in inputs.items()}
    return Job(project, {"command": "score qrels.trec run.trec -m RR", "name": "nightly", **named}, environment).run()


@pytest.mark.slow  # each step of a job is a process
def test_a_run_is_recorded_checked_and_summed_up(project: Path, capsys: pytest.CaptureFixture[str]):
    done = job(project)
    assert done.code == 0, done.log
    assert done.outputs["verdict"] == "too little data"
    results = Path(done.outputs["results"])
    assert (results / "record.json").is_file()
    assert (results.parent / "check" / "report.html").is_file()
    assert (results.parent / "check.xml").is_file()
    summary = (project / "summary.md").read_text(encoding="utf-8")
    assert "nightly" in summary
    assert "too little data" in summary
    listed = said(capsys, "history", "list", "--store", project / "results" / "history.db", "--format", "json")
    assert "0123456789abcdef" in listed.output
    assert done.skipped == [
        "actions/setup-python",
        "actions/cache/restore",
        "actions/cache/save",
        "actions/upload-artifact",
    ]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder for results that the first test records, and the others begin with."""
    return tmp_path_factory.mktemp("recorded") / "results"


@pytest.fixture
def with_reference(
    project: Path, recorded: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Path:
    """Return a project whose history has ten runs, and whose latest ranking is worse."""
    monkeypatch.chdir(project)
    if not recorded.exists():
        for _ in range(10):
            typed = ("score", "qrels.trec", "run.trec", "-m", "RR", "--name", "nightly", "--record")
            code, _, errors = said(capsys, *typed)
            assert code == 0, errors
        shutil.copytree("results", recorded)
    shutil.copytree(recorded, "results", dirs_exist_ok=True)
    (project / "run.trec").write_text(BAD)
    return project


@pytest.mark.slow  # five processes, one after the other
def test_what_is_worse_fails_the_job_and_tells_a_webhook_whose_url_no_log_has(with_reference: Path):
    with webhook(answer()) as received:
        hooked = {"HOOK": f"{received.url}/services/T0/s3cr3t-part"}
        done = job(with_reference, alert="env:HOOK\nalerts.jsonl", environment=hooked)
    assert done.code == 1
    assert done.outputs["verdict"] == "worse"
    assert "::error title=benchbench::A measure is worse" in done.log
    assert received.bodies[0]["alerts"][0]["measure"] == "RR"
    assert received.bodies[0]["alerts"][0]["since_commit"] == "0123456789abcdef0123456789abcdef01234567"
    assert len((with_reference / "alerts.jsonl").read_bytes().splitlines()) == 1
    assert "RR" in (with_reference / "summary.md").read_text(encoding="utf-8")
    written = b"".join(path.read_bytes() for path in with_reference.rglob("*") if path.is_file())
    assert b"s3cr3t-part" not in written
    assert "s3cr3t-part" not in done.log


@pytest.mark.slow  # several processes
@pytest.mark.parametrize("end", first_of("--help", "--store mine.db", "--html"))
def test_a_run_that_is_not_in_the_store_fails_the_job_whatever_an_older_run_was(with_reference: Path, end: str):
    done = job(with_reference, command=f"score qrels.trec run.trec -m RR {end}", fail="false")
    assert (done.code, done.outputs["verdict"]) == (2, "failed")
    assert "no run to check" in done.log or re.search(
        r"no run '[0-9a-f-]{36}' in the history results/history.db", done.log
    )


@pytest.mark.parametrize(
    ("measured", "checked", "fail", "code"),
    [(0, 0, "true", 0), (0, 1, "true", 1), (0, 1, "false", 0), (1, 0, "true", 1), (1, 0, "false", 0),
     (2, 0, "false", 2), (4, 0, "true", 4), (0, 2, "false", 2), (0, 4, "false", 4), (130, 0, "false", 130)],
)  # fmt: skip
def test_the_job_ends_as_what_was_measured_and_checked_says(measured: int, checked: int, fail: str, code: int):
    given = {"BENCHBENCH_MEASURED": str(measured), "BENCHBENCH_CHECKED": str(checked), "BENCHBENCH_FAIL": fail}
    done = subprocess.run(["bash", ACTION / "finish.sh"], env=given, capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert ("::error" in done.stdout) == (code > 0)
    assert ("::warning" in done.stdout) == (code == 0 and measured + checked > 0)


@pytest.mark.slow  # five processes, one after the other
def test_a_gate_of_the_command_fails_the_job_and_the_run_is_checked_all_the_same(project: Path):
    command = "benchbench score qrels.trec run.trec -m RR --fail-if 'RR < 2' --name x --out results"
    done = job(project, command=command, name="::error title=x::of a name")
    assert (done.code, done.outputs["verdict"]) == (1, "too little data")
    between = re.split(r"::stop-commands::(\w{32})\n", done.log)
    assert len(between) == 5
    for token, log in zip(between[1::2], between[2::2], strict=True):
        _, end, after = log.partition(f"\n::{token}::\n")
        assert end
        assert "of a name" not in after, "a line of output is no command to the runner"


@pytest.mark.slow  # several processes
def test_what_cannot_be_measured_fails_the_job_whatever_fail_says(project: Path):
    done = job(project, command="score qrels.trec no-such-run -m RR", fail="false")
    assert (done.code, done.outputs["verdict"]) == (2, "failed")
    assert "Nothing was measured or checked: exit code 2" in done.log


HOSTILE = "$(touch pwned) `touch pwned` ; touch pwned ' \" ${IFS} && touch pwned #"


@pytest.mark.slow  # a job for each place where a command could stand
def test_no_input_is_a_command_of_a_shell(project: Path):
    quoted = HOSTILE.replace("\\", "\\\\").replace('"', '\\"').replace("`", "\\`").replace("$", "\\$")
    job(project, command=f'score qrels.trec run.trec -m RR --tag "a={quoted}"', name=HOSTILE, store=f"{HOSTILE}/h.db")
    job(
        project,
        command="score $(touch pwned) `touch pwned` ; touch pwned | touch pwned > pwned",
        alert="$(touch pwned)",
    )
    job(project, planned_runs="1; touch pwned", working_directory=".; touch pwned", python_version="$(touch pwned)")
    job(project, fail="true; touch pwned")
    assert not list(project.rglob("pwned"))


def test_no_step_has_an_expression_in_its_shell():
    """What an expression gives stands in the environment, so that no value is a part of a script."""
    assert [step for step in STEPS if "run" in step and "${{" in step["run"]] == []
    for script in ACTION.glob("*.sh"):
        assert "${{" not in script.read_text(encoding="utf-8")
        assert "eval" not in script.read_text(encoding="utf-8")


def test_every_input_is_described_and_used():
    text = (ACTION / "action.yml").read_text(encoding="utf-8")
    for name, described in DESCRIBED["inputs"].items():
        assert described["description"]
        assert f"inputs.{name}" in text
        assert set(described) <= {"description", "required", "default"}


def test_the_docs_use_the_action_by_its_path_in_a_clone():
    text = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    used = re.findall(r"uses: \./tools/benchbench/(\S+)", text)
    assert used
    assert {ROOT / path for path in used} == {ACTION}
    assert "OWNER" not in text


def test_every_script_is_that_of_a_step():
    text = "".join(path.read_text(encoding="utf-8") for path in ACTION.iterdir())
    named = set(re.findall(r"GITHUB_ACTION_PATH/(\w+\.(?:sh|py))", text))
    assert {path.name for path in ACTION.iterdir()} == {"action.yml", *named}


@pytest.mark.parametrize(
    ("inputs", "said_of"),
    [
        ({"fail": "maybe"}, "The input fail is true or false."),
        ({"name": ""}, "The inputs name and store are one line each, and name is not empty."),
        ({"name": "a\nb=c"}, "The inputs name and store are one line each, and name is not empty."),
        ({"store": ""}, "The input store is empty, and so is the variable BENCHBENCH_HISTORY of the environment."),
    ],
)
def test_bad_inputs_end_the_job_with_a_sentence(project: Path, inputs: dict[str, str], said_of: str):
    done = job(project, **inputs)
    assert done.code == 2
    assert done.log.strip() == said_of


@pytest.mark.parametrize("command", ["", "benchbench", "score 'qrels.trec"])
def test_a_command_that_is_none_ends_the_job_with_a_sentence(project: Path, command: str):
    done = job(project, command=command)
    assert done.code == 1
    assert "The input command " in done.log
    assert "Traceback" not in done.log


@pytest.mark.slow  # several processes
def test_a_database_is_not_cached_and_its_password_is_in_no_output(project: Path):
    done = job(project, store="postgresql://user:pa55word@127.0.0.1:9/history")
    assert done.steps["prepare"]["cached"] == "false"
    assert "store" not in done.steps["prepare"]
    assert "pa55word" not in done.log
    assert done.code == 2


def test_names_that_look_alike_have_caches_of_their_own(project: Path):
    keys = set()
    for name in ("a/b", "a-b", "日本語", "ä" * 300):
        output = project / "output"
        output.write_text("")
        environment = {"BENCHBENCH_NAME": name, "BENCHBENCH_STORE": "h.db", "GITHUB_OUTPUT": str(output)}
        done = subprocess.run(
            [sys.executable, ACTION / "place.py"],
            cwd=project,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=True,
        )
        lines = dict(line.split("=", 1) for line in done.stdout.splitlines())
        assert lines["store"] == str(project / "h.db")
        assert re.fullmatch(r"[\w.-]{9,80}", lines["key"], flags=re.ASCII)
        keys.add(lines["key"])
    assert len(keys) == 4
