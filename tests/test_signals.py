"""Signals that end a command, sent to processes of their own."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from benchbench.client.sync import _StoppableLoop
from benchbench.processes import python


def ended(body: str) -> tuple[int, str, str]:
    """Run a Python process that handles signals as a command does; return its exit code and what it wrote."""
    head = (  # SIGHUP too ends it, whatever the tests were started by
        "import asyncio, os, signal, sys, time\nsignal.signal(signal.SIGHUP, signal.SIG_DFL)\n"
        "from benchbench import signals\nsignals.install()\n"
    )
    command = [sys.executable, "-c", head + textwrap.dedent(body)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_first_signal_stops_and_the_rest_of_a_burst_does_not_disturb_the_end(number: signal.Signals):
    body = f"""
        try:
            os.kill(os.getpid(), {number:d})
        except signals.Stopped:
            for _ in range(100):
                os.kill(os.getpid(), signal.SIGINT)
                os.kill(os.getpid(), signal.SIGTERM)
            print("kept", signals.received())
    """
    assert ended(body) == (0, f"kept {number:d}\n", "")


def test_a_signal_after_the_burst_ends_the_process_at_once():
    body = """
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except signals.Stopped:
            signals._State.at -= 10  # ten seconds pass
            os.kill(os.getpid(), signal.SIGTERM)
            print("never")
    """
    said = "Ended at once, as a second signal asked; what is on disk is whole.\n"
    assert ended(body) == (128 + signal.SIGTERM, "", said)


def test_a_signal_that_was_ignored_from_the_start_stays_ignored():
    body = 'os.kill(os.getpid(), signal.SIGHUP); print("goes on")'
    command = f"trap '' HUP; exec {sys.executable} -c 'from benchbench import signals; import os, signal; "
    done = subprocess.run(
        ["sh", "-c", f"{command}signals.install(); {body}'"], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "goes on\n", "")


def test_an_event_loop_is_cancelled_once_and_comes_to_its_end():
    body = """
        from benchbench.client.sync import run_sync

        async def work():
            try:
                os.kill(os.getpid(), signal.SIGTERM)
                await asyncio.Event().wait()
            finally:
                for _ in range(100):
                    os.kill(os.getpid(), signal.SIGINT)
                    await asyncio.sleep(0)
                print("stored")

        try:
            run_sync(work())
        except KeyboardInterrupt as error:
            print(type(error).__name__, signals.received())
    """
    assert ended(body) == (0, "stored\nStopped 15\n", "")


def test_work_that_keeps_the_loop_waiting_is_stopped_all_the_same():
    body = """
        from benchbench.client.sync import run_sync

        async def work():
            with signals.immediate():
                os.kill(os.getpid(), signal.SIGINT)
                print("never")

        try:
            run_sync(work())
        except signals.Stopped:
            print("stopped")
    """
    assert ended(body) == (0, "stopped\n", "")


def test_ctrl_c_in_a_notebook_ends_the_work_and_not_only_the_waiting_for_it():
    """A notebook has a loop in the main thread, so that the work has one in another thread, which hears no signal."""
    body = """
        import threading
        from benchbench.client.sync import run_sync

        async def work():
            threading.Timer(0, os.kill, (os.getpid(), signal.SIGINT)).start()
            try:
                await asyncio.Event().wait()
            finally:
                print("ended")

        async def cell():
            try:
                run_sync(work())
            except KeyboardInterrupt:
                print("interrupted")

        asyncio.run(cell())
    """
    assert ended(body) == (0, "ended\ninterrupted\n", "")


def test_work_in_another_thread_that_is_stopped_before_it_begins_ends_at_once():
    loop = _StoppableLoop()
    loop.stop()
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(loop.run(asyncio.sleep(3600)))


@pytest.mark.parametrize("numbers", [[signal.SIGTERM], [signal.SIGTERM, signal.SIGINT]])
def test_a_signal_while_c_calls_python_stops_the_command_all_the_same(numbers: list[signal.Signals]):
    body = f"""
        import ctypes

        @ctypes.CFUNCTYPE(None)
        def called():
            for number in {[int(number) for number in numbers]}:
                os.kill(os.getpid(), number)

        try:
            called()
            while True:
                time.sleep(60)
        except signals.Stopped:
            print("stopped", signals.received())
    """
    assert ended(body) == (0, "stopped 15\n", "")


def test_what_else_c_does_not_pass_on_is_shown():
    body = """
        class Faulty:
            def __del__(self):
                raise ValueError("of the finalizer")

        Faulty()
    """
    code, output, errors = ended(body)
    assert (code, output) == (0, "")
    assert "ValueError: of the finalizer" in errors


# Another Python process finds modules where this one does

PRINT = ("-c", "import mine; print('found')")


def printed(folder: Path, *arguments: str) -> str:
    done = subprocess.run(python(*arguments), cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


def test_a_module_of_the_working_folder_is_imported_only_where_this_process_imports_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "mine.py").touch()
    monkeypatch.chdir(tmp_path)
    elsewhere = [path for path in sys.path if path not in ("", os.getcwd())]  # noqa: PTH109
    monkeypatch.setattr(sys, "path", elsewhere)
    assert printed(tmp_path, *PRINT) == "ModuleNotFoundError: No module named 'mine'"
    for here in ("", str(tmp_path)):
        monkeypatch.setattr(sys, "path", [here, *elsewhere])
        assert printed(tmp_path, *PRINT) == "found"


def test_a_working_folder_that_is_gone_is_not_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path])
    assert python() == [sys.executable, "-P"]
