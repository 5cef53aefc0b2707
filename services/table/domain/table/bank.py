"""The house's own money at a table whose game is played against the house: opened, changed and closed with care.

Money goes to the bank and back when one of the staff asks and another one approves: the first of it, too, under the
change `opening`; before that no other change is asked for. Without another one goes what the table lets one move alone,
approved with the opening. The worst case stays covered.
"""

from libs.contracts import bank_events as e
from libs.contracts.bank_commands import ApproveBankChange, DeclineBankChange, RequestBankChange
from libs.contracts.bank_events import OPENING
from libs.contracts.configurations import Configuration
from libs.contracts.facts import taken
from libs.contracts.people import same_person
from libs.contracts.table_commands import TableReason as Reason
from libs.decider import Rejected
from services.table.domain.table.rejections import rejected
from services.table.domain.table.state import BankChange, Table
from services.table.domain.table.story import AnyStory

MOST_WAITING = 20
"""Bank changes that wait for an answer; each stays in the table's state until it gets one."""
MOST_OF_ONE = 5
"""Of them, those that one person has asked for, so that nobody keeps the others from asking."""


def request_bank_change(command: RequestBankChange, story: AnyStory) -> Rejected | None:
    if not story.game.banked:
        return rejected(Reason.NO_BANK, story.rules)
    if OPENING in story.state.office.pending:
        return rejected(Reason.OPENING_PENDING, story.rules)
    waiting = story.state.office.pending
    if command.change in (OPENING, *waiting) or command.change in story.state.used_ids:
        return rejected(Reason.CHANGE_USED, story.rules)
    own = sum(same_person(each.by, story.by) for each in waiting.values())
    if len(waiting) >= MOST_WAITING or own >= MOST_OF_ONE:
        return rejected(Reason.TOO_MANY_CHANGES, story.rules)
    refused = _why_no_drop(story, command.amount) if command.direction == "drop" else None
    if refused is None:
        story.tell(taken(e.BankChangeRequested, command, currency=story.rules.currency, by=story.by))
        office = story.state.office
        if office.alone + command.amount <= office.alone_up_to:
            _move(story, command.change, office.pending[command.change])
    return refused


def approve_bank_change(command: ApproveBankChange, story: AnyStory) -> Rejected | None:
    change: BankChange | None = story.state.office.pending.get(command.change)
    if change is None:
        return rejected(Reason.NO_SUCH_CHANGE, story.rules)
    if same_person(change.by, story.by):
        return rejected(Reason.OWN_REQUEST, story.rules)
    if (command.direction, command.amount) != (change.direction, change.amount):
        return rejected(Reason.CHANGE_DIFFERS, story.rules, f"{change.direction} {change.amount} waits")
    refused = _why_no_drop(story, change.amount) if change.direction == "drop" else None
    if refused is None:
        _move(story, command.change, change)
    return refused


def _move(story: AnyStory, name: str, change: BankChange) -> None:
    drop = change.direction == "drop"
    bank = story.state.bank + (-change.amount if drop else change.amount)
    kind = e.BankDropped if drop else e.BankToppedUp
    story.tell(taken(kind, change, story.rules, change=name, bank=bank, requested_by=change.by, by=story.by))


def decline_bank_change(command: DeclineBankChange, story: AnyStory) -> Rejected | None:
    """Also by who asked: nothing moves."""
    change: BankChange | None = story.state.office.pending.get(command.change)
    if change is None:
        return rejected(Reason.NO_SUCH_CHANGE, story.rules)
    story.tell(taken(e.BankChangeDeclined, command, change, story.rules, requested_by=change.by, by=story.by))
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


def why_not_alone(configuration: Configuration, bank: int, alone_up_to: int) -> Rejected | None:
    """Why one of the staff may not be let move this much alone: two agree on the bank, and on no more than it."""
    if alone_up_to <= bank:
        return None
    return rejected(Reason.ALONE_ABOVE_BANK, configuration, f"at most {bank}")


def why_no_bank(story: AnyStory, configuration: Configuration, amount: int, risk_limit: int) -> Rejected | None:
    """Why this bank won't do for these rules: the worst case of a round is above it, or above the risk limit."""
    if not story.game.banked:
        return rejected(Reason.NO_BANK, configuration) if amount or risk_limit else None
    refused: Rejected | None = story.game.why_not(configuration, amount)
    if refused is not None:
        return refused
    beyond = story.game.why_not(configuration, risk_limit)
    return None if beyond is None else rejected(Reason.ABOVE_RISK_LIMIT, configuration, beyond.detail)


def open_bank(story: AnyStory, amount: int, risk_limit: int, alone_up_to: int) -> None:
    """Does nothing at a table of players against each other. The money comes when a second one approves."""
    if not story.game.banked:
        return
    terms = {"amount": 0, "bank": 0, "risk_limit": risk_limit, "alone_up_to": alone_up_to}
    story.tell(taken(e.BankOpened, story.rules, **terms, by=story.by))
    if amount:
        asked = {"change": OPENING, "direction": "top_up", "amount": amount, "reason": OPENING}
        story.tell(taken(e.BankChangeRequested, story.rules, **asked, by=story.by, alone_up_to=alone_up_to))


def bank_to_be(state: Table) -> int:
    """With what waits for approval since the opening."""
    opening = state.office.pending.get(OPENING)
    return state.bank + (opening.amount if opening is not None else 0)


def close_bank(story: AnyStory) -> None:
    if story.game.banked:
        story.tell(taken(e.BankClosed, story.rules, amount=story.state.bank))
