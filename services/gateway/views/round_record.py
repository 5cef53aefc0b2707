"""One round against the house as its players may recall it: cards, stakes, decisions, credits and net.

pt-803-2015-no-draw 37, pt-812-2015-baccarat 31. Face-down cards of others stand nowhere in it.
"""

from typing import Any

import msgspec
from msgspec.structs import replace

from libs.contracts import baccarat_events as b
from libs.contracts import no_draw_poker_events as n
from libs.contracts.banked_rounds import (
    BankedRoundOpened,
    BankedRoundSettled,
    BankedRoundVoided,
    BankedStakePlaced,
    BankedStakeWithdrawn,
)
from libs.contracts.facts import Fact, plain
from services.gateway.views.changing import At


class RoundRecord(msgspec.Struct, frozen=True):
    """The essential elements of a round; amounts in minor units of `currency`. `seats` are those that staked."""

    table: str
    game: str
    round: int
    rulebook: str
    rulebook_hash: str
    configuration_version: int
    currency: str
    kind: str
    started: int
    deck_root: str | None = None
    seats: dict[int, str] = {}
    stakes: dict[int, dict[str, int]] = {}
    actions: tuple[dict[str, Any], ...] = ()
    dealer: dict[str, Any] = {}
    shown: tuple[dict[str, Any], ...] = ()
    cards: tuple[dict[str, Any], ...] = ()
    """Baccarat: every card in the order in which it was turned up, with its side and place."""
    outcome: dict[str, Any] = {}
    results: tuple[dict[str, Any], ...] = ()
    void: bool = False
    cause: str | None = None
    refunds: tuple[dict[str, Any], ...] = ()
    ended: int | None = None

    @property
    def number(self) -> int:
        return self.round

    @property
    def players(self) -> dict[str, int]:
        return {player: seat for seat, player in self.seats.items()}


def start_round(event: BankedRoundOpened, at: At, game: str) -> RoundRecord:
    return RoundRecord(
        table=event.table,
        game=game,
        round=event.round,
        rulebook=event.rulebook,
        rulebook_hash=event.rulebook_hash,
        configuration_version=event.configuration_version,
        currency=event.currency,
        kind=event.kind,
        started=at.time,
    )


def fold_round(record: RoundRecord, event: Fact | None, at: At) -> RoundRecord:
    """The record after one more event of its table; events that are no part of the round leave it as it is."""
    match event:
        case BankedStakePlaced() | BankedStakeWithdrawn():
            return _staked(record, event, at)
        case n.RoundDealt():
            return replace(record, deck_root=event.deck_root, dealer={"up": event.dealer_up.card})
        case n.HandSurrendered():
            said = {"seat": event.seat, "player": event.player, "act": "fold", "cause": event.cause}
            return _acted(record, at, {**said, "actor": event.actor})
        case n.DealerShown():
            cards = [card.card for card in event.cards]
            dealer = {**record.dealer, "cards": cards, "category": event.category, "plays": event.plays}
            return replace(record, dealer=dealer)
        case n.RoundHandShown():
            shown = {"seat": event.seat, "player": event.player, "category": event.category}
            shown["cards"] = [card.card for card in event.cards]
            return replace(record, shown=(*record.shown, shown))
        case b.SideShown():
            turned = [
                {"side": event.side, "place": place, "card": card.card}
                for place, card in zip(("first", "second"), event.cards, strict=False)
            ]
            return replace(record, cards=(*record.cards, *turned))
        case b.ThirdCardDealt():
            third = {"side": event.side, "place": event.place, "card": event.card.card}
            return replace(record, cards=(*record.cards, third))
        case BankedRoundSettled():
            return _settled(record, event, at)
        case BankedRoundVoided():
            refunds = tuple(plain(refund) for refund in event.refunds)
            return replace(record, void=True, cause=event.cause, refunds=refunds, ended=at.time)
        case _:
            return record


def round_recalled_by(record: RoundRecord, player: str, own: tuple[str, ...]) -> dict[str, Any]:
    """The record for one of its players, marked as replay; `own` is all of theirs, their own cards included."""
    seat = record.players[player]
    document: dict[str, Any] = msgspec.to_builtins(record, str_keys=True)
    document["seats"] = [
        {"seat": number, "player": name, "stakes": record.stakes.get(number, {})}
        for number, name in sorted(record.seats.items())
    ]
    document.pop("stakes")
    mine = {"seat": seat, "cards": list(own), "stakes": record.stakes.get(seat, {})}
    mine["decision"] = next((a["act"] for a in reversed(record.actions) if a["seat"] == seat), None)
    mine["result"] = next((result for result in record.results if result["seat"] == seat), None)
    mine["refunded"] = next((refund["amount"] for refund in record.refunds if refund["seat"] == seat), None)
    return {"replay": True, **document, "own": mine}


def _staked(record: RoundRecord, event: BankedStakePlaced | BankedStakeWithdrawn, at: At) -> RoundRecord:
    lies = {**record.stakes.get(event.seat, {}), event.area: event.total}
    act = "stake" if isinstance(event, BankedStakePlaced) else "withdraw"
    if isinstance(event, n.SecondBetPlaced):
        act = "continue"
    said = {"seat": event.seat, "player": event.player, "act": act, "area": event.area, "amount": event.amount}
    lies = {area: amount for area, amount in lies.items() if amount}
    seats = {number: name for number, name in record.seats.items() if number != event.seat}
    if lies:
        seats[event.seat] = event.player
    changed = replace(record, seats=seats, stakes={**record.stakes, event.seat: lies})
    return _acted(changed, at, {**said, "total": event.total})


_OUTCOME = ("shoe", "coup", "ponto", "banca", "winner", "natural", "ponto_pair", "banca_pair", "commission_mode")


def _settled(record: RoundRecord, event: BankedRoundSettled, at: At) -> RoundRecord:
    outcome: dict[str, Any] = {}
    if isinstance(event, b.CoupSettled):
        outcome = {name: getattr(event, name) for name in _OUTCOME}
    results = tuple(plain(result) for result in event.results)
    return replace(record, outcome=outcome, results=results, ended=at.time)


def _acted(record: RoundRecord, at: At, said: dict[str, Any]) -> RoundRecord:
    return replace(record, actions=(*record.actions, {"version": at.version, "time": at.time, **said}))
