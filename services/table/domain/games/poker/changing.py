"""What may change while casino poker runs: limits within the authorisation and no charge (pt-217-2007 7, 22), and the
variant by Dealer Choice: at a mixed table the lead player turns the marker to that of the hand (23).
"""

from libs.contracts.facts import taken
from libs.contracts.poker_commands import ChooseVariant
from libs.contracts.poker_commands import PokerReason as Reason
from libs.contracts.poker_events import VariantChosen
from libs.contracts.table_commands import TableReason as AtTable
from libs.decider import Rejected
from services.table.domain.games.poker.configuration import PokerConfiguration
from services.table.domain.games.poker.decide import hand_due
from services.table.domain.games.poker.lead import plan_from_lead
from services.table.domain.games.poker.readiness import enough_ready
from services.table.domain.games.poker.state import PokerTable
from services.table.domain.games.poker.story import PokerStory
from services.table.domain.table.handlers import of_sitter
from services.table.domain.table.rejections import rejected
from services.table.domain.table.state import Sitter


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


@of_sitter
def choose_variant(command: ChooseVariant, story: PokerStory, sitter: Sitter) -> Rejected | None:
    """Before the blinds of the next hand; without a choice the marker's variant stays."""
    state, rules = story.state, story.rules
    if not rules.dealing.mixed or command.variant not in (rules.variant, rules.dealing.mixed):
        return rejected(Reason.VARIANT_NOT_OFFERED, rules)
    if state.hand is not None or story.is_due(hand_due(state)):
        return rejected(Reason.HAND_UNDER_WAY, rules)
    if not enough_ready(state) or plan_from_lead(state).small_blind != sitter.seat:
        return rejected(Reason.NOT_LEAD_SEAT, rules)
    story.tell(taken(VariantChosen, sitter, variant=command.variant))
    return None
