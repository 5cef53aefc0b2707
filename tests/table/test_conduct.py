"""What players may not do, and what is done about it: pt-217-2007 9.d, 14, 58, 71.a; pt-811-2015 11.a, 11.d, 11.g."""

from typing import Any

import pytest
from msgspec.structs import replace

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
from libs.contracts.poker_events import (
    DisputeOpened,
    DisputeResolved,
    HandEnded,
    PlayerChecked,
    PlayerFolded,
    PotAwarded,
    UncalledBetReturned,
)
from libs.contracts.table_commands import LeaveTable
from libs.contracts.table_commands import TableReason as AtTable
from libs.contracts.table_events import LeaveRequested, PlayerLeft
from services.table.machine import refusal_in
from services.wallet.projections.transfers import transfers_of
from tests.table.asking import FLOOR, favour, player, warn, write
from tests.table.casino.play import CASINO_HOLDEM, casino, h6, rule, to_flop
from tests.table.live.play import SUPERVISOR, LiveTable, live_h6
from tests.table.play import MACAU, PORTUGAL, TableUnderTest
from tests.table.test_every_game import TABLES
from tests.table.wishes import wishes
from tests.testkit.cases import Case


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


@rule("14.j/2")
@portugal("11.d")
def test_where_chat_is_blocked_the_sender_reads_a_no_and_it_is_on_record(case: Case) -> None:
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


@rule("58/1")
def test_the_third_warning_of_a_game_ends_it_with_the_whole_stack(case: Case) -> None:
    table = h6(warning_limit=case["limit"])
    broken = ["14.j", "54", "55"][: case.int("limit")]
    for ref in broken[:-1]:
        assert warn(table, "p2", ref) is None
        assert warn(table, "p3", ref) is None, "somebody else's count is another one"
        assert not table.of(LeaveRequested)
    assert warn(table, "p2", broken[-1]) is None
    (asked,) = table.of(LeaveRequested)
    assert (asked.reason, asked.cause, asked.by) == ("removed", "conduct", "floor-1")
    assert table.state.hand is not None, "removal never voids the hand"
    before = table.stacks[2]
    table.folds_round()
    (left,) = table.of(PlayerLeft, True)
    (ended,) = table.of(HandEnded, True)
    won = {result.seat: result.won for result in ended.results}[2]
    back = sum(event.amount for event in table.of(UncalledBetReturned, True) if event.seat == 2)
    assert (left.player, left.reason, left.stack) == ("p2", "removed", before + won + back)
    warned = [event for event in table.of(ConductWarned, True) if event.player == "p2"]
    told = [(event.player, event.rule, event.count) for event in warned]
    assert told == [("p2", ref, number) for number, ref in enumerate(broken, 1)]


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
def test_as_many_warnings_as_the_table_says() -> None:
    table = h6(warning_limit=2)
    assert warn(table, "p2", "54") is None
    assert not table.of(LeaveRequested)
    assert warn(table, "p2", "55") is None
    assert table.of(LeaveRequested)


@rule("58/2")
def test_a_grave_breach_needs_no_warnings(case: Case) -> None:
    table = casino(1, 2, 3, 4, 5)
    assert warn(table, "p3", "14", grave=True) is None
    assert [(event.player, event.stack) for event in table.of(PlayerLeft)] == [("p3", 20_000)]


@pytest.mark.parametrize("sealed", ["AAEC", "A" * 2_700])
def test_no_player_writes_so_much_that_the_hand_cannot_end(sealed: str) -> None:
    """What is withheld is told in the commit that ends the hand: when that was too large, nobody could end it."""
    table = TableUnderTest(PORTUGAL, chat="hold").seat(1, 2, 3, 4, 5, 6).deal(button=1)
    said, of_one = [], 0
    for seat in range(1, 7):
        said += [
            table.send(player(f"p{seat}"), conduct.SendMessage(message=f"m{seat}-{number}", sealed=sealed))
            for number in range(40)
        ]
        of_one = of_one or said.count(None)
    assert of_one == 10
    assert set(said) == {None, Reason.TOO_MANY_MESSAGES}
    assert sum(len(each.sealed) for each in table.state.chat.withheld) < 110_000
    taken = said.count(None)
    sent: list[MessageSent] = []
    while table.state.hand is not None:
        assert table.act(table.turn or 0, "fold") is None
        sent = table.of(MessageSent)
    assert len(sent) == taken
    assert write(table, "p1", "after") is None


