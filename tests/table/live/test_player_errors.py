"""Errors of players at a live table, each with its figures: pt-217-2007 53, 55, 71.b to 71.i, 91."""

from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts import live_commands as c
from libs.contracts.live_commands import LiveReason as Reason
from libs.contracts.live_events import SupervisorDecided
from libs.contracts.messages import Principal
from libs.contracts.poker_commands import CancelAct
from libs.contracts.poker_commands import PokerReason as AtPoker
from libs.contracts.poker_events import (
    BetPlaced,
    BlindPosted,
    CardsShown,
    HandVoided,
    PlayerFolded,
    PotAwarded,
    UncalledBetReturned,
)
from libs.contracts.table_commands import TableReason as AtTable
from libs.views.hand import pots
from libs.views.table import TableView, fold_table
from tests.table.casino.play import h6, pack_for, rule
from tests.table.live.play import DEALER, SUPERVISOR, LiveTable, live_h6
from tests.testkit.cases import Case

PACK = "2c 3c 4c 5c 6c 7c 2d 3d 4d 5d 6d 7d 9h Th Qh Kh 8s Ah 9s Jh Tc"


def on_the_flop(*stay: int, pack: str = PACK, **stacks: int) -> LiveTable:
    """Six seats, lead 1; `stay` are in for 200 and the flop lies on the table. `stacks`: s4=9200, the others 20000."""
    bounds: dict[str, Any] = {"buy_in_min": min([20_000, *stacks.values()]), "buy_in_max": 20_000}
    table = LiveTable(**bounds)
    for seat in range(1, 7):
        table.seat(seat, amount=stacks.get(f"s{seat}", 20_000))
    table.stack_pack(pack).begin(1).deal_holes()
    while table.hand.street == "preflop" and table.live.stage == "betting":
        seat = table.turn or 0
        act = ("check" if table.legal[0] else "call") if seat in stay else "fold"
        assert table.act(seat, act) is None, table.refused
    return table.burn().turn_up(3)


def announces(case: Case, stack: int, to: int, places: int) -> LiveTable:
    """P4 has that much on the flop, and nobody has bet."""
    table = on_the_flop(1, 4, s4=stack + 200).plays("1 check")
    assert table.stacks[4] == stack
    assert table.report("BET-53", seat=4, act="bet", to=to, placed=places) is None
    return table


@rule("53/1")
def test_the_announcement_counts_and_change_is_made(case: Case) -> None:
    table = announces(case, case["stack"], case["announces"], case["places"])
    (bet,) = table.of(BetPlaced)
    assert (bet.act, bet.to, bet.stack) == ("bet", case["announces"], case["stack"] - case["announces"])
    incident = table.incident
    assert (incident.code, incident.returned, incident.amount) == ("BET-53", case["back"], case["announces"])
    assert incident.state_before == f"ROUND_{case['round']}"


@rule("53/2")
def test_too_few_chips_for_what_was_announced_are_made_up(case: Case) -> None:
    table = announces(case, case["stack"], case["announces"], case["places"])
    assert (table.hand.players[4].in_round, table.incident.returned) == (case["announces"], 0)
    assert (table.stacks[4], table.incident.code) == (case["left"], "BET-53")
    assert case["announces"] - case["places"] == case["adds"]
    poor = announces(case, case["all"], case["announces"], case["all"])
    assert (poor.hand.players[4].in_round, poor.hand.players[4].all_in) == (case["all"], True)


@rule("53/3")
def test_an_act_once_taken_is_final(case: Case) -> None:
    table = h6().plays("3 raise 600")
    state = table.state
    cancel = CancelAct(hand=table.state.hands, seat=3)
    assert table.send(Principal("player", "p3"), cancel) == AtPoker.ACTION_FINAL
    assert table.refused is not None
    assert table.refused.rule == "pt-217-2007#53"
    assert table.state is state


