"""From the proposal to the start or the cancellation (FP-12, FP-20, 35); there is no way back."""

from collections.abc import Iterator

from libs.contracts import tournaments_commands as asked
from libs.contracts import tournaments_events as told
from libs.contracts.people import same_person
from libs.contracts.tournament_play_events import ClockMadeGood, RebuyDeclined
from libs.contracts.tournament_tables import reads_as_numbered
from libs.contracts.tournament_ticket_events import ApprovalFailed
from libs.contracts.tournaments import digest_of
from libs.contracts.tournaments_commands import TournamentsReason as Reason
from libs.decider import Rejected
from services.tournament.domain.definition import broken_rules, not_offered
from services.tournament.domain.levels import play_due
from services.tournament.domain.money import PAYMENT_MS, give_up, refund_everybody
from services.tournament.domain.purchases import decisions_due
from services.tournament.domain.rejections import rejected, rule
from services.tournament.domain.reminding import remind, reminders_due
from services.tournament.domain.running import begin, go_on, has_lots, unseated
from services.tournament.domain.state import Tournament
from services.tournament.domain.story import Story
from services.tournament.domain.tickets import ANSWER_MS, ask_target, enter_owners, settle_spares

_GOES_ON = (told.PaymentTaken, told.PaymentFailed, RebuyDeclined, ClockMadeGood)
"""A table may have waited for it."""


def propose_tournament(command: asked.ProposeTournament, story: Story) -> Rejected | None:
    if story.state.phase != "none":
        return rejected(Reason.TOURNAMENT_EXISTS)
    if reads_as_numbered(story.state.tournament):
        return rejected(Reason.RESERVED_NAME)
    broken = broken_rules(command.definition, story.now, story.state.tournament)
    if broken:
        return Rejected(Reason.BAD_DEFINITION.value, rule(broken[0].rule), "; ".join(map(str, broken)))
    story.tell(told.TournamentProposed(name=command.name, definition=command.definition, by=story.by))
    return None


def approve_tournament(command: asked.ApproveTournament, story: Story) -> Rejected | None:
    state = story.state
    if state.phase != "proposed":
        return rejected(Reason.NOT_PROPOSED)
    if same_person(story.by, state.proposed_by):
        return rejected(Reason.SAME_PERSON)
    if command.digest not in ("", digest_of(state.rules)):
        return rejected(Reason.OTHER_RULES)
    if lacking := not_offered(state.rules):
        return rejected(Reason.NOT_OFFERED, detail=", ".join(lacking))
    broken = broken_rules(state.rules, story.now, state.tournament)  # it may have waited past its own start
    if broken:
        return Rejected(Reason.BAD_DEFINITION.value, rule(broken[0].rule), "; ".join(map(str, broken)))
    if state.rules.tickets is None:
        story.tell(told.TournamentAnnounced(by=story.by))
    elif state.asked is None:
        ask_target(story)
    return None


def decline_tournament(command: asked.DeclineTournament, story: Story) -> Rejected | None:
    if story.state.phase != "proposed":
        return rejected(Reason.NOT_PROPOSED)
    story.tell(told.ProposalDeclined(reason=command.reason, by=story.by))
    return None


def wake_tournament(command: asked.WakeTournament, story: Story) -> Rejected | None:
    """All that is due has been done by `lapse`, maybe nothing."""
    return None


def next_wake(state: Tournament) -> int | None:
    """Milliseconds since the epoch of the earliest thing due; None: nothing but a command moves this tournament."""
    if state.phase == "announced":
        return state.rules.registration_opens_at
    if state.asked is not None:
        return state.asked.at + ANSWER_MS
    times = [payment.asked_at + PAYMENT_MS for payment in state.pending.values()]
    if state.phase == "registering" and not times and _start_of(state) is not None:
        times.append(_start_of(state) or 0)
    return min([*times, *_play_dues(state)], default=None)


def _play_dues(state: Tournament) -> Iterator[int]:
    if (due := play_due(state)) is not None:
        yield due
    yield from decisions_due(state)
    yield from reminders_due(state)


def lapse(story: Story) -> None:
    """Before any command, and behind it: what holds by its time, woken or not."""
    asked_target = story.state.asked
    if asked_target is not None and story.is_due(asked_target.at + ANSWER_MS):
        story.tell(ApprovalFailed(reason="not_answered"))
    if story.state.phase == "announced" and story.is_due(story.rules.registration_opens_at):
        story.tell(told.RegistrationOpened())
    for payment in list(story.state.pending.values()):
        if story.is_due(payment.asked_at + PAYMENT_MS):
            give_up(story, payment, "not_answered")
    # Who asked in time has registered in time: the start waits for the wallet's answer.
    if story.state.phase == "registering" and not story.state.pending and story.is_due(_start_of(story.state)):
        _start(story)
    if story.state.phase != "running":
        return
    told_now = any(isinstance(event, _GOES_ON) for event in story.events)
    if told_now or unseated(story.state) or any(map(story.is_due, _play_dues(story.state))):
        go_on(story)
        remind(story)


def _start_of(state: Tournament) -> int | None:
    """The hour set for the start; of a sit-and-go, any time once its last seat is paid."""
    if state.rules.starts_at is not None:
        return state.rules.starts_at
    return 0 if len(state.alive) >= state.rules.max_players else None


def _start(story: Story) -> None:
    enter_owners(story)
    entries = len(story.state.alive)
    if entries >= story.rules.min_players and not has_lots(story):
        return  # the next wake tries again
    if entries >= story.rules.min_players:
        story.tell(told.TournamentStarted(entries=entries))
        settle_spares(story)
        begin(story)
        return
    why = f"{entries} of at least {story.rules.min_players} players"
    story.tell(told.TournamentCancelled(cause="insufficient_participants", reason=why, rule="36.a", by="house"))
    refund_everybody(story)
