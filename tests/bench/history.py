"""A history as the house itself would have left it: tables and wallets really decided, on a real broker.

Twelve tables of four, a hand each in turn, two hundred hands a day; every ten hands all of a table go home and come
back. Commands are left out: nothing that is measured here reads them.
"""

from collections.abc import Sequence
from typing import Any

from libs.contracts.registry import parse_event, wire_name
from libs.contracts.table_events import PlayerLeft
from libs.contracts.topics import TABLE_PRIVATE, topic
from libs.journal.commit import Commit
from libs.journal.log import OutRecord, Publisher
from libs.journal.publishing import public_events
from libs.sealing.sealed import Wrapping
from libs.sealing.secret import DataKey
from services.table.machine import table_machine
from services.table.publishing import table_publisher
from services.wallet.machine import wallet_machine
from services.wallet.policies.reactions import REACTIONS
from tests.audit.played import PlayedHouse
from tests.testkit.partitions import PARTITIONS
from tests.testkit.simulated import Raw, SimulatedBroker

TABLES = 12
SEATS = 4
HANDS_A_DAY = 200
HANDS_A_SITTING = 10
DAY_MS = 86_400_000
_PAGE = 2_000
_LEFT = wire_name(PlayerLeft)


class Outgoing(SimulatedBroker):
    """Keeps nothing: what lands waits to be sent, and only counts."""

    def __init__(self) -> None:
        super().__init__(PARTITIONS)
        self.waiting: dict[str, list[OutRecord]] = {"table": [], "wallet": []}
        self.events = 0
        self._ends: dict[tuple[str, int], int] = {}

    def land(self, topic: str, partition: int, records: Sequence[Raw]) -> int:
        base = self._ends.get((topic, partition), 0)
        self._ends[topic, partition] = base + len(records)
        _, service, kind, *_ = topic.split(".")
        if kind != "commands":
            self.waiting[service] += [OutRecord(topic, key or b"", value, headers) for key, value, headers in records]
            self.events += len(records) * (kind == "events")
        return base


class Table(PlayedHouse):
    """One table of the history; its players are nobody else's."""

    def __init__(self, number: int, first: "Table | None", began: int, keyring: Wrapping, gateway_key: bytes) -> None:
        super().__init__(f"table-{number}", seed=number)
        if first is None:
            self.outgoing = Outgoing()
            # With entropy of its own: one seed for twelve tables would deal the same decks at each.
            self._machines = {"table": table_machine(keyring), "wallet": wallet_machine()}
            private = topic("table", "events").name, TABLE_PRIVATE.name, DataKey(gateway_key)
            self._publish["table"] = table_publisher(*private)
        else:
            self.outgoing, self._folds = first.outgoing, first._folds
            self._machines, self._publish = first._machines, first._publish
        self.broker = self.outgoing
        self.now = began
        self.open(0)
        self.hands = 0

    def next(self, now: int) -> None:
        """A hand, with whoever comes before it and goes after it."""
        self.now = max(self.now, now)
        players = [f"{self.table}.player-{seat}" for seat in range(1, SEATS + 1)]
        if self.hands % HANDS_A_SITTING == 0:
            for player in players:
                self.sit(player, 5_000)
        self.play(1)
        self.hands += 1
        if self.hands % HANDS_A_SITTING == 0:
            for player in players:
                self.ask("table", self.table, "LeaveTable", ("player", player))

    def ask(self, service: str, stream: str, kind: str, who: tuple[str, str], /, **body: Any) -> Commit:
        """With what the wallet's policy does about it."""
        made = super().ask(service, stream, kind, who, **body)
        for event in public_events(made):
            if event.type == _LEFT:
                [message] = REACTIONS[PlayerLeft](event, parse_event(event))
                by = (message.principal.kind, message.principal.id)
                self.ask("wallet", message.stream, message.type, by, **message.body)
        return made


class History:
    """Goes on from where it is; `until` may be asked for more and more events."""

    def __init__(self, publishers: dict[str, Publisher], began: int, keyring: Wrapping, gateway_key: bytes) -> None:
        self._publishers = publishers
        self._began = began
        first = Table(1, None, began, keyring, gateway_key)
        self._tables = [first, *(Table(n, first, began, keyring, gateway_key) for n in range(2, TABLES + 1))]
        self._outgoing = first.outgoing
        self.hands = 0

    async def until(self, events: int) -> int:
        """Plays on until there are so many public events; how many there are."""
        while self._outgoing.events < events:
            self._tables[self.hands % TABLES].next(self._began + self.hands * DAY_MS // HANDS_A_DAY)
            self.hands += 1
            await self._send(_PAGE)
        await self._send(1)
        return self._outgoing.events

    async def _send(self, at_least: int) -> None:
        for service, records in self._outgoing.waiting.items():
            if len(records) >= at_least:
                self._outgoing.waiting[service] = []
                await (await self._publishers[service].send(records))
