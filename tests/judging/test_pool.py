"""Which pairs a judge is asked about, who ranked them, their holes and texts: naive twins beside them."""

import gzip
import json
import random
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import benchbench as bb
from benchbench.errors import InputError
from benchbench.formats import trec_reading
from benchbench.formats.parts import file_parts
from benchbench.formats.qrels_runs import scan_run
from benchbench.formats.records import Part
from benchbench.formats.source import Source
from benchbench.formats.trec_writing import token
from benchbench.judging.relevance import pair_texts
from benchbench.judging.relevance.holes import cases, depth_of, numbers_of
from benchbench.judging.relevance.pair_texts import PairTexts, Spool, add_documents, add_queries
from benchbench.judging.relevance.pool import (
    drawn,
    hashes_of,
    in_slices,
    keys_of,
    open_run,
    own_rankings,
    pairs_of,
    pooled,
    rankers,
    top_hits,
    without,
)
from benchbench.measures.notation import resolve

Hits = dict[str, dict[str, float]]


def drawn_run(seed: int, queries: int = 40, documents: int = 30) -> Hits:
    """Return a run with tied scores, and queries of different lengths."""
    chance = random.Random(seed)
    sizes = {f"q{query}": chance.randint(1, 20) for query in chance.sample(range(queries), queries - 5)}
    return {
        query: {f"d{document}": chance.randrange(6) / 2 for document in chance.sample(range(documents), size)}
        for query, size in sizes.items()
    }


def best(hits: Hits, depth: int) -> dict[str, list[str]]:
    """Return the first documents of each query, in the order of trec_eval."""
    order = {q: sorted(found, key=lambda d: (found[d], d.encode()), reverse=True) for q, found in hits.items()}
    return {query: documents[:depth] for query, documents in order.items()}


def lines(hits: Hits) -> str:
    return "".join(f"{q} Q0 {d} 1 {score} tag\n" for q, found in hits.items() for d, score in found.items())


def written(folder: Path, name: str, hits: Hits) -> Path:
    path = folder / name
    path.write_text(lines(hits))
    return path


def pairs(pool: pl.DataFrame) -> list[tuple[str, str]]:
    return list(in_slices(pool, 7))


def taken(path: Path, depth: int) -> pl.DataFrame:
    run, of_trec = open_run(path)
    return top_hits(run, depth, of_trec)


@pytest.mark.parametrize("depth", [1, 3, 10, 1000])
def test_the_first_hits_are_those_that_a_score_takes_with_tied_ones_by_id(tmp_path: Path, depth: int):
    hits = drawn_run(depth)
    found = taken(written(tmp_path, "a.run", hits), depth)
    wanted = [(query, document) for query, some in best(hits, depth).items() for document in some]
    assert pairs(found) == wanted
    ranks = [rank for some in best(hits, depth).values() for rank in range(1, len(some) + 1)]
    assert found["rank"].to_list() == ranks


def test_parts_of_a_file_give_the_same_as_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = written(tmp_path, "a.run", drawn_run(1))
    whole = taken(path, 5)
    monkeypatch.setattr(trec_reading, "PART", 200)
    assert taken(path, 5).equals(whole)
    packed = tmp_path / "a.run.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert taken(packed, 5).equals(whole)


def test_hits_of_a_query_that_do_not_stand_together_are_ranked_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(trec_reading, "PART", 40)
    rows = lines(drawn_run(2)).splitlines(keepends=True)
    random.Random(0).shuffle(rows)
    path = tmp_path / "shuffled.run"
    path.write_text("".join(rows))
    kept = pairs(taken(path, 4))
    assert {query: [d for q, d in kept if q == query] for query, _ in kept} == best(drawn_run(2), 4)


def test_a_document_that_a_run_has_twice_counts_once(tmp_path: Path):
    path = tmp_path / "twice.run"
    path.write_text("q Q0 a 1 3 t\nq Q0 a 2 2 t\nq Q0 b 3 1 t\nq Q0 c 4 0 t\n")
    assert pairs(taken(path, 2)) == [("q", "a"), ("q", "b")]


