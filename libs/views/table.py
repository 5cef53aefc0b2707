"""What everybody may know of one table, folded from its public events. No unseen card stands in it."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from libs.contracts import conduct_events as conduct
from libs.contracts import live_events as live
from libs.contracts import poker_events as p
from libs.contracts import table_events as e
from libs.contracts import tournament_events as entrants
from libs.contracts import waiting_list_events as waiting
from libs.contracts.any_configuration import AnyConfiguration
from libs.contracts.baccarat_events import CoupOpened, ShoeStarted
from libs.contracts.banked_rounds import (
    BankedRoundEvent,
    BankedRoundOpened,
    BankedRoundSettled,
    BankedRoundVoided,
    BankedStakeMoved,
)
from libs.contracts.configurations import flat
from libs.contracts.facts import Fact, HandEvent, taken
from libs.contracts.no_draw_poker_events import AntesOpened
from libs.contracts.poker_configuration import PokerConfiguration
from libs.views.baccarat import CHANCES, PAIRS, Coup, Shoe, fold_coup, fold_shoe
from libs.views.banked import BankedRound, fold_banked, opened
from libs.views.hand import Hand, fold_hand, pots
from libs.views.no_draw import AREAS, NoDrawRound, choices_of, fold_no_draw
from libs.views.records import stakes_of

SeatStatus = Literal["reserved", "playing", "sitting_out"]
TableStatus = Literal["open", "paused", "closing", "closed"]


class Seat(msgspec.Struct, frozen=True):
    """One taken seat. `stack` in minor units; `until` is when a reservation or a break ends."""

    seat: int
    player: str
    reservation: str
    status: SeatStatus
    stack: int
    leaving: bool = False
    until: int | None = None
    notice: str | None = None
    """`invited` or `warned`, with the reason: `warned: absent` (pt-811-2015 70, 71); null when it is lifted."""
    conduct: str | None = None
    """The rule of the last warning for conduct in this sitting (pt-217-2007 58); it stays."""
    topping_up: int = 0
    offline: bool = False
    """Known to have lost the connection: no clock stops for it (pt-811-2015 73, pt-803-2015-no-draw 34)."""


class Waiting(msgspec.Struct, frozen=True):
    """One place on the list for seats; `seat` is the one wished for, if any."""

    player: str
    kind: str
    seat: int | None


class Disputed(msgspec.Struct, frozen=True):
    """A dispute that waits for the house's decision. What it says is on record of its hand: it may name cards."""

    dispute: int
    hand: int
    seat: int
    player: str


class TableView(msgspec.Struct, frozen=True):
    """The fold of one table's public events; `version` is the last one folded."""

    table: str
    version: int = 0
    name: str = ""
    status: TableStatus = "open"
    suspended: bool = False
    reason: str | None = None
    configuration: AnyConfiguration | None = None
    """In force; None before the table is known."""
    rulebook_hash: str = ""
    announced: AnyConfiguration | None = None
    """A newer configuration, in force when the running hand is over (pt-811-2015 17)."""
    announced_from: int | None = None
    """First millisecond, since the epoch, at which it may be in force: who sits or comes knows what is paid when."""
    requested: AnyConfiguration | None = None
    """One that waits for another one of the staff; nothing is changed by it yet."""
    button: int | None = None
    hands_played: int = 0
    seats: dict[int, Seat] = {}
    waiting: tuple[Waiting, ...] = ()
    """The list for seats, in its order (pt-217-2007 8.a)."""
    offered: dict[int, str] = {}
    """Seats that are kept, and for whom."""
    owing: tuple[str, ...] = ()
    """Players who are not dealt in before they have paid the session's charge (pt-217-2007 7.b)."""
    disputes: tuple[Disputed, ...] = ()
    """Open ones, of whatever hand (pt-217-2007 8.c)."""
    dealer: str | None = None
    hand: Hand | None = None
    """At tables of poker; `round` and `shoe` at those against the house."""
    round: NoDrawRound | Coup | BankedRound | None = None
    shoe: Shoe | None = None

    @property
    def game(self) -> str:
        """`poker`, `no_draw_poker`, `baccarat`."""
        return self.configuration.game if self.configuration else "poker"

    @property
    def rules(self) -> dict[str, Any]:
        """The configuration's values by the names that its rulebook has for them; empty before the table is known."""
        return flat(self.configuration) if self.configuration else {}

    @property
    def demo(self) -> bool:
        """Play money, which is worth nothing and stays so (pt-811-2015 75, pt-803-2015-no-draw 44)."""
        return self.configuration is not None and self.configuration.kind == "demo"

    @property
    def tournament(self) -> str | None:
        """Whose chips the stacks are, at a tournament table; they are no money (mo-97-2010 4.2)."""
        return (self.configuration and self.configuration.tournament) or None

    @property
    def free(self) -> list[int]:
        """Seats that are neither taken nor kept for anybody (pt-811-2015 4.a)."""
        every = range(1, self.configuration.seats + 1) if self.configuration else ()
        return [seat for seat in every if seat not in self.seats and seat not in self.offered]

    def seat_of(self, player: str) -> Seat | None:
        return next((seat for seat in self.seats.values() if seat.player == player), None)

    def staked_by(self, player: str) -> int:
        """What the player has in the running hand or round, minor units."""
        if self.round is not None:
            return self.round.staked_by(player)
        if self.hand is None or self.hand.over:
            return 0
        return sum(seat.staked for seat in self.hand.seats if seat.player == player)


