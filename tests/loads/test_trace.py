from pathlib import Path

import data_sets
import numpy as np
import pytest
from loaded import driven
from virtual_time import FakeService

from benchbench.client.descriptions import profile
from benchbench.client.service import Service
from benchbench.errors import InputError
from benchbench.formats.datasets.locate import locate
from benchbench.formats.tiered import read_tiered
from benchbench.loads.load_settings import LoadSettings
from benchbench.loads.step import Load
from benchbench.loads.trace import Trace, replayed
from benchbench.tables.queries import Queries


@pytest.fixture
def queries(tmp_path: Path) -> Queries:
    return read_tiered(locate(str(data_sets.write(tmp_path / "data"))).queries.path)


def trace(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_requests_are_due_when_the_trace_says_divided_by_the_speed(queries, tmp_path):
    ids = queries.ids
    path = trace(tmp_path, *(f'{{"ts": {t}, "id": "{ids[q]}"}}' for t, q in ((12.0, 3), (10.0, 1), (11.0, 1))))
    found = replayed(path, 4.0, queries)
    assert found.times.tolist() == [0.0, 0.25, 0.5]
    assert found.queries is not None
    assert found.queries.tolist() == [1, 1, 3]
    assert (found.name, found.speed) == ("log.jsonl", 4.0)


def test_a_query_may_be_named_by_its_text(queries, tmp_path):
    path = tmp_path / "log.tsv"
    path.write_text(f"ts\tquery\n1\t{queries.texts[5]}\n", encoding="utf-8")
    found = replayed(path, 1.0, queries)
    assert found.queries is not None
    assert found.queries.tolist() == [5]


def test_a_trace_without_queries_leaves_them_to_the_order(queries, tmp_path):
    assert replayed(trace(tmp_path, "1", "2"), 1.0, queries).queries is None


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (('{"ts": 1, "id": "nobody"}',), "line 1: the data set has no query nobody"),
        (('{"ts": 1, "text": "no\\nbody"}',), "line 1: the data set has no query with the text no"),
        (
            ('{"ts": 1, "id": "q0"}', "2"),
            "line 2: it names no query, and line 1 does; name one in every line or in none",
        ),
    ],
)
def test_what_the_data_set_has_not_is_said_with_its_line(queries, tmp_path, lines, said):
    lines = [one.replace("q0", queries.ids[0]) for one in lines]
    path = trace(tmp_path, *lines)
    with pytest.raises(InputError) as problem:
        replayed(path, 1.0, queries)
    assert str(problem.value).startswith(f"{path}, {said}")


@pytest.mark.parametrize(
    ("lines", "speed"),
    [
        (("1", "1e12"), 1.0),
        (('"0001-01-01T00:00:00+14:00"', '"9999-12-31T23:59:59-14:00"'), 1.0),
        (("1", "2"), 1e-300),
        (("1", "9e11"), 1e-300),
    ],
)
def test_a_trace_of_more_seconds_than_a_step_may_have_is_refused(queries, tmp_path, lines, speed):
    with pytest.raises(InputError, match="and 1,000,000 s can be replayed; times are in seconds"):
        replayed(trace(tmp_path, *lines), speed, queries)


def test_a_step_sends_a_trace_at_its_times_the_first_of_them_as_warm_up():
    times = np.array([0.0, 0.5, 0.6, 2.0])
    load = Load(
        batch_size=1, rate=2.0, places=10, warm_up=0.55, duration=1.45, patience=10.0, trace=Trace("log", 1.0, times)
    )
    service = FakeService(lambda sent: 0.01)
    frame, _ = driven(load, service.post, [b"a", b"b"])
    assert service.sent == pytest.approx(times.tolist())
    assert frame["counted"].to_list() == [False, False, True, True]
    assert load.title == "trace log at speed 1, batch 1"


def settings(tmp_path: Path, **options) -> LoadSettings:
    service = Service("http://127.0.0.1:1", profile("benchbench"), connections=256)
    return LoadSettings(locate(str(data_sets.write(tmp_path / "set"))), service, **options)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"rates": (5.0,)}, "--trace has its own times; leave out --rate and --find-max"),
        ({"find_max": "p99<1s"}, "--trace has its own times; leave out --rate and --find-max"),
        ({"batch_sizes": (4,)}, "--trace sends one query per request; give no --batch-size"),
        ({"speed": 0.0}, "--speed is a number above 0"),
    ],
)
def test_a_trace_stands_in_the_place_of_other_options(tmp_path, options, said):
    with pytest.raises(InputError, match=said):
        settings(tmp_path, trace="log.jsonl", **options)


def test_a_trace_is_one_step_of_single_queries_and_may_not_end_in_the_warm_up(tmp_path):
    found = settings(tmp_path, trace="log.jsonl", warm_up=1.0)
    (load,) = found.loads(Trace("log.jsonl", 1.0, np.arange(0.0, 11.0)))
    assert (load.batch_size, load.places, load.duration, load.warm_up) == (1, 256, 10.0, 1.0)
    assert load.rate == pytest.approx(1.0)
    with pytest.raises(
        InputError, match=r"log\.jsonl lasts 0\.5 s at --speed 1, and --warm-up 1 s leaves nothing to count"
    ):
        found.loads(Trace("log.jsonl", 1.0, np.array([0.0, 0.5])))
