"""How the events of a live table change what is remembered of it."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from libs.cards.variants import VARIANTS
from libs.contracts import live_events as e
from libs.contracts import poker_events as p
from libs.contracts.facts import TableEvent, taken
from services.table.domain.games.live_poker.state import (
    FACE_UP,
    HANDS_KEPT,
    PASSED_OVER,
    Desk,
    LastHand,
    Live,
    LiveTable,
    Pack,
    Pending,
    live_of,
)
from services.table.domain.games.poker.evolve import running
from services.table.domain.games.poker.state import Hand
from services.table.domain.table.handlers import evolved_in


def _with_live(state: LiveTable, **changes: Any) -> LiveTable:
    return replace(state, live=replace(live_of(state), **changes))


def _desk(state: LiveTable, **changes: Any) -> LiveTable:
    return replace(state, desk=replace(state.desk, **changes))


def _pack(state: LiveTable, deck: str, **changes: Any) -> LiveTable:
    pack = state.desk.packs[deck]
    return _desk(state, packs={**state.desk.packs, deck: replace(pack, **changes)})


def desk_of(decks: str) -> Desk:
    """The packs that a table's configuration names: `R1:red,B1:blue`."""
    named = (pair.split(":") for pair in decks.split(",") if pair)
    return Desk(packs={deck: Pack(id=deck, colour=colour) for deck, colour in named})


def uninspected(desk: Desk) -> Desk:
    """After an interruption every deck is spread and inspected again (pt-217-2007 4)."""
    packs = {name: replace(pack, inspected=False, checked=False, shuffled=0) for name, pack in desk.packs.items()}
    return replace(desk, packs=packs)


def _assigned(state: LiveTable, event: e.DealerAssigned) -> LiveTable:
    return _desk(state, dealer=event.dealer)


def _dealt_by(state: LiveTable, who: str) -> LiveTable:
    """With one who has done something as the running hand's dealer. Who was only named has not: whoever names dealers
    would say who may judge the hand."""
    dealt, number = state.desk.dealt, running(state).number
    if not who or who in dealt.get(number, ()):
        return state
    return _desk(state, dealt={**dealt, number: (*dealt.get(number, ()), who)})


def _stated(state: LiveTable, event: e.PresenceStated) -> LiveTable:
    others = {seat: sitting for seat, sitting in state.present.items() if seat != event.seat}
    return replace(state, present={**others, event.seat: event.reservation} if event.present else others)


_OF_PACK: Mapping[type[TableEvent], dict[str, Any]] = {
    e.DeckInspected: {"inspected": True, "checked": True, "shuffled": 0},
    e.DeckChecked: {"checked": True},
    e.DeckDamaged: {"out": True},
    e.DeckExposed: {"shuffled": 0},
}


def _handled(state: LiveTable, event: e.DeckInspected | e.DeckChecked | e.DeckDamaged | e.DeckExposed) -> LiveTable:
    return _pack(state, event.pack, **_OF_PACK[type(event)])


def _shuffled(state: LiveTable, event: e.DeckShuffled) -> LiveTable:
    return _pack(state, event.pack, shuffled=event.times)


def _replaced(state: LiveTable, event: e.DeckReplaced) -> LiveTable:
    packs = dict(state.desk.packs)
    gone = packs.pop(event.pack)
    packs[event.by_pack] = Pack(id=event.by_pack, colour=gone.colour)
    return _desk(state, packs=packs)


def _opened(state: LiveTable, event: e.LiveDealOpened) -> LiveTable:
    size = len(VARIANTS[state.rules.variant].deck)
    live = Live(deck=event.pack, dealer=event.dealer, unposted=tuple(event.unposted), size=size)
    state = replace(state, live=live)
    state = _pack(state, event.pack, checked=False, shuffled=0)  # 31: the next shuffle needs a check of its own
    number = running(state).number
    kept = {hand: who for hand, who in state.desk.dealt.items() if hand > number - HANDS_KEPT}
    return _desk(state, last_deck=event.pack, last_hand=None, dealt={**kept, number: (event.dealer,)})


def _scanned(state: LiveTable, event: e.CardScanned) -> LiveTable:
    live = live_of(state)
    goes_to = "burnt" if event.to == "burn" else "drawn" if event.to == "board" else event.to
    changes: dict[str, Any] = {"scans": event.number, "out": (*live.out, event.position)}
    if event.to != "hole":
        changes[goes_to] = (*getattr(live, goes_to), event.position)
    elif event.face_up:
        changes["turned"] = (*live.turned, (event.seat, event.position))
        changes["burnt"] = (event.position,)  # 70.c: it is the burn of the next phase
    else:
        held = live.dealt.get(event.seat or 0, ())
        changes["dealt"] = {**live.dealt, event.seat: (*held, event.position)}
    return _dealt_by(_with_live(state, **changes), state.desk.dealer)


