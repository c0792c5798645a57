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
    with together(out, ("a", "b"), replace=True) as parts:
        parts["a"].write_text("new")
        _ = 1 // 0


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_an_error_leaves_what_was_there_and_nothing_else(tmp_path: Path):
    (tmp_path / "a").write_text("old")
    for out in (tmp_path, tmp_path / "new"):
        with pytest.raises(ZeroDivisionError):
            begun(out)
    assert contents(tmp_path) == {"a": "old"}


def test_what_exists_is_not_replaced_unless_that_is_asked_for(tmp_path: Path):
    (tmp_path / "b").symlink_to("nowhere")
    with pytest.raises(InputError, match=f"^{tmp_path / 'b'} exists already; --force replaces it, another --out keeps"):
        together(tmp_path, ("a", "b")).__enter__()
    (tmp_path / "b").unlink()
    (tmp_path / "b").write_text("old")
    with together(tmp_path, ("a", "b"), replace=True) as parts:
        for name, part in parts.items():
            part.write_text(name)
    assert contents(tmp_path) == {"a": "a", "b": "b"}
    (tmp_path / "b").unlink()
    (tmp_path / "b").mkdir()
    with pytest.raises(InputError, match="b is a folder, and no file can replace it"):
        together(tmp_path, ("a", "b"), replace=True).__enter__()


def written_meanwhile(out: Path) -> None:
    with together(out, ("a", "b")) as parts:
        for part in parts.values():
            part.write_text("ours")
        (out / "b").write_text("theirs")


def test_a_file_that_appears_meanwhile_is_kept(tmp_path: Path):
    with pytest.raises(InputError, match="b exists already"):
        written_meanwhile(tmp_path)
    assert contents(tmp_path) == {"b": "theirs"}


def test_all_files_are_replaced_or_none(tmp_path: Path):
    for name in ("a", "b"):
        (tmp_path / name).write_text("old")
    with pytest.raises(InputError, match="cannot write"), together(tmp_path, ("a", "b"), replace=True) as parts:
        parts["a"].write_text("new")  # and b is not there to be renamed
    assert contents(tmp_path) == {"a": "old", "b": "old"}


def two_at_once(out: Path) -> None:
    with together(out, ("a",)) as first, together(out, ("a",)) as second:
        first["a"].write_text("first")
        second["a"].write_text("second")


def test_two_that_write_at_once_leave_the_files_of_one(tmp_path: Path):
    with pytest.raises(InputError, match="a exists already"):
        two_at_once(tmp_path)
    assert contents(tmp_path) == {"a": "second"}


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
