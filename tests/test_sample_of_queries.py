"""`run --limit N --seed S`: a sample of the queries, scored as in the whole run, named and never mixed up with it."""

from pathlib import Path

import data_sets
import numpy as np
import orjson
import polars as pl
import pytest
import services
from command_line import said

from benchbench.errors import InputError
from benchbench.formats.datasets.locate import locate
from benchbench.tasks.criteria import Criteria
from benchbench.tasks.judging import judging_of


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return data_sets.write(tmp_path / "data")


def test_each_query_of_a_sample_has_the_values_of_the_whole_run(data: Path):
    with services.running(services.searching(data_sets.collection(data))) as service:
        whole = data_sets.outcome(data, service.url)
        sample, again = (data_sets.outcome(data, service.url, limit=7, seed=3) for _ in range(2))
    measured = pl.exclude("latency_ms")
    assert sample.counts["queries"] == 7
    assert sample.queries.ids == [one for one in whole.queries.ids if one in set(sample.queries.ids)]
    kept = whole.per_query.filter(pl.col("query_id").is_in(sample.queries.ids))
    assert sample.per_query.select(measured).equals(kept.select(measured))
    assert again.signature == sample.signature
    assert again.queries.ids == sample.queries.ids


def test_queries_of_a_sample_keep_all_that_they_are_judged_by(data: Path):
    whole = judging_of(Criteria(), locate(str(data))).queries
    numbers = np.array([1, 4, 5, 11])
    some = whole.at(numbers)
    for place, q in enumerate(numbers.tolist()):
        one, other = some.columns(place, place + 1), whole.columns(q, q + 1)
        assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
        assert (some.ids[place], some.texts[place]) == (whole.ids[q], whole.texts[q])
        its, theirs = some.positives.of(place), whole.positives.of(q)
        for name in ("ids", "text_prefixes"):
            assert list(getattr(some.positives, name)[its]) == list(getattr(whole.positives, name)[theirs])


@pytest.mark.parametrize("limit", [data_sets.QUERIES, 1000])
def test_a_limit_of_all_queries_or_more_changes_nothing(data: Path, limit: int):
    with services.running(services.searching(data_sets.collection(data))) as service:
        whole, other = (data_sets.outcome(data, service.url, limit=one) for one in (None, limit))
    assert other.signature == whole.signature
    assert other.warnings == whole.warnings


def test_the_report_and_the_signature_name_the_sample_and_another_is_not_compared_with_it(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    with services.running(services.searching(data_sets.collection(data))) as service:
        to = ("--dataset", data, "--url", service.url, "--quiet")
        for name, options in (("all", ()), ("one", ("--seed", 1)), ("two", ("--seed", 2))):
            limit = ("--limit", 7) if options else ()
            code, output, _ = said(capsys, "run", *to, *limit, *options, "--out", tmp_path / name)
            assert code == 0
            assert ("7 of 12 queries, drawn with seed" in output) == bool(options)
    assert "|sample:7 of 12, seed 1|" in orjson.loads((tmp_path / "one" / "summary.json").read_bytes())["signature"]
    for other, what in (("two", "sample:7 of 12, seed 2"), ("all", "sample:-")):
        code, _, errors = said(capsys, "compare", tmp_path / "one", tmp_path / other)
        assert code == 2
        assert f"another sample of the queries ({what} and sample:7 of 12, seed 1)" in errors


def test_a_run_is_resumed_with_its_own_sample_only(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    answer = services.searching(data_sets.collection(data))
    options = ("--dataset", data, "--limit", 7, "--retries", 0, "--batch-size", 1, "--concurrency", 1, "--quiet")
    place = ("--out", tmp_path / "out")
    failing = services.choosing(lambda n, _: answer if n < 3 else services.status(500))
    with services.running(failing) as service:
        assert said(capsys, "run", *options, *place, "--url", service.url, "--seed", 1, "--max-error-rate", 1).code == 0
        code, _, errors = said(capsys, "run", *options, *place, "--url", service.url, "--seed", 2, "--resume")
        assert code == 2
        assert "--seed" in errors


def test_a_sample_without_anything_to_find_is_refused(data: Path, capsys: pytest.CaptureFixture[str]):
    last = np.random.default_rng
    seed = next(s for s in range(1000) if last(s).choice(12, 1, replace=False)[0] == 11)  # has no positives
    with pytest.raises(InputError, match=rf"--limit 1: no query drawn with --seed {seed} has what task gold compares"):
        judging_of(Criteria(tasks="gold"), locate(str(data))).sampled(1, seed)
