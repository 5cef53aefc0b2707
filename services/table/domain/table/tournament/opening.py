"""Opening a table of a tournament: no money at it, no bank, no buy-in."""

from libs.contracts.configurations import as_told
from libs.contracts.table_events import TableOpened
from libs.decider import Rejected
from services.table.domain.table.rejections import Reason
from services.table.domain.table.story import AnyStory
from services.table.domain.table.tournament.commands import OpenTournamentTable
from services.table.rulebooks.rulebook import Rulebook
from services.table.rulebooks.tournaments import configure_table


def open_tournament_table(command: OpenTournamentTable, rulebook: Rulebook, story: AnyStory) -> Rejected | None:
    configured = configure_table(rulebook, command.configuration, command.principal_id)
    if isinstance(configured, list):
        first = configured[0]
        return Rejected(str(Reason.OUTSIDE_RULEBOOK), first.rule, "; ".join(str(refusal) for refusal in configured))

    story.tell(
        TableOpened(
            name=command.name,
            configuration=as_told(configured),
            rulebook_hash=rulebook.digest,
        )
    )
    return None
