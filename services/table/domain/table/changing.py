"""A new configuration for an open table: announced at once, in force when no hand runs (pt-811-2015 enact.3, 17).

Rulebook, variant, currency and kind stay for the life of a table: its money and its cards hang on them.
"""

from libs.decider import Rejected
from services.table.domain.table.commands import ChangeConfiguration
from services.table.domain.table.configuration import Configuration
from services.table.domain.table.events import ConfigurationActivated, ConfigurationAnnounced
from services.table.domain.table.readiness import suspend_if_too_few
from services.table.domain.table.rejections import Reason, rejected
from services.table.domain.table.state import Table
from services.table.domain.table.story import Story
from services.table.rulebooks.configure import configure, find_rulebook


def change_configuration(command: ChangeConfiguration, story: Story) -> Rejected | None:
    rulebook = find_rulebook(story.rules.rulebook)
    if rulebook is None:
        return rejected(Reason.UNKNOWN_RULEBOOK, story.rules)
    configured = configure(rulebook, command.configuration)
    if isinstance(configured, list):
        first = configured[0]
        return Rejected(str(Reason.OUTSIDE_RULEBOOK), first.rule, "; ".join(str(refusal) for refusal in configured))
    if configured.version <= _last_version(story.state):
        return rejected(Reason.VERSION_NOT_NEWER, story.rules)
    if (configured.currency, configured.kind) != (story.rules.currency, story.rules.kind):
        return rejected(Reason.FIXED_AT_OPENING, story.rules)
    if _highest_seat(story.state) > configured.seats:
        return rejected(Reason.SEATS_IN_USE, story.rules)

    story.tell(
        ConfigurationAnnounced(
            at=story.now,
            table=story.table,
            configuration=configured,
            rulebook_hash=rulebook.digest,
            by=command.principal_id,
        )
    )
    if story.state.hand is None:
        activate_announced(story)
        suspend_if_too_few(story)
    return None


def activate_announced(story: Story) -> None:
    """Between hands: what was announced last is in force from here on."""
    announced = story.state.announced
    if announced is None:
        return
    story.tell(
        ConfigurationActivated(
            at=story.now,
            table=story.table,
            configuration=announced.configuration,
            rulebook_hash=announced.rulebook_hash,
            by=announced.by,
        )
    )


def _last_version(state: Table) -> int:
    announced: Configuration = state.announced.configuration if state.announced is not None else state.rules
    return announced.version


def _highest_seat(state: Table) -> int:
    in_hand = state.hand.order if state.hand is not None else ()
    return max((*state.seats, *(reserved.seat for reserved in state.reserved.values()), *in_hand), default=0)
