"""What goes on record of a hand and of a round alike: acts, proven cards, how it ended."""

from typing import Any, Literal, TypeVar

import msgspec
from msgspec.structs import replace

from libs.contracts import banked_rounds as b
from libs.contracts import poker_events as p
from libs.contracts import table_events as t
from libs.contracts.facts import Chips, Moment, Part, Position, taken


class Action(Part, kw_only=True):
    """One act. `version` is its event's; `street` stands for hands, `area` for rounds against the house."""

    version: int
    at: Moment
    seat: int
    player: str
    act: Literal[
        "post", "fold", "check", "call", "bet", "raise", "uncalled_returned", "stake", "withdraw", "continue"
    ]  # fmt: skip
    blind: p.Blind | None = None
    """What was posted."""
    actor: p.Actor = "player"
    reason: str | None = None
    """Why the house acted: `timeout`, `left` …"""
    offline: bool | msgspec.UnsetType = msgspec.UNSET
    """True where the clock folded for a player who had lost the connection; else it is not there."""
    dealer: str | msgspec.UnsetType = msgspec.UNSET
    """Who of the dealers entered it for a player at the table; where nobody did it is not there."""
    street: str | None = None
    area: str | None = None
    amount: Chips = 0
    """What the act moved."""
    to: Chips = 0
    """What lies there afterwards: in the betting round, or on the area."""
    stack: Chips | None = None
    all_in: bool = False


class ProvenCard(t.DeckCard):
    """A shown card and what ties it to `deck_root` (`verify_card` of `libs/sealing/merkle.py`)."""

    owner: str
    """`board`, `dealer`, `ponto`, `banca`, the number of a seat; `table`: everybody's."""
    place: str
    """The street, `corrected`; `hand`, `up`; `first`, `second`, `third`; `open`."""


class RecordedSeat(msgspec.Struct, frozen=True, kw_only=True):
    """One player of the hand or round. Amounts that are null while it runs say what it came to."""

    seat: int
    player: str
    reservation: str
    positions: list[Position] = []
    cards: list[str] = []
    """Empty unless shown."""
    staked: Chips | None = None
    refunded: Chips | None = None
    stack_after: Chips | None = None


class Recorded(msgspec.Struct, frozen=True, kw_only=True, tag_field="record"):
    """What hands and rounds have. `version` is that of the last event in it. Amounts are minor units of `currency`."""

    replay: Literal[True] = True
    """Nothing here is being played (GAM-13)."""
    table: str
    table_name: str
    version: int
    rulebook: str
    rulebook_hash: str
    configuration_version: int
    currency: str
    kind: str
    deck_root: str | None = None
    burned: list[Position] = []
    outcome: Literal["running", "ended", "void", "lapsed"] = "running"
    started_at: Moment
    ended_at: Moment | None = None
    void_cause: str | None = None
    void_by: str | None = None
    actions: tuple[Action, ...] = ()
    cards: tuple[ProvenCard, ...] = ()
    """In the order in which they were shown."""
    seats: tuple[RecordedSeat, ...] = ()

    @property
    def players(self) -> tuple[str, ...]:
        return tuple(seat.player for seat in self.seats)


def voided(event: p.HandVoided | b.BankedRoundVoided) -> dict[str, Any]:
    """How a void one ended."""
    return {"outcome": "void", "ended_at": event.at, "void_cause": event.cause, "void_by": event.by}


def shown(record: Recorded, cards: list[t.DeckCard], owner: str, *places: str) -> dict[str, Any]:
    """The cards beside those shown before; all at one place, or each at its own."""
    at = places if len(places) > 1 else places * len(cards)
    fresh = (taken(ProvenCard, card, owner=owner, place=place) for card, place in zip(cards, at, strict=False))
    return {"cards": (*record.cards, *fresh)}


def faces(cards: list[t.DeckCard]) -> tuple[str, ...]:
    """The cards' names."""
    return tuple(card.card for card in cards)


SeatT = TypeVar("SeatT", bound=RecordedSeat)


def change(seats: tuple[SeatT, ...], changes: dict[int, dict[str, Any]]) -> tuple[SeatT, ...]:
    """The seats, those changed whose number is in `changes`."""
    return tuple(replace(seat, **changes[seat.seat]) if seat.seat in changes else seat for seat in seats)
