"""A new configuration for an open table: announced at once, in force when no round runs (pt-811-2015 enact.3, 17).

Rulebook, variant, currency and kind stay for the life of a table: its money and its cards hang on them.
"""

from libs.contracts.configurations import Configuration, as_told
from libs.contracts.table_commands import ChangeConfiguration
from libs.contracts.table_commands import TableReason as Reason
from libs.contracts.table_events import ConfigurationAnnounced
from libs.decider import Rejected
from services.table.domain.table.after_round import activate_announced
from services.table.domain.table.bank.opening import why_no_bank
from services.table.domain.table.rejections import outside_rulebook, rejected
from services.table.domain.table.state import Table
from services.table.domain.table.story import AnyStory
from services.table.rulebooks.library import find_rulebook
from services.table.rulebooks.tournaments import configure_table


def change_configuration(command: ChangeConfiguration, story: AnyStory) -> Rejected | None:
    rulebook = find_rulebook(story.rules.rulebook)
    if rulebook is None:
        return rejected(Reason.UNKNOWN_RULEBOOK, story.rules)
    configured = configure_table(rulebook, command.configuration, story.rules.tournament)
    if isinstance(configured, list):
        return outside_rulebook(configured)
    if configured.version <= _last_version(story.state):
        return rejected(Reason.VERSION_NOT_NEWER, story.rules)
    if (configured.currency, configured.kind) != (story.rules.currency, story.rules.kind):
        return rejected(Reason.FIXED_AT_OPENING, story.rules)
    if _highest_seat(story.state) > configured.seats:
        return rejected(Reason.SEATS_IN_USE, story.rules)
    refused: Rejected | None = story.game.refuse_change(story.state, configured)
    if refused is not None:
        return refused
    refused = why_no_bank(story, configured, story.state.bank, story.state.office.risk_limit)
    if refused is not None:
        return refused

    story.tell(
        ConfigurationAnnounced(
            configuration=as_told(configured),
            rulebook_hash=rulebook.digest,
            by=story.by,
            holds_from=story.now + story.rules.timing.limits_notice_ms if story.rules.timing.limits_notice_ms else 0,
        )
    )
    if not story.state.in_round:
        activate_announced(story)
        story.game.seats_changed(story)
    return None


def _last_version(state: Table) -> int:
    announced: Configuration = state.announced.configuration if state.announced is not None else state.rules
    return announced.version


def _highest_seat(state: Table) -> int:
    return max(
        (*state.seats, *(reserved.seat for reserved in state.reserved.values()), *state.seats_in_round), default=0
    )
