"""The registry: names, null answers, metrics of one's own."""

from pathlib import Path

import pytest
from answer_values import made

from benchbench.answering.scoring import all_metrics, chosen, load_metrics
from benchbench.answers import metrics
from benchbench.answers.metrics import NULL, metric
from benchbench.errors import InputError


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "METRICS", metrics.METRICS)
    before = dict(metrics.METRICS)
    yield
    metrics.METRICS.clear()
    metrics.METRICS.update(before)


def test_a_null_answer_is_minus_one_on_every_metric():
    for one in all_metrics():
        value = one.value(made(None, "See Part 36 [1]."))
        assert {value.score, *value.parts.values()} == {NULL}


def test_an_unknown_metric_names_the_nearest():
    with pytest.raises(InputError, match="'precedent_match' is not an answer metric; there are precedent_matching"):
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


@pytest.mark.usefixtures("registry")
def test_a_name_that_is_taken_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match="there is an answer metric latency already"):
        metric("latency", "")
    file = tmp_path / "mine.py"
    file.write_text("1 / 0")
    with pytest.raises(InputError, match=r"mine\.py: ZeroDivisionError: division by zero$"):
        load_metrics([file])
