"""Opening a table under a rulebook."""

from libs.decider import Rejected
from services.table.domain.table.commands import OpenTable
from services.table.domain.table.events import TableOpened
from services.table.domain.table.rejections import Reason
from services.table.domain.table.story import AnyStory
from services.table.rulebooks.configure import configure
from services.table.rulebooks.rulebook import Rulebook


def open_table(command: OpenTable, rulebook: Rulebook, story: AnyStory) -> Rejected | None:
    configured = configure(rulebook, command.configuration)
    if isinstance(configured, list):
        first = configured[0]
        return Rejected(str(Reason.OUTSIDE_RULEBOOK), first.rule, "; ".join(str(refusal) for refusal in configured))

    story.tell(
        TableOpened(
            at=story.now,
            table=story.table,
            name=command.name,
            configuration=configured,
            rulebook_hash=rulebook.digest,
        )
    )
    return None
