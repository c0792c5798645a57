"""What every judge is told beside its rubric, in the language of the rubric."""

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources

from benchbench.tables.text_files import toml_value

LANGUAGES = ("en", "ja", "zh")
PLACE = re.compile(r"\{(\w+)\}")

_FILE = "notices.toml"


def notice(language: str, name: str) -> str:
    """Return one of the notices `data`, `form`, `repair` and `none`."""
    return _notices()[language][name].strip()


def filled(text: str, places: Mapping[str, str]) -> str:
    """Return a text with its places filled, in one pass: what is put in is not looked at again."""
    return PLACE.sub(lambda place: places.get(place[1], place[0]), text)


@cache
def _notices() -> dict[str, dict[str, str]]:
    return toml_value(resources.files("benchbench.answers.judges").joinpath(_FILE).read_bytes(), _FILE)
