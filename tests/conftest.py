"""What all tests share."""

import os
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from hypothesis import settings

from benchbench.answers import metrics
from benchbench.results.record import schema
from benchbench.tables.cores import usable_cores

for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE"):  # what is printed goes by them
    os.environ.pop(name, None)

# A deadline is a timing assertion, and the first call of a kernel compiles.
settings.register_profile("benchbench", deadline=None)
settings.load_profile("benchbench")


def pytest_xdist_auto_num_workers() -> int:
    """Return a worker more than there are cores: a third of the time, tests wait for services and processes."""
    return usable_cores() + 1


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
        import jsonschema

        value = orjson.loads(path.read_bytes())
        jsonschema.Draft202012Validator(schema()).validate(value)
