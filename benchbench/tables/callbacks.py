"""What is called where nobody listens."""

from typing import Any


class _Nothing:
    """Takes anything and does nothing; signatures show its name, where a lambda would show an address."""

    def __call__(self, *arguments: Any) -> None:
        """Do nothing."""

    def __repr__(self) -> str:
        return "nothing"


nothing = _Nothing()
