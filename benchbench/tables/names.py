"""Names from outside: of files, of services, of the environment, as a person gave them."""

IR_DATASETS = "ir_datasets:"  # of the name of a data set of that package
PROJECT_FILE = "BENCHBENCH_TOML"  # variable that names the file of a project's options; empty: none


def printable(name: str) -> str:
    """Return a name on one line that every output can hold.

    Blanks are collapsed; control characters, and bytes of a file name that are no UTF-8, become U+FFFD.
    """
    return " ".join("".join(c if c.isprintable() or c.isspace() else "\ufffd" for c in name).split())
