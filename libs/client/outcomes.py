"""What becomes of a command as its sender sees it."""

from typing import Any

import msgspec


class Answer(msgspec.Struct, frozen=True):
    """The final word on a command: accepted at `version`, or rejected for `reason` under `rule`."""

    verdict: str
    version: int
    reason: str | None = None
    rule: str | None = None
    detail: str = ""

    @property
    def accepted(self) -> bool:
        return self.verdict == "accepted"


class ProblemReply(Exception):
    """The gateway turned the request away (RFC 9457); `slug` is the last part of the problem's type."""

    def __init__(self, status: int, document: dict[str, Any]) -> None:
        self.status = status
        self.document = document
        self.slug = str(document.get("type", "")).rpartition(":")[2]
        super().__init__(f"{status} {self.slug}: {document.get('detail', '')}")


class ConnectionLost(Exception):
    """The connection is gone and could not be made again in time."""


NOT_FINAL = frozenset({"outcome-unknown", "busy", "restoring"})
"""Problems after which the same key is sent again: the command was not decided, or nobody knows."""
