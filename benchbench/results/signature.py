"""One line that makes a score reproducible; scores with different lines are not silently compared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

_DIGITS = 8


@dataclass(frozen=True, slots=True)
class Signature:
    """Named parts in a fixed order; printed `name:value|name:value|…`."""

    parts: Mapping[str, str]

    def __str__(self) -> str:
        return "|".join(f"{name}:{value}" for name, value in self.parts.items())


def parts_of(signature: str) -> dict[str, str]:
    """Return the named parts of a printed signature."""
    return dict(part.partition(":")[::2] for part in signature.split("|"))


def short(signature: str) -> str:
    """Return the first digits of the SHA-256 of a printed signature, by which people tell two apart."""
    return sha256(signature.encode()).hexdigest()[:_DIGITS]


def shared_signature(parts: Sequence[Mapping[str, str]]) -> str:
    """Return the parts of signatures that all of them share, as one signature."""
    first, *others = parts
    shared = {name: value for name, value in first.items() if all(other.get(name) == value for other in others)}
    return str(Signature(shared))
