"""What every judge is told beside its rubric, in the language of the rubric."""

import re
from collections.abc import Mapping
from functools import cache

from benchbench.tables.text_files import toml_beside

LANGUAGES = ("en", "ja", "zh")
PLACE = re.compile(r"\{(\w+)\}")


def notice(language: str, name: str) -> str:
    """Return one of the notices `data`, `form`, `repair` and `none`."""
    return _notices()[language][name].strip()


def filled(text: str, places: Mapping[str, str]) -> str:
    """Return a text with its places filled, in one pass: what is put in is not looked at again."""
    return PLACE.sub(lambda place: places.get(place[1], place[0]), text)


@cache
def _notices() -> dict[str, dict[str, str]]:
    return toml_beside(__file__, "notices.toml")
