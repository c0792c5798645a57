"""The options that name a data set."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from benchbench.errors import InputError
from benchbench.formats.datasets.data_set_options import DataSetOptions
from benchbench.results.settings import described_settings

if TYPE_CHECKING:
    from benchbench.formats.datasets.data_set import DataSet


def data_set(options: DataSetOptions) -> "DataSet":
    """Return the data set that the options name."""
    from benchbench.formats.datasets.locate import located

    return located(options)


def named(given: dict[str, Any]) -> DataSetOptions:
    """Return what the values of a command's options name."""
    return DataSetOptions(**{one.name: given[one.name] for one in described_settings(DataSetOptions)})


def with_argument(given: DataSetOptions, argument: str | None, metavar: str = "DATASET") -> DataSetOptions:
    """Return the options with the data set that an argument names; InputError where --dataset names one too."""
    if argument is None:
        return given
    if given.dataset is not None:
        raise InputError(f"{metavar} and --dataset both name a data set; give one")
    return replace(given, dataset=argument)


DataSetFound = Annotated["DataSet", data_set]
