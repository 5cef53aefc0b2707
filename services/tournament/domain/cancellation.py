"""A tournament is cancelled by two of the staff: one has the refund sheet worked out, another confirms it (35, 36)."""

from libs.contracts import tournaments_commands as asked
from libs.contracts import tournaments_events as told
from libs.contracts.facts import taken
from libs.contracts.people import same_person
from libs.contracts.tournaments_commands import TournamentsReason as Reason
from libs.decider import Rejected
from services.tournament.domain.money import refund_everybody, refund_of
from services.tournament.domain.rejections import rejected
from services.tournament.domain.story import Story


def propose_cancellation(command: asked.ProposeCancellation, story: Story) -> Rejected | None:
    if command.cause not in ("technical", "force_majeure"):
        return rejected(Reason.CAUSE_NOT_ALLOWED)
    story.tell(_sheet(story, command))
    return None


def confirm_cancellation(command: asked.ConfirmCancellation, story: Story) -> Rejected | None:
    sheet = story.state.sheet
    if sheet is None:
        return rejected(Reason.NOT_PROPOSED)
    if same_person(story.by, sheet.by):
        return rejected(Reason.SAME_PERSON, "35")
    now = _sheet(story, sheet)
    if (now.rule, now.credits, now.to_the_house) != (sheet.rule, sheet.credits, sheet.to_the_house):
        return rejected(Reason.SHEET_OUTDATED)
    story.tell(taken(told.TournamentCancelled, sheet, confirmed_by=story.by))
    refund_everybody(story)
    if sheet.to_the_house:
        story.tell(told.FeesEarned(rulebook=story.rules.rulebook, amount=sheet.to_the_house))
    return None


def decline_cancellation(command: asked.DeclineCancellation, story: Story) -> Rejected | None:
    if story.state.sheet is None:
        return rejected(Reason.NOT_PROPOSED)
    story.tell(told.CancellationDeclined(reason=command.reason, by=story.by))
    return None


def _sheet(story: Story, asked_for: asked.ProposeCancellation | told.CancellationProposed) -> told.CancellationProposed:
    """As it would be now. As long as no card is dealt everybody gets back all that was paid (36.a)."""
    credits = [each for each in map(refund_of, story.state.alive) if each.amount]
    return told.CancellationProposed(
        cause=asked_for.cause, reason=asked_for.reason, rule="36.a", credits=credits, to_the_house=0, by=story.by
    )
