"""The protocols that are built in: each is a description in this folder (docs/protocol.md)."""

from pathlib import Path

_FOLDER = Path(__file__).parent
BUILT_IN = tuple(sorted(file.stem for file in _FOLDER.glob("*.toml")))


def file_of(name: str) -> Path:
    """Return the description of a protocol that is built in."""
    return _FOLDER / f"{name}.toml"
