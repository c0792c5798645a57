"""The charts of a page by their names, each as a picture that stands alone.

A chart has its name in its block. Of charts that a choice of the page switches, the one that is shown first has the
name, and each other one the name, a colon and its option: `front`, `front:RR@10`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from benchbench.errors import InputError
from benchbench.report.comparison_blocks import Chooser, Differences
from benchbench.report.draw import layout
from benchbench.report.page_blocks import Choice, Option, Pair, Panel, Panels, Section, Tracks, Views
from benchbench.report.render.picture import picture
from benchbench.results.picture import Figure

if TYPE_CHECKING:
    from benchbench.report.page_blocks import Drawing
    from benchbench.results.result import Result


class Chart(NamedTuple):
    """A chart of a page, with the heading above it in its title, and in how many columns it is drawn."""

    name: str
    title: str
    panel: Panel
    plot: "Drawing"
    columns: int


def charts(blocks: Iterable[Any]) -> Iterator[Chart]:
    """Yield the charts of a page in its order, also those that are shown only after a choice."""
    section, choices = "", dict[str, Choice]()
    for block in blocks:
        if isinstance(block, Section):
            section = block.heading
        for choice in _choices(block):
            choices[choice.key] = choice
        yield from _of_block(block, section, choices)


def _choices(block: Any) -> Iterator[Choice]:
    """Yield the choice that a block has; that of a comparison's measures has no buttons of its own."""
    if isinstance(block, Chooser):
        yield Choice("m", "", [Option(measure) for measure in block.measures])
    elif isinstance(block, Section | Tracks) and block.choice is not None:
        yield block.choice


def _of_block(block: Any, section: str, choices: Mapping[str, Choice], columns: int | None = None) -> Iterator[Chart]:
    if isinstance(block, Differences):
        yield from _of_block(Panels(block.panels), section, choices)
    elif isinstance(block, Panels):
        for panel in block.panels:
            choice = choices.get(panel.key) if len(panel.plots) > 1 else None
            title = ": ".join(filter(None, (section, panel.title)))
            for place, plot in enumerate(panel.plots):
                chart = Chart(panel.name, title, panel, plot, columns or block.columns)
                yield chart if choice is None else _chosen(chart, choice.options[place].text, place == 0)
    elif isinstance(block, Pair):
        for left in block.left:
            yield from _of_block(left, section, choices, 2)
    elif isinstance(block, Views):
        options = choices[block.key].options if block.key in choices and len(block.options) > 1 else ()
        for places, parts in block.options:
            for part in parts:
                for chart in _of_block(part, section, choices):
                    yield _chosen(chart, options[places[0]].text, block.first in places) if options else chart
    elif isinstance(block, Tracks):
        for track in block.tracks:
            panel = Panel(track.title, track.subtitle, [track.plot], name=track.name)
            yield Chart(track.name, f"{section}: {track.title}", panel, track.plot, block.columns)


def _chosen(chart: Chart, option: str, is_first: bool) -> Chart:
    """Return a chart that a choice shows, with the option in its title, and in its name where it is not the first."""
    name = chart.name if is_first else f"{chart.name}:{option}"
    return chart._replace(name=name, title=f"{chart.title}, {option}")


def of_page(blocks: Iterable[Any]) -> dict[str, Chart]:
    """Return the charts of a page by their names; a second one of the same name has a number behind it."""
    named: dict[str, Chart] = {}
    for chart in charts(blocks):
        name, number = chart.name, 1
        while name in named:
            number += 1
            name = f"{chart.name}-{number}"
        named[name] = chart
    return named


def figure(result: "Result", name: str) -> Figure:
    """Return a chart of the page of a result.

    Raises
    ------
    InputError
        When the page has no chart of that name; it names those that there are.
    """
    return figures(layout(result).of_page(), [name])[0]


def figures(blocks: Iterable[Any], names: Sequence[str]) -> list[Figure]:
    """Return charts of a page; InputError for a name that it does not have."""
    named = of_page(blocks)
    for name in names:
        if name not in named:
            raise InputError(f"the page has no figure {name!r}; {_told(named)}")
    return [Figure(name, picture(*named[name][1:])) for name in names]


def _told(names: Iterable[str]) -> str:
    """Return which figures there are, and what follows the colon of those that a choice switches."""
    first = [name for name in names if ":" not in name]
    options = list(dict.fromkeys(name.partition(":")[2] for name in names if ":" in name))
    more = f"; NAME:OPTION is one that a choice shows: {', '.join(options)}" if options else ""
    return f"there are: {', '.join(first)}{more}" if first else "it has no charts"
