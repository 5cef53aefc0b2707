"""Pots, showing and paying: pt-217-2007 1, 7.a, 38, 49, 50, 62 to 67, FP-1, FP-4, by the figures of the matrix."""

from decimal import Decimal
from typing import Any

from libs.cards.card import names_of
from libs.contracts.live_commands import LiveReason as AtLive
from libs.contracts.poker_events import (
    HandEnded,
    HandStarted,
    HandVoided,
    HoleCardsDealt,
    Payment,
    PotAwarded,
    StreetDealt,
    UncalledBetReturned,
)
from libs.contracts.registry import encode_fact
from libs.sealing.shuffle import Shuffle
from services.table.domain.games.poker.pots import shares_of, spread_cap
from tests.table.casino.play import (
    CASINO_HOLDEM,
    CASINO_OMAHA,
    bring,
    casino,
    h6,
    led,
    pack_for,
    rule,
    to_flop,
)
from tests.table.casino.test_casino_rulebooks import refusals
from tests.table.live.play import live_h6
from tests.table.live.test_player_errors import PACK
from tests.table.play import TableUnderTest, stacked
from tests.table.test_pots_and_rake import hand_with, paid, rules
from tests.table.views import view_of
from tests.testkit.cases import Case

BOARD = "Jc 8d 6h 3s 2c"
"""Gives nobody of the below more than what is in hand."""
ACES, ACE_KING, KING_ACE, KINGS, QUEENS, TENS, QUEEN_TEN = "Ah As", "Ac Kd", "Ad Kc", "Kh Ks", "Qh Qs", "Th Ts", "Qc Td"


def dealt(*holes: str) -> Shuffle:
    """From the lead on."""
    return stacked(pack_for(BOARD, *holes, seats=len(holes)))


def awards(table: TableUnderTest) -> list[tuple[int, list[int]]]:
    """Amount of each pot and who had a claim to it."""
    return [(award.amount, award.eligible) for award in table.of(PotAwarded, everything=True)]


def gross(table: TableUnderTest) -> dict[int, int]:
    """What each winner is paid out of all pots, before the charge."""
    paid: dict[int, int] = {}
    for payment in payments(table):
        paid[payment.seat] = paid.get(payment.seat, 0) + payment.gross
    return paid


def payments(table: TableUnderTest) -> list[Payment]:
    return [payment for award in table.of(PotAwarded, everything=True) for payment in award.payments]


def three_all_in(*holes: str, **changes: Any) -> TableUnderTest:
    """D has the lead, E is the big blind and folds, A, B and C go all-in one after the other, D calls the last."""
    stacks = {1: 20_000, 2: 20_000, 3: 700, 4: 2300, 5: 5100}
    table = bring(stacks, 1, dealt(*holes) if holes else None, **changes)
    return table.plays("3 raise 700", "4 raise 2300", "5 raise 5100", "1 call", "2 fold")


@rule("38/1")
def test_a_side_pot_for_each_all_in(case: Case) -> None:
    seats = {"D": 1, "E": 2, "A": 3, "B": 4, "C": 5}
    table = three_all_in()
    (ended,) = table.of(HandEnded)
    staked = {result.seat: result.staked for result in ended.results}
    assert {name: staked[seat] for name, seat in seats.items()} == case["stakes"]
    claims = [[1, 3, 4, 5], [1, 4, 5], [1, 5]]
    assert [len(eligible) for eligible in claims] == case["players"]
    assert awards(table) == list(zip(case.ints("pots"), claims, strict=True))
    folded = [case["stakes"]["E"], 0, 0]
    layers = zip(case.ints("layers"), case.ints("players"), folded, strict=True)
    assert [layer * players + more for layer, players, more in layers] == case["pots"]
    assert sum(staked.values()) == case["sum"]


def one_all_in(a: int, others: int, *holes: str, folded: int = 0) -> TableUnderTest:
    """A (seat 1, the lead) is all-in, B and C put in more; D puts in `folded` and gives up."""
    table = bring({1: a, 2: 20_000, 3: 20_000, 4: 20_000}, 1, dealt(*holes))
    if folded:
        table.plays(f"3 raise {folded}", "4 call", f"1 raise {a}", f"2 raise {others}", "3 call", "4 fold")
    else:
        table.plays(f"3 raise {others}", "4 fold", "1 call", "2 call")
    return table.checks_down()


