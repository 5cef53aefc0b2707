"""Pots, commission and payments, each at a table that was played to the end (2.o, 2.p, 17 to 19, 27, 33, 36, 41, 42,
62, 63).
"""

from typing import Any

from libs.contracts.poker_events import CardsShown, HandEnded, PotAwarded, StreetDealt
from libs.money.rates import part_of
from tests.table.omaha.play import DEEP, deck, game, nets, portugal, pots, rakes, ranked, returned, seated
from tests.table.play import TableUnderTest
from tests.table.test_rulebooks import accepted, rules_broken
from tests.testkit.cases import Case

OMAHA = "pt-811-2015-omaha"


def ended(table: TableUnderTest) -> HandEnded:
    (event,) = table.of(HandEnded, True)
    return event


def payments(table: TableUnderTest) -> dict[int, list[int]]:
    """Seat to its payments in the order of the pots."""
    paid: dict[int, list[int]] = {}
    for award in table.of(PotAwarded, True):
        for payment in award.payments:
            paid.setdefault(payment.seat, []).append(payment.net)
    return paid


def two_matched(pot: int, **changes: Any) -> TableUnderTest:
    """Nobody all-in, seat 1 wins unless the deck says otherwise; both put in half of the pot."""
    changes = {"deck": ranked(1, {1: 0, 2: 1})} | changes
    return game(1, (1, 2), **changes).plays(f"1 raise {pot // 2}", "2 call").checks_down()


@portugal("2.o/1")
def test_an_uncalled_bet_is_no_part_of_the_pot(case: Case) -> None:
    table = game(1, (1, 2, 3), small_blind=100, big_blind=100, rake_bp=500)
    table.plays(f"1 raise {case['called'] // 2 - 50}", "2 fold", "3 call")
    assert table.hand.pot == case["called"]
    table.plays("3 check", "1 check", f"3 bet {case['bet']}", "1 fold")
    assert returned(table) == [(3, case["returned"])]
    assert pots(table) == [(case["pot"], [3])]
    assert rakes(table) == [part_of(case["pot"], 500)]


@portugal("2.o/1")
def test_what_a_folded_player_has_put_in_was_called(case: Case) -> None:
    """Seat 2 bets and folds to the raise: only what is above that bet comes back."""
    table = game(1, (1, 2, 3), small_blind=100, big_blind=100).plays("1 call", "2 check", "3 check")
    bet = case.int("called") // 2 - 150
    table.plays(f"2 bet {bet}", f"3 raise {bet + case.int('bet')}", "1 fold", "2 fold")
    assert returned(table) == [(3, case["returned"])]
    assert pots(table) == [(case["pot"], [3])]


def short_first(all_in: int, others: int, stacks: dict[int, int] | None = None, **changes: Any) -> TableUnderTest:
    """Seat 1 all-in before the flop, seats 2 and 3 with it; they put in more on the flop, and check to the end."""
    table = game(1, {1: all_in, 2: DEEP, 3: DEEP} | (stacks or {}), **changes)
    table.plays(f"1 raise {all_in}", "2 call", "3 call")
    if others > all_in:
        table.plays(f"2 bet {others - all_in}", "3 call")
    return table.checks_down()


@portugal("2.p/1")
def test_bets_beyond_the_all_in_lie_in_a_side_pot(case: Case) -> None:
    table = short_first(case["all_in"], case["others"])
    assert pots(table) == [(case["main"], case["main_seats"]), (case["side"], case["side_seats"])]


@portugal("41/1")
def test_no_empty_side_pot(case: Case) -> None:
    table = short_first(case["all_in"], case["all_in"])
    assert pots(table) == [(case["pot"], case["seats"])]


@portugal("41/2")
def test_an_all_in_makes_a_side_pot(case: Case) -> None:
    table = short_first(case["all_in"], case["others"])
    first, *rest = case.ints("seats")
    assert pots(table) == [(case["main"], [first, *rest]), (case["side"], rest)]


