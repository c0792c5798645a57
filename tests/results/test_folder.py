"""Folders that are written aside: one process each, and a name that no two take."""

import fcntl
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from benchbench.errors import InputError
from benchbench.results import folder as partial
from benchbench.results.folder import PartialFolder, Timed


class Folder(PartialFolder):
    """A folder that holds a file once something has come."""

    def _prepare(self) -> None:
        """Begin with nothing."""

    def _is_worth_keeping(self) -> bool:
        return (self.partial / "answer").exists()

    def kept(self) -> str:
        return f"the answer is in {self.partial}"

    def answer(self) -> None:
        (self.partial / "answer").touch()

    def finish(self) -> None:
        self._finish()


def test_a_folder_gets_its_name_and_holds_no_lock(tmp_path: Path):
    with Folder(tmp_path / "out") as folder:
        folder.answer()
        folder.finish()
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")] == ["out", "out/answer"]


@pytest.mark.parametrize("name", [".", "/"])
def test_what_no_folder_can_be_called_is_refused(name: str):
    with pytest.raises(InputError, match="is not the name of a folder"):
        Folder(Path(name))


@pytest.mark.parametrize("resume", [False, True])
def test_no_whole_folder_is_called_as_what_was_interrupted(tmp_path: Path, resume: bool):
    for place in (tmp_path / "out.partial", Timed(tmp_path, "-a.partial")):
        with pytest.raises(InputError, match=r"ends in \.partial, as unfinished folders do; name it without"):
            Folder(place, resume)


@pytest.mark.parametrize("resume", [False, True])
def test_a_link_to_nothing_is_refused_before_anything_is_written(tmp_path: Path, resume: bool):
    (tmp_path / "link").symlink_to("nothing")
    with pytest.raises(InputError, match="is a link whose target does not exist"):
        Folder(tmp_path / "link", resume)
    assert list(tmp_path.iterdir()) == [tmp_path / "link"]


def test_a_link_to_a_folder_is_that_folder(tmp_path: Path):
    (tmp_path / "out").mkdir()
    (tmp_path / "link").symlink_to("out")
    with pytest.raises(InputError, match="out exists already"), Folder(tmp_path / "link"):
        pass
    assert Folder(tmp_path / "link", resume=True).partial == tmp_path / "out.partial"


def test_two_of_one_second_have_two_names(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(partial.time, "time", lambda: 1_000_000_000.9)
    with Folder(Timed(tmp_path, "-a")) as one, Folder(Timed(tmp_path, "-a")) as two, Folder(Timed(tmp_path, "-b")) as b:
        for folder in (one, two, b):
            folder.answer()
            folder.finish()
        with Folder(Timed(tmp_path, "-a")) as three:
            three.answer()
            three.finish()
    names = {f"20010909T0146{second}Z-{name}" for second, name in ((40, "a"), (41, "a"), (42, "a"), (40, "b"))}
    assert {path.name for path in tmp_path.iterdir()} == names


def test_many_at_once_have_as_many_names(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(partial.time, "time", lambda: 1_000_000_000.0)

    def one() -> None:
        with Folder(Timed(tmp_path, "-a")) as folder:
            folder.answer()
            folder.finish()

    threads = [threading.Thread(target=one) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(list(tmp_path.iterdir())) == 16


def test_a_clock_that_goes_back_takes_no_name_twice(tmp_path: Path, monkeypatch):
    names = []
    for now in (100.0, 50.0, 50.0, 100.0):
        monkeypatch.setattr(partial.time, "time", lambda now=now: now)
        with Folder(Timed(tmp_path, "-a")) as folder:
            folder.answer()
            folder.finish()
            names.append(folder.path.name)
    assert len(set(names)) == 4


@pytest.mark.slow  # a process that is killed
def test_the_lock_of_a_process_that_was_killed_is_free(tmp_path: Path):
    code = """
import os, sys
from pathlib import Path
from test_folder import Folder
with Folder(Path(sys.argv[1])) as folder:
    folder.answer()
    os.kill(os.getpid(), 9)
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    killed = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "out"], env=environment, check=False, timeout=60, capture_output=True
    )
    assert killed.returncode == -9
    assert (tmp_path / "out.partial" / ".lock").exists()
    with pytest.raises(InputError, match="was left by an interrupted run"), Folder(tmp_path / "out"):
        pass
    with Folder(tmp_path / "out", resume=True) as folder:
        folder.finish()


def test_a_folder_with_a_lock_names_its_process_and_is_not_touched(tmp_path: Path):
    with Folder(tmp_path / "out") as folder:
        for resume in (False, True):
            with (
                pytest.raises(InputError, match=rf"being written by another run \(process {os.getpid()}\)"),
                Folder(tmp_path / "out", resume),
            ):
                pass
        folder.answer()
        folder.finish()
    assert (tmp_path / "out" / "answer").exists()


def answered_and_broken(path: Path) -> None:
    with Folder(path) as folder:
        folder.answer()
        raise ZeroDivisionError


def test_an_error_says_what_is_kept_and_an_empty_folder_is_removed(tmp_path: Path):
    with pytest.raises(ZeroDivisionError) as error, Folder(tmp_path / "empty"):
        raise ZeroDivisionError
    assert not hasattr(error.value, "__notes__")
    with pytest.raises(ZeroDivisionError) as error:
        answered_and_broken(tmp_path / "out")
    assert error.value.__notes__ == [f"the answer is in {tmp_path / 'out'}.partial"]
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")] == [
        "out.partial",
        "out.partial/answer",
    ]


def test_a_file_system_without_locks_is_written_to_all_the_same(tmp_path: Path, monkeypatch):
    def unsupported(*arguments: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", unsupported)
    with Folder(tmp_path / "out") as folder:
        folder.answer()
        folder.finish()
    assert (tmp_path / "out" / "answer").exists()


def test_a_name_that_is_no_utf_8_is_refused_before_anything_is_measured(tmp_path: Path):
    with pytest.raises(InputError, match=r"is not UTF-8, and tables cannot be written there; name another$"):
        Folder(tmp_path / "o\udcff")
