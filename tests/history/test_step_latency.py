"""Latency of load tests in the history: blocks of requests per step, and what a check says of them."""

import data_sets
import numpy as np
import polars as pl
import pytest
import services
from command_line import said
from history_series import BEGAN, Stored

import benchbench as bb
from benchbench.history.check.check_run import check
from benchbench.history.check.measures import NotJudgedError
from benchbench.history.check.run_values import BLOCKS, block_values, requests
from benchbench.history.entry import MissingValuesError
from benchbench.history.store import Store
from benchbench.results.record import Data, Number, record

SLOW, QUICK = "20 requests/s, batch 4", "10 requests/s, batch 4"
_REQUESTS = 480


def load(run: int, times: float = 1.0, steps: tuple[str, ...] = (QUICK, SLOW)) -> Stored:
    """Return a load test whose last step takes so many times as long as it did."""
    frames, numbers = [], []
    for place, step in enumerate(steps, 1):
        factor = times if place == len(steps) else 1.0
        milliseconds = 20.0 * factor * np.exp(np.random.default_rng([9, run, place]).normal(0.0, 0.2, _REQUESTS))
        number = np.arange(_REQUESTS)
        due = number * 0.05 - 1.0  # the first second is the warm-up
        ends = due + milliseconds / 1e3
        frames.append(pl.DataFrame({"number": number, "counted": due >= 0.0, "due": due, "end": ends}))
        p50 = float(np.median(milliseconds[due >= 0.0]))
        numbers.append(Number(name="p50", value=p50, unit="ms", better="lower", scope={"step": step}))
    began = BEGAN + 3600.0 * run
    made = record("load", began, began + 60.0, name="service", data=Data(name="cases", digest="d1"), numbers=numbers)
    whole = pl.concat([frame.with_columns(step=pl.lit(place, pl.Int64)) for place, frame in enumerate(frames, 1)])
    return Stored(made, {"steps": pl.DataFrame({"step": range(1, len(steps) + 1), "name": steps}), "requests": whole})


def recorded(history: Store, slow: int, **given) -> None:
    """Add ten runs, and more of which so many are slow."""
    for run in range(10 + max(slow, 1)):
        history.add(load(run, 1.6 if run >= 10 and slow else 1.0, **given))


def test_a_step_has_the_median_of_each_block_of_its_counted_requests(history):
    result = load(1)
    latency = history.values(history.add(result)[0]).latency
    assert latency["subject"].unique(maintain_order=True).to_list() == [QUICK, SLOW]
    assert (latency.height, latency["query"].null_count()) == (2 * BLOCKS, 2 * BLOCKS)
    rows = result.table("requests").filter(pl.col("step") == 2, "counted")
    milliseconds = ((rows["end"] - rows["due"]) * 1e3).to_numpy()
    naive = [float(np.median(np.log(part))) for part in np.array_split(milliseconds, BLOCKS)]
    kept = requests(latency, SLOW)
    assert np.log(kept) == pytest.approx(naive)
    assert block_values(kept, BLOCKS) == pytest.approx(block_values(milliseconds, BLOCKS))


def test_fewer_requests_than_blocks_are_kept_one_by_one(history):
    table = pl.DataFrame({"step": 1, "number": [1, 0, 2], "counted": True, "due": 0.0, "end": [0.2, 0.1, None]})
    given = Stored(load(1).record, {"steps": pl.DataFrame({"step": [1], "name": ["1 client"]}), "requests": table})
    latency = history.values(history.add(given)[0]).latency
    assert latency["latency_ms"].to_list() == pytest.approx([100.0, 200.0])
    assert latency["request"].to_list() == [0, 1]


def test_a_load_that_was_run_again_is_a_step_of_its_own(history):
    latency = history.values(history.add(load(1, steps=(QUICK, QUICK)))[0]).latency
    assert latency["subject"].unique(maintain_order=True).to_list() == [QUICK, f"{QUICK} (2)"]


@pytest.mark.parametrize("column", ["step", "counted", "due", "end"])
def test_a_table_of_other_columns_has_no_latency(history, column: str):
    given = load(1)
    tables = {"steps": given.table("steps"), "requests": given.table("requests").drop(column)}
    with pytest.raises(MissingValuesError, match="has no values per query"):
        history.values(history.add(Stored(given.record, tables))[0])


def test_the_check_names_the_step_that_became_slower(history):
    recorded(history, slow=2)
    (series,) = check(history).found.series
    assert {one.measure: one.verdict for one in series.measures} == {
        f"{QUICK}.p50": "no measurable change",
        f"{SLOW}.p50": "worse",
    }
    assert series.measures[1].decided.difference == pytest.approx(0.6, abs=0.1)  # as a share of the reference
    assert series.measures[1].value == pytest.approx(32.0, rel=0.1)


def test_latency_of_several_steps_needs_the_name_of_one(history, tmp_path, capsys):
    recorded(history, slow=2)
    with pytest.raises(NotJudgedError, match=f"latency is measured several times; name one of {QUICK}.p50, {SLOW}.p50"):
        check(history, measures=["latency"])
    store = tmp_path / "history.db"
    for name in (f"{SLOW}.p50", f"{SLOW}.latency"):  # a comma of a name does not begin another name
        code, output, _ = said(capsys, "history", "check", "--store", store, "-m", name)
        assert code == 1
        assert f"{SLOW}.p50 is worse since run 11" in " ".join(output.split())


def test_latency_of_one_step_needs_no_name(history):
    recorded(history, slow=0, steps=(SLOW,))
    for name in ("latency", "p50"):
        (series,) = check(history, measures=[name]).found.series
        assert [(one.measure, one.verdict) for one in series.measures] == [(f"{SLOW}.p50", "no measurable change")]


def test_two_load_tests_differ_by_their_numbers_for_they_have_no_queries(history, tmp_path, capsys):
    recorded(history, slow=1)
    code, output, _ = said(capsys, "history", "diff", "1", "11", "--store", tmp_path / "history.db")
    assert code == 0
    assert "the runs have no values per query; only their numbers are compared" in " ".join(output.split())


def test_a_load_test_has_its_steps_under_the_names_of_its_numbers(history, tmp_path, capsys):
    data = data_sets.write(tmp_path / "data")
    with services.running(services.searching(data_sets.collection(data))) as service:
        options = ("--duration", "300ms", "--warm-up", "0s", "--batch-size", "4", "--rate", "20,40")
        code, _, _ = said(capsys, "load", "--url", service.url, "--dataset", data, "--out", tmp_path / "out", *options)
    assert code == 0
    result = bb.load(tmp_path / "out")
    values = history.values(history.add(result)[0])
    assert len(values.queries) == 0
    p50 = {one.scope["step"]: one.value for one in result.record.numbers if one.name == "p50"}
    assert values.latency["subject"].unique().sort().to_list() == sorted(p50)
    for step, value in p50.items():
        assert requests(values.latency, step).min() <= value * 1.01
        assert requests(values.latency, step).max() >= value * 0.99