@portugal("17.a/1")
def test_the_rates_on_pots(case: Case) -> None:
    for rate in case.ints("refused"):
        assert rules_broken(OMAHA, rake_bp=rate) == [("rake_bp", "pt-811-2015#17.a")]
    for rate in case.ints("accepted"):
        assert accepted(OMAHA, rake_bp=rate).rake.bp == rate


@portugal("17.a/2")
def test_one_winner(case: Case) -> None:
    table = two_matched(case["pot"], rake_bp=case["rate"])
    assert pots(table) == [(case["pot"], [1, 2])]
    assert (rakes(table), nets(table)) == ([case["rake"]], {1: case["paid"]})


@portugal("17.a/3")
def test_three_winners(case: Case) -> None:
    stake = case["pot"] // case["winners"]
    table = game(3, (1, 2, 3), deck=ranked(3, {1: 0, 2: 0, 3: 0}), rake_bp=case["rate"])
    table.plays(f"3 raise {stake}", "1 call", "2 call").checks_down()
    assert pots(table) == [(case["pot"], [1, 2, 3])]
    assert (rakes(table), case["pot"] - rakes(table)[0]) == ([case["rake"]], case["left"])
    assert list(nets(table).values()) == case["shares"]


@portugal("17.a/4")
def test_a_part_of_a_cent_is_not_charged(case: Case) -> None:
    for pot, rake, paid in zip(case.ints("pots"), case.ints("rakes"), case.ints("paid"), strict=True):
        table = game(1, (1, 2, 3), big_blind=pot // 3, rake_bp=case["rate"], deck=ranked(1, {1: 0, 2: 1, 3: 2}))
        table.plays("1 call", "2 call", "3 check").checks_down()
        assert pots(table) == [(pot, [1, 2, 3])]
        assert (rakes(table), nets(table)) == ([rake], {1: paid})


@portugal("18/1")
def test_all_fold_to_the_big_blind(case: Case) -> None:
    small, big = case.ints("blinds")
    table = game(1, (1, 2, 3, 4), small_blind=small, big_blind=big).plays("4 fold", "1 fold", "2 fold")
    assert (returned(table), pots(table)) == ([(3, case["returned"])], [(case["pot"], [3])])
    assert (ended(table).rake, ended(table).exemption) == (case["rake"], "no_flop")
    assert nets(table) == {3: case["paid"]}


@portugal("18/2")
def test_a_raise_takes_it_before_the_flop(case: Case) -> None:
    small, big = case.ints("blinds")
    seat = case.int("seat")
    table = game(1, (1, 2, 3, 4), small_blind=small, big_blind=big)
    table.plays(f"{seat} raise {case['raise']}", "1 fold", "2 fold", "3 fold")
    assert (returned(table), pots(table)) == ([(seat, case["returned"])], [(case["pot"], [seat])])
    assert sorted(r.staked for r in ended(table).results if r.staked) == sorted(case.ints("parts"))
    assert (ended(table).rake, ended(table).exemption) == (case["rake"], "no_flop")


@portugal("18/3")
def test_no_bet_on_the_flop(case: Case) -> None:
    blind = case["pot"] // 5
    table = game(1, (1, 2, 3, 4), small_blind=blind, big_blind=blind)
    table.plays(f"4 raise {2 * blind}", "1 fold", "2 fold", "3 call")
    assert (table.hand.street, table.hand.pot) == ("flop", case["pot"])
    table.plays(f"{case['checks']} check", f"{case['folds']} fold")
    assert (ended(table).rake, ended(table).exemption) == (case["rake"], "flop_without_voluntary_bet")
    assert nets(table) == {case["checks"]: case["paid"]}


def four_put_in(pot: int, rate: int) -> TableUnderTest:
    """On the flop, the same from each of four."""
    stake = pot // 4
    table = game(1, (1, 2, 3, 4), rake_bp=rate)
    table.plays(f"4 raise {stake}", "1 call", "2 call", "3 call")
    assert (table.hand.street, table.hand.pot) == ("flop", pot)
    return table


@portugal("18/4")
def test_checked_on_the_flop_and_won_on_the_turn(case: Case) -> None:
    table = four_put_in(case["pot"], case["rate"]).plays("2 check", "3 check", "4 check", "1 check")
    table.plays(f"2 bet {case['bet']}", "3 fold", "4 fold", "1 fold")
    assert returned(table) == [(2, case["bet"])]
    assert (ended(table).rake, ended(table).exemption) == (case["rake"], None)


@portugal("18/5")
def test_a_bet_on_the_flop_pays(case: Case) -> None:
    table = four_put_in(case["pot"], case["rate"]).plays(f"2 bet {case['bet']}", "3 fold", "4 fold", "1 fold")
    assert returned(table) == [(2, case["returned"])]
    assert (ended(table).rake, ended(table).exemption) == (case["rake"], None)
    assert nets(table) == {2: case["pot"] - case["rake"]}


@portugal("18/6")
def test_all_in_before_the_flop_pays(case: Case) -> None:
    half = case["pot"] // 2
    table = game(1, {1: half, 2: half}, rake_bp=case["rate"], deck=ranked(1, {1: 0, 2: 1}))
    table.plays(f"1 raise {half}", "2 call")
    assert [event.street for event in table.of(StreetDealt)] == ["flop", "turn", "river"]
    assert (ended(table).rake, ended(table).exemption) == (case["rake"], None)


@portugal("18/7")
def test_no_exemption_can_be_switched_off(case: Case) -> None:
    for field in case.read("fixed", list[str]):
        assert rules_broken(OMAHA, **{field: False}) == [(field, "pt-811-2015#18")]


def three_pots(*amounts: int, **changes: Any) -> TableUnderTest:
    """Seats 1 and 2 all-in for less, 3 and 4 for the same; seat 1 has the best hand, then 2, then 3."""
    first, second, last = amounts
    stacks = {1: first // 4, 2: first // 4 + second // 3}
    stacks |= dict.fromkeys((3, 4), stacks[2] + last // 2)
    table = seated((), **changes)
    commission = table.state.rules.rake.bp if table.state.rules.rake.mode == "buy_in" else 0
    for seat, stack in stacks.items():
        amount = next(amount for amount in range(stack, 2 * stack) if amount - part_of(amount, commission) == stack)
        table.seat(seat, amount=amount)
    assert table.stacks == stacks
    table.deal(button=1, fresh=ranked(1, {1: 0, 2: 1, 3: 2, 4: 3}))
    table.plays(f"4 raise {stacks[4]}", "1 call", "2 call", "3 call")
    assert [amount for amount, _ in pots(table)] == list(amounts)
    return table


@portugal("19/1")
def test_each_payment_is_charged_by_itself(case: Case) -> None:
    table = three_pots(*case.ints("pots"), rake_bp=case["rate"])
    assert rakes(table) == case["rakes"]
    assert ended(table).rake == case["rake"] != case["of_all"] == part_of(sum(case.ints("pots")), case["rate"])
    assert payments(table) == {seat: [net] for seat, net in enumerate(case.ints("paid"), 1)}


@portugal("19/4")
def test_with_commission_on_the_buy_in_pots_are_paid_in_full(case: Case) -> None:
    table = three_pots(*case.ints("paid"), rake_mode="buy_in", rake_bp=1000, buy_in_min=200)
    assert payments(table) == {seat: [amount] for seat, amount in enumerate(case.ints("paid"), 1)}
    assert rakes(table) == [0, 0, 0]


def thirds_of(pot: int, stacks: dict[int, int], rate: int) -> TableUnderTest:
    """Seats 3, 4 and 1 with equal hands put in a third each, the small blind of one cent folds."""
    table = game(1, stacks, small_blind=1, rake_bp=rate, deck=ranked(1, {1: 0, 3: 0, 4: 0}, folders=(2,)))
    table.plays(f"4 raise {pot // 3}", "1 call", "2 fold", "3 call").checks_down()
    assert pots(table) == [(pot, [1, 3, 4])]
    return table


@portugal("19/2")
def test_shares_first_and_commission_second(case: Case) -> None:
    pot, seats = case.int("pot"), (3, 4, 1)
    assert len(seats) == case["winners"]
    table = thirds_of(pot, {1: pot // 3, 2: DEEP, 3: pot // 3, 4: pot // 3}, case["rate"])
    (award,) = table.of(PotAwarded, True)
    assert [payment.seat for payment in award.payments] == list(seats)
    assert [payment.gross for payment in award.payments] == case["shares"]
    assert [payment.rake for payment in award.payments] == [case["each"]] * case["winners"]
    assert ([payment.net for payment in award.payments], award.rake) == (case["paid"], case["rake"])
    without = case.read("without_all_in", dict[str, Any])
    (award,) = thirds_of(pot, dict.fromkeys((1, 2, 3, 4), DEEP), case["rate"]).of(PotAwarded, True)
    assert ([payment.net for payment in award.payments], award.rake) == (without["paid"], without["rake"])


@portugal("19/3")
def test_main_and_side_pot_to_one_are_two_payments(case: Case) -> None:
    all_in, more = case["main"] // 4, case["side"] // 3
    table = game(
        1, {1: all_in, 2: DEEP, 3: DEEP, 4: DEEP}, rake_bp=case["rate"], deck=ranked(1, {2: 0, 1: 1, 3: 2, 4: 3})
    )
    table.plays(f"4 raise {all_in}", "1 call", "2 call", "3 call", f"2 bet {more}", "3 call", "4 call")
    table.plays("2 check", "3 check", "4 fold").checks_down()
    assert pots(table) == [(case["main"], [1, 2, 3]), (case["side"], [2, 3])]
    assert (rakes(table), payments(table)) == (case["rakes"], {2: case["paid"]})
    assert nets(table) == {2: case["together"]}


@portugal("19/5")
def test_commission_of_each_payment_cannot_be_switched_off(case: Case) -> None:
    assert rules_broken(OMAHA, **{case["fixed"]: False}) == [(case["fixed"], "pt-811-2015#19")]


@portugal("27/1")
def test_the_best_combination_wins_the_pot(case: Case) -> None:
    cards = deck(1, {1: "Ac 2c 3d 3h", 2: "Jd Th 6s 5s"}, "Kc 9c 4c 8d 7h")
    table = two_matched(case["pot"], rake_bp=case["rate"], deck=cards)
    assert {event.seat: event.category for event in table.of(CardsShown)} == {1: case["a"], 2: case["b"]}
    assert (nets(table).get(1), nets(table).get(2, 0)) == (case["paid"], case["other"])


@portugal("33/1")
def test_equal_hands_divide_the_pot(case: Case) -> None:
    table = two_matched(case["pot"], rake_bp=case["rate"], deck=ranked(1, {1: 0, 2: 0}))
    assert (rakes(table), nets(table)) == ([case["rake"]], {1: case["each"], 2: case["each"]})


@portugal("36/1")
def test_the_last_one_wins_at_once_without_showing(case: Case) -> None:
    stake = (case["pot"] - 50) // 3
    table = game(1, (1, 2, 3, 4), rake_bp=case["rate"]).plays(f"4 raise {stake}", "1 call", "2 fold", "3 call")
    assert (table.hand.street, table.hand.pot, table.hand.left) == ("flop", case["pot"], 3)
    table.plays(f"3 bet {case['bet']}", "4 fold", "1 fold")
    assert [event.street for event in table.of(StreetDealt, True)] == ["flop"]
    assert (returned(table), rakes(table)) == ([(3, case["returned"])], [case["rake"]])
    assert nets(table) == {3: case["paid"]}
    assert table.of(CardsShown, True) == []


@portugal("36/2")
def test_two_all_in_players_go_to_the_showdown() -> None:
    table = game(1, {1: 5000, 2: 800, 3: 600}).plays("1 call", "2 raise 800", "3 call")
    assert {seat for seat, player in table.hand.players.items() if player.all_in} == {2, 3}
    table.plays("1 fold")
    assert [event.street for event in table.of(StreetDealt)] == ["flop", "turn", "river"]
    assert {event.seat for event in table.of(CardsShown)} == {2, 3}


@portugal("42/1")
def test_as_many_side_pots_as_different_all_ins(case: Case) -> None:
    short, middle = case.ints("all_ins")
    table = game(1, {1: short, 2: middle, 3: DEEP, 4: DEEP})
    table.plays(f"4 raise {case['others']}", "1 call", "2 call", "3 call").checks_down()
    assert [amount for amount, _ in pots(table)] == case["pots"]
    assert [len(eligible) for _, eligible in pots(table)] == case["claims"]


@portugal("42/2")
def test_equal_all_ins_are_one_pot(case: Case) -> None:
    first, second = case.ints("all_ins")
    table = game(1, {1: first, 2: second, 3: DEEP}).plays(f"1 raise {first}", "2 call", "3 call")
    assert [result.staked for result in ended(table).results] == [first, second, case["call"]]
    assert pots(table) == [(case["pot"], [1, 2, 3])]


@portugal("42/3")
def test_a_folder_s_chips_are_money_and_no_claim(case: Case) -> None:
    short, middle = case.ints("all_ins")
    table = game(4, {1: short, 2: middle, 3: DEEP, 4: DEEP})
    table.plays(f"3 raise {case['folded']}", "4 call", "1 call", f"2 raise {middle}", "3 fold")
    table.plays(f"4 call {case['call']}")
    assert [amount for amount, _ in pots(table)] == [case["main"], case["side"]]
    assert [len(eligible) for _, eligible in pots(table)] == case["claims"]
    above = [result.staked - short for result in ended(table).results if result.staked > short]
    assert sorted(above) == sorted(case.ints("parts"))


@portugal("42/4")
def test_what_a_folder_matched_is_no_uncalled_bet(case: Case) -> None:
    first, second, third = case.ints("seats")
    cards = ranked(1, {first: 0, second: 1, third: 2})
    table = game(1, {first: case["all_in"], second: DEEP, third: DEEP}, rake_bp=case["rate"], deck=cards)
    table.plays(f"{first} raise {case['all_in']}", f"{second} call", f"{third} call")
    table.plays(f"{second} bet {case['bet']}", f"{third} raise {case['raise']}", f"{second} fold")
    assert returned(table) == [(third, case["returned"])]
    assert pots(table) == [(case["main"], [first, third]), (case["side"], [third])]
    assert nets(table) == {first: case["main_paid"], third: case["side_paid"]}


@portugal("62/1")
def test_odd_cents_go_clockwise_from_the_button(case: Case) -> None:
    shares = case.read("shares", dict[int, int])
    table = game(case["button"], (1, 2, 3, 4), deck=ranked(3, {1: 0, 2: 0, 4: 0}, folders=(3,)), rake_bp=500)
    table.plays("2 raise 710", "3 fold", "4 call", "1 call").checks_down()
    assert sum(nets(table).values()) == case["left"]
    assert nets(table) == shares


@portugal("62/2")
def test_one_odd_cent(case: Case) -> None:
    """The big blind of 101 folds, two put in 450: 1001, of which 50 are commission."""
    cards = ranked(4, {2: 0, 5: 0}, folders=(1, 4))
    table = game(case["button"], (1, 2, 4, 5), big_blind=101, rake_bp=500, deck=cards)
    table.plays("2 raise 450", "4 fold", "5 call", "1 fold").checks_down()
    assert sum(nets(table).values()) == case["left"]
    assert nets(table) == case.read("shares", dict[int, int])


@portugal("62/3")
def test_each_pot_is_divided_by_itself(case: Case) -> None:
    """Blinds of one cent; seat 4 brings 250 after commission, seats 5 and 1 fold with 1 and with 417 put in."""
    loser = case.int("loser")
    changes: dict[str, Any] = {"rake_mode": "buy_in", "rake_bp": 500, "big_blind": 1, "buy_in_min": 10}
    cards = ranked(1, {2: 0, 3: 0, loser: 1}, folders=(1, 5))
    table = game(case["button"], {1: DEEP, 2: DEEP, 3: DEEP, loser: 263, 5: DEEP}, deck=cards, **changes)
    table.plays("4 call", "5 call", "1 call", "2 check", "3 check")
    table.plays("2 bet 249", "3 call", "4 call", "5 fold", "1 call", "2 bet 167", "3 call", "1 call")
    table.plays("2 check", "3 check", "1 fold")
    assert pots(table) == [(case["main"], case["main_seats"]), (case["side"], case["side_seats"])]
    assert payments(table) == case.read("shares", dict[int, list[int]])
    assert nets(table) == case.read("paid", dict[int, int])


def main_and_side(case: Case, order: list[int]) -> TableUnderTest:
    """Seat 1 all-in, seats 2 and 3 with more; the seats by their hands, the best first."""
    places = {seat: place for place, seat in enumerate(order)}
    all_in = case["main"] // 3
    table = short_first(all_in, all_in + case["side"] // 2, deck=ranked(1, places), rake_bp=case["rate"])
    assert [amount for amount, _ in pots(table)] == [case["main"], case["side"]]
    return table


@portugal("63.a/1")
def test_the_best_hand_takes_both_pots(case: Case) -> None:
    seat = case.int("seat")
    table = main_and_side(case, [seat, 1, 3])
    assert (payments(table), nets(table)) == ({seat: case["paid"]}, {seat: case["together"]})


@portugal("63.b/1")
def test_the_best_all_in_hand_takes_the_main_pot(case: Case) -> None:
    table = main_and_side(case, case.ints("order"))
    assert [eligible for _, eligible in pots(table)] == [case["main_seats"], case["side_seats"]]
    assert nets(table) == case.read("paid", dict[int, int])


def all_in_with(case: Case, places: dict[int, int], button: int = 4) -> TableUnderTest:
    stakes = case.read("stakes", dict[int, int])
    stacks = {seat: stake if stake < max(stakes.values()) else DEEP for seat, stake in stakes.items()}
    table = game(button, stacks, deck=ranked(button, places), rake_bp=case["rate"])
    table.plays(f"3 raise {stakes[3]}", "4 call", "1 call", "2 call").checks_down()
    assert {result.seat: result.staked for result in ended(table).results} == stakes
    return table


@portugal("63.c/1")
def test_the_middle_all_in_is_best(case: Case) -> None:
    table = all_in_with(case, {seat: place for place, seat in enumerate(case.ints("order"))})
    assert [amount for amount, _ in pots(table)] == case["pots"]
    assert payments(table) == case.read("paid", dict[int, list[int]])
    assert nets(table)[2] == case["together"]


@portugal("63.c/2")
def test_the_smallest_all_in_is_best(case: Case) -> None:
    table = all_in_with(case, {seat: place for place, seat in enumerate(case.ints("order"))})
    assert payments(table) == case.read("paid", dict[int, list[int]])


@portugal("63.c/3")
def test_two_all_ins_tie(case: Case) -> None:
    places = dict.fromkeys(case.ints("tied"), 0) | {seat: n for n, seat in enumerate(case.ints("then"), 1)}
    table = all_in_with(case, places, case["button"])
    main = table.of(PotAwarded, True)[0]
    assert (main.amount, [(p.gross, p.rake) for p in main.payments]) == (
        case["main"],
        [(case["share"], case["rake"])] * 2,
    )
    assert payments(table) == case.read("paid", dict[int, list[int]])
