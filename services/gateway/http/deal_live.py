"""POST /v1/tables/{table}/live/…: the consoles of a live table, dealer's and supervisor's (pt-217-2007 69 to 71).

Cards that nobody saw are sealed here, before they enter any topic. Who asks is named by `Croupier-Staff`.
"""

from collections.abc import Callable, Coroutine
from typing import Annotated, Any

from fastapi import Body
from pydantic import Field

from libs.contracts import live_commands as commands
from libs.contracts import table_commands
from libs.contracts.live_commands import CardName
from libs.contracts.messages import Message
from libs.contracts.scanned_cards import sealed_card
from libs.contracts.table_commands import HandNumber, SeatNumber
from services.gateway.app.gateway import Gateway, table_order
from services.gateway.http.answering import Done, ask, example
from services.gateway.http.asking import IdempotencyKey, Staff, TableId, TheGateway

Console = Callable[..., Coroutine[Any, Any, Done]]


class Scan(Message):
    model_config = example(hand=7, card="Td", to="hole", seat=3)

    hand: HandNumber
    card: CardName = Field(repr=False)
    to: Annotated[str, Field(pattern="^(hole|burn|board)$")]
    seat: SeatNumber | None = None
    face_up: bool = False


async def scan_card(table: TableId, scan: Scan, staff: Staff, key: IdempotencyKey, gateway: TheGateway) -> Done:
    """The dealer only: one card, in the order in which it leaves the deck."""
    known = gateway.known_table(table)
    box = sealed_card(gateway.key.reveal(), known, scan.hand, scan.card)
    body = {**scan.model_dump(exclude={"card"}), "sealed": box}
    return await ask(gateway, table_order(staff, key, known, commands.ScanCard, body))


class Report(commands.RecordIncident):
    """As the command, with cards that lie face down by name; they are sealed on the way."""

    hidden: list[CardName] = Field(default_factory=list, max_length=11, repr=False)


async def record_incident(
    table: TableId, report: Report, staff: Staff, key: IdempotencyKey, gateway: TheGateway
) -> Done:
    """The dealer only: an error by its rule; the procedure follows at once or waits for a supervisor."""
    known = gateway.known_table(table)
    body = report.model_dump()
    body["hidden"] = [sealed_card(gateway.key.reveal(), known, report.hand, card) for card in report.hidden]
    return await ask(gateway, table_order(staff, key, known, commands.RecordIncident, body))


def console(command: type[Message], about: str) -> Console:
    """An endpoint that passes a command of staff on as it is."""

    async def endpoint(
        table: TableId,
        wish: Annotated[Any, Body()],
        staff: Staff,
        key: IdempotencyKey,
        gateway: TheGateway,
    ) -> Done:
        return await _pass_on(gateway, table, command, wish, staff, key)

    endpoint.__annotations__["wish"] = Annotated[command, Body()]
    endpoint.__name__ = f"live_{command.__name__}"
    endpoint.__doc__ = about
    return endpoint


async def _pass_on(gateway: Gateway, table: str, command: type[Message], wish: Message, staff: Any, key: str) -> Done:
    known = gateway.known_table(table)
    return await ask(gateway, table_order(staff, key, known, command, wish.model_dump()))


CONSOLES: tuple[tuple[str, type[Message], str], ...] = (
    # path, command, what it is
    ("dealer", commands.AssignDealer, "Staff: who deals from now on."),
    ("decks/inspect", commands.InspectDeck, "The dealer: all cards face up on the table."),
    ("decks/check", commands.CheckDeck, "The dealer: counted, and sound."),
    ("decks/shuffle", commands.ShuffleDeck, "The dealer: shuffled so many times."),
    ("decks/damaged", commands.MarkDeckDamaged, "Staff: a card is damaged."),
    ("decks/replace", commands.ReplaceDeck, "Staff: another deck in its place."),
    ("deal", commands.DealHand, "The dealer begins a hand."),
    ("posts", commands.RecordPost, "The dealer: a blind that was missing is there."),
    ("acts", table_commands.Act, "The dealer enters what a player said at the table."),
    ("pass", commands.PassTurn, "The dealer went past a seat."),
    ("decisions", commands.DecideIncident, "A supervisor, who is not the dealer, decides."),
    ("deliver", commands.DeliverPot, "The dealer announces and delivers the pot."),
    ("cancel", commands.CancelAct, "Refused with its rule: an act stands."),
)
