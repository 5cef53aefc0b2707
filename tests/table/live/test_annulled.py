"""Hands that are annulled at a dealer's table: the rest of the hand always comes to an end, and no chip is lost.

Found by asking at random (`test_any_evening_of_errors_ends`); what it met first stands here as a case of its own.
"""

from random import Random

import pytest

from libs.contracts import live_commands as c
from libs.contracts.live_commands import LiveReason as Reason
from libs.contracts.poker_events import UncalledBetReturned
from tests.table.live.play import DEALER, LiveTable

MONEY = (400, 1_000, 2_000, 5_000, 20_000)


def dealt(**stacks: int) -> LiveTable:
    table = LiveTable(buy_in_min=400, buy_in_max=20_000).seat(**stacks)
    return table.begin(1).stack_pack("").deal_holes()


def test_who_has_gone_with_an_annulled_hand_gets_nothing_back() -> None:
    """2 has bet the most, is annulled and leaves at once; what nobody matches of it stays, for there is no stack."""
    table = dealt(s1=5_000, s2=5_000, s3=5_000, s4=5_000)
    table.plays("3 fold", "4 call", "1 call", "2 raise 2000")
    assert table.report("PE-71b", seat=2, count=1) is None
    assert table.leave(2) is None
    table.plays("4 fold")
    assert not table.of(UncalledBetReturned, True)
    assert table.stacks == {1: 7_200, 3: 5_000, 4: 4_800}


def test_the_last_with_chips_left_takes_what_was_annulled() -> None:
    """Both blinds are annulled, and 4 has not been asked: their bets stay, save what nobody matched. One is left, so a
    supervisor says it."""
    table = dealt(s1=2_000, s2=5_000, s3=1_000, s4=5_000)
    table.plays("3 fold")
    assert table.report("PE-71g", seats=[2, 1]) is None
    assert table.rule_on("against") is None
    assert table.stacks == {1: 1_900, 2: 4_900, 3: 1_000, 4: 5_200}


def test_a_hand_is_annulled_once() -> None:
    """Twice would leave fewer in the hand than there are, and the table would look for the next for ever."""
    table = dealt(s1=5_000, s2=5_000, s3=5_000, s4=5_000, s5=5_000)
    assert table.report("PE-71b", seat=4, count=1) is None
    for again in (("PE-71b", {"seat": 4, "count": 1}), ("PE-71g", {"seats": [4, 5]}), ("PE-71g", {"seats": [5, 5]})):
        code, fields = again
        assert table.report(code, **fields) == Reason.NO_ERROR
    assert table.hand.left == 4


@pytest.mark.parametrize("seed", range(150))
def test_any_evening_of_errors_ends(seed: int) -> None:
    """Bets, folds, leavers, seats gone past and every report that takes a hand, at random: nothing fails or hangs."""
    luck = Random(seed)
    seats = range(1, luck.randint(4, 6) + 1)
    table = dealt(**{f"s{seat}": luck.choice(MONEY) for seat in seats})
    for _ in range(60):
        hand = table.state.hand
        if hand is None:
            return
        if table.live.pending is not None:
            table.rule_on(luck.choice(table.live.pending.choices))
        elif table.live.stage == "board":
            table.turn_up() if table.live.burnt or table.live.no_burn else table.burn()
        elif table.live.stage == "paying":
            table.deliver()
        else:
            _something(table, luck, seats)


def _something(table: LiveTable, luck: Random, seats: range) -> None:
    hand = table.hand
    assert hand.turn is not None
    turn, some, act = hand.turn.seat, luck.choice(seats), luck.random()
    if act < 0.35:
        to = hand.bet + luck.choice((200, 400, 2_000, 20_000))
        table.act(turn, *luck.choice((("call", None), ("check", None), ("raise", to), ("bet", to))))
    elif act < 0.45:
        table.act(turn, "fold")
    elif act < 0.6:
        table.send(DEALER, c.PassTurn(hand=table.state.hands, seat=turn))
    elif act < 0.65:
        table.leave(some)
    else:
        code, fields = luck.choice(
            (
                ("PE-71b", {"seat": some, "count": 1}),
                ("PE-71g", {"seats": luck.sample(seats, 2)}),
                ("DE-70b", {"seat": turn}),
                ("PE-71i", {"seat": some}),
                ("PE-71f", {"seat": some, "act": luck.choice(("fold", "check", "call")), "to": None}),
                ("PE-71c", {"seat": turn, "placed": 100}),
                ("PE-71d", {"seat": turn, "placed": luck.choice((500, 2_000))}),
                ("PE-71h", {"seat": some, "error": "DE-69b"}),
            )
        )
        table.report(code, **fields)