def _awaited(state: LiveTable, event: e.CardsAwaited) -> LiveTable:
    if event.what == "delivery":
        return _with_live(state, stage="paying")
    if event.what == "hole_cards":
        return state
    live = live_of(state)
    return _with_live(state, stage="board", no_burn=not event.burn and not live.burnt)


def _recorded(state: LiveTable, event: e.IncidentRecorded) -> LiveTable:
    if event.pack_out:
        state = _pack(state, event.pack_out, out=True)
    hand, live = state.hand, state.live
    if hand is None or live is None or hand.number != event.hand:
        return state
    if event.code != PASSED_OVER:  # that one a player's act brings up, whoever deals by then
        state = _dealt_by(state, event.recorded_by)
    changes: dict[str, Any] = {
        "incidents": event.incident,
        "limited": {**live.limited, **dict.fromkeys(event.restricted, event.limit)},
    }
    if event.held is not None and not event.choices:
        changes["held"] = {**live.held, event.held.seat: event.held}
    if event.code in ("DE-70d", "DE-70e", "DE-70f") and not event.choices:
        changes["burnt"] = ()  # burnt for a card that is withdrawn: it stays burnt, and the next one is another's
    if event.code == FACE_UP and "stands" not in event.choices:
        changes["face_up"] = (*live.face_up, *(card.position for card in event.exposed))
    if event.choices:
        named = tuple(card.position for card in event.exposed) or tuple(event.burned)
        asks: dict[str, Any] = {"seats": tuple(event.seats), "choices": tuple(event.choices)}
        pending = taken(Pending, event, **asks, named=named, aside=tuple(event.aside))
        changes["pending"] = pending
        asked = hand.turn is not None and hand.turn.seat == pending.of_seat
        stands = replace(hand.turn, stands=True, stood_at=event.at) if hand.turn is not None and asked else None
        hand = replace(hand, turn=stands)
    return replace(state, hand=_goes_on(hand, event.go_on_after), live=replace(live, **changes))


def _goes_on(hand: Hand, after: int | None) -> Hand:
    return hand if after is None else replace(hand, last_actor=after, turn=None)


def _decided(state: LiveTable, event: e.SupervisorDecided) -> LiveTable:
    hand, live = running(state), live_of(state)
    limited = {**live.limited, **dict.fromkeys(event.restricted, "skipped")}
    unposted = tuple(seat for seat in live.unposted if seat not in event.waived)
    players = dict(hand.players)
    for seat in event.waived:
        # 91: counts as having posted; only the pot is smaller.
        blind = state.rules.betting.small_blind if seat == hand.small_blind else state.rules.betting.big_blind
        players[seat] = replace(players[seat], in_round=blind, waived=blind)
    held = live.pending.held if live.pending is not None and event.decision == "stands" else None
    bound, stood = dict(live.held), live.stood
    if held is not None:
        bound[held.seat], stood = held, (*stood, held.seat)
    elif live.pending is not None and (asked := live.pending.held) is not None and bound.get(asked.seat) == asked:
        del bound[asked.seat]  # it was held already, and is not the seat's
    examined = live.pending.seats if live.pending is not None and live.pending.code == PASSED_OVER else ()
    missed = tuple(seat for seat in live.missed if seat not in examined)
    heard = (*live.heard, *examined)
    settled: dict[str, Any] = {"held": bound, "stood": stood, "missed": missed, "heard": heard}
    settled |= _lying_open(live, event.decision)
    live = replace(live, pending=None, limited=limited, unposted=unposted, **settled)
    return replace(state, hand=_goes_on(replace(hand, players=players), event.go_on_after), live=live)


def _lying_open(live: Live, decision: str) -> dict[str, Any]:
    """What a supervisor was asked of lies face up with `stands`, and with anything else like any other card. In hands
    of before 2026-11-29 that was not asked: what was reported lies there."""
    if live.pending is None or live.pending.code != FACE_UP or "stands" not in live.pending.choices:
        return {}
    named = live.pending.named
    others = tuple(position for position in live.face_up if position not in named)
    if decision != "stands":
        return {"face_up": others}
    return {"face_up": (*others, *named), "agreed": (*live.agreed, *named)}


def _passed(state: LiveTable, event: e.TurnPassed) -> LiveTable:
    hand, live = running(state), live_of(state)
    live = replace(live, passed=(*live.passed, event.seat))
    return _dealt_by(replace(state, hand=_goes_on(hand, event.seat), live=live), event.by)


