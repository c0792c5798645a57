"""Where a label stands, as a text, a list or a table."""

from typing import Any

import pytest
from cases import check_each
from hypothesis import given
from hypothesis import strategies as st

from benchbench.errors import InputError
from benchbench.tasks.label_paths import LabelPaths, path_text, read_label, read_path

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
BRAND = ("meta", "brand")


@given(st.lists(TEXTS, min_size=1, max_size=5))
def test_a_path_of_any_names_is_one_line_that_reads_back(names: list[str]) -> None:
    text = path_text(tuple(names))
    assert text.isprintable()
    assert not set(text) & set("|()")
    assert read_path(text) == tuple(names)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("brand", ("brand",)),
        ("meta.品牌", ("meta", "品牌")),
        (' meta."list price" ', ("meta", "list price")),
        ("'a.b'.c", ("a.b", "c")),
        (r'"\u0061\"".x-1', ('a"', "x-1")),
        ('""', ("",)),
    ],
)
def test_names_with_odd_characters_stand_in_quotes(text: str, path: tuple[str, ...]) -> None:
    assert read_path(text) == path


def test_what_is_no_path_is_an_error_of_one_line():
    def check(text: Any) -> None:
        with pytest.raises(InputError, match="is no path") as caught:
            read_path(text)
        assert str(caught.value).isprintable()

    check_each(
        check,
        [
            *("", ".", "a.", ".a", "a..b", "a b", "a,b", 'a"b"', '"a', r'"\x"', "a\nb", "a|b", "a(b)", '"a" "b"'),
            *(r'"\ud800"', "a\u200bb", ".".join("a" * 33), 3, None, True, ["a"]),
        ],
    )


@pytest.mark.parametrize(
    ("given", "label", "value"),
    [
        ("meta.brand", LabelPaths((BRAND,), (BRAND,)), "meta.brand"),
        (["meta.brand"], LabelPaths((BRAND,), (BRAND,)), "meta.brand"),
        ({"paths": "meta.brand"}, LabelPaths((BRAND,), (BRAND,)), "meta.brand"),
        (
            ["brand", "meta.brand", "brand"],
            LabelPaths((("brand",), BRAND), (("brand",), BRAND)),
            ["brand", "meta.brand"],
        ),
        ({"query": "a", "hit": ["b", "c"]}, LabelPaths((("a",),), (("b",), ("c",))), {"query": "a", "hit": ["b", "c"]}),
        ({"query": "a", "hit": "a"}, LabelPaths((("a",),), (("a",),)), "a"),
        ({"paths": "a", "ignore": "]["}, LabelPaths((("a",),), (("a",),), "[]"), {"paths": "a", "ignore": "[]"}),
    ],
)
def test_a_label_has_one_form(given: Any, label: LabelPaths, value: Any) -> None:
    assert read_label(given, {}) == label
    assert label.value == value
    assert read_label(label.value, {}) == label


def test_a_name_of_a_label_goes_before_a_path_and_is_no_part_of_what_it_is() -> None:
    named = LabelPaths((BRAND,), (BRAND,), name="brand")
    assert read_label("brand", {"brand": named}) is named
    assert read_label("brand", {}) == LabelPaths((("brand",),), (("brand",),))
    assert named == LabelPaths((BRAND,), (BRAND,))
    assert (named.called, LabelPaths((), (BRAND,)).called) == ("brand", "meta.brand")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "a label has from 1 to 32 paths, and not 0"),
        ([f"a{n}" for n in range(33)], "a label has from 1 to 32 paths, and not 33"),
        (3, "3 is no path: a path is a text such as meta.brand"),
        ({}, "a label has either paths, or both query and hit"),
        ({"query": "a"}, "a label has either paths, or both query and hit"),
        ({"paths": "a", "hit": "b"}, "a label has either paths, or both query and hit"),
        ({"path": "a"}, "a label has paths, query, hit and ignore, and no 'path'"),
        ({"paths": "a", "ignore": 3}, "ignore is a text with the characters that are left out"),
        ({"paths": {"a": 1}}, "{'a': 1} is no path: a path is a text such as meta.brand"),
    ],
)
def test_what_is_no_label_is_an_error(given: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_label(given, {})
    assert str(caught.value) == message
