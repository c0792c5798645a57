"""The registry: names, null answers, metrics of one's own."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from answer_values import made

from benchbench.answering.scoring import all_metrics, chosen, load_metrics
from benchbench.answers.metrics import NULL, Metric, Value, metric
from benchbench.errors import InputError
from benchbench.tables.questions import Answer


def test_a_null_answer_is_minus_one_on_every_metric():
    for one in all_metrics():
        value = one.value(made(None, "See Part 36 [1]."))
        assert {value.score, *value.parts.values()} == {NULL}


def test_latency_is_that_of_the_answer_or_not_a_number():
    (latency,) = chosen(["latency"])
    assert latency.value(made("x", latency=1.5)).score == 1.5
    assert latency.value(made("x")).score != latency.value(made("x")).score


def test_an_unknown_metric_names_the_nearest():
    with pytest.raises(
        InputError, match="there is no metric of answers 'precedent_match'; did you mean precedent_matching"
    ):
        chosen(["precedent_match"])


@pytest.mark.usefixtures("registry")
def test_a_metric_of_ones_own_takes_a_few_lines(tmp_path: Path):
    file = tmp_path / "mine.py"
    file.write_text(
        "from benchbench.answers.metrics import metric\n"
        "@metric('exclamations', 'Exclamation marks.')\n"
        "def exclamations(answer):\n"
        "    return float(answer.response.count('!'))\n"
    )
    load_metrics([file])
    (mine,) = chosen(["exclamations"])
    assert mine.value(made("a!b!")).score == 2.0
    assert mine.value(made(None)).score == NULL


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda answer: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda answer: None, "TypeError: float"),
        (lambda answer: "much", "ValueError: could not convert string to float: 'much'"),
        (lambda answer: Value("much"), r"\('much',\) are not all numbers"),
        (lambda answer: Value(1.0, parts={"m_part": None}), r"\(1.0, None\) are not all numbers"),
    ],
)
def test_a_metric_that_fails_is_named_with_the_question(function: Callable[[Answer], Any], reason: str):
    with pytest.raises(InputError, match=rf"the metric m fails on the question '\?': {reason}"):
        Metric("m", "", function).value(made("a"))


@pytest.mark.usefixtures("registry")
def test_a_name_that_is_taken_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match="there is an answer metric latency already"):
        metric("latency", "")
    file = tmp_path / "mine.py"
    file.write_text("1 / 0")
    with pytest.raises(InputError, match=r"mine\.py: ZeroDivisionError: division by zero$"):
        load_metrics([file])