@rule("49/1")
def test_the_share_of_who_is_all_in(case: Case) -> None:
    table = one_all_in(case["a"], case["others"], ACES, KINGS, QUEENS, TENS)
    assert sum(amount for amount, _ in awards(table)) == case["pot"]
    assert gross(table) == {1: case["to_a"], 2: case["to_b"]}
    assert case["a"] + 2 * case["from_each"] == case["to_a"]


@rule("49/2")
def test_who_matched_everything_and_is_best_gets_all(case: Case) -> None:
    table = one_all_in(case["a"], case["others"], KINGS, QUEENS, ACES, TENS)
    assert gross(table) == {3: case["pot"]}


@rule("50/1")
def test_the_ratio_gives_what_the_layers_give(case: Case) -> None:
    table = one_all_in(case["a"], case["others"], ACES, KINGS, QUEENS, TENS)
    own, full, more = case.int("a"), case.int("others"), case.int("of_others")
    assert more == 2 * full
    assert gross(table)[1] == case["to_a"] == own + own * more // full == case["layer"] * own
    assert awards(table)[0] == (case["layer"] * own, [1, 2, 3])


@rule("50/2")
def test_dead_money_goes_to_the_main_pot(case: Case) -> None:
    table = one_all_in(case["a"], case["others"], ACES, KINGS, QUEENS, TENS, folded=case["folded"])
    assert sum(amount for amount, _ in awards(table)) == case["pot"]
    assert case["to_a"] == case["layer"] * case["a"] + case["folded"]
    assert gross(table) == {1: case["to_a"], 2: case["side"]}


@rule("66/1")
def test_equal_hands_share_each_pot(case: Case) -> None:
    holes = dealt(ACE_KING, TENS, QUEEN_TEN, KING_ACE)
    table = bring({1: case["a"], 2: 20_000, 3: 20_000, 4: 20_000}, 1, holes)
    assert table.state.rules.dealing.min_unit == case["unit"]
    table.plays(f"3 raise {case['c']}", "4 call", "1 call", "2 fold").checks_down()
    main, side = awards(table)
    assert (main[0], side[0]) == (case["main"], case["side"])
    assert case["layer"] * case["a"] + case["folded"] == case["main"]
    first = [payment.gross for payment in payments(table)][:2]
    assert first == case["halves"]
    assert gross(table) == {1: case["to_a"], 4: case["to_b"]}
    (ended,) = table.of(HandEnded)
    assert {result.seat: result.staked for result in ended.results}[4] == case["b"]


@rule("67/1")
def test_parts_are_whole_minimums_and_the_lead_has_the_largest(case: Case) -> None:
    each = (case.int("pot") - 200) // 2
    table = h6(fresh=dealt(ACE_KING, TENS, KING_ACE, "9h 9s", "7h 7s", "4h 4s"), big_blind=case["minimum"])
    table.plays(f"3 raise {each}", "4 fold", "5 fold", "6 fold", "1 call", "2 fold").checks_down()
    unit, rest = table.state.rules.dealing.min_unit, case.int("rest")
    assert awards(table) == [(case["pot"], [1, 3])]
    assert (case["pot"], sum(case.ints("parts"))) == (case["units"] * unit + rest, case["units"])
    first, second = case.ints("parts")
    assert gross(table) == case.read("shares", dict[int, int]) == {1: first * unit + rest, 3: second * unit}


@rule("67/2")
def test_the_first_winner_from_the_lead_has_the_largest_part(case: Case) -> None:
    lead = case.int("lead")
    holes = dealt("Qh Qs", "Ac 7d", "Ad 7c", "Ah 7s")
    table = led(casino(*case.read("shares", dict[int, int]), lead, big_blind=case["minimum"]), lead, holes)
    table.plays("3 raise 450", "5 call", f"{lead} call", "1 call", f"{lead} check", "1 check", "3 bet 950", "5 call")
    table.plays(f"{lead} fold", "1 call").checks_down()
    assert awards(table) == [(case["pot"], [1, 3, 5])]
    assert case["units"] * table.state.rules.dealing.min_unit + case["rest"] == case["pot"]
    assert gross(table) == case.read("shares", dict[int, int])
    assert [payment.seat for payment in payments(table)] == [1, 3, 5]


@rule("67/3")
def test_less_than_a_unit_is_not_divided(case: Case) -> None:
    short, more = 1000, case.int("pot") // 2
    holes = dealt(ACES, TENS, "Kh Qd", "Ks Qc")
    stacks = {1: short, 2: 20_000, 3: short + more, 4: 20_000}
    table = bring(stacks, 1, holes, big_blind=case["minimum"])
    table.plays(f"3 raise {short + more}", "4 call", "1 call", "2 fold").checks_down()
    side = table.of(PotAwarded, everything=True)[1]
    assert (side.amount, side.winners) == (case["pot"], [3, 4])
    assert [payment.gross for payment in side.payments] == [case["takes"], case["other"]]


