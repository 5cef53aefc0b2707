"""Who gets to a table: a stranger's commands are answered at the door and leave no commit, everybody has a fair share.

Only what the table's view proves is refused. A view may be behind the log, so a player of whose seat or place on the
list this gateway could hear any moment is let through, and the table decides.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, Protocol

from libs.contracts.commands import AnyReason, TableCommand
from libs.contracts.conduct_commands import SendMessage
from libs.contracts.draw_commands import AskTableChange
from libs.contracts.live_commands import StatePresence
from libs.contracts.messages import Reply
from libs.contracts.table_commands import RequestTopUp, SitIn, SitOut, TakeSeat
from libs.contracts.tournaments_commands import (
    ApproveTournament,
    DeclineCancellation,
    ProposeCancellation,
    ProposeTournament,
    RegisterPlayer,
    TournamentsReason,
)
from libs.contracts.waiting_list_commands import AskSeatChange, JoinWaitingList, LeaveWaitingList
from libs.edge.problems import Problem
from libs.edge.shares import Buckets
from libs.money.play import kind_of
from libs.views.table import TableView
from services.gateway.app.commands import CommandDesk, Order
from services.gateway.app.deposits import DailyDeposits
from services.gateway.app.floor import Floor
from services.gateway.app.refuted import why_no_seat
from services.gateway.app.tournaments import Tournaments
from services.gateway.views.tables import GONE_MS

LOOK_AGAIN_S = 0.5
"""The books are a little behind the wallet: who seems to have no money is looked up twice, so far apart."""
MAX_COMING = 10_000
FEW = 20
"""Commands of one seat in two seconds. A person sends one or two a second; a client once more what was not answered."""
_UNKNOWN = 1 << 62
_PRESENCE = SitOut, SitIn, StatePresence
_WISHES = JoinWaitingList, LeaveWaitingList, AskSeatChange, AskTableChange, SendMessage, RequestTopUp
_WEIGHTY = ProposeTournament, ApproveTournament, ProposeCancellation, DeclineCancellation


BOOKS_BEHIND = 1_000
"""Records. Books that are further behind may lack what the player paid in a moment ago."""


class Spendable(NamedTuple):
    amount: int
    """Minor units that the player can spend; 0 without an account."""
    behind: int = 0
    """Records of the log that the books lack."""
    account: bool = True
    """Whether there is one."""

    def has(self, amount: int) -> bool:
        return self.account and self.amount >= amount


class Books(Protocol):
    async def available(self, player: str, book: str, currency: str) -> Spendable | None:
        """None where nobody knows."""


@dataclass(slots=True)
class Doorkeeper:
    """Stands before the desk. `players`, `operators` and `subscriptions` are asked by the doors themselves."""

    desk: CommandDesk
    floor: Floor
    books: Books
    players: Buckets
    operators: Buckets
    subscriptions: Buckets
    tables: Buckets
    """By table: seats that send much, together. What is turned away here takes nothing of it."""
    seats: Buckets
    """By table and player: who has a seat there, as far as the view tells."""
    wishes: Buckets
    """By table and player, of `seats`: changes of mind, messages: they may come to nothing, and are kept for ever."""
    presence: Buckets
    """Likewise of being away and back."""
    guests: Buckets
    """By table or tournament and player: anybody else."""
    strangers: Buckets
    """By table: all who have no seat there, together; of those who ask for one, who has the money and could get it."""
    entrants: Buckets
    """By tournament: who asks to enter and has the money or a ticket, together."""
    entered: Buckets
    """By tournament and player: who takes part. Nothing that others do keeps them from a rebuy, which has its time."""
    penniless: Buckets
    """By player: each look-up of money that found none, or has not ended; at all tables together."""
    all_penniless: Buckets
    """One for the house: further look-ups of all whose last ones found none."""
    proposals: Buckets
    """By who directs: proposed and approved tournaments, whose whole rules are judged each time, and refund sheets, of
    which each is as large as the field and stays for ever."""
    deposits: DailyDeposits
    tournaments: Tournaments
    why_kept_out: Callable[[Order], Problem | None] = lambda order: None
    """Of a player: who is blocked, or whose session people of the house have ended, goes on with what is in play."""
    _coming: OrderedDict[tuple[str, str], dict[str, int]] = field(default_factory=OrderedDict, repr=False)
    """Table and player to the keys under which they ask for a seat or a place, each with the version that answered it:
    as long as the view is behind it, they may have one."""
    _under_way: set["asyncio.Task[Reply]"] = field(default_factory=set, repr=False)

    def ask(self, order: Order, traceparent: str = "") -> "asyncio.Future[Reply]":
        """What the desk or the door answers; `Problem` 429 for more than a fair share."""
        command = order.command
        if order.principal.kind == "player" and (refused := self.why_kept_out(order)) is not None:
            raise refused
        if order.claim is not None:
            return self._kept(self.deposits.within(order, self.desk.submit))
        if order.principal.kind == "player" and command.service == "tournament":
            return self._ask_tournament(order, traceparent)
        if isinstance(command, _WEIGHTY):
            if not self.desk.keys.known(str(order.principal), order.key):
                self.proposals.take(str(order.principal))
            return self.desk.ask(order, traceparent)
        if order.principal.kind != "player" or not isinstance(command, TableCommand):
            return self.desk.ask(order, traceparent)
        view = self.floor.tables.view(order.stream)
        if view is not None and self._was_removed(order):
            return _told(self.desk.turned_away(order, AnyReason.REMOVED, view.version))
        if view is not None and view.seat_of(order.principal.id) is not None:
            at = f"{order.stream} {order.principal.id}"
            if not self.desk.keys.known(str(order.principal), order.key):
                if isinstance(command, _WISHES):
                    self.wishes.take(at)
                elif isinstance(command, _PRESENCE):
                    self.presence.take(at)
            self._take_as_seated(order.stream, at)
            return self._let_in(order, traceparent)
        if view is None or not self._is_stranger(order, view):
            self._take_as_guest(order)
            return self._let_in(order, traceparent)
        if command.of_strangers is not None:
            return _told(self.desk.turned_away(order, command.of_strangers, view.version))
        if view.tournament:  # money buys nothing there; the table says so with the rule
            self._take_as_guest(order)
            return self._let_in(order, traceparent)
        if why_no_seat(command, view, self.desk.now()) is not None:
            self.guests.take(f"{order.stream} {order.principal.id}")
            return self._kept(self._look_at_seats_again(order, command, traceparent))
        self._take_as_penniless(order)
        return self._kept(self._look_up(order, view, traceparent))

    def _ask_tournament(self, order: Order, traceparent: str) -> "asyncio.Future[Reply]":
        at, again = f"{order.stream} {order.principal.id}", self.desk.keys.known(str(order.principal), order.key)
        takes_part = not again and self._takes_part(order)
        (self.entered if takes_part else self.guests).take(at)
        if again or takes_part:
            return self.desk.ask(order, traceparent)
        if self._why_out(order) is not None:
            return self._kept(self._look_again(order, traceparent))
        if isinstance(order.command, RegisterPlayer):
            self._take_look_up(order.principal.id)
            return self._kept(self._look_up_entry(order, order.command.price or 0, traceparent))
        self.entrants.take(order.stream)
        return self.desk.ask(order, traceparent)

    def _why_out(self, order: Order) -> TournamentsReason | None:
        """Why one who takes no part can't have what is asked, as far as the view tells; None: the tournament decides.

        Nobody to whom this is said takes of what the entrants share.
        """
        command, view = order.command, self.tournaments.view(order.stream)
        if view is None:
            return None
        if not isinstance(command, RegisterPlayer):
            return TournamentsReason.NOT_REGISTERED
        if view.status not in ("registering", "running"):
            return TournamentsReason.REGISTRATION_CLOSED
        if command.ticket is None:
            return None
        issued = view.tickets.get(command.ticket) or view.spent.get(command.ticket)
        if issued is None:
            return TournamentsReason.UNKNOWN_TICKET
        mine = issued.player == order.principal.id
        return TournamentsReason.TICKET_SPENT if mine else TournamentsReason.NOT_TRANSFERABLE

    async def _look_again(self, order: Order, traceparent: str) -> Reply:
        """The answer to one who seems to be out: a moment later, for the view is a little behind."""
        await asyncio.sleep(LOOK_AGAIN_S)
        reason = None if self._takes_part(order) else self._why_out(order)
        if reason is not None:
            return self.desk.turned_away(order, reason, self.tournaments.version(order.stream))
        return await asyncio.shield(self._ask_tournament(order, traceparent))

    async def _look_at_seats_again(self, order: Order, command: TableCommand, traceparent: str) -> Reply:
        """The answer to a stranger who seems to ask for a seat in vain: a moment later, likewise."""
        await asyncio.sleep(LOOK_AGAIN_S)
        view = self.floor.tables.view(order.stream)
        reason = why_no_seat(command, view, self.desk.now()) if view is not None else None
        if view is not None and reason is not None and self._is_stranger(order, view):
            return self.desk.turned_away(order, reason, view.version)
        return await asyncio.shield(self.ask(order, traceparent))

    def _was_removed(self, order: Order) -> bool:
        """Whether it asks for a seat or a place with the session in which staff took the player off the table."""
        if not isinstance(order.command, TableCommand) or order.command.of_strangers is not None:
            return False
        removed = self.floor.tables.removed_at(order.stream, order.principal.id)
        again = self.desk.keys.known(str(order.principal), order.key)
        return removed is not None and not again and (order.started is None or order.started <= removed)

    def _kept(self, answer: Coroutine[Any, Any, Reply]) -> "asyncio.Future[Reply]":
        task = asyncio.ensure_future(answer)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return task

    def _take_as_seated(self, table: str, at: str) -> None:
        """Who has asked for little of late pays nothing of what the seats share: no others use it up for them."""
        lately = not self.seats.is_full(at, but=FEW)
        self.seats.take(at)
        if not lately:
            return
        try:
            self.tables.take(table)
        except Problem:
            self.seats.give_back(at)
            raise

    def _take_as_guest(self, order: Order) -> None:
        self.guests.take(f"{order.stream} {order.principal.id}")
        self.strangers.take(order.stream)

    def _take_as_penniless(self, order: Order) -> None:
        """Before the money is known. Nothing of what the table's strangers share: who has no money can't use it up."""
        player = order.principal.id
        self.guests.take(f"{order.stream} {player}")
        self._take_look_up(player)

    def _take_look_up(self, player: str) -> None:
        lately = not self.penniless.is_full(player)
        self.penniless.take(player)
        if not lately:
            return
        try:
            self.all_penniless.take("")
        except Problem:
            self.penniless.give_back(player)
            raise

    def _is_stranger(self, order: Order, view: TableView) -> bool:
        player = order.principal.id
        if self.desk.keys.known(str(order.principal), order.key):
            return False  # it may have been decided: the same answer again
        coming = self._coming.get((order.stream, player))
        if coming is not None:
            if any(version > view.version for version in coming.values()):
                return False
            del self._coming[order.stream, player]
        return self.floor.tables.is_stranger(order.stream, player, self.desk.now())

    def _let_in(self, order: Order, traceparent: str) -> "asyncio.Future[Reply]":
        answer = self.desk.ask(order, traceparent)
        if isinstance(order.command, TableCommand) and order.command.of_strangers is None:
            at = order.stream, order.principal.id
            self._coming.setdefault(at, {})[order.key] = _UNKNOWN
            self._coming.move_to_end(at)
            if len(self._coming) > MAX_COMING:
                self._coming.popitem(last=False)
            answer.add_done_callback(partial(self._came, order))
        return answer

    async def _look_up(self, order: Order, view: TableView, traceparent: str) -> Reply:
        """The answer to a stranger who asks for a seat or a place on the list: the table's, or no money.

        `Problem` 429 where strangers with money have used up what they share at the table.
        """
        if not await self._can_pay(order, view):
            return self.desk.turned_away(order, AnyReason.INSUFFICIENT_FUNDS, view.version)
        self.penniless.give_back(order.principal.id)
        self.strangers.take(order.stream)
        return await asyncio.shield(self._let_in(order, traceparent))

    def _takes_part(self, order: Order) -> bool:
        """Also who took part once, or owns a ticket for it."""
        view, player = self.tournaments.view(order.stream), order.principal.id
        return view is not None and (
            player in view.entries
            or player in view.paying
            or player in view.lines
            or player in view.barred
            or any(ticket.player == player for ticket in view.tickets.values())
        )

    async def _look_up_entry(self, order: Order, price: int, traceparent: str) -> Reply:
        """Who has no account in the currency, or too little in it, is told so now: the wallet would not know whom to
        tell (pt-810-2015 21), nor, of a tournament for nothing, whom to pay."""
        view, player = self.tournaments.known(order.stream), order.principal.id
        currency = view.rules.currency
        kind = kind_of(currency)
        if not await self._has(player, kind, currency, price):
            reason = AnyReason.INSUFFICIENT_FUNDS if price else AnyReason.NO_ACCOUNT
            return self.desk.turned_away(order, reason, view.version)
        self.penniless.give_back(player)
        self.entrants.take(order.stream)
        return await asyncio.shield(self.desk.ask(order, traceparent))

    async def _can_pay(self, order: Order, view: TableView) -> bool:
        chosen = view.configuration
        if chosen is None:
            return True
        asked = order.command.amount if isinstance(order.command, TakeSeat) else chosen.entry.buy_in_min
        return await self._has(order.principal.id, chosen.kind, chosen.currency, asked)

    async def _has(self, player: str, book: str, currency: str, amount: int) -> bool:
        """An account with so much to spend, minor units; also where nobody knows. `Problem` 503 where the books are too
        far behind."""
        found = await self.books.available(player, book, currency)
        if found is not None and not found.has(amount):
            await asyncio.sleep(LOOK_AGAIN_S)
            found = await self.books.available(player, book, currency)
        if found is None or found.has(amount):
            return True
        if found.behind > BOOKS_BEHIND:
            raise Problem(
                503, "books-behind", "What was paid in may not be in the books yet.", headers={"retry-after": "1"}
            )
        return False

    def _came(self, order: Order, answer: "asyncio.Future[Reply]") -> None:
        keys = self._coming.get((order.stream, order.principal.id))
        if keys is None:
            return
        if answer.cancelled() or answer.exception() is not None:
            # Nobody knows: it may still be decided, until it is too old for that.
            asyncio.get_running_loop().call_later(GONE_MS / 1000, keys.pop, order.key, None)
        elif answer.result().verdict == "accepted":
            keys[order.key] = answer.result().version
        else:
            keys.pop(order.key, None)


def _told(reply: Reply) -> "asyncio.Future[Reply]":
    told: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
    told.set_result(reply)
    return told
