"""Full-width characters made narrow, one for one, so that places in a text do not change."""

import re

_NARROW = {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)} | {"\u3000": " "}
_WIDE = re.compile("[\uff01-\uff5e\u3000]")


def narrow(text: str) -> str:
    """Return the text with full-width ASCII as ASCII and of the same length: （１） is (1)."""
    return _WIDE.sub(lambda sign: _NARROW[sign[0]], text)  # str.translate takes ten times as long
