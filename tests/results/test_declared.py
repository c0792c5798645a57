"""One function from a declared type to what a value is, or to the sentence that says why it is not."""

import re
import tracemalloc
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from msgspec import Meta, Struct

from benchbench.errors import InputError
from benchbench.results.declared import Filled, Texts, beside, not_blank, number, taken
from benchbench.results.ranges import HITS, SHARE


class Circle(Struct, tag_field="shape", tag="circle", forbid_unknown_fields=True):
    radius: float


class Square(Struct, tag_field="shape", tag="square", forbid_unknown_fields=True):
    side: float


class Inner(Struct, forbid_unknown_fields=True):
    top_k: Annotated[int, number(HITS)] = 5
    share: Annotated[float, number(SHARE)] = 0.5
    file: Path | None = None


class Whole(Struct, forbid_unknown_fields=True):
    title: Filled
    language: Literal["", "en", "ja"] = ""
    inner: Inner | None = None
    shape: Circle | Square | None = None
    names: Texts = ()
    fields: tuple[Literal["question", "answer"], ...] = ()
    entries: Annotated[list[Inner] | dict[str, float], Meta(description="entries, or numbers by name")] = []


def read(value: Any) -> Whole:
    return taken(value, Whole, "w.toml, line 3", "a whole has `title`", beside(Path("there/w.toml")))


def test_what_fits_is_of_the_type_with_paths_beside_the_file_and_numbers_of_any_library():
    value = {"title": "t", "inner": {"top_k": np.int64(3), "share": np.float64(0.25), "file": "f"}}
    assert read(value) == Whole("t", inner=Inner(3, 0.25, Path("there/f")))
    assert read({"title": "t", "shape": {"shape": "square", "side": 2}}).shape == Square(2.0)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([], "not a JSON object"),
        ({}, "`title` is missing; its members are none, and a whole has `title`"),
        ({"title": 3}, "`title` is a text that is not empty, and not 3"),
        ({"title": "t", "inner": 3}, "`inner` is a table, and not 3"),
        ({"title": "t", "inner": {"top_k": 0}}, "`inner.top_k` is a whole number from 1 to 1,000,000, and not 0"),
        ({"title": "t", "inner": {"top_k": True}}, "`inner.top_k` is a whole number from 1 to 1,000,000, and not True"),
        ({"title": "t", "inner": {"share": float("nan")}}, "`inner.share` is a number from 0 to 1, and not nan"),
        ({"title": "t", "inner": {"file": 3}}, "`inner.file` is a text, and not 3"),
        ({"title": "t", "inner": {"topk": 3}}, "inner.topk is not known; did you mean inner.top_k? known are inner."),
        ({"title": "t", "language": "jp"}, "`language` is en or ja, and not 'jp'"),
        ({"title": "t", "shape": {"shape": "circel"}}, "`shape.shape` is circle or square, and not 'circel'; did you"),
        ({"title": "t", "shape": {"radius": 1}}, "`shape.shape` is missing; its members are radius, and"),
        ({"title": "t", "shape": {"shape": "circle", "side": 1}}, "shape.side is not known; did you mean"),
        ({"title": "t", "names": ["a", 1]}, "`names` is a list of texts, and not ['a', 1]"),
        (
            {"title": "t", "fields": ["anwser"]},
            "`fields` is answer or question, and not 'anwser'; did you mean answer?",
        ),
        ({"title": "t", "entries": [{"x": 1}]}, "`entries` is entries, or numbers by name, and not [{'x': 1}]"),
        ({"title": "t", "entries": {"a": "b"}}, "`entries` is entries, or numbers by name, and not {'a': 'b'}"),
        ({"title": "t", "\x1b[2J": 1}, "\\x1b[2J is not known; known are title"),
        ({"title": "t", "language": "x - at `$.y[1]"}, "`language` is en or ja, and not 'x - at `$.y[1]'"),
        ({"title": "t", "language": "an unknown field `x`"}, "`language` is en or ja, and not 'an unknown field `x`'"),
        ({"title": "t", "language": "missing required field `x`"}, "`language` is en or ja, and not 'missing"),
        ({"title": "t", "x - at `$.title": 1}, "x - at `$.title is not known; known are title"),
        ({"title": "t", "inner": {"x - at `$.title": 1}}, "inner.x - at `$.title is not known; known are inner."),
        ({"title": "x" * 50, "names": "y" * 99}, "`names` is a list of texts, and not '" + "y" * 39 + "…"),
    ],
)
def test_what_does_not_fit_is_one_sentence(value: Any, said: str):
    with pytest.raises(InputError, match="^" + re.escape(f"w.toml, line 3: {said}")) as refused:
        read(value)
    assert "\n" not in str(refused.value)


def test_a_long_text_is_refused_in_little_memory():
    text = "e" * 1_000_000
    with pytest.raises(InputError):
        read({"title": "t", "language": text[:1]})  # what is loaded once
    tracemalloc.start()
    with pytest.raises(InputError, match="`language` is en or ja, and not 'eee"):
        read({"title": "t", "language": text})
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10_000_000


def test_a_text_with_nothing_in_it_is_refused():
    assert not_blank(" a", "title") == " a"
    for blank in ("", " \n\u3000"):
        with pytest.raises(InputError, match="line 1: `title` is a text that is not empty, and not '"):
            not_blank(blank, "title", "line 1")
