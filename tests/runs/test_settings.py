import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import data_sets
import numpy as np
import pytest

from benchbench.client.descriptions import profile
from benchbench.client.service import Service
from benchbench.errors import InputError
from benchbench.experiment import Settings, run, run_targets
from benchbench.formats.datasets.locate import locate
from benchbench.measures.gate_names import parse_gate
from benchbench.tasks.criteria import Criteria

URL = "http://127.0.0.1:1"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return data_sets.settings(data_sets.write(tmp_path), URL)


def test_numbers_of_numpy_are_stored_as_pythons(settings: Settings):
    given = replace(settings, batch_size=np.int64(4), top_k=np.uint8(50), criteria=Criteria(cutoffs=(np.int32(5),)))
    assert (type(given.batch_size), type(given.top_k), type(given.criteria.cutoffs[0])) == (int, int, int)
    assert given == replace(settings, batch_size=4, top_k=50, criteria=Criteria(cutoffs=(5,)))


@pytest.mark.parametrize("gates", ["p99>3ms", ("p99>3ms",), [parse_gate("p99>3ms")], parse_gate(" p99>3ms")])
def test_the_data_set_may_be_a_path_or_a_name_and_gates_one_text_or_several(settings: Settings, gates: Any):
    for dataset in (settings.dataset, settings.dataset.queries.path, str(settings.dataset.queries.path)):
        given = Settings(dataset, url=URL, fail_if=gates)
        assert given.dataset.queries == settings.dataset.queries
        assert given.fail_if == ("p99>3ms",)
    assert Settings("synthetic-cases").dataset == locate("synthetic-cases")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"url": " "}, "--url is empty; is its variable set?"),
        ({"service": Service(f"{URL}0", profile("benchbench"))}, "url and service name two places; give the URL once"),
        (
            {"url": None, "targets": {"a": URL}, "service": Service(URL, profile("benchbench"))},
            "targets have URLs of their own",
        ),
        ({"workers": 3, "concurrency": 2}, "--workers 3 is more than the 2 requests under way that they share"),
        ({"workers": True}, "--workers is a whole number from 1 to 1,024, and not True"),
        ({"batch_size": 10**20}, "--batch-size is a whole number from 1 to 100,000, and not 100000000000000000000"),
        ({"top_k": "20"}, "--top-k is a whole number from 1 to 1,000,000, and not '20'"),
        ({"concurrency": math.nan}, "--concurrency is a whole number"),
        ({"timeout": math.inf}, "--timeout is a number of seconds above 0 and up to 1,000,000, and not inf"),
        ({"give_up_after": -1}, "--give-up-after is a whole number from 0"),
        ({"retries": -1}, "--retries is a whole number from 0"),
        ({"max_response_mb": 0}, "--max-response-mb is a whole number from 1"),
        ({"backoff": math.nan}, "--backoff is a number of seconds"),
        ({"fail_if": ("nDCG@10<1e999",)}, "--fail-if nDCG@10<1e999: the bound is a number from"),
        ({"fail_if": ("nDCG@10<nan",)}, "--fail-if 'nDCG@10<nan' is not name, comparison and bound"),
        ({"protocol": "telnet"}, "--protocol telnet is neither built in ("),
        ({"targets": {"a": URL}}, "--url and --target exclude each other"),
        ({"url": None, "targets": {"../a": URL}}, "--target ../a: a name has letters"),
        ({"url": None, "targets": {"received": URL}}, "--target received: a name has letters"),
        ({"url": None, "targets": {"a": "nowhere"}}, "--url nowhere is not a URL"),
        ({"fail_if": ("p99>1",)}, "--fail-if p99>1: p99 is a time"),
        ({"dataset": "no-such"}, "--dataset no-such: no-such does not exist, and the shipped data sets are: "),
        ({"dataset": 7}, "a data set is named by a path or a name such as 'synthetic-cases', not by int"),
        ({"fail_if": 7}, "fail_if has gates such as 'nDCG@10<0.4', and is not of type int"),
        ({"fail_if": (7,)}, "a gate is a text such as 'nDCG@10<0.4', and not of type int"),
        ({"criteria": "gold"}, "criteria are Criteria, as in Criteria(tasks='gold', cutoffs=(5, 10))"),
        ({"targets": [URL]}, "targets are a mapping of names to URLs, as {'a': 'http://127.0.0.1:8000'}"),
        ({"url": 7}, "url is a text such as 'http://127.0.0.1:8000', and not of type int"),
        ({"url": None, "targets": {"a": 7}}, "url is a text such as "),
        ({"protocol": profile("benchbench")}, "protocol is a built-in name, or the path of a description"),
        ({"service": URL}, "service is a Service, as in Service('http://127.0.0.1:8000', protocol('benchbench'))"),
    ],
)
def test_what_cannot_be_is_refused_with_what_is_right(settings: Settings, options: dict, reason: str):
    with pytest.raises(InputError) as refused:
        Settings(**{"dataset": settings.dataset, "url": URL} | options)
    assert str(refused.value).startswith(reason)


