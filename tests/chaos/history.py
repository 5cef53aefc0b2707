"""What players and the operator sent and were told, as they saw it: yes, no, or nobody knows (Jepsen's way)."""

import asyncio
import time
from dataclasses import dataclass, field
from uuid import UUID

from libs.client import Answer, Operator, Player
from libs.client.http import new_key
from libs.contracts.messages import command_id_at, time_of

_OPERATOR = "operator:operator"
_THINKING_S = 0.05
"""Before each command of a bot: the machine is to have time for the faults."""


@dataclass(slots=True)
class Sent:
    """One command. Seconds are those of `time.monotonic`; `verdict` stays None while nobody knows."""

    kind: str
    stream: str
    command_id: bytes
    asked: float
    told: float = 0.0
    verdict: str | None = None
    version: int = 0


@dataclass(slots=True)
class History:
    sent: list[Sent] = field(default_factory=list)
    deposited: int = 0
    """Minor units that the operator was told are on the teller's account."""

    def asks(self, kind: str, stream: str, who: str, key: str) -> Sent:
        """Notes a command under the id that the gateway makes of its key."""
        made = Sent(kind, stream, command_id_at(time_of(UUID(key)), who, key).bytes, time.monotonic())
        self.sent.append(made)
        return made

    def hears(self, sent: Sent, answer: Answer) -> None:
        sent.told, sent.verdict, sent.version = time.monotonic(), answer.verdict, answer.version

    def accepted(self, kind: str, since: float) -> dict[str, float]:
        """Per stream, when the first yes was heard to a command of this kind that was asked at `since` or later."""
        found: dict[str, float] = {}
        for each in reversed(self.sent):
            if each.asked < since - 120:
                break
            if each.kind == kind and each.verdict == "accepted" and each.asked >= since:
                found[each.stream] = min(each.told, found.get(each.stream, each.told))
        return found

    def answered(self) -> list[Sent]:
        return [each for each in self.sent if each.verdict is not None]


class WatchedPlayer(Player):
    """A player whose every command goes into a history."""

    def __init__(self, base_url: str, session_token: str, history: History) -> None:
        super().__init__(base_url, session_token)
        self.history = history

    async def _command(self, kind: str, table: str, key: str | None, **body: object) -> Answer:
        await asyncio.sleep(_THINKING_S)
        key = key or new_key()
        sent = self.history.asks(kind, table, f"player:{self.name}", key)
        answer = await super()._command(kind, table, key, **body)
        self.history.hears(sent, answer)
        return answer


class Teller:
    """The operator's cash desk: small deposits to one account, one after another, so that the wallet is never idle."""

    PLAYER = "teller"
    AMOUNT = 100
    _EVERY_S = 0.1

    def __init__(self, operator: Operator, history: History) -> None:
        self._operator = operator
        self._history = history
        self._count = 0

    async def open(self) -> None:
        await self._operator.open_account(self.PLAYER)

    async def serve(self) -> None:
        """Until cancelled."""
        while True:
            await asyncio.sleep(self._EVERY_S)
            self._count += 1
            key = new_key()
            sent = self._history.asks("deposit", self.PLAYER, _OPERATOR, key)
            try:
                answer = await self._operator.deposit(self.PLAYER, f"desk-{self._count}", self.AMOUNT, key=key)
            except Exception:  # nobody knows what became of it; the journal will say
                continue
            self._history.hears(sent, answer)
            self._history.deposited += self.AMOUNT * answer.accepted
