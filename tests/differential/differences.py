"""Every deliberate difference from PokerKit: its name, its rule, and the narrow case in which it may show.

`docs/differences-from-pokerkit.md` explains each under the same name; a test keeps the two lists equal.
"""

from collections.abc import Sequence
from dataclasses import replace

from libs.contracts.poker_events import PotAwarded
from tests.differential.betting_round import BettingRound
from tests.differential.ours import Offer
from tests.differential.setting import Setting
from tests.differential.theirs import Theirs

RULES: dict[str, str] = {
    "half_pot_limit": "pt-811-2015 24.a",
    "heads_up_size_unlimited": "mo-97-2010 12.4",
    "raise_cap_lifted_heads_up": "pt-811-2015 38",
    "short_all_in_is_no_raise": "pt-811-2015 38",
    "short_all_in_before_a_full_bet": "pt-811-2015 37",
    "short_all_ins_counted_together": "pt-811-2015 37",
    "fixed_limit_half_bet": "pt-811-2015 38",
    "equal_blinds_heads_up": "pt-811-2015 48",
    "no_choice_no_decision": "pt-811-2015 54",
    "whole_blind_owed": "field practice",
    "last_bet_stays_in_part": "pt-811-2015 2.o",
    "unmatched_ante_stays": "field practice",
    "odd_units": "pt-811-2015 62",
}


def as_our_rules_have_it(theirs: Theirs, offer: Offer, betting: BettingRound) -> tuple[Offer, list[str]]:
    """PokerKit's offer with what it has no setting for put in from its own figures."""
    setting, state, used = betting.setting, theirs.state, []
    if offer.raise_to is not None and setting.lifted_heads_up and betting.full_raises >= (setting.raise_cap or 0):
        used.append("raise_cap_lifted_heads_up")
        offer = replace(offer, raise_to=None) if betting.capped else offer
    if offer.raise_to is None or state.actor_index is None:
        return offer, used
    low, high = offer.raise_to
    all_in = state.stacks[state.actor_index] + state.bets[state.actor_index]
    if setting.structure == "limit_half_pot":
        used.append("half_pot_limit")
        owed = betting.bet - state.bets[state.actor_index]
        high = min(all_in, max(low, betting.bet + (state.total_pot_amount + owed) // 2))
    elif setting.size_unlimited:
        lifted = betting.alive == 2 and betting.bet > 0
        used += ["heads_up_size_unlimited"] if lifted else []
        high = all_in if lifted else state.pot_completion_betting_or_raising_to_amount or high
    return replace(offer, raise_to=(low, high)), used


def why_ranges_differ(ours: Offer, theirs: Offer, betting: BettingRound) -> str | None:
    """Name of the difference that explains unequal raise ranges, or None."""
    since = betting.since_answer(ours.seat)
    if betting.setting.fixed_limit:
        half_bet = betting.short_all_ins or any(rise < betting.minimum for rise in betting.rises)
        return "fixed_limit_half_bet" if half_bet and not _cap_tells(ours, betting) else _cap_name(ours, betting)
    if ours.raise_to is None and theirs.raise_to is not None:
        small_so_far = max(betting.rises, default=0) < betting.minimum
        facing_little = since is not None and 0 < since[0] < betting.full
        return "short_all_in_before_a_full_bet" if small_so_far and facing_little else None
    if theirs.raise_to is None and ours.raise_to is not None:
        if _cap_tells(ours, betting):
            return _cap_name(ours, betting)
        facing_full = since is not None and since[0] >= betting.full
        return "short_all_ins_counted_together" if betting.short_all_ins and facing_full else None
    return None


def _cap_tells(ours: Offer, betting: BettingRound) -> bool:
    """PokerKit's count of all rises has reached the cap, the count of full raises has not."""
    cap = betting.setting.raise_cap
    if cap is None or betting.setting.lifted_heads_up or ours.raise_to is None:
        return False
    allowed = cap if betting.street == "preflop" else cap + 1
    return len(betting.rises) >= allowed and betting.full_raises < cap


def _cap_name(ours: Offer, betting: BettingRound) -> str | None:
    return "short_all_in_is_no_raise" if _cap_tells(ours, betting) and betting.short_all_ins else None


def nothing_to_decide(theirs: Offer) -> bool:
    """`no_choice_no_decision`: PokerKit asks a player who owes nothing and could raise nobody."""
    return theirs.call == 0 and theirs.raise_to is None


def unmatched_ante(setting: Setting) -> tuple[int, int] | None:
    """Seat and part of its ante that nobody had the chips to match (`unmatched_ante_stays`), or None."""
    antes = sorted(((min(setting.ante, stack), seat) for seat, stack in setting.stacks.items()), reverse=True)
    (highest, seat), (second, _) = antes[0], antes[1]
    return (seat, highest - second) if highest > second else None


def pokerkit_shares(awards: Sequence[PotAwarded], order: Sequence[int]) -> dict[int, int]:
    """What PokerKit's way of dividing makes of the same pots and winners (`odd_units`).

    It throws away losing hands first, joins pots that then have the same claimants, divides each, and gives the
    whole remainder to the first winner left of the button.
    """
    may_win = {seat for award in awards for seat in award.winners}
    joined: list[tuple[set[int], int, list[int]]] = []
    for award in awards:
        claimants = may_win & set(award.eligible)
        amount = award.amount
        if joined and joined[-1][0] == claimants:
            amount += joined.pop()[1]
        joined.append((claimants, amount, sorted(award.winners, key=order.index)))
    shares: dict[int, int] = {}
    for _, amount, winners in joined:
        each, rest = divmod(amount, len(winners))
        for place, seat in enumerate(winners):
            shares[seat] = shares.get(seat, 0) + each + (rest if place == 0 else 0)
    return {seat: share for seat, share in shares.items() if share}


def shares_differ_by_odd_units(awards: Sequence[PotAwarded]) -> bool:
    """Whether some pot, or some pots joined, could leave a remainder at all."""
    return any(len(award.winners) > 1 for award in awards)
