"""The two data sets of `judged_data`, in folders of their own."""

from pathlib import Path

import judged_data
import pytest

from benchbench.formats.datasets.data_set import DataSet


@pytest.fixture
def cases(tmp_path: Path) -> DataSet:
    return judged_data.cases_in(tmp_path / "cases")


@pytest.fixture
def shop(tmp_path: Path) -> DataSet:
    return judged_data.shop_in(tmp_path / "shop")
