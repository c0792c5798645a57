"""One JSON or TOML value of a whole file: in any UTF encoding, and where it is bad."""

import codecs
import io
import re
from pathlib import Path

import orjson
import pytest
from cases import check_rows
from hypothesis import given
from hypothesis import strategies as st

from benchbench.errors import InputError
from benchbench.tables import text_files
from benchbench.tables.text_files import detect_encoding, json_value, read_whole, toml_value

ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]
text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(st.binary(max_size=8))
def test_whatever_a_file_begins_with_an_encoding_is_named(head: bytes):
    assert codecs.lookup(detect_encoding(head)).name.startswith("utf-")


@given(st.dictionaries(text, text | st.integers(-9, 9), min_size=1), st.sampled_from(ENCODINGS))
def test_a_value_is_the_same_in_every_encoding(value: dict[str, str | int], encoding: str):
    assert json_value(orjson.dumps(value).decode().encode(encoding), "file") == value


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_table_is_the_same_in_every_encoding(encoding: str):
    assert toml_value('a = "ä"\r\nb = 1\n'.encode(encoding), "file") == {"a": "ä", "b": 1}


def test_what_is_damaged_has_its_file_line_column_and_reason():
    def check(encoding: str, read, written: str, sentence: str) -> None:
        with pytest.raises(InputError) as error:
            read(written.encode(encoding), "file")
        assert str(error.value).startswith(sentence)

    check_rows(
        check,
        (
            (encoding, *row)
            for encoding in ENCODINGS
            for row in [
                (json_value, '{\n "ä": x}', "file, line 2, column 7: not JSON ("),
                (json_value, "[1", "file, line 1, column 3: not JSON (unexpected end of data)"),
                (
                    json_value,
                    '{"ä": [-2.5E+999, 1]}',
                    "file, line 1, column 8: the number '-2.5E+999' is too large for a 64-bit float",
                ),
                (json_value, "[1] 2", "file, line 1, column 5: not JSON (unexpected content after document)"),
                (json_value, "\n\n" + "[" * 2000, "file, line 3, column "),
                (json_value, " \n", "file, line 1, column 1: not JSON (there is only white space)"),
                (toml_value, "a = 1\nä = 2", "file, line 2, column 1: not TOML (Invalid statement)"),
                (toml_value, "a = 1\na = 2\n", "file, line 2, column 6: not TOML (Cannot overwrite a value)"),
                (toml_value, "a =", "file: not TOML (Invalid value (at end of document))"),
            ]
        ),
    )


@pytest.mark.parametrize("read", [json_value, toml_value])
@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "file is empty"),
        (b'a = "b"\n"\xff"', "file, line 2: not UTF-8 text (byte 10 of the file)"),
        (b'\xef\xbb\xbf"\xff"', "file, line 1: not UTF-8 text (byte "),
        (b'\xff\xfe"\x00\x00\xd8', "file, line 1: not UTF-16 text (byte "),
    ],
)
def test_what_is_no_text_is_said_as_such(read, content: bytes, sentence: str):
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}"):
        read(content, "file")


def test_a_reason_is_one_visible_line_of_200_characters():
    with pytest.raises(InputError) as error:
        toml_value(f'"\\u001b{"x" * 5000}" = 1\n"\\u001b{"x" * 5000}" = 1'.encode(), "file")
    assert str(error.value).isprintable()
    assert len(str(error.value)) < 300


@given(st.binary(max_size=30))
def test_whatever_the_bytes_there_is_a_value_or_one_sentence(content: bytes):
    for read in (json_value, toml_value):
        said = "file"
        try:
            read(content, "file")
        except InputError as error:
            said = str(error)
        assert said.startswith("file")
        assert said.isprintable()


def test_a_file_that_is_too_long_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(text_files, "LONGEST", 3 << 20)
    assert len(read_whole(io.BytesIO(bytes(3 << 20)), "file")) == 3 << 20
    with Path("/dev/zero").open("rb") as endless, pytest.raises(InputError, match=r"^file is longer than 3 MiB, "):
        read_whole(endless, "file")


@pytest.mark.parametrize("deep", ["a = " + "9" * 5000, "a = " + "[" * 100_000])
def test_a_number_that_is_too_long_and_tables_that_are_too_deep_are_an_error(deep: str):
    with pytest.raises(InputError, match="not TOML"):
        toml_value(deep.encode(), "file")
