"""Records incidents: state before and after, who reported and decided; hands taken out, and the misdeal (69)."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from libs.cards.variants import VARIANTS
from libs.contracts.commands import TableCommand
from libs.contracts.facts import taken
from libs.contracts.live_commands import RecordIncident
from libs.contracts.live_events import HandState, HeldAct, IncidentRecorded
from libs.contracts.poker_events import PlayerFolded
from services.table.domain.games.live_poker.stages import after_turn, betting_begun, state_of
from services.table.domain.games.live_poker.state import PASSED_OVER, LiveStory, live_of
from services.table.domain.games.poker.cards import shown
from services.table.domain.games.poker.correcting import void_running
from services.table.domain.games.poker.evolve import running
from services.table.domain.games.poker.state import Hand

LARGE_STAKE_BIG_BLINDS = 25
LARGE_POT_BIG_BLINDS = 100
"""From either on a dealer's word alone takes no hand: of so much put in the auditor looks at a player's own fold, in so
large a pot at a single one. The worked case of 71.g takes hands with 16 in out of a pot of 54."""
EXAMINED = ("in_favour", "against", "go_on")
"""What a supervisor says of a seat that was gone past: it may match, its hand is out, or it has all its rights (71.i):
who was passed over for a moment alone would be barred from a raise otherwise."""
ENTERED = "ACT"
"""Code of what a dealer entered at a player's turn, where somebody else is asked."""
OUT_OF_TURN = "PE-71f"
Out = Literal["withdrawn", "annulled", "barred"]
_OUT_BY: Mapping[str, Out] = {"DE-70b": "withdrawn", "PE-71h": "barred", "PE-91": "withdrawn"}
AtOnce = Literal["carried_out", "put_in"]
_AT_ONCE: Mapping[str, AtOnce] = {ENTERED: "carried_out", "PE-71c": "put_in"}


def tell_incident(
    story: LiveStory,
    command: TableCommand | None,
    code: str,
    *,
    outcome: str,
    exposed: Sequence[int] = (),
    choices: Sequence[str] = (),
    state_after: HandState | None = None,
    by: str = "",
    decided_by: str = "",
    **fields: Any,
) -> None:
    """`exposed` are positions; a hand that waits for a supervisor is told so by `choices`. `by`: of whose report it
    comes, where somebody else's act brings it up; `decided_by` where that one has let it stand."""
    hand = running(story.state)
    by = by or story.by
    before = state_of(story.state)
    report = command if isinstance(command, RecordIncident) else None
    story.tell(
        IncidentRecorded(
            incident=live_of(story.state).incidents + 1,
            code=code,
            state_before=before,
            state_after=state_after or ("SUPERVISOR_DECISION" if choices else before),
            seats=fields.pop("seats", []),
            exposed=shown(hand, exposed),
            choices=list(choices),
            outcome=outcome,
            currency=story.rules.currency,
            recorded_by=by,
            reported_by=(report.reported_by if report else "") or by,
            decided_by="" if choices else decided_by or by,
            reason=report.reason if report else "",
            **fields,
        )
    )


def misdeal(
    story: LiveStory,
    command: TableCommand,
    code: str,
    *,
    seats: Sequence[int] = (),
    exposed: Sequence[int] = (),
    deck_out: bool = False,
) -> None:
    """The hand is void: every bet goes back, no rake, the lead stays, a whole deck is shuffled anew (69)."""
    hand = running(story.state)
    tell_incident(
        story,
        command,
        code,
        outcome="void",
        seats=list(seats),
        exposed=exposed,
        state_after="VOID",
        returned=sum(player.staked for player in hand.players.values()),
        pack_out=live_of(story.state).deck if deck_out else "",
    )
    void_running(story, code, story.by)


def faulty_deck(
    story: LiveStory,
    command: TableCommand,
    code: str,
    *,
    seats: Sequence[int] = (),
    exposed: Sequence[int] = (),
    deck_out: bool = True,
    choices: Sequence[str] = ("void", "go_on"),
) -> None:
    """69.d to 69.f hold until the pot is delivered; once there are bets, only a supervisor may take them back (8.c).

    Who deals has seen cards by then, and no eye but the dealer's sees the fault. The deck is out at once either way.
    """
    if not betting_begun(running(story.state)):
        misdeal(story, command, code, seats=seats, exposed=exposed, deck_out=deck_out)
        return
    betting = live_of(story.state).stage == "betting"
    tell_incident(
        story,
        command,
        code,
        outcome="to_decide",
        seats=list(seats),
        exposed=exposed,
        choices=choices,
        pack_out=live_of(story.state).deck if deck_out else "",
        go_on_after=after_turn(running(story.state)) if betting else None,
    )


def left_to_a_supervisor(story: LiveStory, command: RecordIncident, seats: Sequence[int]) -> bool:
    """Whether a supervisor says if these hands are out: where that ends the hand, or much lies there. What is paid for
    it is not brought back, and nobody but the dealer says that it has to be."""
    if not _is_dear(story, seats):
        return False
    waits: dict[str, Any] = {"choices": ["against", "go_on"], "go_on_after": after_turn(running(story.state))}
    tell_incident(story, command, command.code, outcome="to_decide", seats=list(seats), **waits)
    return True


