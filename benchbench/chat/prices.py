"""What tokens cost: prices as data, each with the day on which it was read and where.

A model that is not known has no price, and a cost that cannot be known is None, never 0.
"""

import datetime
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct

from benchbench.errors import InputError, visible
from benchbench.results.declared import number, taken
from benchbench.results.ranges import Range
from benchbench.tables.text_files import read_whole, toml_beside, toml_value

STALE = 180  # days
MILLION = 1_000_000
USD = Range(0, 1_000_000, whole=False)
_BUILT_IN = "prices.toml"
_MEMBERS = "a price has models, input, output, date and source"
_DATED = re.compile(r"-(\d{4}-\d\d-\d\d|20\d{6})$")  # of a version: gpt-4o-2024-08-06


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens.

    Attributes
    ----------
    input, output
        Of tokens of questions and of answers. Discounts, as for what the endpoint has cached, are not in them.
    date
        The day on which they were read (ISO); empty where the user gave them.
    source
        Where they were read.
    """

    input: float
    output: float
    date: str
    source: str

    def cost(self, tokens_in: int | None, tokens_out: int | None) -> float | None:
        """Return US dollars, None where the number of tokens is not known."""
        if tokens_in is None or tokens_out is None:
            return None
        return (tokens_in * self.input + tokens_out * self.output) / MILLION

    def warning(self, today: datetime.date | None = None) -> str | None:
        """Return a sentence where the price is too old to rely on."""
        if not self.date:
            return None
        days = ((today or datetime.datetime.now(datetime.UTC).date()) - datetime.date.fromisoformat(self.date)).days
        if days <= STALE:
            return None
        return (
            f"the price of {self.input:g} and {self.output:g} US dollars per million tokens was read {days:,} days "
            f"ago, on {self.date} ({self.source}): look up today's price there and give it with --price IN,OUT"
        )


class _Row(Struct, forbid_unknown_fields=True):
    models: Annotated[
        list[Annotated[str, Meta(min_length=1)]],
        Meta(min_length=1, description='a list of names, such as ["gpt-4o"]'),
    ]
    input: Annotated[float, number(USD)]
    output: Annotated[float, number(USD)]
    date: Annotated[datetime.date, Meta(description="a day without quotes, such as 2026-05-31")]
    source: Annotated[str, Meta(min_length=1, description="a text that says where it was read, such as a URL")]


def price(model: str, given: str | None = None, file: Path | None = None) -> Price | None:
    """Return what a model costs, None where nobody says.

    Parameters
    ----------
    model
        Its name; a date at its end, as of a version, may be missing in the list.
    given
        The price itself, as `--price` takes it: `IN,OUT`.
    file
        A list of prices that goes before the one that is built in.

    Raises
    ------
    InputError
        For what is no price, naming the option or the file.
    """
    if given is not None:
        return _given(given)
    lists = [_built_in()]
    if file is not None:
        lists.insert(0, _prices(toml_value(_content(file), str(file)), str(file)))
    names = (model, _DATED.sub("", model))
    return next((prices[name] for prices in lists for name in names if name in prices), None)


def _given(text: str) -> Price:
    parts = text.split(",")
    if len(parts) != 2:
        raise InputError(
            f"--price is two numbers with a comma between them, US dollars per million tokens in and out, such as "
            f"2.50,10, and not {visible(text, 40)}"
        )
    first, second = (USD.read(part, "--price") for part in parts)
    return Price(first, second, "", "--price")


def _content(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            return read_whole(opened, str(file))
    except OSError as error:
        raise InputError(f"--prices {file} cannot be read: {error.strerror}") from None


def _built_in() -> dict[str, Price]:
    return _prices(toml_beside(__file__, _BUILT_IN), _BUILT_IN)


def _prices(table: dict[str, Any], name: str) -> dict[str, Price]:
    """Return the prices of a list by model."""
    rows = table.get("price")
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise InputError(f"{name} has no [[price]]; {_MEMBERS}")
    prices: dict[str, Price] = {}
    for place, written in enumerate(rows, 1):
        row = taken(written, _Row, f"{name}, price {place}", _MEMBERS)
        for model in row.models:
            if model in prices:
                raise InputError(f"{name}, price {place}: {visible(model, 80)} already has a price")
            prices[model] = Price(row.input, row.output, row.date.isoformat(), visible(row.source, 200))
    return prices
