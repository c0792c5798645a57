"""The names of what says how alike two rankings are."""

import re

import pytest

from benchbench.errors import InputError
from benchbench.measures.agreement import parse, resolve


@pytest.mark.parametrize("text", ["overlap@10", "overlap@1", "RBO", "RBO(p=0.95)", "tau", "top_changed"])
def test_what_is_parsed_and_printed_is_parsed_again(text: str):
    assert str(parse(text)) == text
    assert parse(str(parse(text))) == parse(text)


@pytest.mark.parametrize(("text", "printed"), [("rbo", "RBO"), ("RBO(p=.9)", "RBO"), ("Overlap@5", "overlap@5")])
def test_other_spellings_have_one_form(text: str, printed: str):
    assert str(parse(text)) == printed


@pytest.mark.parametrize(
    "text", ["nDCG@10", "overlap", "overlap@0", "RBO@10", "RBO(p=1)", "RBO(p=.0)", "tau@5", "tau(p=0.5)", "", "x" * 999]
)
def test_what_is_none_is_refused_with_what_there_is(text: str):
    with pytest.raises(InputError, match=re.escape("without judgments there are overlap@10, RBO, RBO(p=0.95), tau")):
        parse(text)


def test_each_is_named_once_and_one_may_stand_alone():
    assert list(map(str, resolve(["tau", "RBO", "RBO(p=0.9)"]))) == ["tau", "RBO"]
    assert list(map(str, resolve("tau"))) == ["tau"]
    with pytest.raises(InputError, match="no measure is named"):
        resolve([])
