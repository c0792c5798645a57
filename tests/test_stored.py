"""Folders of version 0.1.0, which have no record: `tests/stored` has some, and what 0.1.0 printed of them."""

import csv
import io
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from any_result import UNBROKEN
from cases import some_of
from golden_inputs import STORED
from results.round_trip import validated

import benchbench as bb
from benchbench.errors import InputError
from benchbench.report.draw import RENDERERS, draw
from benchbench.stored import load

OLD = Path(__file__).parent / "stored"
KINDS = ("run", "targets", "load", "answers")
FOLDERS = [*(OLD / kind for kind in KINDS), STORED / "whole", STORED / "half", STORED / "load-whole"]


def numbers(line: str) -> tuple[float, ...]:
    """Return what a line has of numbers; the words around them may have changed since."""
    return tuple(float(number.replace(",", "")) for number in re.findall(r"\d(?:[\d.,]*\d)?", line))


@pytest.mark.parametrize("folder", some_of(FOLDERS, 2), ids=lambda folder: folder.name)
def test_the_record_of_a_folder_of_version_0_1_keeps_to_the_schema(folder: Path):
    result = load(folder)
    value = validated(result.record)
    assert value["settings"]
    assert value["numbers"]
    assert value["environment"]["versions"]["benchbench"] == "0.1.0"
    for form in RENDERERS:
        assert draw(result, form, UNBROKEN)


@pytest.mark.parametrize("kind", KINDS)
def test_a_folder_has_the_kind_that_was_measured(kind: str):
    result = bb.load(OLD / kind)
    assert isinstance(result, bb.Result)
    assert result.record.kind == kind


@pytest.mark.parametrize("kind", KINDS)
def test_json_has_all_that_version_0_1_printed(kind: str):
    value = orjson.loads(draw(load(OLD / kind), "json"))
    del value["record"]
    assert value == orjson.loads((OLD / kind / "summary.json").read_bytes())


@pytest.mark.parametrize("kind", KINDS)
def test_csv_has_the_rows_that_version_0_1_printed_and_columns_behind_its_own(kind: str):
    before = list(csv.reader(io.StringIO((OLD / "printed" / f"{kind}.csv").read_text("utf-8"))))
    now = list(csv.reader(io.StringIO(draw(load(OLD / kind), "csv"))))
    assert [row[: len(before[0])] for row in now] == before


@pytest.mark.parametrize("form", ["markdown", "latex"])
@pytest.mark.parametrize("kind", KINDS)
def test_what_people_read_has_the_numbers_that_version_0_1_printed(kind: str, form: str):
    before = (OLD / "printed" / f"{kind}.{form}").read_text("utf-8")
    shown = [numbers(line) for line in draw(load(OLD / kind), form, UNBROKEN).splitlines()]
    assert [line for line in before.splitlines() if not any(are_alike(numbers(line), one) for one in shown)] == []


def are_alike(before: tuple[float, ...], now: tuple[float, ...]) -> bool:
    """Say that two lines have the same numbers; version 0.1 had shares as percentages with one or two decimals."""
    return len(before) == len(now) and all(
        old == new or abs(old / 100 - new) < 0.00056 for old, new in zip(before, now, strict=True)
    )


def test_tables_beside_a_summary_are_read_when_they_are_asked_for():
    result = load(STORED / "whole")
    assert set(result.tables()) == {"hits", "per_query", "requests"}
    assert result.table("per_query").height == 12


def test_a_folder_of_version_0_1_can_be_saved_and_read_as_one_of_this_version(tmp_path: Path):
    for kind in ("run", "load", "answers"):
        saved = load(load(OLD / kind).save(tmp_path / kind))
        assert validated(saved.record) == validated(load(tmp_path / kind).record)
        assert draw(saved, "csv") == draw(load(OLD / kind), "csv")


# Damage


Spoil = Callable[[dict[str, Any]], object]


def spoiled(folder: Path, to: Path, file: str, spoil: Spoil) -> Path:
    """Copy a folder with one of its JSON files changed."""
    shutil.copytree(folder, to)
    value = orjson.loads((to / file).read_bytes())
    spoil(value)
    (to / file).write_bytes(orjson.dumps(value))
    return to


