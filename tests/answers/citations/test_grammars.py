"""What holds for all grammars: written forms, places, joined texts, and texts made to be slow."""

import itertools
import subprocess
import sys
from pathlib import Path

import pytest
from answers.citations.adversarial import UNITS
from answers.citations.samples import named, written
from answers.citations.writing import ENDS, FRAMES, WRITERS
from cases import check_rows
from hypothesis import given
from hypothesis import strategies as st

from benchbench.answers.citations.grammars import GRAMMARS

JURISDICTIONS = sorted(GRAMMARS)


@pytest.mark.parametrize("jurisdiction", JURISDICTIONS)
def test_each_written_form_has_its_citations(jurisdiction):
    def check(text, citations):
        assert named(jurisdiction, text) == citations

    check_rows(check, written(jurisdiction))


@pytest.mark.parametrize("jurisdiction", JURISDICTIONS)
@given(data=st.data())
def test_a_provision_has_one_key_in_all_its_forms_and_its_place_is_its_text(jurisdiction, data):
    written, source, path = data.draw(WRITERS[jurisdiction])
    text = FRAMES[jurisdiction].format(written)
    (one,) = GRAMMARS[jurisdiction](text)
    assert (one.source, one.path) == (source, path)
    assert text[one.start : one.end] == written


@pytest.mark.parametrize("jurisdiction", JURISDICTIONS)
@given(data=st.data())
def test_the_citations_of_joined_texts_are_those_of_the_texts(jurisdiction, data):
    sentences = data.draw(st.lists(WRITERS[jurisdiction], max_size=5))
    texts = [FRAMES[jurisdiction].format(written) + ENDS[jurisdiction] for written, _, _ in sentences]
    found = GRAMMARS[jurisdiction]("".join(texts))
    assert [(one.source, one.path) for one in found] == [(source, path) for _, source, path in sentences]


@pytest.mark.parametrize("jurisdiction", JURISDICTIONS)
@given(words=st.lists(st.one_of(st.sampled_from(UNITS), st.text(max_size=3)), max_size=30))
def test_any_text_is_read_and_its_citations_stand_in_it_in_order(jurisdiction, words):
    text = "".join(words)
    found = GRAMMARS[jurisdiction](text)
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert [one.start for one in found] == sorted(one.start for one in found)
    assert found == GRAMMARS[jurisdiction](text)


def test_a_text_without_citations_has_none():
    def check_case(jurisdiction, text):
        assert GRAMMARS[jurisdiction](text) == []

    check_rows(
        check_case,
        itertools.product(
            JURISDICTIONS, ["", " ", "\n", "no law at all", "法はない", "法律", "[1][2]", "(", ")", "《", "第"]
        ),
    )


@pytest.mark.slow  # texts that grow, by all grammars
def test_texts_made_to_be_slow_take_work_that_grows_as_they_do():
    tests = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-m", "answers.citations.adversarial"]
    # the time is a guard against a hang: a pattern that goes back and forth would take hours, this takes seconds
    done = subprocess.run(command, cwd=tests, timeout=300, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
