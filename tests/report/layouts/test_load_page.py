"""The page of a load test in its states: what it says, what it draws, and that it is the same from its folder."""

import re
from dataclasses import replace
from pathlib import Path

import invented_rates as invented
import page_sources
import pytest
from invented_rates import SATURATED, step

from benchbench.load_test import LoadOutcome
from benchbench.loads.load_result import LoadFolder
from benchbench.report.draw import draw, pages
from benchbench.stored import load

EVIL = "</script><script>window.broken = 1</script><img src=x onerror='window.broken = 1'>&amp;{{ 7 * 7 }}"
STORED = Path(__file__).parents[2]


def words(source: str) -> str:
    """Return what stands in the page beside its charts."""
    return page_sources.words(re.sub(r"<svg.*?</svg>", "", source, flags=re.DOTALL))


def page(folder: Path, *steps, **options) -> str:
    return draw(invented.outcome(folder, steps or SATURATED, **options), "html")


def drawings(source: str) -> str:
    """Return the charts at full width."""
    return "".join(re.findall(r'<svg class="wide".*?</svg>', source, re.DOTALL))


def test_the_rate_that_is_held_and_what_happens_beyond_it_come_first(tmp_path: Path):
    said = words(page(tmp_path))
    assert (
        "bm25 keeps up with 70 requests/s (280 queries/s). At 70 requests/s p90 is 176 ms. At 80 it answers 73 a "
        "second, requests queue, and p90 is 1.54 s, more in a longer step."
    ) in said
    assert "4 steps, 10 s each" in said
    assert "✓ no request failed" in said
    assert "Keeps up with 70 requests/s 280 queries/s, 4 per request" in said
    assert (
        "Latency at 70, p50 and p90 22.0/176 ms slowest 211 ms From the moment they were due, over 700 requests."
        in said
    )
    assert "Answers at most 73 requests/s when 80 are offered" in said
    assert "Overloaded, it answers 67 to 73 a second. No request failed." in said
    assert "Quality under load 0.050 nDCG@10, gold It is the same in all 4 steps." in said


def test_the_charts_show_limit_diagonal_knee_and_shade(tmp_path: Path):
    late = [step(100.0, 7400.0, 67.0, values={"late": 500.0, "asked.gold.nDCG@10": 0.04})]
    source = page(tmp_path, *SATURATED[:3], *late, fail_if=("p99>200ms",))
    charts = drawings(source)
    for text in ("200 ms limit", "176 ms at 70", "✕ 1.54 s at 80"):
        assert charts.count(f">{text}</text>") == 1
    assert charts.count("✕ 67 of 100<") == 1
    assert "Shaded: not sustained; the knee is between 70 and 80." in source
    assert source.count('role="img"') == 4 + 1 + 4, "four over the rate, latency of all steps over time, and each step"
    whole = re.findall(r'<rect class="shade" x="([\d.]+)"[^>]*height="[\d.]+"/>', charts)
    assert len(whole) == 4
    assert len(set(whole)) == 1, "all four share the horizontal scale"
    assert "10 per second: p50 8.6 ms, p99 69.0 ms" in source
    assert "article 0.400" in charts
    assert "gold 0.050" in charts


def test_each_step_says_whether_it_is_level_or_a_queue(tmp_path: Path):
    said = words(page(tmp_path)).partition("Each step over time")[2]
    assert re.search(r"10 requests/s ✓ level 70 requests/s ✓ level 80 requests/s ✕ \+8\d\.\d ms a second", said)
    assert re.search(r"100 requests/s ✕ \+3\d\d ms a second", said)


def test_a_service_that_was_not_pushed_past_its_limit_has_no_shade(tmp_path: Path):
    source = page(tmp_path, *SATURATED[:2])
    assert "No higher rate was tried, so offer more to find the limit." in words(source)
    assert 'class="shade' not in drawings(source)
    assert "the knee" not in drawings(source)