@rule("55/1")
def test_chips_added_after_a_look_around_go_back(case: Case) -> None:
    table = on_the_flop(1, 3).plays("1 check", f"3 bet {case['bet']}")
    stacks = table.stacks
    assert table.report("PE-55", seat=3, placed=case["adds"]) is None
    assert (table.incident.returned, table.incident.outcome) == (case["adds"], "bet_stays")
    assert (table.stacks, table.hand.bet, table.turn) == (stacks, case["bet"], 1)


def river_called(pack: str = PACK) -> LiveTable:
    """P3 has bet the river and thinks that nobody calls; P6 is asked."""
    table = on_the_flop(3, 6, pack=pack).plays("3 check", "6 check").burn().turn_up().plays("3 check", "6 check")
    table.burn().turn_up().plays("3 bet 1000")
    return table


@rule("71.b/1")
def test_mucked_cards_that_the_scans_know_are_live_again(case: Case) -> None:
    seat, cards = case.int("seat"), case.cards("cards")
    pack = pack_for("Jc 8d 6s 3s 2c", "Ah 4c", "Ac 4d", " ".join(cards), "7h 4h", "7s 5s", "Kh Qs", seats=6)
    table = river_called(pack).plays("6 call")
    assert table.hole(seat) == cards
    assert table.report("PE-71b", seat=seat) is None
    assert (table.incident.outcome, table.incident.decided_by) == ("reconstructed", "dealer-1")
    assert table.name == "PAYING"
    assert table.deliver() is None
    assert [award.winners for award in table.of(PotAwarded)] == [[seat]], "it is shown, and wins"


@rule("71.b/2")
def test_mucked_cards_that_cannot_be_reconstructed_are_dead(case: Case) -> None:
    table = river_called().plays("6 call")
    assert table.report("PE-71b", seat=3, count=1) is None
    assert table.rule_on("against") is None
    (folded,) = table.of(PlayerFolded)
    assert (folded.seat, folded.reason) == (3, "annulled")
    (award,) = table.of(PotAwarded)
    assert award.winners == [6]
    assert {shown.category for shown in table.of(CardsShown, True)} == {"royal_flush"}, "by the cards both would win"
    assert not table.of(UncalledBetReturned, everything=True)
    assert (table.stacks[3], award.amount) == (20_000 - 200 - 1000, 100 + 200 + 2 * 200 + 2 * 1000), "bets stay"


@rule("71.b", "71.g")
@pytest.mark.parametrize("last", ["1 fold", "1 call"])
def test_what_annulled_hands_have_put_in_above_all_others_stays_in_the_pot(last: str) -> None:
    table = live_h6().plays("3 fold", "4 raise 400", "5 call", "6 fold")
    assert table.report("PE-71g", seats=[4, 5]) is None
    view = TableView("t1")
    for version, event in enumerate(table.told, 1):
        view = fold_table(view, event, version)
    assert view.hand is not None
    assert [(pot["amount"], pot["eligible"]) for pot in pots(view.hand)] == [(1100, [1, 2])]
    no_more = replace(view.hand, seats=tuple(replace(seat, all_in=not seat.folded) for seat in view.hand.seats))
    assert [(pot["amount"], pot["eligible"]) for pot in pots(no_more)] == [(400, [1, 2]), (700, [2])]
    table.plays(last, *(["2 fold"] if last == "1 call" else []))
    (award,) = table.of(PotAwarded)
    pot = 400 + 400 + 200 + (400 if last == "1 call" else 100)
    assert (award.amount, award.winners) == (pot, [1 if last == "1 call" else 2])
    assert sum(table.stacks.values()) + table.state.books.raked == 6 * 20_000


