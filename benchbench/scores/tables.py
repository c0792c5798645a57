"""Rows as tables: the types of a named tuple are those of the columns."""

from collections.abc import Iterable
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    import polars as pl


def plain(value: Any) -> Any:
    """Return a value as a table takes it: named tuples as mappings, text without lone surrogates."""
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: plain(member) for name, member in value._asdict().items()}
    return [plain(member) for member in value] if isinstance(value, list) else value


def table_of(kind: type, rows: Iterable[Any]) -> "pl.DataFrame":
    """Return named tuples of one kind as a table."""
    import polars as pl

    schema, several = schema_of(kind), list(rows)
    return pl.DataFrame({name: [plain(getattr(row, name)) for row in several] for name in schema}, schema=schema)


def schema_of(kind: type) -> dict[str, Any]:
    """Return the columns of a table of named tuples."""
    return {name: _column(column) for name, column in get_type_hints(kind).items()}


def _column(kind: Any) -> Any:
    import polars as pl

    if get_origin(kind) is UnionType:
        (kind,) = (alternative for alternative in get_args(kind) if alternative is not NoneType)
    if get_origin(kind) is list:
        return pl.List(_column(*get_args(kind)))
    plain_kinds = {str: pl.String, int: pl.Int64, float: pl.Float64, bool: pl.Boolean}
    return plain_kinds[kind] if kind in plain_kinds else pl.Struct(schema_of(kind))
