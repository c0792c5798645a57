"""What every result has, whatever was measured: how it shows itself, its numbers, its tables, its folder."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import orjson
import pytest
from any_result import Counted, Recorded, records, scores
from hypothesis import given

from benchbench.errors import InputError, visible
from benchbench.measures.scores import ScoreDetails
from benchbench.results.folder import save
from benchbench.results.reading import read_result
from benchbench.results.record import GateResult, Number, Record, Setting, record
from benchbench.results.result import Result

EVIL = "<script>alert(1)</script>\x1b[31m"


@contextmanager
def small_disk(most: int) -> Iterator[None]:
    """Let no file become larger than so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@given(records)
def test_any_result_shows_itself_in_one_to_ten_visible_lines(given_record: Record):
    lines = repr(Recorded(given_record)).split("\n")
    assert 1 <= len(lines) <= 10
    assert all(visible(line) == line for line in lines)


def test_a_result_shows_its_first_numbers_and_the_first_gate_that_failed():
    numbers = [Number(name=f"P@{k}", value=k / 9, low=0.0, high=1.0, scope={"task": "gold"}) for k in range(1, 9)]
    failed = GateResult(condition="P@1<1", verdict="failed", said="gate failed: P@1 is 0.1, required at least 1")
    passed = GateResult(condition="P@1>1", verdict="passed", said="P@1>1 passed with 0.1")
    lines = repr(Recorded(record("run", 1.0, name="bm25", numbers=numbers, gates=[passed, failed]))).split("\n")
    assert lines[:2] == ["<run 'bm25', complete>", "  gold.P@1 0.111111 (0 to 1)"]
    assert lines[-2:] == ["  … and 2 more numbers (.numbers())", "  gate failed: P@1 is 0.1, required at least 1"]
    assert len(lines) == 9


def test_that_too_much_failed_stands_in_the_first_line_and_once():
    broken = GateResult(
        condition="--max-error-rate 0", verdict="broken", said="9 of 9 queries failed, mostly: HTTP 500"
    )
    shown = repr(Recorded(record("run", 1.0, name="bm25", status="failed", gates=[broken])))
    assert shown == "<run 'bm25', failed: 9 of 9 queries failed, mostly: HTTP 500>"


def test_a_number_without_a_value_says_so():
    assert repr(Recorded(record("run", 1.0, numbers=[Number(name="p99", value=None, unit="ms")]))).endswith("p99 – ms")


@given(records)
def test_numbers_are_a_row_each_with_their_scope(given_record: Record):
    frame = Recorded(given_record).numbers()
    assert frame["value"].to_list() == [one.value for one in given_record.numbers]
    assert frame["name"].to_list() == [one.name for one in given_record.numbers]
    assert frame["n"].to_list() == [one.n for one in given_record.numbers]
    for key in {key for one in given_record.numbers for key in one.scope}:
        assert frame[key].to_list() == [one.scope.get(key) for one in given_record.numbers]


def test_a_notebook_shows_the_numbers_and_obeys_no_name():
    shown = Recorded(record("run", 1.0, numbers=[Number(name=EVIL, value=0.5, scope={"task": EVIL})]))._repr_html_()
    assert "<table" in shown
    assert "0.5" in shown
    assert "<script" not in shown


def test_a_record_is_made_once_and_keeps_its_id():
    result = Counted(["word"])
    identity = result.record.id
    assert result.record is result.record
    result.describe(name="other")
    assert result.record.id == identity


@pytest.mark.parametrize("first", [False, True], ids=["before the record is made", "after it"])
def test_what_the_measurement_cannot_know_is_described(first: bool):
    result = Counted(["word"])
    made = result.record if first else None
    gate = GateResult(condition="letters<5", verdict="failed", said="gate failed: letters is 4, required at least 5")
    result.describe(name="mine", sources={"words": "command line", "other": "default"}, tags={"commit": "1f"})
    result.describe(gates=[gate])
    found = result.record
    assert (found.name, found.tags, found.gates) == ("mine", {"commit": "1f"}, [gate])
    assert {name: one.source for name, one in found.settings.items()} == {"words": "command line"}
    assert result.decided() == [gate]
    assert made is None or made.id == found.id