@rule("71.c/1")
def test_too_few_chips_for_a_call_may_be_completed_and_never_taken_back(case: Case) -> None:
    for end, stack in (("call", case["left"] - case["missing"]), ("fold", case["left"])):
        table = live_h6().plays("3 call", "4 call", f"5 raise {case['owes']}")
        assert table.legal[1] == case["owes"]
        assert table.report("PE-71c", seat=6, placed=case["placed"]) is None
        assert (table.stacks[6], table.turn) == (case["left"], 6)
        assert table.act(6, "raise", 1600) == Reason.BET_BINDING
        take_back = CancelAct(hand=table.state.hands, seat=6)
        assert table.send(DEALER, take_back) == Reason.BET_BINDING
        assert table.legal[1] == case["missing"]
        table.plays(f"6 {end}")
        assert (table.stacks[6], table.turn) == (stack, 1)
        assert table.hand.players[6].committed == 20_000 - stack


@rule("71.c/2")
def test_all_that_one_has_is_no_error(case: Case) -> None:
    table = LiveTable(buy_in_min=case["has"], buy_in_max=20_000).seat(1, 2, 3, 4, 5, amount=20_000)
    table.seat(6, amount=case["has"])
    table.stack_pack(PACK).begin(1).deal_holes().plays("3 call", "4 call", f"5 raise {case['owes']}")
    assert table.report("PE-71c", seat=6, placed=case["has"]) == Reason.NO_ERROR
    table.plays("6 call")
    assert table.hand.players[6].all_in


@rule("71.c/3")
def test_at_a_virtual_table_a_call_costs_what_the_table_reckons(case: Case) -> None:
    table = h6().plays("3 raise 800")
    for wrong in (700, 799, 801):
        assert table.act(4, "call", wrong) == AtPoker.AMOUNT_NOT_ASKED
    report = c.RecordIncident(hand=table.state.hands, code="PE-71c", seat=4, placed=700)
    assert table.send(DEALER, report) == AtTable.NOT_IN_THIS_MODE
    table.plays("4 call")
    assert table.stacks[4] == 20_000 - 800


@rule("71.d/1")
def test_a_raise_without_a_word_is_a_call(case: Case) -> None:
    table = live_h6().plays(f"3 raise {case['bet']}", "4 fold", "5 fold", "6 fold", "1 fold")
    raises, before = table.hand.raises, table.stacks[2]
    assert table.hand.players[2].in_round == case["in"]
    assert table.report("PE-71d", seat=2, placed=case["placed"]) is None
    incident = table.incident
    assert (incident.amount, incident.returned, incident.outcome) == (case["kept"], case["back"], "call")
    assert table.act(2, "raise", 1800) == Reason.OUT_OF_TURN_LOCKED
    table.plays("2 call")
    assert (before - table.stacks[2], table.hand.raises) == (case["kept"], raises)
    assert table.hand.players[2].committed == case["total"]


@rule("71.e/1")
def test_shown_cards_change_nothing_but_the_record(case: Case) -> None:
    seat = case.int("seat")
    pack = pack_for("9h Qh Kh 8s Jh", "2c 3c", "4c 5c", "6c 7c", case["cards"], "8c 9c", "Tc Jc", seats=6)
    table = on_the_flop(1, seat, pack=pack)
    shown = table.hole(seat)
    assert (shown, table.name) == (case.cards("cards"), f"ROUND_{case['round']}")
    turn, stacks, players = table.turn, table.stacks, table.hand.players
    assert table.report("PE-71e", seat=seat, cards=shown) is None
    assert [card.card for card in table.incident.exposed] == shown
    assert all(card.salt and card.proof for card in table.incident.exposed), "tied to the root like any shown card"
    assert (table.turn, table.stacks, table.hand.players) == (turn, stacks, players)
    assert table.send(SUPERVISOR, _warn()) is None, "a conduct warning is possible"
    table.plays("1 check", f"{seat} bet 400")


def _warn() -> Any:
    from libs.contracts.conduct_commands import WarnPlayer

    return WarnPlayer(player="p4", rule="71.e", cause="showed cards")


