"""Parts of paths that look like keys."""

import re

_RANDOM = re.compile(r"(?=[A-Za-z0-9]*[0-9])(?=[A-Za-z0-9]*[a-z])(?=[A-Za-z0-9]*[A-Z])[A-Za-z0-9]{16,}|[0-9a-f]{32,}")


def random_part(segment: str) -> bool:
    """Say whether a part of a path looks like a key, and not like a name."""
    return _RANDOM.search(segment) is not None


def without_keys(path: str, hidden: str = "[hidden]") -> str:
    """Return a path, or a URL, without the parts that look like keys."""
    return "/".join(hidden if random_part(part) else part for part in path.split("/"))
