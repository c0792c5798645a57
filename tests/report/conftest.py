"""What tests of pages in a browser share: one launch for all tests of a process, each with pages of its own."""

import asyncio
import shutil
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page


@pytest.fixture(scope="session")
def _launched() -> Iterator[tuple["Browser", asyncio.AbstractEventLoop]]:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("needs chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright, of the extra `test`")
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        loop = asyncio.get_running_loop()
        asyncio._set_running_loop(None)
        yield launched, loop
        asyncio._set_running_loop(loop)
        launched.close()


@pytest.fixture
def browser(_launched: tuple["Browser", asyncio.AbstractEventLoop]) -> Iterator["Browser"]:
    """Return the browser; its event loop counts as running within the test alone, for others run one of their own."""
    launched, loop = _launched
    asyncio._set_running_loop(loop)
    yield launched
    asyncio._set_running_loop(None)


class Pages:
    """Pages of one browser that a test takes over from the test before: a new one costs more than what it shows."""

    def __init__(self, browser: "Browser") -> None:
        self.said: list[str] = []
        self._browser = browser
        self._usual: list[Page] = []
        self._own: list[BrowserContext] = []
        self._taken = 0

    def open(
        self, file: Path, width: int = 1280, scheme: str = "light", fragment: str = "", before: str = "", **options
    ) -> "Page":
        size = {"width": width, "height": 900}
        if before or options:
            context = self._browser.new_context(viewport=size, color_scheme=scheme, offline=True, **options)
            self._own.append(context)
            shown = self._page(context)
        else:
            if self._taken == len(self._usual):
                self._usual.append(self._page(self._browser.new_context(offline=True)))
            shown = self._usual[self._taken]
            self._taken += 1
            shown.set_viewport_size(size)
            shown.emulate_media(media="null", color_scheme=scheme)
        if before:
            shown.add_init_script(before)
        shown.goto(file.as_uri() + fragment)
        if options.get("java_script_enabled", True):
            shown.wait_for_selector("html[data-ready], body:not(:has(#packed))", state="attached")
        return shown

    def _page(self, context: "BrowserContext") -> "Page":
        shown = context.new_page()
        shown.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        shown.on("pageerror", lambda error: self.said.append(str(error)))
        shown.on("request", lambda one: one.url.startswith(("file:", "data:")) or self.said.append(one.url))
        return shown

    def leave(self) -> None:
        """Close what no other test can take over, and empty the rest."""
        for context in self._own:
            context.close()
        for shown in self._usual[: self._taken]:
            shown.goto("about:blank")
        self._own, self._taken = [], 0


@pytest.fixture(scope="session")
def _pages(_launched: tuple["Browser", asyncio.AbstractEventLoop]) -> Pages:
    return Pages(_launched[0])


@pytest.fixture
def opened_page(browser: "Browser", _pages: Pages) -> Iterator[Callable[..., "Page"]]:
    """Open pages; at the end none must have said anything on the console or asked anybody for anything."""
    _pages.said.clear()
    yield _pages.open
    _pages.leave()
    assert _pages.said == []


@pytest.fixture(scope="session")
def axe() -> str:
    """Return the script of axe as it comes."""
    package = pytest.importorskip("axe_playwright_python", reason="needs axe-playwright-python, of the extra `test`")
    return resources.files(package).joinpath("axe.min.js").read_text("utf-8")


@pytest.fixture(scope="session")
def violations(axe: str) -> Callable[["Page"], list[tuple[str, ...]]]:
    """Return what finds the elements of a page that axe complains about, by a script that does so in half the time."""
    faster = f"((WeakMap) => {{{axe}}})({_FIELDS}); {_COLORS}"

    def found(shown: "Page", script: str = faster) -> list[tuple[str, ...]]:
        shown.evaluate(script)
        broken = shown.evaluate("axe.run({resultTypes: ['violations'], selectors: false})")["violations"]
        return [(rule["id"], node["html"], node["failureSummary"]) for rule in broken for node in rule["nodes"]]

    return found


# As it comes, axe parses the few colours of a page again for every element, and keeps their fields in weak maps.
_FIELDS = """class {
  key = Symbol()
  has(object) { return this.key in object }
  get(object) { return object[this.key] }
  set(object, value) { object[this.key] = value; return this }
}"""
_COLORS = """(() => {
  const colors = axe.commons.color.Color.prototype, parse = colors.parseString, parsed = new Map()
  colors.parseString = function (text) {
    if (!parsed.has(text)) {
      parse.call(this, text)
      parsed.set(text, {r: this.r, g: this.g, b: this.b, alpha: this.alpha})
    }
    return Object.assign(this, parsed.get(text))
  }
})()"""