def test_where_no_rate_is_held_it_says_so_of_the_lowest(tmp_path: Path):
    source = page(tmp_path, *SATURATED[2:])
    said = words(source)
    assert (
        "bm25 falls behind already at 80 requests/s, the lowest tried. At 80 it answers 73 a second, requests queue"
        in said
    )
    assert "Keeps up with – Not even 80, the lowest rate tried." in said
    assert 'class="shade' in drawings(source)
    failing = words(page(tmp_path / "b", step(10.0, 90.0, failed=7), step(20.0, 90.0)))
    assert "bm25 falls behind already at 10 requests/s, the lowest tried. At 10, 7 of 100 requests fail" in failing
    assert "✕ 7 of 300 requests failed" in failing
    beyond = words(page(tmp_path / "c", step(10.0, 90.0), step(20.0, 90.0, failed=7)))
    assert "At 20, 7 of 200 requests fail, and p90 is 90.0 ms." in beyond


def test_a_service_that_answers_nothing_holds_nothing(tmp_path: Path):
    said = words(page(tmp_path, step(10.0, 90.0, 0.0, failed=100)))
    assert "100 of 100 requests failed." in said
    assert "No request was answered." in said
    assert "Latency at 10, p50 and p90 – Nothing was answered." in said


def test_requests_that_were_never_sent_are_no_failures_of_the_service(tmp_path: Path):
    unsent = {"never sent: every slot in flight stayed occupied": 300, "HTTP 503: busy": 20}
    most = step(100.0, 7400.0, 50.0, failed=320, failures=unsent, values={"late": 9.0})
    none = step(200.0, 9900.0, 50.0, failed=2000, failures={"never sent: every slot in flight stayed occupied": 2000})
    source = page(tmp_path, *SATURATED[:3], most, none)
    said = words(source)
    assert "✕ 20 of 4,600 requests failed ✕ 2,300 of 4,600 requests were never sent: all 256 places in" in said
    assert "Overloaded, it answers 50 to 73 a second. Quality" in said
    assert "200 per second: nothing answered" in source
    assert "200 per second: none answered" in source
    assert re.search(r"200 – – – – – – – – 2,000 0 2,000", said.partition("Every step")[2]), "no pace, no latency"
    assert "200 requests/s ✕ 2,000 of 2,000 were never sent" in words(page(tmp_path / "c", most, none, stored=False))
    shown = draw(invented.outcome(tmp_path / "b", [SATURATED[0], most, none]), "text")
    assert "2,300 of 3,100 requests were never sent: all places in flight were taken" in shown
    assert "Failed      100 requests/s, batch 4: 20 requests: HTTP 503: busy" in shown
    assert "every slot" not in shown


def test_a_closed_loop_is_over_requests_in_flight_and_has_no_diagonal(tmp_path: Path):
    steps = [step(0.0, 50.0 * n, done, in_flight=n) for n, done in ((1, 40.0), (2, 79.5), (4, 80.0))]
    source = page(tmp_path, *steps)
    said = words(source)
    assert " answers at most 80 requests/s (320 queries/s), with 4 in flight." in said
    assert "There p50 is 25.0 ms, and p95 200 ms." in said
    assert "2 in flight are enough for 79.5 requests/s. A closed loop slows down with the service" in said
    assert "Enough in flight 2 tried: 1, 2 and 4 More in flight does not raise" in said
    assert "requests in flight</text>" in source
    for text in ("offered", "dashed line", "knee", "limit<", "sustained", "due"):
        assert text not in source.partition("Tables</h2>")[0].partition('class="lede"')[2]
    assert "line dashed" not in drawings(source)


def test_a_closed_loop_that_answers_the_same_at_any_number_in_flight_names_no_maximum(tmp_path: Path):
    """Of three values that chance explains, the largest is no finding."""
    steps = [
        step(0.0, 50.0 * n, done, in_flight=n, intervals={"requests_per_second": (done - 3.0, done + 3.0)})
        for n, done in ((1, 61.5), (4, 58.2), (16, 60.1))
    ]
    said = words(page(tmp_path, *steps))
    assert (
        "answers 58 to 62 requests/s (233 to 246 queries/s) with 1 to 16 requests in flight. "
        "More in flight adds nothing but latency: p50 goes from 6.2 ms to 100 ms." in said
    )
    assert "Answers 58 to 62 requests/s with any number in flight" in said
    assert "Enough in flight 1 tried: 1, 4 and 16" in said


