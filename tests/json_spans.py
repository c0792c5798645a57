"""JSON values in a text, and where they stand there, as kernels take them."""

import numpy as np


def standing(values: list[bytes]) -> tuple[np.ndarray, np.ndarray]:
    """Return a text in which values stand, and their spans; an empty value is none."""
    text, spans = bytearray(b"["), []
    for value in values:
        spans.append(len(text) | len(text) + len(value) << 32 if value else 0)
        text += value + b","
    return np.frombuffer(bytes(text), np.uint8), np.array(spans, np.uint64)
