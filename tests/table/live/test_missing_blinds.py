"""Hands that begin without a blind, whose players fold and leave: the auditor finds the same pots as the table, and who
goes takes home what is his.

The auditor judges each event of each table under test (`AnyTable.audited`); evenings at random are asked here.
"""

from collections import Counter
from random import Random

import pytest

from libs.contracts import live_commands as c
from libs.contracts.poker_events import BetPlaced, BlindPosted, HandEnded, HandVoided, PotAwarded, UncalledBetReturned
from libs.contracts.table_events import PlayerLeft, PlayerSeated
from services.audit.verifying.findings import Kind
from tests.audit.test_pots import found, places, told
from tests.table.casino.play import rule
from tests.table.live.play import DEALER, LiveTable

MONEY = (400, 1_000, 2_000, 5_000, 20_000)
EVENINGS = 400


def without_big_blind() -> LiveTable:
    """The small blind is seat 1, the big one seat 2 has not posted; 3 and 4 have folded."""
    table = LiveTable(1, 2, 3, 4).stack_pack("").begin(1, unposted=[2]).deal_holes()
    return table.plays("3 fold", "4 fold")


@rule("91", "FP-1")
@pytest.mark.parametrize("leaves", ["never", "at_the_turn", "before"])
def test_a_small_blind_that_nobody_matched_goes_back_whoever_leaves_with_it(leaves: str) -> None:
    """Found by an attacker: who left was paid nothing, and the auditor told of wrong books."""
    table = without_big_blind()
    if leaves == "before":
        table = LiveTable(1, 2, 3, 4).stack_pack("").begin(1, unposted=[2]).deal_holes()
        assert table.leave(1) is None
        table.plays("3 fold", "4 fold")
    elif leaves == "at_the_turn":
        assert table.leave(1) is None
    else:
        table.plays("1 fold")
    assert table.state.hand is None
    (back,) = table.of(UncalledBetReturned)
    assert (back.seat, back.amount, back.stack) == (1, 100, 20_000)
    assert [event.stack for event in table.of(PlayerLeft)] == [20_000] * (leaves != "never")
    assert table.stacks[2] == 20_000, "who has posted nothing wins nothing"


def test_who_left_while_it_could_be_matched_leaves_it_in_the_pot() -> None:
    """3 and 4 were passed over and may still call when the big blind goes; 3 folds, and 4 wins."""
    table = LiveTable(1, 2, 3, 4).stack_pack("").begin(1).deal_holes()
    for seat in (3, 4):
        assert table.send(DEALER, c.PassTurn(hand=table.state.hands, seat=seat)) is None
    table.plays("1 fold")
    assert table.leave(2) is None
    assert [event.stack for event in table.of(PlayerLeft)] == [19_800]
    while table.state.hand is not None:
        if table.live.pending is not None:
            assert table.rule_on("in_favour") is None
        else:
            table.plays(f"{table.turn} fold")
    assert not table.of(UncalledBetReturned, True)
    assert sorted(table.stacks.values()) == [19_900, 20_000, 20_300]


@pytest.mark.parametrize("first", range(0, EVENINGS, 50))
def test_on_any_evening_the_auditor_finds_the_same_pots(first: int) -> None:
    met: Counter[str] = Counter()
    for seed in range(first, first + 50):
        _evening(Random(seed), met)
    assert met["returned"] > 20
    assert met["left in a hand"] > 20
    assert met["dealt without a blind"] > 20
    assert met["paid"] > 50


def _evening(luck: Random, met: Counter[str]) -> None:
    """Two hands and what is left of a third one, of four to six players."""
    timer = luck.choice(("none", "act"))
    table = LiveTable(buy_in_min=400, buy_in_max=20_000, timer_action=timer)
    seats = range(1, luck.randint(4, 6) + 1)
    table.seat(**{f"s{seat}": luck.choice(MONEY) for seat in seats})
    brought = sum(table.stacks.values())
    table.begin(1, unposted=luck.choice(([], [1], [2], [1, 2]))).stack_pack("").deal_holes()
    for _ in range(70):
        if table.state.hand is not None:
            _something(table, luck, seats)
        elif table.state.hands < 4 and table.state.status == "open":
            table.make_ready()
            if table.deal_hand(unposted=luck.sample(seats, luck.randint(0, 3))) is not None:
                break
            table.stack_pack("").deal_holes()
        _holds(table, brought)
    for event in table.told:
        met["returned"] += isinstance(event, UncalledBetReturned)
        met["paid"] += isinstance(event, HandEnded)
        met["left in a hand"] += isinstance(event, PlayerLeft) and event.reason == "player"
        met["dealt without a blind"] += bool(getattr(event, "unposted", ()))


