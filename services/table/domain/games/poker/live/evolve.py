"""How the events of a live table change what is remembered of it."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from libs.cards.games import GAMES
from libs.contracts import live_events as e
from services.table.domain.games.poker.live.state import Desk, Dispute, LastHand, Live, Pack, Pending
from services.table.domain.games.poker.state import Hand, PokerTable


def evolve_live(state: PokerTable, event: Any) -> PokerTable:
    return _CHANGES[type(event)](state, event)


def _hand(state: PokerTable) -> tuple[Hand, Live]:
    assert state.hand is not None
    assert state.hand.live is not None, "events of a live hand come in one"
    return state.hand, state.hand.live


def _with_live(state: PokerTable, **changes: Any) -> PokerTable:
    hand, live = _hand(state)
    return replace(state, hand=replace(hand, live=replace(live, **changes)))


def _desk(state: PokerTable, **changes: Any) -> PokerTable:
    return replace(state, desk=replace(state.desk, **changes))


def _pack(state: PokerTable, deck: str, **changes: Any) -> PokerTable:
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


def _assigned(state: PokerTable, event: e.DealerAssigned) -> PokerTable:
    return _desk(state, dealer=event.dealer)


def _inspected(state: PokerTable, event: e.DeckInspected) -> PokerTable:
    return _pack(state, event.pack, inspected=True, checked=True, shuffled=0)


def _checked(state: PokerTable, event: e.DeckChecked) -> PokerTable:
    return _pack(state, event.pack, checked=True)


def _shuffled(state: PokerTable, event: e.DeckShuffled) -> PokerTable:
    return _pack(state, event.pack, shuffled=event.times)


def _damaged(state: PokerTable, event: e.DeckDamaged) -> PokerTable:
    return _pack(state, event.pack, out=True)


def _replaced(state: PokerTable, event: e.DeckReplaced) -> PokerTable:
    packs = dict(state.desk.packs)
    gone = packs.pop(event.pack)
    packs[event.by_pack] = Pack(id=event.by_pack, colour=gone.colour)
    return _desk(state, packs=packs)


def _seen(state: PokerTable, event: e.DeckExposed) -> PokerTable:
    return _pack(state, event.pack, shuffled=0)


def _opened(state: PokerTable, event: e.LiveDealOpened) -> PokerTable:
    assert state.hand is not None
    size = len(GAMES[state.rules.variant].deck)
    live = Live(deck=event.pack, dealer=event.dealer, unposted=tuple(event.unposted), size=size)
    state = replace(state, hand=replace(state.hand, live=live))
    state = _pack(state, event.pack, checked=False, shuffled=0)  # 31: the next shuffle needs a check of its own
    return _desk(state, last_deck=event.pack, last_hand=None)


def _scanned(state: PokerTable, event: e.CardScanned) -> PokerTable:
    _, live = _hand(state)
    changes: dict[str, Any] = {"scans": event.number, "out": (*live.out, event.position)}
    if event.to == "hole" and event.face_up:
        assert event.seat is not None
        changes["turned"] = (*live.turned, (event.seat, event.position))
        changes["burnt"] = (event.position,)  # 70.c: it is the burn of the next phase
        changes["burns"] = (*live.burns, event.position)
    elif event.to == "hole":
        assert event.seat is not None
        held = live.dealt.get(event.seat, ())
        changes["dealt"] = {**live.dealt, event.seat: (*held, event.position)}
    elif event.to == "burn":
        changes["burnt"] = (*live.burnt, event.position)
        changes["burns"] = (*live.burns, event.position)
    elif event.to == "board":
        changes["drawn"] = (*live.drawn, event.position)
    else:
        changes["aside"] = (*live.aside, event.position)
    return _with_live(state, **changes)


def _awaited(state: PokerTable, event: e.CardsAwaited) -> PokerTable:
    if event.what == "delivery":
        return _with_live(state, stage="paying")
    if event.what == "hole_cards":
        return state
    _, live = _hand(state)
    return _with_live(state, stage="board", no_burn=not event.burn and not live.burnt)


def _recorded(state: PokerTable, event: e.IncidentRecorded) -> PokerTable:
    if event.pack_out:
        state = _pack(state, event.pack_out, out=True)
    hand = state.hand
    if hand is None or hand.live is None or hand.number != event.hand:
        return state
    live = hand.live
    changes: dict[str, Any] = {
        "incidents": event.incident,
        "limited": {**live.limited, **dict.fromkeys(event.restricted, event.limit)},
    }
    if event.held is not None:
        changes["held"] = {**live.held, event.held.seat: event.held}
    if event.code in ("DE-70d", "DE-70e", "DE-70f"):
        changes["burnt"] = ()  # burnt for a card that is withdrawn: it stays burnt, and the next one is another's
    if event.code == "DE-69d":
        changes["face_up"] = (*live.face_up, *(card.position for card in event.exposed))
    if event.choices:
        changes["pending"] = Pending(
            incident=event.incident, code=event.code, seats=tuple(event.seats), choices=tuple(event.choices)
        )
    hand = replace(hand, live=replace(live, **changes))
    if event.choices:
        hand = replace(hand, turn=None)
    return replace(state, hand=_goes_on(hand, event.go_on_after))


def _goes_on(hand: Hand, after: int | None) -> Hand:
    return hand if after is None else replace(hand, last_actor=after, turn=None)


def _decided(state: PokerTable, event: e.SupervisorDecided) -> PokerTable:
    hand, live = _hand(state)
    limited = {**live.limited, **dict.fromkeys(event.restricted, "skipped")}
    unposted = tuple(seat for seat in live.unposted if seat not in event.waived)
    players = dict(hand.players)
    for seat in event.waived:
        # 91: counts as having posted; only the pot is smaller.
        blind = state.rules.small_blind if seat == hand.small_blind else state.rules.big_blind
        players[seat] = replace(players[seat], in_round=blind, waived=blind)
    live = replace(live, pending=None, limited=limited, unposted=unposted)
    return replace(state, hand=_goes_on(replace(hand, live=live, players=players), event.go_on_after))


def _passed(state: PokerTable, event: e.TurnPassed) -> PokerTable:
    hand, live = _hand(state)
    live = replace(live, passed=(*live.passed, event.seat))
    return replace(state, hand=_goes_on(replace(hand, live=live), event.seat))


def _reshuffled(state: PokerTable, event: e.StubReshuffled) -> PokerTable:
    _, live = _hand(state)
    out = tuple(position for position in live.out if position not in event.returned)
    return _with_live(state, out=out, aside=())


def _reversed(state: PokerTable, event: e.PotReversed) -> PokerTable:
    seats = dict(state.seats)
    seats[event.from_seat] = replace(seats[event.from_seat], stack=event.from_stack)
    seats[event.to_seat] = replace(seats[event.to_seat], stack=event.to_stack)
    return _desk(replace(state, seats=seats), last_hand=None)


def _disputed(state: PokerTable, event: e.DisputeOpened) -> PokerTable:
    dispute = Dispute(id=event.dispute, hand=event.hand, seat=event.seat)
    return _desk(state, disputes=(*state.desk.disputes, dispute), disputed=event.dispute)


def _resolved(state: PokerTable, event: e.DisputeResolved) -> PokerTable:
    return _desk(state, disputes=tuple(each for each in state.desk.disputes if each.id != event.dispute))


def posted(live: Live | None, seat: int) -> Live | None:
    """A first bet that was missing is there (91)."""
    if live is None or seat not in live.unposted:
        return live
    return replace(live, unposted=tuple(each for each in live.unposted if each != seat))


def dealt(live: Live | None) -> Live | None:
    return None if live is None else replace(live, stage="betting")


def after_act(live: Live | None, seat: int, unfinished: bool = False) -> Live | None:
    """Who has acted is bound to nothing any more, save by a bet that is not finished (71.c)."""
    if live is None:
        return None
    held = {each: bound for each, bound in live.held.items() if each != seat}
    limited = dict(live.limited)
    if unfinished:
        limited[seat] = "bound"
    elif limited.get(seat) == "bound":
        del limited[seat]
    return replace(live, held=held, limited=limited)


def street_dealt(live: Live | None) -> Live | None:
    """The restriction of 70.h ends with its round, and what was out of turn is settled (71.f)."""
    if live is None:
        return None
    return replace(live, stage="betting", burnt=(), drawn=(), no_burn=False, limited={}, held={}, passed=())


def hand_ended(state: PokerTable, hand: Hand) -> Desk:
    """Remembers who was paid by mistake, so that it can be put right before the next hand (70.a)."""
    if hand.live is None or hand.live.pushed is None:
        return state.desk
    paid, due = hand.live.pushed
    amount = hand.players[paid].won
    last = LastHand(hand=hand.number, paid=paid, due=due, amount=amount, incidents=hand.live.incidents)
    return replace(state.desk, last_hand=last)


def _announced(state: PokerTable, event: e.WinnerAnnounced) -> PokerTable:
    wrong = event.pushed and event.seat not in event.by_the_cards
    return _with_live(state, pushed=(event.seat, event.by_the_cards[0])) if wrong else state


_CHANGES: Mapping[type, Callable[[PokerTable, Any], PokerTable]] = {
    e.DealerAssigned: _assigned,
    e.DeckInspected: _inspected,
    e.DeckChecked: _checked,
    e.DeckShuffled: _shuffled,
    e.DeckDamaged: _damaged,
    e.DeckReplaced: _replaced,
    e.DeckExposed: _seen,
    e.LiveDealOpened: _opened,
    e.CardScanned: _scanned,
    e.CardsAwaited: _awaited,
    e.IncidentRecorded: _recorded,
    e.SupervisorDecided: _decided,
    e.TurnPassed: _passed,
    e.StubReshuffled: _reshuffled,
    e.WinnerAnnounced: _announced,
    e.PotReversed: _reversed,
    e.DisputeOpened: _disputed,
    e.DisputeResolved: _resolved,
}
