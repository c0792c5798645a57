"""`benchbench history add`, `delete` and `export`."""

from pathlib import Path

import histories
import polars as pl
import pytest
from command_line import said, sentence
from histories import Kept

import benchbench as bb
from benchbench.history.store import open_history


@pytest.fixture(autouse=True)
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Kept]:
    """Be in a folder with three results folders, their names in another order than their times."""
    monkeypatch.chdir(tmp_path)
    found = histories.three()
    for name, one in zip("cab", found, strict=True):
        one.save(f"results/{name}")
    return found


def names(store: str = "h.db") -> list[tuple[int, str]]:
    with open_history(store, write=False) as history:
        return [(one.number, Path(one.source).name) for one in history.entries()]


FOLDERS = ("results/a", "results/b", "results/c")
INTO = ("--store", "h.db")


def test_folders_are_added_in_the_order_in_which_they_were_measured(capsys):
    code, output, errors = said(capsys, "history", "add", *FOLDERS, *INTO)
    assert (code, output) == (0, "")
    assert errors == ("Added as #1: results/c\nAdded as #2: results/a\nAdded as #3: results/b\n3 added to h.db\n")
    assert names() == [(1, "c"), (2, "a"), (3, "b")]


def test_what_is_there_already_stays_and_is_said(capsys):
    said(capsys, "history", "add", "results/c", *INTO)
    code, _, errors = said(capsys, "history", "add", *FOLDERS, "results/a/../a", *INTO)
    assert code == 0
    assert errors == (
        "Already there as #1: results/c\nAdded as #2: results/a\nAdded as #3: results/b\n"
        "2 added to h.db, 1 already there\n"
    )
    assert said(capsys, "history", "add", *FOLDERS, *INTO, "--quiet") == (0, "", "")


def test_all_takes_the_results_below_a_folder_and_not_their_parts(capsys):
    Path("results/b/part").mkdir()
    Path("results/b/part/record.json").write_bytes(Path("results/b/record.json").read_bytes())
    Path("results/other.partial").mkdir()
    Path("results/deeper/down").mkdir(parents=True)
    Kept({"M": [1.0, 0.0]}, 9).save("results/deeper/down/d")
    assert said(capsys, "history", "add", "--all", "results", *INTO).code == 0
    assert names() == [(1, "c"), (2, "a"), (3, "b"), (4, "d")]
    code, _, errors = said(capsys, "history", "add", "results", *INTO)
    assert (code, sentence(errors)) == (2, "results is no results folder: it has no record.json and no summary.json")


def test_tags_go_beside_those_of_the_record(capsys):
    said(capsys, "history", "add", "results/a", "--tag", "host=ci", "--tag", "model=other", *INTO)
    with open_history("h.db") as history:
        (entry,) = history.entries()
    assert dict(entry.tags) == {"commit": "2" * 40, "branch": "main", "model": "other", "host": "ci"}


@pytest.mark.damages_records
def test_a_damaged_folder_among_many_is_named_and_the_others_are_added(capsys):
    Path("results/a/record.json").write_text("{}")
    Path("results/c/per_query.parquet").write_bytes(b"no table")
    code, _, errors = said(capsys, "history", "add", *FOLDERS, "gone", *INTO)
    assert code == 2
    assert names() == [(1, "b")]
    last = errors.splitlines()[-1]
    assert last.startswith("Error: results/a/record.json is damaged: ")
    assert "; gone does not exist; " in last
    assert "results/c/per_query.parquet cannot be read: " in last
    assert last.endswith("; the other 1 are in the store")


def test_when_nothing_can_be_added_no_store_is_made(capsys):
    code, _, errors = said(capsys, "history", "add", "gone", *INTO)
    assert (code, sentence(errors)) == (2, "gone does not exist")
    assert not Path("h.db").exists()


# delete


def test_runs_are_deleted_with_their_values_and_said(capsys):
    said(capsys, "history", "add", *FOLDERS, *INTO)
    with open_history("h.db") as history:
        identity = history.one("3").id
    code, output, errors = said(capsys, "history", "delete", "#1", identity[:13], identity, *INTO)
    assert (code, output) == (0, "")
    assert (
        errors == "Deleted #1: bm25, run, 2026-09-21T14:13:20.000Z\nDeleted #3: bm25, run, 2026-09-21T16:13:20.000Z\n"
    )
    assert names() == [(2, "a")]
    assert len(list(Path("h.db.tables").glob("*.parquet"))) == 1
    assert all(Path(one).is_dir() for one in FOLDERS)
    said(capsys, "history", "add", "results/c", *INTO)
    assert names() == [(2, "a"), (4, "c")]


@pytest.mark.parametrize(
    ("selectors", "reason"),
    [
        (("1", "77"), "no run '77' in the history h.db; "),
        (("1", "latest"), "'latest' is a name, or latest; delete takes numbers or ids, such as #3"),
        (("1", "bm25"), "'bm25' is a name, or latest; delete takes numbers or ids, such as #3"),
    ],
)
def test_when_one_is_no_run_nothing_is_deleted(capsys, selectors, reason):
    said(capsys, "history", "add", *FOLDERS, *INTO)
    code, _, errors = said(capsys, "history", "delete", *selectors, *INTO)
    assert code == 2
    assert sentence(errors).startswith(reason)
    assert len(names()) == 3