def _reshuffled(state: LiveTable, event: e.StubReshuffled) -> LiveTable:
    live = live_of(state)
    out = tuple(position for position in live.out if position not in event.returned)
    return _with_live(state, out=out, aside=())


def _reversed(state: LiveTable, event: e.PotReversed) -> LiveTable:
    seats = dict(state.seats)
    seats[event.from_seat] = replace(seats[event.from_seat], stack=event.from_stack)
    seats[event.to_seat] = replace(seats[event.to_seat], stack=event.to_stack)
    return _desk(replace(state, seats=seats), last_hand=None)


def _announced(state: LiveTable, event: e.WinnerAnnounced) -> LiveTable:
    wrong = event.pushed and event.seat not in event.by_the_cards
    shares = {each.seat: each.amount for each in event.due}
    state = _dealt_by(state, event.by)
    return _with_live(state, pushed=(event.seat, event.by_the_cards[0]), shares=shares) if wrong else state


CHANGES: Mapping[type[TableEvent], Callable[[LiveTable, Any], LiveTable]] = evolved_in(globals())
"""The functions above, by the events of the dealer's side that they take."""


def _posted(before: LiveTable, after: LiveTable, event: p.BlindPosted) -> LiveTable:
    """A first bet that was missing is there (91)."""
    if event.seat not in live_of(after).unposted:
        return after
    unposted = tuple(seat for seat in live_of(after).unposted if seat != event.seat)
    return _dealt_by(_with_live(after, unposted=unposted), after.desk.dealer)


def _dealt(before: LiveTable, after: LiveTable, event: p.HoleCardsDealt) -> LiveTable:
    live, hand = replace(live_of(after), stage="betting"), running(after)
    bet = max(hand.bet, after.rules.betting.big_blind) if live.unposted else hand.bet  # pt-217-2007 91: in either case
    return replace(after, live=live, hand=replace(hand, bet=bet, level=bet) if live.unposted else hand)


def _acted(before: LiveTable, after: LiveTable, event: p.PlayerFolded | p.PlayerChecked | p.BetPlaced) -> LiveTable:
    """Who has acted is bound to nothing any more, save by a bet that is not finished (71.c). What a
    supervisor was asked about the seat's turn waits no more: its player has acted."""
    live = live_of(after)
    if live.pending is not None and live.pending.of_seat == event.seat:
        live = replace(live, pending=None)
    held = {seat: bound for seat, bound in live.held.items() if seat != event.seat}
    stood = tuple(seat for seat in live.stood if seat != event.seat)
    heard = (*live.heard, event.seat) if event.seat in live.passed else live.heard
    missed = tuple(sorted({*live.missed, *live.passed} - {*heard}))
    limited = dict(live.limited)
    if isinstance(event, p.BetPlaced) and event.unfinished:
        limited[event.seat] = "bound"
    elif limited.get(event.seat) == "bound":
        del limited[event.seat]
    live = replace(live, held=held, stood=stood, missed=missed, heard=heard, limited=limited)
    return _dealt_by(replace(after, live=live), event.entered_by)


def _street_dealt(before: LiveTable, after: LiveTable, event: p.StreetDealt) -> LiveTable:
    """The restriction of 70.h ends with its round, and what was out of turn is settled (71.f)."""
    settled: dict[str, Any] = {"limited": {}, "held": {}, "stood": (), "passed": (), "missed": (), "heard": ()}
    return _with_live(after, stage="betting", burnt=(), drawn=(), no_burn=False, **settled)


def _hand_over(before: LiveTable, after: LiveTable, event: p.HandEnded | p.HandVoided) -> LiveTable:
    """Remembers who was paid by mistake, so that it can be put right before the next hand (70.a)."""
    live = before.live
    if isinstance(event, p.HandVoided) or live is None or live.pushed is None:
        return replace(after, live=None)
    paid, due = live.pushed
    amount = running(before).players[paid].won
    shares = {**live.shares, due: live.shares.get(due, 0) + amount - sum(live.shares.values())}  # a cent of rake
    sittings = {seat: running(before).players[seat].reservation for seat in (paid, *shares)}
    last = LastHand(
        hand=event.hand, paid=paid, due=due, amount=amount, shares=shares, sittings=sittings, incidents=live.incidents
    )
    return _desk(replace(after, live=None), last_hand=last)


AFTER = {kind: more for kind, more in evolved_in(globals()).items() if kind not in CHANGES}
"""What poker's own events mean for the dealer's side, once poker has folded them."""
