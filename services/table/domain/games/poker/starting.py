"""Beginning a hand: button, blinds, deck, hole cards (pt-811-2015 2.j, 21, 46, 48, 64; mo-97-2010 1.2, 5)."""

from collections.abc import Sequence
from typing import Literal

from msgspec.structs import replace

from libs.contracts.poker_events import Blind, BlindPosted, ButtonDrawn, HandStarted, HoleCardsDealt, SeatInHand
from libs.sealing.deck import Deck
from libs.sealing.merkle import deck_tree
from libs.sealing.shuffle import Shuffle
from services.table.domain.games.poker.cards import deals_of, in_play, leaves_for
from services.table.domain.games.poker.charging import keep_session
from services.table.domain.games.poker.configuration import PokerConfiguration
from services.table.domain.games.poker.evolve import running
from services.table.domain.games.poker.lead import Plan, plan_from_lead
from services.table.domain.games.poker.order import clockwise_after, lies_between
from services.table.domain.games.poker.passing import (
    after_big_blind,
    blinds_among,
    blinds_passed,
    counted,
    goes_on_with,
    next_button,
    posted_from,
)
from services.table.domain.games.poker.progress import begin
from services.table.domain.games.poker.readiness import dead_with_post, in_play_of, missed_by, ready_seats
from services.table.domain.games.poker.state import PokerSitter
from services.table.domain.games.poker.story import PokerStory
from services.table.domain.table.after_round import after_round

_NO_BET: tuple[Blind, ...] = ("ante", "big_blind_ante", "missed")


def start_hand(story: PokerStory, fresh: Shuffle) -> None:
    """At least two seats are ready."""
    plan = begin_hand(story, fresh)
    if plan is None:
        return
    post_all(story, plan)
    story.tell(HoleCardsDealt(deals=deals_of(running(story.state), story.rules)))
    begin(story)
    after_round(story)


def begin_hand(story: PokerStory, fresh: Shuffle) -> Plan | None:
    """A table that starts or resumes draws its button and deals everybody in (46). None: its last session is over."""
    plan = plan_from_lead(story.state) if story.rules.dealing.positions == "lead" else _plan_from_button(story, fresh)
    if not keep_session(story, plan.small_blind):
        return None
    _tell_started(story, plan, in_play(fresh.deck, story.rules))
    return plan


def _plan_from_button(story: PokerStory, fresh: Shuffle) -> Plan:
    """Counting left from the button: waiting seats are passed over for the small blind, not for the big (21)."""
    ready = ready_seats(story.state)
    in_play = in_play_of(story.state, ready) if story.state.running else ready
    waiting = {*ready} - {*in_play}
    after, in_play = after_big_blind(story.state, in_play, ready), counted(story.state, in_play)
    if after is None:
        button = next_button(story.state, in_play) if story.state.running else _first_button(story, fresh, ready)
        small, big = posted_from(button, in_play, ready, story.rules)
    else:
        button, small, big = after
    state = story.state
    # Nobody comes in between button and small blind, who is the first at the left of the button (48): the button would
    # go back there, and the same player have the big blind again.
    coming = {seat for seat in {*ready} - {*in_play} if not lies_between(seat, button, small)}
    posting = [seat for seat in waiting if seat in coming and state.seats[seat].posts and seat != big]
    posting = [seat for seat in posting if _affords_post(state.seats[seat], state.rules)]
    dealt = clockwise_after({*in_play, big, *posting, *(coming - waiting)}, button)
    if len(dealt) == 2 and after is not None:
        button = next(seat for seat in dealt if seat != big)
        dealt = [big, button]
    if len(dealt) == 2 and state.rules.betting.heads_up_blinds == "button_small":
        small, big = button, next(seat for seat in dealt if seat != button)  # pt-811-2015 48
    missed = () if state.rules.tournament else tuple(blinds_passed(state, button, small, big, dealt))
    newcomers = frozenset(seat for seat in dealt if state.seats[seat].newcomer)
    entries = tuple(clockwise_after(posting, big))
    if state.running and state.resumes and state.rules.dealing.first_button == "drawn" and not state.rules.tournament:
        story.tell(ButtonDrawn(seat=button, among=[button], generator=fresh.generator))
    return Plan(button, small, big, entries, tuple(dealt), missed=missed, newcomers=newcomers)


def _affords_post(sitter: PokerSitter, rules: PokerConfiguration) -> bool:
    """What goes with the big blind is not paid out of it: who has not both waits for the big blind."""
    dead = dead_with_post(sitter, rules)
    return not dead or sitter.stack >= rules.betting.big_blind + dead


