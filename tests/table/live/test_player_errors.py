"""Errors of players at a live table, each with its figures: pt-217-2007 53, 55, 71.b to 71.i, 91."""

from typing import Any

from libs.contracts import live_commands as c
from libs.contracts.live_commands import LiveReason as Reason
from libs.contracts.live_events import SupervisorDecided
from libs.contracts.messages import Principal
from libs.contracts.poker_commands import CancelAct
from libs.contracts.poker_commands import PokerReason as AtPoker
from libs.contracts.poker_events import (
    BetPlaced,
    BlindPosted,
    HandVoided,
    PlayerFolded,
    PotAwarded,
    UncalledBetReturned,
)
from tests.table.casino.play import rule
from tests.table.live.play import DEALER, SUPERVISOR, LiveTable, live_h6

PACK = "2c 3c 4c 5c 6c 7c 2d 3d 4d 5d 6d 7d 9h Th Qh Kh 8s Ah 9s Jh Tc"


def on_the_flop(*stay: int) -> LiveTable:
    """Six seats, lead 1; `stay` are in for 200 and the flop lies on the table."""
    table = LiveTable(1, 2, 3, 4, 5, 6).stack_pack(PACK).begin(1).deal_holes()
    while table.hand.street == "preflop" and table.live.stage == "betting":
        seat = table.turn
        assert seat is not None
        act = ("check" if table.legal[0] else "call") if seat in stay else "fold"
        assert table.act(seat, act) is None, table.refused
    return table.burn().turn_up(3)


@rule("53")
def test_the_announcement_counts_and_change_is_made() -> None:
    table = on_the_flop(1, 4).plays("1 check")
    assert table.report("BET-53", seat=4, act="bet", to=2000, placed=2500) is None
    (bet,) = table.of(BetPlaced)
    assert (bet.act, bet.to, bet.stack) == ("bet", 2000, 20_000 - 200 - 2000)
    assert (table.incident.code, table.incident.returned) == ("BET-53", 500)


@rule("53")
def test_too_few_chips_for_what_was_announced_are_made_up() -> None:
    table = on_the_flop(1, 4).plays("1 check")
    assert table.report("BET-53", seat=4, act="bet", to=2000, placed=1500) is None
    assert (table.hand.players[4].in_round, table.incident.returned) == (2000, 0)
    poor = on_the_flop(1, 4).plays("1 check")
    stack = poor.stacks[4]
    assert poor.report("BET-53", seat=4, act="bet", to=stack + 5000, placed=stack) is None
    assert (poor.hand.players[4].in_round, poor.hand.players[4].all_in) == (stack, True)


@rule("53")
def test_an_act_once_taken_is_final() -> None:
    table = live_h6().plays("3 raise 600")
    cancel = CancelAct(hand=table.state.hands, seat=3)
    assert table.send(Principal("player", "p3"), cancel) == AtPoker.ACTION_FINAL
    assert table.refused is not None
    assert table.refused.rule == "pt-217-2007#53"


@rule("55")
def test_chips_added_after_a_look_around_go_back() -> None:
    table = on_the_flop(1, 3).plays("1 check", "3 bet 200")
    stacks = table.stacks
    assert table.report("PE-55", seat=3, placed=400) is None
    assert (table.incident.returned, table.incident.outcome) == (400, "bet_stays")
    assert (table.stacks, table.hand.bet, table.turn) == (stacks, 200, 1)


@rule("55")
def test_a_new_decision_at_ones_own_turn_is_not_the_same_bet() -> None:
    live_h6().plays("3 raise 600", "4 raise 1200", "5 fold", "6 fold", "1 fold", "2 fold", "3 raise 2400")


def river_called() -> LiveTable:
    """P3 has bet the river and P6 has called."""
    table = on_the_flop(3, 6).plays("3 check", "6 check").burn().turn_up().plays("3 check", "6 check")
    assert isinstance(table, LiveTable)
    table.burn().turn_up().plays("3 bet 1000")
    return table


@rule("71.b")
def test_mucked_cards_that_the_scans_know_are_live_again() -> None:
    table = river_called()
    assert table.report("PE-71b", seat=3) is None
    assert (table.incident.outcome, table.incident.decided_by) == ("reconstructed", "dealer-1")
    table.plays("6 call")
    assert table.name == "PAYING"


