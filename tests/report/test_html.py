from html.parser import HTMLParser
from pathlib import Path

import data_sets
import pytest
import services

from benchbench.report.html import page
from benchbench.report.table import cell, rows


class Page(HTMLParser):
    """The tags of a page, and its text by tag."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self._open = ""
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: dict[str, str] = {}
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._open = tag
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        self._open = ""

    def handle_data(self, data: str) -> None:
        self.texts[self._open] = self.texts.get(self._open, "") + data


EVIL = "<script>alert('1')</script>&amp;"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return data_sets.write(tmp_path)


def test_a_name_and_a_reason_with_markup_stay_text(data: Path):
    with services.running(services.status(422, EVIL), services.echo) as service:
        shown = Page(page(data_sets.outcome(data, service.url, name=EVIL, batch_size=4, concurrency=1)))
    assert "script" not in shown.tags
    assert shown.texts["h1"] == shown.texts["title"] == f"{EVIL}: 12 queries"
    assert f"HTTP 422: {EVIL}" in shown.texts["pre"]


def test_the_page_shows_every_cell_of_the_summary(data: Path):
    with services.running(services.searching(data_sets.collection(data))) as service:
        outcome = data_sets.outcome(data, service.url)
    shown = Page(page(outcome))
    cells = [cell(one) for *_, values in rows(outcome) for one in values]
    assert shown.tags.count("small") == len(cells)
    assert shown.texts["small"] == "".join(one.partition(" ")[2] for one in cells)
    assert all(one.split()[0] in shown.texts["td"] for one in cells)
    assert str(outcome.signature) in shown.texts["pre"]


def test_the_page_needs_nothing_from_elsewhere(data: Path):
    with services.running(services.no_hits) as service:
        shown = Page(page(data_sets.outcome(data, service.url)))
    assert not {"link", "script", "img", "iframe", "a"} & set(shown.tags)
    assert not {"src", "href", "onclick"} & {name for name, _ in shown.attributes}
    assert "url(" not in shown.texts["style"]
    assert ("charset", "utf-8") in shown.attributes
