"""What clients asked and were told: each operation ends ok, fail or unknown, as in Jepsen's histories."""

from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import UUID

Outcome = Literal["ok", "fail", "unknown"]
"""`unknown`: it may have happened, may happen later, or never."""


@dataclass(slots=True)
class Operation:
    """One wish of one client. Times in milliseconds since the epoch."""

    client: str
    what: str
    asked_at: int
    outcome: Outcome | None = None
    """None: still under way when the history ends, which is as good as unknown."""
    answered_at: int = 0
    answer: Any = None
    key: str = ""
    """The client's own name for the wish; however often it is asked, it is one wish."""
    command_id: UUID | None = None
    """What the key and the wish have to become at any gateway."""


@dataclass(slots=True)
class History:
    """In the order of asking."""

    operations: list[Operation] = field(default_factory=list)

    def ask(self, client: str, what: str, now: int, key: str = "", command_id: UUID | None = None) -> Operation:
        operation = Operation(client, what, now, key=key, command_id=command_id)
        self.operations.append(operation)
        return operation

    def told(self, outcome: Outcome) -> list[Operation]:
        return [each for each in self.operations if each.outcome == outcome]

    @staticmethod
    def end(operation: Operation, outcome: Outcome, now: int, answer: Any = None) -> None:
        operation.outcome, operation.answered_at, operation.answer = outcome, now, answer
