"""What errors may quote from outside."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.errors import said_by, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("no such field: 金额\u3000不明", "no such field: 金额\u3000不明"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("two\r\nlines", "two\\r\\nlines"),
        ("a\u202egpj.exe", "a\\u202egpj.exe"),
        ("half \ud800", "half \\ud800"),
        ("\x9b2J", "\\x9b2J"),
    ],
    ids=["text", "escapes", "lines", "direction", "surrogate", "c1"],
)
def test_control_characters_are_shown_and_all_else_stays(text, shown):
    assert visible(text) == shown


def test_a_text_is_cut_before_it_is_escaped():
    assert visible("\x00" * 1000, 3) == "\\x00" * 3


@given(st.text(st.characters()))
def test_any_text_becomes_one_line_that_can_be_encoded(text):
    shown = visible(text)
    assert len(shown.splitlines()) <= 1
    assert all(one.isprintable() or one.isspace() for one in shown)
    shown.encode()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            OSError("cannot resolve 'db': [Errno -2] Name or service not known"),
            "cannot resolve 'db': Name or service not known",
        ),
        (PermissionError(13, "Permission denied", "/a"), "Permission denied: '/a'"),
        (RuntimeError("No such file or directory (os error 2): /a"), "No such file or directory: /a"),
        (ValueError(), "ValueError"),
    ],
    ids=["psycopg", "python", "polars", "nothing"],
)
def test_what_another_package_says_is_quoted_without_the_number_of_the_system(error: Exception, said: str):
    assert said_by(error) == said