def test_of_blocked_messages_ten_of_a_player_in_a_round_are_on_record() -> None:
    """Found by an attacker: each that named a card was an event, an incident and a line of log, ten a second."""
    table = TableUnderTest(PORTUGAL, chat="block").seat(1, 2, 3).deal(button=1)
    for name in ("p1", "p2"):
        said = [write(table, name, f"{name}-{number}", names_cards=True) for number in range(40)]
        assert said == [None] * 10 + [Reason.TOO_MANY_MESSAGES] * 30
    assert len(table.of(MessageBlocked, True)) == 20
    table.folds_round()
    table.deal(button=2)
    assert write(table, "p1", "next") is None
    assert table.of(MessageBlocked)


def test_a_muted_player_is_blocked_ten_times_until_the_next_round() -> None:
    table = TableUnderTest(PORTUGAL, chat="hold").seat(1, 2, 3)
    assert table.send(FLOOR, conduct.MutePlayer(player="p2", cause="insults")) is None
    said = [write(table, "p2", f"m{number}") for number in range(12)]
    assert said == [None] * 10 + [Reason.TOO_MANY_MESSAGES] * 2
    table.deal(button=1)
    assert write(table, "p2", "next") is None


def test_what_is_remembered_of_messages_has_a_bound() -> None:
    table = TableUnderTest(PORTUGAL, chat="block").seat(1)
    assert [write(table, "p1", f"m{number}") for number in range(2_500)] == [None] * 2_500
    assert 1_000 <= len(table.state.chat.used) <= 2_000
    assert write(table, "p1", "m2499") == Reason.MESSAGE_USED


@portugal("11.g")
def test_a_ban_from_the_chat_takes_effect_at_once_and_says_who_and_why() -> None:
    table = TableUnderTest(PORTUGAL, chat="hold").seat(1, 2, 3)
    assert table.send(FLOOR, conduct.MutePlayer(player="p2", cause="insults")) is None
    (muted,) = table.of(PlayerMuted)
    assert (muted.player, muted.by, muted.cause, muted.at) == ("p2", "floor-1", "insults", table.now)
    assert write(table, "p2") is None
    assert [event.reason for event in table.of(MessageBlocked)] == ["muted"]


@rule("71.a/1")
def test_a_decision_not_taken_in_time_is_taken_by_the_house_and_warned_about(case: Case) -> None:
    seat, began = case.int("seat"), "DecisionAwaited"
    table = h6(decision_ms=case.int("seconds") * 1000).plays(f"3 raise {case['faces']}")
    assert table.turn == seat
    asked = table.now
    assert table.names[-1] == began
    table.now = asked + case.int("seconds") * 1000
    table.wake()
    folded = table.of(PlayerFolded)
    assert [(event.seat, event.actor, event.reason) for event in folded] == [(seat, "house", "timeout")]
    (warned,) = table.of(ConductWarned)
    assert (warned.player, warned.rule, warned.count, warned.by) == (f"p{seat}", "71.a", case["warning"], "house")
    free = to_flop(h6(), 1, 2)
    free.time_out()
    assert [(event.seat, event.reason) for event in free.of(PlayerChecked)] == [(1, "timeout")], "nothing to call"


