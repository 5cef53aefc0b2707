"""A bank is paid in when its table opens and goes back before it closes; limits that it can't pay are refused."""

from libs.contracts.bank_events import BankClosed, BankOpened
from libs.contracts.configurations import Configuration
from libs.contracts.table_commands import TableReason as Reason
from libs.decider import Rejected
from services.table.domain.table.rejections import rejected
from services.table.domain.table.story import AnyStory


def why_no_bank(story: AnyStory, configuration: Configuration, amount: int, risk_limit: int) -> Rejected | None:
    """Why this bank won't do for these rules: the worst case of a round is above it, or above the risk limit."""
    if not story.game.banked:
        return rejected(Reason.NO_BANK, configuration) if amount or risk_limit else None
    refused: Rejected | None = story.game.why_not(configuration, amount)
    if refused is not None:
        return refused
    beyond = story.game.why_not(configuration, risk_limit)
    return None if beyond is None else rejected(Reason.ABOVE_RISK_LIMIT, configuration, beyond.detail)


def open_bank(story: AnyStory, amount: int, risk_limit: int, by: str) -> None:
    """Does nothing at a table of players against each other."""
    if not story.game.banked:
        return
    story.tell(
        BankOpened(
            amount=amount,
            bank=amount,
            risk_limit=risk_limit,
            currency=story.rules.currency,
            kind=story.rules.kind,
            by=by,
        )
    )


def close_bank(story: AnyStory) -> None:
    if not story.game.banked:
        return
    rules: Configuration = story.rules
    story.tell(BankClosed(amount=story.state.bank, currency=rules.currency, kind=rules.kind))
