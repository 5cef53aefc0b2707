"""Adding chips: asked any time, reserved and added only between rounds, never above the ceiling (pt-811-2015 11.b)."""

from typing import Literal

from libs.contracts.configurations import Configuration
from libs.contracts.table_commands import ConfirmTopUp, FailTopUp, RequestTopUp
from libs.contracts.table_commands import TableReason as Reason
from libs.contracts.table_events import TopUpAdded, TopUpDue, TopUpFailed, TopUpFunded, TopUpRequested
from libs.decider import Rejected
from services.table.domain.table.rejections import rejected
from services.table.domain.table.state import Sitter, Table, TopUp
from services.table.domain.table.story import AnyStory


def request_top_up(command: RequestTopUp, story: AnyStory) -> Rejected | None:
    state, rules = story.state, story.rules
    sitter = state.sitter_of(story.by)
    if sitter is None:
        return rejected(Reason.NOT_SEATED, rules)
    if sitter.leaving is not None:
        return rejected(Reason.LEAVING, rules)
    if command.top_up in state.used_ids:
        return rejected(Reason.TOP_UP_USED, rules)
    if sitter.top_up is not None:
        return rejected(Reason.TOP_UP_PENDING, rules)
    refused: Rejected | None = story.game.refuse_top_up(state, command.amount)
    if refused is not None:
        return refused
    if not fits(story, sitter, command.amount):
        return rejected(Reason.ABOVE_CEILING, rules)

    story.tell(
        TopUpRequested(
            top_up=command.top_up,
            reservation=sitter.reservation,
            player=sitter.player,
            seat=sitter.seat,
            amount=command.amount,
            currency=rules.currency,
        )
    )
    if not state.in_round:
        _tell_due(story, sitter.seat)
    return None


def fits(story: AnyStory, sitter: Sitter, amount: int) -> bool:
    """pt-811-2015 2.q: a top-up, less any commission on it, may not lift the stack above the ceiling."""
    rules: Configuration = story.rules
    return sitter.stack + amount - rules.commission_on(amount) <= rules.entry.top_up_to


def confirm_top_up(command: ConfirmTopUp, story: AnyStory) -> Rejected | None:
    sitter = _waiting_for(story.state, command.top_up)
    if sitter is None:
        return rejected(Reason.NO_SUCH_TOP_UP, story.rules)
    if not story.state.in_round:
        _add(story, sitter.seat)
        return None
    top_up = _top_up_of(sitter)
    story.tell(
        TopUpFunded(
            top_up=top_up.id,
            reservation=sitter.reservation,
            player=sitter.player,
            seat=sitter.seat,
            amount=top_up.amount,
            currency=story.rules.currency,
        )
    )
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
            _add(story, seat)
        elif sitter.top_up.stage == "requested":
            if fits(story, sitter, sitter.top_up.amount):
                _tell_due(story, seat)
            else:
                _tell_failed(story, sitter, "above_ceiling")


def _waiting_for(state: Table, top_up: str) -> Sitter | None:
    for sitter in state.seats.values():
        if sitter.top_up is not None and sitter.top_up.id == top_up and sitter.top_up.stage == "due":
            return sitter
    return None


def _top_up_of(sitter: Sitter) -> TopUp:
    assert sitter.top_up is not None
    return sitter.top_up


def _tell_due(story: AnyStory, seat: int) -> None:
    sitter = story.state.seats[seat]
    top_up = _top_up_of(sitter)
    story.tell(
        TopUpDue(
            top_up=top_up.id,
            reservation=sitter.reservation,
            player=sitter.player,
            seat=seat,
            amount=top_up.amount,
            currency=story.rules.currency,
        )
    )


def _add(story: AnyStory, seat: int) -> None:
    sitter = story.state.seats[seat]
    top_up = _top_up_of(sitter)
    if not fits(story, sitter, top_up.amount):
        _tell_failed(story, sitter, "above_ceiling")
        return
    commission = story.rules.commission_on(top_up.amount)
    story.tell(
        TopUpAdded(
            top_up=top_up.id,
            reservation=sitter.reservation,
            player=sitter.player,
            seat=seat,
            amount=top_up.amount,
            commission=commission,
            stack=sitter.stack + top_up.amount - commission,
            currency=story.rules.currency,
            rulebook=story.rules.rulebook,
        )
    )


def _tell_failed(story: AnyStory, sitter: Sitter, reason: Literal["reserve_refused", "above_ceiling"]) -> None:
    story.tell(
        TopUpFailed(
            top_up=_top_up_of(sitter).id,
            reservation=sitter.reservation,
            player=sitter.player,
            seat=sitter.seat,
            currency=story.rules.currency,
            reason=reason,
        )
    )
