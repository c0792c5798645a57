"""The queries of a data set of any make, as columns."""

from benchbench.formats.datasets.data_set import TIERED, DataSet
from benchbench.tables.labels import NO_LABELS, LabelSchema
from benchbench.tables.queries import Queries


def read_queries(
    data: DataSet,
    encoding: str | None = None,
    skip_bad_lines: bool = False,
    max_positives: int = 0,
    schema: LabelSchema = NO_LABELS,
    self_by: str | None = None,
) -> Queries:
    """Read the queries of a data set, with their judgments and labels.

    Parameters
    ----------
    data
        What `locate` found.
    encoding
        A Python codec name; None detects the UTF encodings.
    skip_bad_lines
        Count a line that cannot be read and go on, instead of raising.
    max_positives
        Positives per query, in file order; those beyond it are `left_out`. 0: all.
    schema
        The labels of queries, which are read.
    self_by
        What makes a hit the query itself; None: as the data set says.

    Raises
    ------
    InputError
        With file, line and reason.
    """
    if data.make == TIERED:
        from benchbench.formats.tiered import read_tiered

        return read_tiered(data.queries.path, encoding, skip_bad_lines, max_positives, schema)
    from benchbench.formats.datasets.judged import read_judged

    return read_judged(data, encoding, skip_bad_lines, max_positives, schema, self_by)
