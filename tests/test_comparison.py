import json
import math
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import compared
import data_sets
import numpy as np
import orjson
import polars as pl
import pytest
import services
from golden_inputs import STORED

import benchbench as bb
from benchbench.comparison import conclusion
from benchbench.comparison.comparable import differences
from benchbench.comparison.compare_result import CompareOutcome
from benchbench.comparison.runs import Sources
from benchbench.errors import InputError
from benchbench.results.signature import parts_of
from benchbench.tables.collection import Collection
from benchbench.tasks.criteria import Criteria

QRELS = bb.Qrels.from_dict(compared.qrels())


def run(hits: dict[str, dict[str, float]], name: str = "run", ties: str = "trec") -> bb.Run:
    return bb.Run.from_dict(hits, name, ties)


RUNS = {"good": run(compared.GOOD), "poor": run(compared.POOR)}

# Runs


def test_runs_are_compared_by_their_scores_over_the_judged_queries():
    found = bb.compare(QRELS, RUNS, ["nDCG@10", "RR"], baseline="good")
    assert found.comparison.paired.systems == ("good", "poor")
    assert found.comparison.paired.queries == list(compared.QUERIES)
    for name, hits in (("good", compared.GOOD), ("poor", compared.POOR)):
        scores = bb.evaluate(QRELS, run(hits), ["nDCG@10", "RR"])
        for measure in ("nDCG@10", "RR"):
            assert found.comparison.paired.of(measure, name).tolist() == scores.values[measure].tolist()


def test_a_comparison_shows_as_a_frame_of_its_differences():
    found = bb.compare(QRELS, RUNS, ["RR"])
    (row,) = found.frame().rows(named=True)
    assert (row["measure"], row["baseline"], row["system"]) == ("RR", "good", "poor")
    assert row["difference"] == pytest.approx(row["system_mean"] - row["baseline_mean"])
    assert (row["wins"], row["ties"], row["losses"]) == (0, 1, 9)
    assert "<table" in found._repr_html_()


def test_a_comparison_is_told_by_its_first_differences():
    found = bb.compare(QRELS, RUNS, ["RR", "AP"])
    lines = repr(found).splitlines()
    assert lines[0] == "<compare 'good and poor', 10 queries, complete>"
    assert lines[1].startswith("  poor against good: Δ RR −0.6 (−0.666667 to ")
    assert lines[2].startswith("  poor against good: Δ AP −0.525 (")
    assert len(lines) <= 10


def test_bb_compare_is_the_function_though_a_room_has_that_name():
    from benchbench.significance import comparison_settings

    assert callable(bb.compare)
    assert comparison_settings.CompareSettings().alpha == 0.05


def test_a_query_that_a_run_lacks_counts_0_and_is_noted():
    some = {query: hits for query, hits in compared.GOOD.items() if query not in ("q1", "q2")}
    found = bb.compare(QRELS, {"all": run(compared.GOOD), "some": run({**some, "other": {"d": 1}})}, ["RR"])
    assert found.comparison.paired.of("RR", "some")[:4].tolist() == [1.0, 0.0, 0.0, 1.0]
    assert "some lacks 2 of 10 judged queries; they count as 0" in found.notes
    assert "queries that nobody judged are left out: 1 of some" in found.notes


def test_queries_without_a_relevant_document_can_be_skipped():
    judged = bb.Qrels.from_dict({**compared.qrels(), "q9": {"q9-bad": 0}})
    assert len(bb.compare(judged, RUNS, ["RR"], no_positives="skip").comparison.paired.queries) == 9
    assert len(bb.compare(judged, RUNS, ["RR"]).comparison.paired.queries) == 10


def test_the_number_of_relevant_documents_is_a_column():
    judged = bb.Qrels.from_dict({**compared.qrels(), "q0": {"x": 0}, "q9": {"q9-best": 1}})
    assert bb.compare(judged, RUNS, ["RR"]).comparison.paired.table["positives"].to_list() == [0, *[2] * 8, 1]
    strict = bb.compare(bb.Qrels.from_dict(compared.qrels()), RUNS, ["P(rel=2)@1"])
    assert strict.comparison.paired.table["positives"].to_list() == [1] * 10


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"measures": ["foo"]}, "there is no measure 'foo'"),
        ({"measures": ["microF1@10"]}, "microF1@10 cannot be compared: it is not a mean over queries"),
        ({"measures": ["RR", "NumRet"]}, "NumRet cannot be compared: more of it is not better"),
        ({"measures": ["NumQ"]}, "NumQ cannot be compared: more of it is not better"),
        ({"baseline": "best"}, "--baseline best is not compared; there are good, poor"),
        ({"slices": ("court",)}, "--slice court is no column of the queries; there are positives"),
        ({"alpha": 2.0}, "--alpha is a number"),
        ({"fail_if": ("Δ AP < 0",)}, "--fail-if Δ AP < 0: AP is not compared; -m AP adds it; compared are nDCG@10, RR"),
        ({"fail_if": ("Δ P < 0",)}, "--fail-if Δ P < 0: P is not compared"),
    ],
)
def test_what_cannot_be_compared_is_refused_with_a_reason(options, reason):
    given = {"measures": ["nDCG@10", "RR"], **options}
    with pytest.raises(InputError) as refused:
        bb.compare(QRELS, RUNS, **given)
    assert reason in str(refused.value)


