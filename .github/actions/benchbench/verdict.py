"""Prints one verdict for all measures of a check: the first of these that any of them has."""

import json
import sys
from pathlib import Path

ORDER = ("failed", "worse", "better", "not worse", "no change shown", "too little data")

series = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["series"]
found = {measure["verdict"] for one in series for measure in one["measures"]}
print(next((verdict for verdict in ORDER if verdict in found), "failed"))