def _holds(table: LiveTable, brought: int) -> None:
    """Each player's chips are those brought, less what was put in, and what came back or was won; also who has left."""
    own: Counter[int] = Counter()
    for event in table.told:
        match event:
            case PlayerSeated():
                own[event.seat] = event.amount
            case BetPlaced() | BlindPosted():
                own[event.seat] -= event.amount
            case UncalledBetReturned():
                assert event.seat in own, "who has gone has no stack"
                own[event.seat] += event.amount
            case PotAwarded():
                own.update({payment.seat: payment.net for payment in event.payments})
            case HandVoided():
                own.update({refund.seat: refund.amount for refund in event.refunds if refund.seat in own})
            case PlayerLeft():
                assert event.stack == own.pop(event.seat)
    hand, books = table.state.hand, table.state.books
    assert table.stacks == own
    pot = hand.pot if hand is not None else 0
    assert sum(own.values()) + pot + books.left + books.owed + books.raked == brought


def _something(table: LiveTable, luck: Random, seats: range) -> None:
    number = table.state.hands
    if table.live.pending is not None:
        table.rule_on(luck.choice([each for each in table.live.pending.choices if each != "void"] or ["void"]))
    elif table.live.stage == "dealing":
        table.deal_holes()
    elif table.live.stage == "board":
        table.turn_up() if table.live.burnt or table.live.no_burn else table.burn()
    elif table.live.stage == "paying":
        table.deliver()
    else:
        assert table.hand.turn is not None
        turn, some, act = table.hand.turn.seat, luck.choice(seats), luck.random()
        if act < 0.25:
            to = table.hand.bet + luck.choice((200, 400, 2_000, 20_000))
            table.act(turn, *luck.choice((("call", None), ("check", None), ("raise", to), ("bet", to))))
        elif act < 0.45:
            table.act(turn, "fold")
        elif act < 0.6:
            table.leave(luck.choice((turn, some)))
        elif act < 0.63:
            table.remove(some)
        elif act < 0.7:
            table.later(30_000)
        elif act < 0.8:
            table.send(DEALER, c.PassTurn(hand=number, seat=turn))
        elif act < 0.85:
            table.send(DEALER, c.RecordPost(hand=number, seat=some))
        else:
            code, fields = luck.choice(
                (
                    ("PE-91", {}),
                    ("PE-91", {"seat": some}),
                    ("PE-71a", {"seat": turn}),
                    ("PE-71b", {"seat": some, "count": 1}),
                    ("PE-71g", {"seats": luck.sample(seats, 2)}),
                    ("PE-71i", {"seat": some}),
                    ("BET-53", {"seat": some, "act": "call", "to": 400, "placed": 500}),
                )
            )
            table.report(code, **fields)


def test_the_auditor_finds_what_goes_back_to_nobody_and_what_stays_of_who_is_there() -> None:
    table = without_big_blind()
    assert table.leave(1) is None
    facts = list(table.told)
    assert found(facts) == set()
    (back,) = places(facts, UncalledBetReturned)
    (left,) = places(facts, PlayerLeft)
    assert back < left
    late = [*facts[:back], facts[left], facts[back], *facts[left + 1 :]]
    assert found(late) == {Kind.POT_RESULT}, "who has gone gets nothing"
    annulled = LiveTable(1, 2, 3, 4).stack_pack("").begin(1).deal_holes().plays("3 fold")
    assert annulled.report("PE-71g", seats=[2, 1]) is None
    assert annulled.rule_on("against") is None
    facts = list(annulled.told)
    assert found(facts) == set()
    (back,) = places(facts, UncalledBetReturned)
    assert Kind.POT_RESULT in found(told(facts, back)), "it was taken out of the hand, and sits there"
