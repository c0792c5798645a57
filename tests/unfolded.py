"""What is folded on a page in a browser, unfolded all at once: a press for each takes longer than what is looked at."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

_PRESS = """async all => {
  all.forEach(one => one.click())
  await new Promise(requestAnimationFrame)  // what the page does about it is done
}"""


def unfold(shown: "Page", summaries: str) -> None:
    """Press what a selector finds."""
    shown.locator(summaries).evaluate_all(_PRESS)
