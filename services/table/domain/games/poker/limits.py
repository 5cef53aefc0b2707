"""How much may be bet: minimum raise, maximum of each structure, raise cap, reopening after short all-ins."""

from enum import StrEnum

from msgspec.structs import replace

from libs.contracts.poker_commands import PokerReason as Reason
from libs.contracts.poker_events import LegalActs
from services.table.domain.games.poker.configuration import PokerConfiguration
from services.table.domain.games.poker.state import Hand, InHand, PokerTable


def legal_acts(state: PokerTable, player: InHand) -> LegalActs:
    """What `player`, whose turn it is, may do."""
    hand = state.hand
    assert hand is not None
    stack = state.seats[player.seat].stack
    owed = hand.bet - player.in_round
    call = None if owed <= 0 else owed if owed < stack else stack
    if why_no_raise(state, player) is not None:
        return LegalActs(owed == 0, call, None, None)
    return LegalActs(owed == 0, call, *raise_range(hand, player, stack, state.rules))


def why_no_raise(state: PokerTable, player: InHand) -> StrEnum | None:
    """Why no bet or raise is on offer, or None."""
    hand, seats = state.hand, state.seats
    assert hand is not None
    bet = hand.bet
    if seats[player.seat].stack + player.in_round <= bet:
        return Reason.ABOVE_STACK
    if hand.capped and _cap_holds(hand, state.rules):
        return Reason.RAISE_CAP
    if player.answered is not None and not may_reopen(hand, player.answered, state.rules):
        return Reason.NOT_REOPENED
    if state.rules.betting.unanswerable_raise:
        return None
    for seat, other in hand.players.items():
        if not (other.folded or other.all_in or other is player) and seats[seat].stack + other.in_round > bet:
            return None  # chips would be left to answer with, once the bet is matched
    return Reason.NOBODY_TO_ANSWER  # pt-811-2015 37: it could only come back as uncalled


def _cap_holds(hand: Hand, rules: PokerConfiguration) -> bool:
    """pt-217-2007 88 asks at each decision whether two are left; elsewhere a cap once reached stays."""
    return rules.betting.raise_cap_judged == "when_reached" or hand.left > 2


def may_reopen(hand: Hand, answered: int, rules: PokerConfiguration) -> bool:
    """pt-811-2015 37: who has acted raises again only when facing at least a full raise more than then."""
    if rules.betting.structure == "limit_raise_count":
        return hand.level > answered
    return hand.bet - answered >= hand.full_raise


def height_of(hand: Hand, rules: PokerConfiguration) -> int:
    """What a player who acts now has answered to: the bet, or in fixed limit the last full one."""
    return hand.level if rules.betting.structure == "limit_raise_count" else hand.bet


def raise_range(hand: Hand, player: InHand, stack: int, rules: PokerConfiguration) -> tuple[int, int]:
    """Lowest and highest round total of a bet or raise; equal when only an all-in or a fixed size is left."""
    all_in = player.in_round + stack
    owed = hand.bet - player.in_round
    lowest = hand.bet + hand.full_raise  # pt-811-2015 23; full_raise starts at the minimum bet
    betting = rules.betting
    match betting.structure:
        case "no_limit":
            highest = all_in
        case "pot_limit_with_raise_cap" if betting.heads_up_size_unlimited and hand.bet > 0 and hand.left == 2:
            highest = all_in  # mo-97-2010 12.4 by the letter: only raises are named, not the first bet
        case "pot_limit" | "pot_limit_with_raise_cap":
            highest = hand.bet + hand.pot + (betting.pot_multiplier - 1) * owed  # pt-217-2007 86
        case "limit_half_pot":
            highest = hand.bet + (hand.pot + owed) // 2
        case "limit_raise_count":
            lowest = highest = hand.level + fixed_bet(hand, rules)
    if lowest >= all_in:
        return all_in, all_in
    if highest <= lowest:
        return lowest, lowest  # pt-811-2015 24.a: never under the minimum raise
    return lowest, highest if highest < all_in else all_in


def fixed_bet(hand: Hand, rules: PokerConfiguration) -> int:
    """pt-811-2015 24.a: one minimum bet before and on the flop, two on turn and river."""
    return rules.betting.big_blind * (1 if hand.street in ("preflop", "flop") else 2)


def raised(hand: Hand, seat: int, to: int, rules: PokerConfiguration) -> Hand:
    """The betting after `seat` went above the highest total."""
    flop_bet = hand.flop_bet or hand.street == "flop"
    if rules.betting.structure == "limit_raise_count":
        full = 2 * (to - hand.level) >= fixed_bet(hand, rules)  # pt-811-2015 38: half a bet or more counts as full
        is_raise = full and hand.level > 0
    else:
        full = to - hand.bet >= hand.full_raise
        is_raise = full and hand.bet > 0
    raises = hand.raises + is_raise
    grows = full and rules.betting.minimum_raise == "last_full_raise"
    return replace(
        hand,
        bet=to,
        full_raise=max(hand.full_raise, to - hand.bet) if grows else hand.full_raise,
        level=to if full else hand.level,
        raises=raises,
        capped=hand.capped or (is_raise and _reaches_cap(hand, raises, rules)),
        last_aggressor=seat,
        flop_bet=flop_bet,
    )


def _reaches_cap(hand: Hand, raises: int, rules: PokerConfiguration) -> bool:
    if rules.betting.raise_cap is None or raises < rules.betting.raise_cap:
        return False
    # Lifted only when two players are in before the cap is reached, all-in ones counted (pt-811-2015 38).
    return not (rules.betting.raise_cap_lifted_heads_up and hand.left == 2)
