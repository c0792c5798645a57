"""A setting is described once: its check, its option and its docstring are made of that."""

import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import click
import pytest
from click.testing import CliRunner

from benchbench.cli.signatures import After, Argument, Fields, described_command
from benchbench.errors import InputError
from benchbench.tables.numbers import COUNT, SHARE
from benchbench.tables.settings import Opt, Seed, check_described, described

Order = Literal["shuffle", "zipf"]


@described
@dataclass(frozen=True, slots=True)
class Drawing:
    """How items are drawn.

    Attributes
    ----------
    items
        What is drawn from.
    """

    items: tuple[str, ...]
    limit: Annotated[int, Opt("Items to draw.", COUNT, ("-n", "--limit"))] = 10
    share: Annotated[float | None, Opt("Share of them.", SHARE, default="all")] = None
    order: Annotated[Order, Opt("In which order.", ("shuffle", "zipf"))] = "shuffle"
    groups: Annotated[tuple[int, ...], Opt("Of which groups.", COUNT, ("--group",), metavar="N,…")] = ()
    again: Annotated[bool, Opt("Draw each more than once.")] = False
    place: Annotated[Path | None, Opt("Where they go.", instead_of=("again",))] = None

    def __post_init__(self) -> None:
        check_described(self)


def doubled(count: Annotated[int, Opt("Half of them.", COUNT)] = 1) -> int:
    return 2 * count


@described_command("draw")
def draw(
    items: Annotated[tuple[str, ...], Argument("ITEM…")],
    settings: Annotated[dict[str, Any], Fields(Drawing, but=("order",))],
    order: Annotated[Order, Opt("In which order."), After("share")] = "shuffle",
    *,
    twice: Annotated[int, doubled],
    seed: Seed = 3,
    wait: Annotated[float, Opt("Time between them.", is_time=True)] = 90.0,
) -> None:
    """Draw."""
    click.echo(repr((Drawing(items, order=order, **settings), twice, seed, wait)))


def test_options_are_made_of_settings():
    drawn = Drawing(("a",), 5, 0.5, "zipf", (1, 2), True, Path("x"))
    line = "a -n 5 --share .5 --order zipf --group 1,2 --again --place x --count 4 --seed 4 --wait 500ms"
    assert CliRunner().invoke(draw, line.split()).output == f"{(drawn, 8, 4, 0.5)!r}\n"
    assert CliRunner().invoke(draw, ["a"]).output == f"{(Drawing(('a',)), 2, 3, 90.0)!r}\n"
    (place,) = (one for one in draw.params if one.name == "place")
    assert place.instead_of == ("again",)  # type: ignore[attr-defined]


def test_help_has_each_sentence_with_its_default():
    text = " ".join(CliRunner().invoke(draw, ["--help"]).output.split())
    for part in (
        "-n, --limit INTEGER Items to draw. [default: 10]",
        "--share NUMBER Share of them. [default: all]",
        "--order [shuffle|zipf] In which order. [default: shuffle]",
        "--group N,… Of which groups. --again Draw each more than once. --place PATH Where they go.",
        "--share NUMBER Share of them. [default: all] --order [shuffle|zipf] In which order.",
        "--count INTEGER Half of them. [default: 1] --seed INTEGER Seed of what is left to chance. [default: 3]",
        "--wait TIME Time between them. [default: 1.5min] -q, --quiet",
    ):
        assert part in text


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"limit": 0}, "--limit is a whole number from 1 to 1,000,000,000, and not 0"),
        ({"limit": None}, "--limit is a whole number from 1 to 1,000,000,000, and not None"),
        ({"share": 2}, "--share is a number from 0 to 1, and not 2"),
        ({"order": "none"}, "--order is one of shuffle, zipf, and not none"),
        ({"groups": (1, 0)}, "--group is a whole number from 1 to 1,000,000,000, and not 0"),
    ],
    ids=str,
)
def test_what_a_setting_may_not_be_is_refused_by_the_name_of_its_option(given: dict[str, Any], reason: str):
    with pytest.raises(InputError) as refused:
        Drawing(("a",), **given)
    assert str(refused.value) == reason


def test_numbers_are_those_of_the_command_line_and_one_of_a_list_may_stand_alone():
    drawn = Drawing(("a",), share=1, groups=3)  # type: ignore[arg-type]
    assert (drawn.share, type(drawn.share), drawn.groups) == (1.0, float, (3,))


def test_a_signature_shows_the_sentence_of_a_setting_and_nothing_else_of_it():
    shown = str(inspect.signature(Drawing))
    assert "'Items to draw.'" in shown
    assert "Opt(" not in shown


def test_a_docstring_has_the_settings_in_their_order_beside_what_stands_there():
    assert inspect.cleandoc(Drawing.__doc__ or "") == inspect.cleandoc(
        """How items are drawn.

        Attributes
        ----------
        items
            What is drawn from.
        limit
            Items to draw. Default: 10. (`--limit`)
        share
            Share of them. Default: all. (`--share`)
        order
            In which order. Default: shuffle. (`--order`)
        groups
            Of which groups. (`--group`)
        again
            Draw each more than once. (`--again`)
        place
            Where they go. (`--place`)
        """
    )
