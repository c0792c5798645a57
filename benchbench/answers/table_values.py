"""Values as tables take them."""

from typing import Any


def plain(value: Any) -> Any:
    """Return a value as a table takes it: named tuples as mappings, text without lone surrogates."""
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: plain(one) for name, one in value._asdict().items()}
    return [plain(one) for one in value] if isinstance(value, list) else value
