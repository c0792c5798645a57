"""What tests read in the source of a page."""

import json
import re
import zlib
from base64 import b64decode
from typing import Any


def embedded(source: str, name: str) -> Any:
    """Return what the page has for its script: plain, or compressed."""
    (found,) = re.findall(rf'<script type="[^"]*" id="{name}">(.*?)</script>', source, re.DOTALL)
    return json.loads(found) if name == "data" else json.loads(zlib.decompress(b64decode(found)))


def words(source: str) -> str:
    """Return what stands in the page between its tags."""
    shown = re.sub(r"<(script|style).*?</\1>", "", source, flags=re.DOTALL)
    shown = re.sub(r"</?(b|i|small|span|strong)\b[^>]*>", "", shown)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", shown))
