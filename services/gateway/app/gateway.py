"""Everything the two doors of the gateway, HTTP and WebSocket, have in common."""

import hmac
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx
import msgspec

from libs.contracts.messages import Principal
from libs.contracts.wallet_answers import BEHIND
from libs.edge.problems import Problem
from libs.edge.shares import Buckets
from libs.identity.access import Caller
from libs.identity.callers import Callers
from libs.sealing.secret import SecretBytes
from libs.views.table import TableView
from services.gateway.app.commands import CommandDesk, Order
from services.gateway.app.doorkeeper import Doorkeeper, Spendable
from services.gateway.app.floor import Floor
from services.gateway.app.floors import Floors
from services.gateway.app.in_play import InPlay
from services.gateway.app.presence import Presence
from services.gateway.app.sessions import Sessions
from services.gateway.app.standing import Standing, player_blocked, session_ended
from services.gateway.app.tournaments import Tournaments
from services.gateway.app.trail import ReadsTrail
from services.gateway.views.elsewhere import Elsewhere
from services.gateway.views.lobby import LobbyRows, at_gateway
from services.gateway.views.private import text_of
from services.gateway.ws.connection import Outbox
from services.gateway.ws.fan_out import FanOut
from services.gateway.ws.sockets import Sockets


class _Account(msgspec.Struct):
    currency: str
    available: int


class WalletReads:
    """Balances and statements as the wallet service publishes them, passed on unchanged.

    Asked on behalf of an operator, or of a player about that player's own money.
    """

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client

    async def account(self, player: str, book: str) -> Any:
        """Balances of real money, or of the play money of the `demo` book."""
        return _read(await self._ask(f"/v1/players/{player}/accounts", book=book))

    async def available(self, player: str, book: str, currency: str) -> Spendable | None:
        """None when the books can't be read."""
        try:
            answer = await self._ask(f"/v1/players/{player}/accounts", book=book)
            accounts = msgspec.convert([] if answer.status_code == 404 else _read(answer), list[_Account])
            behind = int(answer.headers.get(BEHIND, 0))
        except (Problem, ValueError):
            return None
        those = [each.available for each in accounts if each.currency == currency]
        return Spendable(sum(those), behind, bool(those))

    async def statements(self, player: str, **which: str | int) -> Any:
        """Sessions for real money, the latest fifty, unless `book`, `before` or `limit` says otherwise."""
        return _read(await self._ask(f"/v1/players/{player}/statements", **which))

    async def _ask(self, path: str, **query: str | int) -> httpx.Response:
        try:
            return await self._client.get(path, params=query)
        except httpx.HTTPError:
            raise _away() from None


def _read(answer: httpx.Response) -> Any:
    if answer.status_code == 404:
        raise Problem(404, "unknown-player", "The wallet knows no such player.")
    if answer.status_code == 410:
        month = str(answer.json().get("month", ""))
        raise Problem(410, "archived", f"What there is up to {month} is in the archive: ask the house.", month=month)
    if answer.status_code != 200:
        raise _away()
    return answer.json()


def _away() -> Problem:
    return Problem(503, "wallet-unavailable", "The books can't be read right now.", headers={"retry-after": "1"})