@rule("71.b")
def test_mucked_cards_that_cannot_be_reconstructed_are_dead() -> None:
    table = river_called()
    assert table.report("PE-71b", seat=3, count=1) is None
    (folded,) = table.of(PlayerFolded)
    assert (folded.seat, folded.reason) == (3, "annulled")
    (award,) = table.of(PotAwarded)
    assert award.winners == [6]
    assert table.stacks[3] == 20_000 - 200 - 1000 + sum(e.amount for e in table.of(UncalledBetReturned))


@rule("71.c")
def test_too_few_chips_for_a_call_may_be_completed_and_never_taken_back() -> None:
    table = live_h6().plays("3 call", "4 call", "5 raise 800")
    assert table.report("PE-71c", seat=6, placed=700) is None
    assert (table.stacks[6], table.turn, table.hand.pot) == (19_300, 6, 300 + 200 + 200 + 800 + 700)
    assert table.act(6, "raise", 1600) == Reason.BET_BINDING
    take_back = CancelAct(hand=table.state.hands, seat=6)
    assert table.send(DEALER, take_back) == Reason.BET_BINDING
    assert table.legal[1] == 100
    table.plays("6 call")
    assert (table.stacks[6], table.hand.players[6].in_round) == (19_200, 800)


@rule("71.c")
def test_who_does_not_complete_loses_what_lies_there() -> None:
    table = live_h6().plays("3 call", "4 call", "5 raise 800")
    assert table.report("PE-71c", seat=6, placed=700) is None
    table.plays("6 fold")
    assert (table.stacks[6], table.turn) == (19_300, 1)


@rule("71.c")
def test_all_that_one_has_is_no_error() -> None:
    table = LiveTable(buy_in_min=700, buy_in_max=20_000).seat(1, 2, 3, 4, 5, amount=20_000).seat(s6=700)
    assert isinstance(table, LiveTable)
    table.stack_pack(PACK).begin(1).deal_holes().plays("3 call", "4 call", "5 raise 800")
    assert table.report("PE-71c", seat=6, placed=700) == Reason.NO_ERROR
    table.plays("6 call")
    assert table.hand.players[6].all_in


@rule("71.d")
def test_a_raise_without_a_word_is_a_call() -> None:
    table = live_h6().plays("3 raise 800", "4 fold", "5 fold", "6 fold", "1 fold")
    raises = table.hand.raises
    assert table.report("PE-71d", seat=2, placed=1600) is None
    assert (table.incident.amount, table.incident.returned, table.incident.outcome) == (600, 1000, "call")
    assert table.act(2, "raise", 1800) == Reason.OUT_OF_TURN_LOCKED
    table.plays("2 call")
    assert (table.stacks[2], table.hand.raises) == (19_200, raises)


@rule("71.e")
def test_shown_cards_change_nothing_but_the_record() -> None:
    table = on_the_flop(1, 4)
    shown = table.hole(4)
    state = table.state
    assert table.report("PE-71e", seat=4, cards=shown) is None
    assert [card.card for card in table.incident.exposed] == shown
    assert all(card.salt and card.proof for card in table.incident.exposed), "tied to the root like any shown card"
    assert (table.turn, table.stacks) == (1, {s: x.stack for s, x in state.seats.items()})
    assert table.send(SUPERVISOR, _warn()) is None, "a conduct warning is possible"
    table.plays("1 check", "4 bet 400")


def _warn() -> Any:
    from libs.contracts.conduct_commands import WarnPlayer

    return WarnPlayer(player="p4", rule="71.e", cause="showed cards")


@rule("71.f")
def test_a_raise_out_of_turn_waits_and_takes_effect() -> None:
    table = live_h6().plays("3 call")
    assert table.report("PE-71f", seat=5, act="raise", to=800) is None
    held = table.live.held[5]
    assert (held.act, held.to, held.chips) == ("raise", 800, 800)
    assert (table.turn, table.legal[1]) == (4, 200)
    table.plays("4 call")
    assert table.act(5, "raise", 1200) == Reason.OUT_OF_TURN_LOCKED
    assert table.act(5, "call") == Reason.OUT_OF_TURN_LOCKED
    table.plays("5 raise 800")
    assert (table.hand.raises, table.stacks[5], table.hand.bet) == (1, 19_200, 800)


@rule("71.f")
def test_a_higher_raise_before_the_turn_leaves_a_call_or_a_fold() -> None:
    table = live_h6().plays("3 call")
    assert table.report("PE-71f", seat=5, act="raise", to=800) is None
    table.plays("4 raise 2000")
    assert (table.turn, table.legal[1], table.stacks[5]) == (5, 1200, 19_200)
    assert table.act(5, "raise", 4000) == Reason.BET_BINDING
    table.plays("5 fold")
    assert table.stacks[5] == 19_200


