import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import data_sets
import numpy as np
import polars as pl
import pytest
import services
from cases import first_of

from benchbench.errors import InputError, InterruptedRunError
from benchbench.experiment import Outcome, run
from benchbench.report.draw import draw, pages
from benchbench.results.folder import pretty, write_parquet
from benchbench.results.reading import read_result
from benchbench.results.record import plain
from benchbench.runs.run_folder import ResultsFolder, ServiceFiles

FILES = {
    *(f"{name}.json" for name in ("record", "config", "summary")),
    *(f"{name}.parquet" for name in ("per_query", "hits", "requests")),
    *("run.trec", "qrels.trec", "evaluate_summary.txt", "report.html"),
}


def written(folder: Path, out: Path, meanwhile: Callable[[], None] = lambda: None, **options: Any) -> Outcome:
    """Run over the tiny data set into a results folder."""
    data_sets.write(folder)
    with services.running(services.searching(data_sets.collection(folder))) as service, ResultsFolder(out) as results:
        outcome = run(data_sets.settings(folder, service.url, **options), results.append, journal=results.journal)
        meanwhile()
        results.finish(outcome, pages)
    return outcome


def test_a_finished_folder_has_its_files_and_no_other(tmp_path: Path):
    written(tmp_path / "data", tmp_path / "deep" / "out")
    assert {path.name for path in (tmp_path / "deep" / "out").iterdir()} == FILES
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["out"]


@pytest.mark.parametrize("name", first_of("[a]*{b}?", "*", "**"))
def test_a_name_that_is_a_pattern_too_is_a_name(tmp_path: Path, name: str):
    written(tmp_path / "data", tmp_path / "other", chunk=2)
    outcome = written(tmp_path / "data", tmp_path / name, chunk=2)
    assert pl.read_parquet(tmp_path / name / "hits.parquet", glob=False).height == outcome.counts["hits"]
    assert {path.name for path in (tmp_path / name).iterdir()} == FILES


def test_the_files_say_what_the_outcome_says(tmp_path: Path):
    out = tmp_path / "out"
    outcome = written(tmp_path / "data", out)
    assert (out / "summary.json").read_bytes() == pretty(outcome.json_members())
    assert (out / "evaluate_summary.txt").read_text(encoding="utf-8") == draw(outcome, "text")
    assert (out / "report.html").read_text(encoding="utf-8") == draw(outcome, "html")
    assert json.loads((out / "record.json").read_bytes()) == json.loads(pretty(plain(outcome.record)))
    assert pl.read_parquet(out / "per_query.parquet").equals(outcome.per_query)
    config = json.loads((out / "config.json").read_bytes())
    assert config["options"]["batch_size"] == 32
    assert config["data_digest"] == outcome.queries.digest


def test_rows_are_queries_hits_and_attempts(tmp_path: Path):
    outcome = written(tmp_path / "data", tmp_path / "out", batch_size=5)
    frames = {name: pl.read_parquet(tmp_path / "out" / f"{name}.parquet") for name in ("hits", "requests", "per_query")}
    assert frames["hits"].height == outcome.counts["hits"]
    assert frames["requests"]["queries"].to_list() == [5, 5, 2]
    assert frames["per_query"]["query_id"].to_list() == outcome.queries.ids


def test_the_chunks_do_not_show_in_the_files(tmp_path: Path):
    for chunk in (1, 100):
        written(tmp_path / "data", tmp_path / str(chunk), batch_size=1, chunk=chunk)
    one, whole = tmp_path / "1", tmp_path / "100"
    assert pl.read_parquet(one / "hits.parquet").equals(pl.read_parquet(whole / "hits.parquet"))
    for name in ("run.trec", "qrels.trec"):
        assert (one / name).read_bytes() == (whole / name).read_bytes()


def test_run_and_judgments_are_trec_files_over_the_same_queries(tmp_path: Path):
    outcome = written(tmp_path / "data", tmp_path / "out")
    qrels = [line.split() for line in (tmp_path / "out" / "qrels.trec").read_text(encoding="utf-8").splitlines()]
    lines = [line.split() for line in (tmp_path / "out" / "run.trec").read_text(encoding="utf-8").splitlines()]
    assert {len(fields) for fields in qrels} == {4}
    assert {len(fields) for fields in lines} == {6}
    assert {query for query, *_ in lines} == set(outcome.queries.ids)
    judged = {(query, document) for query, _, document, _ in qrels}
    found = sum((query, document) in judged for query, _, document, *_ in lines)
    hits = pl.read_parquet(tmp_path / "out" / "hits.parquet")
    assert found == hits["gold"].sum() > 0


