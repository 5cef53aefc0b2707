"""Who dealt in a hand, or reported its incident, decides nothing about it; no pot goes against the cards for good."""

from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts.live_commands import AssignDealer, LiveReason, PassTurn, RecordIncident, RecordPost, ScanCard
from libs.contracts.live_events import PotReversed, WinnerAnnounced
from libs.contracts.messages import Principal
from libs.contracts.poker_commands import Act, OpenDispute, PokerReason, ResolveDispute
from libs.contracts.poker_events import HandVoided, PotAwarded
from libs.contracts.table_commands import LeaveTable
from libs.contracts.table_events import LeaveRequested, PlayerLeft
from services.table.domain.games.live_poker.stages import hole_order
from services.table.domain.games.poker.cards import dealing_order
from tests.table.live.play import DEALER, SUPERVISOR, LiveTable
from tests.table.live.test_dealer_errors import flush_against_straight
from tests.table.play import player_principal

ANOTHER = Principal("staff", "floor-2")


def rule(*refs: str) -> Any:
    return pytest.mark.rule("pt-217-2007", *refs)


def assign(table: LiveTable, dealer: str, by: Principal = SUPERVISOR) -> str | None:
    return table.send(by, AssignDealer(dealer=dealer))


def faulty_deck(table: LiveTable, by: Principal) -> str | None:
    return table.send(by, RecordIncident(hand=table.state.hands, code="DE-69e", count=53, cards=["2c"]))


@rule("8.c", "69.e")
def test_one_supervisor_alone_voids_no_hand() -> None:
    """Assigned himself, reported the deck, went back, and decided: every bet of an all-in came back to who had lost."""
    table = flush_against_straight()
    assert assign(table, "floor-1") == LiveReason.NOT_A_SUPERVISOR
    assert assign(table, " Floor-1") == LiveReason.NOT_A_SUPERVISOR
    assert assign(table, "floor-1", by=ANOTHER) is None
    assert faulty_deck(table, SUPERVISOR) is None
    assert assign(table, "dealer-1", by=ANOTHER) == LiveReason.SUPERVISOR_DECISION
    for who in (SUPERVISOR, DEALER):  # both have dealt in the hand
        assert table.rule_on("void", by=who) == LiveReason.NOT_A_SUPERVISOR
    assert not table.of(HandVoided, True)
    assert table.incident.recorded_by == "floor-1"
    assert table.rule_on("void", by=ANOTHER) is None
    assert table.of(HandVoided)


@rule("8.c")
def test_who_has_dealt_in_the_hand_does_not_decide_once_another_deals() -> None:
    table = flush_against_straight()
    assert assign(table, "dealer-2") is None
    assert faulty_deck(table, Principal("staff", "dealer-2")) is None
    assert table.rule_on("void", by=DEALER) == LiveReason.NOT_A_SUPERVISOR
    assert table.rule_on("go_on") is None


@rule("8.c")
def test_who_dealt_the_hand_does_not_resolve_its_dispute_later() -> None:
    table = flush_against_straight()
    number = table.state.hands
    assert table.deliver() is None
    assert assign(table, "dealer-2") is None
    assert table.send(Principal("player", "p4"), OpenDispute(hand=number, text="a straight")) is None
    resolve = ResolveDispute(hand=number, dispute=1, decision="stands", reason="the scans show it")
    assert table.send(DEALER, resolve) == LiveReason.NOT_A_SUPERVISOR
    assert table.send(SUPERVISOR, resolve) is None


@rule("70.a", "64")
def test_no_pot_is_pushed_past_a_winner_who_plays_from_elsewhere() -> None:
    table = flush_against_straight()
    assert table.state_presence(3, present=False) is None
    assert table.deliver(winner=4, pushed=True) == LiveReason.PLAYER_IS_REMOTE
    assert not table.of(PotAwarded, True)
    assert table.deliver(winner=4) is None  # announced by mistake: the cards decide
    assert table.stacks[3] == 20_400


