"""Agreement of judges with people, invented: some judges, two measures of three runs, and pairs with columns."""

import numpy as np

from benchbench.formats.qrels_runs import Qrels, Run
from benchbench.judging.agreement.agreement_result import JudgeAgreement
from benchbench.judging.agreement.agreement_run import judge_agreement
from benchbench.judging.agreement.grades import Grades
from benchbench.judging.agreement.suspects import PairColumns, Suspects
from benchbench.judging.relevance.pool import hashes_of

QUERIES, DOCUMENTS = 24, 6


def labels(seed: int, wrong: float, queries: int = QUERIES) -> Qrels:
    rng, truth = np.random.default_rng(seed), np.random.default_rng(0).integers(0, 4, (QUERIES, DOCUMENTS))
    changed = np.where(rng.random(truth.shape) < wrong, rng.integers(0, 4, truth.shape), truth)
    return Qrels.from_dict({f"q{q}": {f"d{d}": float(changed[q, d]) for d in range(DOCUMENTS)} for q in range(queries)})


def made(names: tuple[str, ...] = ("j",), model: str = "m", fail_if: tuple[str, ...] = ()) -> JudgeAgreement:
    rng = np.random.default_rng(1)
    runs = {
        name: Run.from_dict({f"q{q}": {f"d{d}": float(rng.random()) for d in range(DOCUMENTS)} for q in range(QUERIES)})
        for name in ("bm25", "dense", names[0])
    }
    pairs = [(f"q{q}", f"d{d}") for q in range(QUERIES) for d in range(DOCUMENTS)]
    columns = PairColumns(
        hashes_of([q for q, _ in pairs]), hashes_of([d for _, d in pairs]),
        {"length": rng.integers(1, 900, len(pairs)).astype(float)}, rng.integers(0, 2, len(pairs)), ("other", model),
    )  # fmt: skip
    judges = [Grades(name, f"{name}.qrels", labels(n + 1, 0.2 + 0.3 * n), model=model) for n, name in enumerate(names)]
    return judge_agreement(
        Grades("people", "people.qrels", labels(0, 0.0, 18)), judges, runs, ["nDCG@3", "RR"],
        suspects=Suspects(columns=columns), fail_if=fail_if,
    )  # fmt: skip
