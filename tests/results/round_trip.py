"""A result is drawn alike before and after it lay in a folder, and its record keeps to the schema."""

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import orjson

from benchbench.report.draw import RENDERERS, draw
from benchbench.results.reading import Loaded, read_result
from benchbench.results.record import Record, plain
from benchbench.results.result import Result


@cache
def _validator() -> jsonschema.Draft202012Validator:
    schema = files("benchbench.results").joinpath("schema", "record-2.json")
    return jsonschema.Draft202012Validator(orjson.loads(schema.read_bytes()))


def validated(record: Record) -> dict[str, Any]:
    """Return a record as JSON has it; it keeps to the schema."""
    value: dict[str, Any] = orjson.loads(orjson.dumps(plain(record)))
    _validator().validate(value)
    return value


def round_trip(result: Result, folder: Path, **options: Any) -> Loaded:
    """Return a result as it is read back from a folder; it is drawn as it was, with the options of its layout."""
    loaded = read_result(result.save(folder))
    assert validated(loaded.record) == validated(result.record)
    for form in RENDERERS:
        assert draw(loaded, form, **options) == draw(result, form, **options), form
    return loaded
