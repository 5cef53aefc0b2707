"""Requests to the gateway over HTTP: problems become exceptions, and a key is repeated until the answer is final."""

import asyncio
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

import httpx
import msgspec
from uuid6 import uuid7


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
    """The gateway turned the request away (RFC 9457); `slug` is the last part of the problem's type.

    `retry_after_s` is the pause (s) that it asked for, 0 without one.
    """

    def __init__(self, status: int, document: dict[str, Any], retry_after_s: int = 0) -> None:
        self.status = status
        self.document = document
        self.retry_after_s = retry_after_s
        self.slug = str(document.get("type", "")).rpartition(":")[2]
        super().__init__(f"{status} {self.slug}: {document.get('detail', '')}")


class ConnectionLost(Exception):
    """The connection is gone and could not be made again in time."""


NOT_FINAL = frozenset({"outcome-unknown", "busy", "restoring", "too-many-requests"})
"""Problems after which the same key is sent again: the command was not decided, or nobody knows."""
MOST_HOPS = 4
"""Gateways in a row that send who asks to another one; two that send to each other end so."""
_MISDIRECTED = 421
_PAUSE_S = 0.2
"""Between two tries, unless the gateway asks for more."""


def new_key() -> str:
    """An idempotency key whose meaning survives a restart of the gateway."""
    return str(uuid7())


class HttpClient:
    """One principal's requests; `patience` is how long (s) a command without a final answer is repeated."""

    def __init__(self, base_url: str, token: str, patience: float = 60.0) -> None:
        self._patience = patience
        self._client = httpx.AsyncClient(
            base_url=f"{base_url.rstrip('/')}/v1", headers={"authorization": f"Bearer {token}"}, timeout=30.0
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.aclose()

    async def get(self, path: str) -> Any:
        return await self._asked("GET", path)

    async def post(self, path: str, body: Mapping[str, Any]) -> Any:
        return await self._asked("POST", path, json=dict(body))

    async def _asked(self, method: str, path: str, **sent: Any) -> Any:
        """The answer of the gateway that serves what is asked for, wherever that is."""
        answer = await self._client.request(method, path, **sent)
        for _ in range(MOST_HOPS):
            if answer.status_code != _MISDIRECTED or not (
                location := msgspec.json.decode(answer.content).get("location")
            ):
                break
            answer = await self._client.request(method, location, **sent)
        return _read(answer)

    async def command(self, path: str, body: Mapping[str, Any] | None = None, key: str | None = None) -> Answer:
        """Posts a command. A rejection is an `Answer`, not an exception; a `ProblemReply` is anything else."""
        headers = {"idempotency-key": key or new_key()}
        content = msgspec.json.encode(body) if body is not None else b""
        if body is not None:
            headers["content-type"] = "application/json"
        loop = asyncio.get_running_loop()
        give_up = loop.time() + self._patience
        while True:
            pause = _PAUSE_S
            try:
                said = await self._asked("POST", path, content=content, headers=headers)
                return Answer("accepted", said["version"])
            except ProblemReply as problem:
                if problem.slug in ("rejected", "refused"):
                    return _rejected(problem.document)
                # Whoever repeats sooner than asked uses up a share that the answer would have needed.
                pause = max(_PAUSE_S, problem.retry_after_s)
                if problem.slug not in NOT_FINAL or loop.time() + pause > give_up:
                    raise
            except httpx.TransportError:
                if loop.time() > give_up:
                    raise
            await asyncio.sleep(pause)


def _rejected(document: dict[str, Any]) -> Answer:
    return Answer(
        "rejected",
        document.get("version", 0),
        document.get("reason"),
        document.get("rule"),
        document.get("detail") or "",
    )


def _read(answer: httpx.Response) -> Any:
    document = msgspec.json.decode(answer.content) if answer.content else {}
    if answer.is_success:
        return document
    pause = answer.headers.get("retry-after", "")
    raise ProblemReply(
        answer.status_code, document if isinstance(document, dict) else {}, int(pause) if pause.isdecimal() else 0
    )
