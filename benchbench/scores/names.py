"""What all scores call the same: the bands of means with their marks, and the columns by which answers are grouped."""

from benchbench.results.headline import GOOD, OPEN, PARTLY, WORSE

COLUMNS = ("source_type", "category")
BANDS = ("poor", "acceptable", "good")
UNTESTED = "not tested"  # the band of a metric that expected nothing of any answer
MARKS = {"good": GOOD, "acceptable": PARTLY, "poor": WORSE, UNTESTED: OPEN, "": OPEN}  # by band
