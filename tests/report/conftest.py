"""What tests of pages in a browser share: one launch for the tests of a file, each with pages of its own."""

import shutil
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")  # its event loop must be gone before tests that run one of their own
def browser() -> Iterator["Browser"]:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("needs chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright, of the extra `test`")
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def opened_page(browser: "Browser") -> Iterator[Callable[..., "Page"]]:
    """Open pages; at the end none must have said anything on the console or asked anybody for anything."""
    said: list[str] = []
    contexts = []

    def opening(
        file: Path, width: int = 1280, scheme: str = "light", fragment: str = "", before: str = "", **options
    ) -> "Page":
        size = {"width": width, "height": 900}
        context = browser.new_context(viewport=size, color_scheme=scheme, offline=True, **options)
        contexts.append(context)
        shown = context.new_page()
        shown.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
        shown.on("pageerror", lambda error: said.append(str(error)))
        shown.on("request", lambda one: one.url.startswith(("file:", "data:")) or said.append(one.url))
        if before:
            shown.add_init_script(before)
        shown.goto(file.as_uri() + fragment)
        if options.get("java_script_enabled", True):
            shown.wait_for_selector("html[data-ready], body:not(:has(#packed))", state="attached")
        return shown

    yield opening
    for context in contexts:
        context.close()
    assert said == []


@pytest.fixture(scope="session")
def violations() -> Callable[["Page"], list[tuple[str, ...]]]:
    """Return what finds the elements of a page that axe complains about."""
    axe = pytest.importorskip("axe_playwright_python", reason="needs axe-playwright-python, of the extra `test`")
    script = resources.files(axe).joinpath("axe.min.js").read_text("utf-8")

    def found(shown: "Page") -> list[tuple[str, ...]]:
        shown.evaluate(script)
        broken = shown.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
        return [(one["id"], one["nodes"][0]["html"], one["nodes"][0]["failureSummary"]) for one in broken]

    return found
