"""Opening a table of a tournament: no money at it, no bank, no buy-in."""

from libs.contracts.configurations import Configuration, as_told
from libs.contracts.table_events import TableOpened
from libs.contracts.tournament_commands import OpenTournamentTable
from libs.decider import Rejected
from services.table.domain.table.story import AnyStory
from services.table.rulebooks.rulebook import Rulebook


def open_tournament_table(
    command: OpenTournamentTable, rulebook: Rulebook, configured: Configuration, story: AnyStory
) -> Rejected | None:
    story.tell(
        TableOpened(
            name=command.name,
            configuration=as_told(configured),
            rulebook_hash=rulebook.digest,
        )
    )
    return None
