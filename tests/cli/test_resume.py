"""A run that is killed goes on where it stood, and ends as if nothing had happened."""

import contextlib
import itertools
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random

import command_line
import data_sets
import polars as pl
import pytest
import services
from command_line import said, sentence

from benchbench.experiment import Settings, run
from benchbench.formats.card import DataSet, locate
from benchbench.formats.collection import read_collection
from benchbench.report.folder import ResultsFolder

KILLS = 5  # a test; there are two


@pytest.fixture(scope="module")
def large() -> DataSet:
    return locate("synthetic-cases")


@pytest.fixture(scope="module")
def working(large: DataSet) -> services.Answer:
    assert large.collection is not None
    return services.searching(read_collection(large.collection))


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return data_sets.write(tmp_path / "data")


def stored(partial: Path) -> set[int]:
    """Return the numbers of the queries whose answers are on disk."""
    files = sorted((partial / "received").glob("*.parquet"))
    rows = [row for path in files for row in pl.read_parquet(path, columns=["first", "count"]).iter_rows()]
    return {q for first, count in rows for q in range(first, first + count)}


def assert_equal(one: Path, other: Path) -> None:
    """Compare two results folders in all but times."""
    assert {path.name for path in one.iterdir()} == {path.name for path in other.iterdir()}
    for name in ("hits.parquet", "run.trec", "qrels.trec"):
        assert (one / name).read_bytes() == (other / name).read_bytes()
    rows = [pl.read_parquet(folder / "per_query.parquet").drop("latency_ms") for folder in (one, other)]
    assert rows[0].equals(rows[1])
    requests = [
        pl.read_parquet(folder / "requests.parquet").drop("due", "sent", "first_byte", "end") for folder in (one, other)
    ]
    assert requests[0].equals(requests[1])
    summaries = [json.loads((folder / "summary.json").read_bytes()) for folder in (one, other)]
    for summary in summaries:
        for times in ("latency_ms", "client", "url"):
            del summary[times]
        del summary["throughput"]["seconds"], summary["throughput"]["queries_per_second"]
    assert summaries[0] == summaries[1]


