"""The embedded service beside a benchmark: started as a command by a program, and forked by the command line."""

import asyncio
import subprocess
import sys
import threading
from pathlib import Path

import aiohttp
import data_sets
import pytest

from benchbench.errors import InputError
from benchbench.serve import child
from benchbench.serve.child import child_service
from benchbench.tables.bm25_options import BM25Options

pytestmark = pytest.mark.usefixtures("fresh_processes")

_SCENE = """
import asyncio, os, sys
from benchbench.cli.main import main
from benchbench.serve import child
from benchbench.tables.bm25_options import BM25Options

given = ([sys.argv[1]], None, BM25Options(b=0.5))
print("before", end=" ")
child.begin(*given, main)
((_, forked),) = child._early
assert "polars" not in sys.modules

async def scene():
    import aiohttp

    async with child.child_service(*given) as ready:
        try:
            url, about = await ready()
        except Exception as error:
            print(error)
            return
        async with aiohttp.ClientSession() as session, session.get(f"{url}/healthz") as response:
            print(response.status, about, os.getsid(forked.pid) == forked.pid)
        if sys.argv[2] == "killed":
            print(forked.pid, url, flush=True)
            os.kill(os.getpid(), 9)

asyncio.run(scene())
try:
    os.kill(forked.pid, 0)
except ProcessLookupError:
    print("gone")
"""


def collection(folder: Path) -> Path:
    return data_sets.write(folder) / "collection.jsonl"


async def healthy(url: str) -> bool:
    async with aiohttp.ClientSession() as session, session.get(f"{url}/healthz") as response:
        return response.status == 200


def scene(path: Path, end: str = "") -> list[str]:
    done = subprocess.run([sys.executable, "-c", _SCENE, path, end], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_it_serves_while_the_block_lasts_and_not_after(tmp_path: Path):
    async def scene() -> None:
        async with child_service([str(collection(tmp_path))], None, BM25Options(b=0.5)) as ready:
            url, about = await ready()
            assert await healthy(url)
            assert about == "BM25, words and CJK bigrams, k1 1.2, b 0.5"
        with pytest.raises(aiohttp.ClientConnectorError):
            await healthy(url)

    asyncio.run(scene())


_SLOW = """
import signal, sys

def end(*_):
    sys.stdin.read()  # to its end, which comes after the signal
    sum(range(1_000_000))
    open(sys.argv[1], "w").write("in its own time")
    sys.exit()

signal.signal(signal.SIGTERM, end)
print("http://127.0.0.1:1", "slow", sep="\\n", flush=True)
signal.pause()
"""


def test_one_that_takes_a_while_to_end_is_not_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def started(arguments: list[str]) -> "subprocess.Popen[bytes]":
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        return subprocess.Popen([sys.executable, "-c", _SLOW, tmp_path / "ended"], **pipes)

    async def scene() -> None:
        async with child_service([str(tmp_path)], None, BM25Options()) as ready:
            assert (await ready()).about == "slow"

    monkeypatch.setattr(child, "_started", started)
    asyncio.run(scene())
    assert (tmp_path / "ended").read_text() == "in its own time"


def test_one_that_cannot_start_says_why(tmp_path: Path):
    async def scene() -> None:
        async with child_service([str(tmp_path / "missing.jsonl")], None, BM25Options()) as ready:
            await ready()

    with pytest.raises(InputError, match=r"^the embedded service did not start: .*missing\.jsonl does not exist$"):
        asyncio.run(scene())


@pytest.mark.skipif(sys.platform != "linux", reason="no other system forks safely")
class TestForked:
    def test_it_serves_in_a_session_of_its_own_and_is_gone_after_the_block(self, tmp_path: Path):
        assert scene(collection(tmp_path)) == ["before 200 BM25, words and CJK bigrams, k1 1.2, b 0.5 True", "gone"]

    def test_one_that_cannot_start_says_why(self, tmp_path: Path):
        said, gone = scene(tmp_path / "missing.jsonl")
        assert said.startswith("before the embedded service did not start: ")
        assert said.endswith("missing.jsonl does not exist")
        assert gone == "gone"

    def test_it_ends_when_the_benchmark_was_killed(self, tmp_path: Path):
        _, last = scene(collection(tmp_path), "killed")
        url = last.split()[1]

        async def refused() -> None:
            while await healthy(url):
                await asyncio.sleep(0)

        with pytest.raises(aiohttp.ClientError):
            asyncio.run(asyncio.wait_for(refused(), 30))

    def test_no_fork_beside_another_thread(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.delitem(sys.modules, "polars", raising=False)
        over = threading.Event()
        beside = threading.Thread(target=over.wait)
        beside.start()
        child.begin(["collection.jsonl"], None, BM25Options(), lambda arguments: None)
        over.set()
        beside.join()
        assert child._early == []