def fold_table(view: TableView, event: Fact | None, version: int) -> TableView:
    """The view after `event`; None is a fact of a type that this build does not know: only the version moves."""
    view = _stacks(_play(replace(view, version=version), event), event)
    if isinstance(event, HandEvent | BankedRoundEvent):
        return view
    match event:
        case e.TableOpened() | e.ConfigurationActivated():
            name = event.name if isinstance(event, e.TableOpened) else view.name
            chosen, book = event.configuration, event.rulebook_hash
            changed = replace(view, name=name, configuration=chosen, rulebook_hash=book)
            return replace(changed, announced=None, announced_from=None)
        case e.ConfigurationAnnounced():
            holds_from = max(event.holds_from, event.at)
            return replace(view, announced=event.configuration, announced_from=holds_from, requested=None)
        case e.ConfigurationRequested():
            return replace(view, requested=event.configuration)
        case e.ConfigurationDeclined():
            return replace(view, requested=None)
        case e.TablePaused():
            return replace(view, status="paused", reason=event.reason)
        case e.TableResumed():
            return replace(view, status="open", reason=None)
        case e.TableClosing():
            return replace(view, status="closing", reason=event.reason)
        case e.TableClosed():
            playing = view.round
            left = replace(playing, phase="lapsed", until=None) if playing is not None and not playing.over else playing
            return replace(view, status="closed", round=left)  # nobody had bet in it
        case e.TableSuspended() | p.GameResumed():
            return replace(view, suspended=isinstance(event, e.TableSuspended))
        case waiting.WaitingListJoined():
            return replace(view, waiting=(*view.waiting, taken(Waiting, event)))
        case waiting.WaitingListLeft():
            offered = {seat: player for seat, player in view.offered.items() if player != event.player}
            return replace(view, waiting=tuple(w for w in view.waiting if w.player != event.player), offered=offered)
        case waiting.SeatOffered():
            return replace(view, offered={**view.offered, event.seat: event.player})
        case live.DealerAssigned():
            return replace(view, dealer=event.dealer)
        case p.VariantChosen() if isinstance(view.configuration, PokerConfiguration):
            return replace(view, configuration=view.configuration.turned_to(event.variant))
        case p.ButtonDrawn():
            return replace(view, button=event.seat)
        case p.SessionStarted():
            return replace(view, owing=())
        case p.SessionFeeUnpaid() | p.SessionFeePaid():
            others = tuple(player for player in view.owing if player != event.player)
            return replace(view, owing=(*others, event.player) if isinstance(event, p.SessionFeeUnpaid) else others)
        case _:
            return _seats(view, event)


