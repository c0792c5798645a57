"""The fact of signatures: of each result, and of the data and rules that comparable results share."""

from collections.abc import Mapping

from benchbench.comparison.comparable import rules
from benchbench.results.signature import short


def row_of(signatures: Mapping[str, str]) -> tuple[str, str]:
    """Return the digits of several results by name; those of data and rules stand once where all share them."""
    shared = {rules(signature) for signature in signatures.values()}
    own = {name: f"{name} {short(signature)}".lstrip() for name, signature in signatures.items()}
    if len(shared) == 1:
        of_rules = shared.pop()
        text = "  ".join(own.values()) + (f", data and rules {of_rules}" if of_rules else "")
    else:
        text = "  ".join(f"{own[name]} (data and rules {rules(signature)})" for name, signature in signatures.items())
    return "Signature", text
