"""What the record of a comparison has, and what is read back from its folder."""

import json
from dataclasses import replace
from pathlib import Path

import compared
import invented_comparison as invented
import numpy as np
import polars as pl
import pytest
from results.round_trip import round_trip, validated

import benchbench as bb
from benchbench.comparison.compare_result import CompareOutcome
from benchbench.comparison.runs import Sources
from benchbench.comparison.tables import evidence_of, latencies_of, paired_of
from benchbench.errors import InputError
from benchbench.report.draw import draw
from benchbench.results.checks import check
from benchbench.results.gates import parse_gate
from benchbench.results.reading import read_result
from benchbench.results.record import GateResult, Number

GATE = "Δ nDCG@10 < 0 and p < 0.05"


@pytest.fixture
def made(tmp_path: Path) -> CompareOutcome:
    judged, good, poor = compared.write_files(tmp_path)
    return bb.compare(
        bb.Qrels.from_file(judged),
        {"good": bb.scan_run(good), "poor": bb.scan_run(poor)},
        ["nDCG@10", "RR"],
        fail_if=(GATE,),
        slices=("positives",),
        sources=Sources(judged),
        resamples=500,
        alpha=0.1,
    )


def found(made: CompareOutcome, name: str, **scope: str) -> Number:
    (one,) = (one for one in made.record.numbers if one.name == name and one.scope == scope)
    return one


def test_differences_means_and_p_values_are_numbers_named_as_gates_name_them(made):
    pair = {"system": "poor", "baseline": "good"}
    one = made.comparison.differences[0]
    difference = found(made, "Δ nDCG@10", **pair)
    assert (difference.value, difference.low, difference.high, difference.n) == (one.mean, one.low, one.high, 10)
    assert (difference.interval, difference.better) == (f"{one.interval}, 90 %", "higher")
    assert found(made, "p nDCG@10", **pair).value == one.corrected["randomization"]
    assert {test: found(made, f"p_{test} nDCG@10", **pair).value for test in one.corrected} == one.corrected
    mean = made.comparison.estimates[1]
    assert (mean.measure, mean.system) == ("nDCG@10", "poor")
    assert found(made, "nDCG@10", system="poor").value == mean.mean
    (part, _) = made.comparison.slices
    sliced = found(made, "Δ nDCG@10", **pair, slice=f"{part.column}={part.value}")
    assert (sliced.value, sliced.n) == (part.mean, part.queries)


def test_the_record_says_what_was_compared_how_and_with_what(made, tmp_path):
    value = validated(made.record)
    assert (value["kind"], value["status"], value["name"]) == ("compare", "complete", "good and poor")
    assert [one["name"] for one in value["subject"]] == ["good", "poor"]
    assert value["data"]["queries"] == 10
    assert value["data"]["source"] == str(tmp_path / "qrels.trec")
    assert f"qrels:{value['data']['digest']}" in value["signature"]
    assert "run:" not in value["signature"]
    settings = {name: one["value"] for name, one in value["settings"].items()}
    assert (settings["measure"], settings["slice"], settings["moved"]) == (["nDCG@10", "RR"], ["positives"], 5)
    assert (settings["alpha"], settings["ties"], settings["fail_if"]) == (0.1, "trec", [GATE])
    assert {"count": 10, "name": "judged", "scope": {"system": "poor"}} in value["counts"]
    assert [one["text"] for one in value["notes"]] == made.details().notes
    assert [one["verdict"] for one in value["gates"]] == ["failed"]


def test_a_comparison_read_from_its_folder_is_drawn_as_it_was(made, tmp_path):
    loaded = round_trip(made, tmp_path / "kept")
    round_trip(made, tmp_path / "again", moved=1, width=60)
    summary = json.loads((tmp_path / "kept" / "summary.json").read_bytes())
    assert summary["differences"][0]["mean"] == made.comparison.differences[0].mean
    assert [len(one["queries"]) for one in summary["moved"]] == [5]
    assert loaded.table("per_query").columns == ["run", "query_id", "nDCG@10", "RR"]


def test_a_comparison_shown_again_has_the_gates_that_it_is_shown_with(made, tmp_path):
    loaded = read_result(made.save(tmp_path / "kept"))
    loaded.describe(gates=check([parse_gate("RR < 0.99")], loaded.record.numbers))
    (gate,) = json.loads(draw(loaded, "json"))["gates"]
    assert (gate["gate"], gate["baseline"], gate["system"]) == ("RR < 0.99", "good", "poor")
    assert gate["failure"].startswith("poor against good: RR is 0.")
    assert "Gate        ▼ failed: poor against good: RR is 0." in draw(loaded, "text")


def test_a_page_of_speed_load_texts_and_slices_is_the_same_from_its_folder(tmp_path):
    outcome = invented.outcome(queries=40, shown=30, hits=4)
    gate = GateResult(condition="nDCG@10<0.3", verdict="passed", said="passed")
    round_trip(replace(outcome, gates=(gate,)), tmp_path / "kept")


@pytest.mark.parametrize("options", [{"evidence": False}, {"moved": 0}])
def test_a_comparison_without_hits_is_drawn_as_it_was(tmp_path, options):
    qrels = bb.Qrels.from_dict(compared.qrels())
    runs = {name: bb.Run.from_dict(hits) for name, hits in (("a", compared.GOOD), ("b", compared.GOOD))}
    loaded = round_trip(bb.compare(qrels, runs, ["RR"], resamples=200, **options), tmp_path / "kept")
    assert ("queries" in loaded.tables()) is options.get("evidence", True)


def test_results_folders_compared_are_drawn_as_they_were(tmp_path):
    _, whole, half = compared.write_results(tmp_path)
    made = bb.compare_results([whole, half], slices=("accusation",), resamples=200)
    loaded = round_trip(made, tmp_path / "kept")
    assert loaded.record.data.digest == json.loads((whole / "config.json").read_bytes())["data_digest"]
    assert loaded.table("latencies")["run"].unique(maintain_order=True).to_list() == ["whole", "half"]


def test_tables_give_back_what_they_were_made_from():
    outcome = invented.outcome(queries=50, shown=20, hits=3)
    paired = outcome.comparison.paired
    back = paired_of(outcome, paired.systems, paired.measures)
    assert (back.systems, back.measures, list(back.queries)) == (paired.systems, paired.measures, paired.queries)
    assert np.array_equal(back.values, paired.values)
    evidence = evidence_of(outcome)
    assert evidence == outcome.evidence
    queries = outcome.table("queries")
    assert queries["slice.court"].to_list() == [paired.columns["court"][query.number] for query in evidence]
    wanted = [(*pair, queries["query_id"][place]) for pair, places in outcome.moved.items() for place in places]
    assert outcome.table("moved").rows() == wanted
    assert {name: times.tolist() for name, times in latencies_of(outcome).items()} == {
        name: times.tolist() for name, times in outcome.latencies.items()
    }


@pytest.mark.parametrize("change", [lambda table: table.head(7), lambda table: table.with_columns(run=pl.lit("good"))])
def test_a_table_that_lacks_queries_of_a_system_is_refused(made, tmp_path, change):
    folder = made.save(tmp_path / "kept")
    table = change(pl.read_parquet(folder / "per_query.parquet"))
    table.write_parquet(folder / "per_query.parquet")
    with pytest.raises(InputError, match="per_query has not the same queries for every system"):
        paired_of(read_result(folder), ("good", "poor"), ("RR",))