@rule("70.a")
@pytest.mark.parametrize("asked", ["before", "after"])
def test_who_was_paid_by_mistake_stays_until_the_next_hand(asked: str) -> None:
    table = flush_against_straight()
    leaves = player_principal(table.state.seats[4].player), LeaveTable()
    if asked == "before":
        assert table.send(*leaves) is None
    assert table.deliver(winner=4, pushed=True) is None
    if asked == "after":
        assert table.send(*leaves) is None
        assert table.of(LeaveRequested)
    assert not table.of(PlayerLeft, True)
    (told,) = table.of(WinnerAnnounced, True)
    assert told.by == "dealer-1"
    assert table.report("DE-70a") is None
    assert table.of(PotReversed)
    (left,) = table.of(PlayerLeft)
    assert (left.seat, left.stack) == (4, 19_800)


def showdown() -> LiveTable:
    """Four at the table; P4 folds, the others are all-in before the flop, P1 with 8000. Aces, kings, queens."""
    table = LiveTable(1, 2, 3, 4)
    short = table.state.seats[1]
    books = replace(table.state.books, left=table.state.books.left + short.stack - 8_000)
    table.state = replace(table.state, seats=table.state.seats | {1: replace(short, stack=8_000)}, books=books)
    pack = "Ac Kc Qc 9c Ad Kd Qd 2d 3s 4h 5h 9h 3c Jc 3d Td"
    table.stack_pack(pack).begin(1).deal_holes()
    return table


def all_in(table: LiveTable) -> LiveTable:
    while table.turn is not None:
        seat = table.turn
        if seat == 4:
            table.plays("4 fold")
            continue
        _, call, _, most = table.legal
        table.plays(
            f"{seat} raise {most}" if most is not None else f"{seat} call" if call is not None else f"{seat} check"
        )
    while table.live.stage == "board":
        table.burn().turn_up(3 if not table.board else 1)
    return table


@rule("70.a")
def test_a_pushed_pot_goes_back_to_everybody_who_has_a_share() -> None:
    """Main and side pot have two winners: one of them got both."""
    table = all_in(showdown())
    before = dict(table.stacks)
    assert table.deliver(winner=4, pushed=True) == PokerReason.NOT_YOUR_SEAT, "who has folded gets no pot"
    assert table.deliver(winner=3, pushed=True) is None
    assert table.rule_on("stands") is None
    (told,) = table.of(WinnerAnnounced, True)
    due = {each.seat: each.amount for each in told.due}
    assert set(due) == {1, 2}
    assert table.stacks[3] == before[3] + sum(due.values())
    assert table.report("DE-70a") is None
    assert {each.to_seat: each.amount for each in table.of(PotReversed)} == due
    assert table.stacks == before | due
    assert due[2] >= 2 * 12_000 * 0.9
    assert due[1] < 3 * 8_000 + 400


@rule("71.h", "71.g")
def test_no_hand_is_taken_once_the_cards_are_on_the_table() -> None:
    table = all_in(showdown())
    assert table.report("PE-71h", seat=1, error="DE-69a") == LiveReason.NOT_AWAITED
    assert table.report("PE-71g", seats=[1, 2]) == LiveReason.NOT_AWAITED
    assert table.report("PE-71b", seat=1, count=1) is None
    assert table.rule_on("against", by=DEALER) == LiveReason.NOT_A_SUPERVISOR
    assert table.rule_on("go_on") is None
    assert table.deliver() is None
    assert table.stacks[1] > 20_000


@rule("70.a")
def test_nothing_is_taken_from_who_sits_on_that_seat_now() -> None:
    """Found by an attacker: the one who was paid had gone, and a newcomer's stack paid for it."""
    for seat in (3, 4):
        table = flush_against_straight()
        assert table.deliver(winner=4, pushed=True) is None
        another = replace(table.state.seats[seat], player="p9", reservation="r9")
        table.state = replace(table.state, seats={**table.state.seats, seat: another})
        before = table.stacks
        assert table.report("DE-70a") == LiveReason.HAND_CLOSED
        assert table.stacks == before


@rule("70.a", "8.c")
def test_a_large_pot_goes_against_the_cards_only_if_a_supervisor_says_so() -> None:
    """Found by an attacker: 40,300 pushed to a friend, the next hand dealt at once, and the friend left with it."""
    table = all_in(showdown())
    before = dict(table.stacks)
    assert table.deliver(winner=3, pushed=True) is None
    assert (table.name, table.stacks, table.of(WinnerAnnounced)) == ("SUPERVISOR_DECISION", before, [])
    told = table.incident
    assert (told.code, told.seats, told.choices) == ("DE-70a", [3, 1, 2], ["stands", "go_on"])
    assert table.deliver() == LiveReason.SUPERVISOR_DECISION
    assert table.rule_on("stands", by=DEALER) == LiveReason.NOT_A_SUPERVISOR
    assert table.rule_on("go_on") is None
    assert (table.name, table.stacks) == ("PAYING", before)
    assert table.deliver(winner=3) is None
    assert table.stacks[3] == before[3], "the cards decide"
    assert table.incident.outcome == "rectified"


