import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.tables.names import printable


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("bm25 v2 (日本)", "bm25 v2 (日本)"),
        (" two\nlines\t and  blanks ", "two lines and blanks"),
        ("\x1b[31mred\x07", "\ufffd[31mred\ufffd"),
        (b"caf\xe9".decode(errors="surrogateescape"), "caf\ufffd"),
    ],
)
def test_a_name_stands_on_one_line_and_holds_nothing_that_is_obeyed(name, shown):
    assert printable(name) == shown


@given(st.text(st.characters(codec=None)))
def test_any_name_can_be_written_and_printed(name):
    shown = printable(name)
    shown.encode()
    assert shown.isprintable()
    assert printable(shown) == shown