@rule("71.a")
@pytest.mark.parametrize(("after", "reason"), [(19_999, None), (20_000, AtPoker.TOO_LATE), (20_001, AtPoker.TOO_LATE)])
def test_an_act_counts_only_strictly_before_the_deadline(after: int, reason: str | None) -> None:
    table = h6().plays("3 raise 400")
    table.now += after
    assert table.act(4, "call") == reason
    assert table.refused is None or table.refused.rule == "pt-217-2007#71.a"
    assert (table.due is not None and table.due <= table.now) == (reason is not None), "and then the house acts"


@rule("71.a/2")
def test_the_third_time_ends_the_game_for_the_slow(case: Case) -> None:
    slow, limit = case.int("seat"), case.int("limit")
    table = casino(1, 2, 3, 4, 5, 6, slow_warning_limit=limit)
    removed: list[str] = []
    for _ in range(40):
        table.now += 3_000
        table.wake()
        while table.state.hand is not None:
            if table.turn == slow:
                table.time_out()
            else:
                assert table.act(table.turn or 0, "check" if table.legal[0] else "call") is None
            before = [event.count for event in table.of(ConductWarned, True)]
            assert bool(table.of(LeaveRequested, True)) == (len(before) > case.int("before")), "at the third, no sooner"
        removed = [event.cause for event in table.of(LeaveRequested, True)]
        if removed:
            break
    assert removed == ["slow_play"]
    assert [event.count for event in table.of(ConductWarned, True)] == list(range(1, limit + 1))
    (left,) = table.of(PlayerLeft, True)
    assert (left.seat, left.reason, slow in table.state.seats) == (slow, "removed", False)
    assert left.stack + sum(table.stacks.values()) + table.state.books.raked == 6 * 20_000, "with the whole stack"


@rule("71.a/3")
def test_where_the_timer_takes_no_action_the_hand_waits(case: Case) -> None:
    table = live_h6(timer_action="none").plays("3 call")
    assert table.turn == case["seat"]
    for _ in range(4):
        table.now += case.int("seconds") * 1000
        table.wake()
    assert len(table.of(ConductWarned, True)) == 1
    assert table.turn == case["seat"]
    table.plays(f"{case['seat']} call")
    assert len(table.of(ConductWarned, True)) == 1


@rule("71.a")
@pytest.mark.parametrize(("after", "warnings"), [(19_999, 0), (20_000, 1)])
def test_where_the_timer_takes_no_action_a_late_act_counts_and_so_does_its_warning(after: int, warnings: int) -> None:
    """However late the timer is: the warning is due by the act's own time."""
    table = live_h6()
    table.now += after
    table.plays("3 call")
    assert [(event.player, event.cause) for event in table.of(ConductWarned)] == [("p3", "slow_play")] * warnings


@rule("14.c/1")
def test_two_on_the_river_do_not_divide_the_pot(case: Case) -> None:
    table = h6().plays("3 fold", "4 fold", "5 fold", "6 fold", "1 call", "2 check")
    table.plays(f"1 bet {case.int('pot') // 2 - 200}", "2 call", "1 check", "2 check")
    assert (table.hand.street, table.hand.left, table.hand.pot) == ("river", case["left"], case["pot"])
    for name in ("p1", "p2"):
        assert favour(table, name, "split_pot") == Reason.CHOP_NOT_ALLOWED
        assert table.refused is not None
        assert table.refused.rule == "pt-217-2007#14.c"
    table.plays("1 check", "2 check")
    assert sum(award.amount for award in table.of(PotAwarded)) == case["pot"]


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


