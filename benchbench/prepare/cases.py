"""Cases: what a collection of judgments gives for each of its facts."""

from typing import NamedTuple


class Case(NamedTuple):
    """One case of a collection: its text and the labels that tasks compare.

    (months: sentence in months, 0 when death or life is set)
    """

    id: str
    text: str
    accusations: tuple[str, ...]
    articles: tuple[str, ...]  # article numbers as strings, e.g. ("264",)
    months: int
    death: bool
    life: bool