@pytest.mark.parametrize(
    ("runs", "reason"),
    [
        ([run(compared.GOOD)], "runs are a mapping of names to runs, as {'bm25': run}, and not of type list"),
        ({"good": QRELS}, "the second argument is judgments; judgments come first, then the run"),
        ({"good": run(compared.GOOD), "poor": "poor.run"}, "make a run of it with Run.from_file('poor.run')"),
    ],
)
def test_what_are_no_runs_is_refused_with_what_makes_them(runs, reason):
    with pytest.raises(InputError, match=re.escape(reason)):
        bb.compare(QRELS, runs, ["RR"])


def test_dictionaries_are_compared_as_the_runs_made_of_them_are():
    given = {"good": compared.GOOD, "poor": compared.POOR}
    made = bb.compare(QRELS, {name: run(one) for name, one in given.items()}, ["RR"], resamples=100)
    assert bb.compare(compared.qrels(), given, ["RR"], resamples=100).frame().equals(made.frame())


def test_a_run_for_judgments_is_refused_with_the_order_of_both():
    with pytest.raises(InputError, match="judgments come first, then the run"):
        bb.compare(run(compared.GOOD), RUNS, ["RR"])


def test_one_measure_gate_and_slice_may_stand_alone():
    alone = bb.compare(QRELS, RUNS, "RR", fail_if="Δ RR < 0", slices="positives")
    several = bb.compare(QRELS, RUNS, ["RR"], fail_if=("Δ RR < 0",), slices=("positives",))
    assert alone.gates == several.gates != ()
    assert alone.comparison.slices == several.comparison.slices
    with pytest.raises(InputError, match=r"^a gate is a text such as .*, and not of type int$"):
        bb.compare(QRELS, RUNS, "RR", fail_if=(3,))  # type: ignore[arg-type]


@pytest.mark.parametrize("names", [(), ("only",)])
def test_one_run_is_no_comparison(names):
    with pytest.raises(InputError, match="compar"):
        bb.compare(QRELS, {name: run(compared.GOOD) for name in names}, ["RR"])


def test_a_run_without_a_judged_query_is_refused():
    with pytest.raises(InputError, match="no query that is judged"):
        bb.compare(QRELS, {"a": run(compared.GOOD), "b": run({"elsewhere": {"d": 1.0}})}, ["RR"])


def test_runs_with_other_rules_for_ties_are_refused_unless_that_is_allowed():
    runs = {"a": run(compared.GOOD), "b": run(compared.POOR, ties="input")}
    with pytest.raises(
        InputError, match=r"b and a are not comparable: another order of ties \(ties:input and ties:trec\)"
    ):
        bb.compare(QRELS, runs, ["RR"])
    found = bb.compare(QRELS, runs, ["RR"], allow_different=True)
    assert found.notes[0] == "b was scored otherwise than a: another order of ties (ties:input and ties:trec)"


def test_a_gate_may_leave_out_parameters_that_are_the_same_for_all():
    (verdict,) = bb.compare(QRELS, RUNS, ["P(rel=2)@1"], fail_if=("Δ P@1 < 0",)).gates
    assert verdict.failure is not None
    assert "Δ P(rel=2)@1 is -0.9, required at least 0" in verdict.failure


# Evidence of runs


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    return compared.write_files(tmp_path)


def scanned(files: tuple[Path, Path, Path], **options: object) -> CompareOutcome:
    judged, good, poor = files
    runs = {"good": bb.scan_run(good), "poor": bb.scan_run(poor)}
    return bb.compare(bb.Qrels.from_file(judged), runs, ["nDCG@10"], **options)  # type: ignore[arg-type]


def test_each_query_has_its_hits_and_what_was_relevant(files):
    found = scanned(files, sources=Sources(files[0]))
    assert [one.number for one in found.evidence] == list(range(10))
    one = found.evidence[4]
    assert [(hit.id, hit.rank, hit.grade, hit.relevant) for hit in one.hits["poor"]] == [
        ("q4-bad", 1, 0.0, False),
        ("q4-other", 2, None, False),
        ("q4-good", 3, 1.0, True),
        ("q4-best", 4, 2.0, True),
    ]
    assert [(document.id, document.grade) for document in one.relevant] == [("q4-best", 2.0), ("q4-good", 1.0)]


def test_without_the_file_of_judgments_what_was_found_is_shown(files):
    one = scanned(files).evidence[0]
    assert [(document.id, document.grade) for document in one.relevant] == [("q0-best", 2.0), ("q0-good", 1.0)]


def test_runs_in_memory_have_kept_no_ids_and_no_hits():
    found = bb.compare(QRELS, RUNS, ["RR"])
    assert [dict(one.hits) for one in found.evidence] == [{}] * 10


def test_queries_stand_by_how_much_they_moved(files):
    found = scanned(files)
    change = found.comparison.paired.of("nDCG@10", "poor") - found.comparison.paired.of("nDCG@10", "good")
    places = found.moved["good", "poor"]
    assert sorted(found.evidence[place].number for place in places) == [0, 1, 2, 4, 5, 6, 7, 8, 9]
    moves = [abs(change[found.evidence[place].number]) for place in places]
    assert moves == sorted(moves, reverse=True)


def test_of_many_queries_only_the_extremes_have_evidence(files, monkeypatch):
    monkeypatch.setattr(conclusion, "ALL", 6)
    monkeypatch.setattr(conclusion, "_AT_LEAST", 2)
    found = scanned(files)
    numbers = {one.number for one in found.evidence}
    assert len(found.moved["good", "poor"]) == 3
    assert 3 <= len(numbers) < 10
    paired = found.comparison.paired
    for measure in paired.measures:
        moves = paired.of(measure, "poor") - paired.of(measure, "good")
        greatest = np.flatnonzero(moves == moves.min())
        assert set(greatest.tolist()) & numbers, measure


def test_texts_and_columns_come_from_files(files, tmp_path: Path):
    queries = data_sets.write_lines(
        tmp_path / "queries.jsonl",
        [{"_id": q, "text": f"about {q}", "court": "A" if q < "q5" else "B"} for q in compared.QUERIES[1:]],
    )
    collection = data_sets.write_lines(tmp_path / "c.jsonl", [{"_id": "q1-best", "text": "the best"}])
    found = scanned(files, sources=Sources(files[0], queries, collection), slices=("court",))
    assert [one.text for one in found.evidence[:2]] == [None, "about q1"]
    assert found.evidence[1].hits["good"][0].text == "the best"
    assert {one.value for one in found.comparison.slices} <= {"A", "B", "(none)"}
    assert "--queries has no line for 1 of the 10 queries" in found.notes


def test_a_file_of_ids_alone_adds_no_column(files, tmp_path: Path):
    queries = data_sets.write_lines(tmp_path / "queries.jsonl", [{"_id": q} for q in compared.QUERIES])
    found = scanned(files, sources=Sources(files[0], queries))
    assert found.comparison.paired.table.columns == ["positives"]
    assert found.comparison.paired.table.height == 10


def test_a_file_of_other_queries_is_refused(files, tmp_path: Path):
    queries = data_sets.write_lines(tmp_path / "queries.jsonl", [{"_id": "elsewhere", "text": "x"}])
    with pytest.raises(InputError, match="--queries has none of the 10 queries; their ids differ"):
        scanned(files, sources=Sources(files[0], queries))


# Signatures


def test_what_was_run_counts_and_the_last_number_of_the_version_do_not_matter():
    a = parts_of("measures:RR|ties:trec|queries:judged 1|qrels:x|run:1|version:1.2.3")
    b = parts_of("measures:RR,P@5|ties:trec|queries:judged 2|qrels:x|run:2|version:1.2.4")
    assert differences({"a": a, "b": b}, False) == []


def test_rules_data_and_minor_versions_matter():
    for part in ("data", "qrels", "self", "gold", "recall", "positives", "ties", "failed", "missing", "version"):
        signatures = {"a": {part: "0.1"}, "b": {part: "0.2"}}
        with pytest.raises(InputError, match=f"{part}:0.2 and {part}:0.1"):
            differences(signatures, False)
        assert len(differences(signatures, True)) == 1


def test_a_task_of_one_name_and_two_rules_matters_and_other_tasks_do_not():
    a = {"tasks": "gold,brand=equal(meta.brand)"}
    rules = "brand=equal(meta.brand, other = [1, 2]),gold,price=within(meta.price, relative=0.2)"
    assert differences({"a": a, "b": {"tasks": "gold"}, "c": {}}, False) == []
    (note,) = differences({"a": a, "b": {"tasks": rules}}, True)
    assert note == (
        "b was scored otherwise than a: another rule for task brand (brand=equal(meta.brand, other = [1, 2]) and "
        "brand=equal(meta.brand))"
    )
    with pytest.raises(InputError, match="another rule for task gold"):
        differences({"a": a, "b": {"tasks": "gold=judgments(rel=2)"}}, False)


# Results folders


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    return compared.write_results(tmp_path_factory.mktemp("results"))


def refused(reason: str, folders: Sequence[Path] | str, *given: Any, **options: Any) -> None:
    with pytest.raises(InputError, match=reason):
        bb.compare_results(folders, *given, **options)


def asked(folder: Path, **options: object) -> Path:
    """Change options of a stored command."""
    config = orjson.loads((folder / "config.json").read_bytes())
    (folder / "config.json").write_bytes(orjson.dumps({**config, "options": {**config["options"], **options}}))
    return folder


def copied(folder: Path, to: Path, **changes: object) -> Path:
    """Copy a results folder as version 0.1 wrote it, with members of its summary changed."""
    shutil.copytree(folder, to, ignore=shutil.ignore_patterns("record.json"))
    summary = orjson.loads((to / "summary.json").read_bytes())
    (to / "summary.json").write_bytes(orjson.dumps({**summary, **changes}))
    return to


def test_folders_are_compared_by_their_values_a_query(folders):
    _, whole, half = folders
    found = bb.compare_results([whole, half])
    assert found.comparison.paired.systems == ("whole", "half")
    assert found.comparison.paired.measures == ("gold.nDCG@10", "gold.R@10", "gold.RR@10")
    for path, name in ((whole, "whole"), (half, "half")):
        column = pl.read_parquet(path / "per_query.parquet")["gold.nDCG@10"]
        assert found.comparison.paired.of("gold.nDCG@10", name).tolist() == column.to_list()


def test_a_measure_without_a_task_is_golds_and_all_are_all(folders):
    _, whole, half = folders
    assert bb.compare_results([whole, half], ["ndcg_cut_5", "accusation.P@3"]).comparison.paired.measures == (
        "gold.nDCG@5",
        "accusation.P@3",
    )
    assert len(bb.compare_results([whole, half], ["all"], evidence=False).comparison.paired.measures) == 72


def test_folders_of_other_measures_and_tasks_are_compared_by_those(folders, tmp_path: Path):
    data, *_ = folders
    collection = data_sets.collection(data)
    half = Collection(collection.ids[12:], collection.texts[12:], collection.meta[12:])
    asked = ("P@3", "NumRet", "RR", "microF1@10", "nDCG@5")
    several = {"whole": collection, "half": half}
    made = {}
    for tasks, measures in (
        (("article", "imprisonment"), asked),
        (("article",), ("NumRet", "Success@5", "P@3", "F1@2", "F1@3")),
    ):
        for name, documents in several.items():
            criteria = Criteria(tasks, measures=measures)
            with services.running(services.searching(documents)) as service:
                folder = compared.results(
                    tmp_path / f"{name}{len(tasks)}", data, service.url, name=name, criteria=criteria, repeat=2
                )
            made[len(tasks), name] = folder
    found = bb.compare_results([made[2, "whole"], made[2, "half"]])
    assert found.comparison.paired.measures == ("article.nDCG@5", "article.RR")
    assert found.evidence[0].relevant, "what some system found for this task"
    everything = bb.compare_results([made[2, "whole"], made[2, "half"]], "all", evidence=False)
    assert everything.comparison.paired.measures == tuple(
        f"{task}.{name}" for task in ("article", "imprisonment") for name in ("P@3", "RR", "nDCG@5")
    )
    named = bb.compare_results(list(made.values()), ["ARTICLE.precision_3"], names=list("abcd"))
    assert named.comparison.paired.measures == ("article.P@3",)
    default = bb.compare_results([made[1, "whole"], made[1, "half"]], evidence=False)
    assert default.comparison.paired.measures == ("article.Success@5", "article.P@3", "article.F1@2")
    with pytest.raises(InputError, match=r"^article\.NumRet cannot be compared: more of it is not better$"):
        bb.compare_results([made[1, "whole"], made[1, "half"]], ["num_ret"])
    with pytest.raises(InputError, match=r"P@3 is measured for several tasks; name one of article\.P@3, "):
        bb.compare_results([made[2, "whole"], made[2, "half"]], ["P@3"])


@pytest.mark.parametrize(
    ("measure", "reason"),
    [
        (
            "nDCG@7",
            "nDCG@7 is not measured in all results; did you mean nDCG@5 or nDCG@3? measured in all results are P, R, "
            "Success, F1, nDCG, RR at 3, 5, 10 of gold, ",
        ),
        ("microF1@10", "microF1@10 is not measured in all results"),
        ("foo@3", "foo@3 is not measured in all results; measured in all results are P, R, "),
        ("p99", "p99 is not measured in all results; measured in all results are P, R, "),
        ("P.5,10", "P.5,10 names 2 measures"),
    ],
)
def test_a_measure_that_has_no_values_is_refused(folders, measure, reason):
    refused(re.escape(reason), folders[1:], [measure])


def test_one_measure_of_folders_may_stand_alone_and_one_folder_may_not(folders):
    assert bb.compare_results(folders[1:], "RR@5", evidence=False).comparison.paired.measures == ("gold.RR@5",)
    refused(r"^folders are several results folders, as \['whole', …\], and not one$", "whole")


def test_hits_bear_ids_grades_and_texts(folders):
    found = bb.compare_results(folders[1:])
    one = found.evidence[0]
    table = {row["_id"]: row["text"] for row in data_sets.cases()}
    assert one.text == data_sets.lines()[0]["query"]["fact"]
    assert [document.id for document in one.relevant] == ["c3", "c6", "c9", "c12"]
    assert [document.grade for document in one.relevant] == [5.0, 4.0, 3.0, 2.0]
    for name, hits in one.hits.items():
        assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1)), name
        assert all(hit.text == table[hit.id] for hit in hits)
        assert {hit.id for hit in hits if hit.relevant} == {hit.id for hit in hits if hit.grade is not None}


def test_for_a_task_of_labels_relevant_is_what_some_system_found(folders):
    one = bb.compare_results(folders[1:], ["accusation.P@5"]).details().moved[0].queries[0]
    found = {hit.id for hits in one.hits.values() for hit in hits if hit.relevant}
    assert found == {document.id for document in one.relevant} != set()


def test_hits_are_marked_for_the_task_of_every_measure_whatever_their_order(folders):
    measures = ["gold.P@5", "accusation.P@5"]
    one, other = (bb.compare_results(folders[1:], order) for order in (measures, measures[::-1]))
    for first, second in zip(one.evidence, other.evidence, strict=True):
        assert first.tasks == second.tasks
        assert [document.id for document in first.relevant] == [document.id for document in second.relevant]
        for measure in measures:
            for system in one.comparison.paired.systems:
                found = sum(first.tasks[measure.partition(".")[0]][system][:5])
                assert one.comparison.paired.of(measure, system)[first.number] == pytest.approx(found / 5)


def test_slices_go_by_columns_of_the_data_set(folders):
    found = bb.compare_results(folders[1:], slices=("accusation",), evidence=False)
    assert {"accusation", "tier", "length", "positives"} < set(found.comparison.paired.table.columns)
    assert found.evidence == ()
    assert found.comparison.paired.table["positives"].to_list() == [4] * 11 + [0]


def test_speed_and_counts_are_those_of_the_run(folders):
    found = bb.compare_results(folders[1:], evidence=False)
    system = found.systems[0]
    summary = json.loads((folders[1] / "summary.json").read_bytes())
    assert system.source == str(folders[1])
    assert system.counts == summary["counts"]
    assert system.speed is not None
    assert (system.speed.batch_size, system.speed.concurrency) == (32, 8)
    assert system.speed.queries_per_second == summary["throughput"]["queries_per_second"]
    assert system.speed.latency_ms == {name: summary["latency_ms"][name] for name in ("p50", "p90", "p95", "p99")}
    assert len(found.latencies[system.name]) == summary["throughput"]["requests"]


def load_folder(path: Path, run: Path, *, whole: bool = True, **changes: object) -> Path:
    """Write what a load test of the service of a run leaves, with members of its summary changed."""
    measured = orjson.loads((run / "summary.json").read_bytes())
    values = {"queries_asked": 12.0 if whole else 11.0, "batch_size": 4.0, "queries_per_second": 9.0, "p50": 1.0}
    values |= {"p99": None, "failed_requests": 1.0, "requests": 4.0, "asked.gold.RR@3": 0.5, "answered.gold.RR@3": 0.6}
    step = {"name": "concurrency 1, batch 4", "values": values, "failures": {}}
    shutil.copytree(STORED / "load-whole", path)
    stored = orjson.loads((path / "summary.json").read_bytes())
    signature = measured["signature"].replace("|run:", "|was:")
    summary = {"url": measured["url"], "name": "load", "signature": signature, "steps": [step]}
    (path / "summary.json").write_bytes(orjson.dumps({**stored, **summary, **changes}))
    return path


@pytest.mark.parametrize("by", ["url", "name"])
def test_steps_of_load_belong_to_the_service_with_the_same_url_or_name(folders, tmp_path: Path, by):
    _, whole, half = folders
    changes = {} if by == "url" else {"url": "http://elsewhere", "name": "half"}
    load = load_folder(tmp_path / "load", half, **changes)
    found = bb.compare_results([load, whole, half], evidence=False)
    assert found.notes == (compared.FEW_HITS,)
    first, second = found.systems
    assert first.load == ()
    (step,) = second.load
    assert (step.label, step.batch_size, step.errors, step.p99) == ("concurrency 1, batch 4", 4, 0.25, None)
    assert step.quality == {"gold.RR@3": 0.5}


def test_of_several_runs_of_one_service_a_load_test_belongs_to_the_one_with_its_name(folders, tmp_path: Path):
    twin = copied(folders[1], tmp_path / "after", name="after")
    load = load_folder(tmp_path / "load", twin, name="after")
    first, second = bb.compare_results([folders[1], twin, load], evidence=False).systems
    assert (len(first.load), len(second.load)) == (0, 1)
    other = load_folder(tmp_path / "elsewhere", twin, name="elsewhere")
    refused(r"whole and after could each be its run; give one of them --run-name elsewhere", [folders[1], twin, other])
    named = bb.compare_results([folders[1], twin, other], names=("whole", "elsewhere"), evidence=False)
    assert [len(one.load) for one in named.systems] == [0, 1]


def test_a_name_decides_among_the_runs_of_the_service_and_not_beside_them(folders, tmp_path: Path):
    """The load is of the first two runs' service; the third has the load's name, and asked another service."""
    twin = copied(folders[1], tmp_path / "twin", name="twin")
    url = json.loads((twin / "summary.json").read_bytes())["url"]
    load = load_folder(tmp_path / "load", twin, name="half")
    with pytest.raises(InputError, match=f"is of {url}, and whole and twin could each be its run; .* --run-name half$"):
        bb.compare_results([folders[1], twin, folders[2], load])


def test_a_load_test_knows_its_run_by_the_name_that_it_was_measured_under(folders, tmp_path: Path):
    load = load_folder(tmp_path / "load", folders[1], url="http://elsewhere", name="half")
    found = bb.compare_results([*folders[1:], load], names=("before", "after"), evidence=False)
    assert [len(one.load) for one in found.systems] == [0, 1]
    given = bb.compare_results([*folders[1:], load], names=("half", "after"), evidence=False)
    assert [len(one.load) for one in given.systems] == [1, 0], "what it is called here comes first"
    url = json.loads((folders[1] / "summary.json").read_bytes())["url"]
    twins = [copied(folders[1], tmp_path / name, name="half") for name in ("one", "other")]
    load = load_folder(tmp_path / "again", folders[1], name="half")
    refused(
        f"{url}, and b and c could each be its run; give one of them --run-name half$",
        [folders[1], *twins, load],
        names=("a", "b", "c"),
    )


def test_two_load_tests_of_one_service_are_both_its_steps(folders, tmp_path: Path):
    loads = [load_folder(tmp_path / name, folders[2]) for name in ("one", "two")]
    assert [len(one.load) for one in bb.compare_results([*folders[1:], *loads], evidence=False).systems] == [0, 2]


def test_another_number_of_hits_asked_for_is_noted(folders, tmp_path: Path):
    other = asked(copied(folders[1], tmp_path / "other", name="other"), top_k=21)
    said = "hits asked for per query: whole 20, other 21"
    assert said in bb.compare_results([folders[1], other], evidence=False).notes
    assert not any("hits asked for" in note for note in bb.compare_results(folders[1:], evidence=False).notes)


def test_a_folder_without_its_judgments_says_so(folders, tmp_path: Path):
    bare = copied(folders[1], tmp_path / "bare", name="bare")
    (bare / "qrels.trec").unlink()
    said = f"{bare} has no qrels.trec, so relevant documents are not shown, and positives count as 0"
    assert said in bb.compare_results([bare, folders[2]]).notes
    assert said not in bb.compare_results(folders[1:]).notes


def test_a_load_test_of_another_service_is_refused(folders, tmp_path: Path):
    load = load_folder(tmp_path / "other", folders[1], url="http://elsewhere")
    refused("is of http://elsewhere, and none of the runs is: whole http", [*folders[1:], load])


def signature_of(run: Path, **changes: str) -> str:
    """Return the signature of a run with parts changed."""
    parts = parts_of(orjson.loads((run / "summary.json").read_bytes())["signature"])
    return "|".join(f"{name}:{value}" for name, value in {**parts, **changes}.items())


UNLIKE = [
    ({"data": "x"}, r"other data \(data:\w+ and data:\w+\)"),
    ({"self": "id"}, r"another rule for self-retrievals \(self:\w+ and self:\w+\)"),
    ({"gold": "id"}, r"another rule for positives \(gold:\w+ and gold:\w+\)"),
    ({"positives": "3"}, r"another number of positives \(positives:\d+ and positives:\d+\)"),
    ({"recall": "full"}, r"another denominator of recall \(recall:\w+ and recall:\w+\)"),
]


@pytest.mark.parametrize(("change", "reason"), UNLIKE)
def test_a_load_test_over_other_data_or_by_other_rules_is_refused(folders, tmp_path: Path, change, reason):
    _, whole, half = folders
    load = load_folder(tmp_path / "load", whole, signature=signature_of(whole, **change))
    refused(rf"^the scores of {load} and whole are not comparable: {reason}; make them", [whole, half, load])
    found = bb.compare_results([whole, half, load], allow_different=True, evidence=False)
    (step,) = found.systems[0].load
    assert (step.queries_per_second, step.quality) == (9.0, {})
    assert found.notes[0].startswith(f"{load} was scored otherwise than whole: ")
    assert found.notes[0].endswith("; only the speed of that load test is shown")


