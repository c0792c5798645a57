"""A service is asked: what it returns is compared with the collection, with itself, and with what was asked for."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import audited
import pytest
import services

from benchbench.audit.audit_run import Audit, audit, names
from benchbench.audit.audit_settings import AuditSettings
from benchbench.audit.finding import Finding
from benchbench.audit.service import KnownItems
from benchbench.audit.service_checks import NO_ANSWER, SERVICE_CHECKS
from benchbench.client.descriptions import profile
from benchbench.client.service import Service
from benchbench.errors import InputError, UnreachableError
from benchbench.formats.collection import Document
from benchbench.tables.collection import Collection
from benchbench.tables.hashing import text_hash

NAMES = [check.name for check in SERVICE_CHECKS]
QUERIES, DOCUMENTS = audited.clean()
COLLECTION = Collection([one["id"] for one in DOCUMENTS], [one["text"] for one in DOCUMENTS], [{}] * len(DOCUMENTS))
FEW = AuditSettings(limit=10, top_k=5, batch_size=4, concurrency=2)


def audit_of(*answers: services.Answer, documents: list[dict[str, Any]] = DOCUMENTS) -> Audit:
    with services.running(*answers) as service:
        return audit(audited.data(QUERIES, documents), FEW, Service(service.url, profile("benchbench"), retries=0))


def found(*answers: services.Answer) -> dict[str, Finding]:
    """Return what is found of a service, by check."""
    result = audit_of(*answers)
    assert [one.check for one in result.checks][-len(NAMES) :] == NAMES
    assert {one.name for one in result.record.numbers} == set(names(FEW, True))
    return audited.found(result)


def changing(change: Callable[[list[dict[str, Any]]], Any]) -> services.Answer:
    """Search the collection, and answer with other hits."""

    def changed(value: dict[str, Any]) -> dict[str, Any]:
        return {"results": [change(hits) for hits in value["results"]]}

    return services.changed(services.searching(COLLECTION), changed)


def test_nothing_is_found_of_a_service_over_the_collection():
    assert found(services.searching(COLLECTION)) == {}


def test_hits_that_the_collection_does_not_have_are_errors():
    finding = found(changing(lambda hits: [{**hits[0], "id": "elsewhere"}, *hits[1:]]))["unknown_hits"]
    assert (finding.severity, finding.count, finding.documents.ids) == ("error", 20, ["elsewhere"])
    assert finding.queries.count == 10


def test_texts_that_are_cut_are_errors_and_texts_that_are_missing_are_not():
    cut = found(changing(lambda hits: [{**one, "text": one["text"][:20]} for one in hits]))
    assert cut.keys() == {"changed_texts"}
    assert cut["changed_texts"].queries.count == 10
    bare = found(changing(lambda hits: [{"id": one["id"], "score": one["score"]} for one in hits]))
    assert bare == {}


def test_a_title_before_the_text_is_no_change():
    documents = [{**one, "title": "A title"} for one in DOCUMENTS]
    result = audit_of(services.searching(COLLECTION), documents=documents)
    assert audited.number(result, "changed_texts") == 0.0


def test_lists_that_differ_the_second_time_are_counted_with_how_much():
    search = services.searching(COLLECTION)
    other = changing(lambda hits: hits[::-1])
    finding = found(*[search] * 3, *[other] * 3, search)["unstable_answers"]
    assert finding.count == 10
    assert finding.said == "10 queries of 10 got another list when asked twice"
    assert "rank-biased overlap of 0." in finding.effect


def test_a_document_that_is_not_found_or_not_first_is_named():
    lost = found(services.no_hits)
    assert lost.keys() == {"documents_not_found"}
    assert lost["documents_not_found"].count == 10
    late = found(changing(lambda hits: [*hits[1:], {**hits[0], "score": 0.0}]))
    assert late["documents_not_first"].count == 10


def test_a_copy_that_is_found_first_is_as_good():
    twins = [*DOCUMENTS, *({"id": f"copy of {one['id']}", "text": one["text"]} for one in DOCUMENTS)]
    copies = changing(lambda hits: [{**one, "id": f"copy of {one['id']}", "text": ""} for one in hits])
    result = audit_of(copies, documents=twins)
    assert audited.number(result, "documents_not_first") == 0.0
    assert audited.number(result, "documents_not_found") == 0.0


def test_faults_of_lists_are_counted():
    six = changing(lambda hits: [*hits, *({"id": f"more {n}", "score": 0.0} for n in range(6 - len(hits)))])
    more = found(six)["too_many_hits"]
    assert more.said == "20 hits came beyond the 5 asked for"
    nameless = found(changing(lambda hits: [{**hits[0], "id": None}, *hits[1:]]))
    assert nameless["hits_without_id"].count == 20
    twice = found(changing(lambda hits: [hits[0], *hits[:4]]))["repeated_hits"]
    assert (twice.count, twice.queries.count) == (20, 10)
    rising = found(changing(lambda hits: [{**one, "score": rank} for rank, one in enumerate(hits)]))["ascending_scores"]
    assert (rising.count, rising.queries.count) == (20, 10)


def test_failed_queries_are_counted_by_reason_and_the_others_are_checked():
    search = services.searching(COLLECTION)
    answers = found(search, services.status(400, "no"), search)
    assert answers.keys() == {"failed_queries"}
    assert answers["failed_queries"].count == 4
    assert answers["failed_queries"].said == "4 queries of 30 that were asked failed"
    assert "HTTP 400" in answers["failed_queries"].examples[0]


def test_of_a_service_that_answers_nothing_to_read_no_check_is_done():
    result = audit_of(services.raw("<html>" + "x" * 100))
    (finding,) = result.findings
    assert (finding.check, finding.count) == ("failed_queries", 30)
    assert "not JSON: it starts with '<html>xxxxx" in finding.examples[0]
    assert result.unanswered
    assert [one.check for one in result.checks if one.skipped == NO_ANSWER] == NAMES[1:]
    assert audited.number(result, "unknown_hits") is None


def test_a_service_that_takes_one_query_per_request_gets_one(tmp_path: Path):
    path = tmp_path / "one.toml"
    path.write_text('method = "POST"\nbody = {q = "{query}", n = "{top_k}"}\n[results]\nhits = "hits"\nid = "id"\n')

    async def answer(service: services.Service, request: Any, message: Any) -> Any:
        return services._json({"hits": [{"id": one["id"]} for one in DOCUMENTS if one["text"] == message["q"]]})

    with services.running(answer) as service:
        asked = Service(service.url, profile(str(path)), retries=0)
        result = audit(audited.data(QUERIES, DOCUMENTS), AuditSettings(limit=4, top_k=5), asked)
        assert len(service.messages) == 12
        with pytest.raises(InputError, match="--batch-size 1"):
            audit(audited.data(QUERIES, DOCUMENTS), FEW, asked)
    assert result.findings == []


def test_a_service_that_is_not_there_cannot_be_audited():
    with services.refusing() as url, pytest.raises(UnreachableError):
        audit(audited.data(QUERIES, DOCUMENTS), FEW, Service(url, profile("benchbench"), retries=0))


def test_documents_to_ask_for_are_the_same_in_any_order_and_few():
    first, second = KnownItems(7), KnownItems(7)
    for items, rows in ((first, DOCUMENTS), (second, [*DOCUMENTS[::-1], *DOCUMENTS])):
        for one in rows:
            items.add(Document(one["id"], "", one["text"], one), text_hash(one["text"]))
    assert first.items() == second.items()
    assert len(first.items()) == 7
