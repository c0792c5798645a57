"""Qrels and runs of the gold task mean to trec_eval what they mean to us."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
import pytrec_eval
from cases import check_each
from hit_lists import hits_of
from hypothesis import assume, given, reject
from hypothesis import strategies as st

import benchbench as bb
from benchbench.errors import InputError
from benchbench.formats.datasets.locate import locate
from benchbench.formats.excerpt import example, excerpt_hits, excerpt_judgments
from benchbench.formats.qrels_runs import Qrels, Run, scan_qrels, scan_run
from benchbench.formats.trec_writing import gold_qrels, gold_run, identity_of, token
from benchbench.kernels.arrays import U64
from benchbench.kernels.judge_hits import Judged
from benchbench.measures.notation import Measure
from benchbench.tables.hashing import NO_HASH, id_hash, text_hash
from benchbench.tables.hits import Hits
from benchbench.tables.queries import Queries
from benchbench.tables.rows import Rows
from benchbench.tasks.criteria import Criteria
from benchbench.tasks.judging import judging_of

Record = dict[str, Any]


Pair = tuple[Record, list[Record]]


HOSTILE = ["#1", "##", "a#1", "rank1", "%", "%41", "A", "q\0", "\x1f", "\x7f", "\x85", "\u2028", "\ufeffa", "\u202e"]


STARTS = ["{", '{"a": {}}', "[{", "PAR1", "ARROW1", "query_id,doc_id,score", '"', "\U0001f600"]  # of other formats


any_ids = st.one_of(st.sampled_from(HOSTILE + STARTS), st.text(st.characters(exclude_categories=["Cs"]), min_size=1))


ids = st.one_of(st.sampled_from(["a", "b", "c", "d e", "f%", "甲\u3000"]), any_ids)


texts = st.sampled_from(["甲", "乙", "丙", "丁", "戊", "己"])


positives = st.lists(
    st.fixed_dictionaries({"fact_id": ids, "fact": texts, "tier": st.integers(1, 5)}),
    max_size=5,
    unique_by=lambda positive: positive["fact_id"],
)


hits_drawn = st.lists(
    st.fixed_dictionaries({"text": texts}, optional={"id": st.one_of(ids, st.sampled_from(["x", "y", "z"]))}),
    max_size=10,
)


pairs = st.lists(
    st.tuples(
        st.fixed_dictionaries({"query": st.fixed_dictionaries({"fact": texts}), "positives": positives}), hits_drawn
    ),
    min_size=1,
    max_size=4,
)


def prepare(
    folder: Any, drawn: list[Pair], criteria: Criteria, names: list[str] | None = None
) -> tuple[Queries, Hits, Judged]:
    path = folder / "tiered.jsonl"
    names = names or [f"q {q}" for q in range(len(drawn))]
    path.write_bytes(
        b"\n".join(orjson.dumps({"query_id": name} | one) for name, (one, _) in zip(names, drawn, strict=False))
    )
    try:
        judging = judging_of(criteria, locate(path))
    except InputError:  # no query has a positive
        reject()
    flat = [hit for _, one in drawn for hit in one]
    hits = hits_of(
        counts=[len(one) for _, one in drawn],
        ids=[hit.get("id") for hit in flat],
        id_hashes=[id_hash(hit["id"]) if "id" in hit else NO_HASH for hit in flat],
        text_hashes=[text_hash(hit["text"]) for hit in flat],
        score=[0.0] * len(flat),
    )
    return judging.queries, hits, judging.judge(0, hits)


def parse_run(lines: str) -> dict[str, dict[str, float]]:
    run: dict[str, dict[str, float]] = {}
    for line in lines.splitlines():
        query, q0, document, rank, score, tag = line.split()
        assert (q0, tag) == ("Q0", "benchbench")
        assert document not in run.setdefault(query, {}), "a document twice"
        run[query][document] = float(score)
        assert int(rank) == len(run[query])
    return run


def parse_qrels(lines: list[str]) -> dict[str, dict[str, int]]:
    qrels: dict[str, dict[str, int]] = {}
    for line in lines:
        query, zero, document, grade = line.split()
        assert zero == "0"
        assert document not in qrels.setdefault(query, {}), "a document twice"
        qrels[query][document] = int(grade)
    return qrels


def gold(judged: Judged, query: int, name: str, k: int) -> float:
    """Return the value of a default measure for the gold task."""
    (place,) = Criteria().plans.columns[Measure(name, (), k)]
    return judged.values[query, 0, place]


@given(pairs, st.sampled_from(["text", "id"]))
def test_trec_eval_gives_the_gold_tasks_scores(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[Pair], gold_by: Any
) -> None:
    criteria = Criteria(gold_by=gold_by, recall_denominator="full")
    queries, hits, judged = prepare(tmp_path_factory.getbasetemp(), drawn, criteria)
    qrels = parse_qrels(list(gold_qrels(queries)))
    run = parse_run(gold_run(queries, 0, hits, judged, gold_by == "text").lines)
    names = {"P": "P", "R": "recall", "Success": "success", "nDCG": "ndcg_cut"}
    cutoffs = ",".join(map(str, criteria.cutoffs))
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {f"{name}.{cutoffs}" for name in names.values()} | {"recip_rank"})
    scores = evaluator.evaluate(run)
    for q, query in enumerate(queries.ids):
        for k in criteria.cutoffs:
            for measure, name in names.items():
                expected = scores.get(token(query), {}).get(f"{name}_{k}", 0.0)
                assert gold(judged, q, measure, k) == pytest.approx(expected, abs=1e-12)
        reciprocal = gold(judged, q, "RR", 10)
        assert reciprocal == pytest.approx(scores.get(token(query), {}).get("recip_rank", 0.0), abs=1e-12)


@given(pairs, st.sampled_from(["text", "id"]), st.integers(1, 3))
def test_trec_eval_gives_the_scores_of_all_positives_from_the_full_judgments(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[Pair], gold_by: Any, most: int
) -> None:
    folder, by_text = tmp_path_factory.getbasetemp(), gold_by == "text"
    queries, hits, judged = prepare(folder, drawn, Criteria(gold_by=gold_by, max_positives=most))
    run = parse_run(gold_run(queries, 0, hits, judged, by_text).lines)
    full = parse_qrels(list(gold_qrels(queries, full=True)))
    assert (
        parse_qrels(list(gold_qrels(queries))).items()
        <= {query: dict(list(grades.items())[:most]) for query, grades in full.items()}.items()
    )
    all_queries, _, expected = prepare(folder, drawn, Criteria(gold_by=gold_by, max_positives=0))
    assert (all_queries.left_out, list(gold_qrels(all_queries))) == (None, list(gold_qrels(queries, full=True)))
    scores = pytrec_eval.RelevanceEvaluator(full, {"P.3,5,10", "ndcg_cut.3,5,10"}).evaluate(run)
    for q, query in enumerate(queries.ids):
        for k in (3, 5, 10):
            for measure, name in (("P", "P"), ("nDCG", "ndcg_cut")):
                given_by_all = gold(expected, q, measure, k)
                assert scores.get(token(query), {}).get(f"{name}_{k}", 0.0) == pytest.approx(given_by_all, abs=1e-12)


@given(pairs, st.lists(any_ids, min_size=4, max_size=4, unique=True))
def test_any_tool_reads_the_runs_own_scores_from_the_files_whatever_the_ids_hold(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[Pair], names: list[str]
) -> None:
    folder = tmp_path_factory.getbasetemp()
    queries, hits, judged = prepare(folder, drawn, Criteria(recall_denominator="full"), names)
    qrels, run = folder / "qrels.trec", folder / "run.trec"
    for path, lines in ((qrels, gold_qrels(queries)), (run, [gold_run(queries, 0, hits, judged, True).lines])):
        with path.open("w", encoding="utf-8") as file:
            file.writelines(lines)
    with qrels.open(encoding="utf-8") as first, run.open(encoding="utf-8") as second:
        graded, listed = pytrec_eval.parse_qrel(first), pytrec_eval.parse_run(second)
    assume(graded.keys() & listed.keys())
    theirs = pytrec_eval.RelevanceEvaluator(graded, {"ndcg_cut.10", "recip_rank"}).evaluate(listed)
    ours = bb.evaluate(bb.Qrels.from_file(qrels), bb.Run.from_file(run, strict=True), ["nDCG@10", "RR"]).per_query()
    values = {row["query_id"]: row for row in ours.iter_rows(named=True)}
    for q, query in enumerate(queries.ids):
        assert identity_of(token(query)) == query
        field = token(query)
        if field not in graded:
            continue  # a query without positives has no line
        for measure, name in (("nDCG", "ndcg_cut_10"), ("RR", "recip_rank")):
            expected = gold(judged, q, measure, 10)
            assert theirs.get(field, {}).get(name, 0.0) == pytest.approx(expected, abs=1e-12)
            assert values[field]["nDCG@10" if measure == "nDCG" else "RR"] == pytest.approx(expected, abs=1e-12)


@given(pairs)
def test_chunks_of_a_run_add_up_to_the_whole(tmp_path_factory: pytest.TempPathFactory, drawn: list[Pair]) -> None:
    queries, hits, judged = prepare(tmp_path_factory.getbasetemp(), drawn, Criteria(max_positives=2))
    parts, namesakes = "", 0
    for q, (_, listed) in enumerate(drawn):
        start = sum(hits.counts[:q])
        part = slice(start, start + len(listed))
        first = queries.positives.offsets[q]
        alone = hits_of([len(listed)], ids=hits.ids[part], id_hashes=hits.id[part], text_hashes=hits.text[part])
        shifted = np.where(judged.positive[part] < 0, -1, judged.positive[part] - first)
        lines = gold_run(queries, q, alone, judged._replace(rank=judged.rank[part], positive=shifted), True)
        parts, namesakes = parts + lines.lines, namesakes + lines.namesakes
    assert (parts, namesakes) == gold_run(queries, 0, hits, judged, True)


@given(any_ids, any_ids)
def test_tokens_are_one_field_and_distinct_and_give_the_id_back(one: str, other: str) -> None:
    assert token(one).split() == [token(one)]
    assert not token(one).startswith("#")
    assert (token(one) == token(other)) is (one == other)
    assert identity_of(token(one)) == one


def test_a_token_holds_no_character_that_some_reader_takes_for_another_thing():
    def check(c: str) -> None:
        assert token(f"a{c}b") == f"a{''.join(f'%{byte:02X}' for byte in c.encode())}b"

    check_each(check, [*map(chr, range(0x21)), "%", *map(chr, range(0x7F, 0xA1)), "\u1680", "\u2028", "\ufeff"])


def test_a_token_is_percent_encoded_where_it_must_be() -> None:
    assert token("c17") == "c17"
    assert token("甲 %\n") == "甲%20%25%0A"
    assert token("a\u3000b") == "a%E3%80%80b"
    assert token("#a#") == "%23a#"


def test_a_name_that_is_made_up_is_never_that_of_another_hit(tmp_path: Path) -> None:
    query = {"query": {"fact": "甲"}, "positives": [{"fact_id": "p", "fact": "乙", "tier": 2}]}
    listed = [{"text": "丙"}, {"id": "rank1", "text": "丁"}, {"id": "p", "text": "戊"}, {"id": "p#3", "text": "己"}]
    queries, hits, judged = prepare(tmp_path, [(query, listed)], Criteria())
    assert [line.split()[2] for line in gold_run(queries, 0, hits, judged, True).lines.splitlines()] == [
        "rank1#", "rank1", "p#3#", "p#3",
    ]  # fmt: skip


def test_a_positive_bears_its_own_id_and_another_hit_of_that_name_does_not(tmp_path: Any) -> None:
    query = {"query": {"fact": "甲"}, "positives": [{"fact_id": "p", "fact": "乙", "tier": 2}]}
    listed = [{"id": "p", "text": "丙"}, {"id": "甲", "text": "甲"}, {"id": "x", "text": "乙"}, {"text": "丁"}]
    queries, hits, judged = prepare(tmp_path, [(query, listed)], Criteria())
    assert list(gold_qrels(queries)) == ["q%200 0 p 4\n"]
    assert gold_run(queries, 0, hits, judged, True) == (
        "q%200 Q0 p#1 1 3 benchbench\nq%200 Q0 p 2 2 benchbench\nq%200 Q0 rank3 3 1 benchbench\n",
        1,  # p is the name of a positive with another text
    )


def test_a_hit_that_is_a_positive_left_out_bears_its_id_too(tmp_path: Any) -> None:
    rows = [{"fact_id": name, "fact": text} for name, text in (("p", "乙"), ("r", "丙"), ("s", "丁"))]
    listed = [
        {"id": "x", "text": "丙"},
        {"id": "r", "text": "戊"},
        {"id": "y", "text": "丙"},
        {"id": "s", "text": "己"},
    ]
    queries, hits, judged = prepare(
        tmp_path, [({"query": {"fact": "甲"}, "positives": rows}, listed)], Criteria(max_positives=1)
    )
    lines, namesakes = gold_run(queries, 0, hits, judged, True)
    assert [line.split()[2] for line in lines.splitlines()] == ["r", "r#2", "y", "s#4"]
    assert namesakes == 2
    assert list(gold_qrels(queries)) == ["q%200 0 p 1\n"]
    assert list(gold_qrels(queries, full=True)) == ["q%200 0 p 1\n", "q%200 0 r 1\n", "q%200 0 s 1\n"]


# Excerpt

IDS = st.text("abcé1", min_size=1, max_size=3)


HITS = st.lists(st.tuples(st.sampled_from("pqr"), IDS, st.sampled_from([0.0, 0.5, 1.0, -2.0])), min_size=1, max_size=60)


def hashes(*queries: str) -> U64:
    return Rows.from_dict({query: {} for query in queries}, "queries").query


def write(path: Path, rows: list[tuple[str, str, float]]) -> Path:
    path.write_text("".join(f"{q} Q0 {d} 0 {score} tag\n" for q, d, score in rows), encoding="utf-8")
    return path


def ranked(rows: list[tuple[str, str, float]], query: str, by_id: bool) -> list[str]:
    """Return the documents in rank order: a naive twin."""
    own = [(document, score) for q, document, score in rows if q == query]
    if by_id:
        own.sort(key=lambda hit: hit[0].encode(), reverse=True)
    own.sort(key=lambda hit: -hit[1])
    return list(dict.fromkeys(document for document, _ in own))


@given(rows=HITS, depth=st.integers(1, 8), ties=st.sampled_from(["trec", "input"]))
def test_hits_are_the_first_in_rank_order_wherever_their_lines_stand(tmp_path_factory, rows, depth, ties):
    path = write(tmp_path_factory.mktemp("chosen") / "a.run", rows)
    for query, found in zip("qp", excerpt_hits(scan_run(path, ties), hashes("q", "p"), depth), strict=True):
        assert [hit.document for hit in found] == ranked(rows, query, ties == "trec")[:depth]


@given(rows=HITS)
def test_hits_are_those_that_are_scored(tmp_path_factory, rows):
    path = write(tmp_path_factory.mktemp("chosen") / "a.run", rows)
    run = Run.from_file(path)
    for query, documents in scored(run).items():
        (found,) = excerpt_hits(scan_run(path), np.array([query], np.uint64), 100)
        assert [hit.hash for hit in found] == documents


def scored(run: Run) -> Mapping[int, list[int]]:
    table = run.rankings
    return {
        int(query): table.document[table.offsets[g] : table.offsets[g + 1]].tolist()
        for g, query in enumerate(table.query)
    }


def test_a_query_without_hits_has_none(tmp_path: Path):
    path = write(tmp_path / "a.run", [("q", "d", 1.0)])
    assert excerpt_hits(scan_run(path), hashes("elsewhere"), 3) == [[]]


@pytest.mark.parametrize("suffix", ["trec", "jsonl"])
def test_judgments_come_with_their_ids_and_hashes_best_first(tmp_path: Path, suffix):
    path = tmp_path / f"qrels.{suffix}"
    if suffix == "trec":
        path.write_text("q 0 low 1\np 0 other 3\nq 0 high 2\nq 0 none 0\n")
    else:
        path.write_text('{"q": {"low": 1}}\n{"p": {"other": 3}}\n{"q": {"high": 2, "none": 0}}\n')
    (found,) = excerpt_judgments(scan_qrels(path), hashes("q"))
    assert [(row.document, row.value) for row in found] == [("high", 2.0), ("low", 1.0), ("none", 0.0)]
    qrels = Qrels.from_file(path)
    assert [row.hash for row in found] == qrels.document[qrels.offsets[0] : qrels.offsets[1]].tolist()


def test_an_example_shows_a_hit_and_a_judgment_and_is_empty_for_what_cannot_be_read_again(tmp_path: Path):
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("q 0 low 0\nq 0 D-12 1\n")
    run.write_text("q Q0 d1\u202e2 1 2 t\nq Q0 d13 2 1 t\n")
    table, held = Qrels.from_file(qrels), scan_run(run)
    assert example(qrels, held, "q", table.query) == r"query q got 'd1\u202e2', and 'D-12' is judged"
    assert example(None, held, "q", table.query) == ""
    assert example(qrels, Run.from_file(run), "q", table.query) == ""
    run.write_text("other Q0 d12 1 2 t\n")
    assert example(qrels, scan_run(run), "q", table.query) == ""