def test_a_pool_has_each_pair_of_several_runs_once_by_its_best_rank(tmp_path: Path):
    runs = [drawn_run(seed) for seed in (3, 4, 5)]
    found = pooled(taken(written(tmp_path, f"{n}.run", hits), 6) for n, hits in enumerate(runs))
    ranks: dict[tuple[str, str], int] = {}
    for hits in runs:
        for query, documents in best(hits, 6).items():
            for rank, document in enumerate(documents, 1):
                ranks[query, document] = min(rank, ranks.get((query, document), rank))
    assert dict(zip(pairs(found), found["rank"].to_list(), strict=True)) == ranks
    queries = list(dict.fromkeys(query for hits in runs for query in hits))
    assert pairs(found) == sorted(ranks, key=lambda pair: (queries.index(pair[0]), ranks[pair], pair[1]))


def test_labelled_pairs_are_left_out_of_the_pool(tmp_path: Path):
    pool = taken(written(tmp_path, "a.run", drawn_run(6)), 5)
    known = pairs(pool)[::3]
    keys = keys_of(hashes_of([query for query, _ in known]), hashes_of([document for _, document in known]))
    assert pairs(without(pool, keys)) == [pair for pair in pairs(pool) if pair not in known]


def test_a_limit_draws_pairs_by_the_seed_and_keeps_their_order(tmp_path: Path):
    pool = taken(written(tmp_path, "a.run", drawn_run(7)), 5)
    some = drawn(pool, 20, 1)
    assert pairs(some) == [pair for pair in pairs(pool) if pair in set(pairs(some))]
    assert some.height == 20
    assert some.equals(drawn(pool, 20, 1))
    assert not some.equals(drawn(pool, 20, 2))
    assert drawn(pool, None, 1).equals(drawn(pool, 10_000, 1))


def test_ids_that_are_no_fields_of_trec_are_written_as_such(tmp_path: Path):
    hits = {"法 律": {"d 1": 2.0, "#2": 1.0}, "q%": {"d1": 1.0}}
    path = tmp_path / "run.json"
    path.write_text(json.dumps(hits))
    assert pairs(taken(path, 5)) == [(token(q), token(d)) for q, found in hits.items() for d in found]


def test_fields_of_trec_text_stay_as_they_are(tmp_path: Path):
    path = tmp_path / "a.run"
    path.write_text("q%20 Q0 d%2541 1 1 t\n")
    assert pairs(taken(path, 5)) == [("q%20", "d%2541")]


def test_pairs_of_a_file_of_judgments_stand_in_its_order(tmp_path: Path):
    path = tmp_path / "pairs.trec"
    path.write_text("q2 0 b 0\nq1 0 a 0\nq2 0 b 0\nq2 0 a 0\n")
    source = Source(path)
    assert pairs(pairs_of(file_parts(source, False), True)) == [("q2", "b"), ("q1", "a"), ("q2", "a")]


def test_a_run_without_a_hit_is_refused(tmp_path: Path):
    path = tmp_path / "a.run"
    path.write_text("# nothing\n")
    with pytest.raises(InputError, match="has no hit, so there is nothing to judge"):
        taken(path, 5)


def test_keys_differ_where_query_and_document_change_places():
    one, other = hashes_of(["a"]), hashes_of(["b"])
    assert keys_of(one, other) != keys_of(other, one)
    several = [hashes_of([str(n)])[0] for n in range(300)]
    queries, documents = np.repeat(several, 300), np.tile(several, 300)
    assert np.unique(keys_of(queries, documents)).size == 300 * 300


def test_the_first_hits_of_real_runs_are_those_of_the_scored_run(shared_data: Path):
    path = shared_data / "cacm" / "cacm-bm25.txt"
    run = scan_run(path)
    found = top_hits(run, 10, True)
    ranked = run.gathered().rankings
    hashes = hashes_of(found["document"].to_list())
    wanted = [ranked.document[a : min(a + 10, b)] for a, b in zip(ranked.offsets[:-1], ranked.offsets[1:], strict=True)]
    assert np.array_equal(hashes, np.concatenate(wanted))


