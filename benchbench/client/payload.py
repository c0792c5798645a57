"""What one request carries: a body, and what fills the places of the URL where there are some."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from msgspec import Struct

from benchbench.client.templates import NOTHING, fill, places


class Located(Struct, frozen=True):
    """A request with a URL of its own: the values of the places in it, and a body where it has one."""

    values: Mapping[str, Any]  # texts, and `NOTHING` for parameters that are left out
    body: bytes | None = None

    def url(self, template: str) -> str:
        """Return an encoded URL with its places filled; what is put in is escaped so that it parts nothing."""
        absent = {name for name, value in self.values.items() if value is NOTHING}
        filled = {
            name: quote(value, safe="", errors="replace") for name, value in self.values.items() if name not in absent
        }
        return str(fill(_without(template, absent) if absent else template, filled))


def _without(template: str, absent: set[str]) -> str:
    """Return a URL without the parameters that have one of some places."""
    front, _, query = template.partition("?")
    kept = [parameter for parameter in query.split("&") if parameter and absent.isdisjoint(places(parameter))]
    return f"{front}?{'&'.join(kept)}" if kept else front


Payload = bytes | Located  # bytes are the body of a request to the one URL
