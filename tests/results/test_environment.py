import os

from benchbench.results.environment import environment


def test_the_host_has_its_cores_and_those_that_the_process_may_use():
    host = environment(()).host
    assert host["cpus"] == os.cpu_count()
    assert 1 <= host["usable_cpus"] <= host["cpus"]