@pytest.mark.parametrize(
    ("kind", "file", "spoil", "reason"),
    [
        ("run", "summary.json", lambda one: one.clear(), "not a results folder: its summary.json is not of a run"),
        ("run", "summary.json", lambda one: one.pop("counts"), "summary.json is damaged: .*`counts`"),
        ("run", "summary.json", lambda one: one.update(counts=[]), r"summary.json is damaged: .*`\$\.counts`"),
        ("run", "summary.json", lambda one: one["counts"].update(failed="no"), "summary.json is damaged: .*got `str`"),
        ("run", "summary.json", lambda one: one["counts"].clear(), "summary.json is damaged: it has no '"),
        ("run", "summary.json", lambda one: one["latency_ms"].pop("mean"), "summary.json is damaged: it has no 'mean'"),
        ("run", "summary.json", lambda one: one.update(throughput={}), "summary.json is damaged: "),
        ("run", "summary.json", lambda one: one.update(gates=[{}]), "summary.json is damaged: it has no 'failure'"),
        ("run", "config.json", lambda one: one.clear(), "config.json is damaged: .*`dataset`"),
        ("run", "config.json", lambda one: one.update(options=3), "config.json is damaged: "),
        ("run", "config.json", lambda one: one["options"].update(batch_size="4"), "config.json is damaged: "),
        ("run", "config.json", lambda one: one.update(versions=3), "is damaged: "),
        ("run", "config.json", lambda one: one.update(data_digest=3), "is damaged: "),
        ("targets", "summary.json", lambda one: one.update(targets=3), "summary.json is damaged: "),
        ("targets", "summary.json", lambda one: one["targets"].clear(), "a target's name is not a folder name"),
        ("targets", "summary.json", lambda one: one["targets"].update({".": one["targets"]["a"]}), "a folder name"),
        ("targets", "summary.json", lambda one: one["targets"].update(c=one["targets"]["a"]), "c does not exist"),
        ("targets", "a/summary.json", lambda one: one.pop("name"), "a: summary.json is damaged: .*`name`"),
        ("load", "summary.json", lambda one: one.update(steps=3), "summary.json is damaged: "),
        ("load", "summary.json", lambda one: one.update(steps=[1]), "summary.json is damaged: "),
        ("load", "summary.json", lambda one: one["steps"][0].pop("values"), "summary.json is damaged: .*`values`"),
        ("load", "config.json", lambda one: one.clear(), "is damaged: "),
        ("load", "config.json", lambda one: one["options"].pop("top_k"), "is damaged: .*`top_k`"),
        ("answers", "summary.json", lambda one: one.update(metrics=3), "summary.json is damaged: "),
        ("answers", "summary.json", lambda one: one.update(gates=[3]), "summary.json is damaged: "),
        ("answers", "config.json", lambda one: one.update(options=3), "is damaged: "),
        ("answers", "config.json", lambda one: one.update(versions=[]), "is damaged: "),
    ],
)
def test_a_damaged_folder_is_one_sentence_that_names_it(tmp_path: Path, kind: str, file: str, spoil: Spoil, reason):
    folder = spoiled(OLD / kind, tmp_path / "out", file, spoil)
    with pytest.raises(InputError, match=reason) as refused:
        load(folder)
    assert str(folder) in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("kind", ["run", "load"])
def test_what_is_shown_are_the_measures_that_were_stored_whatever_the_options_say(tmp_path: Path, kind: str):
    options: Spoil = lambda one: one["options"].get("criteria", one["options"]).pop("cutoffs")  # noqa: E731
    folder = spoiled(OLD / kind, tmp_path / "out", "config.json", options)
    assert draw(load(folder), "text", UNBROKEN) == draw(load(OLD / kind), "text", UNBROKEN)


@pytest.mark.parametrize("kind", ["run", "load"])
def test_a_folder_without_its_configuration_is_refused(tmp_path: Path, kind: str):
    folder = shutil.copytree(OLD / kind, tmp_path / "out")
    (folder / "config.json").unlink()
    with pytest.raises(InputError, match=f"^{folder}: .* is damaged: "):
        load(folder)


@pytest.mark.parametrize("content", [b"{", b"[]", b"", b"\xff"])
def test_a_summary_that_is_no_json_object_is_refused(tmp_path: Path, content: bytes):
    (tmp_path / "summary.json").write_bytes(content)
    with pytest.raises(InputError, match=f"^{tmp_path}/summary.json"):
        load(tmp_path)


def test_a_folder_of_version_0_1_has_the_same_id_each_time_it_is_read():
    assert load(OLD / "run").record == load(OLD / "run").record
