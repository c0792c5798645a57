"""Judgments or hits from frames: Parquet, Arrow, tables with a header, polars, pandas.

Within this file a frame has the columns query, document, value, subtopic where qrels have one, and row, its number.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

import numpy as np

from benchbench.errors import InputError, said_by, said_of
from benchbench.formats.columns import choose_columns
from benchbench.formats.source import Source, fields_of, header_names, separator
from benchbench.tables.borrowed import Borrowed
from benchbench.tables.rows import Rows, id_text

if TYPE_CHECKING:
    import polars as pl

CHUNK = 250_000  # rows that a thread takes at once
_NAMES = ("query", "document", "value", "subtopic")
_ROW = "row"


def file_rows(source: Source, kind: Literal["parquet", "arrow", "table"], run: bool) -> Iterator[Borrowed[Rows]]:
    """Yield the rows of a file, a chunk of whole queries at a time."""
    import polars as pl

    try:
        with source.opened() as file:
            if kind == "table":
                yield from _table_rows(source, file, run)
                return
            lazy = _scanned(source, file, kind)
            columns = choose_columns(lazy.collect_schema().names(), run, source.name)
            yield from frame_rows(_batches(_named(lazy, columns)), run, source.name)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        wrong = _bad_line(source) if kind == "table" else None
        raise InputError(f"{source.name}{wrong or f' is no {kind} file: {said_by(error)}'}") from None


def frame_rows(
    frames: Iterable["pl.DataFrame"], run: bool, name: str, unit: str = "row", first: int = 1
) -> Iterator[Borrowed[Rows]]:
    """Yield the rows of frames that follow upon each other, a chunk of whole queries at a time.

    An InputError from the use of a chunk names the row, counted in units from `first`.
    """
    import polars as pl

    rest: pl.DataFrame | None = None
    for batch in frames:
        for frame in batch.iter_slices(CHUNK):
            whole = frame if rest is None else pl.concat([rest, frame])
            cut = int(_starts(whole["query"])[-1])
            if cut:
                yield Borrowed.of(partial(_rows, whole[:cut], run, name, unit, first))
            rest = whole[cut:]
    if rest is not None:
        yield Borrowed.of(partial(_rows, rest, run, name, unit, first))


def as_frame(frame: Any, run: bool, name: str) -> "pl.DataFrame":
    """Return a frame of polars, pandas or Arrow as `frame_rows` takes it; InputError when it cannot be one."""
    import polars as pl

    try:
        if hasattr(frame, "iloc"):  # pandas, which has texts in several ways, and pyarrow not always beside it
            names = [str(column) for column in frame.columns]
            places = [names.index(column) for column in choose_columns(names, run, name)]
            kinds = zip(places, _NAMES, strict=False)
            frame = pl.DataFrame([_series(frame.iloc[:, i], names[i], what, name) for i, what in kinds])
        elif hasattr(frame, "__arrow_c_stream__") or hasattr(frame, "__arrow_c_array__"):
            frame = pl.DataFrame(frame)
        elif not isinstance(frame, pl.DataFrame | pl.LazyFrame):
            raise TypeError(f"it is of type {type(frame).__name__}; from_dict takes dictionaries, from_file paths")
        lazy = frame.lazy()
        return _named(lazy, choose_columns(lazy.collect_schema().names(), run, name)).collect()
    except (AttributeError, TypeError, ValueError, OverflowError, OSError, pl.exceptions.PolarsError) as error:
        raise InputError(f"{name} cannot be read as a frame of polars, pandas or Arrow: {said_by(error)}") from None


def of_arrays(columns: Sequence[Any], name: str) -> "pl.DataFrame":
    """Return arrays of query ids, document ids and values as a frame; InputError when they are no such thing."""
    import polars as pl

    try:
        shapes = [np.shape(column) for column in columns]
        if any(shape != shapes[0] or len(shape) != 1 for shape in shapes):
            raise ValueError(f"they are of shapes {', '.join(map(str, shapes))}")
        arrays = [_series(column, label, label, name) for column, label in zip(columns, _NAMES, strict=False)]
        return pl.DataFrame(arrays).with_row_index(_ROW)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError) as error:
        raise InputError(
            f"{name} needs three arrays (query ids, document ids, numbers) of one dimension and one length: "
            f"{said_by(error)}"
        ) from None


def _series(values: Any, label: str, what: str, name: str) -> "pl.Series":
    """Return a column of pandas, or what numpy takes for an array, as one of polars; `what` is one of `_NAMES`."""
    import polars as pl

    array = np.asarray(values)
    if array.dtype.kind in "biufU":
        return pl.Series(label, array.astype(array.dtype.newbyteorder("=")))
    objects = array.astype(object)
    missing = values.isna() if hasattr(values, "isna") else [one != one for one in objects]
    objects[np.asarray(missing, np.bool_)] = None
    given = objects.tolist()
    if what == "value" or set(map(type, given)) <= {str, type(None)}:
        return pl.Series(label, given, strict=False)
    with said_of(name):
        return pl.Series(label, [None if one is None else id_text(one, what) for one in given], pl.String)


def _scanned(source: Source, file: BinaryIO, kind: Literal["parquet", "arrow"]) -> "pl.LazyFrame":
    import polars as pl

    is_stream = file.read(6) != b"ARROW1"
    file.seek(0)
    data = source.path if source.is_plain else file.read()
    if kind == "parquet":
        return pl.scan_parquet(data, glob=False)
    return pl.read_ipc_stream(data).lazy() if is_stream else pl.scan_ipc(data, glob=False)


def _table_rows(source: Source, file: BinaryIO, run: bool) -> Iterator[Borrowed[Rows]]:
    """Yield the rows of a table, all of its columns texts; its first line names them unless it is nameless."""
    import polars as pl

    lines = source.lines()
    _, header = next(lines)
    names, first = header_names(header), 1 if is_nameless(header, run) else None
    if first is None:
        columns = [str(names.index(column)) for column in choose_columns(names, run, source.name)]
        first = next((number for number, line in lines if line.strip()), None)
        if first is None:
            return
    else:
        columns = ["0", "1", "2"]
    lazy = pl.scan_csv(
        source.path if source.is_plain else file.read(),
        separator=separator(header),
        has_header=False,
        skip_lines=first - 1,
        schema={str(i): pl.String for i in range(len(names))},
        quote_char=None if separator(header) == "\t" and b'"' not in header else '"',
        glob=False,
    )
    last = pl.col(str(len(names) - 1)).alias("last")  # unread, a line with more fields than names goes unnoticed
    frame = _named(lazy, columns, last).filter(~pl.all_horizontal(pl.exclude(_ROW).is_null()))  # blank lines
    yield from frame_rows(_batches(frame), run, source.name, "line", first)


def is_nameless(line: bytes, run: bool) -> bool:
    """Say whether the first line of a table of judgments is one of them: query, document, grade, as in BEIR.

    Of a run the third field may be a rank as well as a score (MS MARCO), so that its columns have to be named.
    """
    fields = fields_of(line, separator(line))
    if run or len(fields) != 3:
        return False
    try:
        float(fields[2])
    except ValueError:
        return False
    return True


def _named(lazy: "pl.LazyFrame", columns: list[str], *others: "pl.Expr") -> "pl.LazyFrame":
    import polars as pl

    named = (pl.col(column).alias(name) for column, name in zip(columns, _NAMES, strict=False))
    return lazy.select(*named, *others).with_row_index(_ROW)


def _batches(lazy: "pl.LazyFrame") -> Iterator["pl.DataFrame"]:
    return lazy.collect_batches(chunk_size=CHUNK, maintain_order=True)


def _bad_line(source: Source) -> str | None:
    """Find what polars does not place: the line of a table that has other fields than its header, or is no text."""
    lines = source.lines()
    _, header = next(lines)
    wanted, unpaired = len(header_names(header)), None
    for number, line in lines:
        count = len(fields_of(line, separator(header)))
        try:
            line.decode()
        except UnicodeDecodeError as error:
            return f", line {number}: not UTF-8 (byte {error.start + 1} of the line)"
        if line.strip() and count != wanted:
            return f", line {number}: {count} fields instead of {wanted}"
        if unpaired is None and line.count(b'"') % 2:
            unpaired = f", line {number}: a quotation mark without its pair"
    return unpaired


def _starts(query: "pl.Series") -> "pl.Series":
    """Return the first row of each group; a row without a query is one of its own."""
    return (query != query.shift()).fill_null(True).arg_true()


def _rows(frame: "pl.DataFrame", run: bool, name: str, unit: str, first: int) -> Rows:
    import polars as pl

    query, value, what = frame["query"], frame["value"], "score" if run else "grade"
    starts, numbers = _starts(query), _numbers(value, what, name)
    parts = {"query": _texts(query.gather(starts), "query", name)}
    parts |= {
        column: _texts(frame[column], column, name) for column in ("document", "subtopic") if column in frame.columns
    }

    def where(row: int) -> str:
        return f"{name}, {unit} {first + frame[_ROW][row]}"

    if (bad := (parts["query"] == "").arg_true()).len():
        raise InputError(f"{where(starts[bad[0]])}: no query id")
    if (bad := (parts["document"] == "").arg_true()).len():
        raise InputError(f"{where(bad[0])}: no document id")
    if (bad := (numbers.is_null() | numbers.is_nan()).arg_true()).len():
        shown = str(value[bad[0]] or "")[:40]
        raise InputError(f"{where(bad[0])}: {f'the {what} {shown!r} is not a number' if shown else f'no {what}'}")
    if numbers.is_infinite().any() and not value.dtype.is_numeric():
        written = value.cast(pl.String)
        if (bad := (numbers.is_infinite() & written.str.contains("[0-9]")).arg_true()).len():
            raise InputError(f"{where(bad[0])}: the {what} {written[bad[0]][:40]!r} is too large for a 64-bit float")
    texts = pl.concat(list(parts.values()), rechunk=False)
    text = texts.str.join("").cast(pl.Binary).item()
    ends = np.zeros(len(texts) + 1, np.uint64)
    np.cumsum(texts.str.len_bytes().to_numpy(), out=ends[1:])
    groups = np.append(starts.to_numpy(), frame.height).astype(np.int64)
    return Rows.of_spans(np.frombuffer(text, np.uint8), ends[:-1], ends[1:], groups, numbers.to_numpy().copy())


def _texts(column: "pl.Series", what: str, name: str) -> "pl.Series":
    """Return ids as texts, missing ones empty."""
    import polars as pl

    if column.dtype.is_float() and not (column.is_nan() | (column.abs() < 2**53) & (column % 1 == 0)).not_().any():
        column = column.fill_nan(None).cast(pl.Int64)  # as pandas writes whole numbers beside a missing one
    kind = column.dtype
    if not (kind.is_integer() or kind in (pl.String, pl.Categorical, pl.Enum, pl.Binary, pl.Null)):
        raise InputError(
            f"{name} has {what} ids of type {kind}; ids are text or whole numbers: turn the column into text"
        )
    try:
        return column.cast(pl.String).fill_null("")
    except pl.exceptions.PolarsError:
        raise InputError(f"{name} has {what} ids that are not UTF-8; ids are text") from None


def _numbers(column: "pl.Series", what: str, name: str) -> "pl.Series":
    import polars as pl

    kind = column.dtype
    if kind in (pl.String, pl.Categorical, pl.Enum):
        column = column.cast(pl.String).str.strip_chars()
    elif not (kind.is_numeric() or kind in (pl.Boolean, pl.Null)):
        raise InputError(f"{name} has {what}s of type {kind} instead of numbers")
    return column.cast(pl.Float64, strict=False)
