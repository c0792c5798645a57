"""The page of an audit, opened in a browser: long ids, text from right to left, and what looks like markup."""

from pathlib import Path

import audited
import pytest
from cases import first_of
from unfolded import unfold

from benchbench.report.draw import draw

LONG = "<script>window.broken = 1</script>" + "long" * 45


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    queries, documents = audited.clean(queries=30, documents=90)
    queries[0] |= {"text": f"מה קובע החוק? {LONG}", "judged": {LONG: 1}}
    queries[1]["judged"] = {}
    queries[2]["text"] = documents[80]["text"]
    documents[81]["text"] = documents[6]["text"]
    documents[82]["text"] = f"{documents[8]['text']} {documents[8]['text']} ملحق"
    documents[83]["text"] = f"{documents[8]['text']} {documents[8]['text']} <b>"
    documents[84]["text"] = "cafÃ© table &amp; two stools"
    path = tmp_path_factory.mktemp("audit") / "audit.html"
    path.write_text(draw(audited.audited(queries, documents), "html"), encoding="utf-8")
    return path


@pytest.mark.parametrize(("width", "scheme"), first_of((390, "dark"), (1280, "light")))
def test_axe_finds_nothing_and_nothing_scrolls_sideways(opened_page, violations, file: Path, width: int, scheme: str):
    shown = opened_page(file, width, scheme)
    assert violations(shown) == []
    unfold(shown, ".fold > summary")
    assert violations(shown) == []
    assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert not shown.evaluate("'broken' in window")
    assert shown.locator(".sides ins").count() > 0