LINE = "q1 Q0 d1 1 2.5 {}\n"
HEADER = """# ir_metadata.start
# tag: "rerank"
# method:
#   name: "monoT5, then openai/gpt-4o-2024-08-06"
# ir_metadata.end
"""


def run(folder: Path, text: str) -> Path:
    path = folder / "a.run"
    path.write_text(text)
    return path


def test_a_run_names_its_tag_and_what_its_header_has(tmp_path: Path):
    names = rankers(run(tmp_path, HEADER + LINE.format("rerank")))
    assert {"rerank", "openai/gpt-4o-2024-08-06", "monoT5"} <= {name.strip(",") for name in names}


def test_the_judges_model_is_found_under_other_names_of_it(tmp_path: Path):
    path = run(tmp_path, HEADER + LINE.format("rerank"))
    assert own_rankings("gpt-4o", [("a", path, True)], []) == ["a"]
    assert own_rankings("gpt-4o-mini", [("a", path, True)], []) == []
    assert own_rankings("rerank", [("a", path, True)], ["bge"]) == ["a"]
    assert own_rankings("gpt-4o", [], ["openai/gpt-4o", "bge"]) == ["--ranked-by openai/gpt-4o"]


def test_a_run_without_a_tag_names_nobody(tmp_path: Path):
    assert rankers(run(tmp_path, "q1 Q0 d1 1 2.5\n")) == set()


def test_only_trec_text_is_looked_into(tmp_path: Path):
    path = run(tmp_path, '{"q1": {"gpt-4o": 1.0}}')
    assert own_rankings("gpt-4o", [("a", path, False)], []) == []


