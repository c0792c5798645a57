"""Scores of answers by the metrics that compare them with the truth; the examples of the seed stand among them."""

import pytest
from answer_values import scored
from cases import check_rows, tables

TABLES = tables(__file__)


@pytest.mark.parametrize("metric", TABLES["expected"])
def test_an_answer_has_its_score(metric: str):
    def check(truth: str, response: str, score: float) -> None:
        value = scored(metric, response, truth)
        assert (value.score, value.expected) == (score, True)

    check_rows(check, TABLES["expected"][metric])


@pytest.mark.parametrize("metric", TABLES["nothing_expected"])
def test_where_nothing_is_expected_the_score_is_one_and_says_so(metric: str):
    def check(truth: str, response: str) -> None:
        value = scored(metric, response, truth)
        assert (value.score, value.expected) == (1.0, False)

    check_rows(check, TABLES["nothing_expected"][metric])
