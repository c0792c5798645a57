"""The site: built from the pages and the code, complete, without a link that leads nowhere, and at home on the disk."""

import contextlib
import fcntl
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import click
import documented
import pytest
from cases import check_each
from command_line import COMMANDS

import benchbench
from benchbench.cli import help_text
from benchbench.cli.main import cli
from benchbench.loads.metrics import METRICS
from benchbench.results.record import schema

CHROMIUM = shutil.which("chromium")
pytestmark = [
    pytest.mark.slow,  # the site is built
    pytest.mark.skipif(
        importlib.util.find_spec("zensical") is None or importlib.util.find_spec("mkdocstrings_handlers") is None,
        reason="needs what builds the site: pip install '.[docs]'",
    ),
]

WITHOUT_NAMES = """
import benchbench, runpy, sys
benchbench.__doc__, benchbench.__all__ = "", []
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
"""  # what public names say is most of what a site takes


def build(*command: str | Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site, once for all processes of the tests."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    with (shared / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (shared / "site").exists():
            done = build(documented.ROOT / "scripts" / "docs", shared / "site")
            assert done.returncode == 0, done.stderr
    return shared / "site"


class Page(HTMLParser):
    """The anchors of a page, what it links to, what it loads, and its words."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.words = ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        named = {name: value for name, value in attributes if value is not None}
        self.anchors |= {named[name] for name in ("id", "name") if name in named}
        self.links += [named["href"]] if tag == "a" and "href" in named else []
        self.loaded += [named[name] for name in ("src", "href") if tag != "a" and name in named]

    def handle_data(self, data: str) -> None:
        self.words += data


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Page]:
    return {path.relative_to(site).as_posix(): Page(path) for path in site.rglob("*.html")}


def test_each_page_of_the_repository_is_one_of_the_site(pages: dict[str, Page]) -> None:
    docs = documented.ROOT / "docs"
    assert {path.relative_to(docs).with_suffix(".html").as_posix() for path in docs.rglob("*.md")} <= pages.keys()


def test_each_link_leads_to_a_file_and_an_anchor_and_nothing_is_loaded_from_elsewhere(
    site: Path, pages: dict[str, Page]
) -> None:
    for name, page in pages.items():
        if name == "404.html":  # which only a server shows, at any path
            continue
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme in ("http", "https"):
                continue
            target = ((site / name).parent / unquote(parts.path)).resolve() if parts.path else site / name
            assert target.is_file(), f"{name}: {link}"
            if parts.fragment and target.suffix == ".html":
                there = pages[target.relative_to(site).as_posix()].anchors
                assert unquote(parts.fragment) in there, f"{name}: {link}"
        for path in page.loaded:
            assert not urlsplit(path).scheme, f"{name}: {path}"
            assert ((site / name).parent / unquote(urlsplit(path).path)).is_file(), f"{name}: {path}"


def test_each_command_stands_with_all_its_options(pages: dict[str, Page]) -> None:
    def check(name: str) -> None:
        words = pages[f"reference/benchbench-{name.split()[0]}.html"].words
        assert f"benchbench {name}" in words
        context = click.Context(COMMANDS[name], click.Context(cli, **cli.context_settings), name)
        for option in help_text.shown(COMMANDS[name], context):
            assert help_text.row(option)[0] in words
        assert not re.search(r"\\[*_`$\[{]", words)

    check_each(check, COMMANDS)


def test_each_public_name_stands_with_its_first_sentence(pages: dict[str, Page]) -> None:
    page = pages["reference/python.html"]
    said = " ".join(page.words.split())
    for name in benchbench.__all__:
        (summary, *_) = (getattr(benchbench, name).__doc__ or "").split("\n\n")
        assert f"benchbench.{name}" in page.anchors
        assert " ".join(summary.replace("`", "").split()) in said, name


def test_each_member_of_the_record_stands_under_its_type(pages: dict[str, Page]) -> None:
    page = pages["reference/record.html"]
    for name, kind in schema()["$defs"].items():
        assert name.lower() in page.anchors
        assert set(kind.get("properties", {})) <= set(re.findall(r"\w+", page.words))


def test_each_number_of_a_load_test_stands_with_its_definition(pages: dict[str, Page]) -> None:
    words = " ".join(pages["reference/load-metrics.html"].words.split())
    assert all(
        f"{name} {' '.join(metric.sentence.replace('`', '').split())}" in words for name, metric in METRICS.items()
    )


def test_links_that_lead_nowhere_are_named_and_nothing_is_built(tmp_path: Path) -> None:
    for name in ("docs", "scripts", "benchbench/results/schema"):
        shutil.copytree(documented.ROOT / name, tmp_path / name)
    for page in (tmp_path / "README.md", *(tmp_path / "docs").rglob("*.md")):
        page.write_text("# A page without links\n")
    with (tmp_path / "docs" / "datasets.md").open("a", encoding="utf-8") as page:
        page.write("\n[a](tasks.md#no-such-rule) [b](no-such-page.md)\n")
    done = build("-c", WITHOUT_NAMES, tmp_path / "scripts" / "docs", tmp_path / "site")
    assert done.returncode == 1
    assert "anchor does not exist" in done.stderr
    assert "page does not exist" in done.stderr
    assert "2 issues found" in done.stderr
    assert not (tmp_path / "site").exists()


def test_a_folder_that_is_no_earlier_site_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    done = build(documented.ROOT / "scripts" / "docs", tmp_path)
    assert (done.returncode, done.stderr) == (1, f"{tmp_path} is there, and no earlier site\n")
    assert (tmp_path / "mine.txt").read_text() == "mine"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("needs chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


@contextlib.contextmanager
def opened(browser: Any, **settings: Any) -> Iterator[tuple[Any, list[str]]]:
    """Yield a page, and the list of what it asks of the network, warns of, or gets wrong."""
    page = browser.new_page(**settings)
    noticed: list[str] = []
    page.on("request", lambda one: None if one.url.startswith(("file:", "data:")) else noticed.append(one.url))
    page.on("console", lambda one: noticed.append(one.text) if one.type in ("warning", "error") else None)
    page.on("pageerror", lambda one: noticed.append(str(one)))
    yield page, noticed
    page.close()


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_pages_open_from_the_disk_in_silence_and_fit(browser: Any, site: Path, width: int, scheme: str) -> None:
    names = [
        "index",
        "start/legal-tech",
        "comparing",
        "answers",
        "reproduce",
        "reference/benchbench-run",
        "reference/python",
    ]
    sized = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
    with opened(browser, **sized) as (page, noticed):
        for name in names:
            page.goto((site / f"{name}.html").as_uri())
            assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), name
        dark = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).every(one => one < 60)")
    assert noticed == []
    assert dark == (scheme == "dark")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("load test", "Load test"),
        ("randomisation", "Statistics of comparisons"),
        ("盗窃", "I build a legal assistant"),
    ],
)
def test_the_search_finds_the_right_page_first_from_the_disk(browser: Any, site: Path, words: str, found: str) -> None:
    with opened(browser, viewport={"width": 1280, "height": 900}) as (page, noticed):
        page.goto((site / "index.html").as_uri())
        page.keyboard.press("Control+k")
        page.keyboard.type(words)
        page.locator("ol li a", has_text=found).first.wait_for(timeout=20_000)
        result = page.locator("ol li a").first
        assert found in result.inner_text()
        result.click()
        page.wait_for_url(re.compile(r"html\?h="))
    assert noticed == []


def test_a_command_is_copied_whole(browser: Any, site: Path) -> None:
    with opened(browser, permissions=["clipboard-read", "clipboard-write"]) as (page, noticed):
        page.goto((site / "index.html").as_uri())
        page.get_by_role("button", name="Copy to clipboard").first.click()
        assert page.evaluate("navigator.clipboard.readText()").strip() == "pip install . && benchbench run"
    assert noticed == []