def test_several_batch_sizes_have_a_line_each(tmp_path: Path):
    source = page(tmp_path, step(10.0, 20.0, size=1), *SATURATED)
    said = words(source)
    assert "bm25 keeps up with 70 requests/s (280 queries/s), in batches of 4." in said
    assert "Batches of 1: keeps up with 10 requests/s, p90 20.0 ms." in said
    assert "Batches of 4: keeps up with 70 requests/s (280 queries/s), p90 176 ms; at 80 it answers 73 a second" in said
    assert ">batch 1</text>" in drawings(source)
    assert ">batch 4</text>" in drawings(source)
    assert "10 requests/s, batch 1" in said
    assert 'class="shade' not in drawings(source), "batches of 1 were not pushed past their limit"


def test_a_client_that_was_the_limit_is_said_under_the_tiles_and_not_in_red(tmp_path: Path):
    limited = replace(
        SATURATED[2], client_is_the_limit="the client was the bottleneck, and the service may be faster than this: why"
    )
    source = page(tmp_path, *SATURATED[:2], limited)
    said = words(source)
    assert (
        "▲ 80 requests/s, batch 4: the client was the bottleneck, and the service may be faster than this: why." in said
    )
    assert said.index("Quality under load") < said.index("▲") < said.index("By rate")
    assert 'class="band' not in source
    assert "in 1 of 3 steps" in said.partition("Was the client the limit?")[2]


def test_steps_of_part_of_the_queries_and_of_few_requests_are_hollow_and_said(tmp_path: Path):
    few = step(5.0, 60.0, values={"queries_asked": 8.0})
    whole = [replace(one, values=one.values | {"queries_asked": 12.0}) for one in SATURATED]
    source = page(tmp_path, few, *whole)
    assert drawings(source).count('class="ring') == 1 + 2, "p99 of 50 requests, and quality of two tasks"
    said = words(source)
    assert (
        "Hollow: the slowest of fewer than 100 requests; quality over a part of the queries, which no other step "
        "should be compared with. A rate is sustained where"
    ) in said
    assert "gold 0.050, of 8 of 12 queries" in source
    assert 'class="ring' not in page(tmp_path / "b", *whole)


def test_a_load_that_was_run_again_is_hollow_and_the_last_time_counts(tmp_path: Path):
    broke = {"broke": ("p99 is 900 ms, not < 200 ms",)}
    steps = [step(16.0, 90.0), step(32.0, 900.0, **broke), step(32.0, 120.0), step(64.0, 950.0, **broke)]
    source = page(tmp_path, *steps, find_max="p99<200ms", highest=[invented.highest(32.0, 64.0)])
    said = words(source)
    assert (
        "bm25 holds p99&lt;200ms up to 32 requests/s of 4 queries. At 32 requests/s p99 is 120 ms (limit 200 ms)"
        in said
    )
    assert "Highest rate that holds p99&lt;200ms: 32 requests/s of 4 queries, to 5 %; 64 requests/s do not" in said
    assert (
        "Hollow: a load that was run again later: to confirm it, or since the client may have been the limit. A rate "
        "is sustained where p99&lt;200ms holds" in said
    )
    assert drawings(source).count('class="ring') == 1
    assert "The highest rate tried that holds p99&lt;200ms, to 5 %." in said
    assert "run again" in said.partition("Every step")[2]


def test_gates_that_failed_have_a_band_and_set_the_limit(tmp_path: Path):
    source = page(tmp_path, fail_if=("p99>100ms", "nDCG@10<0.01"))
    said = words(source)
    assert "✕ 3 of 8 gates failed" in said
    assert source.index('class="band bad"') < source.index('class="lede"')
    assert "bm25 keeps up with 10 requests/s (40 queries/s)." in said
    assert "At 10 requests/s p99 is 69.0 ms (limit 100 ms). At 70 p99 is 176 ms." in said
    assert "(gate p99&gt;100ms)" in said
    passed = words(page(tmp_path / "b", fail_if=("p99>60s",)))
    assert "✓ 4 gates passed" in passed
    assert "Gates ✓ 4 gates passed" in passed


