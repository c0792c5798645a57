"""Which measures are shown: those that are named, or the first."""

import histories
import pytest
from histories import Kept

from benchbench.errors import InputError
from benchbench.history.folders import as_entries
from benchbench.history.measure_names import leading, named
from benchbench.results.record import Number

NAMES = ["gold.nDCG@10", "title.nDCG@10", "title.P@5", "judge.en@1.grounded", "old.p50", "new.p50", "Δ gold.AP"]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["nDCG@10"], ["gold.nDCG@10"]),
        (["title.nDCG@10", "P@5"], ["title.nDCG@10", "title.P@5"]),
        (["grounded"], ["judge.en@1.grounded"]),
        (["Δ AP"], ["Δ gold.AP"]),
        (["old.p50", "old.p50"], ["old.p50"]),
        (["P@5", "all"], ["title.P@5", *(one for one in NAMES if one != "title.P@5")]),
        ([], []),
    ],
)
def test_measures_are_named_as_gates_name_them_or_by_the_end_of_one(texts, expected):
    assert named(texts, NAMES) == expected


@pytest.mark.parametrize(
    ("text", "names", "reason"),
    [
        ("p50", NAMES, "p50 is stored several times; name one of old.p50, new.p50"),
        ("AP", NAMES, "AP is not stored; stored are "),
        ("ounded", NAMES, "ounded is not stored; "),
        ("AP", [], "AP is not stored: the runs have no numbers"),
    ],
)
def test_what_is_none_or_several_is_one_sentence(text, names, reason):
    with pytest.raises(InputError) as refused:
        named([text], names)
    assert str(refused.value).startswith(reason)


def first(*numbers: Number, most: int = 9) -> list[str]:
    """Return what stands for the numbers of a record."""
    _, stored = as_entries([(histories.Path("x"), Kept({}, others=numbers))])
    return leading(stored, most)


def test_the_gold_task_comes_first_and_in_it_the_usual_measures():
    def of(task: str, name: str) -> Number:
        return Number(name=name, value=0.5, better="higher", scope={"task": task})

    speed = Number(name="p50", value=1.0, unit="ms", better="lower")
    found = first(of("title", "nDCG@10"), of("gold", "P@3"), of("gold", "nDCG@10"), speed, of("gold", "R@10"))
    assert found == ["gold.nDCG@10", "gold.R@10", "p50", "gold.P@3"]
    assert first(of("title", "P@3"), of("title", "AP"), most=1) == ["title.AP"]


def test_differences_slices_and_what_has_no_better_side_are_left_out():
    numbers = [
        Number(name="Δ AP", value=0.1, better="higher"),
        Number(name="p AP", value=0.1),
        Number(name="AP", value=0.5, better="higher", scope={"slice": "a=b"}),
        Number(name="length", value=3.0),
        Number(name="AP", value=0.5, better="higher"),
    ]
    assert first(*numbers) == ["AP"]
    assert first(*numbers[:4]) == ["length"]
    assert first() == []