@rule("67")
def test_without_chips_the_unit_may_be_a_cent() -> None:
    assert shares_of(2700, [1, 3], rules(CASINO_HOLDEM, min_unit=1)) == [1350, 1350]
    assert h6(min_unit=1).state.rules.dealing.min_unit == 1


@rule("67", "1")
def test_the_lead_comes_first_among_the_winners() -> None:
    """Both play the board; the odd hundred of the folded small blind goes to the first clockwise from the lead."""
    table = h6(lead=5, fresh=stacked("2c 2d 3c 3d 4c 4d 5c 5d 6c 6d 7c 7d 8c As Ks Qs 8d Js 8h Ts"))
    table.plays("1 call", "2 call", "3 fold", "4 fold", "5 fold", "6 check").checks_down()
    (award,) = table.of(PotAwarded, everything=True)
    assert [(paid.seat, paid.gross) for paid in award.payments] == [(6, 300), (1, 200), (2, 200)]
    assert sum(table.stacks.values()) == 120_000


def pot_won(pot: int, **rake: Any) -> TableUnderTest:
    """P4 alone wins a pot of that size at the showdown, after P3 has folded what makes it odd."""
    holes = dealt("9h 9s", "7h 7s", "4h 4s", ACES, KINGS, TENS)
    table = h6(fresh=holes, **rake)
    folded = 600 + (pot - 300) % 2
    each = (pot - 300 - folded) // 2
    table.plays(f"3 raise {folded}", f"4 raise {each}", "5 call", "6 fold", "1 fold", "2 fold", "3 fold")
    return table.checks_down()


@rule("7.a/1", "9.c")
def test_five_percent_rounded_down(case: Case) -> None:
    table = pot_won(case["pot"], rake_bp=case["percent"] * 100)
    assert awards(table) == [(case["pot"], [4, 5])]
    assert Decimal(case.text("exact")) == Decimal(case["pot"] * case["percent"]) / 100
    assert [(each.seat, each.rake, each.net) for each in payments(table)] == [(4, case["rake"], case["receives"])]


@rule("7.a/2")
def test_a_maximum_of_the_charge(case: Case) -> None:
    table = pot_won(case["pot"], rake_bp=case["percent"] * 100, rake_cap=case["cap"])
    assert awards(table) == [(case["pot"], [4, 5])]
    assert [(each.seat, each.rake, each.net) for each in payments(table)] == [(4, case["rake"], case["receives"])]
    assert pot_won(case["pot"], rake_bp=case["percent"] * 100, rake_cap=0).state.books.raked == 0


@rule("7.a/3")
def test_rates_up_to_five_percent_are_accepted(case: Case) -> None:
    over = int(Decimal(case.text("over")) * 100)
    for rulebook in (CASINO_HOLDEM, CASINO_OMAHA):
        assert refusals(rulebook, rake_bp=over) == [("rake_bp", "pt-217-2007#7.a")]
        for percent in range(case["least"], case["most"] + 1):
            assert refusals(rulebook, rake_bp=percent * 100) == []


@rule("7.a/4", "FP-1")
def test_a_pot_won_before_the_flop_is_charged_too(case: Case) -> None:
    table = h6(rake_bp=case["percent"] * 100)
    assert (table.hand.pot, table.state.rules.rake.no_flop_no_rake) == (case["pot"], False)
    table.folds_round()
    (returned,), (ended,) = table.of(UncalledBetReturned), table.of(HandEnded)
    assert (returned.amount, ended.rake, ended.exemption) == (case["back"], case["rake"], None)
    assert awards(table) == [(case["rest"], [2])]
    exempt = {"rake_bp": case["percent"] * 100, "no_flop_no_rake": True}
    (ended,) = h6(**exempt).folds_round().of(HandEnded)
    assert (ended.rake, ended.exemption) == (0, "no_flop")


@rule("65/1")
def test_the_percentage_of_each_payment(case: Case) -> None:
    stacks = {1: 3000, 2: 20_000, 3: 6500, 4: 1500, 5: 20_000}
    table = bring(stacks, 1, dealt(KINGS, "9h 9s", TENS, ACES, QUEENS), rake_bp=case["percent"] * 100)
    table.plays("3 call", "4 raise 1500", "5 call", "1 raise 3000", "2 call", "3 raise 6500", "5 call", "2 fold")
    told = payments(table)
    assert [each.seat for each in told] == [4, 1, 5]
    assert [[each.gross for each in told], [each.rake for each in told]] == [case["payments"], case["rakes"]]
    assert [each.net for each in told] == case["paid"]
    assert table.state.books.raked == case["rake"]


