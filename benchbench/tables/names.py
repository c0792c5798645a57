"""Names from outside: of files, of services, as a person gave them."""


def printable(name: str) -> str:
    """Return a name on one line that every output can hold.

    Blanks are collapsed; control characters, and bytes of a file name that are no UTF-8, become U+FFFD.
    """
    return " ".join("".join(c if c.isprintable() or c.isspace() else "\ufffd" for c in name).split())
