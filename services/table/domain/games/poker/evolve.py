"""How the events of a hand change what is remembered."""

from typing import assert_never

from msgspec.structs import replace

from services.table.domain.games.poker.events import (
    BetPlaced,
    Blind,
    BlindPosted,
    CardsShown,
    DecisionAwaited,
    HandEnded,
    HandEvent,
    HandStarted,
    HandVoided,
    HoleCardsDealt,
    PlayerChecked,
    PlayerFolded,
    PotAwarded,
    StreetDealt,
    UncalledBetReturned,
)
from services.table.domain.games.poker.limits import height_of, raised
from services.table.domain.games.poker.state import Hand, InHand, Turn
from services.table.domain.table.configuration import Configuration
from services.table.domain.table.state import Sitter, Table


def evolve_hand(state: Table, event: HandEvent) -> Table:
    """`state.version` is already that of the event."""
    match event:
        case DecisionAwaited():
            return _decision_awaited(state, event)
        case BetPlaced():
            return _bet_placed(state, event)
        case PlayerFolded() | PlayerChecked():
            return _folded_or_checked(state, event)
        case StreetDealt():
            return _street_dealt(state, event)
        case BlindPosted():
            return _blind_posted(state, event)
        case HoleCardsDealt():
            return _hole_cards_dealt(state, event)
        case UncalledBetReturned():
            return _uncalled_bet_returned(state, event)
        case CardsShown():
            return state
        case PotAwarded():
            return _pot_awarded(state, event)
        case HandStarted():
            return _hand_started(state, event)
        case HandEnded():
            return _hand_ended(state, event)
        case HandVoided():
            return _hand_voided(state, event)
        case _:
            assert_never(event)


def running(state: Table) -> Hand:
    assert state.hand is not None, "events of a hand come while it runs"
    return state.hand


def _with_player(hand: Hand, player: InHand) -> dict[int, InHand]:
    return {**hand.players, player.seat: player}


def _with_stack(state: Table, seat: int, stack: int) -> dict[int, Sitter]:
    return {**state.seats, seat: replace(state.seats[seat], stack=stack)}


def _hand_started(state: Table, event: HandStarted) -> Table:
    order = tuple(seat.seat for seat in event.seats)
    hand = Hand(
        number=event.hand,
        button=event.button,
        small_blind=event.small_blind,
        big_blind=event.big_blind,
        order=order,
        players={s.seat: InHand(seat=s.seat, player=s.player, reservation=s.reservation) for s in event.seats},
        deck=event.deck,
        full_raise=state.rules.big_blind,
        last_actor=event.big_blind,
    )
    # Who is not dealt in has missed a hand and comes back with the big blind (pt-811-2015 21).
    seats = {
        seat: replace(sitter, waiting=seat not in order, posts=sitter.posts and seat not in order)
        for seat, sitter in state.seats.items()
    }
    return replace(
        state,
        hand=hand,
        hands=event.hand,
        seats=seats,
        running=True,
        button=event.button,
        button_stays=False,
    )


def _blind_posted(state: Table, event: BlindPosted) -> Table:
    hand = running(state)
    player = hand.players[event.seat]
    is_dead = event.blind == "big_blind_ante"
    player = replace(
        player,
        committed=player.committed + (0 if is_dead else event.amount),
        dead=player.dead + (event.amount if is_dead else 0),
        in_round=event.to,
        all_in=event.all_in,
    )
    bet = max(hand.bet, event.to, _owed(event.blind, state.rules))
    hand = replace(hand, players=_with_player(hand, player), pot=hand.pot + event.amount, bet=bet, level=bet)
    if event.blind == "straddle":
        hand = replace(hand, full_raise=state.rules.straddle, last_actor=event.seat)
    return replace(state, hand=hand, seats=_with_stack(state, event.seat, event.stack))


def _owed(blind: Blind, rules: Configuration) -> int:
    """What everybody else has to match, also when the poster could not post all of it."""
    return {"big": rules.big_blind, "straddle": rules.straddle}.get(blind, 0)


def _hole_cards_dealt(state: Table, event: HoleCardsDealt) -> Table:
    hand = running(state)
    players = {d.seat: replace(hand.players[d.seat], hole=tuple(d.positions)) for d in event.deals}
    last = max(position for deal in event.deals for position in deal.positions)
    bet = hand.bet
    if state.rules.entry_stack == "one_chip":
        bet = max(bet, state.rules.big_blind)  # owed also where an ante left its poster nothing
    return replace(state, hand=replace(hand, players=players, next_position=last + 1, bet=bet, level=bet))


def _decision_awaited(state: Table, event: DecisionAwaited) -> Table:
    turn = Turn(
        seat=event.seat,
        version=state.version,
        legal=event.legal,
        until=event.until,
        bank_until=event.bank_until,
    )
    return replace(state, hand=replace(running(state), turn=turn))


