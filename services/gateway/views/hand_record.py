"""One hand as its players may recall it: every action, pot and payment, and no card that was not shown (rule 65)."""

from typing import Any

import msgspec
from msgspec.structs import replace

from libs.contracts import poker_events as p
from libs.contracts.facts import Fact, plain
from services.gateway.views.changing import At


class HandRecord(msgspec.Struct, frozen=True):
    """The essential elements of a hand (pt-811-2015 65; compliance GAM-13). Amounts in minor units of `currency`."""

    table: str
    hand: int
    rulebook: str
    rulebook_hash: str
    configuration_version: int
    currency: str
    kind: str
    button: int
    small_blind: int
    big_blind: int
    deck_root: str
    started: int
    seats: dict[int, str]
    stacks: dict[int, int]
    street: str = "preflop"
    board: tuple[str, ...] = ()
    actions: tuple[dict[str, Any], ...] = ()
    shown: tuple[dict[str, Any], ...] = ()
    pots: tuple[dict[str, Any], ...] = ()
    results: tuple[dict[str, Any], ...] = ()
    rake: int = 0
    exemption: str | None = None
    ended: int | None = None

    @property
    def number(self) -> int:
        return self.hand

    @property
    def players(self) -> dict[str, int]:
        return {player: seat for seat, player in self.seats.items()}


def start_record(event: p.HandStarted, at: At) -> HandRecord:
    return HandRecord(
        table=event.table,
        hand=event.hand,
        rulebook=event.rulebook,
        rulebook_hash=event.rulebook_hash,
        configuration_version=event.configuration_version,
        currency=event.currency,
        kind=event.kind,
        button=event.button,
        small_blind=event.small_blind,
        big_blind=event.big_blind,
        deck_root=event.deck_root,
        started=at.time,
        seats={seat.seat: seat.player for seat in event.seats},
        stacks={seat.seat: seat.stack for seat in event.seats},
    )


def fold_record(record: HandRecord, event: Fact | None, at: At) -> HandRecord:
    """The record after one more event of its table; events that are no part of the hand leave it as it is."""
    match event:
        case p.BlindPosted():
            act = event.blind if event.blind in _NO_BLIND else f"{event.blind}_blind"
            return _acted(record, event, at, act=act, compulsory=event.compulsory)
        case p.PlayerFolded():
            return _acted(record, event, at, act="fold")
        case p.PlayerChecked():
            return _acted(record, event, at, act="check")
        case p.BetPlaced():
            return _acted(record, event, at, act=event.act)
        case p.UncalledBetReturned():
            return _acted(record, event, at, act="uncalled_bet_returned")
        case p.StreetDealt():
            board = record.board + tuple(card.card for card in event.cards)
            return replace(record, street=event.street, board=board)
        case p.CardsShown():
            shown = plain(event, "at", "table", "hand", "cards")
            shown["cards"] = [card.card for card in event.cards]
            return replace(record, shown=(*record.shown, shown))
        case p.PotAwarded():
            pot = plain(event, "at", "table", "hand", "currency", "rulebook")
            return replace(record, pots=(*record.pots, pot))
        case p.HandEnded():
            results = tuple(plain(result) for result in event.results)
            return replace(record, results=results, rake=event.rake, exemption=event.exemption, ended=at.time)
        case _:
            return record


_NO_BLIND = ("ante", "big_blind_ante", "straddle")
_LEFT_OUT = ("at", "table", "hand", "currency", "blind", "compulsory", "act", "time_bank_left")


def _acted(record: HandRecord, event: Fact, at: At, **words: Any) -> HandRecord:
    action = {"version": at.version, "time": at.time, "street": record.street, **words}
    action |= plain(event, *_LEFT_OUT)
    return replace(record, actions=(*record.actions, action))


def recalled_by(record: HandRecord, player: str, own: tuple[str, ...]) -> dict[str, Any]:
    """The record for one of its players, marked as replay; `own` are that player's cards of this hand."""
    seats = [
        {"seat": seat, "player": name, "stack_before": record.stacks[seat]}
        for seat, name in sorted(record.seats.items())
    ]
    document: dict[str, Any] = msgspec.to_builtins(record, str_keys=True)
    document.pop("stacks")
    document.pop("street")
    return {"replay": True, **document, "seats": seats, "own": {"seat": record.players[player], "cards": list(own)}}