@pytest.mark.parametrize(("seed", "batch_size", "chunk"), [(1, 3, 9), (2, 1, 7)])
def test_a_run_killed_again_and_again_equals_an_unbroken_one_and_asks_nothing_twice_that_was_stored(
    tmp_path: Path, large: DataSet, working: services.Answer, seed: int, batch_size: int, chunk: int
):
    texts = [json.loads(line)["query"]["fact"] for line in large.queries.read_text(encoding="utf-8").splitlines()]
    assert len(set(texts)) == len(texts)
    random, stop = Random(seed), [0]  # requests from this number on are never answered: no run ends before its kill

    with services.running(
        services.choosing(lambda number, message: working if number < stop[0] else services.never)
    ) as service:
        out = tmp_path / "out"
        options = [
            "--url",
            service.url,
            "--name",
            "bm25",
            "--batch-size",
            batch_size,
            "--chunk",
            chunk,
            "--concurrency",
            2,
            "--out",
            out,
        ]
        command = ["run", *options, "--resume", "--quiet"]
        known: set[int] = set()
        ahead = 2 * 4 + chunk // batch_size + 2  # so many requests are not sent before a chunk is stored
        for kill in range(KILLS):
            begun = len(service.messages)
            moment = begun + (random.randint(1, len(texts) // batch_size // (KILLS + 2)) if kill else ahead)
            stop[0] = moment + 1
            with command_line.process(*command) as killed:
                while service.asked.get(timeout=60) < moment:
                    pass
                killed.kill()
                killed.communicate(timeout=60)
            assert not out.exists()
            asked = {texts.index(text) for message in service.messages[begun:] for text in message["queries"]}
            assert not asked & known
            known = stored(tmp_path / "out.partial")
            assert known == set(range(len(known)))
        begun, stop[0] = len(service.messages), 10**9
        with command_line.process(*command) as last:
            _, errors = last.communicate(timeout=60)
        assert (last.returncode, errors) == (0, "")
        asked = [texts.index(text) for message in service.messages[begun:] for text in message["queries"]]
        assert sorted(asked) == sorted(set(range(len(texts))) - known)
        assert len(known) > 0
        settings = Settings(large, service.url, batch_size=batch_size, chunk=chunk, concurrency=2)
        with ResultsFolder(tmp_path / "unbroken") as folder:
            folder.finish(run(settings, folder.append), 0.0)
    assert_equal(out, tmp_path / "unbroken")


def test_a_run_with_workers_goes_on_with_any_other_number_of_them(
    tmp_path: Path, large: DataSet, working: services.Answer
):
    """Its workers share its standard error, which ends with the last of them: a kill leaves none behind."""
    stop = 0
    answer = services.choosing(lambda number, message: working if number < stop else services.never)
    with services.running(answer) as service:
        out = tmp_path / "out"
        options = [
            "--url",
            service.url,
            "--name",
            "bm25",
            "--batch-size",
            1,
            "--chunk",
            7,
            "--concurrency",
            4,
            "--out",
            out,
        ]
        for workers in (2, 3):
            begun = len(service.messages)
            stop = begun + 4 * 4 + 7
            with command_line.process("run", *options, "--workers", workers, "--resume", "--quiet") as killed:
                while service.asked.get(timeout=60) < stop:
                    pass
                killed.kill()
                killed.communicate(timeout=60)
        known, begun, stop = stored(tmp_path / "out.partial"), len(service.messages), 10**9
        assert len(known) >= 14
        with command_line.process("run", *options, "--resume", "--quiet") as last:
            _, errors = last.communicate(timeout=60)
        assert (last.returncode, errors) == (0, "")
        assert len(service.messages) - begun == 200 - len(known)
        settings = Settings(large, service.url, batch_size=1, chunk=7, concurrency=4)
        with ResultsFolder(tmp_path / "unbroken") as folder:
            folder.finish(run(settings, folder.append), 0.0)
    assert_equal(out, tmp_path / "unbroken")


@pytest.fixture
def interrupted(capsys, small: Path, tmp_path: Path) -> Iterator[tuple[services.Service, Path, list[object]]]:
    """Yield a service, the `.partial` folder of a run that got five queries of it, and the command."""
    searching = services.searching(data_sets.collection(small))
    with services.running(searching) as service:
        out = tmp_path / "out"
        command = ["run", "--dataset", small, "--url", service.url, "--name", "bm25", "--batch-size", 5, "--out", out]
        done = itertools.count()

        def stop(number: int, total: int) -> None:
            if next(done) == 1:
                raise KeyboardInterrupt

        settings = data_sets.settings(small, service.url, batch_size=5, chunk=5, concurrency=1)
        with contextlib.suppress(KeyboardInterrupt), ResultsFolder(out) as folder:
            run(settings, folder.append, stop, folder.journal)
        assert stored(folder.partial) == set(range(5))
        yield service, folder.partial, [*command, "--concurrency", 1, "--resume"]


def test_what_is_stored_is_not_asked_and_the_rest_is(capsys, interrupted, small: Path):
    service, partial, command = interrupted
    begun = len(service.messages)
    assert said(capsys, *command).code == 0
    texts = [line["query"]["fact"] for line in data_sets.lines()]
    assert [text for message in service.messages[begun:] for text in message["queries"]] == texts[5:]
    assert not partial.exists()
    requests = pl.read_parquet(partial.with_name("out") / "requests.parquet")
    assert requests["first_query"].to_list() == [0, 5, 10]
    assert (requests["sent"][1:] >= requests["end"][:-1]).all()  # the clock of the run goes on


def test_without_resume_the_folder_is_refused_and_left_alone(capsys, interrupted):
    _, partial, command = interrupted
    code, _, errors = said(capsys, *command[:-1])
    assert code == 2
    assert sentence(errors).startswith(f"{partial} is what an interrupted run had received; go on with --resume")
    assert stored(partial) == set(range(5))


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--batch-size", 4], "--batch-size 5, and this is 4"),
        (["--top-k", 30], "--top-k 20, and this is 30"),
        (["--url", "http://127.0.0.1:1"], "--url http://127.0.0.1:"),
        (["--name", "other"], "--name bm25, and this is other"),
        (["--tasks", "gold"], '--tasks ["gold","accusation","article","imprisonment"], and this is ["gold"]'),
        (["-k", 5], "-k [3,5,10], and this is [5]"),
        (["--gold", "id"], "--gold text, and this is id"),
        (["--max-positives", 3], "--max-positives 10, and this is 3"),
    ],
)
def test_an_option_that_matters_must_be_the_same(capsys, interrupted, options: list[object], reason: str):
    service, partial, command = interrupted
    begun = len(service.messages)
    code, _, errors = said(capsys, *command, *options)
    assert (code, len(service.messages)) == (2, begun)
    assert sentence(errors).startswith(f"--resume: {partial} was begun with {reason}")
    assert stored(partial) == set(range(5))


