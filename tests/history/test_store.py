"""Runs are added, found, read back and deleted, alike in both databases."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import invented_agreement
import invented_answers
import invented_comparison
import invented_judge
import invented_rates
import polars as pl
import pytest
from any_result import EXAMPLES, Recorded, records
from cases import first_of, some_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from invented_run import result as invented_run
from stored_runs import Kept, kept

import benchbench as bb
from benchbench.errors import InputError
from benchbench.history.entry import MissingValuesError
from benchbench.history.measure_names import measure_of, slice_of
from benchbench.history.store import Store, open_history
from benchbench.history.wanted import Wanted
from benchbench.measures.scores import SeveralScores
from benchbench.report.draw import layout, rendered
from benchbench.results.folder import encoded
from benchbench.results.record import Data, Number, plain, record
from benchbench.results.signature import short


@pytest.fixture(params=["sqlite", "postgresql"])
def history(request: pytest.FixtureRequest, new_store: Callable[[str], str]) -> Iterator[Store]:
    with open_history(new_store(request.param), create=True) as opened:
        yield opened


def numbers_of(found: list) -> list[int]:
    return [one.number for one in found]


def test_what_was_added_is_read_back(history: Store):
    run = kept(1, [0.25, 0.75], tags={"model": "small"})
    entry, new = history.add(run, tags={"commit": "c0ffee12", "branch": "main"}, source="results/one")
    assert new
    assert (entry.number, entry.id, entry.kind, entry.name) == (1, run.record.id, "run", "bm25")
    assert (entry.data, entry.data_digest, entry.signature) == ("cases", "d1", run.record.signature)
    assert (entry.commit, entry.branch, entry.source) == ("c0ffee12", "main", "results/one")
    assert entry.tags == {"model": "small", "commit": "c0ffee12", "branch": "main"}
    assert entry.started == run.record.started
    assert history.record(entry) == run.record
    assert history.entries() == [entry]
    assert history.numbers([entry]).to_dicts() == [
        {
            "run": 1, "measure": "gold.nDCG@10", "scope": '{"task":"gold"}', "slice": None, "value": 0.5, "low": 0.1,
            "high": 0.9, "stderr": None, "n": 2, "unit": "", "better": "higher",
        }
    ]  # fmt: skip
    values = history.values(entry)
    assert values.queries.to_list() == ["q0", "q1"]
    assert values.values.to_dict(as_series=False) == {"gold.nDCG@10": [0.25, 0.75]}
    assert (values.columns.width, values.latency.height, values.why) == (0, 0, "")


def test_a_record_that_is_there_stays_as_it_is(history: Store):
    run = kept(1, [0.5])
    first, _ = history.add(run, tags={"a": "1"})
    again, new = history.add(kept(2, [1.0], id=run.record.id), tags={"a": "2"})
    assert not new
    assert again == first
    assert history.values(again).values.to_series().to_list() == [0.5]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(records, min_size=1, max_size=3, unique_by=lambda one: one.id), st.dictionaries(st.text(), st.text()))
def test_any_record_is_read_back_as_it_was(history: Store, many: list, tags: dict[str, str]):
    tags = {
        name.encode(errors="replace").decode(): value.encode(errors="replace").decode() for name, value in tags.items()
    }
    added = [history.add(Recorded(one), tags=tags)[0] for one in many]
    written = [encoded(plain(one)) for one in many]  # NaN is null there, as in a folder
    assert [encoded(plain(history.record(one))) for one in added] == written
    assert [encoded(plain(history.result(one).record)) for one in added] == written
    assert numbers_of(history.entries())[-len(many) :] == numbers_of(added)
    read = history.numbers(added)
    for entry, one in zip(added, many, strict=True):
        its = read.filter(pl.col("run") == entry.number)
        assert its["value"].to_list() == [number.value for number in one.numbers]
        assert its["n"].to_list() == [number.n for number in one.numbers]
        for name, found in ((measure_of, its["measure"]), (slice_of, its["slice"])):
            assert found.to_list() == [(of := name(number)) and of.replace("\0", "␀") for number in one.numbers]
    history.delete(added)


@pytest.mark.parametrize("name", EXAMPLES)
def test_results_of_every_small_kind_are_drawn_again_as_they_were(history: Store, name: str):
    result = EXAMPLES[name]()
    entry, _ = history.add(result)
    stored = history.result(entry)
    assert encoded(plain(stored.record)) == encoded(plain(result.record))
    assert encoded(stored.json_members()) == encoded(result.json_members())
    for form in ("text", "markdown"):
        assert rendered(stored, layout(stored), form) == rendered(result, layout(result), form)


LARGER = {
    "load": lambda folder: invented_rates.outcome(folder / "load"),
    "answers": lambda _: invented_answers.answers(),
    "passages": lambda _: invented_answers.passages(),
    "compare": lambda _: invented_comparison.outcome(queries=40),
    "judge": lambda _: invented_judge.outcome(),
    "judge agreement": lambda _: invented_agreement.made(),
}


@pytest.mark.parametrize("name", some_of(LARGER, 2))
def test_results_of_every_large_kind_are_drawn_again(tmp_path: Path, name: str):
    result = LARGER[name](tmp_path)
    with open_history(tmp_path / "history.db", create=True) as history:
        folder = result.save(tmp_path / "saved")
        entry, _ = history.add(bb.load(folder), source=str(folder))
        stored = history.result(entry)
        assert encoded(plain(stored.record)) == encoded(plain(result.record))
        assert rendered(stored, layout(stored), "markdown") == rendered(result, layout(result), "markdown")
        assert "<html" in rendered(stored, layout(stored), "html")
        measures = set(history.numbers([entry])["measure"])
        assert len(measures) > 0
        if entry.values and entry.kind != "compare":
            assert set(history.values(entry).values.columns) & measures


def test_a_table_of_a_folder_that_is_gone_or_has_another_result_is_said_to_be(tmp_path: Path):
    folder = invented_comparison.outcome(queries=40).save(tmp_path / "saved")
    with open_history(tmp_path / "history.db", create=True) as history:
        entry, _ = history.add(bb.load(folder), source=str(folder))
        assert history.result(entry).table("per_query").height > 0
        folder.rename(tmp_path / "moved")
        kept(1).save(folder)
        with pytest.raises(InputError) as refused:
            history.result(entry).table("per_query")
    said = f"run 1 of the history, which was added from {folder}, has no table per_query; it has none"
    assert str(refused.value) == said


def test_a_run_is_drawn_again_from_the_store_alone(history: Store, tmp_path):
    result = invented_run(tmp_path / "run", queries=20, failed=2)
    entry, _ = history.add(result)
    stored = history.result(entry)
    assert stored.table("per_query").equals(result.table("per_query"))
    assert rendered(stored, layout(stored), "text") == rendered(result, layout(result), "text")
    values = history.values(entry)
    assert values.values.columns == ["gold.P@10", "gold.P@5", "accusation.P@10", "accusation.P@5"]
    assert set(values.values.columns) <= set(history.numbers([entry])["measure"])


def test_runs_are_found_by_what_is_known_of_them(history: Store):
    added = [
        history.add(kept(1), tags={"commit": "abcdef0123", "model": "small"})[0],
        history.add(kept(2, name="dense", data=Data(name="laws", digest="0123456789ab")), tags={"model": "big"})[0],
        history.add(kept(3, kind="score", signature="a:b"), tags={"model": "small", "commit": "abcd999"})[0],
        history.add(kept(60 * 24, signature="a:b", data=Data(source="x/scifact", digest="abc")))[0],
    ]

    def found(**wanted) -> list[int]:
        return numbers_of(history.entries(Wanted(**wanted)))

    assert found() == [1, 2, 3, 4]
    assert found(name="bm25") == [1, 3, 4]
    assert found(kind="score") == [3]
    assert found(data="cases") == [1, 3]
    assert found(data="0123456789ab") == found(data="01234567") == [2]
    assert found(data="0123456") == []
    assert found(data="scifact") == found(data="abc") == [4]
    assert found(tags={"model": "small"}) == [1, 3]
    assert found(tags={"model": "small", "commit": "abcd999"}) == [3]
    assert found(commit="abcd") == [1, 3]
    assert found(commit="abcdef") == [1]
    assert found(signature="a:b") == found(signature=short("a:b")) == [3, 4]
    assert found(signature="00000000") == []
    assert found(limit=2) == [3, 4]
    assert found(name="bm25", limit=2) == [3, 4]
    assert found(since=added[1].started) == [2, 3, 4]
    assert found(until=added[1].started) == [1, 2]
    assert found(until="2023-11-14") == [1, 2, 3]  # the whole day
    assert found(since="2023-11-15") == [4]
    assert found(since="2023-11-15T00:00+02:00", until="2023-11-14T22:14") == []
    assert found(since="2023-11-15T00:00+02:00") == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (Wanted(since="yesterday"), "--since yesterday is not a date or time, such as 2026-11-23 or 2026-11-23T18:30"),
        (Wanted(commit="abc"), "--commit abc has fewer than 4 characters"),
        (Wanted(limit=0), "--limit 0 is below 1"),
    ],
)
def test_a_wish_that_cannot_be_read_is_named(history: Store, wanted: Wanted, said: str):
    with pytest.raises(InputError) as refused:
        history.entries(wanted)
    assert str(refused.value) == said


def test_one_run_is_named_by_number_id_name_or_as_the_latest(history: Store):
    added = [history.add(kept(number, id=identity, name=name))[0] for number, identity, name in (
        (1, "0000aaaa-1", "bm25"), (2, "0000aaaa-2", "dense"), (3, "0000bbbb-1", "bm25"), (4, "other", "7"),
    )]  # fmt: skip
    assert history.one("2") == history.one("#2") == history.one("0000aaaa-2") == history.one("dense") == added[1]
    assert history.one("bm25") == history.one("0000bbbb") == added[2]
    assert history.one("latest") == history.one("7") == added[3]
    with pytest.raises(InputError, match="several ids begin with 0000aaaa, such as 0000aaaa-1, 0000aaaa-2"):
        history.one("0000aaaa")
    with pytest.raises(
        InputError, match=r"no run '99' in .*; it has 4 runs, the last is 4, of the names 7, bm25, dense"
    ):
        history.one("99")
    history.delete(history.entries())
    with pytest.raises(InputError, match="it is empty"):
        history.one("latest")


def test_a_deleted_run_is_gone_with_its_values_and_its_number_is_not_given_again(history: Store):
    first, second = (history.add(kept(number, [0.5]))[0] for number in (1, 2))
    file = history.place.tables / second.values
    assert file.exists()
    assert history.delete([second]) == 1
    assert not file.exists()
    assert history.delete([second]) == 0
    assert history.entries() == [first]
    assert history.numbers([first, second])["run"].to_list() == [1]
    with pytest.raises(InputError, match="run 2 is not in the history any more"):
        history.record(second)
    assert history.add(kept(3))[0].number == 3


def test_values_that_are_gone_are_said_to_be(history: Store):
    without, _ = history.add(kept(1))
    lost, _ = history.add(kept(2, [0.5]), source="results/two")
    path = history.place.tables / lost.values
    path.unlink()
    with pytest.raises(MissingValuesError, match=r"^run 1 \(run bm25\) has no values per query$"):
        history.values(without)
    with pytest.raises(MissingValuesError) as refused:
        history.values(lost)
    said = f"the values per query of run 2 are gone: {path} does not exist; they were added from results/two"
    assert str(refused.value) == said
    assert history.result(lost).tables() == {}
    path.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(InputError, match="cannot be read"):
        history.values(lost)


def test_runs_that_may_be_compared_are_one_series(history: Store):
    history.add(kept(1))
    history.add(kept(2, name="dense"))
    history.add(kept(3))
    history.add(kept(4, data=Data(name="cases", digest="d2")))
    series = history.series()
    assert [numbers_of(list(one.entries)) for one in series] == [[4], [1, 3], [2]]
    assert [(one.name, one.data_digest) for one in series] == [("bm25", "d2"), ("bm25", "d1"), ("dense", "d1")]
    assert len({one.key for one in series}) == 3


def test_numbers_have_their_scopes_in_front_and_their_slices_apart(history: Store):
    scopes = [
        {},
        {"task": "gold"},
        {"target": "old", "task": "gold"},
        {"slice": "tier=1"},
        {"step": "c8", "slice": "a=b"},
    ]
    numbers = [Number(name="P@3", value=float(place), scope=scope) for place, scope in enumerate(scopes)]
    entries = [history.add(kept(number, numbers=numbers))[0] for number in range(3)]
    read = history.numbers(entries)
    assert read["run"].to_list() == [1] * 5 + [2] * 5 + [3] * 5
    assert read["measure"].to_list()[:5] == ["P@3", "gold.P@3", "old.gold.P@3", "P@3", "c8.P@3"]
    assert read["slice"].to_list()[:5] == [None, None, None, "tier=1", "a=b"]
    some = history.numbers([entries[0], entries[2]], {"P@3", "no such"})
    assert some.select("run", "value").rows() == [(1, 0.0), (1, 3.0), (3, 0.0), (3, 3.0)]
    assert history.numbers([]).columns == history.numbers(entries, []).columns == read.columns


def test_texts_that_postgresql_cannot_hold_are_kept_in_the_record(history: Store):
    entry, _ = history.add(kept(1, name="a\0b", tags={"x\0": "\0"}))
    assert history.record(entry).name == "a\0b"
    assert (entry.name, entry.tags) == ("a␀b", {"x␀": "␀"})
    assert history.one("a\0b") == entry


@pytest.mark.parametrize("identity", ["", " ", "x" * 201])
def test_an_id_that_is_none_is_refused(history: Store, identity: str):
    with pytest.raises(InputError, match="a record has an id of 1 to 200 characters"):
        history.add(kept(1, id=identity))


@pytest.mark.parametrize("identity", first_of("../../up", "/etc/passwd", "a b", ".hidden", "x" * 200, "日本", first=2))
def test_a_file_of_values_stays_in_its_folder_whatever_the_id(history: Store, identity: str):
    entry, _ = history.add(kept(1, [0.5], id=identity))
    assert (history.place.tables / entry.values).resolve().parent == history.place.tables.resolve()
    assert history.one(identity).id == identity if len(identity) >= 8 else True
    assert history.values(entry).values.height == 1


def test_scores_of_several_runs_have_the_run_in_front(history: Store):
    entry, _ = history.add(EXAMPLES["score of several"]())
    values = history.values(entry).values
    assert values.columns == ["one.nDCG@10", "one.AP", "two.nDCG@10", "two.AP"]
    assert set(values.columns) <= set(history.numbers([entry])["measure"])
    qrels = bb.Qrels.from_dict({"q1": {"d1": 1}})
    run = bb.Run.from_dict({"q1": {"d1": 3.0}})
    single, _ = history.add(bb.evaluate(qrels, run, ["P@5"]))
    assert history.values(single).values.columns == ["P@5"]


def test_a_result_of_a_kind_that_nobody_knows_is_kept(history: Store):
    entry, _ = history.add(Kept(record("weather", 1.0, numbers=[Number(name="rain", value=3.0, unit="mm")]), {}))
    assert history.result(entry).record.kind == "weather"
    assert history.numbers([entry]).row(0, named=True)["unit"] == "mm"


def test_numbers_of_scores_have_the_interval_of_their_values_per_query(history: Store):
    qrels = bb.Qrels.from_dict({f"q{n}": {"d": 1} for n in range(40)})
    runs = {
        name: bb.Run.from_dict({f"q{n}": {"d": 1.0, "x": 2.0 * (n % every == 0)} for n in range(40)})
        for name, every in (("one", 2), ("other", 3))
    }
    one, other = (bb.evaluate(qrels, run, ["RR", "Success@1"]) for run in runs.values())
    one, other = replace(one, name="one"), replace(other, name="other")
    for scored in (one, SeveralScores((one, other))):
        found = [row for row in history.numbers([history.add(scored)[0]]).to_dicts() if row["better"]]
        assert all(row["low"] < row["value"] < row["high"] for row in found)
    assert {row["measure"] for row in found} == {"one.RR", "one.Success@1", "other.RR", "other.Success@1"}
    assert len({row["low"] for row in found}) == 4