@rule("71.g/1")
def test_mixed_cards_annul_both_hands_and_their_bets_stay(case: Case) -> None:
    short, each = case.int("all_in"), case.int("each")
    table = LiveTable(buy_in_min=short, buy_in_max=20_000).seat(1, 3, 4, amount=20_000).seat(5, amount=short)
    table.stack_pack(PACK).begin(1).deal_holes()
    table.plays(f"4 raise {short}", "5 call", "1 call", "3 call").burn().turn_up(3)
    table.plays(f"1 bet {each - short}", "3 call", "4 call").burn().turn_up()
    assert table.name == f"ROUND_{case['round']}"
    assert {seat: player.committed for seat, player in table.hand.players.items()} == {
        1: each,
        3: each,
        4: each,
        5: short,
    }
    assert table.report("PE-71g", seats=case["seats"]) is None
    assert [event.seat for event in table.of(PlayerFolded)] == case["seats"]
    table.burn().turn_up()
    assert table.deliver() is None
    main, side = table.of(PotAwarded)
    assert (main.amount, main.eligible) == (case["main"], [3, 5])
    assert (side.amount, side.eligible, side.winners) == (case["side"], [3], [3])
    assert (4 * short, 3 * case.int("layer")) == (case["main"], case["side"])


@rule("71.g/2")
def test_a_pot_without_a_live_hand_waits_for_a_supervisor_and_goes_back(case: Case) -> None:
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


@rule("71.g", "8.c")
def test_cards_that_a_supervisor_has_not_seen_mixed_go_on() -> None:
    """Found by an attacker: the only answer there was gave the mate of the dealer back what it was about to lose."""
    table = on_the_flop(1, 4).plays("1 bet 1000", "4 call")
    assert isinstance(table, LiveTable)
    table.burn().turn_up().plays("1 bet 3000")
    stacks, pot = dict(table.stacks), table.hand.pot
    assert table.report("PE-71g", seats=[1, 4]) is None
    assert table.rule_on("go_on") is None
    assert (table.turn, table.stacks, table.hand.pot) == (4, stacks, pot)
    assert not table.of(PlayerFolded)
    table.plays("4 fold")
    assert [award.winners for award in table.of(PotAwarded)] == [[1]]


@rule("71.g")
def test_a_side_pot_without_a_live_hand_waits_for_a_supervisor_too() -> None:
    """Seat 5 is all-in for the main pot alone; the two who bet beyond it mix their cards."""
    table = LiveTable(buy_in_min=500, buy_in_max=20_000).seat(1, 3, 4, amount=20_000).seat(5, amount=500)
    table.stack_pack(PACK).begin(1).deal_holes()
    table.plays("4 raise 500", "5 call", "1 call", "3 fold").burn().turn_up(3).plays("1 bet 1000", "4 call")
    assert table.report("PE-71g", seats=[1, 4]) is None
    assert table.name == "SUPERVISOR_DECISION"
    assert not table.of(PlayerFolded)
    assert table.rule_on("return_contributions") is None
    assert [(event.seat, event.amount) for event in table.of(UncalledBetReturned)] == [(1, 1000), (4, 1000)]
    (won,) = table.of(PotAwarded)
    assert (won.pot, won.winners) == ("main", [5])


@rule("71.h/1")
def test_a_dealing_error_reported_in_time_voids(case: Case) -> None:
    table = live_h6()
    assert table.name == f"ROUND_{case['round']}"
    assert table.report("PE-71h", seat=case["seat"], error="DE-69a") is None
    (voided,) = table.of(HandVoided)
    assert voided.cause == "DE-69a"
    assert {refund.amount for refund in voided.refunds if refund.amount} == {100, 200}
    assert set(table.stacks.values()) == {20_000}


@rule("71.h/2")
def test_a_dealing_error_reported_late_costs_the_hand(case: Case) -> None:
    seat, called = case.int("seat"), case.int("called")
    table = live_h6().plays(f"3 raise {called}", "4 fold", "5 fold", f"{seat} call")
    assert table.name == f"ROUND_{case['round']}"
    pot = table.hand.pot
    assert table.report("PE-71h", seat=seat, error="DE-69a") is None
    (folded,) = table.of(PlayerFolded)
    assert (folded.seat, folded.reason, table.incident.outcome) == (seat, "barred", "barred")
    assert (table.stacks[seat], table.hand.pot, table.turn) == (20_000 - called, pot, 1)
    assert not table.of(HandVoided)
    faulty = live_h6().plays("3 call")
    assert faulty.report("PE-71h", seat=seat, error="DE-69d") is None
    assert faulty.rule_on("void") is None
    assert faulty.state.hand is None, "a fault of the deck harms everybody"