@rule("71.f", "70.h")
def test_who_may_only_call_binds_himself_to_a_call() -> None:
    table = live_h6(pack=PACK).plays("3 call", "4 raise 800").burn()
    assert table.report("DE-70d", cards=["Th", "Qh", "Kh"]) is None
    assert table.report("PE-71f", seat=6, act="raise", to=2400) is None
    assert (table.live.held[6].act, table.incident.amount, table.incident.returned) == ("call", 800, 1600)
    table.plays("5 fold", "6 call")
    assert table.stacks[6] == 19_200


@rule("71.f")
def test_a_fold_out_of_turn_binds_and_a_check_only_while_nobody_bets() -> None:
    table = on_the_flop(1, 2, 3)
    assert table.report("PE-71f", seat=2, act="fold") is None
    assert table.report("PE-71f", seat=3, act="check") is None
    table.plays("1 bet 400")
    assert table.hand.players[2].folded
    assert (table.turn, table.legal[1]) == (3, 400), "the check does not hold against a bet"
    table.plays("3 call")


def three_rounds(short: int) -> LiveTable:
    """Third round: P1, P3 and P4 have put in 3200, P5 is all-in with 1200."""
    table = LiveTable(buy_in_min=short, buy_in_max=20_000).seat(1, 2, 3, 4, 6, amount=20_000).seat(s5=short)
    assert isinstance(table, LiveTable)
    table.stack_pack(PACK).begin(1).deal_holes()
    table.plays("3 raise 1200", "4 call", "5 call", "6 fold", "1 call", "2 fold").burn().turn_up(3)
    table.plays("1 bet 2000", "3 call", "4 call").burn().turn_up()
    return table


@rule("71.g")
def test_mixed_cards_annul_both_hands_and_their_bets_stay() -> None:
    table = three_rounds(1200)
    assert table.report("PE-71g", seats=[1, 4]) is None
    assert [event.seat for event in table.of(PlayerFolded)] == [1, 4]
    table.burn().turn_up()
    assert table.deliver() is None
    main, side = table.of(PotAwarded)
    assert (main.amount, main.eligible) == (1200 * 4 + 200, [3, 5])
    assert (side.amount, side.eligible, side.winners) == (2000 * 3, [3], [3])


@rule("71.g")
def test_a_pot_without_a_live_hand_waits_for_a_supervisor_and_goes_back() -> None:
    table = on_the_flop(1, 4).plays("1 bet 1000", "4 call")
    assert isinstance(table, LiveTable)
    assert table.report("PE-71g", seats=[1, 4]) is None
    assert table.name == "SUPERVISOR_DECISION"
    assert table.act(1, "check") == Reason.SUPERVISOR_DECISION
    assert table.rule_on("return_contributions", by=DEALER) == Reason.NOT_A_SUPERVISOR
    assert table.rule_on("split") == Reason.NO_SUCH_DECISION
    assert table.rule_on("return_contributions") is None
    (decided,) = table.of(SupervisorDecided)
    assert (decided.by, decided.reason, decided.state_after) == ("floor-1", "seen", "VOID")
    assert len(table.of(HandVoided)) == 1
    assert set(table.stacks.values()) == {20_000}


@rule("71.h")
def test_a_dealing_error_reported_in_time_voids_and_later_costs_the_hand() -> None:
    table = live_h6()
    assert table.report("PE-71h", seat=6, error="DE-69a") is None
    assert [event.cause for event in table.of(HandVoided)] == ["DE-69a"]
    late = live_h6().plays("3 raise 1200", "4 fold", "5 fold", "6 call")
    assert isinstance(late, LiveTable)
    assert late.report("PE-71h", seat=6, error="DE-69a") is None
    (folded,) = late.of(PlayerFolded)
    assert (folded.seat, folded.reason, late.incident.outcome) == (6, "barred", "barred")
    assert (late.stacks[6], late.turn) == (18_800, 1)
    faulty = live_h6().plays("3 call")
    assert isinstance(faulty, LiveTable)
    assert faulty.report("PE-71h", seat=6, error="DE-69d") is None
    assert faulty.state.hand is None, "a fault of the deck harms everybody"


