"""Scoring run files: this engine beside its peers, at the two sizes of docs/reproduce.md.

The same as `benchbench profile metrics`, with every peer that is installed; and with `--limit 500000 --peers
pytrec_eval`. Takes some twenty minutes if all are there.
"""

from benchbench.profile import tools
from benchbench.profile.scoring_speed import ScoringWorkload, measure
from benchbench.report.draw import draw


def main() -> None:
    for queries, peers in ((50_000, ()), (500_000, ("pytrec_eval",))):
        print(draw(measure(ScoringWorkload(queries, 100, 10), [tools.ours(), *tools.peers(peers)]), "markdown"))


if __name__ == "__main__":
    main()
