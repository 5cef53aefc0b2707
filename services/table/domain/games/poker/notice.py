"""Time to leave: rules that could cost somebody more hold only once it has been told for a while.

At a table of poker a blind or an ante is taken unasked, so a change made between two hands would be paid before it is
read. Against the house nothing is staked but by one's own act, and a round keeps the rules that it opened with.
"""

from libs.contracts.configurations import flat
from services.table.domain.games.poker.configuration import PokerConfiguration
from services.table.domain.games.poker.state import PokerTable

NOTICE_MS = 60_000
"""Milliseconds between the announcement and the first hand under such rules. pt-217-2007 22 may ask for more."""

_SAYS_NOTHING = ("version", "approval", "approved_on")
_BETTER_BELOW = ("small_blind", "big_blind", "ante", "big_blind_ante", "straddle", "rake_bp", "smallest_chip")
_BETTER_ABOVE = ("break_ms", "waiting_ms", "seats")
"""No time to decide: longer is better for who decides, and keeps everybody else in the hand waiting."""


def notice_of(state: PokerTable, configuration: PokerConfiguration) -> int:
    """Milliseconds; 0 where nobody is there or no money is, and where nothing is changed but for the better."""
    rules = state.rules
    if rules.kind != "real" or not (state.seats or state.reserved):
        return 0
    before, after = flat(rules), flat(configuration)
    return 0 if all(_no_worse(name, before[name], after[name]) for name in after) else NOTICE_MS


def _no_worse(name: str, before: object, after: object) -> bool:
    """What is on no list here is taken to be worse when it is another: better told once too often."""
    if before == after or name in _SAYS_NOTHING:
        return True
    if not isinstance(before, int) or not isinstance(after, int):
        return False
    return (name in _BETTER_BELOW and after < before) or (name in _BETTER_ABOVE and after > before)