def stopped(data: Path, out: Path, error: type[BaseException]) -> None:
    """Run over the tiny data set into a results folder, and stop before it is finished."""
    data_sets.write(data)
    with services.running(services.searching(data_sets.collection(data))) as service, ResultsFolder(out) as results:
        run(data_sets.settings(data, service.url), results.append, journal=results.journal)
        assert results.partial.is_dir()
        raise error


def test_an_error_before_the_first_answer_leaves_nothing(tmp_path: Path):
    with pytest.raises(ZeroDivisionError), ResultsFolder(tmp_path / "out"):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_folder_that_cannot_be_prepared_is_not_left_for_the_next_run_to_find(
    tmp_path: Path, monkeypatch, error: BaseException
):
    def fail(files: ServiceFiles) -> None:
        raise error

    monkeypatch.setattr(ServiceFiles, "prepare", fail)
    with pytest.raises((InputError, KeyboardInterrupt)):
        ResultsFolder(tmp_path / "out").__enter__()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("error", [InterruptedRunError, KeyboardInterrupt, InputError, ZeroDivisionError, MemoryError])
def test_whatever_ends_a_run_what_was_received_stays_and_the_error_says_how_to_go_on(
    tmp_path: Path, error: type[BaseException]
):
    with pytest.raises(error) as ended:
        stopped(tmp_path / "data", tmp_path / "out", error)
    assert ended.value.__notes__ == [
        f"received answers are in {tmp_path / 'out'}.partial; run the same command with --resume to continue"
    ]
    assert not (tmp_path / "out").exists()
    assert pl.read_parquet(tmp_path / "out.partial" / "hits" / "*.parquet").height == 240


def test_a_folder_that_exists_is_refused_and_left_alone(tmp_path: Path):
    with pytest.raises(InputError, match="exists already"), ResultsFolder(tmp_path):
        pass
    assert tmp_path.is_dir()


def test_a_folder_that_appears_during_the_run_is_left_alone_and_what_was_received_stays(tmp_path: Path):
    out = tmp_path / "out"

    def taken() -> None:
        out.mkdir()
        (out / "mine").touch()

    with pytest.raises(InputError, match="appeared during the run and was left as it is; move it away"):
        written(tmp_path / "data", out, meanwhile=taken)
    assert [path.name for path in out.iterdir()] == ["mine"]
    assert (tmp_path / "out.partial" / "received").is_dir()


def test_a_whole_folder_that_cannot_be_replaced_stays_where_it_was(tmp_path: Path, monkeypatch):
    """Its failed queries are asked again; a fault at the last moment must not cost it."""
    out = tmp_path / "out"
    data_sets.write(tmp_path / "data")
    works = [services.status(404), services.searching(data_sets.collection(tmp_path / "data"))]
    with services.running(services.choosing(lambda number, message: works[0])) as service:
        settings = data_sets.settings(tmp_path / "data", service.url)
        with ResultsFolder(out) as results:
            results.finish(run(settings, results.append, journal=results.journal))
        works.reverse()
        monkeypatch.setattr(ResultsFolder, "_finish", lambda self: self.partial.rename(tmp_path / "no" / "folder"))
        with pytest.raises(InputError, match="cannot write"), ResultsFolder(out, resume=True) as results:
            results.finish(run(settings, results.append, journal=results.journal))
    assert json.loads((out / "summary.json").read_bytes())["counts"]["failed"] == 12
    assert {path.name for path in tmp_path.iterdir()} == {"data", "out", "out.partial"}


@pytest.mark.slow  # a process
def test_a_disk_that_is_full_when_parts_are_merged_is_said_to_be(tmp_path: Path):
    (tmp_path / "hits").mkdir()
    for part in range(4):
        numbers = np.random.default_rng(part).integers(0, 2**62, 2_000)
        write_parquet(pl.DataFrame({"id": numbers}), tmp_path / "hits" / f"{part:06}.parquet")
    code = (
        "import resource, pathlib; from benchbench.results.folder import merge; "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000)); merge(pathlib.Path('hits'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.stderr.splitlines()[-1] == "OSError: [Errno 27] File too large"
    assert len(list((tmp_path / "hits").iterdir())) == 4


# What is read back


def test_tables_are_read_from_the_folder_when_they_are_asked_for(tmp_path: Path):
    outcome = written(tmp_path / "data", tmp_path / "out")
    loaded = read_result(tmp_path / "out")
    assert [one.name for one in loaded.record.tables] == ["hits", "per_query", "requests"]
    assert [one.rows for one in loaded.record.tables] == [outcome.counts["hits"], 12, 1]
    assert loaded.table("per_query").equals(outcome.per_query)
