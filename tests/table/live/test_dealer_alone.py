"""Everything that a dealer and a mate at the table can do to a third one in a few steps, without a supervisor (8.c).

Each attacker before found one more pair of reports by which a dealer alone took a large pot: here all of them are
tried, one after another, from several hands. The victim says nothing; who decides incidents is asked, and not there.
Nor does a card of the board depend on the dealer's word where much lies there: the pack comes as it lies, and each card
goes where it is due.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from libs.cards.card import name_of
from libs.contracts import live_commands as c
from libs.contracts.commands import TableCommand
from libs.contracts.live_events import IncidentRecorded
from libs.contracts.messages import Principal
from libs.contracts.poker_commands import Act
from libs.contracts.table_commands import LeaveTable, SitOut
from libs.decider import Given, Rejected
from services.table.domain.games.live_poker.incidents import _PROCEDURES
from services.table.domain.games.live_poker.state import LiveTable, live_of
from services.table.domain.table.decide import decide
from tests.table.casino.play import rule
from tests.table.live.play import DEALER, SUPERVISOR, live_h6
from tests.table.play import player_principal

MATE, VICTIM = 3, 4
BIG_BLIND = 200
LARGE = 25 * BIG_BLIND
"""What a player puts in the others' word alone must not make it (docs/live-dealer.md)."""
Wish = tuple[Principal, TableCommand]


def before_the_flop() -> Any:
    return live_h6().plays("3 raise 9000", "4 call", "5 fold", "6 fold", "1 fold").state


def on_the_flop() -> Any:
    table = live_h6().plays("3 raise 9000", "4 call", "5 fold", "6 fold", "1 fold", "2 fold")
    return table.burn().turn_up(3).state


def behind_a_check() -> Any:
    table = live_h6().plays("3 raise 9000", "4 call", "5 fold", "6 fold", "1 fold", "2 fold")
    return table.burn().turn_up(3).plays("3 check").state


def facing_a_bet() -> Any:
    table = live_h6().plays("3 raise 9000", "4 call", "5 fold", "6 fold", "1 fold", "2 fold")
    return table.burn().turn_up(3).plays("3 bet 400").state


def stalling() -> Any:
    """The victim was warned and still says nothing: from then on that may be reported (71.a)."""
    table = live_h6().plays("3 raise 9000", "4 call", "5 fold", "6 fold", "1 fold", "2 fold")
    table.burn().turn_up(3).plays("3 bet 400").later(20_000)
    assert table.hand.turn is not None
    assert table.hand.turn.warned
    assert table.report("PE-71a", seat=VICTIM) is None
    assert table.rule_on("go_on") is None
    return table.later(20_000).state


def a_small_pot_of_three() -> Any:
    """Seat 5 is nobody's mate."""
    return live_h6().plays("3 raise 400", "4 call", "5 call", "6 fold", "1 fold", "2 fold").burn().turn_up(3).state


def stacks_behind_a_small_pot() -> Any:
    return live_h6().plays("3 raise 400", "4 call", "5 fold", "6 fold", "1 fold", "2 fold").burn().turn_up(3).state


def run_out() -> Any:
    """Both are all-in on the turn, and the river is to come."""
    table = live_h6().plays("3 raise 400", "4 call", "5 fold", "6 fold", "1 fold", "2 fold").burn().turn_up(3)
    table.plays("3 check", "4 check").burn().turn_up().plays("3 bet 19600", "4 call")
    assert table.live.stage == "board"
    return table.state


def named_while_little_lay_there() -> Any:
    """The river to be was said to lie face up while the pot was small; then both went all-in."""
    table = live_h6().plays("3 raise 400", "4 call", "5 fold", "6 fold", "1 fold", "2 fold").burn().turn_up(3)
    table.plays("3 check", "4 check").burn().turn_up()
    assert table.report("DE-69d", cards=[_next_cards(table.state)[1]]) is None
    assert table.incident.outcome == "burned_when_it_comes"
    return table.plays("3 bet 19600", "4 call").state


