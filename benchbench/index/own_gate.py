"""The gate that a command always has."""

from benchbench.results.record import GateResult

# Their versions are in the record.
LIBRARIES = ("msgspec", "orjson")


def own_gate(name: str, value: int, failed: str) -> GateResult:
    """Return the result of the gate that a command always has: the number must not be above 0."""
    condition = f"{name}>0"
    return GateResult(
        condition=condition,
        verdict="failed" if value else "passed",
        said=failed if value else f"{condition} passed with 0",
        name=name,
        value=float(value),
        bound=0.0,
    )
