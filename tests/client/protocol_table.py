"""The table of built-in protocols in docs/protocol.md, compared with their descriptions."""

import re
import tomllib
from pathlib import Path

from benchbench.client.descriptions import REQUEST_PLACES
from benchbench.client.templates import places

PAGE = Path(__file__).resolve().parents[2] / "docs" / "protocol.md"


def missing_from_table(file: Path) -> list[str]:
    """Return what the row of a description must have and has not."""
    described = tomllib.loads(file.read_text("utf-8"))
    defaults = described.pop("options", {})
    options = sorted(places(described) - REQUEST_PLACES)
    wanted = [
        f"`{file.stem}`",
        f"| `{described.get('method', 'POST')} {described['path'].partition('?')[0]}",
        *(f"`{name}={defaults[name]}`" if name in defaults else f"`{name}`" for name in options),
        "| no" if "query" in places(described.get("body")) else "| yes",
    ]
    rows = re.findall(r"^\| `.*$", PAGE.read_text("utf-8"), re.MULTILINE)
    row = next((row for row in rows if wanted[0] in row.partition(" | ")[0]), "")
    return [cell for cell in wanted if cell not in row]
