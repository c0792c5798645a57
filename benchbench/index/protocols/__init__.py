"""The protocols by which an index is listed: each is a module of this folder, which has its kind as `KIND`."""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchbench.index.kind import IndexKind

NAMES = tuple(sorted(file.stem.replace("_", "-") for file in Path(__file__).parent.glob("[!_]*.py")))


def kind(protocol: str, options: Mapping[str, str], fields: Mapping[str, str]) -> "IndexKind":
    """Return the kind of index that `--protocol`, `--protocol-option` and `--field` describe; InputError for none."""
    from benchbench.errors import InputError
    from benchbench.index.kind import IndexFields
    from benchbench.tables.shared_messages import and_joined

    if protocol not in NAMES:
        raise InputError(f"--protocol {protocol} cannot list an index; {and_joined(NAMES)} can")
    kind_of = import_module(f"{__name__}.{protocol.replace('-', '_')}").KIND
    for name in options:
        if name not in kind_of.options:
            has = ", ".join(kind_of.options) or "none"
            raise InputError(f"--protocol-option {name}: --protocol {protocol} has no such option here; it has {has}")
    described: IndexKind = kind_of(IndexFields.of(kind_of.members, fields), **options)
    return described