@rule("65/2")
def test_a_cap_is_spread_in_proportion(case: Case) -> None:
    percent = case.int("percent")
    holes = (KING_ACE.replace("K", "Q").replace("A", "K"), TENS, "Ac 7d", "Ad 7c", "Kc Qd")
    for cap, rakes in ((case["cap"], case["rakes"]), (None, case["uncapped"])):
        table = three_all_in(*holes, rake_bp=percent * 100, rake_cap=cap)
        told = payments(table)
        assert [each.gross for each in told] == case["payments"]
        assert [each.rake for each in told] == rakes
        assert table.state.books.raked == sum(rakes) == (cap or case["sum"])


@rule("65")
def test_a_cap_that_binds_nobody_and_one_that_leaves_cents_over() -> None:
    assert spread_cap([80, 70], [1600, 1400], 500) == [80, 70]
    assert spread_cap([50, 50, 50], [1000, 1000, 1000], 100) == [34, 33, 33], "equal: the earliest"


@rule("65", "66")
def test_a_tie_is_divided_first_and_charged_then() -> None:
    hand = hand_with({1: 1350, 3: 1350}, button=4)
    assert paid(hand, {1: 0, 3: 0}, rules(CASINO_HOLDEM, rake_bp=500)) == ({1: 1425, 3: 1140}, [135])
    other = rules(CASINO_HOLDEM, rake_bp=500, rake_order="rake_then_divide")
    assert paid(hand, {1: 0, 3: 0}, other) == ({1: 1365, 3: 1200}, [135])


@rule("FP-4", "69")
def test_a_hand_that_can_not_be_finished_is_void() -> None:
    table = to_flop(h6(rake_bp=500), 1, 2, 3).plays("1 bet 400", "2 call")
    assert table.void() is None
    (voided,) = table.of(HandVoided)
    assert {refund.seat: refund.amount for refund in voided.refunds if refund.amount} == {1: 600, 2: 600, 3: 200}
    assert set(table.stacks.values()) == {20_000}
    assert {seat: held.stack for seat, held in view_of(table).seats.items()} == table.stacks
    assert table.void() == "no_hand"
    assert table.state.books.raked == 0


@rule("68/1")
def test_the_next_hand_waits_for_the_payments(case: Case) -> None:
    """Even where another deck is ready."""
    table = live_h6(pack=PACK, decks="R:red,S:blue").make_ready("S")
    table.plays("3 call", "4 fold", "5 fold", "6 fold", "1 call", "2 check")
    for cards in (3, 1, 1):
        assert table.deal_hand("S") == AtLive.PREVIOUS_HAND_OPEN
        table.burn().turn_up(cards).plays("1 check", "2 check", "3 check")
    assert table.name == "PAYING"
    assert table.deal_hand("S") == AtLive.PREVIOUS_HAND_OPEN
    assert table.deliver() is None
    assert table.names[-1] == "HandEnded"
    assert table.deal_hand("S") is None
    virtual = h6(between_hands_ms=3_000)
    virtual.deal()
    assert not virtual.of(HandEnded), "a hand that runs is not dealt over"
    virtual.folds_round().wake()
    assert virtual.last == []
    virtual.later(3_000)
    assert "HandStarted" in virtual.names


@rule("92")
def test_omaha_settles_alike() -> None:
    assert shares_of(2700, [1, 3], rules(CASINO_OMAHA)) == [1500, 1200]


@rule("54", "39.a")
def test_folded_cards_burns_and_the_stub_are_in_no_public_event() -> None:
    table = to_flop(h6(), 1, 2, 3).checks_down()
    (started,) = table.of(HandStarted, everything=True)
    (dealt,) = table.of(HoleCardsDealt, everything=True)
    said = "".join(encode_fact(event)[1].decode() for event in table.told)
    seen = {position for deal in dealt.deals if deal.seat in (1, 2, 3) for position in deal.positions}
    seen |= {card.position for event in table.of(StreetDealt, everything=True) for card in event.cards}
    names = names_of(table.deck_of(started).cards)
    assert len(seen) == 11
    assert [place for place, name in enumerate(names) if f'"{name}"' in said] == sorted(seen)
