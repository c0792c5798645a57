import json
import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from itertools import pairwise

import invented_comparison as invented
import numpy as np
import pytest

from benchbench.report.assets import asset
from benchbench.report.draw import draw
from benchbench.report.render.html import embedded

VOID = {"meta", "link", "br", "img", "input"}


class Page(HTMLParser):
    """A page read strictly: its elements, its texts by id of the section, its scripts."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[dict[str, str | None]] = []
        self.open: list[str] = []
        self.sections: list[str] = []
        self.headings: list[str] = []
        self.scripts: list[str] = []
        self.text = ""
        self.feed(source)
        self.close()
        assert self.open == [], "an element was not closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.append(dict(attrs))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")
        if tag == "section":
            self.sections.append(dict(attrs).get("id") or "")
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data
        elif self.open and self.open[-1] != "style":
            self.text += data

    @property
    def data(self) -> dict:
        return json.loads(self.scripts[0])


@pytest.fixture(scope="module")
def source() -> str:
    return draw(invented.outcome(), "html")


@pytest.fixture(scope="module")
def shown(source: str) -> Page:
    return Page(source)


def test_every_section_is_there_in_order_and_reached_from_the_top(shown: Page):
    named = ["cutoffs", "differences", "front", "latency", "load", "slices", "queries", "provenance"]
    assert [one for one in shown.sections if one in named] == named
    links = {one["href"] for one in shown.attributes if "href" in one}
    assert {f"#{name}" for name in (*named, "means", "main")} <= links


def test_headings_go_down_one_step_at_a_time(shown: Page):
    assert shown.headings.count("h1") == 1
    levels = [int(one[1]) for one in shown.headings]
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_every_id_stands_once(shown: Page):
    ids = [one["id"] for one in shown.attributes if "id" in one]
    assert len(ids) == len(set(ids))
    pointed = [one[key] for one in shown.attributes for key in ("aria-labelledby", "aria-describedby") if key in one]
    assert set(pointed) <= set(ids)


def test_every_table_has_a_caption_and_every_head_a_scope(shown: Page):
    assert shown.tags.count("caption") == shown.tags.count("table")
    heads = [one for tag, one in zip(shown.tags, shown.attributes, strict=True) if tag == "th"]
    assert heads
    assert all(one.get("scope") in {"col", "row"} for one in heads)


def test_a_page_of_a_thousand_queries_and_three_systems_is_under_three_megabytes(source: str):
    assert len(source.encode()) < 3_000_000


def test_the_verdicts_say_who_is_better_by_how_much_and_how_sure_that_is(shown: Page):
    sentence = r"nDCG@10: bm25-title is better than bm25 by 0\.\d{4} \(0\.\d{4} against 0\.\d{4}; 95 % interval "
    assert re.search(sentence + r"\[\+0\.\d{4}, \+0\.\d{4}\]; p = 0\.\d{4} after Holm\)\.", shown.text)


def test_a_difference_that_is_not_significant_is_not_called_better(shown: Page):
    found = re.search(
        r"nDCG@100: no difference shown between bm25-title and bm25 \(.*?would detect a true difference of .*? in 80 %",
        shown.text,
    )
    assert found


def test_gates_notes_signatures_and_settings_are_shown(shown: Page):
    outcome = invented.outcome(queries=20)
    for text in (
        *outcome.notes,
        *outcome.comparison.notes,
        *(system.signature for system in outcome.systems),
        *(system.source for system in outcome.systems),
        outcome.comparison.family,
        "p99 of dense <b>v2</b> is 85.2 ms, more than 60 ms",
        "randomization test",
        "10,000",
    ):
        assert text in shown.text


def test_texts_from_outside_open_no_element(source: str, shown: Page):
    assert "b" not in shown.tags
    assert "img" not in shown.tags
    assert shown.tags.count("script") == 3
    assert invented.EVIL in shown.data["queries"]["texts"]
    assert "<script>window" not in source


def test_data_cannot_end_their_script():
    assert json.loads(embedded("</script><!--")) == "</script><!--"
    assert "<" not in embedded({"a<": "</script><!--"})


@pytest.mark.parametrize("name", ["echarts.min.js", "comparison.js"])
def test_a_script_of_ours_cannot_end_its_element(name: str):
    assert not re.search(r"</script|<!--|<script", asset(name), flags=re.IGNORECASE)


def test_only_the_two_scripts_of_the_page_may_run_and_nothing_may_be_fetched(shown: Page):
    policy = next(one["content"] for one in shown.attributes if one.get("http-equiv"))
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-")
    for script in shown.scripts[1:]:
        assert f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" in policy
    assert policy.count("sha256-") == 2
    assert not {"src", "onclick", "onload"} & {name for one in shown.attributes for name in one}
    assert all(one["href"][0] == "#" or one["href"] == "data:," for one in shown.attributes if "href" in one)
    assert "url(" not in asset("page.css")


def test_sections_without_numbers_are_left_out():
    bare = Page(draw(invented.outcome(queries=30, speed=False, load=False, slices=False, texts=False), "html"))
    assert not {"latency", "load", "front", "slices"} & set(bare.sections)
    assert bare.data["queries"]["texts"] is None
    assert bare.data["queries"]["documents"]["texts"] is None


def test_a_hundred_thousand_queries_are_drawn_whole_and_listed_by_their_extremes():
    outcome = invented.outcome(queries=100_000, shown=200)
    source = draw(outcome, "html")
    shown = Page(source)
    assert "Showing 200 of 100,000 queries: those that moved most by nDCG@10." in shown.text
    assert len(source.encode()) < 2_000_000
    figure = next(one for one in shown.data["figures"] if one["id"] == "differences")
    counts = [point[1] for series in figure["views"][0]["series"] for point in series["points"]]
    assert sum(counts) == 100_000
    assert shown.data["queries"]["total"] == 100_000


def test_the_table_of_queries_holds_what_each_system_returned():
    outcome = invented.outcome(queries=40, hits=14)
    data = Page(draw(outcome, "html")).data["queries"]
    first, entry = outcome.evidence[0], data["evidence"][0]
    names = data["documents"]["ids"]
    for number, system in enumerate(invented.NAMES):
        count, places, ranks, scores = entry["h"][number]
        assert count == 14
        assert [names[entry["d"][d]] for d in places] == [hit.id for hit in first.hits[system][:10]]
        assert [entry["g"][d] for d in places] == [hit.grade for hit in first.hits[system][:10]]
        assert [bool(entry["r"][d]) for d in places] == [hit.relevant for hit in first.hits[system][:10]]
        assert ranks == [hit.rank for hit in first.hits[system][:10]]
        assert scores == pytest.approx([hit.score for hit in first.hits[system][:10]])
        found = {hit.id: hit.rank for hit in first.hits[system]}
        assert entry["n"][1][number] == [found.get(one.id) for one in first.relevant]
    value = outcome.comparison.paired.values[1, 2, first.number]
    assert data["values"][1][2][0] == pytest.approx(value, abs=1e-5)


def test_the_charts_travel_with_the_licences_of_all_their_parts():
    licences = asset("echarts-LICENSE.txt")
    for part in ("Apache License", "Apache ECharts", "zrender", "tslib", "d3"):
        assert part in licences


def test_load_steps_without_a_request_that_succeeded_and_runs_of_no_speed_are_not_drawn():
    outcome = invented.outcome(queries=30)
    first, *others = outcome.systems
    assert first.speed is not None
    nothing = replace(first.load[-1], queries_per_second=0.0, p50=None, p99=None, errors=1.0)
    silent = replace(first, speed=replace(first.speed, queries_per_second=0.0, latency_ms={}), load=(nothing,))
    latencies = {**outcome.latencies, first.name: np.empty(0)}
    data = Page(draw(replace(outcome, systems=(silent, *others), latencies=latencies), "html")).data
    drawn = {
        one["id"]: {series["name"] for series in one["views"][0]["series"] if series["points"]}
        for one in data["figures"]
    }
    for name in ("latency", "load", "front"):
        assert first.name not in drawn[name]
        assert others[0].name in drawn[name]
    assert any("100 %" in str(row) for one in data["figures"] if one["id"] == "load" for row in one["views"][0]["rows"])


def test_each_chart_says_in_words_what_its_numbers_say(shown: Page):
    outcome = invented.outcome()
    said = {one["id"]: one["views"][one["chosen"].get("1", 0)]["sentence"] for one in shown.data["figures"]}
    means = {name: outcome.details().estimate("nDCG@100", name).mean for name in invented.NAMES}
    assert said["cutoffs"].startswith("dense <b>v2</b> leads at every cut-off; at 100 it is ")
    assert f"{means['dense <b>v2</b>']:.4f} (dense <b>v2</b>) against {means['bm25-title']:.4f}" in said["cutoffs"]
    latencies = outcome.latencies["bm25"]
    half = latencies[len(latencies) // 2 - 1]
    assert f"took at most: bm25 {half:#.3g} ms and " in said["latency"]
    one = next(each for each in outcome.comparison.differences if each.measure == "nDCG@10")
    words = next(each for each in shown.data["figures"] if each["id"] == "differences")
    sentence = words["views"][words["chosen"]["1.0"]]["sentence"]
    assert f"bm25-title is better on {one.wins:,}, bm25 on {one.losses:,}, and {one.ties:,} are equal" in sentence
    assert said["front"].startswith("No other is both better and faster than bm25")
