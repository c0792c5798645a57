"""Files that are there together or not at all, and know their digest."""

from pathlib import Path

import pytest
import xxhash

from benchbench.errors import InputError
from benchbench.prepare.files import Digested, together


def test_files_get_their_names_when_the_block_ends(tmp_path: Path):
    out = tmp_path / "deep" / "out"
    with together(out, ("a", "b")) as parts:
        for name, part in parts.items():
            part.write_text(name)
        assert not (out / "a").exists()
    assert {path.name: path.read_text() for path in out.iterdir()} == {"a": "a", "b": "b"}


def begun(out: Path) -> None:
    with together(out, ("a", "b")) as parts:
        parts["a"].write_text("new")
        _ = 1 // 0


def test_an_error_leaves_what_was_there_and_nothing_else(tmp_path: Path):
    (tmp_path / "a").write_text("old")
    for out in (tmp_path, tmp_path / "new"):
        with pytest.raises(ZeroDivisionError):
            begun(out)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a": "old"}


def test_a_place_that_cannot_be_written_to_is_an_input_error(tmp_path: Path):
    (tmp_path / "file").write_text("")
    out = tmp_path / "file" / "out"
    with pytest.raises(InputError, match=f"cannot write {out}: Not a directory; name another place with --out"):
        together(out, ("a",)).__enter__()


def test_lines_are_json_and_the_digest_is_that_of_the_bytes(tmp_path: Path):
    places = []
    with Digested(tmp_path / "file") as file:
        for value in ({"é": 1}, [2]):
            places.append(file.place)
            file.write(value)
    content = (tmp_path / "file").read_bytes()
    assert content == '{"é":1}\n[2]\n'.encode()
    assert (places, file.digest()) == ([0, 9], f"xxh3-128:{xxhash.xxh3_128_hexdigest(content)}")