def _next_cards(state: LiveTable) -> list[str]:
    """The next two of the stub: the pack lies in the order of its numbers."""
    assert state.hand is not None
    assert state.hand.deck is not None
    out = live_of(state).out
    return [name_of(card) for position, card in enumerate(state.hand.deck.cards) if position not in out][:2]


def _reports(state: LiveTable) -> Iterator[TableCommand]:
    """Each code with all that a report of it may say."""
    hand = state.hand
    assert hand is not None
    stub, second = _next_cards(state)
    for code in _PROCEDURES:
        for said in (
            {}, {"seat": VICTIM}, {"seat": MATE}, {"seats": [MATE, VICTIM]}, {"seat": VICTIM, "count": 1},
            {"seat": VICTIM, "count": 2}, {"seat": VICTIM, "error": "DE-69a"}, {"cards": [stub]}, {"announced": VICTIM},
            {"cards": [second]}, {"cards": [stub, second]},
        ):  # fmt: skip
            yield c.RecordIncident(hand=hand.number, code=code, **said)
        for placed in (1, BIG_BLIND, 20_000):
            yield c.RecordIncident(hand=hand.number, code=code, seat=VICTIM, placed=placed)
            for act in ("call", "bet", "raise"):
                yield c.RecordIncident(hand=hand.number, code=code, seat=VICTIM, placed=placed, act=act, to=placed)
        yield c.RecordIncident(hand=hand.number, code=code, seat=VICTIM, act="fold")
        yield c.RecordIncident(hand=hand.number, code=code, seat=VICTIM, act="check")


def _wishes(state: LiveTable) -> Iterator[Wish]:
    hand = state.hand
    assert hand is not None
    mate = player_principal(f"p{MATE}")
    yield from ((DEALER, report) for report in _reports(state))
    for place in ("burn", "board"):
        yield DEALER, c.ScanCard(hand=hand.number, card=_next_cards(state)[0], to=place)
    for seat in (MATE, VICTIM):
        yield DEALER, c.PassTurn(hand=hand.number, seat=seat)
        yield DEALER, c.DeliverPot(hand=hand.number, winner=seat)
        yield DEALER, c.RecordPost(hand=hand.number, seat=seat)
    for act in ("fold", "check", "call"):
        yield DEALER, Act(hand=hand.number, seat=VICTIM, act=act)
    turn = hand.turn
    for by, seat in ((mate, MATE), (DEALER, VICTIM)):
        least = turn.legal.min_to if turn is not None and turn.seat == seat else None
        for to in {least or BIG_BLIND, 20_000 - hand.players[seat].committed}:
            yield by, Act(hand=hand.number, seat=seat, act="raise" if hand.bet else "bet", to=to)
    yield from ((mate, Act(hand=hand.number, seat=MATE, act=act)) for act in ("check", "call"))
    yield from ((mate, gone) for gone in (SitOut(), LeaveTable()))


def _key(state: LiveTable) -> object:
    """What tells two places of a search apart: all but numbers that count what was told."""
    hand, live = state.hand, live_of(state)
    assert hand is not None
    at = None if hand.turn is None else (hand.turn.seat, hand.turn.stands)
    players = tuple((seat, each.folded, each.committed, each.in_round) for seat, each in sorted(hand.players.items()))
    bound = tuple(sorted((seat, held.act, held.to) for seat, held in live.held.items()))
    limits = (tuple(sorted(live.limited.items())), live.passed, live.stood, live.unposted, live.face_up, live.aside)
    more = live.heard, live.missed, live.agreed, live.out, live.burnt, live.drawn, live.no_burn
    return live.stage, hand.street, hand.bet, at, players, bound, limits, more


def _harm(before: LiveTable, after: LiveTable, dear: bool) -> str | None:
    """What was done to the victim, where that may not be. In a small pot a dealer enters a fold, as ever."""
    if after.hand is None:
        more = before.seats[VICTIM].stack - after.seats[VICTIM].stack
        lost = more + before.hand.players[VICTIM].committed  # type: ignore[union-attr]
        return "the hand is over" if dear or lost >= LARGE else None
    was, now = before.hand.players[VICTIM], after.hand.players[VICTIM]  # type: ignore[union-attr]
    if dear and now.folded and not was.folded:
        return "the victim has folded"
    if dear and live_of(after).limited.get(VICTIM) and not live_of(before).limited.get(VICTIM):
        return "the victim may not raise"
    if now.committed != was.committed and now.committed >= LARGE:
        return f"the victim has {now.committed} in"
    return None


