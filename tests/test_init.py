"""The public names, as the documentation uses them."""

import re
from pathlib import Path

import services

import benchbench as bb
from benchbench.formats.card import locate
from benchbench.formats.collection import read_collection
from benchbench.load_test import Outcome

PAGE = Path(__file__).resolve().parents[1] / "docs" / "load.md"


def test_the_example_of_a_load_test_runs(capsys):
    (example,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    collection = locate("synthetic-cases").collection
    assert collection is not None
    names: dict[str, object] = {}
    with services.running(services.searching(read_collection(collection))) as service:
        for written, here in (
            ("http://127.0.0.1:8000", service.url),
            ("duration=30.0", "duration=0.2"),
            ("warm_up=5.0", "warm_up=0.0"),
        ):
            assert written in example
            example = example.replace(written, here)
        exec(example, names)
    outcome = names["outcome"]
    assert isinstance(outcome, bb.LoadOutcome)
    assert [step.load.places for step in outcome.steps] == [2, 8]
    assert capsys.readouterr().out.startswith("concurrency 2, batch 32 ")


def test_names_that_differ_at_home_are_found_there():
    assert bb.LoadOutcome is Outcome
