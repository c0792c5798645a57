"""Several services in one run: the same queries, in turn, side by side."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import data_sets
import polars as pl
import pytest
import services
from command_line import said, sentence

from benchbench.experiment import Output, Settings, run, run_targets
from benchbench.formats.datasets.locate import locate
from benchbench.runs.run_folder import ResultsFolder


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return data_sets.write(tmp_path / "data")


@pytest.fixture
def pair(data: Path) -> Iterator[dict[str, services.Service]]:
    working = services.searching(data_sets.collection(data))
    with services.running(working) as good, services.running(services.useless) as empty:
        yield {"good": good, "empty": empty}


def urls(pair: dict[str, services.Service]) -> dict[str, str]:
    return {name: service.url for name, service in pair.items()}


@pytest.fixture
def command(data: Path, pair) -> list[object]:
    return ["run", "--dataset", data, *(f"--target={name}={url}" for name, url in urls(pair).items())]


def test_each_target_gets_the_numbers_of_a_run_of_its_own(data: Path, pair):
    outcomes = run_targets(Settings(locate(str(data)), targets=urls(pair), batch_size=1, concurrency=1))
    assert list(outcomes) == ["good", "empty"]
    for name, service in pair.items():
        alone = run(data_sets.settings(data, service.url, batch_size=1, concurrency=1))
        assert outcomes[name].estimates == alone.estimates
        assert outcomes[name].counts == alone.counts
        assert outcomes[name].signature == alone.signature
        assert (outcomes[name].settings.name, outcomes[name].url) == (name, alone.url)


def test_targets_take_turns_and_who_goes_first_changes(data: Path):
    order: list[str] = []

    def noting(name: str) -> services.Answer:
        return services.choosing(lambda number, message: order.append(name) or services.echo)  # type: ignore[func-returns-value]

    with services.running(noting("a")) as a, services.running(noting("b")) as b:
        targets = {"a": a.url, "b": b.url}
        run_targets(Settings(locate(str(data)), targets=targets, batch_size=1, concurrency=1))
        assert [message["queries"] for message in a.messages] == [message["queries"] for message in b.messages]
    assert "".join(order) == "aaaabbbb" + "bbbbaaaa" + "aaaabbbb"


def test_pauses_while_others_are_asked_are_not_in_a_targets_seconds(data: Path, pair):
    started = time.perf_counter()
    outcomes = run_targets(Settings(locate(str(data)), targets=urls(pair), batch_size=1, concurrency=1))
    assert sum(one.latency.seconds for one in outcomes.values()) < time.perf_counter() - started
    for one in outcomes.values():
        assert one.per_query["latency_ms"].sum() / 1e3 <= one.latency.seconds


def test_the_folder_has_one_for_each_target_and_a_summary_over_all(monkeypatch, capsys, command, pair, tmp_path: Path):
    out = tmp_path / "out"
    monkeypatch.setenv("COLUMNS", "120")
    code, output, errors = said(capsys, *command, "--out", out)
    assert (code, errors) == (0, f"Results in {out}\n")
    files = {f"{name}.json" for name in ("record", "config", "summary")} | {"evaluate_summary.txt", "report.html"}
    assert {path.name for path in out.iterdir()} == {"good", "empty"} | files
    assert output == (out / "evaluate_summary.txt").read_text(encoding="utf-8")
    assert ["Task", "Metric", "good", "empty"] in [line.split() for line in output.splitlines()]
    summary = json.loads((out / "summary.json").read_bytes())
    for name in pair:
        assert len(list((out / name).iterdir())) == 10
        assert summary["targets"][name] == json.loads((out / name / "summary.json").read_bytes())
        assert pl.read_parquet(out / name / "per_query.parquet").height == data_sets.QUERIES
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "<h1>empty is worse than good in 3 of 3 measures.</h1>" in page


def test_the_page_of_several_targets_has_the_gates_of_the_run(capsys, command, tmp_path: Path):
    folder, page, again = (tmp_path / name for name in ("out", "page.html", "again.html"))
    assert said(capsys, *command, "--fail-if", "nDCG@10<2", "--html", page, "--out", folder, "--quiet").code == 1
    written = page.read_text(encoding="utf-8")
    assert "2 of 2 gates failed" in written
    assert "required at least 2" in written
    assert written == (folder / "report.html").read_text(encoding="utf-8")
    assert said(capsys, "show", folder, "--html", again, "--quiet").code == 0
    assert "<h1>empty is worse than good in " in again.read_text(encoding="utf-8")


def test_gates_and_failures_name_their_target(capsys, command, tmp_path: Path):
    code, _, errors = said(capsys, *command, "-q", "--out", tmp_path / "1", "--fail-if", "accusation.P@3<0.1")
    assert (code, sentence(errors)) == (1, "empty: gate failed: accusation.P@3 is 0, required at least 0.1")
    with services.running(services.html) as broken:
        code, _, errors = said(capsys, *command, "-q", "--target", f"bad={broken.url}", "--out", tmp_path / "2")
    assert code == 4
    assert sentence(errors).startswith("bad: 12 of 12 queries failed, mostly: protocol error: ")
    assert sentence(errors).endswith(f"see {tmp_path / '2' / 'bad' / 'requests.parquet'}")


def test_an_interrupted_comparison_goes_on_with_every_target(capsys, command, data: Path, pair, tmp_path: Path):
    settings = Settings(locate(str(data)), targets=urls(pair), name="good-empty", batch_size=1, concurrency=1, chunk=2)
    seen: list[int] = []

    def stop(done: int, total: int) -> None:
        seen.append(done)
        if done == 11:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), ResultsFolder(tmp_path / "out", names=tuple(pair)) as folder:
        run_targets(settings, {n: Output(f.append, f.journal) for n, f in folder.services.items()}, stop)
    begun = {name: len(service.messages) for name, service in pair.items()}
    options = ("--batch-size", 1, "--concurrency", 1, "--chunk", 2, "--out", tmp_path / "out", "--resume")
    code, _, errors = said(capsys, *command[:-1], *options)
    assert code == 2
    assert "was started with other targets" in sentence(errors)
    assert said(capsys, *command, *options, "--quiet").code == 0
    asked = {name: len(service.messages) - begun[name] for name, service in pair.items()}
    assert 0 < sum(asked.values()) <= 24 - 11 + 2
    for name, service in pair.items():
        alone = run(data_sets.settings(data, service.url))
        rows = pl.read_parquet(tmp_path / "out" / name / "per_query.parquet")
        assert rows.drop("latency_ms").equals(alone.per_query.drop("latency_ms"))


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (["a"], "--target a is not NAME=URL"),
        (["=http://h"], "--target =http://h is not NAME=URL"),
        (["a=http://h", "a=http://i"], "--target a is given twice"),
    ],
)
def test_a_target_is_a_name_and_a_url(capsys, data: Path, tmp_path: Path, values: list[str], reason: str):
    targets = [part for value in values for part in ("--target", value)]
    code, _, errors = said(capsys, "run", "--dataset", data, *targets, "--out", tmp_path / "out")
    assert code == 2
    assert reason in sentence(errors)


def test_resume_on_finished_targets_asks_what_failed_of_each_and_nothing_else(capsys, data: Path, tmp_path: Path):
    working = services.searching(data_sets.collection(data))
    answers = [working, services.status(400), working]
    flaky = services.choosing(lambda number, message: answers[min(number, 2)])
    with services.running(working) as good, services.running(flaky) as bad:
        targets = ["--target", f"good={good.url}", "--target", f"bad={bad.url}"]
        command = ["run", "--dataset", data, *targets, "--batch-size", 5, "--concurrency", 1, "--out", tmp_path / "out"]
        assert said(capsys, *command, "--quiet").code == 4
        begun = len(good.messages), len(bad.messages)
        assert said(capsys, *command, "--quiet", "--resume").code == 0
        assert (len(good.messages) - begun[0], len(bad.messages) - begun[1]) == (0, 1)
    counts = json.loads((tmp_path / "out" / "summary.json").read_bytes())["targets"]
    assert [one["counts"]["asked_again"] for one in counts.values()] == [0, 5]
    assert not list((tmp_path / "out").rglob("received"))