def forgotten(lead: int, seat: int) -> LiveTable:
    return LiveTable(1, 2, 3, 4, 5).stack_pack(PACK).begin(lead, unposted=[seat]).deal_holes()


@rule("91/1")
def test_a_first_bet_forgotten_is_made_or_the_cards_are_taken(case: Case) -> None:
    seat, small, big = case.int("seat"), case.int("small"), case.int("big")
    table = forgotten(case["lead"], seat)
    assert (table.hand.pot, table.hand.bet, table.turn) == (small, big, 5)
    table.plays("5 call", "1 fold", "2 fold", "3 call")
    assert table.act(seat, "check") == Reason.BLIND_NOT_POSTED
    assert table.send(DEALER, c.RecordPost(hand=table.state.hands, seat=seat)) is None
    (posted,) = table.of(BlindPosted)
    assert (posted.blind, posted.amount, table.hand.pot) == ("big", big, 3 * big)
    table.plays(f"{seat} check")
    other = forgotten(case["lead"], seat)
    assert other.report("PE-91", seat=seat) is None
    (folded,) = other.of(PlayerFolded)
    assert (folded.seat, folded.reason, other.stacks[seat]) == (seat, "withdrawn", 20_000)
    assert (other.turn, other.legal[1], other.hand.bet) == (5, big, big)


@rule("91/2")
def test_when_nobody_knows_who_it_was_the_pot_is_smaller(case: Case) -> None:
    table = forgotten(3, 4)
    assert table.report("PE-91") is None
    assert table.name == "SUPERVISOR_DECISION"
    assert table.rule_on("reduced_pot") is None
    (decided,) = table.of(SupervisorDecided)
    assert (decided.shortage, decided.waived) == (case["shortage"], [4])
    assert (table.hand.pot, table.hand.bet, set(table.stacks.values())) == (case["pot"], case["bet"], {20_000, 19_900})
    assert case["full"] - case["shortage"] == case["pot"]
    assert table.stacks[4] == 20_000
    assert table.legal[1] == case["bet"]
    table.plays("5 call", "1 fold", "2 fold", "3 fold", "4 check")
    assert (table.hand.pot, table.live.stage) == (case["pot"] + case["bet"], "board")


@rule("91", "8.c")
def test_who_is_named_as_not_having_posted_posts_where_a_supervisor_waives_nothing() -> None:
    """Found by an attacker: whoever dealt named a mate, and nobody could say that the mate pays like everybody."""
    table = forgotten(3, 4)
    assert table.report("PE-91") is None
    assert table.rule_on("go_on") is None
    assert (table.turn, table.live.unposted, table.stacks[4]) == (5, (4,), 20_000)
    table.plays("5 call", "1 fold", "2 fold", "3 call")
    assert table.turn == 4
    assert table.act(4, "check") == Reason.BLIND_NOT_POSTED


