"""What one more task and one more measure cost, in nanoseconds per hit, on one core.

usage: python benchmarks/task_cost.py [--queries 20000] [--depth 20] [--rounds 15]

A task is added to one by judgments, with one measure and with the default ones. A measure is added to the default ones
of the four tasks of legal cases, and its cost is that per task. Costs are differences of medians taken in turn.
"""

import argparse

from kernel import Workload, scoring, workload
from machine import describe, in_turn

from benchbench.measures.default_list import default_measures
from benchbench.measures.notation import Measure, resolve
from benchbench.tasks.defined import legal_cases
from benchbench.tasks.reading import parse_task

GOLD = parse_task("gold=judgments()")
TASKS = (
    "one=judgments(rel=3)",
    "one=equal(brand)",
    "one=overlap(brand)",
    "one=overlap(brand, jaccard=0.5)",
    "one=contains(brand)",
    "one=within(price, relative=0.2)",
    'one=within(price, relative=0.2, same=["currency"])',
    'one=within(price, relative=0.2, unless=["free", "sold"])',
    "one=span(spans)",
)
SAME = "P@10"
MEASURES = (
    "P@20", "R@20", "Success@20", "F1@20", "nDCG@20", "RR@20", "microP@20", "microF1@20", "AP", "Rprec", "RBP",
    "ERR@20", "IPrec@0.1", "SetF", "NumRelRet", "nDCG(gains='exp')@10",
)  # fmt: skip


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--queries", type=int, default=20_000)
    arguments.add_argument("--depth", type=int, default=20)
    arguments.add_argument("--rounds", type=int, default=15)
    options = arguments.parse_args()
    hits, default = options.queries * options.depth, default_measures((3, 5, 10))

    def made(tasks, measures: tuple[Measure, ...]) -> Workload:
        return workload(options.queries, options.depth, tasks, measures)

    def seconds(loads: dict[str, Workload]) -> dict[str, float]:
        for one in loads.values():
            one.run()
        return in_turn(options.rounds, **{name: one.run for name, one in loads.items()})

    print(describe("numba", "numpy"))
    print(f"{options.queries:,} queries of {options.depth} hits; median of {options.rounds} in turn\n")
    columns = {}
    for title, measures in (("P@10", tuple(resolve("P@10"))), ("default", default)):
        loads = {text: made((GOLD, parse_task(text)), measures) for text in TASKS}
        columns[title] = seconds({"": made((GOLD,), measures), **loads})
    print(f"| one more task | ns per hit, P@10 alone | with the {len(default)} default measures |\n|---|---:|---:|")
    for text in TASKS:
        costs = (1e9 * (column[text] - column[""]) / hits for column in columns.values())
        print(f"| `{text.partition('=')[2]}` | {' | '.join(f'{cost:.1f}' for cost in costs)} |")
    tasks = legal_cases()
    base = made(tasks, default)

    def and_also(name: str) -> Workload:
        measures, queries = tuple(dict.fromkeys((*default, *resolve(name)))), base.queries
        return base._replace(scoring=scoring(tasks, measures, queries.positive_grade, options.queries))

    found = seconds({"": base, **{name: and_also(name) for name in (SAME, *MEASURES)}})
    print("\n| one more measure | ns per hit and task |\n|---|---:|")
    for name in (SAME, *MEASURES):
        cost = 1e9 * (found[name] - found[""]) / hits / len(tasks)
        print(f"| `{name}`{' again, which is one of the default ones: the noise' * (name == SAME)} | {cost:.2f} |")


if __name__ == "__main__":
    main()
