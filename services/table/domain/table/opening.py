"""Opening a table under a rulebook, with the bank that its limits need."""

from libs.contracts.configurations import Configuration, as_told
from libs.contracts.table_commands import OpenTable
from libs.contracts.table_events import TableOpened
from libs.decider import Rejected
from services.table.domain.table.bank.opening import open_bank, why_no_bank
from services.table.domain.table.story import AnyStory
from services.table.rulebooks.rulebook import Rulebook


def open_table(command: OpenTable, rulebook: Rulebook, configured: Configuration, story: AnyStory) -> Rejected | None:
    risk_limit = command.risk_limit if command.risk_limit is not None else command.bank
    refused = why_no_bank(story, configured, command.bank, risk_limit)
    if refused is not None:
        return refused

    story.tell(
        TableOpened(
            name=command.name,
            configuration=as_told(configured),
            rulebook_hash=rulebook.digest,
        )
    )
    open_bank(story, command.bank, risk_limit, story.by)
    return None
