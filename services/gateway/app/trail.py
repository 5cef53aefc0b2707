"""Who of the staff looked at persons here: kept by the auditor, for a gateway has no database."""

import httpx
import msgspec

from libs.edge.problems import Problem
from libs.identity.purpose import Read


class ReadsTrail:
    """`audit` asks as the house; None: no auditor is named (`CROUPIER_AUDIT_URL`)."""

    def __init__(self, audit: httpx.AsyncClient | None) -> None:
        self._audit = audit

    async def record(self, read: Read) -> None:
        """`Problem` 503 when it can't be kept: what is not on record is not shown."""
        if self._audit is None:
            raise Problem(503, "record-unavailable", "This house names no auditor to keep on record who looks.")
        try:
            answer = await self._audit.post("/v1/reads", json=msgspec.to_builtins(read))
        except httpx.HTTPError:
            answer = None
        if answer is None or answer.status_code != 204:
            raise Problem(
                503, "record-unavailable", "This can't be put on record right now.", headers={"retry-after": "1"}
            )