def test_a_run_of_what_are_no_settings_is_refused_with_an_example():
    for call in (run, run_targets):
        with pytest.raises(
            InputError, match=r"^settings are Settings, as in Settings\('synthetic-cases'\), and not of type str$"
        ):
            call("synthetic-cases")  # type: ignore[operator]


def test_terms_are_all_that_a_number_depends_on(settings: Settings):
    def terms(**options: object) -> dict:
        return Settings(**{"dataset": settings.dataset, "url": URL} | options).resume_conditions(URL, "digest")

    same = terms()
    for free in (
        {"timeout": 1.0},
        {"retries": 0},
        {"chunk": 1},
        {"backoff": 0.0},
        {"workers": 2},
        {"fail_if": ("errors>0",)},
    ):
        assert terms(**free) == same
    described = Service(URL, replace(profile("benchbench"), body={"queries": "{queries}", "top_k": 7}))
    for bound in (
        {"service": described},
        {"service": Service(URL, profile("benchbench"), {"X-Tenant": "one"})},
        {"batch_size": 1},
        {"top_k": 11},
        {"concurrency": 1},
        {"criteria": Criteria(self_by="id")},
    ):
        assert terms(**bound) != same


def test_names_of_headers_are_among_the_terms_and_their_values_are_not(settings: Settings):
    def terms(headers: dict[str, str]) -> dict:
        service = Service(URL, profile("benchbench"), headers)
        return Settings(settings.dataset, url=URL, service=service).resume_conditions(URL, "digest")

    assert terms({"X-Tenant": "first-secret"}) == terms({"X-Tenant": "second-secret"})
    assert terms({"X-Tenant": "first-secret"}) != terms({"X-Other": "first-secret"})
    assert "first-secret" not in repr(terms({"X-Tenant": "first-secret"}))


def test_the_embedded_services_collection_is_among_the_terms(settings: Settings):
    def digest() -> object:
        return Settings(settings.dataset).resume_conditions("", "digest")["the collection (digest)"]

    before = digest()
    collection = settings.dataset.served().path
    collection.write_bytes(collection.read_bytes() + b"\n")
    assert None is not before != digest()


def test_one_service_is_for_run_and_several_for_run_targets(settings: Settings):
    with pytest.raises(InputError, match="run_targets"):
        run(Settings(settings.dataset, targets={"a": URL}))
    with pytest.raises(InputError, match="no target is named"):
        run_targets(settings)


def test_more_hits_than_the_embedded_retriever_has_are_refused_before_it_starts(settings: Settings):
    with pytest.raises(InputError, match=r"^--top-k 5020 is more than the 2,000 hits of the embedded retriever, of"):
        replace(settings, url=None, top_k=None, criteria=Criteria(measures=("P@5000",)))
    assert replace(settings, url=None, top_k=None, criteria=Criteria(measures=("R@1000",))).top_k == 1020
    assert replace(settings, top_k=None, criteria=Criteria(measures=("P@5000",))).top_k == 5020


def test_the_url_of_the_service_is_measured_where_no_other_is_named(settings: Settings):
    service = Service(URL, profile("benchbench"))
    for url in (None, URL, f"{URL}/", f"{URL}/batch_search"):
        found = replace(settings, url=url, service=service)
        assert not found.embedded
        assert found.name == "service"
        assert found.service_at(found.url).shown()["url"] == f"{URL}/batch_search"


def test_a_protocol_may_be_the_path_of_a_description(settings: Settings, tmp_path: Path):
    described = tmp_path / "mine.toml"
    described.write_text('path = "/find"\nbody = {texts = "{queries}", n = "{top_k}"}\n[results]\nlists = "hits"\n')
    for path in (described, str(described)):
        found = replace(settings, protocol=path)
        assert found.service_at(URL).shown()["url"] == f"{URL}/find"
        assert found.shown(URL)["protocol"] == "mine"
