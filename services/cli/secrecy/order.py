"""The order of showing: in a public event no card stands before it is on the board or shown by its own rule.

Also looks whether what went to the gateway is sealed and is what was dealt, so that a scan that finds nothing is known
to have had the right cards in hand.
"""

import re
from base64 import b64decode
from collections.abc import Container, Iterator
from typing import Any

import msgspec

from libs.contracts import baccarat_events as b
from libs.contracts import no_draw_poker_events as n
from libs.contracts import poker_events as p
from libs.contracts.banked_rounds import BankedDeckDealt
from libs.contracts.cloudevents_kafka import NotAPublicEvent, from_record
from libs.contracts.facts import Fact
from libs.contracts.private_deals import PrivateDeal
from libs.contracts.registry import UnknownEvent, parse_event
from libs.contracts.table_events import TableClosed
from libs.journal.log import LogRecord
from libs.sealing.sealed import CannotOpen, open_sealed
from services.audit.verifying.kept import Kept
from services.cli.secrecy.hands import Hand, Hands, note, number_of

_CARD = re.compile(r"[2-9TJQKA][cdhs]")
_CARDS_MAYBE = re.compile(rb'"[^0-9A-Za-z_"]*[2-9TJQKA][cdhs]|\\\\')
"""No string of a JSON text is cards where nothing of this stands."""
_ONLY_CARDS = re.compile(r"(?:\W*[2-9TJQKA][cdhs])+\W*")


class ShowingOrder:
    """Fold of the public topic; partitions one after the other, records in order, repetitions skipped."""

    def __init__(self, hands: Hands, lost: Container[tuple[str, int]] = ()) -> None:
        """Of a hand that is `lost`, because its cards do not open, nothing can be said."""
        self._hands, self._lost = hands, lost
        self._running: dict[str, Hand] = {}
        self._running_lost: set[str] = set()
        self._versions: Kept[str, int] = Kept(int)
        self.events = 0

    def take(self, record: LogRecord) -> Iterator[str]:
        """What is wrong with this record of the table's public topic."""
        try:
            event = from_record(record.key, record.value, record.headers)
            fact = parse_event(event)
        except (NotAPublicEvent, UnknownEvent, msgspec.MsgspecError):
            yield "a public record that is no event of ours"
            return
        before = self._versions.get(event.stream, 0)
        if event.version <= before:
            return
        if not before and event.version > 1:
            self._running_lost.add(event.stream)  # what runs here began before the first record that is searched
        self._versions[event.stream] = event.version
        self.events += 1
        if isinstance(fact, p.HandStarted | BankedDeckDealt | b.ShoeStarted):
            self._start(event.stream, number_of(fact))
        yield from self._shown_too_early(event.stream, fact, _cards_of(event.data))
        if isinstance(fact, TableClosed):
            self._running.pop(event.stream, None)
            self._running_lost.discard(event.stream)

    def _start(self, stream: str, number: int) -> None:
        known = self._hands.get((stream, number))
        (self._running_lost.add if (stream, number) in self._lost else self._running_lost.discard)(stream)
        if known is not None:
            self._running[stream] = Hand(stream, number, known.deck)
        else:
            self._running.pop(stream, None)

    def _shown_too_early(self, stream: str, fact: Fact, cards: set[str]) -> Iterator[str]:
        if stream in self._running_lost:
            return
        hand = self._running.get(stream)
        name = f"{stream} hand {hand.number if hand else '?'}"
        if hand is None:
            if cards:
                yield f"{stream}: a card in an event outside a hand"
            return
        hole = {position for positions in hand.hole.values() for position in positions}
        if isinstance(fact, p.StreetDealt) and hole & {card.position for card in fact.cards}:
            yield f"{name}: a hole card on the board"
        if isinstance(fact, p.CardsShown | n.RoundHandShown) and fact.seat in hand.folded:
            yield f"{name}: a folded hand is shown"
        note(hand, fact)
        if not cards <= hand.public_cards:
            yield f"{name}: a card stands in {type(fact).__name__} that is not in the open yet"


def _cards_of(data: bytes) -> set[str]:
    return cards_in(msgspec.json.decode(data)) if _CARDS_MAYBE.search(data) else set()


def cards_in(value: Any) -> set[str]:
    """Card names among the strings of a JSON value: strings that are one card, or nothing but cards."""
    match value:
        case str():
            return set(_CARD.findall(value)) if _ONLY_CARDS.fullmatch(value) else set()
        case list():
            return {card for each in value for card in cards_in(each)}
        case dict():
            return {card for each in value.values() for card in cards_in(each)}
        case _:
            return set()


class PrivateDeals:
    """The private topic: every record sealed, and opened by the gateway's key to the very cards that were dealt."""

    def __init__(self, hands: Hands, gateway_key: bytes, lost: Container[tuple[str, int]] = ()) -> None:
        self._hands, self._lost = hands, lost
        self._key = gateway_key
        self.opened = 0

    def take(self, record: LogRecord) -> Iterator[str]:
        try:
            deal = PrivateDeal.decoded(record.value or b"")
            clear = open_sealed(self._key, b64decode(deal.sealed, validate=True), deal.associated_data)
        except (msgspec.MsgspecError, CannotOpen, ValueError):
            yield "a private deal that is not sealed as it should be"
            return
        if (deal.table, deal.hand) in self._lost:
            return
        hand = self._hands.get((deal.table, deal.hand))
        if hand is None or deal.seat not in hand.hole:
            yield f"{deal.table} hand {deal.hand}: a private deal to a seat that was not dealt in"
            return
        if clear.decode() != " ".join(hand.card(position) for position in hand.hole[deal.seat]):
            yield f"{deal.table} hand {deal.hand}: a private deal of other cards than were dealt"
            return
        self.opened += 1
