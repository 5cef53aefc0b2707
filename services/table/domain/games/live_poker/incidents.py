"""`RecordIncident`: which procedure belongs to which code, and what every report must have."""

from collections.abc import Callable, Mapping

from libs.contracts.live_commands import LiveReason as Reason
from libs.contracts.live_commands import RecordIncident
from libs.decider import Rejected
from services.table.domain.games.live_poker import dealer_errors, deck_errors, player_errors
from services.table.domain.games.live_poker.stages import (
    no_such_hand,
    not_the_dealer,
    someone_remote,
    waits_for_supervisor,
)
from services.table.domain.games.live_poker.state import UNDECIDED, LiveStory
from services.table.domain.games.poker.evolve import running
from services.table.domain.table.handlers import unless
from services.table.domain.table.rejections import rejected

Procedure = Callable[[RecordIncident, LiveStory], Rejected | None]


@unless(not_the_dealer)
def record_incident(command: RecordIncident, story: LiveStory) -> Rejected | None:
    """Codes `DE-<rule>` of dealers, `PE-<rule>` of players, `BET-53`."""
    before_or_after = _WITHOUT_A_HAND.get(command.code)
    if before_or_after is not None and (story.state.hand is None or command.code == "DE-33"):
        return before_or_after(command, story)
    procedure = _PROCEDURES.get(command.code)
    if procedure is None:
        return rejected(Reason.UNKNOWN_CODE, story.rules)
    return _during_the_hand(command, story, procedure)


@unless(no_such_hand, waits_for_supervisor)
def _during_the_hand(command: RecordIncident, story: LiveStory, procedure: Procedure) -> Rejected | None:
    hand = running(story.state)
    if any(seat not in hand.players for seat in (*command.seats, *(() if command.seat is None else (command.seat,)))):
        return rejected(Reason.INCOMPLETE_REPORT, story.rules, "that seat is not in the hand")
    if (refused := _done_from_afar(command, story)) is not None:
        return refused
    return procedure(command, story)


def _done_from_afar(command: RecordIncident, story: LiveStory) -> Rejected | None:
    """What players do with chips, cards and words they do at the table (53, 55, 70.b, 71, 91): a report of it would act
    for a seat whose player is elsewhere."""
    if not command.code.startswith(("PE-", "BET-")) and command.code != "DE-70b":
        return None
    if command.code == UNDECIDED:
        return None  # it is no act, binds nobody, and is for a supervisor to judge
    return someone_remote(story, [*command.seats, *(() if command.seat is None else (command.seat,))])


_WITHOUT_A_HAND: Mapping[str, Procedure] = {
    "DE-33": deck_errors.seen_in_the_cut,
    "DE-70a": dealer_errors.wrong_winner_paid,
}
_PROCEDURES: Mapping[str, Procedure] = {
    "DE-69a": deck_errors.misdealt,
    "DE-69b": deck_errors.wrong_number,
    "DE-69c": deck_errors.seen_by_another,
    "DE-69d": deck_errors.face_up_in_the_stub,
    "DE-69e": deck_errors.deck_fault,
    "DE-69f": deck_errors.deck_fault,
    "DE-69g": deck_errors.misdealt,
    "DE-70a": dealer_errors.wrong_winner,
    "DE-70b": dealer_errors.dealt_to_an_absent,
    "DE-70d": dealer_errors.exposed_early,
    "DE-70e": dealer_errors.exposed_early,
    "DE-70f": dealer_errors.exposed_early,
    "BET-53": player_errors.announced_and_placed,
    "PE-55": player_errors.string_bet,
    UNDECIDED: player_errors.undecided,
    "PE-71b": player_errors.mucked,
    "PE-71c": player_errors.underpaid,
    "PE-71d": player_errors.unannounced_raise,
    "PE-71e": player_errors.showed_cards,
    "PE-71f": player_errors.out_of_turn,
    "PE-71g": player_errors.mixed_cards,
    "PE-71h": player_errors.reported_late,
    "PE-71i": player_errors.passed_over,
    "PE-91": player_errors.first_bet_missing,
}
