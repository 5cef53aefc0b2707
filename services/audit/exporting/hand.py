"""One finished hand gathered from its table's public events."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from libs.cards.games import GAMES
from libs.contracts import poker_events as p
from libs.contracts import table_events as t
from libs.contracts.configurations import PokerConfiguration
from libs.contracts.facts import Fact
from libs.contracts.messages import PublicEvent
from libs.contracts.registry import parse_event

Act = p.BlindPosted | p.PlayerFolded | p.PlayerChecked | p.BetPlaced


class NotExported(Exception):
    """No such hand, or one that is not over yet; the text says which."""


@dataclass(slots=True)
class PublicHand:
    """`facts` are those of the hand, in order."""

    name: str
    rules: PokerConfiguration
    started: p.HandStarted
    time: int
    """Milliseconds since the epoch of its first event."""
    facts: list[Fact] = field(default_factory=list)
    ended: p.HandEnded | None = None
    voided: p.HandVoided | None = None

    @property
    def seats(self) -> list[p.SeatInHand]:
        """Clockwise from the left of the button."""
        return self.started.seats

    @property
    def shown(self) -> dict[int, list[str]]:
        """Seat to hole cards, of those who showed them."""
        return {fact.seat: [card.card for card in fact.cards] for fact in self.facts if isinstance(fact, p.CardsShown)}

    @property
    def hole_cards(self) -> int:
        return GAMES[self.rules.variant].hole_cards

    def stack_after(self, seat: p.SeatInHand) -> int:
        """Also of somebody who left before the hand was over: what went home with them."""
        if self.ended is None:
            return seat.stack  # void: every bet went back (pt-811-2015 72)
        result = next(result for result in self.ended.results if result.seat == seat.seat)
        return seat.stack - result.staked + result.won


async def gather(events: AsyncIterator[PublicEvent], table: str, hand: int) -> PublicHand:
    """Reads the table's events from the first until the hand is over. NotExported when it never is."""
    name, rules = "", None
    found: PublicHand | None = None
    seen = 0
    async for event in events:
        if event.stream != table or event.version <= seen:
            continue
        seen = event.version
        fact = parse_event(event)
        if isinstance(fact, t.TableOpened):
            name = fact.name
            rules = fact.configuration if isinstance(fact.configuration, PokerConfiguration) else None
        elif isinstance(fact, t.ConfigurationActivated) and isinstance(fact.configuration, PokerConfiguration):
            rules = fact.configuration  # never while a hand runs
        elif isinstance(fact, p.HandStarted) and fact.hand == hand:
            assert rules is not None, "a table is opened before it deals"
            found = PublicHand(name, rules, fact, event.time)
        elif found is not None and getattr(fact, "hand", None) == hand:
            found.facts.append(fact)
            if isinstance(fact, p.HandEnded):
                found.ended = fact
                return found
            if isinstance(fact, p.HandVoided):
                found.voided = fact
                return found
    if rules is None:
        raise NotExported(f"no table {table} of poker in the public events")
    raise NotExported(f"{table} has no hand {hand}" if found is None else f"hand {hand} of {table} is not over yet")
