"""Money to the bank and back: one of the staff asks, another one approves. The worst case stays covered."""

from libs.contracts.bank_commands import ApproveBankChange, DeclineBankChange, RequestBankChange
from libs.contracts.bank_events import BankChangeDeclined, BankChangeRequested, BankDropped, BankToppedUp
from libs.contracts.table_commands import TableReason as Reason
from libs.decider import Rejected
from services.table.domain.table.bank.state import BankChange
from services.table.domain.table.rejections import rejected
from services.table.domain.table.story import AnyStory


def request_bank_change(command: RequestBankChange, story: AnyStory) -> Rejected | None:
    if not story.game.banked:
        return rejected(Reason.NO_BANK, story.rules)
    if command.change in story.state.used_ids:
        return rejected(Reason.CHANGE_USED, story.rules)
    refused = _why_no_drop(story, command.amount) if command.direction == "drop" else None
    if refused is not None:
        return refused

    story.tell(
        BankChangeRequested(
            change=command.change,
            direction=command.direction,
            amount=command.amount,
            currency=story.rules.currency,
            by=story.by,
            reason=command.reason,
        )
    )
    return None


def approve_bank_change(command: ApproveBankChange, story: AnyStory) -> Rejected | None:
    change: BankChange | None = story.state.office.pending.get(command.change)
    if change is None:
        return rejected(Reason.NO_SUCH_CHANGE, story.rules)
    if change.by == story.by:
        return rejected(Reason.OWN_REQUEST, story.rules)
    refused = _why_no_drop(story, change.amount) if change.direction == "drop" else None
    if refused is not None:
        return refused

    drop = change.direction == "drop"
    kind = BankDropped if drop else BankToppedUp
    story.tell(
        kind(
            change=command.change,
            amount=change.amount,
            bank=story.state.bank + (-change.amount if drop else change.amount),
            currency=story.rules.currency,
            kind=story.rules.kind,
            requested_by=change.by,
            by=story.by,
        )
    )
    return None


def decline_bank_change(command: DeclineBankChange, story: AnyStory) -> Rejected | None:
    """Also by who asked: nothing moves."""
    change: BankChange | None = story.state.office.pending.get(command.change)
    if change is None:
        return rejected(Reason.NO_SUCH_CHANGE, story.rules)
    story.tell(
        BankChangeDeclined(
            change=command.change,
            direction=change.direction,
            amount=change.amount,
            currency=story.rules.currency,
            requested_by=change.by,
            by=story.by,
            reason=command.reason,
        )
    )
    return None


def _why_no_drop(story: AnyStory, amount: int) -> Rejected | None:
    """Only what no round can need: all of it above the worst case, and nothing while a round runs without one."""
    left = story.state.bank - amount
    if left < 0:
        return rejected(Reason.ABOVE_BANK, story.rules, f"{story.state.bank} are in the bank")
    if story.state.in_round:
        return rejected(Reason.ROUND_RUNS, story.rules)
    for rules in (story.rules, story.state.announced.configuration if story.state.announced else None):
        refused: Rejected | None = story.game.why_not(rules, left) if rules is not None else None
        if refused is not None:
            return refused
    return None