def _folded_or_checked(state: Table, event: PlayerFolded | PlayerChecked) -> Table:
    hand = running(state)
    player = hand.players[event.seat]
    player = replace(
        player,
        folded=isinstance(event, PlayerFolded),
        answered=height_of(hand, state.rules),
        decided=player.decided or event.actor == "player",
        timed_out=player.timed_out or event.reason == "timeout",
    )
    hand = replace(hand, players=_with_player(hand, player), last_actor=event.seat, turn=None)
    return replace(state, hand=hand, seats=_with_bank(state, event.seat, event.time_bank_left))


def _with_bank(state: Table, seat: int, time_bank: int) -> dict[int, Sitter]:
    sitter = state.seats[seat]
    if sitter.time_bank == time_bank:
        return state.seats
    return {**state.seats, seat: replace(sitter, time_bank=time_bank)}


def _bet_placed(state: Table, event: BetPlaced) -> Table:
    hand = running(state)
    if event.to > hand.bet:
        hand = raised(hand, event.seat, event.to, state.rules)
    player = hand.players[event.seat]
    player = replace(
        player,
        committed=player.committed + event.amount,
        in_round=event.to,
        answered=height_of(hand, state.rules),
        all_in=event.all_in,
        decided=True,
    )
    hand = replace(
        hand, players=_with_player(hand, player), pot=hand.pot + event.amount, last_actor=event.seat, turn=None
    )
    sitter = replace(state.seats[event.seat], stack=event.stack, time_bank=event.time_bank_left)
    return replace(state, hand=hand, seats={**state.seats, event.seat: sitter})


def _street_dealt(state: Table, event: StreetDealt) -> Table:
    hand = running(state)
    used = [card.position for card in event.cards]
    hand = replace(
        hand,
        street=event.street,
        board=hand.board + tuple(used),
        next_position=max(*used, *event.burned, hand.next_position) + 1,
        players={seat: replace(player, in_round=0, answered=None) for seat, player in hand.players.items()},
        bet=0,
        full_raise=state.rules.big_blind,
        level=0,
        raises=0,
        capped=False,
        last_actor=hand.button,
        last_aggressor=None,
    )
    return replace(state, hand=hand)


def _uncalled_bet_returned(state: Table, event: UncalledBetReturned) -> Table:
    hand = running(state)
    player = hand.players[event.seat]
    player = replace(
        player,
        committed=player.committed - event.amount,
        in_round=player.in_round - event.amount,
        all_in=False,
    )
    hand = replace(hand, players=_with_player(hand, player), pot=hand.pot - event.amount)
    return replace(state, hand=hand, seats=_with_stack(state, event.seat, event.stack))


def _pot_awarded(state: Table, event: PotAwarded) -> Table:
    hand = running(state)
    players = dict(hand.players)
    seats = dict(state.seats)
    for payment in event.payments:
        player = players[payment.seat]
        players[payment.seat] = replace(player, won=player.won + payment.net, rake=player.rake + payment.rake)
        sitter = seats[payment.seat]
        seats[payment.seat] = replace(sitter, stack=sitter.stack + payment.net)
    hand = replace(hand, players=players, pot=hand.pot - event.amount, rake=hand.rake + event.rake, turn=None)
    books = replace(state.books, raked=state.books.raked + event.rake)
    return replace(state, hand=hand, seats=seats, books=books)


def _hand_ended(state: Table, event: HandEnded) -> Table:
    hand = running(state)
    assert hand.pot == 0, "a hand ends when its pots are paid"
    seats = {seat: _after_hand(sitter, hand, state, event.at) for seat, sitter in state.seats.items()}
    return replace(state, hand=None, seats=seats, ended_at=event.at)


def _after_hand(sitter: Sitter, hand: Hand, state: Table, at: int) -> Sitter:
    dealt = hand.players.get(sitter.seat)
    short = sitter.stack < state.rules.least_stack
    since = (sitter.short_since if sitter.short_since is not None else at) if short else None
    if dealt is None or dealt.reservation != sitter.reservation:
        # Hands missed on a break or while waiting for the blind do not count (pt-811-2015 68, 70.b).
        missed = sitter.out in ("player", "timeout")
        return replace(sitter, absent=sitter.absent + missed, short_since=since)
    if dealt.decided:
        kept = sitter.notice if sitter.notice is not None and sitter.notice.reason != "absent" else None
        return replace(sitter, absent=0, notice=kept, short_since=since)
    return replace(sitter, absent=sitter.absent + dealt.timed_out, short_since=since)


def _hand_voided(state: Table, event: HandVoided) -> Table:
    hand = running(state)
    seats = dict(state.seats)
    owed = 0
    for refund in event.refunds:
        sitter = seats.get(refund.seat)
        if sitter is not None and sitter.reservation == hand.players[refund.seat].reservation:
            seats[refund.seat] = replace(sitter, stack=refund.stack)
        else:
            owed += refund.amount
    books = replace(state.books, owed=state.books.owed + owed)
    return replace(state, hand=None, seats=seats, ended_at=event.at, button_stays=True, books=books)
