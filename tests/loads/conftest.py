"""What tests of load share: a small data set, a service that searches it, and a test of that."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import data_sets
import loaded
import pytest
import services

from benchbench.load_test import LoadOutcome

Load = Callable[..., LoadOutcome]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return data_sets.write(tmp_path)


@pytest.fixture
def working(data: Path) -> services.Answer:
    return services.searching(data_sets.collection(data))


@pytest.fixture
def load(data: Path) -> Load:
    """Return a function that loads a service with these answers."""

    def load_service(*answers: services.Answer, **options: Any) -> LoadOutcome:
        with services.running(*answers) as service:
            return loaded.loaded(data, service.url, **options)

    return load_service


@pytest.fixture
def run_of(data: Path) -> Callable[..., dict[str, float]]:
    """Return a function that measures a run of a service with this answer."""

    def run_service(answer: services.Answer) -> dict[str, float]:
        with services.running(answer) as service:
            return loaded.expected(data, service.url)

    return run_service


@pytest.fixture(autouse=True)
def _nothing_is_left_running(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    yield
    assert [one.message for one in caplog.records if one.name == "asyncio" and one.levelname != "DEBUG"] == []
