"""The page of a run in its states: what it says, how large it is, and that it is the same from its folder."""

import json
import re
from pathlib import Path
from typing import Any

import data_sets
import invented_run as invented
import orjson
import pytest
import services
from page_sources import embedded, words

from benchbench.report.draw import draw
from benchbench.report.layouts.query_parts import query_list
from benchbench.runs.page import run_page, run_speed
from benchbench.stored import load

EVIL = "</script><script>window.broken = 1</script><img src=x onerror='window.broken = 1'>&amp;{{ 7 * 7 }}"


def page(folder: Path, queries: int = 60, failed: int = 0, **options: Any) -> str:
    return draw(invented.result(folder / "out", queries, failed, **options), "html")


def test_a_run_without_failures_has_no_band_and_says_what_it_found(tmp_path: Path):
    source = page(tmp_path)
    said = words(source)
    assert 'class="band' not in source
    assert "✓ all 60 queries answered no gates set" in said
    assert (
        "24 of 60 queries have P@10 (Gold) of exactly 0, 3 of exactly 1. Median 9.0 ms per request, 60 requests."
        in said
    )
    assert "24 of 60 queries have exactly 0" in said


def test_what_failed_stands_first_with_its_reasons(tmp_path: Path):
    source = page(tmp_path, 60, 3, gates=[invented.gate(True), invented.gate(False)])
    said = words(source)
    assert "✕ 1 of 2 gates failed, and 3 queries got no answer" in said
    assert f"{invented.REASON} 3 3 Show the 3 queries without an answer" in said
    assert "Read the numbers as a lower bound: the 3 queries without an answer count as 0." in said
    assert "of the requests" not in said.partition("Quality")[0]
    assert source.index('class="band bad"') < source.index('class="lede"')


def test_where_all_failed_there_are_requests_and_no_quality(tmp_path: Path):
    said = words(page(tmp_path, 40, 40))
    assert "None of 40 queries was answered, so there is nothing to judge." in said
    assert "Quality" not in said
    assert "A cross is a request that failed." in said


def test_gates_that_passed_are_a_line_and_folded(tmp_path: Path):
    source = page(tmp_path, gates=[invented.gate(False)])
    assert "✓ 1 gate passed" in words(source)
    assert 'class="band' not in source
    assert "<h3>Gates</h3>" in source


def test_a_resumed_run_and_a_client_that_was_the_limit_say_so(tmp_path: Path):
    client = {"cpu": 0.99, "lag_p99_ms": 9.0, "lag_max_ms": 9.0, "bottleneck": "the client was the limit."}
    said = words(page(tmp_path, counts={"asked_again": 7}, client=client))
    assert "▲ 7 queries had failed and were asked again (--resume); latencies are of the last time." in said
    assert "▲ The client was the limit." in said
    assert "of a core" not in said.partition("Quality")[0]


def test_of_few_queries_and_requests_each_is_a_dot(tmp_path: Path):
    source = page(tmp_path, 12)
    assert 'class="bars"' not in source
    assert "A dot is a query, at its P@10." in words(source)
    assert "12 requests are too few to measure speed; the slowest took 41.0 ms." in words(source)
    assert "per second" not in source
    assert "Means by group" not in source, "a label with fewer than six queries has no row"


def test_a_run_with_one_task_has_curves_ranks_kinds_and_latency_by_quality(tmp_path: Path):
    source = draw(invented.one_task(tmp_path / "out", 60, 2), "html")
    said = words(source)
    for title in ("Recall by depth", "Precision by depth", "Precision by recall", "Latency by quality"):
        assert f"<h3>{title}</h3>" in source
    assert "have a relevant document in the first 10 hits" in said
    assert "P@10 by query length in characters" in said
    data = embedded(source, "data")
    places = [
        1 + next((n for n, edge in enumerate(data["edges"]) if 0 < rank <= edge), len(data["edges"]))
        for rank in data["ranks"]
    ]
    places = [0 if failed >= 0 else place for place, failed in zip(places, data["failed"], strict=True)]
    assert data["rank_counts"] == [places.count(place) for place in range(len(data["edges"]) + 2)]
    assert data["rank_counts"][0] == 2


def test_of_one_query_without_a_relevant_hit_a_page_is_drawn(tmp_path: Path):
    said = words(draw(invented.one_task(tmp_path / "one", 1), "html"))  # the first query finds nothing
    assert "0 of 1 query has a relevant document" in said
    assert "1 request is too few to measure speed; it took 41.0 ms." in said


@pytest.mark.slow  # ten thousand queries
def test_ten_thousand_queries_fit_and_what_is_left_out_is_said(tmp_path: Path):
    source = page(tmp_path, 10_500, 100)
    assert len(source.encode()) < 5_000_000
    data, packed = embedded(source, "data"), embedded(source, "packed")
    assert len(data["ids"]) == 10_000
    assert sum(data["counts"][0]) == data["total"] == 10_500
    assert len(packed["opened"]) == 200
    lost = {f"q{number}" for number in range(10_400, 10_500)}
    assert len(lost & packed["opened"].keys()) == 50, "failed queries are among those that open"
    assert "The list has 10,000 of 10,500 queries" in words(source)
    assert all(text.endswith("号。") for text in packed["texts"] if text), "texts are whole"