def _play(view: TableView, event: Fact | None) -> TableView:
    """The hand, round and shoe on the table."""
    match event:
        case HandEvent():
            stakes, offline = stakes_of(view.configuration), [each.seat for each in view.seats.values() if each.offline]
            view = replace(view, hand=fold_hand(view.hand, event, view.version, view.name, stakes, offline))
            match event:
                case p.HandStarted():
                    return replace(view, button=event.button, suspended=False)
                case p.DisputeOpened():
                    return replace(view, disputes=(*view.disputes, taken(Disputed, event)))
                case p.DisputeResolved():
                    return replace(view, disputes=tuple(d for d in view.disputes if d.dispute != event.dispute))
        case BankedRoundOpened():
            return replace(view, round=opened(_ROUNDS.get(type(event), BankedRound), event))
        case BankedRoundEvent():
            view = replace(view, round=_round(view.round, event), shoe=fold_shoe(view.shoe, event))
        case ShoeStarted():
            return replace(view, shoe=fold_shoe(view.shoe, event))
    played = isinstance(event, p.HandEnded | BankedRoundSettled)
    return replace(view, hands_played=view.hands_played + 1) if played else view


_ROUNDS: Mapping[type[BankedRoundOpened], type[BankedRound]] = {AntesOpened: NoDrawRound, CoupOpened: Coup}


def _round(round: BankedRound | None, event: BankedRoundEvent) -> Any:
    match round:
        case None:
            return None
        case NoDrawRound():
            return fold_no_draw(round, event)
        case Coup():
            return fold_coup(round, event)
        case _:
            return fold_banked(round, event)


def _seats(view: TableView, event: Fact | None) -> TableView:
    """Who sits where, and how."""
    match event:
        case e.SeatReserved():
            return _sits(view, Seat(event.seat, event.player, event.reservation, "reserved", 0, until=event.until))
        case e.PlayerSeated():
            return _sits(view, Seat(event.seat, event.player, event.reservation, "playing", event.stack))
        case entrants.EntrantSeated():
            status: SeatStatus = "playing" if event.away in ("", "unseen") else "sitting_out"
            return _sits(view, Seat(event.seat, event.player, event.reservation, status, event.chips))
        case entrants.EntrantBarred():
            return _change(view, event.seat, status="sitting_out", until=None)
        case entrants.EntrantChipsAdded():
            return _change(view, event.seat, stack=event.stack)
        case entrants.EntrantChipsDue():
            return view
        case e.SeatReleased() | e.PlayerLeft() | entrants.EntrantEvent():
            return replace(view, seats={number: seat for number, seat in view.seats.items() if number != event.seat})
        case waiting.SeatChanged() if event.from_seat in view.seats:
            seats = {number: seat for number, seat in view.seats.items() if number != event.from_seat}
            seats[event.to_seat] = replace(view.seats[event.from_seat], seat=event.to_seat)
            return replace(view, seats=seats)
        case conduct.ConductWarned() if warned := view.seat_of(event.player):
            return _change(view, warned.seat, conduct=event.rule)
        case e.TopUpRequested():
            return _change(view, event.seat, topping_up=event.amount)
        case e.TopUpAdded() | e.TopUpFailed():
            return _change(view, event.seat, topping_up=0)
        case e.PlayerSatOut():
            return _change(view, event.seat, status="sitting_out", until=event.until)
        case e.PlayerSatIn():
            return _change(view, event.seat, status="playing", until=None)
        case e.PlayerInvitedToLeave():
            return _change(view, event.seat, notice=f"invited: {event.reason}")
        case e.PlayerWarned():
            return _change(view, event.seat, notice=f"warned: {event.reason}")
        case e.NoticeLifted():
            return _change(view, event.seat, notice=None)
        case e.LeaveRequested():
            return _change(view, event.seat, leaving=True)
        case e.ConnectionLost() | e.ConnectionRestored():
            return _change(view, event.seat, offline=isinstance(event, e.ConnectionLost))
        case _:
            return view


