"""Prints where the history lies, whether the cache keeps it, and by which key."""

import hashlib
import os
import re
from pathlib import Path

name, store = os.environ["BENCHBENCH_NAME"], os.environ["BENCHBENCH_STORE"]
readable = re.sub(r"[^A-Za-z0-9._-]", "-", name)[:60]
print(f"key={readable}-{hashlib.sha256(name.encode(errors='surrogateescape')).hexdigest()[:8]}")
if not store or "://" in store:
    print("cached=false")  # a database keeps itself
else:
    place = Path(store).resolve()
    place.parent.mkdir(parents=True, exist_ok=True)
    print(f"cached=true\nstore={place}")
