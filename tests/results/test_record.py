"""The record of a result: its schema, its way through JSON and through a folder, its id."""

import math
import tempfile
import uuid
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

import orjson
import pytest
from any_result import Recorded, json_values, moments, records, texts, values
from hypothesis import given
from hypothesis import strategies as st
from results.round_trip import validated

from benchbench.errors import InputError
from benchbench.results.folder import config, pretty
from benchbench.results.reading import read_result
from benchbench.results.record import SCHEMA, Number, Record, Setting, converted, plain, record, schema, utc, uuid7


def test_the_schema_that_the_package_carries_is_made_from_the_types():
    carried = files("benchbench.results").joinpath("schema", f"record-{SCHEMA}.json").read_bytes()
    assert carried == pretty(schema()), "scripts/schema writes it"


@given(records)
def test_every_record_keeps_to_the_schema_and_comes_back_from_json(given_record: Record):
    read = converted(orjson.loads(pretty(plain(given_record))), Record, "record.json")
    assert validated(read) == validated(given_record)
    assert (read.numbers, read.gates, read.counts) == (given_record.numbers, given_record.gates, given_record.counts)


@given(records)
def test_every_record_comes_back_from_a_folder(given_record: Record):
    with tempfile.TemporaryDirectory() as folder:
        loaded = read_result(Recorded(given_record).save(Path(folder) / "out"))
    assert validated(loaded.record) == validated(given_record)
    assert repr(loaded) == repr(Recorded(given_record))


@pytest.mark.parametrize("value", [-0.0, 5e-324, 1.7976931348623157e308, 0.1 + 0.2, -1e-300, 1e16])
def test_a_number_keeps_every_bit(value: float):
    read = converted(orjson.loads(pretty(plain(Number(name="x", value=value)))), Number, "x").value
    assert (read, math.copysign(1.0, read)) == (value, math.copysign(1.0, value))


@given(values, values)
def test_what_is_no_finite_number_is_none(value: float | None, low: float | None):
    one = Number(name="x", value=value, low=low)
    for kept, was in ((one.value, value), (one.low, low)):
        assert kept == (None if was is None or not math.isfinite(was) else was)


@given(json_values, texts)
def test_a_setting_has_any_value_of_json_and_stands_in_the_options(value: object, source: str):
    made = record("counted", 1.0, settings={"option": Setting(value=value, source=source)})
    written = orjson.loads(pretty(config(made)))
    assert written["options"]["option"] == validated(made)["settings"]["option"]["value"]
    assert written["sources"] == {"option": source}


def test_a_name_that_is_no_unicode_is_written_with_question_marks():
    made = record("counted", 1.0, name="run-\udcff.trec", settings={"\udcff": Setting(value=["\udcff"])})
    assert orjson.loads(pretty(plain(made)))["name"] == "run-?.trec"


@given(moments, moments)
def test_an_id_is_a_uuid_of_version_7_and_ids_sort_by_time(one: float, other: float):
    ids = [uuid.UUID(uuid7(when)) for when in (one, other)]
    assert {(identity.version, identity.variant) for identity in ids} == {(7, uuid.RFC_4122)}
    assert [identity.int >> 80 for identity in ids] == [int(when * 1e3) for when in (one, other)]
    if int(one * 1e3) < int(other * 1e3):
        assert str(ids[0]) < str(ids[1])


def test_no_two_records_have_one_id():
    assert len({record("counted", 1.0, 2.0).id for _ in range(1000)}) == 1000


def test_times_are_utc_with_milliseconds():
    assert utc(0.0) == "1970-01-01T00:00:00.000Z"
    assert utc(1_700_000_000.5) == "2023-11-14T22:13:20.500Z"


@given(moments)
def test_a_time_is_read_as_it_was_to_the_millisecond(when: float):
    assert abs(datetime.fromisoformat(utc(when)).astimezone(UTC).timestamp() - when) <= 1e-3


def test_an_end_is_never_before_its_beginning():
    made = record("counted", 10.0, 5.0)
    assert (made.started, made.finished) == (utc(10.0), utc(10.0))


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({"value": 1.0}, "missing required field `name`"),
        ({"name": "x", "value": "1"}, r"Expected `float | null`, got `str` - at `$.value`"),
        ({"name": "x", "value": 1.0, "odd\x1b": 1}, "unknown field `odd\\x1b`"),
        ({"name": "x", "value": 1.0, "better": "up"}, "Invalid enum value 'up' - at `$.better`"),
        ([], "Expected `object`, got `array`"),
    ],
)
def test_what_is_of_another_type_is_one_sentence_that_names_the_place(value: object, reason: str):
    with pytest.raises(InputError) as error:
        converted(value, Number, "a/record.json")
    assert str(error.value).startswith("a/record.json is damaged: ")
    assert reason in str(error.value)
    assert str(error.value).isprintable()


@given(st.builds(Number, name=texts, value=values))
def test_a_number_is_the_same_as_its_copy(one: Number):
    assert converted(plain(one), Number, "x") == one
