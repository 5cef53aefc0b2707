"""Adding chips: asked any time, reserved and added only between rounds, never above the ceiling (pt-811-2015 11.b)."""

from typing import Any, Literal

from libs.contracts.configurations import Configuration
from libs.contracts.facts import taken
from libs.contracts.table_commands import ConfirmTopUp, FailTopUp, RequestTopUp
from libs.contracts.table_commands import TableReason as Reason
from libs.contracts.table_events import TopUpAdded, TopUpDue, TopUpFailed, TopUpFunded, TopUpRequested
from libs.decider import Rejected
from services.table.domain.table.handlers import of_stayer
from services.table.domain.table.rejections import rejected
from services.table.domain.table.state import Sitter, Table
from services.table.domain.table.story import AnyStory

TopUpEvent = TopUpDue | TopUpFunded | TopUpAdded | TopUpFailed


@of_stayer
def request_top_up(command: RequestTopUp, story: AnyStory, sitter: Sitter) -> Rejected | None:
    state, rules = story.state, story.rules
    if command.top_up in state.used_ids:
        return rejected(Reason.TOP_UP_USED, rules)
    if sitter.top_up is not None:
        return rejected(Reason.TOP_UP_PENDING, rules)
    refused: Rejected | None = story.game.refuse_top_up(state, command.amount)
    if refused is not None:
        return refused
    if not fits(story, sitter, command.amount):
        return rejected(Reason.ABOVE_CEILING, rules)
    least = story.game.least_top_up(state)
    if command.amount < least and fits(story, sitter, command.amount + 1):
        return rejected(Reason.TOP_UP_BELOW_LEAST, rules, f"at least {least}, or all that is left to the ceiling")

    story.tell(taken(TopUpRequested, command, sitter, rules))
    if not state.in_round:
        _tell(story, sitter.seat, TopUpDue)
    return None


def fits(story: AnyStory, sitter: Sitter, amount: int) -> bool:
    """pt-811-2015 2.q: a top-up, less any commission on it, may not lift the stack above the ceiling."""
    rules: Configuration = story.rules
    commission, _ = rules.commission_on(amount, sitter.uncharged)
    return sitter.stack + amount - commission <= rules.entry.top_up_to


def confirm_top_up(command: ConfirmTopUp, story: AnyStory) -> Rejected | None:
    sitter = _waiting_for(story.state, command.top_up)
    if sitter is None:
        return rejected(Reason.NO_SUCH_TOP_UP, story.rules)
    if story.state.in_round:
        _tell(story, sitter.seat, TopUpFunded)
    else:
        _add(story, sitter)
    return None


def fail_top_up(command: FailTopUp, story: AnyStory) -> Rejected | None:
    sitter = _waiting_for(story.state, command.top_up)
    if sitter is None:
        return rejected(Reason.NO_SUCH_TOP_UP, story.rules)
    _tell_failed(story, sitter, "reserve_refused")
    return None


def top_up_between_rounds(story: AnyStory) -> None:
    """What was asked for or funded during the round is carried out now (pt-811-2015 11.b)."""
    for seat, sitter in sorted(story.state.seats.items()):
        if sitter.top_up is None or sitter.leaving is not None:
            continue
        if sitter.top_up.stage == "funded":
            _add(story, sitter)
        elif sitter.top_up.stage == "requested" and fits(story, sitter, sitter.top_up.amount):
            _tell(story, seat, TopUpDue)
        elif sitter.top_up.stage == "requested":
            _tell_failed(story, sitter, "above_ceiling")


def _waiting_for(state: Table, top_up: str) -> Sitter | None:
    for sitter in state.seats.values():
        if sitter.top_up is not None and sitter.top_up.id == top_up and sitter.top_up.stage == "due":
            return sitter
    return None


def _add(story: AnyStory, sitter: Sitter) -> None:
    assert sitter.top_up is not None
    amount = sitter.top_up.amount
    if not fits(story, sitter, amount):
        _tell_failed(story, sitter, "above_ceiling")
        return
    commission, uncharged = story.rules.commission_on(amount, sitter.uncharged)
    charged = {"commission": commission, "uncharged": uncharged}
    _tell(story, sitter.seat, TopUpAdded, **charged, stack=sitter.stack + amount - commission)


def _tell_failed(story: AnyStory, sitter: Sitter, reason: Literal["reserve_refused", "above_ceiling"]) -> None:
    _tell(story, sitter.seat, TopUpFailed, reason=reason)


def _tell(story: AnyStory, seat: int, kind: type[TopUpEvent], **more: Any) -> None:
    """What becomes of the pending top-up of this seat."""
    sitter = story.state.seats[seat]
    story.tell(taken(kind, sitter.top_up, sitter, story.rules, top_up=sitter.top_up.id, **more))
