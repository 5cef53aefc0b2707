"""What may change while casino poker runs: limits within the authorisation, and no charge (pt-217-2007 7, 22)."""

from libs.contracts.poker_commands import PokerReason as Reason
from libs.contracts.table_commands import TableReason as AtTable
from libs.decider import Rejected
from services.table.domain.games.poker.configuration import PokerConfiguration
from services.table.domain.games.poker.state import PokerTable
from services.table.domain.table.rejections import rejected


def refuse_change(state: PokerTable, configuration: PokerConfiguration) -> Rejected | None:
    """The charge stays for a whole game; limits stay inside the authorisation."""
    rules = state.rules
    if rules.live != configuration.live:
        return rejected(AtTable.FIXED_AT_OPENING, rules)
    if rules.rake.rate_fixed_for_game and state.hands and _charge_of(rules) != _charge_of(configuration):
        return rejected(Reason.RATE_FIXED_FOR_GAME, rules)
    least, most = rules.betting.authorised_min, rules.betting.authorised_max
    below = least is not None and configuration.betting.big_blind < least
    above = most is not None and configuration.betting.big_blind > most
    return rejected(Reason.OUTSIDE_AUTHORISATION, rules) if below or above else None


def _charge_of(rules: PokerConfiguration) -> tuple[object, ...]:
    rake = rules.rake
    return (rake.mode, rake.bp, rake.cap, rake.session_fee_base, rake.session_ms, rake.sessions)