@dataclass(slots=True)
class Gateway:
    """The parts, chosen in `wiring.py`."""

    sessions: Sessions
    callers: Callers
    standing: Standing
    desk: CommandDesk
    floor: Floor
    tournaments: Tournaments
    fan_out: FanOut
    wallet: WalletReads
    trail: ReadsTrail
    doorkeeper: Doorkeeper
    sockets: Sockets
    player_bytes: Buckets
    """What a player says over all WebSockets."""
    connection_reports: Buckets
    """By table and player: lines that were lost or are back."""
    complaints: str = ""
    """How to complain, in the operator's words (pt-811-2015 66)."""
    key: SecretBytes = field(default_factory=lambda: SecretBytes(b""), repr=False)
    """Shared with the table's follower: opens private deals, seals what players write and dealers scan."""
    presence: Presence = field(init=False)
    in_play: InPlay = field(init=False)
    outbox: Outbox = field(default_factory=Outbox)
    lobby: LobbyRows = field(default_factory=LobbyRows, repr=False)
    floors: Floors = field(default_factory=Floors)
    elsewhere: Elsewhere = field(default_factory=Elsewhere, repr=False)
    now: Callable[[], int] = field(default=lambda: time.time_ns() // 1_000_000)

    def __post_init__(self) -> None:
        self.presence = Presence(self.desk, self.floor, self.connection_reports)
        self.in_play = InPlay(self.floor, self.tournaments)
        self.standing.in_play, self.standing.rounds = self.in_play.is_in, self.in_play.rounds
        self.doorkeeper.why_kept_out = self._why_kept_out

    def _why_kept_out(self, order: Order) -> Problem | None:
        player = order.principal.id
        since = self.standing.blocked_by_house_alone(player)
        if self.standing.is_blocked(player) and (since is None or not self.in_play.goes_on(player, since, order)):
            return player_blocked()
        ended = self.standing.ended_by_house(player, order.started or 0)
        if ended is not None and not self.in_play.goes_on(player, ended, order, rounds_alone=True):
            return session_ended("The session was ended and plays running hands on alone; open a new one.")
        return None

    async def lift_block(self, player: str, by: Principal, reason: str = "") -> None:
        """`Problem` 403 where another one's holds. Sessions from before it come to no new life with it."""
        await self.standing.revoke_blocked(player, by, reason, nobody_in=self.why_no_session(player) is not None)
        await self.standing.unblock(player, by, reason)

    def admit(self, caller: Caller) -> None:
        """`Problem` 429 for more than a fair share."""
        if caller.session is not None:
            self.doorkeeper.players.take(caller.session.player)
        else:
            self.doorkeeper.operators.take(str(caller.principal))

    def digest_of(self, kind: str, value: str) -> str:
        """A keyed digest that stands for a device or address in the log: equal for equal values, not reversible."""
        key = hmac.digest(self.key.reveal(), b"signal", "sha256")
        return hmac.digest(key, f"{kind}\x1f{value}".encode(), "sha256").hex()[:32]

    def messages(self, table: str) -> list[dict[str, Any]]:
        """What players wrote at a table, opened; only what was delivered."""
        found = []
        for sent in self.floor.tables.messages(table):
            text = text_of(self.key.reveal(), sent)
            if text is not None:
                found.append({"message": sent.message, "player": sent.player, "text": text, "at": sent.at})
        return found

    def why_no_session(self, player: str) -> Problem | None:
        """With floors who is blocked may be in play at another gateway, and is let in nowhere else."""
        elsewhere = self.floors.are_on and self.standing.blocked_by_house_alone(player) is not None
        return None if elsewhere else self.standing.why_blocked(player)

    def known_table(self, table: str) -> str:
        """The table's id; `Problem` 404 for one that was never opened: no stream is made up by a typing error, and 421
        for one of another floor."""
        self.floors.check(table)
        if not self.floor.knows(table):
            raise _no_table()
        return table

    def known_view(self, table: str) -> TableView:
        """Likewise."""
        view = self.floor.tables.view(self.known_table(table))
        if view is None:
            raise _no_table()
        return view

    def seats_taken(self, table: str) -> int:
        """At a table of any floor; `Problem` 404 where there is none. Of another floor's it may be seconds old."""
        if self.floors.serves(table):
            view = self.floor.tables.view(table)
            taken = len(view.seats) if view is not None else None
        else:
            taken = self.elsewhere.seats_taken(table)
        if taken is None:
            raise _no_table()
        return taken

    def listed_after(self, table: str, limit: int) -> list[tuple[str, bytes]]:
        """The lobby's rows of the tables of all floors that are not closed, by name, with their tables."""
        rows = [(view.table, self.lobby.row(view)) for view in self.floor.tables.listed_after(table, limit)]
        if not self.floors.are_on:
            return rows
        rows = sorted([*rows, *self.elsewhere.listed_after(table, limit)])[:limit]
        return [(each, at_gateway(row, self.floors.gateway(each))) for each, row in rows]


def _no_table() -> Problem:
    return Problem(404, "unknown-table", "There is no such table.")