def test_another_data_set_and_another_version_are_refused(capsys, interrupted, small: Path, monkeypatch):
    _, partial, command = interrupted
    monkeypatch.setattr("benchbench.__version__", "9.9")
    assert sentence(said(capsys, *command).errors).startswith(f"--resume: {partial} was begun with benchbench ")
    monkeypatch.undo()
    data_sets.write_lines(small / "tiered.jsonl", data_sets.lines()[:-1])
    assert "was begun with the data set (digest) " in sentence(said(capsys, *command).errors)
    assert stored(partial) == set(range(5))


def test_options_that_change_no_number_may_change(capsys, interrupted):
    _, _, command = interrupted
    assert said(capsys, *command, "--timeout", 5, "--retries", 1, "--chunk", 2, "--fail-if", "errors>0").code == 0


def test_a_service_that_is_gone_leaves_what_was_stored(capsys, interrupted):
    service, partial, command = interrupted
    with services.refusing() as url:
        terms = partial / "received" / "terms.json"
        terms.write_text(terms.read_text().replace(service.url, url))  # as if it had been there
        code, _, _ = said(capsys, *command, "--url", url)
    assert code == 3
    assert stored(partial) == set(range(5))


def test_half_a_file_and_a_folder_half_finished_do_not_matter(capsys, interrupted, small: Path, tmp_path: Path):
    service, partial, command = interrupted
    (partial / "received" / "000000000005.parquet.part").write_bytes(b"PAR1")
    shutil.rmtree(partial / "hits")
    (partial / "hits.parquet").write_bytes(b"")
    assert said(capsys, *command).code == 0
    unbroken = tmp_path / "unbroken"
    with ResultsFolder(unbroken) as folder:
        settings = data_sets.settings(small, service.url, batch_size=5, concurrency=1)
        folder.finish(run(settings, folder.append), 0.0)
    assert_equal(tmp_path / "out", unbroken)


def test_with_nothing_to_go_on_with_all_queries_are_asked_and_that_is_told(capsys, small: Path, tmp_path: Path):
    with services.running(services.echo) as service:
        command = [
            "run",
            "--dataset",
            small,
            "--url",
            service.url,
            "--name",
            "bm25",
            "--out",
            tmp_path / "out",
            "--resume",
        ]
        code, _, errors = said(capsys, *command)
    assert (code, len(service.messages)) == (0, 1)
    assert f"{tmp_path / 'out'}.partial has nothing to go on with: all queries are asked\n" in errors


def test_without_out_the_newest_folder_of_that_name_is_taken(capsys, small: Path, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with services.running(services.echo) as service:
        command = ["run", "--dataset", small, "--url", service.url, "--name", "mine", "--resume"]
        assert sentence(said(capsys, *command).errors).startswith(
            "--resume: there is no results/*-mine.partial to go on"
        )
        for stamp in ("20260101T000000Z", "20260102T000000Z"):
            (tmp_path / "results" / f"{stamp}-mine.partial").mkdir(parents=True)
        assert said(capsys, *command).code == 0
    assert {path.name for path in (tmp_path / "results").iterdir()} == {
        "20260101T000000Z-mine.partial",
        "20260102T000000Z-mine",
    }
