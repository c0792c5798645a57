import json
import re

import numpy as np
import pytest
from invented_comparison import compared

from benchbench.comparison.compare_result import CompareOutcome
from benchbench.report.draw import draw
from benchbench.significance.settings import Settings


def many(measures: int, systems: int, queries: int = 20) -> CompareOutcome:
    values = np.random.default_rng(0).random((measures, systems, queries))
    return compared(values, Settings(resamples=100), measures=[f"m@{m + 1}" for m in range(measures)])


def data(source: str) -> dict:
    found = re.search('<script type="application/json" id="data">(.*?)</script>', source, re.DOTALL)
    assert found
    return json.loads(found[1])


@pytest.mark.slow  # a page as large as may be
def test_a_page_of_many_measures_and_systems_holds_the_first_and_says_so():
    outcome = many(40, 12)
    source = draw(outcome, "html")
    assert len(source.encode()) < 4_000_000
    shown = data(source)
    assert "The page has the differences of 22 of 40 measures and 66 of 66 pairs; --format csv has all." in source
    assert shown["measures"] == [f"m@{k}" for k in range(1, 23)]
    assert len(shown["pairs"]) == 66
    assert len(re.findall('<th scope="col" class="r">m@', source)) >= 40, "the chart has all cut-offs"
    assert all(f"m@{k}" in source for k in range(1, 41))


@pytest.mark.slow  # 3,080 comparisons
def test_a_page_of_very_many_pairs_holds_the_first():
    outcome = many(2, 56, queries=3)
    source = draw(outcome, "html")
    shown = data(source)
    assert "differences of 1 of 2 measures and 1,500 of 1,540 pairs" in source
    assert len(shown["pairs"]) == 1_500
