"""Beginning a hand: button, blinds, deck, hole cards (pt-811-2015 2.j, 21, 46, 48, 64; mo-97-2010 1.2, 5)."""

from dataclasses import dataclass

from libs.sealing.merkle import deck_tree
from libs.sealing.shuffle import Shuffle
from services.table.domain.games.poker.cards import deals_of
from services.table.domain.games.poker.events import Blind, BlindPosted, HandStarted, HoleCardsDealt, SeatInHand
from services.table.domain.games.poker.evolve import running
from services.table.domain.games.poker.order import clockwise_after, from_button
from services.table.domain.games.poker.progress import go_on
from services.table.domain.table.after_hand import after_hand
from services.table.domain.table.events import ButtonDrawn
from services.table.domain.table.readiness import ready_seats, seats_in_play
from services.table.domain.table.state import Table
from services.table.domain.table.story import Story

_ANTES: tuple[Blind, ...] = ("ante", "big_blind_ante")


@dataclass(frozen=True, slots=True)
class Plan:
    """Who plays the next hand, and from where."""

    button: int
    small_blind: int
    big_blind: int
    entries: tuple[int, ...]
    """Seats that freely post a live big blind to be dealt in at once."""
    dealt: tuple[int, ...]
    """Clockwise from the left of the button."""


def start_hand(story: Story, fresh: Shuffle) -> None:
    """At least two seats are ready. A table that starts or resumes draws its button and deals everybody in (46)."""
    button = _next_button(story.state) if story.state.running else _first_button(story, fresh)
    plan = plan_hand(story.state, button)
    _tell_started(story, plan, fresh)
    _post_all(story, plan)
    hand = running(story.state)
    deals = deals_of(hand, story.rules)
    story.tell(HoleCardsDealt(at=story.now, table=story.table, hand=hand.number, deals=deals))
    go_on(story)
    after_hand(story)


def _first_button(story: Story, fresh: Shuffle) -> int:
    ready = ready_seats(story.state)
    if story.rules.first_button == "lowest_seat":
        return ready[0]  # mo-97-2010 1.2: the dealer box stands before seat 1
    seat = next(seat for seat in fresh.seat_order if seat in ready)
    story.tell(ButtonDrawn(at=story.now, table=story.table, seat=seat, among=ready, generator=fresh.generator))
    return seat


def _next_button(state: Table) -> int:
    """The next player in play clockwise; after a void hand the same one if still there (pt-811-2015 4.c, 64)."""
    in_play = seats_in_play(state)
    if state.button_stays and state.button in in_play:
        return state.button
    return clockwise_after(in_play, state.button)[0]


def plan_hand(state: Table, button: int) -> Plan:
    """Counting left from the button: waiting seats are passed over for the small blind, not for the big (21)."""
    ready = ready_seats(state)
    in_play = seats_in_play(state) if state.running else ready
    small = clockwise_after(in_play, button)[0]
    big = clockwise_after(ready, small)[0]
    posting = [seat for seat in ready if seat not in in_play and state.seats[seat].posts and seat != big]
    dealt = from_button(sorted({*in_play, big, *posting}), button)
    if len(dealt) == 2 and state.rules.heads_up_blinds == "button_small":
        small, big = button, small  # pt-811-2015 48
    return Plan(button, small, big, tuple(clockwise_after(posting, big)), tuple(dealt))


def _tell_started(story: Story, plan: Plan, fresh: Shuffle) -> None:
    state, rules = story.state, story.rules
    sitters = [state.seats[seat] for seat in plan.dealt]
    story.tell(
        HandStarted(
            at=story.now,
            table=story.table,
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
            deck_root=deck_tree(fresh.deck).root.hex(),
            deck=fresh.deck,
        )
    )


def _post_all(story: Story, plan: Plan) -> None:
    """Antes, blinds, entries, straddle; each only where the rulebook asks for it."""
    rules = story.rules
    for seat in plan.dealt if rules.ante else ():
        _post(story, seat, "ante", rules.ante)
    if rules.big_blind_ante:
        _post(story, plan.big_blind, "big_blind_ante", rules.big_blind_ante)
    _post(story, plan.small_blind, "small", rules.small_blind)
    _post(story, plan.big_blind, "big", rules.big_blind)
    straddler = _straddler(plan) if rules.straddle else None
    for seat in plan.entries:
        if seat != straddler:
            _post(story, seat, "entry", rules.big_blind)
    if straddler is not None:
        _post(story, straddler, "straddle", rules.straddle)


def _straddler(plan: Plan) -> int | None:
    """Left of the big blind; heads-up nobody straddles."""
    return clockwise_after(plan.dealt, plan.big_blind)[0] if len(plan.dealt) > 2 else None


def _post(story: Story, seat: int, blind: Blind, amount: int) -> None:
    """All of it, or what the stack holds where the rulebook deals in who has less than a big blind (not so in 15)."""
    hand = running(story.state)
    sitter = story.state.seats[seat]
    amount = min(amount, sitter.stack)
    if amount == 0:
        return  # the ante took it all
    stack = sitter.stack - amount
    story.tell(
        BlindPosted(
            at=story.now,
            table=story.table,
            hand=hand.number,
            seat=seat,
            player=sitter.player,
            blind=blind,
            compulsory=blind != "entry",  # pt-811-2015 21: a newcomer's post is free will
            amount=amount,
            to=0 if blind in _ANTES else amount,
            stack=stack,
            all_in=stack == 0,
            currency=story.rules.currency,
        )
    )
