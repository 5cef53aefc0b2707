"""What players may not do, and what is done about it: pt-217-2007 9.d, 14, 58, 71.a; pt-811-2015 11.a, 11.d, 11.g."""

import pytest

from libs.contracts import conduct_commands as conduct
from libs.contracts import live_commands as live
from libs.contracts import poker_commands as poker
from libs.contracts.conduct_commands import ConductReason as Reason
from libs.contracts.conduct_events import (
    ConductWarned,
    DealerTipped,
    MessageBlocked,
    MessageSent,
    MessageWithheld,
    PlayerMuted,
)
from libs.contracts.live_commands import LiveReason as AtLive
from libs.contracts.messages import Principal
from libs.contracts.poker_commands import PokerReason as AtPoker
from libs.contracts.poker_events import DisputeOpened, DisputeResolved, PlayerFolded
from libs.contracts.table_commands import TableReason as AtTable
from libs.contracts.table_events import LeaveRequested, PlayerLeft
from services.table.machine import refusal_in
from tests.table.asking import FLOOR, favour, player, warn, write
from tests.table.casino.play import casino, h6, rule
from tests.table.live.play import SUPERVISOR, live_h6
from tests.table.play import MACAU, PORTUGAL, TableUnderTest


def portugal(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("pt-811-2015", *refs)


@rule("14.j")
@portugal("11.d")
@pytest.mark.parametrize("online", [False, True])
def test_a_message_in_a_hand_is_withheld_until_it_is_over(online: bool) -> None:
    table = TableUnderTest(PORTUGAL, chat="hold").seat(1, 2, 3, 4, 5, 6).deal(button=1) if online else h6()
    assert write(table, "p6", names_cards=True) is None
    (withheld,) = table.of(MessageWithheld)
    assert (withheld.player, withheld.round, withheld.names_cards) == ("p6", table.state.hands, True)
    sent = []
    while table.state.hand is not None:
        assert not table.of(MessageSent)
        assert table.act(table.turn or 0, "fold") is None
        sent = table.of(MessageSent)
    assert [event.message for event in sent] == ["m1"]
    assert write(table, "p6", "m2") is None
    assert table.of(MessageSent), "between hands it goes out at once"


@rule("14.j")
@portugal("11.d")
def test_where_chat_is_blocked_the_sender_reads_a_no_and_it_is_on_record() -> None:
    table = h6(chat="block")
    assert write(table, "p6") is None
    (blocked,) = table.of(MessageBlocked)
    assert (blocked.player, blocked.reason) == ("p6", "round_running")
    assert refusal_in(table.last) == "chat_closed"
    table.folds_round()
    assert not table.of(MessageSent, True), "never delivered"
    off = h6(chat="off")
    assert write(off, "p6") == Reason.CHAT_CLOSED


def test_a_message_counts_once_and_only_from_the_table() -> None:
    table = casino(1, 2, 3, 4)
    assert write(table, "nobody") == "not_seated"
    assert write(table, "p1") is None
    assert write(table, "p1") == Reason.MESSAGE_USED


@rule("58")
@portugal("11.g")
@pytest.mark.parametrize("rulebook", ["casino", "online"])
def test_the_third_warning_ends_the_game_for_the_player_after_the_hand(rulebook: str) -> None:
    table = h6() if rulebook == "casino" else TableUnderTest(PORTUGAL, warning_limit=3).seat(1, 2, 3, 4).deal(button=1)
    assert warn(table, "p2", "14.j") is None
    assert warn(table, "p2", "54") is None
    assert not table.of(LeaveRequested)
    assert warn(table, "p2", "55") is None
    warnings = table.of(ConductWarned, True)
    assert [(event.rule, event.count, event.by) for event in warnings] == [
        ("14.j", 1, "floor-1"),
        ("54", 2, "floor-1"),
        ("55", 3, "floor-1"),
    ]
    (asked,) = table.of(LeaveRequested)
    assert (asked.reason, asked.cause, asked.by) == ("removed", "conduct", "floor-1")
    assert 2 in table.state.seats, "removal never voids the hand"
    table.folds_round()
    (left,) = [event for event in table.of(PlayerLeft, True) if event.player == "p2"]
    assert (left.reason, left.stack > 0) == ("removed", True)


@rule("58")
def test_a_grave_breach_needs_no_warnings() -> None:
    table = casino(1, 2, 3, 4, 5)
    assert warn(table, "p3", "14", grave=True) is None
    assert [(event.player, event.stack) for event in table.of(PlayerLeft)] == [("p3", 20_000)]


@portugal("11.g")
def test_a_ban_from_the_chat_takes_effect_at_once_and_says_who_and_why() -> None:
    table = TableUnderTest(PORTUGAL, chat="hold").seat(1, 2, 3)
    assert table.send(FLOOR, conduct.MutePlayer(player="p2", cause="insults")) is None
    (muted,) = table.of(PlayerMuted)
    assert (muted.player, muted.by, muted.cause, muted.at) == ("p2", "floor-1", "insults", table.now)
    assert write(table, "p2") is None
    assert [event.reason for event in table.of(MessageBlocked)] == ["muted"]


@rule("71.a")
def test_a_decision_not_taken_in_time_is_taken_by_the_house_and_warned_about() -> None:
    table = h6().plays("3 raise 400")
    table.time_out()
    names = table.names
    assert "ConductWarned" in names
    folded = table.of(PlayerFolded)
    assert [(event.seat, event.actor, event.reason) for event in folded] == [(4, "house", "timeout")]
    (warned,) = table.of(ConductWarned)
    assert (warned.player, warned.rule, warned.count, warned.by) == ("p4", "71.a", 1, "house")


@rule("71.a")
def test_the_third_time_ends_the_game_for_the_slow() -> None:
    table = casino(1, 2, 3, 4, 5, 6)
    removed: list[str] = []
    for _ in range(40):
        table.now += 3_000
        table.wake()
        while table.state.hand is not None:
            if table.turn == 4:
                table.time_out()
            else:
                assert table.act(table.turn or 0, "check" if table.legal[0] else "call") is None
        removed = [event.cause for event in table.of(LeaveRequested, True)]
        if removed:
            break
    assert removed == ["slow_play"]
    assert [event.count for event in table.of(ConductWarned, True)] == [1, 2, 3]
    assert 4 not in table.state.seats


@rule("71.a")
def test_where_the_timer_takes_no_action_the_hand_waits() -> None:
    table = live_h6()
    for _ in range(4):
        table.now += 90_000
        table.wake()
    assert len(table.of(ConductWarned, True)) == 1
    assert table.turn == 3
    table.plays("3 call")


@rule("14.c", "14.f", "14.g", "14.k")
@pytest.mark.parametrize(
    ("what", "reason", "ref"),
    [
        ("split_pot", Reason.CHOP_NOT_ALLOWED, "14.c"),
        ("move_chips", Reason.TRANSFER_NOT_ALLOWED, "14.f"),
        ("take_chips_off", Reason.WITHDRAW_WHILE_SEATED, "14.g"),
        ("swap_seats", Reason.SEAT_SWAP_NOT_ALLOWED, "14.k"),
    ],
)
def test_what_no_table_grants_is_refused_with_its_rule(what: str, reason: Reason, ref: str) -> None:
    table = h6()
    before = table.state
    assert favour(table, "p1", what) == reason
    assert table.refused is not None
    assert table.refused.rule == f"pt-217-2007#{ref}"
    assert table.state is before


@rule("14.g")
def test_leaving_pays_everything_out() -> None:
    table = casino(1, 2, 3, 4, 5)
    assert table.leave(5) is None
    assert [event.stack for event in table.of(PlayerLeft)] == [20_000]


@pytest.mark.rule("mo-97-2010", "4.2")
@portugal("11.a")
@pytest.mark.parametrize("rulebook", [MACAU, PORTUGAL])
def test_chips_stay_on_the_table_while_their_player_does(rulebook: str) -> None:
    table = TableUnderTest(rulebook).seat(1, 2)
    for what, ref in (("take_chips_off", "4.2"), ("move_chips", "4.2")):
        favour(table, "p1", what)
        assert table.refused is not None
        assert (table.refused.rule or "").endswith(ref if rulebook == MACAU else "11.a")
    assert table.stacks[1] == table.state.rules.entry.buy_in_min


@rule("14.l", "10")
def test_nobody_bets_for_somebody_else() -> None:
    table = h6()
    assert table.act(3, "call", by=player("p8")) == AtPoker.NOT_YOUR_SEAT
    assert table.refused is not None
    assert table.refused.rule == "pt-217-2007#14.l"
    assert table.turn == 3


@rule("9.d")
def test_a_tip_leaves_the_stack_and_is_neither_pot_nor_rake() -> None:
    table = h6()
    tip = conduct.TipDealer(amount=500)
    assert table.send(player("p3"), tip) == Reason.HAND_RUNNING, "chips in a hand can't be tipped"
    table.folds_round()
    raked = table.state.books.raked
    assert table.send(player("p3"), tip) is None
    (tipped,) = table.of(DealerTipped)
    assert (tipped.amount, tipped.stack) == (500, table.stacks[3])
    assert (table.state.books.tipped, table.state.books.raked) == (500, raked)
    assert table.send(player("p3"), conduct.TipDealer(amount=10**6)) == Reason.ABOVE_STACK


@rule("8.c")
def test_a_dispute_holds_the_pot_until_the_house_has_decided() -> None:
    pack = "2c 3c 4c 5c 6c 7c 2d 3d 4d 5d 6d 7d 9h Th Qh Kh 8s Ah 9s Jh Tc"
    table = live_h6(pack=pack).plays("3 call", "4 fold", "5 fold", "6 fold", "1 call", "2 check")
    for cards in (3, 1, 1):
        table.burn().turn_up(cards).plays("1 check", "2 check", "3 check")
    number = table.state.hands
    opened = poker.OpenDispute(hand=number, text="I hold the better hand")
    assert table.send(player("p2"), opened) is None
    (dispute,) = table.of(DisputeOpened)
    assert (dispute.hand, dispute.player) == (number, "p2")
    assert table.deliver() == AtLive.DISPUTE_OPEN
    resolve = {"hand": number, "dispute": dispute.dispute, "decision": "the cards decide", "reason": "seen by all"}
    assert table.send(Principal("staff", "dealer-1"), poker.ResolveDispute(**resolve)) is not None
    assert table.send(SUPERVISOR, poker.ResolveDispute(**resolve)) is None
    (resolved,) = table.of(DisputeResolved)
    assert (resolved.decided_by, resolved.decision, resolved.reason) == ("floor-1", "the cards decide", "seen by all")
    assert table.deliver() is None


@rule("9.a")
def test_at_a_virtual_table_nobody_deals_but_the_generator() -> None:
    table = h6()
    staff = Principal("staff", "dealer-1")
    for command in (
        live.ShuffleDeck(deck="R", times=3),
        live.DealHand(deck="R"),
        live.ScanCard(hand=2, card="9h", to="hole", seat=1),
    ):
        assert table.send(staff, command) == AtTable.NOT_IN_THIS_MODE
