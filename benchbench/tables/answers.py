"""Questions with their truths, and what was answered to them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Question:
    """A row of a ground truth."""

    question: str
    truth: str
    source_type: str = ""
    category: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What an assistant said to a question; `response` is None where there is no answer, and `failure` says why."""

    asked: Question
    response: str | None
    context: tuple[str, ...] = ()  # the retrieved documents as the assistant names and shows them, in its order
    latency: float | None = None  # seconds
    failure: str | None = None

    @property
    def truth(self) -> str:
        """Return what would have been right."""
        return self.asked.truth