def left_to_another(story: LiveStory, command: TableCommand, code: str, held: HeldAct) -> bool:
    """Whether somebody else than the dealer says if this act is the seat's: at its turn its player, in person, or else
    a supervisor. Who deals could fold a hand, or put a stack in, that its player would not."""
    hand = running(story.state)
    asked = hand.turn is not None and hand.turn.seat == held.seat
    if not _is_dear_act(story, held, asked):
        return False
    waits: dict[str, Any] = {"choices": ["stands", "go_on"], "go_on_after": None if asked else after_turn(hand)}
    waits |= {"seats": [held.seat], "amount": held.chips, "held": held}
    tell_incident(story, command, code, outcome="to_decide", **waits)
    return True


def left_at_its_turn(story: LiveStory, held: HeldAct) -> bool:
    """The same of a fold that was held while the pot was small, or more hands were in it than now at its turn."""
    if not _is_dear_act(story, held, asked=False):
        return False
    waits: dict[str, Any] = {"choices": ["stands", "go_on"], "seats": [held.seat], "held": held, "by": held.by}
    tell_incident(story, None, OUT_OF_TURN, outcome="to_decide", **waits)
    return True


def left_as_passed_over(story: LiveStory, seat: int) -> bool:
    """Whether a supervisor examines what a seat may do that was passed over, once its turn has come after others have
    acted: on the dealer's word alone it would have had the last word of the round (71.i)."""
    if seat not in live_of(story.state).missed:
        return False
    waits: dict[str, Any] = {"choices": list(EXAMINED), "by": story.state.desk.dealer}
    tell_incident(story, None, PASSED_OVER, outcome="to_decide", seats=[seat], **waits)
    return True


def _is_dear_act(story: LiveStory, held: HeldAct, asked: bool) -> bool:
    """At the turn a fold that ends the hand is the ordinary end of a hand. Counted is what has been put in with it: by
    many small calls a stack would go in, too."""
    hand, blind = running(story.state), story.rules.betting.big_blind
    if held.act == "fold" and not asked:
        return _is_dear(story, [held.seat])
    much = hand.players[held.seat].committed + held.chips >= LARGE_STAKE_BIG_BLINDS * blind
    whole = held.to == hand.bet or held.chips == story.state.seats[held.seat].stack
    called = held.act == "call" and whole
    large = hand.pot >= LARGE_POT_BIG_BLINDS * blind and not called
    return held.act != "check" and (much or large)


def board_at_stake(story: LiveStory) -> bool:
    """Whether much hangs on cards that are still to come, by the same bounds: on the dealer's word alone none of them
    is another one then. Who deals sees each card before the others do."""
    last = running(story.state).street == VARIANTS[story.rules.variant].board[-1][0]
    return live_of(story.state).stage != "paying" and not last and pot_at_stake(story)


def pot_at_stake(story: LiveStory) -> bool:
    """Whether by the same bounds no pot goes against the cards on the dealer's word alone."""
    hand, blind = running(story.state), story.rules.betting.big_blind
    much = any(each.committed >= LARGE_STAKE_BIG_BLINDS * blind for each in hand.players.values())
    return much or hand.pot >= LARGE_POT_BIG_BLINDS * blind


def _is_dear(story: LiveStory, seats: Sequence[int]) -> bool:
    hand, blind = running(story.state), story.rules.betting.big_blind
    if hand.left - len(seats) < 2 or hand.pot >= LARGE_POT_BIG_BLINDS * blind:
        return True
    return any(hand.players[seat].committed >= LARGE_STAKE_BIG_BLINDS * blind for seat in seats)


def out_by(code: str) -> Out:
    """As what a hand is out by this code."""
    return _OUT_BY.get(code, "annulled")


def at_once(code: str) -> AtOnce | None:
    """What is done with an act of this code when a supervisor lets it stand: the whole of it, or its chips are put in.
    None: it binds the seat, and is done at its turn."""
    return _AT_ONCE.get(code)


def take_out(story: LiveStory, seat: int, reason: Out) -> None:
    """The cards go to the dealer unseen."""
    hand = running(story.state)
    sitter = story.state.seats.get(seat)
    left = sitter.time_bank if sitter is not None else 0
    story.tell(taken(PlayerFolded, hand.players[seat], actor="house", reason=reason, time_bank_left=left))


def ownerless(hand: Hand, out: tuple[int, ...]) -> bool:
    """Whether money would be left that no live hand can win, once the seats `out` have none (71.g)."""
    left = [player for player in hand.alive if player.seat not in out]
    if not left:
        return True
    if any(not player.all_in for player in left):
        return False  # they may still match it
    claimed = max(player.committed for player in left)
    return any(hand.players[seat].committed > claimed for seat in out)
