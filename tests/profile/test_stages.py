"""The stages of our client, each timed."""

import orjson
import pytest
from cases import first_of

from benchbench.client.answer_columns import finished, steps
from benchbench.client.answer_plan import plan_of
from benchbench.client.known_labels import KnownLabels
from benchbench.client.search import BatchRequest
from benchbench.formats.collection import read_collection
from benchbench.formats.datasets.locate import locate
from benchbench.profile import canned
from benchbench.profile.canned_answers import answers
from benchbench.profile.clients import Work, ours
from benchbench.profile.stages import stage_rows, time_stages
from benchbench.tasks.criteria import Criteria
from benchbench.tasks.judging import Judging, judging_of

DATA = locate("synthetic-cases")
assert DATA.collection is not None
BODIES = answers(read_collection(DATA.collection), 8, 5)
READ = ["walk", "ids", "scores", "texts", "labels"]


@pytest.fixture
def judging() -> Judging:
    """Return queries with a vocabulary of their own."""
    return judging_of(Criteria(), DATA)


@pytest.mark.parametrize("answer", first_of(*BODIES))
def test_each_stage_has_a_time_and_the_sum_is_of_those_above_it(judging: Judging, answer: str):
    body = BODIES[answer]
    with canned.serving(body) as url:
        times = time_stages(
            Work(url=url, body=body, queries=judging.queries, batch_size=8, hits=5, concurrency=2), judging
        )
    assert list(times) == ["transport", *READ, "judge", "sum", "orjson.loads", "objects"]
    assert min(times.values()) > 0
    assert times["sum"] == pytest.approx(sum(list(times.values())[: len(READ) + 2]))


def test_what_is_timed_reads_the_labels_of_the_tasks(judging: Judging):
    queries, ends = judging.queries, list[str]()
    plan, request = plan_of(None, queries.schema), BatchRequest.of(queries, 0, 8)
    assert plan is not None
    body = BODIES["hashes and labels"]
    known = KnownLabels(queries.labels, queries.schema)
    hits = finished(steps(body, plan, request.text_prefixes, known, 5), ends.append)
    assert hits is not None
    assert ends == READ
    columns = dict(zip([label.name for label in queries.schema.labels], hits.labels, strict=True))
    assert all((columns[name] >= 0).all() for name in ("accusation", "relevant_articles", "imprisonment"))


def test_our_client_reads_these_labels_too(judging: Judging):
    body = orjson.dumps({"results": [[{"id": "a", "score": 1.0, "meta": {"relevant_articles": [987654]}}]] * 8})
    with canned.serving(body) as url:
        assert ours().ask(
            Work(url=url, body=body, queries=judging.queries, batch_size=8, hits=1, concurrency=2)
        ) == len(judging.queries)
    assert frozenset(["987654"]) in judging.queries.labels.sets()


@pytest.mark.parametrize(
    ("body", "reason"),
    [(b'{"results": 1}', "the answer cannot be parsed"), (b'{"results": [[],[],[],[],[],[],[],[]]}', "0 hits, not 40")],
)
def test_an_answer_that_cannot_be_read_or_misses_a_hit_is_no_time(judging: Judging, body: bytes, reason: str):
    with canned.serving(body) as url, pytest.raises(ValueError, match=reason):
        time_stages(Work(url=url, body=body, queries=judging.queries, batch_size=8, hits=5, concurrency=2), judging)


def test_a_service_that_does_not_answer_is_no_time(judging: Judging):
    with canned.serving(b"") as url:
        pass
    with pytest.raises(OSError, match="Connect"):
        time_stages(Work(url=url, body=b"", queries=judging.queries, batch_size=8, hits=5, concurrency=2), judging)


def test_a_row_has_the_median_of_its_rounds():
    walk, sum_ = stage_rows("ids", 99, [{"walk": one, "sum": 2 * one} for one in (3.0, 1.0, 4.0)], None, 10)
    assert (walk.answer, walk.bytes, walk.stage, walk.us_per_answer) == ("ids", 99, "walk", 3.0)
    assert (sum_.us_per_answer, sum_.us_per_hit, sum_.rounds) == (6.0, 0.6, (6.0, 2.0, 8.0))


def test_a_failure_is_one_row():
    (row,) = stage_rows("ids", 99, [], "OSError: gone", 10)
    assert (row.stage, row.failure, row.us_per_answer, row.rounds) == ("stages", "OSError: gone", None, ())