def _stacks(view: TableView, event: Fact | None) -> TableView:
    """Chips moved. What is left of a sitting whose player went home is not the next sitter's."""
    match event:
        case p.BlindPosted() | p.BetPlaced() | p.UncalledBetReturned() | BankedStakeMoved():
            return _change(view, event.seat, stack=event.stack)
        case e.TopUpAdded() | conduct.DealerTipped():
            return _change(view, event.seat, stack=event.stack)
        case live.PotReversed():
            return _change(_change(view, event.from_seat, stack=event.from_stack), event.to_seat, stack=event.to_stack)
        case p.PotAwarded():
            for paid in event.payments:
                held = view.seats.get(paid.seat)
                view = _change(view, paid.seat, stack=held.stack + paid.net) if held else view
            return view
        case p.HandStarted():
            rows: Sequence[Any] = event.seats
        case p.HandEnded() | BankedRoundSettled():
            rows = event.results
        case p.HandVoided() | BankedRoundVoided():
            rows = event.refunds
        case _:
            return view
    for row in rows:
        held = view.seats.get(row.seat)
        if held is not None and held.reservation == row.reservation:
            view = _change(view, row.seat, stack=row.stack)
    return view


def _sits(view: TableView, seat: Seat) -> TableView:
    return replace(view, seats={**view.seats, seat.seat: seat})


def _change(view: TableView, number: int, **changes: Any) -> TableView:
    held = view.seats.get(number)
    return view if held is None else _sits(view, replace(held, **changes))


def dealt_to(view: TableView, player: str) -> int | None:
    """Number of the hand or round on the table in which the player has cards of their own; None without any."""
    if isinstance(view.round, NoDrawRound):
        in_round = any(seat.player == player and "ante" in seat.stakes for seat in view.round.seats.values())
        return view.round.round if view.round.deck_root and in_round else None
    dealt = view.hand is not None and any(s.player == player and s.positions for s in view.hand.seats)
    return view.hand.hand if view.hand is not None and dealt else None


def shown_to(view: TableView, player: str, own: tuple[str, ...], now: int | None = None) -> dict[str, Any]:
    """The view as one player sees it: public things, and `own`, that player's own cards in the running hand or round.

    `now` (ms) gives the time that is left in `left_ms`, so that nobody's clock matters but the house's.
    """
    document: dict[str, Any] = msgspec.to_builtins(view, str_keys=True)
    document |= {"game": view.game, "demo": view.demo, "tournament": view.tournament, "now": now}
    document |= {"seats": _in_order(document), "free": view.free}
    if view.hand is not None:
        for on_record in ON_RECORD_ONLY:
            del document["hand"][on_record]
        document["hand"]["pots"] = [] if view.hand.over else pots(view.hand)
    if view.round is not None:
        left = None if view.round.until is None or now is None else max(0, view.round.until - now)
        document["round"] |= {"seats": _in_order(document["round"]), "call": view.round.call, "left_ms": left}
    match view.round:
        case NoDrawRound(seats=seats, currency=currency):
            document["round"]["areas"] = AREAS
            for shown in document["round"]["seats"]:
                shown["choices"] = choices_of(seats[shown["seat"]], currency) if shown["decides"] else []
        case Coup(totals=totals):
            areas = [*CHANCES, *(PAIRS if view.rules.get("pair_bets") else ())]
            document["round"] |= {"areas": areas, "totals": totals}
    mine = view.seat_of(player)
    document["own"] = {"seat": mine.seat if mine else None, "cards": list(own)}
    return document


ON_RECORD_ONLY = ("record", "replay", "actions", "cards", "disputes")
"""What of a hand is for who reads it afterwards."""


def _in_order(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Seats by their number."""
    return [seat for _, seat in sorted(document["seats"].items(), key=lambda entry: int(entry[0]))]


def seen(document: dict[str, Any]) -> TableView:
    """The view again out of what `shown_to` made of it; msgspec.ValidationError for anything else."""
    document = _by_number(document)
    if document["round"] is not None:
        document["round"] = _by_number(document["round"])
    return msgspec.convert(document, TableView, str_keys=True)


def _by_number(document: dict[str, Any]) -> dict[str, Any]:
    return {**document, "seats": {seat["seat"]: seat for seat in document["seats"]}}