def _first_button(story: PokerStory, fresh: Shuffle, ready: list[int]) -> int:
    """Among all, or where one of those whose big blind it is has that."""
    state, goes_on = story.state, goes_on_with(story.state, ready)
    due = {goes_on} if goes_on is not None else {seat for seat in ready if state.seats[seat].due_big}
    ready = [seat for seat in ready if blinds_among(seat, ready, story.rules)[1] in due] or ready
    if story.rules.dealing.first_button == "lowest_seat":
        return ready[0]  # mo-97-2010 1.2: the dealer box stands before seat 1
    seat = next(seat for seat in fresh.seat_order if seat in ready)
    story.tell(ButtonDrawn(seat=seat, among=ready, generator=fresh.generator))
    return seat


def _tell_started(story: PokerStory, plan: Plan, deck: Deck) -> None:
    state, rules = story.state, story.rules
    sitters, leaves = [state.seats[seat] for seat in plan.dealt], leaves_for(len(plan.dealt), rules)
    story.tell(
        HandStarted(
            hand=state.hands + 1,
            rulebook=rules.rulebook,
            rulebook_hash=state.rulebook_hash,
            configuration_version=rules.version,
            currency=rules.currency,
            kind=rules.kind,
            button=plan.button,
            small_blind=plan.small_blind,
            big_blind=plan.big_blind,
            seats=[SeatInHand(s.seat, s.player, s.reservation, s.stack) for s in sitters],
            deck_root=deck_tree(deck, leaves).root.hex(),
            deck_leaves=leaves,
            lead=plan.lead,
            missed=list(plan.missed),
        ),
        deck=deck,
    )


def post_all(story: PokerStory, plan: Plan, unposted: Sequence[int] = ()) -> None:
    """Antes, blinds, entries, straddle, where the rulebook asks for them. `unposted`: whose blind is missing."""
    rules = story.rules
    for seat in plan.dealt if rules.betting.ante else ():
        _post(story, seat, "ante", rules.betting.ante)
    if rules.betting.big_blind_ante:
        _post(story, plan.big_blind, "big_blind_ante", rules.betting.big_blind_ante)
    if rules.betting.blinds and plan.small_blind not in unposted:
        post_blind(story, plan.small_blind, "small")
    if rules.betting.blinds and plan.big_blind not in unposted:
        post_blind(story, plan.big_blind, "big")
    if rules.entry.entering == "missed_blinds":
        _post_owed(story, plan)
    straddler = _straddler(plan) if rules.betting.straddle else None
    for seat in plan.entries:
        if seat != straddler:
            _post(story, seat, "entry", rules.betting.big_blind)
        _post(story, seat, "missed", dead_with_post(story.state.seats[seat], rules))
    if straddler is not None:
        _post(story, straddler, "straddle", rules.betting.straddle)


def _post_owed(story: PokerStory, plan: Plan) -> None:
    """A live big blind after hands without a bet (pt-217-2007 89); what was missed, dead (90) or the big one live."""
    rules = story.rules
    live = rules.entry.missed_big_blind == "live"
    for seat in plan.dealt:
        if rules.betting.idle_hands and story.state.seats[seat].idle >= rules.betting.idle_hands:
            _post(story, seat, "idle", rules.betting.big_blind - running(story.state).players[seat].in_round)
    for seat in plan.dealt:
        sitter = story.state.seats[seat]
        if live and seat == plan.big_blind:
            continue  # who comes back with the big blind owes nothing more
        small_one = 0
        if live and sitter.owes_big:
            small_one = running(story.state).players[seat].in_round
            _post(story, seat, "entry", rules.betting.big_blind - small_one)
            sitter = replace(sitter, owes_big=False)
        # The small blind that is due from the seat itself is not part of the big one that passed.
        _post(story, seat, "missed", missed_by(sitter, rules) + (0 if seat in plan.newcomers else small_one))


def _straddler(plan: Plan) -> int | None:
    """Left of the big blind; heads-up nobody straddles."""
    return clockwise_after(plan.dealt, plan.big_blind)[0] if len(plan.dealt) > 2 else None


def _post(story: PokerStory, seat: int, blind: Blind, amount: int) -> None:
    """All of it, or what the stack holds where the rulebook deals in who has less than a big blind (not so in 15)."""
    hand = running(story.state)
    sitter = story.state.seats[seat]
    amount = min(amount, sitter.stack)
    if amount == 0:
        return  # nothing is due, or the ante took it all
    stack = sitter.stack - amount
    story.tell(
        BlindPosted(
            seat=seat,
            player=sitter.player,
            blind=blind,
            compulsory=blind != "entry" and (blind != "missed" or story.rules.entry.entering == "missed_blinds"),
            amount=amount,
            to=0 if blind in _NO_BET else hand.players[seat].in_round + amount,
            stack=stack,
            all_in=stack == 0,
            currency=story.rules.currency,
        )
    )


def post_blind(story: PokerStory, seat: int, blind: Literal["small", "big"]) -> None:
    _post(story, seat, blind, story.rules.betting.small_blind if blind == "small" else story.rules.betting.big_blind)
