"""What faults cost BM25: against scores that are known without it, and the page that shows them."""

import re

import audited
import numpy as np
import pytest

from benchbench.audit.audit_run import Audit
from benchbench.audit.effects import _rise
from benchbench.audit.finding import Effect
from benchbench.report.draw import draw

QUERIES = 20


def found_first() -> tuple[list[dict], list[dict]]:
    """Return queries whose only relevant document BM25 ranks first: it begins with their words."""
    queries, documents = audited.clean(QUERIES, 3 * QUERIES)
    for place, query in enumerate(queries):
        query["judged"] = {f"d{place}": 1}
        query["text"] = " ".join(f"unique{place}word{n}" for n in range(6))
        documents[place]["text"] = f"{documents[place]['text']} {' '.join(reversed(query['text'].split()))} end"
    return queries, documents


def effects(result: Audit) -> dict[str, Effect]:
    assert result.effects is not None
    return {effect.check: effect for effect in result.effects.checks}


def test_faults_cost_what_the_queries_that_they_spoil_lose():
    queries, documents = found_first()
    queries[0]["judged"] = {"gone": 1}
    queries[1]["judged"] = {}
    queries[2]["judged"], queries[3]["judged"] = queries[3]["judged"], queries[2]["judged"]
    result = audited.audited(queries, documents)
    known = result.effects
    assert known is not None
    assert (known.before, known.after, known.left) == (pytest.approx(1 - 4 / QUERIES), 1.0, QUERIES - 2)
    spoilt = 1 - 4 / QUERIES
    wanted = {
        "swapped_judgments": 2 / QUERIES,
        "dangling_judgments": (QUERIES - 4) / (QUERIES - 1) - spoilt,
        "queries_without_positives": (QUERIES - 4) / (QUERIES - 1) - spoilt,
    }
    assert {name: effect.value for name, effect in effects(result).items()} == pytest.approx(wanted)
    assert all(effect.low <= effect.value <= effect.high for effect in known.checks)
    assert [effect.after for effect in known.checks][-1] == known.after
    assert audited.number(result, "bm25_nDCG@10") == known.before
    assert f"Faults in invented cost BM25 0.200 nDCG@10: {1 - 4 / QUERIES:.3f} now, 1.000 after repair." in draw(
        result, "text"
    )


def test_an_id_that_is_written_otherwise_is_mended_and_no_query_leaves():
    queries, documents = found_first()
    queries[0]["judged"] = {"D00": 1}
    result = audited.audited(queries, documents)
    assert effects(result)["dangling_judgments"].value == pytest.approx(1 / QUERIES)
    assert result.effects is not None
    assert result.effects.left == QUERIES


def test_self_retrieval_that_a_run_removes_is_handled():
    queries, documents = found_first()
    documents[40]["text"] = queries[0]["text"]
    effect = effects(audited.audited(queries, documents))["queries_in_collection"]
    assert effect.is_handled
    assert effect.value == pytest.approx((1 - 1 / np.log2(3)) / QUERIES)


def test_copies_take_no_rank_once_they_are_mended():
    queries, documents = found_first()
    documents[40]["text"] = documents[0]["text"]
    documents[0]["id"], documents[40]["id"] = documents[40]["id"], documents[0]["id"]  # the judged one ties, behind it
    queries[0]["judged"] = {"d40": 1}
    effect = effects(audited.audited(queries, documents))["twins_judged_differently"]
    assert effect.value == pytest.approx((1 - 1 / np.log2(3)) / QUERIES)


def test_nothing_is_measured_without_a_collection_or_a_fault_to_mend():
    assert audited.audited(*found_first()).effects is None
    queries, _ = found_first()
    queries[1]["judged"] = {}
    without = audited.audited(queries, None)
    assert without.effects is None
    assert "effects on BM25 take a collection and judgments" in draw(without, "text")


def test_the_interval_of_a_rise_is_that_of_plain_resamples():
    chance = np.random.default_rng(7)
    before, after = chance.random(200), np.minimum(chance.random(200) + 0.2, 1.0)
    counts = chance.random(200) < 0.9
    rise = _rise(before, after, counts)
    drawn = chance.integers(0, 200, (4_000, 200))
    means = [(after[q][counts[q]].mean() - before[q].mean()) for q in drawn]
    assert rise.value == pytest.approx(after[counts].mean() - before.mean())
    assert [rise.low, rise.high] == pytest.approx(np.quantile(means, (0.025, 0.975)), abs=0.01)


def test_the_page_shows_examples_next_to_each_other_escaped_and_edits_marked():
    queries, documents = found_first()
    first = documents[0]["text"].split()
    documents[41]["text"] = " ".join([*first[:8], "<script>", *first[9:], *first])
    documents[0]["text"] = " ".join([*first, *first])
    queries[1]["judged"] = {"gone<b>": 1}
    result = audited.audited(queries, documents)
    page = draw(result, "html")
    assert "<ins>&lt;script&gt;</ins>" in page
    assert f"<del>{first[8]}</del>" in page
    assert "document gone&lt;b&gt;" in page
    assert "<script> " not in page
    assert "1 of 20 queries" in page
    assert re.search(r"<h1>(Faults in invented cost|Repairing invented changes) [^<]*BM25", page)


def test_the_page_of_a_clean_set_lists_what_passed():
    page = draw(audited.audited(*audited.clean()), "html")
    assert "24 checks found nothing" in page
    assert "Checks, most harmful first" not in page
    assert "What to do" not in page