def _other_board(before: LiveTable, after: LiveTable) -> str | None:
    """What was done to the cards to come by this step, where much lies there. The next card is the burn where one is
    due, and lies on the board otherwise."""
    hand, now = before.hand, after.hand
    assert hand is not None
    much = max(each.committed for each in hand.players.values()) >= LARGE or hand.pot >= 100 * BIG_BLIND
    if not much or now is None:
        return None
    was = live_of(before)
    came = [position for position in live_of(after).out if position not in was.out]
    if was.face_up != live_of(after).face_up:
        return "another card is to be burnt"
    if len(came) > 1 or not set(was.out) <= set(live_of(after).out):
        return "cards were taken out of the stub, or back"
    due = not (was.burnt or was.no_burn or was.drawn)
    on_the_board = {*now.board, *live_of(after).drawn}
    return None if not came or (came[0] in on_the_board) != due else f"card {came[0]} is not where it was due"


@rule("8.c")
@pytest.mark.parametrize(
    ("hand", "steps"),
    [
        (before_the_flop, 3),
        (on_the_flop, 3),
        (behind_a_check, 3),
        (facing_a_bet, 3),
        (stalling, 3),
        (a_small_pot_of_three, 2),
        (stacks_behind_a_small_pot, 3),
        (run_out, 3),
        (named_while_little_lay_there, 3),
    ],
    ids=lambda each: each.__name__ if callable(each) else f"{each} steps",
)
def test_in_no_few_steps_a_dealer_and_a_mate_take_a_hand_or_a_stack(hand: Any, steps: int) -> None:
    begun: LiveTable = hand()
    assert begun.hand is not None
    dear = begun.hand.pot >= 2 * LARGE
    ways: list[tuple[LiveTable, tuple[Wish, ...]]] = [(begun, ())]
    met, asked = {_key(begun)}, 0
    for _ in range(steps):
        further: list[tuple[LiveTable, tuple[Wish, ...]]] = []
        for state, way in ways:
            for by, wish in _wishes(state):
                answer = decide(state, wish, Given(1_000_000, None, by, None))
                if isinstance(answer, Rejected) or not answer.states:
                    continue
                after: Any = answer.states[-1]
                so_far = (*way, (by, wish))
                told = [each for each in answer.events if isinstance(each, IncidentRecorded)]
                harm = _harm(state, after, dear) or _other_board(state, after)
                assert harm is None or _left(wish, by), (harm, [repr(each) for _, each in so_far])
                if after.hand is None or live_of(after).stage == "paying":
                    continue
                if live_of(after).pending is not None:
                    assert all("go_on" in each.choices for each in told if each.choices)
                    assert _without_harm(state, after) is None, [repr(each) for _, each in so_far]
                    asked += 1
                elif (key := _key(after)) not in met:
                    met.add(key)
                    further.append((after, so_far))
        ways = further
    assert len(met) > 1, "there is something that a dealer may do"
    assert asked > 5


def _without_harm(before: LiveTable, asked: LiveTable) -> str | None:
    """What follows all the same where a supervisor says that the game goes on: nobody is barred, no card is another."""
    pending = live_of(asked).pending
    assert pending is not None
    assert asked.hand is not None
    wish = c.DecideIncident(hand=asked.hand.number, incident=pending.incident, decision="go_on", reason="nothing seen")
    answer = decide(asked, wish, Given(1_000_000, None, SUPERVISOR, None))
    assert not isinstance(answer, Rejected)
    after: Any = answer.states[-1]
    named = {*live_of(after).face_up} - {*live_of(before).face_up}
    return "a card is burnt all the same" if named else _harm(asked, after, dear=True)


def _left(wish: TableCommand, by: Principal) -> bool:
    """The mate gave the own hand up, which gives the pot to the victim."""
    return by != DEALER and isinstance(wish, LeaveTable)