@pytest.mark.parametrize(
    ("sources", "source"),
    [
        ({"tasks": "default", "cutoffs": "a file", "gold_by": "command line"}, "a file"),
        ({"tasks": "default", "cutoffs": "default"}, "default"),
        ({}, "default"),
        ({"criteria": "a file", "cutoffs": "command line"}, "a file"),
    ],
)
def test_a_setting_of_several_options_has_the_source_of_the_first_that_was_given(sources: dict[str, str], source: str):
    value = {"tasks": ["gold"], "cutoffs": [3], "gold_by": "id"}
    result = Recorded(record("run", 1.0, settings={"criteria": Setting(value=value)}))
    result.describe(sources=sources)
    assert result.record.settings["criteria"].source == source


def test_a_name_that_is_not_given_leaves_that_of_the_measurement():
    result = Counted(["word"])
    result.describe(name=None)
    assert result.record.name == "word"


def test_what_the_measurement_decided_is_known_before_anybody_asks_for_its_record():
    broken = GateResult(condition="no hits", verdict="broken", said="no answer has a hit")
    assert Recorded(record("run", 1.0, gates=[broken])).decided() == [broken]


def test_scores_decide_nothing_and_make_no_record_to_say_so():
    result = scores()
    assert result.decided() == []
    assert "record" not in vars(result)
    result.describe(gates=[GateResult(condition="AP<1", verdict="failed", said="gate failed: AP is 0.5")])
    assert [one.condition for one in result.decided()] == ["AP<1"]


def test_tables_are_made_when_they_are_asked_for_and_those_that_exist_are_named():
    assert Counted(["word"]).table("per_query")["Letters"].to_list() == [4.0]
    with pytest.raises(InputError, match=r"^this result of kind counted has no table hits; it has per_query$"):
        Counted(["word"]).table("hits")
    with pytest.raises(InputError, match="it has none"):
        Recorded(record("run", 1.0)).table("hits")


def test_details_are_the_same_type_before_and_after_a_folder(tmp_path: Path):
    result = scores()
    loaded = read_result(result.save(tmp_path / "out"))
    assert loaded.details_as(ScoreDetails) == result.details_as(ScoreDetails)


def test_settings_are_read_as_the_type_that_a_layout_draws():
    @dataclass
    class Words:
        words: list[str]

    @dataclass
    class Number:
        words: int

    assert Counted(["a", "b"]).settings_as(Words) == Words(["a", "b"])
    with pytest.raises(InputError, match=r"^this result of kind counted is damaged: Expected `int`, got `array`"):
        Counted(["a"]).settings_as(Number)


def test_a_result_that_makes_no_record_is_not_finished():
    with pytest.raises(NotImplementedError):
        _ = Result().record


def test_a_saved_folder_has_record_summary_config_and_tables(tmp_path: Path):
    out = save(Counted(["word", "文書"]), tmp_path / "a" / "out", {"report.html": "<p>文書</p>"})
    assert {path.name for path in out.iterdir()} == {
        "record.json",
        "summary.json",
        "config.json",
        "per_query.parquet",
        "report.html",
    }
    (table,) = orjson.loads((out / "record.json").read_bytes())["tables"]
    assert table == {"name": "per_query", "file": "per_query.parquet", "rows": 2}
    assert orjson.loads((out / "config.json").read_bytes())["options"] == {"words": ["word", "文書"]}
    assert (out / "report.html").read_text(encoding="utf-8") == "<p>文書</p>"


def test_a_folder_that_was_read_is_saved_again_with_its_tables(tmp_path: Path):
    first = Counted(["word"]).save(tmp_path / "first")
    second = read_result(first).save(str(tmp_path / "second"))
    for name in ("record.json", "summary.json", "config.json", "per_query.parquet"):
        assert (first / name).read_bytes() == (second / name).read_bytes()


def test_a_folder_that_exists_is_left_as_it_is(tmp_path: Path):
    out = Counted(["word"]).save(tmp_path / "out")
    before = (out / "record.json").read_bytes()
    with pytest.raises(InputError, match="out exists already; name another folder"):
        Counted(["other"]).save(out)
    assert (out / "record.json").read_bytes() == before
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize("most", [0, 100, 700, 1500])
def test_a_folder_is_whole_or_not_there_on_a_full_disk(tmp_path: Path, most: int):
    result = Counted([f"word{number}" for number in range(200)])
    with small_disk(most), pytest.raises(InputError) as error:
        result.save(tmp_path / "out")
    said = f"cannot write {tmp_path}/out.partial: File too large; name another place with --out"
    assert str(error.value) == said
    assert not getattr(error.value, "__notes__", [])
    assert list(tmp_path.iterdir()) == []
    result.save(tmp_path / "out")


def test_a_table_that_cannot_be_made_leaves_no_folder(tmp_path: Path):
    class Broken(Counted):
        def tables(self):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Broken(["word"]).save(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []
