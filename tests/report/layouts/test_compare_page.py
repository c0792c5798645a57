import json
import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise

import compared
import invented_comparison as invented
import numpy as np
import polars as pl
import pytest
from cases import first_of
from page_text import Page

import benchbench as bb
from benchbench.comparison.compare_result import CompareOutcome
from benchbench.comparison.headline import dominated, headline, keeps_up
from benchbench.comparison.runs import Sources
from benchbench.report.assets import asset
from benchbench.report.draw import draw
from benchbench.report.layouts import compare_queries
from benchbench.report.layouts.compare_charts import charts
from benchbench.report.layouts.compare_matrix import matrices, readings
from benchbench.report.page_blocks import Dot, Panel, Panels, Views
from benchbench.results.reading import read_result
from benchbench.significance.comparison_settings import CompareSettings


class ComparisonPage(Page):
    """A page with what its script reads."""

    @property
    def text(self) -> str:
        return "".join(text for tag, text in zip(self.tags, self.texts, strict=True) if tag not in ("script", "style"))

    @property
    def data(self) -> dict:
        return json.loads(self.of("script")[0])

    @property
    def queries(self) -> dict:
        return compared.queries_of(f'id="packed">{self.of("script")[1]}<')

    @property
    def sections(self) -> list[str | None]:
        return [
            one["id"] for tag, one in zip(self.tags, self.elements, strict=True) if tag == "section" and "id" in one
        ]


def panels_of(outcome: CompareOutcome) -> dict[str, list[Panel]]:
    """Return the charts by their names; of scores by cut-off one per view."""
    details = outcome.details()
    found: dict[str, list[Panel]] = {}
    for block in charts(details, details, outcome.latencies):
        if isinstance(block, Panels):
            found |= {panel.name: [panel] for panel in block.panels}
        elif isinstance(block, Views):
            found["cutoffs"] = [pair.left[0].panels[0] for _, (pair,) in block.options]
    return found


@pytest.fixture(scope="module")
def source() -> str:
    return draw(invented.outcome(), "html")


@pytest.fixture(scope="module")
def shown(source: str) -> ComparisonPage:
    return ComparisonPage(source)


def test_every_section_is_there_in_order_and_reached_from_the_top(shown: ComparisonPage):
    named = ["verdict", "differences", "speed", "cutoffs", "slices", "queries", "numbers", "reproduce"]
    assert [one for one in shown.sections if one in named] == named
    links = {one["href"] for one in shown.elements if "href" in one}
    assert {f"#{name}" for name in (*named, "main")} <= links


def test_headings_go_down_one_step_at_a_time(shown: ComparisonPage):
    levels = [int(tag[1]) for tag in shown.tags if re.fullmatch("h[1-6]", tag)]
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_every_id_stands_once(shown: ComparisonPage):
    ids = [one["id"] for one in shown.elements if "id" in one]
    assert len(ids) == len(set(ids))
    pointed = [one[key] for one in shown.elements for key in ("aria-labelledby", "aria-describedby") if key in one]
    assert set(pointed) <= set(ids)


def test_every_table_stands_in_a_named_region_and_every_head_has_a_scope(shown: ComparisonPage):
    regions = [one for one in shown.elements if one.get("class") == "scroll"]
    assert all(one["role"] == "region" and one["aria-label"] for one in regions)
    heads = [one for tag, one in zip(shown.tags, shown.elements, strict=True) if tag == "th"]
    assert heads
    assert all(one.get("scope") in {"col", "row", "rowgroup"} for one in heads)


def test_a_page_of_a_thousand_queries_and_three_systems_is_under_a_megabyte(source: str):
    assert len(source.encode()) < 1_000_000


def test_the_headline_counts_over_all_measures_and_pairs(shown: ComparisonPage):
    said = headline(invented.outcome().details(), 3)
    (_, first), *others = said.sentences
    assert shown.of("h1") == [first]
    plain, typed = ([one for one in said.advice if ("`" in one) is has] for has in (False, True))
    assert " ".join([*(sentence for _, sentence in others), *plain]) in shown.text
    assert all(part in shown.text for sentence in typed for part in sentence.split("`"))


@pytest.mark.parametrize("order", first_of([5, 3, 1, 0, 2, 4], [0, 1, 2, 3, 4, 5]))
def test_headline_and_queries_are_the_same_whatever_the_order_of_measures(monkeypatch, order):
    monkeypatch.setattr(compare_queries, "_MOST_OPENED", 40)
    outcome = invented.outcome(queries=100)
    paired = outcome.comparison.paired
    measures = tuple(paired.measures[place] for place in order)
    of = {one: [each for each in outcome.comparison.differences if each.measure == one] for one in measures}
    moved = replace(
        outcome.comparison,
        paired=replace(paired, measures=measures, values=paired.values[order]),
        differences=tuple(each for one in measures for each in of[one]),
    )
    first, second = (ComparisonPage(draw(one, "html")) for one in (outcome, replace(outcome, comparison=moved)))
    assert re.search("<h1>.*</h1>", draw(outcome, "html")).group() in draw(replace(outcome, comparison=moved), "html")
    assert first.queries["opened"].keys() == second.queries["opened"].keys()
    assert len(first.queries["opened"]) == 40


def test_scales_hold_all_intervals_with_room_on_both_sides_of_0_and_alike_ones_are_one():
    details = invented.outcome().details()
    for matrix in matrices(details):
        assert matrix.speeds == ["p50", "queries/s"], "32 requests have too few above p90"
        assert all(0.333 < (head.zero - 4) / 92 < 0.667 for head in matrix.heads)
        assert len({head[2:] for head in matrix.heads}) in (1, len(details.measures))
        for row in matrix.rows:
            for cell in row.cells:
                assert 0 <= cell.drawn.low <= cell.drawn.mean <= cell.drawn.high <= 100
        for place in range(len(details.measures)):
            ends = [end for row in matrix.rows for end in (row.cells[place].drawn.low, row.cells[place].drawn.high)]
            zeros = {row.cells[place].drawn.zero for row in matrix.rows}
            assert len(zeros) == 1
            assert zeros == {matrix.heads[place].zero}
            assert 4 <= min(*ends, *zeros) < max(*ends, *zeros) <= 96


def test_a_cell_against_the_other_system_says_the_opposite():
    details = invented.outcome().details()
    one = {matrix.baseline: matrix for matrix in matrices(details)}
    there = next(row for row in one["bm25"].rows if row.system == "bm25-title").cells
    back = next(row for row in one["bm25-title"].rows if row.system == "bm25").cells
    opposite = {"▲": "▼", "▼": "▲", "○": "○"}
    assert [opposite[cell.symbol] for cell in there] == [cell.symbol for cell in back]
    assert {"▲"} <= {cell.symbol for cell in there}
    says = readings(details, both=True)
    tones = {"up": "down", "down": "up", "open": "open"}
    for cell in there:
        tone, told, _ = says[f"{cell.measure}.{cell.pair}"]
        reversed_tone, reversed_told, _ = says[f"{cell.measure}.{cell.pair}.r"]
        assert reversed_tone == tones[tone]
        assert told.startswith("bm25-title ")
        assert reversed_told.startswith("bm25 ")


def test_what_is_not_shown_is_never_called_the_same(shown: ComparisonPage):
    found = [says for says in shown.data["readings"].values() if says[0] == "open"]
    assert found
    for _, told, rest in found:
        assert " do not differ measurably in " in told
        assert re.search(r"\(95 % interval [+−]\d\.\d{3} to [+−]\d\.\d{3}; p = ", rest)
        assert ", an uncorrected t-test has 80 % power for a true difference of " in rest


def test_gates_notes_signatures_and_settings_are_shown(shown: ComparisonPage):
    outcome = invented.outcome()
    for text in (
        *outcome.notes,
        *outcome.comparison.notes,
        *(system.signature for system in outcome.systems),
        *(system.source for system in outcome.systems),
        outcome.comparison.family,
        "p99 of dense <b>v2</b> is 85.2 ms, more than 60 ms",
        "paired t test",
        "Resamples1,000",
    ):
        assert text in shown.text


def test_texts_from_outside_open_no_element(source: str, shown: ComparisonPage):
    assert "img" not in shown.tags
    assert shown.tags.count("script") == 3
    assert invented.EVIL in {one["t"] for one in shown.queries["opened"].values()}
    assert "<script>window" not in source
    assert "<b>v2" not in source


def test_a_script_of_ours_cannot_end_its_element():
    assert not re.search(r"</script|<!--|<script", asset("page.js"), flags=re.IGNORECASE)


def test_only_the_scripts_of_the_page_may_run_and_nothing_may_be_fetched(shown: ComparisonPage):
    policy = next(one["content"] for one in shown.elements if one.get("http-equiv"))
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-")
    for script in shown.of("script")[2:]:
        assert f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" in policy
    assert policy.count("sha256-") == 1
    assert not {"src", "onclick", "onload"} & {name for one in shown.elements for name in one}
    assert all(one["href"][0] == "#" or one["href"] == "data:," for one in shown.elements if "href" in one)
    assert "url(" not in asset("page.css")


def test_sections_without_numbers_are_left_out():
    bare = ComparisonPage(
        draw(invented.outcome(queries=30, speed=False, load=False, slices=False, texts=False), "html")
    )
    assert not {"speed", "slices"} & set(bare.sections)
    assert {one["t"] for one in bare.queries["opened"].values()} == {""}
    assert "Texts are missing. To add them:" in bare.text


@pytest.mark.parametrize("queries", first_of(1_000, 10_000))
def test_every_query_is_there_with_its_values_and_those_that_moved_most_with_texts_and_hits(queries: int):
    outcome = invented.outcome(queries=queries, shown=200)
    source = draw(outcome, "html")
    shown = ComparisonPage(source)
    paired = outcome.comparison.paired
    assert len(source.encode()) < 5_000_000
    assert shown.queries["ids"] == list(paired.queries)
    assert np.array(shown.queries["values"]) == pytest.approx(paired.values * 1e5, abs=0.5)
    assert len(shown.queries["opened"]) == 200
    assert "texts and hits of the 200 queries that moved most in any measure, and values of all others." in shown.text
    assert sum(len(places) for places in shown.queries["slices"]["court"].values()) == queries


@pytest.mark.slow  # 60,000 queries
def test_of_more_queries_than_fit_those_that_moved_most_are_there_and_that_is_said():
    outcome = invented.outcome(queries=60_000, shown=20)
    source = draw(outcome, "html")
    shown = ComparisonPage(source)
    assert len(source.encode()) < 5_000_000
    kept = len(shown.queries["ids"])
    assert 20_000 < kept < 60_000
    assert f"Of 60,000 queries, the {kept:,} that moved most in any measure are here" in shown.text
    paired = outcome.comparison.paired
    greatest = paired.queries[int(np.abs(paired.difference(3, 0, 2)).argmax())]
    assert greatest in shown.queries["ids"]


def test_texts_are_whole_and_make_room_for_one_another(monkeypatch):
    outcome = invented.outcome(queries=40)
    long = tuple(replace(one, text="x" * 5_000 + str(one.number)) for one in outcome.evidence)
    outcome = replace(outcome, evidence=long)
    whole = ComparisonPage(draw(outcome, "html")).queries["opened"]
    assert len(whole) == 40
    assert all(len(one["t"]) > 5_000 for one in whole.values())
    monkeypatch.setattr(compare_queries, "_TEXTS", 60_000)
    shown = ComparisonPage(draw(outcome, "html"))
    assert len(shown.queries["opened"]) == 11
    assert "texts and hits of the 11 queries that moved most" in shown.text


def test_a_query_holds_what_each_system_returned():
    outcome = invented.outcome(queries=40, hits=14)
    shown = ComparisonPage(draw(outcome, "html"))
    queries = shown.queries
    first = outcome.evidence[0]
    entry = queries["opened"][str(first.number)]
    for number, system in enumerate(invented.NAMES):
        places, bits, scores, ranks, grades, count = entry["h"][number]
        hits = first.hits[system][:10]
        assert count == 14
        assert [queries["documents"][place] for place in places] == [hit.id for hit in hits]
        assert bits == [int(hit.grade is not None and hit.grade >= 1) for hit in hits]
        assert ranks == [hit.rank for hit in hits]
        assert grades == [hit.grade for hit in hits]
        assert scores == pytest.approx([hit.score for hit in hits])
    assert [queries["documents"][row[0]] for row in entry["r"]] == [one.id for one in first.relevant]


def test_marks_are_those_of_the_task_of_each_measure(tmp_path):
    _, whole, half = compared.write_results(tmp_path)
    made = bb.compare_results([whole, half], ["gold.P@5", "accusation.P@5", "gold.nDCG@5"], resamples=200)
    for result in (made, read_result(made.save(tmp_path / "kept"))):
        shown = ComparisonPage(draw(result, "html"))
        data, queries = shown.data, shown.queries
        assert data["marks"] == ["gold", "accusation"]
        assert data["mark_of"] == [0, 1, 0]
        for place, entry in queries["opened"].items():
            for measure in (0, 1):
                for system in (0, 1):
                    found = sum(bits >> data["mark_of"][measure] & 1 for bits in entry["h"][system][1][:5])
                    assert queries["values"][measure][system][int(place)] == round(found / 5 * 100_000)


def test_grades_decide_for_each_measure_which_hits_are_marked(tmp_path):
    judged, good, poor = compared.write_files(tmp_path)
    runs = {"good": bb.scan_run(good), "poor": bb.scan_run(poor)}
    made = bb.compare(
        bb.Qrels.from_file(judged), runs, ["nDCG@10", "P(rel=2)@5"], resamples=200, sources=Sources(judged)
    )
    shown = ComparisonPage(draw(made, "html"))
    assert shown.data["marks"] == ["grade 1", "grade 2"]
    for place, entry in shown.queries["opened"].items():
        for system in (0, 1):
            found = sum(bits >> 1 & 1 for bits in entry["h"][system][1][:5])
            assert shown.queries["values"][1][system][int(place)] == round(found / 5 * 100_000)


def test_of_a_result_from_before_there_were_marks_those_of_its_first_task_are_shown(tmp_path):
    _, whole, half = compared.write_results(tmp_path)
    made = bb.compare_results([whole, half], ["gold.P@5", "accusation.P@5"], resamples=200)
    folder = made.save(tmp_path / "kept")
    hits = pl.read_parquet(folder / "hits.parquet")
    hits.select([name for name in hits.columns if "." not in name]).write_parquet(folder / "hits.parquet")
    queries = pl.read_parquet(folder / "queries.parquet")
    queries.drop("labels").write_parquet(folder / "queries.parquet")
    shown = ComparisonPage(draw(read_result(folder), "html"))
    assert (shown.data["marks"], shown.data["mark_of"]) == (["gold"], [0, None])
    assert shown.queries["slices"] == {}


def test_load_steps_without_a_request_that_succeeded_and_runs_of_no_speed_are_not_drawn():
    outcome = invented.outcome(queries=30)
    first, *others = outcome.systems
    assert first.speed is not None
    nothing = replace(first.load[-1], queries_per_second=0.0, p50=None, p99=None, errors=1.0)
    silent = replace(first, speed=replace(first.speed, queries_per_second=0.0, latency_ms={}), load=(nothing,))
    latencies = {**outcome.latencies, first.name: np.empty(0)}
    panels = panels_of(replace(outcome, systems=(silent, *others), latencies=latencies))
    for name in ("requests", "load-p50", "load-p99", "front"):
        drawn = {one.series for one in panels[name][0].plots[0].marks if getattr(one, "points", True)}
        assert 0 not in drawn
        assert 1 in drawn
    shown = ComparisonPage(draw(replace(outcome, systems=(silent, *others), latencies=latencies), "html"))
    assert "100 %" in shown.text


@pytest.mark.parametrize("means", [(0.25, 0.25), (0.0, 0.0), (0.25, 0.2500001)])
def test_quality_that_is_the_same_is_drawn_on_a_scale_of_some_width(means: tuple[float, float]):
    outcome = invented.outcome(queries=30, names=("a", "b"), load=False)
    mean_of = dict(zip("ab", means, strict=True))
    alike = tuple(replace(one, mean=mean_of[one.system], low=None, high=None) for one in outcome.comparison.estimates)
    made = replace(outcome, comparison=replace(outcome.comparison, estimates=alike))
    axis = panels_of(made)["front"][0].plots[0].x
    assert axis.low <= min(means) <= max(means) < axis.high
    assert len({text for _, text in axis.ticks}) == len(axis.ticks) >= 3


def test_only_a_system_that_is_measurably_worse_and_slower_is_hollow():
    outcome = invented.outcome()
    faster = tuple(replace(speed, ratio=2.0, low=1.9, high=2.1) for speed in outcome.speeds)
    outcome = replace(outcome, speeds=faster)
    (panel,) = panels_of(outcome)["front"]
    filled = {mark.text: mark.full for mark in panel.plots[1].marks if isinstance(mark, Dot) and not mark.small}
    behind = dominated(outcome.details(), "nDCG@10")
    assert behind
    assert filled == {name: name not in behind for name in invented.NAMES}
    assert "Hollow: measurably worse and slower" in panel.subtitle
    equal = replace(outcome, speeds=tuple(replace(speed, low=0.9) for speed in faster))
    assert "Hollow" not in panels_of(equal)["front"][0].subtitle


def test_speeds_between_two_round_numbers_have_ticks():
    outcome = invented.outcome(queries=30, names=("a", "b"), load=False)
    rates = {"a": 281.0, "b": 356.0}
    systems = [replace(one, speed=replace(one.speed, queries_per_second=rates[one.name])) for one in outcome.systems]
    plot = panels_of(replace(outcome, systems=tuple(systems)))["front"][0].plots[0]
    assert [mark.y for mark in plot.marks[1:]] == [281.0, 356.0]
    assert len(plot.y.ticks) >= 2


def test_each_chart_says_in_words_what_its_numbers_say():
    outcome = invented.outcome()
    said = {name: views[min(1, len(views) - 1)].subtitle for name, views in panels_of(outcome).items()}
    means = {name: outcome.details().estimate("nDCG@100", name).mean for name in invented.NAMES}
    first = panels_of(outcome)["cutoffs"][0].subtitle
    assert first.startswith("dense <b>v2</b> leads at every cut-off; at 100 it is ")
    assert f"{means['dense <b>v2</b>']:.3f} (dense <b>v2</b>) against {means['bm25-title']:.3f}" in first
    latencies = outcome.latencies["bm25"]
    half = latencies[len(latencies) // 2 - 1]
    assert said["requests"].startswith(f"Median request (32 queries): bm25 {half:#.3g} ms, ")


def test_where_speed_was_not_compared_nothing_compares_it():
    outcome = invented.outcome(queries=30, load=False)
    unlike = tuple(replace(speed, ratio=None, low=None, high=None, why="A sent more") for speed in outcome.speeds)
    shown = ComparisonPage(draw(replace(outcome, speeds=unlike), "html"))
    assert "Speed was not compared: A sent more." in shown.text
    assert "speed" not in shown.sections
    visible = shown.text.partition("Reproduce")[0]
    assert not re.search(r"queries/s|p50|p99(?! of dense)(?!>)", visible)
    assert "queries/s" not in draw(replace(outcome, speeds=unlike), "text")


def test_load_tests_are_drawn_by_the_rate_that_was_offered_and_name_what_each_keeps_up_with():
    outcome = invented.outcome(queries=30, names=("a", "b"))
    a, b = outcome.systems
    rates = zip(a.load, (100.0, 250.0, 400.0), strict=False)
    steps = [replace(step, offered=rate, sustained=rate < 300) for step, rate in rates]
    others = [replace(step, sustained=True) for step in steps]
    unlike = tuple(replace(speed, why="few") for speed in outcome.speeds)
    made = replace(outcome, systems=(replace(a, load=tuple(steps)), replace(b, load=tuple(others))), speeds=unlike)
    sentence = "a keeps up with 250 queries/s but not with 400; b keeps up with 400 queries/s, the highest rate tried."
    assert headline(made.details()).advice[-1] == sentence
    none = {"a": [replace(step, sustained=False) for step in steps], "b": others}
    assert keeps_up(none) == (
        "a does not keep up even with 100 queries/s; b keeps up with 400 queries/s, the highest rate tried."
    )
    panels = panels_of(made)
    assert "front" not in panels
    dots = [mark for mark in panels["load-p99"][0].plots[0].marks if isinstance(mark, Dot)]
    assert [(dot.x, dot.full) for dot in dots[:3]] == [(100.0, True), (250.0, True), (400.0, False)]


def many(measures: int, systems: int, queries: int = 20) -> CompareOutcome:
    values = np.random.default_rng(0).random((measures, systems, queries))
    return invented.compared(values, CompareSettings(resamples=100), measures=[f"m@{m + 1}" for m in range(measures)])


@pytest.mark.slow  # a page as large as may be
def test_a_page_of_many_measures_and_systems_holds_the_first_and_says_so():
    outcome = many(40, 12)
    source = draw(outcome, "html")
    assert len(source.encode()) < 4_000_000
    shown = ComparisonPage(source).data
    assert "The page has the differences of 22 of 40 measures and 66 of 66 pairs; --format csv has all." in source
    assert shown["measures"] == [f"m@{k}" for k in range(1, 23)]
    assert len(shown["pairs"]) == 66
    assert len(re.findall('<th scope="col" class="r">m@', source)) >= 40, "the chart has all cut-offs"
    assert all(f"m@{k}" in source for k in range(1, 41))


@pytest.mark.slow  # 3,080 comparisons
def test_a_page_of_very_many_pairs_holds_the_first():
    outcome = many(2, 56, queries=3)
    source = draw(outcome, "html")
    shown = ComparisonPage(source).data
    assert "The page has the pairs of the 12 systems that it shows, of 56; --format csv has all 1,540." in source
    assert len(shown["pairs"]) == 66
    assert "44 more systems" in source