def test_late_and_failed_requests_are_bars_and_counted_in_words(tmp_path: Path):
    worst = step(200.0, 9000.0, 60.0, failed=900, values={"late": 400.0})
    source = page(tmp_path, *SATURATED, worst)
    assert "Red: failed, or never sent." in words(source)
    assert "200 per second: 400 of 2,000 sent late; 200 per second: 900 of 2,000 failed" in source
    assert "At 80 it answers 73 a second" in words(source)


def test_an_interrupted_test_says_so_above_what_it_has(tmp_path: Path):
    source = page(tmp_path, *SATURATED[:2], interrupted=True)
    assert "✂ Interrupted These are the 2 steps that were finished." in words(source)
    assert source.index("✂") < source.index('class="lede"')


def test_without_stored_requests_percentiles_of_stretches_are_drawn(tmp_path: Path):
    source = page(tmp_path, stored=False)
    assert "Percentiles of stretches of time, p99 above p50" in words(source)
    assert source.count('role="img"') == 6
    assert 'class="cloud' not in source


def test_a_rate_far_above_the_lowest_makes_the_scales_logarithmic(tmp_path: Path):
    steps = [step(rate, 50.0) for rate in (2.0, 8.0, 32.0, 128.0)]
    ticks = re.findall(
        r'<text x="([\d.]+)"[^>]*text-anchor="middle">(2|8|32|128)</text>', drawings(page(tmp_path, *steps))
    )
    places = [float(x) for x, _ in ticks[:4]]
    assert places[1] - places[0] == pytest.approx(places[3] - places[2], abs=0.2)


def test_markup_in_any_name_stays_text(tmp_path: Path):
    def drawn(folder: Path, said: str) -> str:
        steps = [
            replace(one, client_is_the_limit=f"the client{said}", failures={f"busy{said}": 3}) for one in SATURATED
        ]
        whole = invented.outcome(folder, steps, assumed=(f"noted{said}",))
        whole = replace(whole, url=f"http://service/{said}")
        whole.lies_in(folder)
        whole.describe(name=f"bm25{said}")
        return draw(whole, "html")

    plain, evil = drawn(tmp_path / "a", " plain"), drawn(tmp_path / "b", EVIL)
    tags = [re.findall(r"<(/?[a-z][a-z0-9]*)", source) for source in (plain, evil)]
    assert tags[0] == tags[1]
    assert "<img" not in evil
    assert "busy&lt;/script&gt;" in evil


def test_it_needs_nothing_from_elsewhere_and_no_script(tmp_path: Path):
    source = page(tmp_path)
    assert set(re.findall(r' (?:src|href)="([^"#]*)', source)) == {"data:,", ""}
    assert "url(" not in source
    assert len(source) < 1_000_000


@pytest.mark.slow  # tens of thousands of requests
def test_a_page_of_many_requests_stays_small(tmp_path: Path):
    whole = page(tmp_path, *(step(4_000.0 + rate, 20.0) for rate in range(8)))
    assert len(whole) < 2_000_000
    assert "Not all requests are drawn" in words(whole)


def finished(outcome: LoadOutcome, place: Path) -> None:
    with LoadFolder(place) as folder:
        for number, one in enumerate(outcome.steps, 1):
            folder.append(one, invented.requests(one, number).drop("step", "repeat"))
        folder.finish(outcome, lambda: pages(outcome, "load_summary.txt"))


def test_a_folder_draws_the_page_that_lies_in_it(tmp_path: Path):
    finished(invented.outcome(tmp_path / "a", stored=False), tmp_path / "out")
    written = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert 'class="cloud' in written
    assert draw(load(tmp_path / "out"), "html") == written


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("stored/load", "answers at most 184 requests/s (736 queries/s), with 2 in flight."),
        ("golden/_stored/load-whole", "At 200 requests/s the slowest is 7.5 ms."),
    ],
)
def test_folders_of_earlier_versions_have_the_page(place: str, said: str):
    assert said in words(draw(load(STORED / place), "html"))
