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
from cases import first_of
from command_line import said, sentence

from benchbench.experiment import Settings, run
from benchbench.formats.collection import read_collection
from benchbench.formats.datasets.data_set import DataSet
from benchbench.formats.datasets.locate import locate
from benchbench.prepare.synthetic import generate
from benchbench.prepare.tiered import Choice, write_tiered
from benchbench.report.draw import pages
from benchbench.runs.run_folder import ResultsFolder

KILLS = 2  # a test; there are two
TEXTS = [line["query"]["fact"] for line in data_sets.lines()]
ASKED = 160  # queries of the larger data set


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> DataSet:
    folder = tmp_path_factory.mktemp("large")
    write_tiered(generate(400, 0), folder, Choice(queries=ASKED), dict)
    return locate(str(folder))


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


def unbroken(settings: Settings, place: Path) -> Path:
    """Return the folder of a run that nothing has interrupted."""
    with ResultsFolder(place) as folder:
        folder.finish(run(settings, folder.append), pages)
    return place


def begun_with(data: Path, service: services.Service, out: Path, *options: object) -> list[object]:
    """Return the command of a run."""
    return ["run", "--dataset", data, "--url", service.url, "--name", "service", "--out", out, *options]


def contents(folder: Path) -> dict[Path, bytes]:
    """Return what the files of a folder hold."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def asked_since(service: services.Service, begun: int) -> list[str]:
    """Return the texts of the queries that were sent since so many requests."""
    return [text for message in service.messages[begun:] for text in message["queries"]]


@pytest.mark.slow  # eight processes, each killed or to its end
@pytest.mark.parametrize(("seed", "batch_size", "chunk"), [(1, 3, 9), (2, 1, 7)])
def test_a_run_killed_again_and_again_equals_an_unbroken_one_and_asks_nothing_twice_that_was_stored(
    tmp_path: Path, large: DataSet, working: services.Answer, seed: int, batch_size: int, chunk: int
):
    texts = [json.loads(line)["query"]["fact"] for line in large.queries.path.read_text(encoding="utf-8").splitlines()]
    assert len(set(texts)) == len(texts)
    random, stop = Random(seed), [0]  # requests from this number on are never answered: no run ends before its kill

    with services.running(
        services.choosing(lambda number, message: working if number < stop[0] else services.never)
    ) as service:
        out = tmp_path / "out"
        options = ("--batch-size", batch_size, "--chunk", chunk, "--concurrency", 2, "--resume", "--quiet")
        command = begun_with(large.queries.path.parent, service, out, *options)
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
            assert not {texts.index(text) for text in asked_since(service, begun)} & known
            known = stored(tmp_path / "out.partial")
            assert known == set(range(len(known)))
        begun, stop[0] = len(service.messages), 10**9
        with command_line.process(*command) as last:
            _, errors = last.communicate(timeout=60)
        assert (last.returncode, errors) == (0, "")
        assert sorted(map(texts.index, asked_since(service, begun))) == sorted(set(range(len(texts))) - known)
        assert len(known) > 0
        settings = Settings(large, service.url, batch_size=batch_size, chunk=chunk, concurrency=2)
        assert_equal(out, unbroken(settings, tmp_path / "unbroken"))


@pytest.mark.slow  # three processes with workers
def test_a_run_with_workers_goes_on_with_any_other_number_of_them(
    tmp_path: Path, large: DataSet, working: services.Answer
):
    """Its workers share its standard error, which ends with the last of them: a kill leaves none behind."""
    stop = 0
    answer = services.choosing(lambda number, message: working if number < stop else services.never)
    with services.running(answer) as service:
        out = tmp_path / "out"
        options = ("--batch-size", 1, "--chunk", 7, "--concurrency", 4, "--resume", "--quiet")
        command = begun_with(large.queries.path.parent, service, out, *options)
        for workers in (2, 3):
            begun = len(service.messages)
            stop = begun + 4 * 4 + 7
            with command_line.process(*command, "--workers", workers) as killed:
                while service.asked.get(timeout=60) < stop:
                    pass
                killed.kill()
                killed.communicate(timeout=60)
        known, begun, stop = stored(tmp_path / "out.partial"), len(service.messages), 10**9
        assert len(known) >= 14
        with command_line.process(*command) as last:
            _, errors = last.communicate(timeout=60)
        assert (last.returncode, errors) == (0, "")
        assert len(service.messages) - begun == ASKED - len(known)
        settings = Settings(large, service.url, batch_size=1, chunk=7, concurrency=4)
        assert_equal(out, unbroken(settings, tmp_path / "unbroken"))


@pytest.fixture
def interrupted(capsys, small: Path, tmp_path: Path) -> Iterator[tuple[services.Service, Path, list[object]]]:
    """Yield a service, the `.partial` folder of a run that got five queries of it, and the command."""
    searching = services.searching(data_sets.collection(small))
    with services.running(searching) as service:
        out = tmp_path / "out"
        done = itertools.count()

        def stop(number: int, total: int) -> None:
            if next(done) == 1:
                raise KeyboardInterrupt

        settings = data_sets.settings(small, service.url, batch_size=5, chunk=5, concurrency=1)
        with contextlib.suppress(KeyboardInterrupt), ResultsFolder(out) as folder:
            run(settings, folder.append, stop, folder.journal)
        assert stored(folder.partial) == set(range(5))
        yield (
            service,
            folder.partial,
            begun_with(small, service, out, "--batch-size", 5, "--concurrency", 1, "--resume"),
        )


def test_what_is_stored_is_not_asked_and_the_rest_is(capsys, interrupted, small: Path):
    service, partial, command = interrupted
    begun = len(service.messages)
    assert said(capsys, *command).code == 0
    assert asked_since(service, begun) == TEXTS[5:]
    assert not partial.exists()
    requests = pl.read_parquet(partial.with_name("out") / "requests.parquet")
    assert requests["first_query"].to_list() == [0, 5, 10]
    assert (requests["sent"][1:] >= requests["end"][:-1]).all()  # the clock of the run goes on


def test_without_resume_the_folder_is_refused_and_left_alone(capsys, interrupted):
    _, partial, command = interrupted
    code, _, errors = said(capsys, *command[:-1])
    assert code == 2
    assert sentence(errors).startswith(f"{partial} was left by an interrupted run; continue with --resume")
    assert stored(partial) == set(range(5))


@pytest.mark.parametrize(
    ("options", "reason"),
    first_of(
        (["--batch-size", 4], "--batch-size 5, and this is 4"),
        (["--top-k", 30], "--top-k 20, and this is 30"),
        (["--url", "http://127.0.0.1:1"], "--url http://127.0.0.1:"),
        (["--name", "other"], "--name service, and this is other"),
        (["--tasks", "gold"], '--tasks ["gold","accusation","article","imprisonment"], and this is ["gold"]'),
        (["-k", 5], "-k [3,5,10], and this is [5]"),
        (["--gold", "id"], "--gold text, and this is id"),
        (["--max-positives", 3], "--max-positives 10, and this is 3"),
        first=3,
    ),
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
    service.leave()
    code, _, errors = said(capsys, *command)
    assert code == 3
    assert sentence(errors).endswith("run the same command with --resume to continue")
    assert stored(partial) == set(range(5))


def test_a_damaged_file_is_named_and_its_queries_are_asked_again(capsys, interrupted, small: Path, tmp_path: Path):
    service, partial, command = interrupted
    (path,) = (partial / "received").glob("*.parquet")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    begun = len(service.messages)
    code, _, errors = said(capsys, *command, "--quiet")
    assert (code, len(service.messages) - begun) == (0, 3)
    assert errors == f"{path} is damaged, or was received with other options: its queries are asked again\n"
    settings = data_sets.settings(small, service.url, batch_size=5, concurrency=1)
    assert_equal(tmp_path / "out", unbroken(settings, tmp_path / "unbroken"))


def test_a_gap_between_stored_queries_is_filled(capsys, interrupted, small: Path, tmp_path: Path):
    service, partial, command = interrupted
    settings = data_sets.settings(small, service.url, batch_size=5, chunk=5, concurrency=1)
    with contextlib.suppress(ZeroDivisionError), ResultsFolder(tmp_path / "out", resume=True) as folder:
        outcome = run(settings, folder.append, journal=folder.journal)
        raise ZeroDivisionError
    files = sorted((partial / "received").glob("*.parquet"))
    assert len(files) == 3
    files[1].unlink()
    begun = len(service.messages)
    assert said(capsys, *command).code == 0
    assert asked_since(service, begun) == TEXTS[5:10]
    rows = pl.read_parquet(tmp_path / "out" / "per_query.parquet")
    assert rows.drop("latency_ms").equals(outcome.per_query.drop("latency_ms"))
    requests = pl.read_parquet(tmp_path / "out" / "requests.parquet").sort("sent")
    assert requests["first_query"].to_list() == [0, 10, 5]  # the clock goes on from the last answer


# A run that another one is still at


@pytest.mark.slow  # a process
def test_a_folder_that_is_being_written_is_refused_and_named_with_its_process(capsys, small: Path, tmp_path: Path):
    working = services.searching(data_sets.collection(small))
    with services.running(working, services.never) as service:
        arguments = ["run", "--dataset", small, "--url", service.url, "--batch-size", 5, "--concurrency", 1]
        arguments += ["--chunk", 5, "--timeout", 3600, "--out", tmp_path / "out"]
        with command_line.process(*arguments) as live:
            assert [service.asked.get(timeout=60) for _ in range(2)] == [0, 1]
            before = contents(tmp_path / "out.partial")
            for option in ([], ["--resume"]):
                code, _, errors = said(capsys, *arguments, *option)
                assert code == 2
                assert sentence(errors) == (
                    f"{tmp_path / 'out'}.partial is being written by another run (process {live.pid}); wait for its "
                    "end, or name another --out"
                )
            after = contents(tmp_path / "out.partial")
            live.kill()
            live.communicate(timeout=60)
    assert before.keys() <= after.keys()
    assert all(after[path].startswith(content) for path, content in before.items())  # it goes on meanwhile


# Failed queries of a run that came to its end


@pytest.fixture
def failing(small: Path, tmp_path: Path) -> Iterator[tuple[services.Service, list[object], list[services.Answer]]]:
    """Yield a service whose second batch fails, the command, and what the service does, which may be changed."""
    working = services.searching(data_sets.collection(small))
    answers = [working, services.status(400), working]
    choice = services.choosing(lambda number, message: answers[min(number, 2)])
    with services.running(choice) as service:
        options = ("--batch-size", 5, "--concurrency", 1, "--quiet")
        yield service, begun_with(small, service, tmp_path / "out", *options), answers


def test_resume_on_a_finished_run_asks_its_failed_queries_and_no_others(capsys, failing, small: Path, tmp_path: Path):
    service, command, _ = failing
    assert said(capsys, *command).code == 4
    first = pl.read_parquet(tmp_path / "out" / "per_query.parquet")
    begun = len(service.messages)
    code, output, errors = said(capsys, *command, "--resume")
    assert (code, errors) == (0, "")
    assert asked_since(service, begun) == TEXTS[5:10]
    assert "5 queries had failed and were asked again (--resume)" in output
    assert json.loads((tmp_path / "out" / "summary.json").read_bytes())["counts"]["asked_again"] == 5
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith((".", "out"))] == ["out"]
    assert not (tmp_path / "out" / "received").exists()  # there is nothing left to ask
    whole = run(data_sets.settings(small, service.url, batch_size=5, concurrency=1)).per_query
    rows = pl.read_parquet(tmp_path / "out" / "per_query.parquet")
    assert rows.drop("latency_ms").equals(whole.drop("latency_ms"))
    kept = first["failure"].is_null()
    assert rows.filter(kept).equals(first.filter(kept))
    code, _, errors = said(capsys, *command, "--resume")
    assert (code, sentence(errors)) == (
        2,
        f"--resume: no query of {tmp_path / 'out'} failed, so there is nothing to ask again",
    )


def test_what_fails_again_may_be_asked_as_often_as_one_likes_and_all_times_count(capsys, failing, tmp_path: Path):
    _, command, answers = failing
    answers[2] = services.status(400)
    assert said(capsys, *command).code == 4
    assert said(capsys, *command, "--resume").code == 4
    assert (tmp_path / "out" / "received").is_dir()
    assert said(capsys, *command, "--resume").code == 4
    answers[2] = answers[0]
    assert said(capsys, *command, "--resume").code == 0
    assert json.loads((tmp_path / "out" / "summary.json").read_bytes())["counts"]["asked_again"] == 21


@pytest.mark.slow  # tests/test_targets.py has it in the first tier
def test_resume_on_finished_targets_asks_what_failed_of_each_and_no_others(capsys, failing, small, tmp_path: Path):
    service, command, _ = failing
    with services.running(services.searching(data_sets.collection(small))) as whole:
        at = command.index("--url")
        command[at : at + 2] = ["--target", f"a={service.url}", "--target", f"b={whole.url}"]
        assert said(capsys, *command).code == 4
        begun = len(service.messages), len(whole.messages)
        code, _, errors = said(capsys, *command, "--resume")
        assert (code, errors) == (0, "")
        assert (len(service.messages), len(whole.messages)) == (begun[0] + 1, begun[1])
    assert not list((tmp_path / "out").rglob("received"))


def test_what_failed_is_asked_though_the_process_that_was_to_was_killed_first(capsys, failing, tmp_path: Path):
    service, command, _ = failing
    assert said(capsys, *command).code == 4
    begun = len(service.messages)
    with ResultsFolder(tmp_path / "out", resume=True):
        pass  # it has copied what was received, and reads the data
    assert (tmp_path / "out.partial" / "received" / "terms.json").is_file()
    assert said(capsys, *command, "--resume").code == 0
    assert len(service.messages) == begun + 1


def test_a_finished_run_stays_as_it_is_when_its_failed_queries_cannot_be_asked(capsys, failing, tmp_path: Path):
    service, command, _ = failing
    assert said(capsys, *command).code == 4
    before = contents(tmp_path / "out")
    service.leave()
    assert said(capsys, *command, "--resume").code == 3
    assert contents(tmp_path / "out") == before
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith((".", "out"))] == ["out"]


def test_a_finished_run_beside_an_interrupted_one_of_the_same_name_is_not_replaced(capsys, interrupted, tmp_path: Path):
    _, partial, command = interrupted
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").touch()
    code, _, errors = said(capsys, *command)
    assert code == 2
    assert f"move {tmp_path / 'out'} away and continue with --resume" in sentence(errors)
    assert (stored(partial), [path.name for path in (tmp_path / "out").iterdir()]) == (set(range(5)), ["mine"])


def test_half_a_file_and_a_folder_half_finished_do_not_matter(capsys, interrupted, small: Path, tmp_path: Path):
    service, partial, command = interrupted
    (partial / "received" / "000000000005.parquet.part").write_bytes(b"PAR1")
    shutil.rmtree(partial / "hits")
    (partial / "hits.parquet").write_bytes(b"")
    assert said(capsys, *command).code == 0
    settings = data_sets.settings(small, service.url, batch_size=5, concurrency=1)
    assert_equal(tmp_path / "out", unbroken(settings, tmp_path / "unbroken"))


def test_with_nothing_to_go_on_with_all_queries_are_asked_and_that_is_told(capsys, small: Path, tmp_path: Path):
    with services.running(services.echo) as service:
        command = begun_with(small, service, tmp_path / "out", "--resume")
        code, _, errors = said(capsys, *command)
    assert (code, len(service.messages)) == (0, 1)
    assert f"{tmp_path / 'out'}.partial has no answers: all queries are sent\n" in errors


def test_without_out_the_newest_folder_of_that_name_is_taken(capsys, small: Path, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with services.running(services.echo) as service:
        command = ["run", "--dataset", small, "--url", service.url, "--name", "mine", "--resume"]
        assert sentence(said(capsys, *command).errors).startswith(
            "--resume: there is no results/*-mine.partial to continue"
        )
        for stamp in ("20260101T000000Z", "20260102T000000Z"):
            (tmp_path / "results" / f"{stamp}-mine.partial").mkdir(parents=True)
        assert said(capsys, *command).code == 0
    assert {path.name for path in (tmp_path / "results").iterdir()} == {
        "20260101T000000Z-mine.partial",
        "20260102T000000Z-mine",
    }
