"""A result in a format: the kind's layout, drawn by the format's renderer."""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from benchbench.errors import InputError

if TYPE_CHECKING:
    from benchbench.report.layout import Layout
    from benchbench.report.render.screen import Screen
    from benchbench.results.result import Result

LAYOUTS: "dict[str, Callable[..., Layout]]" = {}  # of kinds whose layout is in no module of `report.layouts`


def layout(result: "Result", **options: Any) -> "Layout":
    """Return the layout of a result; the options are those of its kind (`per_query`, `moved`, …)."""
    kind = result.kind or result.record.kind
    if kind not in LAYOUTS:
        LAYOUTS[kind] = _layout_of(kind)
    return LAYOUTS[kind](result, **options)


def _layout_of(kind: str) -> "Callable[..., Layout]":
    """Return the layout of a kind; the one that draws any record, where the kind has none of its own."""
    from importlib.util import find_spec

    name = f"benchbench.report.layouts.{kind}"
    module = import_module(name) if kind.isidentifier() and find_spec(name) else None
    layout_of_kind: Callable[..., Layout] | None = getattr(module, "layout", None)
    if layout_of_kind is not None:
        return layout_of_kind
    from benchbench.report.standard import layout as any_record

    return any_record


Renderer = Callable[..., str]
RENDERERS: dict[str, Renderer | str] = {  # or its module and name in `report.render`, imported when it is used
    "text": "text.text",
    "json": "data.json",
    "jsonl": "data.json_lines",
    "csv": "data.csv",
    "markdown": "papers.markdown",
    "latex": "papers.latex",
    "html": "html.html",
    "notebook": "html.notebook",
    "junit": "ci.junit",
    "summary": "ci.section",
}


_FILES = ("html", "notebook", "junit", "summary")  # formats that are not printed
DATA = ("json", "jsonl", "csv")  # formats for programs, which have every row


def printed() -> tuple[str, ...]:
    """Return the formats that a command prints; the first is the default."""
    return tuple(name for name in RENDERERS if name not in _FILES)


def draw(result: "Result", form: str, screen: "Screen | None" = None, **options: Any) -> str:
    """Return a result in a format.

    Parameters
    ----------
    result
        What was measured.
    form
        One of `RENDERERS`.
    screen
        What a text is drawn for; by default 120 columns without colours.
    options
        What the layout of its kind takes.

    Raises
    ------
    InputError
        For another format.
    """
    if form not in RENDERERS:
        raise InputError(f"there is no format {form!r}; formats are {', '.join(RENDERERS)}")
    return rendered(result, layout(result, **options), form, screen)


def pages(result: "Result", summary: str = "evaluate_summary.txt") -> dict[str, str]:
    """Return what lies in a folder for people, by the names of the files: a text, called `summary`, and a page."""
    drawn = layout(result)
    return {summary: rendered(result, drawn, "text"), "report.html": rendered(result, drawn, "html")}


def page(result: "Result") -> dict[str, str]:
    """Return the page that lies in a folder, by the name of its file."""
    return {"report.html": draw(result, "html")}


def rendered(result: "Result | None", drawn: "Layout", form: str, screen: "Screen | None" = None) -> str:
    """Return a layout in a format; a listing has no result, and so no gates, section or page."""
    renderer = RENDERERS[form]
    if isinstance(renderer, str):
        module, _, name = renderer.partition(".")
        renderer = getattr(import_module(f"benchbench.report.render.{module}"), name)
    return renderer(result, drawn, screen) if form == "text" else renderer(result, drawn)
