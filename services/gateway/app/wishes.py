"""Wishes that are not yet the command they become: sealed, counted or named by the gateway on the way."""

import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar

import msgspec

from libs.contracts.commands import Amount, Command
from libs.contracts.conduct_commands import SendMessage
from libs.contracts.draw_commands import AskTableChange, DrawTables
from libs.contracts.facts import Fact, taken
from libs.contracts.live_commands import CardName, RecordIncident, ScanCard
from libs.contracts.scanned_cards import sealed_card
from libs.contracts.table_commands import OpenTable
from libs.contracts.texts import Currency, Id, Reference, line
from libs.contracts.tournaments import Bought, TournamentId, digest_of
from libs.contracts.tournaments_commands import ApproveTournament, BuyingCommand, ProposeTournament, RegisterPlayer
from libs.contracts.wallet_commands import (
    ApproveCash,
    Book,
    ClaimReference,
    DeclineCash,
    Deposit,
    DepositFunds,
    OpenAccount,
    Purpose,
    ReportSignal,
    WithdrawFunds,
    account_id,
)
from libs.contracts.wallet_events import SignalKind
from libs.edge.problems import Problem
from libs.sealing.sealed import seal_alike
from services.gateway.app.asked import Asked
from services.gateway.views.private import bound_to

Made = tuple[str, Command]
"""Stream and command."""
_CARD = re.compile(r"(?<![A-Za-z0-9])(?:10|[2-9TJQKA])\s?[shdc♠♥♦♣](?![A-Za-z0-9])", re.IGNORECASE)


class Wish(Fact, forbid_unknown_fields=True):
    """What is sent where it is not the command."""

    example: ClassVar[Mapping[str, Any]] = {}


class Text(Wish):
    """What a player writes; sealed here, so that no log can read it."""

    example = {"text": "well played"}
    text: Annotated[str, line(500)]


def send_message(asked: Asked, wish: Text) -> Made:
    box = seal_alike(asked.gateway.key.reveal(), wish.text.encode(), bound_to(asked.table, asked.by.id))
    sealed, names_cards = b64encode(box).decode(), bool(_CARD.search(wish.text))
    return asked.table, SendMessage(message="message", sealed=sealed, names_cards=names_cards)


class TableChange(Wish):
    """Which table; how many play there is the house's own count."""

    example = {"to_table": "table-2"}
    to_table: Id


def ask_table_change(asked: Asked, wish: TableChange) -> Made:
    there = asked.gateway.seats_taken(wish.to_table)
    return asked.table, AskTableChange(to_table=wish.to_table, players_there=there)


def at_the_price(bought: Bought) -> Callable[[Asked, BuyingCommand], Made]:
    """A purchase as the tournament's page offers it: the definition is fixed, so this is the same however often.

    What a ticket pays for costs nothing. `Problem` 404 where this gateway knows no price: the wallet pays none then.
    """

    def made(asked: Asked, command: BuyingCommand) -> Made:
        rules = asked.gateway.tournaments.known(asked.stream).definition
        if rules is None:
            raise Problem(404, "unknown-tournament", "There is no such tournament.")
        with_ticket = isinstance(command, RegisterPlayer) and command.ticket is not None
        price = 0 if with_ticket else rules.price_of(bought).amount
        return asked.stream, msgspec.structs.replace(command, price=price)

    return made


def draw_tables(asked: Asked, wish: DrawTables) -> Made:
    asked.own(*wish.tables)
    for other in wish.tables:
        asked.gateway.seats_taken(other)
    return asked.table, wish


class Scan(ScanCard):
    """The dealer: one card by its name, in the order in which it leaves the deck; sealed on the way."""

    card: CardName


def scan_card(asked: Asked, scan: Scan) -> Made:
    card = sealed_card(asked.gateway.key.reveal(), asked.table, scan.hand, scan.card)
    return asked.table, ScanCard(hand=scan.hand, card=card, to=scan.to, seat=scan.seat, face_up=scan.face_up)


class Report(RecordIncident):
    """The dealer: an error by its rule, with cards that lie face down by name; they are sealed on the way."""

    hidden: Annotated[list[CardName], msgspec.Meta(max_length=11)] = []


def record_incident(asked: Asked, report: Report) -> Made:
    key = asked.gateway.key.reveal()
    hidden = [sealed_card(key, asked.table, report.hand, card) for card in report.hidden]
    return asked.table, msgspec.convert({**msgspec.structs.asdict(report), "hidden": hidden}, RecordIncident)