def test_every_query_has_its_hits_marks_and_what_was_removed(tmp_path: Path):
    source = page(tmp_path)
    one = embedded(source, "packed")["opened"]["q7"]
    removed, *hits = one["h"]
    assert (removed[0], removed[4]) == (0, "self")
    assert [hit[0] for hit in hits] == list(range(1, 11))
    assert sum(hit[3] & 1 for hit in hits) == invented.relevant(7)
    assert sum(hit[3] >> 1 & 1 for hit in hits) == invented.relevant(7) + 1
    assert [piece for hit in hits for piece in hit[5][1::2]] == ["撬开房门"]
    assert [(name, rank) for name, _, rank, _ in one["p"]] == [("d1", 1), ("d2", 2), ("d3", 0)]
    assert one["l"] == [["accusation", "抢劫"]]


def test_values_and_bins_agree_with_the_table(tmp_path: Path):
    result = invented.result(tmp_path / "out", 60, 2)
    found = run_page(result)
    assert found is not None
    table = result.table("per_query")
    values = found.values[0].tolist()
    assert values == table["gold.P@10"].to_list()
    bins = [ord(letter) - ord("A") for letter in query_list(found, ()).data["bins"][0]]
    for value, place, failure in zip(values, bins, found.failures, strict=True):
        assert place == (0 if failure else 1 if value == 0 else 1 + -int(-value * 10 // 1))
    assert found.spreads[0].counts == tuple(bins.count(place) for place in range(12))
    assert found.spreads[0].answered == pytest.approx(table.filter(table["failure"].is_null())["gold.P@10"].mean())


def test_labels_have_the_means_of_their_queries(tmp_path: Path):
    result = invented.result(tmp_path / "out", 60)
    found = run_page(result)
    assert found is not None
    (one,) = found.slices
    table = result.table("per_query")
    assert (one.column, one.labels, [row.label for row in one.rows]) == ("accusation", 4, list(invented.LABELS))
    for number, row in enumerate(one.rows):
        mean, low, high = row.means[0]
        assert row.queries == 15
        assert mean == pytest.approx(table["gold.P@10"].gather_every(4, number).mean())
        assert low < mean < high


@pytest.mark.slow  # 9,000 requests
def test_of_many_requests_the_slow_and_the_failed_are_drawn(tmp_path: Path):
    found = run_speed(invented.result(tmp_path / "out", 9_000, 700))
    assert found is not None
    assert (found.requests, found.failed, found.reasons) == (9_000, 700, {invented.REASON: 700})
    assert len(found.dots) <= 2_001
    assert len(found.crosses) == 500
    assert max(ms for _, ms in found.dots) == pytest.approx(40.0)
    shares, times = zip(*found.curve, strict=True)
    assert list(shares) == sorted(shares)
    assert list(times) == sorted(times)


@pytest.mark.parametrize("gone", ["tiered.jsonl", "collection.jsonl", "changed", "hits.parquet"])
def test_what_is_not_at_hand_is_said(tmp_path: Path, gone: str):
    invented.result(tmp_path / "out", 40)
    data = tmp_path / "out-data"
    if gone == "changed":
        record = json.loads((tmp_path / "out" / "record.json").read_bytes())
        record["data"]["digest"] = "0" * 32
        (tmp_path / "out" / "record.json").write_bytes(orjson.dumps(record))
    else:
        (tmp_path / "out" / gone if gone.startswith("hits") else data / gone).unlink()
    source = draw(_without_hits(tmp_path) if gone == "hits.parquet" else load(tmp_path / "out"), "html")
    expected = {
        "tiered.jsonl": "No query texts and labels: the data set of the run is not where it was.",
        "collection.jsonl": "No texts of hits: the collection is not available.",
        "changed": "No query texts and labels: the data set has changed since.",
        "hits.parquet": "No hits: this result has none stored.",
    }[gone]
    assert expected in words(source)


def _without_hits(folder: Path) -> Any:
    record = json.loads((folder / "out" / "record.json").read_bytes())
    record["tables"] = [one for one in record["tables"] if one["name"] != "hits"]
    (folder / "out" / "record.json").write_bytes(orjson.dumps(record))
    return load(folder / "out")


def test_markup_in_any_name_id_text_and_label_stays_text(tmp_path: Path):
    gates = [invented.gate(True)]
    plain = page(tmp_path / "a", 40, 2, gates=gates, said=" plain")
    evil = page(tmp_path / "b", 40, 2, gates=[invented.gate(True, EVIL)], said=EVIL)
    tags = [re.findall(r"<(/?[a-z][a-z0-9]*)", source) for source in (plain, evil)]
    assert tags[0] == tags[1]
    assert "<img" not in evil
    assert embedded(evil, "data")["ids"][0] == f"q0{EVIL}"


def test_no_home_directory_stands_in_it(tmp_path: Path):
    source = page(tmp_path)
    assert "somebody" not in source
    assert "benchbench run --dataset " in words(source)


def test_it_needs_nothing_from_elsewhere(tmp_path: Path):
    source = page(tmp_path)
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', source)
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-")
    assert set(re.findall(r' (?:src|href)="([^"#]*)', source)) == {"data:,", ""}
    assert "url(" not in source


def test_a_run_that_was_just_made_has_the_page_of_its_folder(tmp_path: Path):
    data = data_sets.write(tmp_path / "data")
    with services.running(services.searching(data_sets.collection(data))) as service:
        outcome = data_sets.outcome(data, service.url)
    assert "No hits: this result has none stored." in words(draw(outcome, "html"))
    assert draw(load(outcome.save(tmp_path / "out")), "html") == draw(outcome, "html")
