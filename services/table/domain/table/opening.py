"""Which rules hold at a table: opened under a rulebook, with the bank that its limits need, and changed when open.

A new configuration is announced at once, in force when no round runs (pt-811-2015 enact.3, 17). Rulebook, variant,
currency and kind stay for the life of a table: its money and its cards hang on them.
"""

from libs.contracts.any_configuration import as_told
from libs.contracts.configurations import Configuration
from libs.contracts.facts import TableEvent
from libs.contracts.table_commands import ChangeConfiguration, OpenTable
from libs.contracts.table_commands import TableReason as Reason
from libs.contracts.table_events import ConfigurationAnnounced, TableOpened
from libs.contracts.tournament_commands import OpenTournamentTable
from libs.decider import Decided, Given, Rejected
from services.table.domain.games.registry import TOURNAMENT_GAMES, game_of
from services.table.domain.table.after_round import activate_announced
from services.table.domain.table.bank import bank_to_be, open_bank, why_no_bank, why_not_alone
from services.table.domain.table.rejections import outside_rulebook, rejected
from services.table.domain.table.state import Table
from services.table.domain.table.story import AnyStory, Story, Supply
from services.table.rulebooks.library import find_rulebook
from services.table.rulebooks.tournaments import configure_table

OPENING = (OpenTable, OpenTournamentTable)


def decide_opening(
    state: Table, command: OpenTable | OpenTournamentTable, given: Given[Supply]
) -> Decided[Table, TableEvent] | Rejected:
    """A table of a tournament has no money at it, no bank, no buy-in."""
    if state.status != "new":
        return rejected(Reason.ALREADY_OPEN, state.configuration)
    rulebook = find_rulebook(command.rulebook)
    if rulebook is None:
        return rejected(Reason.UNKNOWN_RULEBOOK)
    if not rulebook.enabled:
        return Rejected(str(Reason.VARIANT_NOT_AVAILABLE), rulebook.ref(rulebook.disabled_rule))
    tournament = given.by.id if isinstance(command, OpenTournamentTable) else ""
    if tournament and rulebook.game not in TOURNAMENT_GAMES:
        return rejected(Reason.NOT_THIS_GAME)
    configured = configure_table(rulebook, command.configuration, tournament)
    if isinstance(configured, list):
        return outside_rulebook(configured)

    story: AnyStory = Story(state, given, game_of(configured))
    if story.game.banked and story.role != "staff":
        return rejected(Reason.NOT_ALLOWED, configured, "the house's money is moved by people alone")
    bank = command.bank if isinstance(command, OpenTable) else 0
    asked = command.risk_limit if isinstance(command, OpenTable) else None
    risk_limit = asked if asked is not None else bank
    alone = command.alone_up_to if isinstance(command, OpenTable) else 0
    refused = why_no_bank(story, configured, bank, risk_limit) or why_not_alone(configured, bank, alone)
    if refused is not None:
        return refused
    story.tell(TableOpened(name=command.name, configuration=as_told(configured), rulebook_hash=rulebook.digest))
    open_bank(story, bank, risk_limit, alone)
    return story.decided


def change_configuration(command: ChangeConfiguration, story: AnyStory) -> Rejected | None:
    rules, state = story.rules, story.state
    rulebook = find_rulebook(rules.rulebook)
    if rulebook is None:
        return rejected(Reason.UNKNOWN_RULEBOOK, rules)
    configured = configure_table(rulebook, command.configuration, rules.tournament)
    if isinstance(configured, list):
        return outside_rulebook(configured)
    last: Configuration = state.announced.configuration if state.announced is not None else rules
    if configured.version <= last.version:
        return rejected(Reason.VERSION_NOT_NEWER, rules)
    if (configured.currency, configured.kind) != (rules.currency, rules.kind):
        return rejected(Reason.FIXED_AT_OPENING, rules)
    seats = (*state.seats, *(reserved.seat for reserved in state.reserved.values()), *state.seats_in_round)
    if max(seats, default=0) > configured.seats:
        return rejected(Reason.SEATS_IN_USE, rules)
    refused: Rejected | None = story.game.refuse_change(state, configured)
    if refused is None:
        refused = why_no_bank(story, configured, bank_to_be(state), state.office.risk_limit)
    if refused is not None:
        return refused

    notice = rules.timing.limits_notice_ms
    told, holds_from = as_told(configured), story.now + notice if notice else 0
    story.tell(
        ConfigurationAnnounced(configuration=told, rulebook_hash=rulebook.digest, by=story.by, holds_from=holds_from)
    )
    if not state.in_round:
        activate_announced(story)
        story.game.seats_changed(story)
    return None
