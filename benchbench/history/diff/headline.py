"""What two runs side by side come to, in the sentence that a report begins with."""

from benchbench.history.diff.details import DiffDetails
from benchbench.results.headline import BETTER, OPEN, PARTLY, WORSE, Headline


def headline(found: DiffDetails) -> Headline:
    """Return in how many measures the second run is better, and worse."""
    tested = [one for one in found.changes if one.tested]
    second, first = found.second.label, found.first.label
    if not tested:
        return Headline([(OPEN, f"Whether {second} differs from {first} is not tested: only numbers are stored.")])
    better, worse = (sum(one.verdict == word for one in tested) for word in ("better", "worse"))
    of = tested[0].measure if len(tested) == 1 else f"{len(tested)} measures"
    queries = f"{found.queries:,} queries"
    if not better + worse:
        where = of if len(tested) == 1 else f"any of {of}"
        return Headline([(OPEN, f"No difference is shown between {second} and {first} in {where}, over {queries}.")])
    if better and worse:
        said = f"{second} is better than {first} in {better} of {of} and worse in {worse}, over {queries}."
        return Headline([(PARTLY, said)])
    mark, word, count = (BETTER, "better", better) if better else (WORSE, "worse", worse)
    where = of if len(tested) == 1 else f"{count} of {of}"
    return Headline([(mark, f"{second} is {word} than {first} in {where}, over {queries}.")])
