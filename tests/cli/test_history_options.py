"""The options that say which runs of a history are wanted."""

import pytest
from click.testing import CliRunner

from benchbench.cli.history_options import Store
from benchbench.cli.signatures import described_command
from benchbench.errors import InputError
from benchbench.history.settings import Wanted


def parsed(*line: str, **environment: str) -> dict:
    found: dict = {}

    @described_command("choose")
    def command(wanted: Wanted, store: Store = None) -> None:
        found.update(wanted=wanted, store=store)

    done = CliRunner().invoke(command, line, env=environment, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return found


def test_each_condition_has_an_option():
    line = "--store a.db --name bm25 --kind run --dataset cases --tag a=b --tag c=d=e --commit abcd --since 2026-01-01"
    line += " --until 2026-02-01 --signature 01234567 --limit 3"
    wanted = Wanted(
        name="bm25", kind="run", data="cases", tags={"a": "b", "c": "d=e"}, commit="abcd", since="2026-01-01",
        until="2026-02-01", signature="01234567", limit=3,
    )  # fmt: skip
    assert parsed(*line.split()) == {"store": "a.db", "wanted": wanted}


def test_without_options_all_runs_are_wanted_and_the_store_is_that_of_the_environment():
    assert parsed() == {"store": None, "wanted": Wanted()}
    assert parsed(BENCHBENCH_HISTORY="b.db")["store"] == "b.db"


@pytest.mark.parametrize("given", ["model", "=small", " =x"])
def test_a_tag_that_is_none_is_refused(given: str):
    with pytest.raises(InputError, match="is not NAME=VALUE"):
        Wanted(tags=(given,))


def test_a_tag_may_have_an_empty_value():
    assert Wanted(tags=("model=", "model=b", "x=")) == Wanted(tags={"model": "b", "x": ""})