@rule("14.g/1")
def test_no_part_of_a_stack_is_taken_off_and_leaving_pays_everything_out(case: Case) -> None:
    stack, asked = case.int("stack"), case.int("asked")
    table = casino(1, 2, 3, 4, 5, buy_in=case["buy_in"])
    before = table.state
    more = replace(before.books, brought=before.books.brought + stack - table.stacks[4])
    table.state = replace(before, books=more, seats={**before.seats, 4: replace(before.seats[4], stack=stack)})
    assert favour(table, "p4", "take_chips_off") == Reason.WITHDRAW_WHILE_SEATED
    assert table.refused is not None
    assert table.refused.rule == "pt-217-2007#14.g"
    assert table.send(player("p4"), conduct.TipDealer(amount=asked)) == AtTable.NOT_IN_THIS_MODE
    assert table.stacks[4] == stack == case["buy_in"] + asked
    assert table.leave(4) is None
    assert [event.stack for event in table.of(PlayerLeft)] == [stack]


@rule("14.f/1")
def test_chips_go_from_stack_to_stack_by_pots_alone(case: Case) -> None:
    table = live_h6(rake_bp=0)
    assert favour(table, "p1", "move_chips") == Reason.TRANSFER_NOT_ALLOWED
    assert table.refused is not None
    assert table.refused.rule == "pt-217-2007#14.f"
    assert table.send(player("p1"), conduct.TipDealer(amount=case["amount"])) == Reason.HAND_RUNNING
    table.folds_round()
    assert table.send(player("p1"), conduct.TipDealer(amount=case["amount"])) is None
    moved = [each for event in table.told for each in transfers_of(event, "real")]
    both = [each for each in moved if each.debit.startswith("stack/") and each.credit.startswith("stack/")]
    assert both == [], "a tip goes to the house, chips of a hand to its pot"
    assert {each.kind for each in moved if each.debit.startswith("stack/")} == {"blind", "tip"}


@portugal("11.a/1")
def test_nothing_that_a_player_asks_takes_a_part_of_the_stack_off(case: Case) -> None:
    bounds = {"buy_in_min": case["buy_in"], "buy_in_max": case["stack"], "top_up_to": case["stack"]}
    stays_whole(TableUnderTest(PORTUGAL, **bounds), case["stack"], case["asked"], "pt-811-2015#11.a")


@pytest.mark.rule("mo-97-2010", "4.2/2")
def test_in_macau_neither(case: Case) -> None:
    bounds = {"buy_in_min": case["asked"], "buy_in_max": case["stack"], "top_up_to": case["stack"]}
    stays_whole(TableUnderTest(MACAU, **bounds), case["stack"], case["asked"], "mo-97-2010#4.2")


def stays_whole(table: TableUnderTest, stack: int, asked: int, rule: str) -> None:
    """Whatever the player asks for but to leave."""
    table.seat(1, amount=stack)
    assert table.send(player("p1"), conduct.TipDealer(amount=asked)) == AtTable.NOT_IN_THIS_MODE
    assert favour(table, "p1", "take_chips_off") == Reason.WITHDRAW_WHILE_SEATED
    assert table.refused is not None
    assert table.refused.rule == rule
    for by, command in list(wishes(table.state)):
        if by.id == "p1" and not isinstance(command, LeaveTable):
            table.send(by, command)
            assert table.stacks == {1: stack}, command
    assert table.of(PlayerLeft, everything=True) == [], "nothing went to the wallet"


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


@rule("14.l/1", "10")
def test_nobody_bets_for_somebody_else(case: Case) -> None:
    seat = case.int("seat")
    for table in (h6(), casino(1, 2, 3, 4, 5, 6, 8).deal()):
        while table.turn != seat:
            table.plays(f"{table.turn} fold")
        before = table.state
        assert table.act(seat, "call", by=player("p8")) == AtPoker.NOT_YOUR_SEAT
        assert table.refused is not None
        assert table.refused.rule == "pt-217-2007#14.l"
        assert (table.turn, table.state is before) == (seat, True)
        table.plays(f"{seat} call")


