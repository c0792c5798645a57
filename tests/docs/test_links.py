"""Links of the pages lead somewhere, as they are read in the repository: to a file, and to a heading of it."""

import re
import unicodedata
from pathlib import Path

import documented
from cases import check_each

FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


def text(page: Path) -> str:
    return FENCED.sub("", page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", text(page), re.MULTILINE)
    kept = (
        "".join(one for one in said.lower() if one in " -_" or unicodedata.category(one)[0] in "LN")
        for said in headings
    )
    return {one.strip().replace(" ", "-") for one in kept}


def test_each_link_of_a_page_leads_to_a_file_and_a_heading_that_are_there():
    def check(page: Path) -> None:
        for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text(page))):
            if re.match(r"https?:", link):
                continue
            path, _, anchor = link.partition("#")
            target = page.parent / path if path else page
            assert target.exists(), f"{page}: {link}"
            assert not anchor or anchor in anchors(target), f"{page}: {link}"

    check_each(check, documented.PAGES)


def test_every_page_of_docs_is_reached_from_the_way_in() -> None:
    start = documented.ROOT / "docs" / "index.md"
    reached, ahead = set(), [start]
    while ahead:
        page = ahead.pop()
        if page not in reached:
            reached.add(page)
            links = re.findall(r"\]\(([^)\s#:]+\.md)", text(page))
            ahead += [(page.parent / one).resolve() for one in links]
    assert {page for page in documented.PAGES if page.is_relative_to(start.parent)} <= reached
