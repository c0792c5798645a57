"""The charts of a page by their names, each as a picture that stands alone.

A chart has its name in its block. Of charts that a choice of the page switches, the one that is shown first has the
name, and each other one the name, a colon and its option: `front`, `front:RR@10`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from benchbench.errors import InputError
from benchbench.report.comparison_blocks import Chooser
from benchbench.report.draw import layout
from benchbench.report.page_blocks import Choice, Option, Pair, Panel, Panels, Section, Tracks, Views
from benchbench.report.render.picture import picture
from benchbench.results.picture import Figure

if TYPE_CHECKING:
    from benchbench.report.page_blocks import Plot
    from benchbench.results.result import Result


class Chart(NamedTuple):
    """A chart of a page: below which heading it stands, what stands above it, and in how many columns it is drawn."""

    name: str
    section: str
    panel: Panel
    plot: "Plot"
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
    if isinstance(block, Panels):
        for panel in block.panels:
            names = _option_names(panel.name, choices.get(panel.key), len(panel.plots))
            for name, plot in zip(names, panel.plots, strict=True):
                yield Chart(name, section, panel, plot, columns or block.columns)
    elif isinstance(block, Pair):
        for part in block.left:
            yield from _of_block(part, section, choices, 2)
    elif isinstance(block, Views):
        options = choices[block.key].options if block.key in choices else ()
        for places, parts in block.options:
            for part in parts:
                for chart in _of_block(part, section, choices):
                    shown = block.first in places or not options
                    yield chart if shown else chart._replace(name=f"{chart.name}:{options[places[0]].text}")
    elif isinstance(block, Tracks):
        for track in block.tracks:
            panel = Panel(track.title, track.subtitle, [track.plot], name=track.name)
            yield Chart(track.name, section, panel, track.plot, block.columns)


def _option_names(name: str, choice: Choice | None, count: int) -> Sequence[str]:
    """Return the names of the charts that a choice switches."""
    if choice is None or count == 1:
        return [name] * count
    return [name if place == choice.first else f"{name}:{option.text}" for place, option in enumerate(choice.options)]


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
            there = f"there are: {', '.join(named)}" if named else "it has none"
            raise InputError(f"the page has no figure {name!r}; {there}")
    return [Figure(name, picture(named[name].panel, named[name].plot, named[name].columns)) for name in names]
