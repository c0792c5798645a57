"""Titles of Acts and instruments in running text, in headings, in capitals, and by their numbers."""

from answers.citations.samples import written
from cases import check_rows

from benchbench.answers.citations.uk_titles import titles


def test_each_title_has_one_name():
    def check(text, names):
        assert [one.name for one in titles(text)] == names

    check_rows(check, written("uk_titles"))