@pytest.mark.parametrize(("change", "reason"), UNLIKE)
def test_load_tests_that_differ_are_refused_and_so_are_a_run_and_a_run(folders, tmp_path: Path, change, reason):
    _, whole, half = folders
    alike = load_folder(tmp_path / "alike", whole)
    other = load_folder(tmp_path / "other", whole, signature=signature_of(whole, **change))
    refused(rf"^the scores of {other} and {alike} are not comparable: {reason}", [alike, other])
    refused(rf"^the scores of {other} and whole are not comparable: {reason}", [whole, half, alike, other])
    run = copied(whole, tmp_path / "run", name="run", signature=signature_of(whole, **change))
    refused(rf"^the scores of run and whole are not comparable: {reason}", [whole, run])
    refused("needs the results of two runs or more; folders of load add to those", [alike, whole])


def test_a_load_test_without_a_signature_is_refused_or_shown_without_its_quality(folders, tmp_path: Path):
    _, whole, half = folders
    load = load_folder(tmp_path / "load", whole)
    summary = orjson.loads((load / "summary.json").read_bytes())
    for name in ("signature", "name"):
        del summary[name]
    (load / "summary.json").write_bytes(orjson.dumps(summary))
    refused(rf"^{load} has no signature, because an older .* repeat the load test", [whole, half, load])
    found = bb.compare_results([whole, half, load], allow_different=True, evidence=False)
    assert found.systems[0].load[0].quality == {}
    assert f"{load} has no signature; only the speed of that load test is shown" in found.notes


def test_the_quality_of_a_step_that_did_not_ask_every_query_is_not_put_beside_that_of_a_run(folders, tmp_path: Path):
    _, whole, half = folders
    load = load_folder(tmp_path / "load", whole, whole=False)
    found = bb.compare_results([whole, half, load], evidence=False)
    assert found.systems[0].load[0].quality == {}
    assert f"1 of 1 steps of {load} did not ask every query; only their speed is shown" in found.notes


def test_a_load_test_that_asked_for_other_numbers_of_hits_is_noted(folders, tmp_path: Path):
    _, whole, half = folders
    load = asked(load_folder(tmp_path / "load", whole), top_k=50)
    found = bb.compare_results([whole, half, load], evidence=False)
    assert found.notes == (compared.FEW_HITS, f"hits asked for per query: whole 20, half 20, {load} 50")


def test_targets_of_one_folder_are_compared(folders, tmp_path: Path):
    for name, folder in zip(("a", "b"), folders[1:], strict=True):
        copied(folder, tmp_path / "both" / name, name=name)
    summaries = {name: orjson.loads((tmp_path / "both" / name / "summary.json").read_bytes()) for name in ("a", "b")}
    (tmp_path / "both" / "summary.json").write_bytes(orjson.dumps({"targets": summaries}))
    assert bb.compare_results([tmp_path / "both"], evidence=False).comparison.paired.systems == ("a", "b")


def test_failed_queries_count_as_0_and_are_noted(folders, tmp_path: Path):
    data, whole, _ = folders
    answers = services.searching(data_sets.collection(data))
    with services.running(services.status(400), answers) as service:
        bad = compared.results(tmp_path / "bad", data, service.url, name="bad", batch_size=4, concurrency=1)
    found = bb.compare_results([whole, bad])
    assert found.comparison.paired.of("gold.nDCG@10", "bad")[:4].tolist() == [0.0] * 4
    assert "4 of 12 queries failed for bad; they count as 0" in found.notes


def test_the_same_run_twice_is_noted(folders, tmp_path: Path):
    twin = copied(folders[1], tmp_path / "twin", name="twin")
    found = bb.compare_results([folders[1], twin], evidence=False)
    assert "twin and whole returned the same hits in the same order" in found.notes


def test_runs_whose_signatures_do_not_say_what_was_run_are_not_called_the_same(folders, tmp_path: Path):
    both = [copied(folders[1], tmp_path / name, name=name) for name in ("a", "b")]
    for folder in both:
        for path in [one for one in folder.glob("*.json") if b"|run:" in one.read_bytes()]:
            path.write_text(re.sub(r"\|run:[^|\"]*", "", path.read_text(encoding="utf-8")), encoding="utf-8")
    assert not any("same hits" in note for note in bb.compare_results(both, evidence=False).notes)


