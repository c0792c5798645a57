"""The reference: the mean per query of ten runs, frozen when the first check sees them."""

import threading
from pathlib import Path

import history_series as series
import numpy as np
import polars as pl
import pytest
from history_series import add, quiet

from benchbench.errors import InputError
from benchbench.history.alerts.rows import latest
from benchbench.history.check import reference as references
from benchbench.history.check.accepting import accept
from benchbench.history.check.check_details import OPEN, TOO_LITTLE, SeriesDetails
from benchbench.history.check.check_run import check
from benchbench.history.store import Store, open_history


def checked(history: Store, *measures: str) -> SeriesDetails:
    """Check the only series."""
    (found,) = check(history, measures=measures).found.series
    return found


def file_of(history: Store) -> Path:
    (only,) = history.place.tables.glob("reference-*")
    return only


def kept(history: Store) -> references.Reference:
    row = references.kept(history, latest(history, history.series()[0]))
    return references.read(history, row)


def test_it_is_the_mean_per_query_of_the_first_ten_runs(history: Store) -> None:
    quiet(history, 12, latency=series.milliseconds)
    found = checked(history)
    made = kept(history)
    expected = np.mean([series.values(run) for run in range(1, 11)], axis=0)
    np.testing.assert_allclose(made.of("gold.nDCG@10"), expected, rtol=1e-12)
    assert made.queries.to_list() == [f"q{place:02d}" for place in range(series.QUERIES)]
    means = [float(series.values(run).mean()) for run in range(1, 11)]
    assert made.run_means["gold.nDCG@10"] == pytest.approx(means)
    assert len(made.of("p50")) == 24
    assert [one.number for one in made.runs] == list(range(1, 11))
    assert [one.number for one in found.reference.runs] == list(range(1, 11))
    assert found.measures[0].reference == pytest.approx(float(np.mean(expected)))


@pytest.mark.parametrize("runs", [1, 6, 9])
def test_before_ten_runs_there_is_too_little_data_and_nothing_is_compared(history: Store, runs: int) -> None:
    quiet(history, runs - 1)
    add(history, runs, -0.4)
    (one,) = checked(history).measures
    assert one.verdict == TOO_LITTLE
    assert f"{runs} of 10 runs" in one.why
    assert one.decided is None
    assert one.windows == []
    assert not list(history.place.tables.glob("reference-*"))


def test_with_ten_runs_it_is_made_and_the_next_run_is_the_first_judged(history: Store) -> None:
    quiet(history, 10)
    (one,) = checked(history).measures
    assert one.verdict == TOO_LITTLE
    assert "the next run is the first judged" in one.why
    assert kept(history)


def test_it_stays_whatever_becomes_of_its_runs(history: Store) -> None:
    quiet(history, 12)
    entries = history.entries()
    before = checked(history)
    history.delete(entries[:4])
    (history.place.tables / entries[5].values).unlink()
    after = checked(history)
    assert after.measures[0].reference == before.measures[0].reference
    assert after.measures[0].windows == before.measures[0].windows
    assert after.reference == before.reference


def test_a_check_after_many_runs_makes_it_of_the_first_ten_too(history: Store) -> None:
    quiet(history, 10)
    for run in range(11, 16):
        add(history, run, -0.2)
    (one,) = checked(history).measures
    assert one.verdict == "worse"
    assert one.since.number == 11


def test_runs_that_failed_do_not_enter_it_and_are_said(history: Store) -> None:
    for run in range(1, 14):
        status = "failed" if run == 3 else "interrupted" if run == 5 else "complete"
        add(history, run, -0.5 if run in (3, 5) else 0.0, status=status)
    found = checked(history)
    assert [one.number for one in found.reference.runs] == [1, 2, 4, *range(6, 13)]
    assert "run 3 failed, and is left out" in found.left_out
    assert "run 5 was interrupted, and is left out" in found.left_out