def skipped() -> LiveTable:
    """Round 2: P4 has bet 1000, the dealer went past P5, P6 has called."""
    table = on_the_flop(2, 4, 5, 6).plays("2 check", "4 bet 1000")
    assert isinstance(table, LiveTable)
    assert table.send(DEALER, c.PassTurn(hand=table.state.hands, seat=5)) is None
    table.plays("6 call")
    return table


@rule("71.i", "8.c")
def test_who_was_passed_over_may_call_when_the_supervisor_says_so() -> None:
    table = skipped()
    assert table.report("PE-71i", seat=6) == Reason.NO_ERROR
    assert table.report("PE-71i", seat=5) is None
    assert (table.name, table.turn) == ("SUPERVISOR_DECISION", None)
    assert table.rule_on("in_favour") is None
    assert table.turn == 5
    assert table.act(5, "raise", 3000) == Reason.SKIPPED_PLAYER_CALL_ONLY
    table.plays("5 call")
    assert (table.turn, table.hand.players[6].in_round) == (2, 1000)


@rule("71.i")
def test_a_late_protest_may_cost_the_hand() -> None:
    table = skipped().plays("2 call")
    assert isinstance(table, LiveTable)
    assert table.report("PE-71i", seat=5) is None
    assert table.rule_on("against") is None
    (folded,) = table.of(PlayerFolded)
    assert (folded.seat, folded.reason, table.stacks[5]) == (5, "annulled", 19_800)


@rule("91")
def test_a_first_bet_forgotten_is_made_before_playing() -> None:
    table = LiveTable(1, 2, 3, 4, 5).stack_pack(PACK).begin(3, unposted=[4]).deal_holes()
    assert (table.hand.pot, table.hand.bet, table.turn) == (100, 200, 5)
    table.plays("5 call", "1 fold", "2 fold", "3 call")
    assert table.act(4, "check") == Reason.BLIND_NOT_POSTED
    assert table.send(DEALER, c.RecordPost(hand=table.state.hands, seat=4)) is None
    (posted,) = table.of(BlindPosted)
    assert (posted.blind, posted.amount, table.hand.pot) == ("big", 200, 600)
    table.plays("4 check")


@rule("91")
def test_who_will_not_make_it_loses_the_cards_and_the_bet_to_match_is_the_same() -> None:
    table = LiveTable(1, 2, 3, 4, 5).stack_pack(PACK).begin(3, unposted=[4]).deal_holes()
    assert table.report("PE-91", seat=4) is None
    (folded,) = table.of(PlayerFolded)
    assert (folded.seat, folded.reason, table.stacks[4]) == (4, "withdrawn", 20_000)
    assert (table.turn, table.legal[1]) == (5, 200)


@rule("91")
def test_when_nobody_knows_who_it_was_the_pot_is_smaller() -> None:
    table = LiveTable(1, 2, 3, 4, 5).stack_pack(PACK).begin(3, unposted=[4]).deal_holes()
    assert table.report("PE-91") is None
    assert table.name == "SUPERVISOR_DECISION"
    assert table.rule_on("reduced_pot") is None
    (decided,) = table.of(SupervisorDecided)
    assert (decided.shortage, decided.waived) == (200, [4])
    assert (table.hand.pot, table.hand.bet, table.stacks[4]) == (100, 200, 20_000)
    table.plays("5 call", "1 fold", "2 fold", "3 fold", "4 check")
    assert (table.hand.pot, table.live.stage) == (300, "board")


@rule("91")
def test_the_reduced_pot_gives_nobody_back_what_was_never_put_in() -> None:
    table = LiveTable(1, 2, 3, 4, 5).stack_pack(PACK).begin(3, unposted=[4]).deal_holes()
    assert table.report("PE-91") is None
    assert table.rule_on("reduced_pot") is None
    table.plays("5 fold", "1 fold", "2 fold", "3 fold")
    assert not table.of(UncalledBetReturned)
    assert table.stacks[4] == 20_100


@rule("71.f", "9.e")
def test_the_dealer_enters_acts_and_nobody_else_of_the_staff() -> None:
    from libs.contracts.poker_commands import Act

    table = live_h6()
    wish = {"hand": table.state.hands, "seat": 3, "act": "call"}
    assert table.send(SUPERVISOR, Act(**wish)) == AtPoker.NOT_YOUR_SEAT
    assert table.send(DEALER, Act(**wish)) is None
    assert table.act(6, "call") == AtPoker.NOT_YOUR_TURN