RUNS = {
    "a": bb.Run.from_dict({"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}, "q2": {"d1": 1.0}}),
    "b": bb.Run.from_dict({"q1": {"d3": 3.0, "d4": 2.0, "d1": 1.0}, "q2": {"d1": 1.0}}),
}


def test_the_depth_is_that_of_the_deepest_cut_off():
    assert depth_of(resolve(["nDCG@10", "P@5"]), None) == 10
    assert depth_of(resolve(["nDCG@10", "AP"]), 30) == 30
    assert depth_of(resolve(["nDCG@10"]), 3) == 3


def test_a_measure_of_all_hits_needs_a_depth():
    with pytest.raises(InputError, match="AP and RR look at all hits: set with -k how deep"):
        depth_of(resolve(["nDCG@10", "AP", "RR"]), None)


@pytest.mark.parametrize("measure", ["alpha_nDCG@10", "microP@10", "NumRet", "Judged@10"])
def test_a_measure_without_cases_is_refused(measure: str):
    with pytest.raises(InputError, match="has no best and worst case of a difference"):
        depth_of(resolve([measure]), 10)


def test_cases_lie_around_the_difference_and_meet_where_nothing_is_unjudged():
    some = bb.Qrels.from_dict({"q1": {"d1": 1}, "q2": {"d1": 1}})
    (found,) = cases(some, RUNS, resolve(["P@2"]), "before")
    assert (found.baseline, found.system, found.queries) == ("a", "b", 2)
    assert (found.mean, found.worst, found.best) == (-0.25, -0.5, 0.25)
    whole = bb.Qrels.from_dict({"q1": {"d1": 1, "d2": 0, "d3": 0, "d4": 1}, "q2": {"d1": 1}})
    (after,) = cases(whole, RUNS, resolve(["P@2"]), "after")
    assert after.mean == after.worst == after.best == 0.0


def test_numbers_say_of_which_labels_they_are():
    some = bb.Qrels.from_dict({"q1": {"d1": 1}, "q2": {"d1": 1}})
    numbers = list(numbers_of(list(cases(some, RUNS, resolve(["P@2"]), "before")), {"judge": "m"}))
    assert [one.name for one in numbers] == ["Δ P@2", "worst P@2", "best P@2"]
    assert numbers[0].scope == {"system": "b", "baseline": "a", "labels": "before", "judge": "m"}


def collection(folder: Path, *rows: object) -> Part:
    path = folder / "corpus.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    return Part(path)


def test_texts_come_back_whole_from_memory_and_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    wanted = {f"d{n}": f"文書{n} " * n for n in range(1, 200)}
    part = collection(tmp_path, *({"_id": one, "title": "", "text": text} for one, text in wanted.items()))
    for most in (1 << 26, 100):
        monkeypatch.setattr(pair_texts, "_IN_MEMORY", most)
        with Spool(tmp_path) as spool:
            texts = PairTexts(spool)
            add_documents(texts, part, set(wanted) - {"d7"})
            assert len(texts) == 198
            assert texts.get("d7") is None
            for one in ("d199", "d1", "d100"):
                assert texts.get(one) == wanted[one]


def test_a_document_is_read_behind_its_title(tmp_path: Path):
    part = collection(tmp_path, {"_id": "d", "title": "刑法", "text": "第二百六十四条"})
    with Spool() as spool:
        texts = PairTexts(spool)
        add_documents(texts, part, {"d"})
        assert texts.get("d") == "刑法 第二百六十四条"


def test_what_is_missing_empty_or_cannot_be_read_has_no_text(tmp_path: Path):
    part = collection(tmp_path, {"_id": "a", "text": " "}, ["no", "object"], {"_id": "b"}, {"_id": "c", "text": "C"})
    with Spool() as spool:
        texts = PairTexts(spool)
        add_documents(texts, part, {"a", "b", "c", "absent"})
        assert [texts.get(one) for one in ("a", "b", "c", "absent")] == [None, None, "C", None]


def test_of_two_documents_with_one_id_the_first_counts(tmp_path: Path):
    part = collection(
        tmp_path, {"_id": "a", "text": "first"}, {"_id": "a", "text": "second"}, {"_id": "b", "text": "B"}
    )
    with Spool() as spool:
        texts = PairTexts(spool)
        add_documents(texts, part, {"a", "b"})
        assert texts.get("a") == "first"


def test_ids_of_runs_are_found_whether_they_were_written_as_fields_or_not(tmp_path: Path):
    part = collection(
        tmp_path, {"_id": "d 1", "text": "one"}, {"_id": "50%", "text": "half"}, {"_id": "d%202", "text": "two"}
    )
    wanted = {token("d 1"), token("50%"), "d%202"}
    with Spool() as spool:
        texts = PairTexts(spool)
        add_documents(texts, part, wanted)
        assert [texts.get(one) for one in (token("d 1"), token("50%"), "d%202")] == ["one", "half", "two"]


def test_a_collection_is_read_no_further_than_needed(tmp_path: Path):
    part = collection(tmp_path, *({"_id": f"d{n}", "text": "x"} for n in range(50_000)))
    with part.path.open("ab") as file:
        file.write(b"\xff\xfe broken")
    with Spool() as spool:
        texts = PairTexts(spool)
        add_documents(texts, part, {"d3"})
        assert len(texts) == 1


def test_texts_of_queries_are_whole(tmp_path: Path):
    path = tmp_path / "queries.jsonl"
    path.write_text("".join(json.dumps({"_id": f"q{n}", "text": f"{n} " * 5000}) + "\n" for n in range(20)))
    with Spool() as spool:
        texts = PairTexts(spool)
        add_queries(texts, Part(path), {"q3", "q19", "q77"})
        assert texts.get("q19") == "19 " * 5000
        assert texts.get("q77") is None


def test_what_is_no_collection_is_refused(tmp_path: Path):
    with Spool() as spool, pytest.raises(InputError, match="is not a collection: none of its lines is a JSON object"):
        add_documents(PairTexts(spool), collection(tmp_path, 1, 2), {"a"})