# export


def test_numbers_are_exported_in_rows_with_their_runs(capsys, runs):
    said(capsys, "history", "add", *FOLDERS, *INTO)
    code, output, errors = said(capsys, "history", "export", "out/all.parquet", *INTO)
    assert (code, output, errors) == (0, "", "6 rows of 3 runs in out/all.parquet\n")
    frame = pl.read_parquet("out/all.parquet")
    assert frame["run"].to_list() == [1, 1, 2, 2, 3, 3]
    expected = [one.value for run in runs for one in run.record.numbers]
    assert frame["value"].to_list() == expected
    assert frame["commit"].unique(maintain_order=True).to_list() == ["1" * 40, "2" * 40, "3" * 40]
    assert frame["tags"].to_list()[0][2] == {"name": "model", "value": "v0"}


def test_values_per_query_are_exported_too_and_those_that_are_gone_said(capsys, runs):
    said(capsys, "history", "add", *FOLDERS, *INTO)
    with open_history("h.db") as history:
        (Path("h.db.tables") / history.one("2").values).unlink()
    code, _, errors = said(capsys, "history", "export", "v.parquet", "--values", *INTO)
    assert code == 0
    assert "Note: the values per query of run 2 are gone: " in errors
    assert errors.endswith("160 rows of 3 runs in v.parquet\n")
    frame = pl.read_parquet("v.parquet").filter(pl.col("run") == 3, pl.col("measure") == "gold.R@10")
    assert frame["query"].to_list() == [f"q{place}" for place in range(40)]
    assert frame["value"].to_list() == runs[2].values["gold.R@10"]
    assert {path.name for path in Path().iterdir()} == {"results", "h.db", "h.db.tables", "v.parquet"} | {
        path.name for path in Path().glob("h.db-*")
    }


def test_an_export_of_nothing_has_the_columns(capsys):
    said(capsys, "history", "add", *FOLDERS, *INTO)
    for more in ((), ("--values",)):
        whole, none = (f"{name}{len(more)}.parquet" for name in ("whole", "none"))
        said(capsys, "history", "export", whole, *more, *INTO)
        assert said(capsys, "history", "export", none, "--name", "no", *more, *INTO).code == 0
        assert pl.read_parquet(none).schema == pl.read_parquet(whole).schema
        assert pl.read_parquet(none).height == 0


def test_a_file_is_replaced_only_by_force_and_appears_whole(capsys, monkeypatch):
    said(capsys, "history", "add", *FOLDERS, *INTO)
    Path("x.parquet").write_text("mine")
    code, _, errors = said(capsys, "history", "export", "x.parquet", *INTO)
    assert (code, sentence(errors)) == (2, "x.parquet exists already; --force replaces it, another name keeps it")
    assert Path("x.parquet").read_text() == "mine"
    assert said(capsys, "history", "export", "x.parquet", "--force", *INTO).code == 0
    assert pl.read_parquet("x.parquet").height == 6
    code, _, errors = said(capsys, "history", "export", "x.csv", *INTO)
    assert (code, sentence(errors)) == (2, "x.csv is written as Parquet; give it a name that ends in .parquet")
    before = Path("x.parquet").read_bytes()
    monkeypatch.setattr("benchbench.history.export.merge", lambda parts: (_ for _ in ()).throw(OSError(28, "No space")))
    code, _, errors = said(capsys, "history", "export", "x.parquet", "--force", "--values", *INTO)
    assert (code, "No space" in errors) == (2, True)
    assert Path("x.parquet").read_bytes() == before
    assert not list(Path().glob(".x*"))


# Python


def test_python_opens_adds_lists_reads_and_deletes(runs):
    with bb.History("h.db") as history:
        entry, is_new = history.add("results/c", tags={"host": "ci"})
        assert (entry.number, is_new) == (1, True)
        assert history.add(bb.load("results/c"))[1] is False
        history.add(runs[1])
        listed = history.list()
        assert listed["run"].to_list() == [1, 2]
        assert history.list(commit="2222")["run"].to_list() == [2]
        numbers = history.numbers("R@10")
        assert numbers["value"].to_list() == [one.record.numbers[1].value for one in runs[:2]]
        assert history.numbers(limit=1)["run"].unique().to_list() == [2]
        assert history.result("latest").record.id == runs[1].record.id
        assert history.values(1).values["gold.R@10"].to_list() == runs[0].values["gold.R@10"]
        assert repr(history) == "<history h.db: 2 runs>"
        assert "<table" in history._repr_html_()
        with pytest.raises(bb.InputError, match=r"runs are chosen by name, kind, .* and not by names"):
            history.list(names="x")
        with pytest.raises(bb.InputError, match="a history has results and their folders, and not dict"):
            history.add({})  # type: ignore[arg-type]
        with pytest.raises(bb.InputError, match="AP is not stored"):
            history.numbers(["AP"])
        assert history.delete(1, "#1") == 1
        assert history.list()["run"].to_list() == [2]
    with pytest.raises(bb.InputError, match=r"there is no history at none\.db yet"):
        bb.History("none.db", create=False)