def test_a_query_without_a_value_is_in_no_mean(history: Store) -> None:
    for run in range(1, 12):
        measured = series.values(run)
        if run < 4:
            measured[0] = np.nan
        measured[1] = np.nan
        add(history, run, measures={"gold.nDCG@10": measured})
    (one,) = checked(history).measures
    expected = np.mean([series.values(run)[0] for run in range(4, 11)])
    assert kept(history).of("gold.nDCG@10")[0] == pytest.approx(expected)
    assert np.isnan(kept(history).of("gold.nDCG@10")[1])
    assert one.units == series.QUERIES - 1


def test_a_lost_file_is_made_again_from_the_runs_and_that_is_said(history: Store) -> None:
    quiet(history, 12)
    before = checked(history)
    path = file_of(history)
    whole = pl.read_parquet(path)
    path.unlink()
    after = checked(history)
    assert after.measures[0].windows == before.measures[0].windows
    assert after.reference.rebuilt
    assert after.reference.made_at == before.reference.made_at if before.reference else False
    assert pl.read_parquet(path).equals(whole)


def test_a_lost_file_of_lost_runs_is_one_sentence_with_what_to_do(history: Store) -> None:
    quiet(history, 12)
    entries = history.entries()
    checked(history)
    file_of(history).unlink()
    history.delete([entries[2]])
    (history.place.tables / entries[6].values).unlink()
    with pytest.raises(InputError, match=r"runs 1 to 10 is lost.* runs 3 and 7 are gone too.*accept 11 --reason"):
        check(history)
    accept(history, "11", "the reference was lost")
    assert checked(history).measures[0].why.startswith("2 of 10 runs")


def test_a_damaged_file_is_one_sentence(history: Store) -> None:
    quiet(history, 12)
    checked(history)
    file_of(history).write_bytes(b"no parquet")
    with pytest.raises(InputError, match=r"cannot be read.*move it away"):
        check(history)


def test_two_checks_at_once_make_one(address: str, tmp_path: Path) -> None:
    with open_history(address, create=True) as history:
        quiet(history, 11)
    found, barrier = [], threading.Barrier(3)

    def one() -> None:
        with open_history(address) as history:
            barrier.wait()
            found.append(check(history).found.series[0])

    threads = [threading.Thread(target=one) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({str(each.reference) for each in found}) == 1
    assert len({str(each.measures) for each in found}) == 1
    assert len(list((tmp_path / "tables").glob("reference-*"))) == 1
    with open_history(address) as history:
        since = latest(history, history.series()[0])
        made = kept(history)
        assert references.keep(history, since, made).made_at == made.made_at  # too late: the first one is kept
    assert len(list((tmp_path / "tables").glob("reference-*"))) == 1


def test_a_folder_that_cannot_be_written_is_one_sentence_and_leaves_no_row(history: Store, tmp_path: Path) -> None:
    quiet(history, 11)
    found = history.series()[0]
    made = references.reference_of([(one, history.values(one)) for one in found.entries[:10]])
    tables = history.place.tables
    tables.rename(tmp_path / "aside")
    tables.write_text("a file where the folder was")
    with pytest.raises(InputError, match="the reference cannot be written there"):
        references.keep(history, latest(history, found), made)
    assert references.kept(history, latest(history, found)) is None


def test_a_measure_that_not_all_ten_runs_have_has_no_reference(history: Store) -> None:
    for run in range(1, 13):
        measures = {"gold.nDCG@10": series.values(run)}
        if run != 2:
            measures["gold.P@5"] = series.values(run)
        add(history, run, measures=measures)
    both = checked(history, "nDCG@10", "P@5").measures
    assert [one.verdict for one in both] == [OPEN, TOO_LITTLE]
    assert "not all runs of the reference, 1 to 10, have it" in both[1].why


def test_runs_without_values_are_passed_over_and_said(history: Store) -> None:
    quiet(history, 13)
    (history.place.tables / history.entries()[1].values).unlink()
    found = checked(history)
    assert [one.number for one in found.reference.runs] == [1, *range(3, 12)]
    assert any(one.startswith("run 2 has no values per query") for one in found.left_out)