class NewTable(OpenTable):
    """A table under a rulebook; answered once the lobby shows it."""

    example = {"table": "table-1", **OpenTable.example}
    table: Id


def open_table(asked: Asked, wish: NewTable) -> Made:
    asked.own(wish.table)
    fields = msgspec.structs.asdict(wish)
    return fields.pop("table"), OpenTable(**fields)


class NewTournament(ProposeTournament):
    """A tournament under a name of its own; answered once directors see it."""

    example = {"tournament": "sunday-1", **ProposeTournament.example}
    tournament: TournamentId


def propose_tournament(asked: Asked, wish: NewTournament) -> Made:
    fields = msgspec.structs.asdict(wish)
    return fields.pop("tournament"), ProposeTournament(**fields)


def approve_tournament(asked: Asked, wish: ApproveTournament) -> Made:
    """The rules that are approved stand in the command, which is all that the wallet believes (ADR 21).

    `Problem` 404 where this gateway knows none: nobody can have looked at them.
    """
    rules = asked.gateway.tournaments.known(asked.stream).definition
    if rules is None:
        raise Problem(404, "unknown-tournament", "There is no such tournament.")
    return asked.stream, wish if wish.digest else ApproveTournament(digest=digest_of(rules))


def open_account(asked: Asked, wish: OpenAccount) -> Made:
    return account_id(wish.player, wish.currency, wish.kind), wish


class Movement(Wish):
    """Money in, by the operator's own reference, which counts once and for ever."""

    example = {"reference": "bank-20260102-17", "amount": 10_000, "currency": "EUR", "kind": "real"}
    player: Id
    reference: Reference
    amount: Deposit
    currency: Currency
    kind: Book = "real"


class Withdrawal(Movement):
    """Money out, by the operator's own reference, which counts once and for ever."""

    example = {**Movement.example, "reference": "bank-20260102-18"}
    amount: Amount


def deposit(asked: Asked, wish: Movement) -> Made:
    deposit = DepositFunds(reference=wish.reference, amount=wish.amount)
    return account_id(wish.player, wish.currency, wish.kind), deposit


def withdraw(asked: Asked, wish: Withdrawal) -> Made:
    withdrawal = WithdrawFunds(reference=wish.reference, amount=wish.amount)
    return account_id(wish.player, wish.currency, wish.kind), withdrawal


class CashApproval(ApproveCash):
    """What another person asked for, as it was asked."""

    example = {**ApproveCash.example, "currency": "EUR"}
    player: Id
    currency: Currency


def approve_cash(asked: Asked, wish: CashApproval) -> Made:
    return account_id(wish.player, wish.currency), taken(ApproveCash, wish)


class CashRefusal(DeclineCash):
    """Nothing of it moves."""

    example = {**DeclineCash.example, "currency": "EUR"}
    player: Id
    currency: Currency


def decline_cash(asked: Asked, wish: CashRefusal) -> Made:
    return account_id(wish.player, wish.currency), taken(DeclineCash, wish)


_PURPOSES: Mapping[type, Purpose] = {DepositFunds: "deposit", WithdrawFunds: "withdrawal", ReportSignal: "signal"}


def claim_of(command: Command, wish: Any) -> ClaimReference | None:
    """What the operator's reference is used for, where the wish has one."""
    purpose = _PURPOSES.get(type(command))
    if purpose is None:
        return None
    kind, amount = (wish.kind, wish.amount) if isinstance(wish, Movement) else (wish.book, 0)
    return ClaimReference(
        reference=wish.reference, player=wish.player, currency=wish.currency, kind=kind, purpose=purpose, amount=amount
    )


class Signal(Wish):
    """What was seen with a player. All but a program leave the gateway as a keyed digest."""

    example = {"reference": "login-8841", "kind": "device", "value": "9a7c-31", "currency": "EUR"}
    player: Id
    reference: Reference
    """The operator's own; it counts once."""
    kind: SignalKind
    value: Annotated[str, line(256)]
    currency: Currency
    book: Book = "real"


def report_signal(asked: Asked, wish: Signal) -> Made:
    value = wish.value[:128].rstrip() if wish.kind == "program" else asked.gateway.digest_of(wish.kind, wish.value)
    signal = ReportSignal(report=wish.reference, kind=wish.kind, value=value)
    return account_id(wish.player, wish.currency, wish.book), signal
