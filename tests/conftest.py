"""What all tests share."""

import functools
import gc
import os
import shutil
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import copied_processes
import orjson
import pace
import profiles  # noqa: F401  # registers them
import pytest
import warm
from copied_processes import fresh_processes  # noqa: F401  # for all tests
from hypothesis import settings

from benchbench.answers import metrics
from benchbench.processes import usable_cores
from benchbench.results.record import schema

if TYPE_CHECKING:
    import jsonschema_rs
    from xdist.remote import Producer
    from xdist.scheduler import LoadFileScheduling

for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE"):  # what is printed goes by them
    os.environ.pop(name, None)

settings.load_profile("ci")  # unless --hypothesis-profile says deep

TESTS = Path(__file__).resolve().parent
MEMORY, ROOM = Path("/dev/shm"), 4 << 30  # folders of tests lie there: on a disk, whoever syncs a file waits for it
if "TMPDIR" not in os.environ and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM:
    os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)


def pytest_xdist_auto_num_workers() -> int:
    """Return two workers more than there are cores: a third of the time, tests wait for services and processes."""
    return usable_cores() + 2


def pytest_configure(config: pytest.Config) -> None:
    """Let processes begin as copies; where all reports come together, take times, and make what workers share."""
    copied_processes.install()
    if hasattr(config, "workerinput"):
        return
    workers = getattr(config.option, "numprocesses", None) or 0
    config.pluginmanager.register(pace.Pace(max(1, workers)))
    if workers > 1 and config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        warm.prepare(config)


def pytest_xdist_make_scheduler(config: pytest.Config, log: "Producer") -> "LoadFileScheduling":
    """Give a file to one worker, and all files with a browser to the same: it starts one."""
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return "in a browser" if file in pace.IN_A_BROWSER else file

    return Scheduling(config, log)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out files without a test of the second tier where that alone is asked for: to import them takes long."""
    if config.option.markexpr != "slow" or not collection_path.match("tests/**/test_*.py"):
        return None
    shared = (folder / "conftest.py" for folder in collection_path.parents if TESTS in folder.parents)
    texts = [path.read_text(encoding="utf-8") for path in (collection_path, *shared) if path.is_file()]
    marks = ("mark.slow", "first_of", "some_of", "opened_page")  # whatever makes a test one of the second tier
    return None if any(mark in text for text in texts for mark in marks) else True


@pytest.hookimpl(tryfirst=True)  # before what `-m` does not name is left out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest, so that no worker is left alone with one at the end.

    What opens a page in a browser is of the second tier.
    """
    places = {name: place for place, name in enumerate(pace.LONG)}
    items.sort(key=lambda item: places.get(item.nodeid.split("::")[0], len(places)))
    for item in items:
        if "_launched" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)
            assert item.nodeid.split("::")[0] in pace.IN_A_BROWSER, f"tests/pace.py does not have the file of {item}"


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep what is collected from the cycle collector, which would read a million objects again and again.

    They stay out of its reach: a load test, which calls it before each step, would give them back after it.
    """
    gc.disable()
    result = yield
    gc.freeze()
    gc.unfreeze = _nothing
    gc.enable()
    return result


def _nothing() -> None:
    pass


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of real data sets; where it is absent, the test is skipped."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("BENCHBENCH_SHARED_DATA") or beside)
    if not folder.is_dir():
        pytest.skip(f"needs real data, and {folder} does not exist; name its folder in BENCHBENCH_SHARED_DATA")
    return folder


@pytest.fixture
def registry() -> Iterator[None]:
    """Forget the metrics of answers that a test has registered in this process."""
    before = dict(metrics.METRICS)
    yield
    metrics.METRICS.clear()
    metrics.METRICS.update(before)


@pytest.fixture(autouse=True)
def _records_keep_to_the_schema(request: pytest.FixtureRequest) -> Iterator[None]:
    """Validate every record that a test has written, whatever process wrote it; some tests damage records."""
    is_asked = "tmp_path" in request.fixturenames and not request.node.get_closest_marker("damages_records")
    folder = request.getfixturevalue("tmp_path") if is_asked else None
    yield
    for path in folder.rglob("record.json") if folder else ():
        _validator().validate(orjson.loads(path.read_bytes()))


@functools.cache
def _validator() -> "jsonschema_rs.Draft202012Validator":
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator(schema())


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    pace.began(item)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    pace.add_used(item, report)
    return report
