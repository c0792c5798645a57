"""What one request carries: a body, and what fills the places of the URL where there are some."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

from benchbench.client.templates import fill


@dataclass(frozen=True, slots=True)
class Located:
    """A request with a URL of its own: the values of the places in it, and a body where it has one."""

    values: Mapping[str, str]
    body: bytes | None = None

    def url(self, template: str) -> str:
        """Return an encoded URL with its places filled; what is put in is escaped so that it parts nothing."""
        return str(
            fill(template, {name: quote(value, safe="", errors="replace") for name, value in self.values.items()})
        )


Payload = bytes | Located  # bytes are the body of a request to the one URL
