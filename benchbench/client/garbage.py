"""Garbage: how often the interpreter looks for cycles of objects while answers are read."""

import contextlib
import gc
from collections.abc import Iterator

# Objects that the cycle collector waits for. A parsed response is some thousand containers without cycles, freed
# at once; at the default of 700 the collector walks them again and again, and a lean answer takes 3.5 times longer.
_GC_THRESHOLD = 200_000


@contextlib.contextmanager
def rare_collections() -> Iterator[None]:
    """Keep the cycle collector from walking parsed answers, while the block lasts."""
    collector = gc.get_threshold()
    gc.set_threshold(_GC_THRESHOLD, *collector[1:])
    try:
        yield
    finally:
        gc.set_threshold(*collector)