@rule("91", "90")
@pytest.mark.parametrize(("seat", "blind"), [(3, 100), (4, 200)])
@pytest.mark.parametrize("leaves", [False, True])
def test_a_blind_that_is_still_missing_at_the_end_is_owed(seat: int, blind: int, leaves: bool) -> None:
    """Found by an attacker: a dealer began each hand without a mate's blind, which was posted where the cards were
    good, and else the clock folded them for nothing."""
    table = LiveTable(1, 2, 3, 4, 5, timer_action="act").stack_pack(PACK).begin(3, unposted=[seat]).deal_holes()
    table.plays("5 raise 600", "1 fold", "2 fold")
    if seat == 4:
        table.plays("3 fold")
    assert (table.turn, table.act(seat, "fold")) == (seat, Reason.BLIND_NOT_POSTED)
    table.time_out()
    assert table.hand.players[seat].folded if table.state.hand is not None else True
    if seat == 3:
        table.plays("4 fold")
    assert (table.state.hand, table.stacks[seat]) == (None, 20_000)
    if leaves:
        assert table.leave(seat) is None
        assert table.state.departures[f"p{seat}"].owes_small is (seat == 3)
        assert table.state.departures[f"p{seat}"].owes_big is (seat == 4)
        return
    table.make_ready()
    assert table.deal_hand() is None, table.refused
    dead = [
        (each.blind, each.amount)
        for each in table.of(BlindPosted, True)
        if each.seat == seat and each.blind == "missed"
    ]
    assert dead == [("missed", blind)]


@rule("91", "90")
def test_who_leaves_in_a_hand_without_the_blind_owes_it_when_back() -> None:
    table = forgotten(3, 4)
    assert table.leave(4) is None
    table.plays("5 raise 600", "1 fold", "2 fold", "3 fold")
    assert 4 not in table.state.seats
    assert table.state.departures["p4"].owes_big


@rule("71.g", "53", "91")
def test_who_has_left_the_table_keeps_nobody_from_deciding() -> None:
    """Found by an attacker: the decider failed, and the hand stood until two voided it."""
    table = LiveTable(buy_in_min=400, buy_in_max=20_000).seat(1, 2, 4, 5, amount=20_000).seat(3, amount=1_400)
    table.stack_pack(PACK).begin(1).deal_holes()
    table.plays("3 call", "4 call", "5 call", "1 call", "2 check").burn().turn_up(3)
    table.plays("1 bet 2000", "2 fold", "3 call", "4 raise 5000", "5 call", "1 fold")
    assert table.leave(1) is None
    for code, fields in (("BET-53", {"seat": 1, "act": "call", "to": 5_000, "placed": 1}), ("PE-91", {"seat": 1})):
        assert table.report(code, **fields) in (Reason.NOT_AWAITED, Reason.NO_ERROR)
    table.burn().turn_up().plays("4 check", "5 check")
    table.burn().turn_up()
    assert table.turn == 4
    chips = sum(table.stacks.values()) + table.hand.pot
    assert table.report("PE-71g", seats=[4, 5]) is None
    assert table.rule_on("return_contributions") is None
    assert table.state.hand is None
    assert sum(table.stacks.values()) + table.state.books.raked == chips, "what 1 has left there is 3's"


@rule("91")
def test_a_blind_waived_of_who_folds_breaks_no_pot() -> None:
    table = LiveTable(1, 2, 3, 4).stack_pack(PACK).begin(1, unposted=[1, 2]).deal_holes()
    assert table.report("PE-91") is None
    assert table.rule_on("reduced_pot") is None
    assert table.send(DEALER, c.PassTurn(hand=table.state.hands, seat=3)) is None
    table.plays("4 fold", "1 fold")
    assert table.act(2, "fold") is None, table.refused
    assert table.state.hand is None or table.name == "SUPERVISOR_DECISION"


@rule("91/3")
def test_at_a_virtual_table_both_blinds_lie_there_before_the_first_card(case: Case) -> None:
    table = h6()
    posted = [n for n, name in enumerate(table.names) if name == "BlindPosted"]
    assert len(posted) == 2
    assert max(posted) < table.names.index("HoleCardsDealt")
    assert table.send(DEALER, c.DealHand(deck="R", unposted=[2])) == AtTable.NOT_IN_THIS_MODE


@rule("91")
def test_the_reduced_pot_gives_nobody_back_what_was_never_put_in() -> None:
    table = forgotten(3, 4)
    assert table.report("PE-91") is None
    assert table.rule_on("reduced_pot") is None
    table.plays("5 fold", "1 fold", "2 fold", "3 fold")
    assert not table.of(UncalledBetReturned)
    assert table.stacks[4] == 20_100
