"""Accessibility as tests look for it: what is wrong is found, and by the faster script just as by axe as it comes."""

from pathlib import Path

PAGE = """<!doctype html><html><meta charset="utf-8"><title></title>
<style>p { color: #767676 } .faint { color: rgb(0 0 0 / 40%) } .over { background: hsl(0.6turn 100% 20%); opacity: .9 }
.shadow { color: #aaa; text-shadow: 0 0 2px color(srgb .5 .5 .5) } .mixed { mix-blend-mode: multiply; color: #888 }
</style>
<main><h1>A page</h1><p>Enough.</p><p class=faint>Too faint.</p><div class=over><p>On blue.</p></div>
<p class=shadow>Of a shadow.</p><p class=mixed>Mixed.</p><img src="data:,"><button></button><ul><p>No item.</p></ul>
<input><a href="#nowhere" style="color: #999">Link</a></main></html>"""


def test_what_is_wrong_is_found_as_by_axe_as_it_comes(opened_page, violations, axe: str, tmp_path: Path):
    path = tmp_path / "page.html"
    path.write_text(PAGE, encoding="utf-8")
    found = violations(opened_page(path))
    assert found == violations(opened_page(path), axe)
    expected = {"button-name", "color-contrast", "document-title", "html-has-lang", "image-alt", "label", "list"}
    assert {name for name, _, _ in found} >= expected
    faint = [html for name, html, summary in found if name == "color-contrast" and "foreground color: #" in summary]
    assert len(faint) == 5