@rule("70.a", "8.c", "64")
@pytest.mark.parametrize("since", ["dispute", "elsewhere"])
def test_what_came_up_while_a_supervisor_was_asked_holds_the_pot(since: str) -> None:
    table = all_in(showdown())
    before = dict(table.stacks)
    assert table.deliver(winner=3, pushed=True) is None
    if since == "dispute":
        assert table.send(Principal("player", "p2"), OpenDispute(hand=table.state.hands, text="kings")) is None
        assert table.rule_on("stands") == LiveReason.DISPUTE_OPEN
    else:
        assert table.state_presence(2, present=False) is None
        assert table.rule_on("stands") == LiveReason.PLAYER_IS_REMOTE
    assert table.stacks == before
    assert table.rule_on("go_on") is None
    assert (table.name, table.stacks) == ("PAYING", before)


@rule("70.a")
def test_who_pushed_is_the_dealer_and_chips_come_back_whoever_said_so() -> None:
    table = all_in(showdown())
    before = dict(table.stacks)
    assert table.deliver(winner=3, pushed=True) is None
    assert table.rule_on("stands") is None
    (told,) = table.of(WinnerAnnounced)
    assert (told.seat, told.pushed, told.by) == (3, True, "dealer-1")
    assert table.report("DE-70a") is None
    assert table.stacks[3] == before[3]


@rule("8.c", "9.a")
def test_nobody_chooses_who_may_judge_a_hand_by_naming_them_its_dealer() -> None:
    """Found by an attacker: one of the floor named every supervisor the dealer for a moment, and none could judge."""
    table = flush_against_straight()
    for who in ("floor-1", "floor-3", "dealer-1"):
        assert assign(table, who, by=ANOTHER) is None
    assert faulty_deck(table, DEALER) is None
    assert table.rule_on("go_on") is None
    assert table.state.desk.dealt[table.state.hands] == ("dealer-1",)


@rule("8.c", "9.a")
@pytest.mark.parametrize("does", ["scan", "post", "pass", "act"])
def test_who_did_something_as_the_dealer_has_dealt(does: str) -> None:
    table = LiveTable(1, 2, 3, 4).stack_pack("").begin(1, unposted=[1]).deal_holes(until=2)
    hand, second = table.state.hands, Principal("staff", "floor-1")
    if does != "scan":
        table.deal_holes()
    assert assign(table, "floor-1", by=ANOTHER) is None
    commands: dict[str, Any] = {
        "scan": ScanCard(hand=hand, card=table.next_card(), to="hole", seat=4),
        "post": RecordPost(hand=hand, seat=1),
        "pass": PassTurn(hand=hand, seat=3),
        "act": Act(hand=hand, seat=3, act="fold"),
    }
    if does == "scan":
        order = hole_order(table.state, dealing_order(table.hand, table.state.rules)[0], 2)
        commands["scan"] = replace(commands["scan"], seat=order[2])
    assert table.send(second, commands[does]) is None, table.refused
    assert assign(table, "dealer-1", by=ANOTHER) is None
    if does == "scan":
        table.deal_holes()
    assert table.state.desk.dealt[hand] == ("dealer-1", "floor-1")
    table.plays(f"{table.turn} call")
    assert faulty_deck(table, DEALER) is None
    assert table.rule_on("go_on") == LiveReason.NOT_A_SUPERVISOR
    assert table.rule_on("go_on", by=ANOTHER) is None


@rule("9.a")
def test_a_platform_names_no_dealer_of_a_running_hand() -> None:
    table = flush_against_straight()
    platform = Principal("operator", "acme~tables")
    assert assign(table, "dealer-2", by=platform) == LiveReason.PREVIOUS_HAND_OPEN
    assert table.deliver() is None
    assert assign(table, "dealer-2", by=platform) is None