@rule("9.d/1")
def test_a_tip_leaves_the_stack_and_is_neither_pot_nor_rake(case: Case) -> None:
    table = live_h6()
    tip = conduct.TipDealer(amount=case["tip"])
    assert table.send(player("p3"), tip) == Reason.HAND_RUNNING, "chips in a hand can't be tipped"
    table.folds_round()
    winner = next(sitter for sitter in table.state.seats.values() if sitter.stack > 20_000)
    raked = table.state.books.raked
    assert table.send(player(winner.player), tip) is None
    (tipped,) = table.of(DealerTipped)
    assert (tipped.amount, tipped.stack) == (case["tip"], winner.stack - case["tip"])
    assert (table.state.books.tipped, table.state.books.raked) == (case["tip"], raked)
    (moved,) = transfers_of(tipped, "real")
    assert (moved.debit, moved.credit, moved.amount) == (f"stack/t1/{winner.player}", "tips/t1", case["tip"])
    assert table.send(player("p3"), conduct.TipDealer(amount=10**6)) == Reason.ABOVE_STACK


@portugal("11.a")
@pytest.mark.rule("mo-97-2010", "4.2")
@pytest.mark.parametrize("game", [PORTUGAL, MACAU, CASINO_HOLDEM, "no_draw_poker", "baccarat"])
def test_where_no_human_deals_nothing_leaves_a_stack_as_a_tip(game: str) -> None:
    table: Any = TABLES[game]() if game in TABLES else TableUnderTest(game).seat(1, 2, 3, 4)
    if game in TABLES:
        assert table.ask_seat(1, 10_000) is None
        assert table.confirm_seat(table.sitting) is None
    before = table.stacks
    refused = table.send(player("p1"), conduct.TipDealer(amount=100))
    assert refused == (AtTable.NOT_THIS_GAME if game in TABLES else AtTable.NOT_IN_THIS_MODE)
    assert (table.stacks, table.state.books.tipped) == (before, 0)


@rule("8.c/1")
def test_a_dispute_holds_the_pot_until_the_house_has_decided(case: Case) -> None:
    pack = "2c 3c 4c 5c 6c 7c 2d 3d 4d 5d 6d 7d 9h Th Qh Kh 8s Ah 9s Jh Tc"
    table = LiveTable(1, 2, 3, 4, 5, 6).stack_pack(pack)
    table.state = replace(table.state, hands=case.int("hand") - 1, running=True, button=6)
    table.begin(1).deal_holes().plays("3 call", "4 fold", "5 fold", "6 fold", "1 call", "2 check")
    assert table.hand.number == case["hand"]
    for cards in (3, 1, 1):
        table.burn().turn_up(cards).plays("1 check", "2 check", "3 check")
    number = table.state.hands
    opened = poker.OpenDispute(hand=number, text="I hold the better hand")
    assert table.send(player("p2"), opened) is None
    (dispute,) = table.of(DisputeOpened)
    assert (dispute.hand, dispute.player, table.name) == (case["hand"], "p2", "PAYING")
    assert table.send(player("p2"), opened) == AtPoker.ALREADY_DISPUTED, "or the pot would wait for ever"
    assert table.deliver() == AtLive.DISPUTE_OPEN
    resolve = {"hand": number, "dispute": dispute.dispute, "decision": "the cards decide", "reason": "seen by all"}
    assert table.send(Principal("staff", "dealer-1"), poker.ResolveDispute(**resolve)) is not None
    assert table.send(SUPERVISOR, poker.ResolveDispute(**resolve)) is None
    (resolved,) = table.of(DisputeResolved)
    assert (resolved.decided_by, resolved.decision, resolved.reason) == ("floor-1", "the cards decide", "seen by all")
    assert table.deliver() is None


@rule("9.a/1")
def test_at_a_virtual_table_nobody_deals_but_the_generator() -> None:
    table = h6()
    staff = Principal("staff", "dealer-1")
    for command in (
        live.ShuffleDeck(deck="R", times=3),
        live.DealHand(deck="R"),
        live.ScanCard(hand=2, card="9h", to="hole", seat=1),
    ):
        assert table.send(staff, command) == AtTable.NOT_IN_THIS_MODE
