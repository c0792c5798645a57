"""How many examples properties draw: 25 where tests run often, 1,000 by `scripts/test --deep`."""

from hypothesis import settings

USUAL, DEEP = 25, 1_000

# A deadline is a timing assertion, and the first call of a kernel compiles.
settings.register_profile("ci", max_examples=USUAL, deadline=None)
settings.register_profile("deep", max_examples=DEEP, deadline=None)


def costly(examples: int) -> int:
    """Return how many examples a property draws of which each takes long: so many where others draw 25."""
    return examples * settings().max_examples // USUAL
