"""What stands above every table of figures."""

from dataclasses import replace

import pytest

import benchbench
from benchbench.processes import usable_cores
from benchbench.profile import machine
from benchbench.profile.machine import describe, installed, this_machine


def test_machine_date_and_versions_are_in_one_line():
    this = this_machine("click", "no-such-package")
    line = describe("click")
    assert this.versions == {"benchbench": benchbench.__version__, "click": installed("click"), "no-such-package": None}
    for word in (this.processor, f"{this.cores} cores", this.python, f"click {installed('click')}"):
        assert word in line
    assert len(this.date) == len("2026-01-01")
    assert "\n" not in line


def test_a_package_that_is_not_installed_has_no_version():
    assert installed("no-such-package") is None


def test_cores_that_the_process_may_not_use_are_shown():
    machine = this_machine()
    assert ", 8 cores, " in str(replace(machine, cores=8, usable=8))
    assert ", 2 of 8 cores, " in str(replace(machine, cores=8, usable=2))


@pytest.mark.parametrize(("counted", "cores"), [(64, 64), (None, 1)])
def test_the_cores_are_those_of_the_machine_and_not_of_the_process(monkeypatch, counted: int | None, cores: int):
    monkeypatch.setattr("os.cpu_count", lambda: counted)
    assert this_machine().cores == cores
    assert this_machine().usable == usable_cores()


def test_the_version_of_benchbench_is_its_own_whatever_distribution_has_that_name(monkeypatch):
    monkeypatch.setattr(machine, "version", lambda package: "9.9 of somebody else")
    assert machine.installed("benchbench") == benchbench.__version__
    assert machine.installed("numpy") == "9.9 of somebody else"
