"""What players and the operator sent and were told, as they saw it: yes, no, or nobody knows (Jepsen's way)."""

import asyncio
import itertools
import time
from dataclasses import dataclass, field
from uuid import UUID

from libs.client import Answer, Operator, Player
from libs.client.http import new_key
from libs.contracts.messages import Principal, time_of
from libs.contracts.wallet_commands import DepositFunds, account_id
from services.gateway.app.asked import fitting
from services.gateway.app.commands import Order
from services.gateway.app.doors import PLAYERS_DOORS
from tests.testkit.partitions import PARTITIONS, partition_of

_OPERATOR = Principal("operator", "platform")
_THINKING_S = 0.5
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

    def asks(self, kind: str, stream: str, order: Order) -> Sent:
        """Notes a command under the id that the gateway makes of its key and wish."""
        at = time_of(UUID(order.key))
        made = Sent(kind, stream, order.command_id(at, 0).bytes, time.monotonic())
        self.sent.append(made)
        return made

    def hears(self, sent: Sent, answer: Answer) -> None:
        sent.told, sent.verdict, sent.version = time.monotonic(), answer.verdict, answer.version

    def accepted(self, kind: str, since: float) -> dict[str, float]:
        """Per stream, when the first yes was heard to a command of this kind that was asked at `since` or later."""
        found: dict[str, float] = {}
        for each in reversed(self.sent):
            if each.asked < since:
                break
            if each.kind == kind and each.verdict == "accepted":
                found[each.stream] = min(each.told, found.get(each.stream, each.told))
        return found

    def answered(self) -> list[Sent]:
        return [each for each in self.sent if each.verdict is not None]


class WatchedPlayer(Player):
    """A player whose every command goes into a history."""

    def __init__(self, base_url: str, session_token: str, history: History) -> None:
        super().__init__(base_url, session_token)
        self.history = history

    async def command(self, kind: str, table: str, key: str | None = None, **body: object) -> Answer:
        await asyncio.sleep(_THINKING_S)
        key = key or new_key()
        door = PLAYERS_DOORS[kind]
        wish = fitting(door.command, body, {}, door.left_out, door.minted)
        sent = self.history.asks(kind, table, Order(Principal("player", self.name), key, table, wish))
        answer = await super().command(kind, table, key, **body)
        self.history.hears(sent, answer)
        return answer


class Desk:
    """The operator's cash desk: small deposits to one account in each partition, so that none of them is idle."""

    AMOUNT = 100
    _EVERY_S = 1.0

    def __init__(self, operator: Operator, history: History) -> None:
        self._operator = operator
        self._history = history

    async def open(self) -> None:
        for player in PAID_TO:
            await self._operator.open_account(player)

    async def serve(self) -> None:
        """Until cancelled."""
        await asyncio.gather(*(self._pay(player) for player in PAID_TO))

    async def _pay(self, player: str) -> None:
        for count in itertools.count(1):
            await asyncio.sleep(self._EVERY_S)
            key = new_key()
            reference = f"{player}-{count}"
            wish = DepositFunds(reference=reference, amount=self.AMOUNT)
            order = Order(_OPERATOR, key, account_id(player, "EUR"), wish)
            sent = self._history.asks("deposit", player, order)
            try:
                answer = await self._operator.deposit(player, reference, self.AMOUNT, key=key)
            except Exception:  # nobody knows what became of it; the journal will say
                continue
            self._history.hears(sent, answer)


def _one_in_each_partition() -> tuple[str, ...]:
    found: dict[int, str] = {}
    for number in itertools.count(1):
        player = f"guest-{number}"
        found.setdefault(partition_of(account_id(player, "EUR")), player)
        if len(found) == PARTITIONS:
            return tuple(found[partition] for partition in sorted(found))
    raise AssertionError


PAID_TO = _one_in_each_partition()
"""Players of the desk."""
