"""One finished hand gathered from its table's public events, as it goes on record."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import cached_property

from libs.cards.variants import VARIANTS
from libs.contracts import table_events as t
from libs.contracts.facts import HandEvent
from libs.contracts.messages import PublicEvent
from libs.contracts.poker_configuration import PokerConfiguration
from libs.contracts.registry import parse_event
from libs.views.hand import Hand, InHand
from libs.views.records import Records, fold_records

RULES = (t.TableOpened, t.ConfigurationActivated)
"""Events that say by which rules a table is played from then on."""


class NotExported(Exception):
    """No such hand, or one that is not over yet; the text says which."""


@dataclass(frozen=True)
class PublicHand:
    """A hand and the rules that it was played by."""

    rules: PokerConfiguration
    record: Hand

    @property
    def seats(self) -> tuple[InHand, ...]:
        """Clockwise from the left of the button."""
        return self.record.seats

    @cached_property
    def shown(self) -> dict[int, list[str]]:
        """Seat to hole cards, of those who showed them, in the order in which they did."""
        shown: dict[int, list[str]] = {}
        for card in self.record.cards:
            if card.place == "hand":
                shown.setdefault(int(card.owner), []).append(card.card)
        return shown

    @cached_property
    def streets(self) -> dict[str, list[str]]:
        """Street to the cards dealt with it, in order."""
        dealt: dict[str, list[str]] = {}
        for card in self.record.cards:
            if card.owner == "board" and card.place != "corrected":
                dealt.setdefault(card.place, []).append(card.card)
        return dealt

    @property
    def hole_cards(self) -> int:
        return VARIANTS[self.rules.variant].hole_cards

    def stack_after(self, seat: InHand) -> int:
        """Also of somebody who left before the hand was over: what went home with them. Void: every bet went back."""
        return seat.stack_before - seat.staked + (seat.won or 0)


async def gather(events: AsyncIterator[PublicEvent], table: str, hand: int, name: str = "") -> PublicHand:
    """Reads the table's events until the hand is over. NotExported when it never is.

    They begin with the first, or with what says the rules that hold in the hand; then `name` is the table's.
    """
    rules: PokerConfiguration | None = None
    records, seen, met = Records(name=name), 0, False
    async for event in events:
        if event.stream != table or event.version <= seen:
            continue
        seen = event.version
        fact = parse_event(event)
        records = fold_records(records, fact, event.version)
        if isinstance(fact, RULES):  # never while a hand runs
            rules = fact.configuration if isinstance(fact.configuration, PokerConfiguration) else None
        elif isinstance(fact, HandEvent) and fact.hand == hand and isinstance(records.record, Hand):
            met = True
            if records.record.ended_at is not None and rules is not None:
                return PublicHand(rules, records.record)
    if rules is None:
        raise NotExported(f"no table {table} of poker in the public events")
    raise NotExported(f"hand {hand} of {table} is not over yet" if met else f"{table} has no hand {hand}")
