"""The counts of checks over texts, ids and judgments are those of plain Python on any small data set."""

from collections import Counter, defaultdict
from typing import Any

import audited
from hypothesis import given
from hypothesis import strategies as st

from benchbench.audit.audit_settings import AuditSettings

IDS = ("a", "b", "c", "a b", "d")
TEXTS = ("one text", " one text\r\n", "another", "caf\u00e9", "cafe\u0301", "", " ")
K = 2

documents = st.lists(
    st.fixed_dictionaries(
        {"id": st.sampled_from(IDS), "text": st.sampled_from(TEXTS)}, optional={"title": st.just("t")}
    ),
    max_size=8,
).map(lambda rows: [*rows, {"id": "last", "text": "of its own"}])
queries = st.lists(
    st.fixed_dictionaries(
        {
            "id": st.sampled_from(IDS),
            "text": st.sampled_from(TEXTS[:5]),
            "judged": st.dictionaries(st.sampled_from((*IDS, "last")), st.integers(0, 2), max_size=4),
        }
    ),
    min_size=1,
    max_size=5,
    unique_by=lambda row: row["id"],
)


def same(text: str) -> str:
    """Return the form in which the texts above are equal."""
    return text.strip().replace("e\u0301", "\u00e9")


def naive(asked: list[dict[str, Any]], held: list[dict[str, Any]]) -> dict[str, int | None]:
    """Return the counts, each in the plainest way."""
    ids = Counter(one["id"] for one in held)
    whole = [same(f"{one['title']} {one['text']}" if "title" in one else one["text"]) for one in held]
    bodies = [same(one["text"]) for one in held]
    with_text = defaultdict(set)
    for one, text in zip(held, whole, strict=True):
        with_text[text].add(one["id"])
    judged = [(one, document, grade) for one in asked for document, grade in one["judged"].items()]
    relevant = [sum(grade > 0 for grade in one["judged"].values()) for one in asked]
    first = {}
    for n, one in enumerate(held):
        first.setdefault(one["id"], n)
    copies = {text: names for text, names in with_text.items() if text and len(names) > 1}
    return {
        "repeated_ids": sum(count > 1 for count in ids.values()),
        "colliding_ids": sum(
            one["id"] in ids and same(one["text"]) not in (whole[first[one["id"]]], bodies[first[one["id"]]])
            for one in asked
        ),
        "unwritable_ids": sum(" " in one["id"] for one in asked)
        + len({one for one in (*ids, *(document for _, document, _ in judged)) if " " in one}),
        "dangling_judgments": sum(document not in ids for _, document, _ in judged),
        "queries_without_positives": relevant.count(0) if any(relevant) else None,
        "queries_beyond_cutoff": sum(count > K for count in relevant),
        "queries_in_collection": sum(same(one["text"]) in {*whole, *bodies} for one in asked),
        "duplicate_documents": sum(whole.count(text) - 1 for text in copies),
        "equal_queries": len(asked) - len({same(one["text"]) for one in asked}),
        "empty_texts": sum(not text for text in whole),
    }


@given(queries, documents)
def test_counts_are_those_of_plain_python(asked: list[dict[str, Any]], held: list[dict[str, Any]]):
    result = audited.audited(asked, held, settings=AuditSettings(cutoff=K))
    wanted = naive(asked, held)
    assert {one.check: one.count for one in result.checks if one.check in wanted} == wanted