def test_queries_that_the_runs_keep_together_stay_so(folders, tmp_path: Path):
    both = [copied(folder, tmp_path / folder.name, cluster="accusation", clusters=3) for folder in folders[1:]]
    found = bb.compare_results(both, evidence=False)
    assert found.comparison.settings.cluster == "accusation"
    assert "the runs keep queries with the same accusation together, and so does this comparison" in found.notes
    for cluster, taken in (("tier", "tier"), ("none", None)):
        assert bb.compare_results(both, evidence=False, cluster=cluster).comparison.settings.cluster == taken
    ranked = bb.compare_results(both, evidence=False, test="wilcoxon")
    assert ranked.comparison.settings.cluster is None
    assert any("the wilcoxon test has no such form, so each query stands by itself here" in one for one in ranked.notes)
    apart = bb.compare_results([both[0], folders[2]], evidence=False)
    assert apart.comparison.settings.cluster is None
    named = [" by ".join(one) for one in zip(apart.comparison.paired.systems, ("accusation", "none"), strict=True)]
    assert any(f"not keep the same queries together: {', '.join(named)}; each" in one for one in apart.notes)


def test_names_in_folders_are_made_printable(folders, tmp_path: Path):
    odd = copied(folders[1], tmp_path / "odd", name="\x1b[31mred\nline")
    found = bb.compare_results([folders[1], odd], baseline="whole", evidence=False)
    assert found.comparison.paired.systems == ("whole", "\ufffd[31mred line")


def test_names_are_those_of_runs_or_else_of_folders_or_given(folders, tmp_path: Path):
    other = copied(folders[1], tmp_path / "later")
    assert bb.compare_results([folders[1], other], evidence=False).comparison.paired.systems == ("whole", "later")
    named = bb.compare_results([folders[1], other], names=("a", "b"), evidence=False)
    assert named.comparison.paired.systems == ("a", "b")
    refused(r"two runs are called \S*/whole; give each a --run-name", [folders[1], folders[1]])
    again = copied(folders[1], tmp_path / "elsewhere" / "whole")
    assert bb.compare_results([folders[1], again], evidence=False).comparison.paired.systems == (
        str(folders[1]),
        str(again),
    )
    refused("2 runs need 2 names, and --run-name has 1; give one name per run", [folders[1], other], names=("a",))


def test_a_baseline_may_be_named_by_its_folder(folders):
    found = bb.compare_results(folders[1:], baseline=f"{folders[2]}/", evidence=False)
    assert found.comparison.settings.baseline == "half"


def test_other_rules_and_data_are_refused_unless_allowed(folders, tmp_path: Path):
    signature = signature_of(folders[1], self="id")
    other = copied(folders[1], tmp_path / "other", name="other", signature=signature)
    refused(r"another rule for self-retrievals \(self:id and self:text\)", [folders[1], other])
    assert "was scored otherwise" in bb.compare_results([folders[1], other], allow_different=True).notes[0]


def test_other_queries_are_refused_with_numbers_unless_allowed(folders, tmp_path: Path):
    other = copied(folders[1], tmp_path / "other", name="other")
    rows = pl.read_parquet(other / "per_query.parquet")
    rows[3:].reverse().write_parquet(other / "per_query.parquet")
    refused("whole has 12 queries, other 9, and 9 are in both; --allow-different compares", [folders[1], other])
    found = bb.compare_results([folders[1], other], allow_different=True)
    assert found.comparison.paired.queries == rows["query_id"].to_list()[3:]
    assert not np.ptp(found.comparison.paired.values, axis=1).any()
    rows.with_columns(pl.col("query_id") + "x").write_parquet(other / "per_query.parquet")
    refused("no query in common", [folders[1], other], allow_different=True)


def test_a_query_twice_and_a_value_that_is_no_number_are_refused(folders, tmp_path: Path):
    other = copied(folders[1], tmp_path / "other", name="other")
    rows = pl.read_parquet(other / "per_query.parquet")
    pl.concat([rows, rows[:1]]).write_parquet(other / "per_query.parquet")
    refused("other has a query twice", [folders[1], other])
    rows.with_columns(pl.lit(math.nan).alias("gold.RR@10")).write_parquet(other / "per_query.parquet")
    refused("other has a value that is not a number", [folders[1], other])


@pytest.mark.parametrize("change", [Path.unlink, lambda path: path.write_bytes(path.read_bytes() + b"\n")])
def test_a_data_set_that_is_gone_or_has_changed_is_noted_and_refused_for_slices(folders, tmp_path: Path, change):
    queries = shutil.copytree(folders[0], tmp_path / "data") / "tiered.jsonl"
    paths = [asked(copied(folder, tmp_path / folder.name), dataset=str(queries)) for folder in folders[1:]]
    change(queries)
    found = bb.compare_results(paths)
    assert found.evidence[0].text is None
    assert any("with --queries" in note for note in found.notes)
    refused(r"--slice tier is no column .* there are positives \(the data set ", paths, slices=("tier",))
    kept = bb.compare_results(paths, slices=("tier",), sources=Sources(None, folders[0] / "tiered.jsonl"))
    assert kept.evidence[0].text == data_sets.lines()[0]["query"]["fact"]
