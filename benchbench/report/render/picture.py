"""A chart of a page as a picture that stands alone: an SVG with its title, legend, styles and background.

The script of a page saves the same. Selectors are flat and colours are resolved, which every program that draws SVG
understands; the rules are those of the page.
"""

import re
from collections.abc import Iterator
from functools import cache

from markupsafe import escape

from benchbench.report.assets import asset
from benchbench.report.escape import visible_lines
from benchbench.report.page_blocks import Drawing, Panel
from benchbench.report.render.lines import width as columns_of
from benchbench.report.render.lines import wrapped
from benchbench.report.render.plot import swatch, wide

_EDGE = 16  # pixels around the picture
_TITLE, _LINE = 20, 17  # pixels of a line of the title, and of other lines
_SWATCH = 32  # pixels of a swatch and what follows it
_WIDTH_OF_BOLD, _WIDTH_OF_LETTER = 8.2, 6.9  # pixels of a column of text, of a title and of others
_VARIABLE = re.compile(r"var\((--\w+)\)")
_VALUE = re.compile(r"(--\w+): ([^;]+);")
_RULE = re.compile(r"^(?:\.plot|svg|:where\(\.plot\)) ([^{]+\{[^}]*\})$", re.MULTILINE)
_OF_FOUR = re.compile(r"^\.c4 (\.c[^{]+\{[^}]*\})$", re.MULTILINE)  # of charts that stand four in a row
_HEAD = "text.title{font-size:14px;font-weight:600;fill:var(--ink)}text.sub{fill:var(--ink2)}"


def picture(title: str, panel: Panel, plot: Drawing, columns: int) -> str:
    """Return a chart as a whole SVG file; `columns` is in how many columns the page draws it."""
    drawn, width, height = wide(plot, columns)
    head = list(_head(title, panel, width))
    y = head[-1][0] + 8 if head else _EDGE
    whole, high = width + 2 * _EDGE, y + height + _EDGE
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {high}" width="{whole}" height="{high}">',
            f"<title>{escape(visible_lines(plot.description))}</title><style>{_style(columns)}</style>",
            f'<rect width="{whole}" height="{high}" fill="{_colours()["--bg"]}"/>',
            *(text for _, text in head),
            f'<g transform="translate({_EDGE} {y})">{drawn}</g></svg>\n',
        ]
    )


def _head(title: str, panel: Panel, width: int) -> Iterator[tuple[int, str]]:
    """Yield the lines of title, subtitle and legend, each with the lower end of what is drawn so far."""
    y = _EDGE
    for text, kind, letter, step in (
        (title, "title", _WIDTH_OF_BOLD, _TITLE),
        (panel.subtitle, "sub", _WIDTH_OF_LETTER, _LINE),
    ):
        for line in wrapped(visible_lines(text), int(width / letter)) if text else ():
            y += step
            yield y, f'<text class="{kind}" x="{_EDGE}" y="{y - 4}">{escape(line)}</text>'
    x = 0.0
    for series, name in panel.legend:
        wide = _SWATCH + _WIDTH_OF_LETTER * columns_of(name) + 14
        if x == 0.0 or x + wide > width:
            x, y = 0.0, y + _LINE
        at = f'<g transform="translate({_EDGE + x:.0f} {y - 12})">{swatch(series)}</g>'
        text = f'<text class="sub" x="{_EDGE + x + _SWATCH:.0f}" y="{y - 4}">{escape(visible_lines(name))}</text>'
        yield y, at + text
        x += wide


@cache
def _colours() -> dict[str, str]:
    """Return the values of the variables of the page, as it has them in the light."""
    return dict(_VALUE.findall(asset("page.css").partition("}")[0]))


@cache
def _style(columns: int) -> str:
    """Return the rules of charts, with the values of variables in them."""
    css = asset("page.css")
    rules = [rule for rule in _RULE.findall(css) if ":is(" not in rule]  # which only what is chosen on the page has
    rules += _OF_FOUR.findall(css) if columns == 4 else []
    text = _HEAD + "".join(rules)
    return _VARIABLE.sub(lambda match: _colours()[match[1]], text).replace("<", "")
