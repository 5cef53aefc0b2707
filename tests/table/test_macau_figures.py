"""Cases of the Macau matrix with figures of their own, one after the other, at a Macau table."""

from typing import Any

import pytest

from libs.cards.card import name_of
from libs.contracts.poker_commands import CancelAct
from libs.contracts.poker_events import (
    BetPlaced,
    BlindPosted,
    ButtonDrawn,
    CardsShown,
    HandEnded,
    HandStarted,
    HoleCardsDealt,
    PlayerFolded,
    PotAwarded,
    StreetDealt,
)
from libs.contracts.registry import encode_fact
from libs.contracts.table_commands import OpenTable
from libs.contracts.table_events import TableSuspended
from libs.sealing.merkle import deck_tree
from libs.sealing.shuffle import Shuffler
from services.table.domain.table.state import Table
from tests.table.play import MACAU, TableUnderTest
from tests.table.under_test import player_principal
from tests.testkit.cases import Case


def macau(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("mo-97-2010", *refs)


def game(button: int, structure: str = "pot_limit_with_raise_cap", **changes: Any) -> TableUnderTest:
    """Stacks as `s<seat>`, the rest is configuration."""
    stacks: dict[str, Any] = {name: changes.pop(name) for name in list(changes) if name[1:].isdigit()}
    wide: dict[str, Any] = {"buy_in_min": 1000, "buy_in_max": 10**7, "top_up_to": 10**7, "structure": structure}
    return TableUnderTest(MACAU, **(wide | changes)).with_stacks(**stacks).deal(button=button)


def many(players: int) -> dict[str, Any]:
    return {f"s{seat}": 10**6 for seat in range(1, players + 1)}


def positions(table: TableUnderTest) -> tuple[int, int, int]:
    (started,) = table.of(HandStarted)
    return started.button, started.small_blind, started.big_blind


def at_seats(case: Case, name: str = "seats") -> dict[str, Any]:
    """Deep stacks at these seats."""
    return {f"s{seat}": 10**6 for seat in case.ints(name)}


def from_to(case: Case) -> dict[str, Any]:
    """Deep stacks at all seats between two."""
    first, last = case.ints("seats")
    return {f"s{seat}": 10**6 for seat in range(first, last + 1)}


def blinds_of(case: Case) -> dict[str, Any]:
    small, big = case.ints("blinds")
    return {"small_blind": small, "big_blind": big}


def posts(table: TableUnderTest) -> dict[int, int]:
    return {event.seat: event.amount for event in table.of(BlindPosted)}


def hole_cards(table: TableUnderTest) -> dict[int, list[int]]:
    """By seat, d1 the first card of the deck."""
    (dealt,) = table.of(HoleCardsDealt, True)
    return {deal.seat: [place + 1 for place in deal.positions] for deal in dealt.deals}


def streets(table: TableUnderTest) -> list[tuple[list[int], list[int]]]:
    """Of each street the cards that were burned and those that were shown, d1 the first card of the deck."""
    told = table.of(StreetDealt, True)
    return [([place + 1 for place in each.burned], [card.position + 1 for card in each.cards]) for each in told]


def used_to_the_end(players: int) -> tuple[list[int], list[int], list[int]]:
    """Hole cards, burn cards and board of a hand that everybody sees to the end, d1 the first card of the deck."""
    table = game(1, seats=players, **many(players)).checks_down()
    held = [card for cards in hole_cards(table).values() for card in cards]
    burned = [card for away, _ in streets(table) for card in away]
    return held, burned, [card for _, cards in streets(table) for card in cards]


@macau("1.1.3/1")
def test_ten_players_take_forty_eight_cards(case: Case) -> None:
    held, burned, board = used_to_the_end(case["players"])
    used = [*held, *burned, *board]
    assert (len(burned), len(used), len(set(used))) == (case["burned"], case["cards"], case["cards"])
    assert set(used) <= set(range(1, case.int("deck") + 1))


@macau("1.1.5/1")
def test_each_hand_has_an_order_of_its_own_fixed_before_the_first_card(case: Case) -> None:
    table = TableUnderTest(MACAU).seat(1, 2, 3)
    table.shuffler = Shuffler()
    whole = list(range(case.int("deck")))
    orders = set()
    for _ in range(20):
        table.wake()
        kinds = [type(event) for event in table.last]
        assert kinds.index(HandStarted) < kinds.index(HoleCardsDealt)
        (started,) = table.of(HandStarted)
        deck = table.deck_of(started)
        assert sorted(deck.cards) == whole
        assert deck_tree(deck, started.deck_leaves).root.hex() == started.deck_root
        assert table.hand.deck == deck, "and the one that is dealt from"
        orders.add(deck.cards)
        table.folds_round()
    assert len(orders) == 20


@macau("3.1.2/1")
@pytest.mark.parametrize("button", [1, 4, 9])
def test_the_recorded_order_alone_gives_every_card(button: int) -> None:
    """Worked out beside the decider: seats from the left of the button, no cut, a burn card before each street."""
    table = game(button, s1=10**6, s4=10**6, s9=10**6)
    table.checks_down()
    (started,) = table.of(HandStarted, True)
    order = [name_of(card) for card in table.deck_of(started).cards]
    seats = [seat for seat in (1, 4, 9) if seat > button] + [seat for seat in (1, 4, 9) if seat <= button]
    laps = [order[first : first + 3] for first in range(0, 12, 3)]
    held = {seat: [lap[place] for lap in laps] for place, seat in enumerate(seats)}
    assert {event.seat: [card.card for card in event.cards] for event in table.of(CardsShown, True)} == held
    told = [card.card for event in table.of(StreetDealt, True) for card in event.cards]
    assert told == [*order[13:16], order[17], order[19]]
    burned = [order[place] for event in table.of(StreetDealt, True) for place in event.burned]
    assert burned == [order[12], order[16], order[18]]


@macau("2.2/2")
def test_eleven_players_take_the_whole_deck(case: Case) -> None:
    held, burned, board = used_to_the_end(case["players"])
    assert (len(held), len(burned), len(board)) == (case["held"], case["burned"], case["board"])
    assert sorted([*held, *burned, *board]) == list(range(1, case.int("deck") + 1))


@macau("1.2/1")
def test_the_first_button_is_on_the_lowest_seat(case: Case) -> None:
    table = TableUnderTest(MACAU, buy_in_min=1000, buy_in_max=10**7, top_up_to=10**7).with_stacks(**at_seats(case))
    table.wake()
    assert positions(table)[0] == case["button"]
    assert table.of(ButtonDrawn, True) == []


@macau("1.2/2")
def test_the_button_goes_on_clockwise(case: Case) -> None:
    table = game(case["button"], **at_seats(case)).folds_round()
    table.wake()
    assert positions(table)[0] == case["then"]


@macau("1.2/3")
def test_the_button_passes_over_a_seat_that_was_left(case: Case) -> None:
    table = game(case["button"], **at_seats(case)).folds_round()
    assert table.leave(case["leaves"]) is None
    table.wake()
    assert positions(table)[0] == case["then"]


@macau("1.2/4")
def test_the_button_stays_after_a_void_hand(case: Case) -> None:
    table = game(case["button"], **at_seats(case))
    assert table.void() is None
    table.wake()
    assert positions(table)[0] == case["then"]


@macau("2.3/1", "2.3/2")
def test_no_hand_with_one_player() -> None:
    table = TableUnderTest(MACAU).seat(1)
    table.wake()
    assert table.of(HandStarted, True) == []
    table.seat(2).wake()
    assert table.of(HandStarted)
    table.folds_round()
    table.leave(1)
    assert table.of(TableSuspended)
    table.wake()
    assert table.of(HandStarted) == []
    table.seat(3).wake()
    assert table.of(HandStarted)


@macau("3.2/1")
def test_the_deal_starts_left_of_the_button(case: Case) -> None:
    table = game(case["button"], **at_seats(case))
    assert {seat: cards[0] for seat, cards in hole_cards(table).items()} == case["first"]


@macau("3.2/2")
@pytest.mark.parametrize("blinds", ["button_small", "left_of_button"])
def test_heads_up_the_deal_starts_with_the_seat_without_the_button(case: Case, blinds: str) -> None:
    table = game(case["button"], heads_up_blinds=blinds, **at_seats(case))
    assert hole_cards(table) == case["cards"]


@macau("6.1/1")
def test_four_cards_each_one_at_a_time(case: Case) -> None:
    table = game(case["button"], **at_seats(case))
    assert hole_cards(table) == case["cards"]


@macau("4.1/1")
def test_only_chips_of_the_stack_are_bet(case: Case) -> None:
    stack = case.int("stack")
    table = game(1, "no_limit", s1=10**6, s2=stack + 1000, s3=10**6).plays("1 call", "2 call", "3 check")
    assert table.stacks[2] == stack
    assert table.act(2, "bet", case["bet"]) == "above_max"
    assert table.refused is not None
    assert table.refused.rule == "mo-97-2010#4.1"
    assert table.act(2, "bet", stack) is None


@macau("5.1/1")
def test_the_small_blind_is_left_of_the_button(case: Case) -> None:
    table = game(case["button"], **blinds_of(case), **from_to(case))
    assert posts(table).items() >= case.read("posts", dict[int, int]).items()
    assert positions(table)[1] in case["posts"]


@macau("5.2/1")
def test_the_big_blind_is_the_second_left_of_the_button(case: Case) -> None:
    table = game(case["button"], **blinds_of(case), **from_to(case))
    assert posts(table).items() >= case.read("posts", dict[int, int]).items()
    assert positions(table)[2] in case["posts"]


@macau("5.1/2")
def test_the_small_blind_is_half_of_the_big_one_where_nobody_says(case: Case) -> None:
    assert TableUnderTest(MACAU, big_blind=case["big"]).state.rules.betting.small_blind == case["small"]


@macau("5.1/3")
def test_another_small_blind_needs_a_reason_and_has_bounds(case: Case) -> None:
    table, big = TableUnderTest(MACAU), case.int("big")

    def opened(small: int, **reason: str) -> str | None:
        table.state = Table(table="t1")
        chosen = table.configured(big_blind=big, small_blind=small, **reason)
        return table.open_table(OpenTable(name="Test", rulebook=MACAU, configuration=chosen))

    for small in case.ints("refused"):
        assert opened(small, small_blind_reason="custom of the room") == "outside_rulebook", small
    for small in case.ints("accepted"):
        assert opened(small) == "outside_rulebook", small
        assert table.refused is not None
        assert table.refused.rule == "mo-97-2010#5.1"
        assert opened(small, small_blind_reason="custom of the room") is None, table.refused
        assert table.state.rules.betting.small_blind == small


@macau("5.2/2", "5.2/3")
def test_heads_up_blinds_on_either_side(case: Case) -> None:
    button_small, literal = case.of("5.2/2"), case.of("5.2/3")
    button, blinds = button_small.int("button"), blinds_of(button_small)
    table = game(button, **blinds, **at_seats(button_small))
    assert (posts(table), table.turn) == (button_small["posts"], button_small["first"])
    other = next(seat for seat in button_small.ints("seats") if seat != button)
    table.plays(f"{button} call", f"{other} check")
    assert table.turn == other
    table = game(button, heads_up_blinds="left_of_button", **blinds, **at_seats(button_small))
    assert (posts(table), table.turn) == (literal["posts"], literal["first"])
    for street in ("flop", "turn", "river"):
        table.plays(f"{table.turn} {'check' if table.legal[0] else 'call'}", f"{button} check")
        assert (table.hand.street, table.turn) == (street, literal["first"])


@macau("5.2/4")
def test_no_dead_button(case: Case) -> None:
    blinds = case.read("blinds", dict[int, int])
    small, big = blinds.values()
    table = game(case["button"], small_blind=small, big_blind=big, **from_to(case))
    assert posts(table) == blinds
    table.folds_round()
    assert table.leave(case["leaves"]) is None
    table.wake()
    assert (positions(table)[0], posts(table)) == (case["then"], case["posts"])


@macau("5.2/5")
def test_less_than_a_big_blind_is_not_dealt_in(case: Case) -> None:
    big, short = case.int("big"), case.int("short")
    table = game(1, big_blind=big, s1=10**6, s2=10**6, s3=10**6, s4=case["enough"])
    assert 4 in hole_cards(table)
    table = game(1, big_blind=big, s1=10**6, s2=10**6, s3=big + short).plays("1 raise 2000", "2 fold", "3 fold")
    assert table.stacks[3] == short
    table.wake()
    assert {seat.seat for seat in table.of(HandStarted)[0].seats} == {1, 2}
    assert 3 not in posts(table)


def five(case: Case, *acts: str) -> TableUnderTest:
    """Seats 1 to 5, the button on 2: the blinds are on 3 and 4, and 5 begins."""
    return game(2, **blinds_of(case), **many(5)).plays(*acts)


@macau("6.3/1")
def test_the_first_round_starts_left_of_the_blinds(case: Case) -> None:
    table, small, big = game(case["button"], **from_to(case)), *case.ints("blinds")
    assert positions(table)[1:] == (small, big)
    order = []
    while table.hand.street == "preflop":
        assert table.turn is not None
        order.append(table.turn)
        table.plays(f"{table.turn} {'check' if table.legal[0] else 'call'}")
    assert order == case["order"]


@macau("6.3.1/1")
def test_who_does_not_raise_puts_in_the_big_blind(case: Case) -> None:
    table = game(2, big_blind=case["big"], **many(5)).plays(f"{case['seat']} call")
    (bet,) = table.of(BetPlaced)
    assert (bet.act, bet.amount, bet.to) == ("call", case["puts_in"], case["puts_in"])


@macau("6.3.1/2")
def test_only_the_big_blind_may_check_before_the_flop(case: Case) -> None:
    table = five(case)
    assert table.act(case["seat"], "check") == "cannot_check"
    table.plays("5 call", "1 call", "2 call")
    assert table.act(3, "check") == "cannot_check"
    table.plays("3 call")
    (bet,) = table.of(BetPlaced)
    assert bet.amount == case["more"]


@macau("6.3.2/1")
def test_the_first_raise(case: Case) -> None:
    table, seat = five(case), case.int("seat")
    least, most = case.ints("total")
    assert (table.turn, table.legal[2:]) == (seat, (least, most))
    assert (table.act(seat, "raise", least - 1), table.act(seat, "raise", most + 1)) == ("below_min", "above_max")
    assert table.act(seat, "raise", most) is None


@macau("6.3.3/1")
def test_who_folds_is_out_and_keeps_no_claim(case: Case) -> None:
    table = game(2, **many(5)).plays(f"{case['seat']} fold", "1 call", "2 call", "3 call", "4 check")
    assert table.act(case["seat"], "call") is not None
    table.checks_down()
    awarded = table.of(PotAwarded, True)
    assert awarded
    assert all(case["seat"] not in [*pot.eligible, *pot.winners] for pot in awarded)


@macau("6.4/1")
def test_a_big_blind_that_nobody_raised_may_check_raise_or_fold(case: Case) -> None:
    one, two = case.ints("callers")
    table = five(case, f"{one} call", f"{two} call", "2 fold", "3 fold")
    assert [(bet.seat, bet.to) for bet in table.of(BetPlaced, True)] == [(one, case["called"]), (two, case["called"])]
    assert (table.turn, table.legal) == (4, (True, None, *case.ints("total")))
    table.plays("4 check")
    assert table.hand.street == "flop"


@macau("6.4/2")
def test_a_big_blind_that_was_raised_may_call_raise_or_fold(case: Case) -> None:
    table = five(case, f"{case['raiser']} raise {case['to']}", "1 fold", "2 fold", "3 fold")
    assert (table.turn, table.legal) == (4, (False, case["call"], *case.ints("total")))
    assert table.act(4, "check") == "cannot_check"


def on_the_flop(button: int, stay: list[int], **changes: Any) -> TableUnderTest:
    """Seats 1 to 5 with a button; these call before the flop, the others fold."""
    table = game(button, **many(5), **changes)
    while table.hand.street == "preflop":
        assert table.turn is not None
        table.plays(f"{table.turn} {'fold' if table.turn not in stay else 'check' if table.legal[0] else 'call'}")
    return table


def order_of(table: TableUnderTest) -> list[int]:
    """Who is asked in this round, if all check."""
    order, street = [], table.hand.street
    while table.state.hand is not None and table.hand.street == street:
        assert table.turn is not None
        order.append(table.turn)
        table.plays(f"{table.turn} check")
    return order


@macau("6.5/1")
def test_the_button_is_last_from_the_flop_on(case: Case) -> None:
    assert order_of(on_the_flop(case["button"], case.ints("order"))) == case["order"]


@macau("7.2/1")
def test_the_second_round_starts_left_of_the_button(case: Case) -> None:
    table = on_the_flop(case["button"], case.ints("stay"))
    assert case["folded"] not in case.ints("stay")
    assert (table.hand.street, table.turn) == ("flop", case["first"])


@macau("8.2/1")
def test_the_third_round_starts_left_of_the_button(case: Case) -> None:
    table = on_the_flop(case["button"], case.ints("stay"))
    order_of(table)
    assert (table.hand.street, table.turn) == ("turn", case["first"])


@macau("8.4/1")
def test_the_last_round_starts_left_of_the_button_and_closes_when_all_have_acted(case: Case) -> None:
    table = on_the_flop(case["button"], case.ints("stay"))
    order_of(table)
    order_of(table)
    assert (table.hand.street, table.turn) == ("river", case["first"])
    one, two = case.ints("stay")
    table.plays(f"{one} check", f"{two} bet 1000")
    assert table.turn == one, "totals are not equal"
    table.plays(f"{one} call")
    assert table.of(HandEnded)


@macau("7.1/1")
def test_one_card_is_burned_before_the_flop(case: Case) -> None:
    table = game(case["button"], **many(case["players"])).plays("1 call", "2 call", "3 check")
    assert streets(table) == [([case["burned"]], case.ints("flop"))]
    assert table.hand.deck is not None
    burned = name_of(table.hand.deck.cards[case.int("burned") - 1])
    told = "".join(encode_fact(event)[1].decode() for event in table.told)
    assert f'"{burned}"' not in told, "unseen"


@macau("8.1/1")
def test_one_card_is_burned_before_the_turn(case: Case) -> None:
    table = game(case["button"], **many(case["players"])).plays("1 call", "2 call", "3 check")
    order_of(table)
    assert streets(table)[1:] == [([case["burned"]], [case["turn"]])]


@macau("8.3/1")
def test_one_card_is_burned_before_the_river(case: Case) -> None:
    table = game(case["button"], **many(case["players"])).plays("1 call", "2 call", "3 check")
    order_of(table)
    order_of(table)
    assert streets(table)[2:] == [([case["burned"]], [case["river"]])]


@macau("7.3.1/1")
def test_a_bet_on_the_flop_is_from_the_big_blind_to_the_pot(case: Case) -> None:
    stack, pot = case.int("stack"), case.int("pot")
    each = pot // 3

    def flop_with_that() -> TableUnderTest:
        deep: dict[str, Any] = dict.fromkeys(("s1", "s2", "s3"), stack + each)
        table = game(1, big_blind=case["big"], **deep).plays(f"1 raise {each}", "2 call", "3 call")
        assert (table.hand.pot, table.stacks[2]) == (pot, stack)
        return table

    below, above = case.ints("refused")
    assert flop_with_that().act(2, "bet", below) == "below_min"
    assert flop_with_that().act(2, "bet", above) == "above_max"
    for amount in case.ints("accepted"):
        assert flop_with_that().act(2, "bet", amount) is None


def flop_of_three() -> TableUnderTest:
    return game(1, **many(3)).plays("1 call", "2 call", "3 check")


@macau("7.3.1/2")
def test_after_a_bet_one_may_call_raise_or_fold(case: Case) -> None:
    for act in ("call", "raise", "fold"):
        table = flop_of_three().plays(f"2 bet {case['bet']}")
        check, call, least, _ = table.legal
        assert (table.turn, check, call) == (3, False, case["call"])
        assert table.act(3, act, least if act == "raise" else None) is None


@macau("7.3.2/1")
def test_a_round_in_which_all_check_is_closed() -> None:
    table = flop_of_three()
    before = (table.hand.pot, dict(table.stacks))
    assert order_of(table) == [2, 3, 1]
    assert (table.hand.street, (table.hand.pot, dict(table.stacks))) == ("turn", before)


@macau("7.3.2/2")
def test_no_check_after_a_bet(case: Case) -> None:
    table = flop_of_three().plays(f"2 bet {case['bet']}")
    assert table.act(3, "check") == "cannot_check"
    assert table.refused is not None
    assert table.refused.rule == "mo-97-2010#7.3.2"


@macau("7.3.3/1")
def test_a_fold_on_the_turn_with_nothing_owed() -> None:
    table = flop_of_three()
    order_of(table)
    assert (table.hand.street, table.legal[0]) == ("turn", True)
    assert table.act(2, "fold") is None


@macau("8.4/2")
def test_all_in_before_the_flop_is_dealt_out_with_its_burns(case: Case) -> None:
    stacks = dict.fromkeys(many(case["players"]), 5000)
    table = game(case["button"], "no_limit", **stacks).plays("1 raise 5000", "2 call", "3 call")
    assert [card for away, _ in streets(table) for card in away] == case["burned"]
    assert [card for _, cards in streets(table) for card in cards] == case["board"]
    assert [len(cards) for _, cards in streets(table)] == [3, 1, 1]
    assert table.state.hand is None
    assert len(table.of(CardsShown)) == 3


def shown(table: TableUnderTest) -> list[int]:
    return [event.seat for event in table.of(CardsShown, True)]


@macau("8.5/1")
def test_everybody_at_the_end_shows_all_cards(case: Case) -> None:
    table = game(1, **many(case["players"])).checks_down()
    assert len(shown(table)) == case["players"]
    assert sum(len(event.cards) for event in table.of(CardsShown, True)) == case["cards"]


@macau("8.5/2")
def test_who_bet_last_shows_first(case: Case) -> None:
    table = on_the_flop(case["button"], case.ints("seats"))
    order_of(table)
    order_of(table)
    first, second = case.ints("seats")
    table.plays(f"{first} check", f"{second} bet 1000", f"{first} call")
    assert shown(table) == case["order"]


@macau("8.5/3")
def test_without_a_bet_the_first_left_of_the_button_shows_first(case: Case) -> None:
    table = on_the_flop(case["button"], case.ints("seats")).checks_down()
    assert shown(table) == case["order"]


@macau("8.5/4")
def test_a_hand_that_ends_by_folds_shows_nothing() -> None:
    early = game(1, **many(3)).plays("1 fold", "2 fold")
    assert early.of(HandEnded)
    assert (shown(early), streets(early)) == ([], [])
    late = flop_of_three()
    order_of(late)
    order_of(late)
    late.plays("2 bet 1000", "3 fold", "1 fold")
    assert late.of(HandEnded)
    assert (shown(late), len(streets(late))) == ([], 3)


@macau("11.1/1")
def test_an_accepted_bet_is_final(case: Case) -> None:
    table = flop_of_three().plays(f"2 bet {case['bet']}")
    for act, to in (("fold", None), ("check", None), ("bet", 1000)):
        assert table.act(2, act, to) == "not_your_turn"
    take_back = CancelAct(hand=table.hand.number, seat=2)
    assert table.send(player_principal("p2"), take_back) == "action_final"
    assert table.refused is not None
    assert table.refused.rule == "mo-97-2010#11.1"
    assert (table.hand.pot, table.turn) == (3000 + case.int("bet"), 3)


def pot_of_92500(*acts: str, **changes: Any) -> TableUnderTest:
    """The flop of a limit game, seats 4 and 5 in, with 92,500 in the pot."""
    table = game(2, **(many(5) | changes)).plays("5 raise 3500", "1 fold", "2 raise 12000", "3 fold", "4 raise 40000")
    return table.plays("5 call", "2 fold", *acts)


@macau("11.2.1/1")
def test_a_bet_of_the_pot(case: Case) -> None:
    table = pot_of_92500()
    assert (table.hand.street, table.hand.pot, table.turn) == ("flop", case["pot"], 4)
    assert table.act(4, "bet", case["above"]) == "above_max"
    assert table.act(4, "bet", case["pot"]) is None


@macau("11.2.1/2")
def test_the_least_bet_of_a_limit_game(case: Case) -> None:
    each = case.int("pot") // 3

    def flop_with(stack: int) -> TableUnderTest:
        table = game(1, big_blind=case["big"], s1=10**6, s2=stack + each, s3=10**6)
        table.plays(f"1 raise {each}", "2 call", "3 call")
        assert (table.hand.pot, table.stacks[2]) == (case["pot"], stack)
        return table

    assert flop_with(case["stack"]).act(2, "bet", case["refused"]) == "below_min"
    assert flop_with(case["stack"]).act(2, "bet", case["accepted"]) is None
    table = flop_with(case["short"])
    assert table.act(2, "bet", case["short"]) is None
    assert table.of(BetPlaced)[0].all_in


@macau("11.2.1/3")
def test_no_bet_is_above_the_stack(case: Case) -> None:
    table = pot_of_92500(s4=40_000 + case.int("stack"))
    assert (table.hand.pot, table.stacks[4]) == (case["pot"], case["stack"])
    assert table.legal[3] == case["largest"]
    assert table.act(4, "bet", case.int("largest") + 1) == "above_max"


@macau("11.2.2/1")
def test_a_call_moves_what_is_lacking(case: Case) -> None:
    table = game(1, **many(3)).plays(f"1 raise {case['highest']}", "2 fold", "3 call")
    (bet,) = table.of(BetPlaced)
    assert (bet.amount, bet.to - bet.amount, bet.all_in) == (case["moves"], case["put_in"], False)


@macau("11.2.2/2")
def test_a_call_for_less_is_all_in(case: Case) -> None:
    table = game(1, s1=10**6, s2=10**6, s3=case.int("put_in") + case.int("left"))
    table.plays(f"1 raise {case['highest']}", "2 fold", "3 call")
    (bet,) = table.of(BetPlaced)
    assert (bet.amount, bet.to - bet.amount, bet.all_in) == (case["moves"], case["put_in"], True)


def refused_above_and_taken(table: TableUnderTest, seat: int, case: Case) -> None:
    assert sum(case.ints("sum")) == case["accepted"]
    assert (table.turn, table.legal[3]) == (seat, case["accepted"])
    assert table.act(seat, "raise", case["refused"]) == "above_max"
    assert table.refused is not None
    assert table.refused.rule == "mo-97-2010#11.2.3"
    assert table.act(seat, "raise", case["accepted"]) is None


@macau("11.2.3/1")
def test_the_first_raise_of_the_pot(case: Case) -> None:
    refused_above_and_taken(game(case["button"], **blinds_of(case), **many(5)), case["seat"], case)


@macau("11.2.3/2")
def test_a_raise_of_the_pot_after_another(case: Case) -> None:
    table = game(2, **many(5)).plays(f"{case['raiser']} raise {case['to']}", f"{case['folds']} fold")
    assert table.hand.pot == case["pot"]
    refused_above_and_taken(table, case["seat"], case)


@macau("11.2.3/3")
def test_a_raise_of_the_pot_by_the_big_blind(case: Case) -> None:
    table = game(2, **many(5)).plays("5 raise 3500", "1 fold", f"{case['raiser']} raise {case['to']}", "3 fold")
    big_blind = table.of(BlindPosted, True)[-1]
    assert (table.hand.pot, big_blind.seat, big_blind.amount) == (case["pot"], 4, case["put_in"])
    refused_above_and_taken(table, 4, case)


@macau("11.3/1")
def test_a_bet_without_limit(case: Case) -> None:
    big, stack = case.int("big"), case.int("stack")

    def flop_with_that() -> TableUnderTest:
        deep: dict[str, Any] = dict.fromkeys(("s1", "s2", "s3"), stack + big)
        return game(1, "no_limit", big_blind=big, **deep).plays("1 call", "2 call", "3 check")

    assert flop_with_that().act(2, "bet", case["refused"]) == "below_min"
    for amount in case.ints("accepted"):
        assert flop_with_that().act(2, "bet", amount) is None


@macau("11.3/2")
def test_a_stack_below_the_big_blind_is_bet_whole(case: Case) -> None:
    big, stack = case.int("big"), case.int("stack")
    table = game(1, "no_limit", big_blind=big, buy_in_min=big, s1=10**6, s2=stack + big, s3=10**6)
    table.plays("1 call", "2 call", "3 check")
    assert table.stacks[2] == stack
    assert table.act(2, "bet", case["bet"]) is None
    (bet,) = table.of(BetPlaced)
    assert (bet.amount, bet.all_in) == (stack, True)


def flop(bet: int, **stacks: Any) -> TableUnderTest:
    """No limit, three players, 1000 each in; seat 2 bets, then come 3 and 1."""
    return game(1, "no_limit", **(many(3) | stacks)).plays("1 call", "2 call", "3 check", f"2 bet {bet}")


@macau("12.1/1")
def test_a_raise_is_at_least_the_bet(case: Case) -> None:
    table = flop(case["bet"])
    assert table.act(3, "raise", case["refused"]) == "below_min"
    assert table.act(3, "raise", case["accepted"]) is None


@macau("12.1/2")
def test_a_raise_is_at_least_the_last_one(case: Case) -> None:
    table = flop(case["bet"]).plays(f"3 raise {case['to']}")
    assert table.act(1, "raise", case["refused"]) == "below_min"
    assert table.act(1, "raise", case["accepted"]) is None


@macau("12.1/3")
def test_only_raises_of_this_round_count(case: Case) -> None:
    table = game(1, "no_limit", big_blind=case["big"], **many(3)).plays(f"1 raise {case['before']}", "2 fold", "3 call")
    table.plays(f"3 bet {case['bet']}")
    assert table.act(1, "raise", case.int("to") - 1) == "below_min"
    assert table.act(1, "raise", case["to"]) is None


@macau("12.1/4")
def test_a_short_all_in_does_not_reopen(case: Case) -> None:
    table = flop(case["bet"], s3=1000 + case.int("all_in")).plays(f"3 raise {case['all_in']}", "1 fold")
    assert (table.turn, table.legal[:3]) == (2, (False, case["call"], None))
    assert table.act(2, "raise", 5000) in ("not_reopened", "nobody_to_answer")
    called = flop(case["bet"], s3=1000 + case.int("all_in")).plays(f"3 raise {case['all_in']}", "1 call")
    assert called.act(2, "raise", 5000) == "not_reopened"


@macau("12.1/5")
def test_a_full_raise_over_a_short_one(case: Case) -> None:
    table = flop(case["bet"], s3=1000 + case.int("all_in")).plays(f"3 raise {case['all_in']}")
    assert table.act(1, "raise", case["refused"]) == "below_min"
    assert table.act(1, "raise", case["accepted"]) is None
    assert (table.turn, table.legal[2]) == (2, case["then"])


@macau("12.2/1")
def test_three_raises_before_the_flop_and_no_fourth(case: Case) -> None:
    one, two, three = case.ints("raises")
    table = game(2, **blinds_of(case), **many(5))
    table.plays(f"5 raise {one}", "1 fold", f"2 raise {two}", "3 fold", f"4 raise {three}")
    assert table.act(5, "raise", 100_000) == "raise_cap"
    assert table.refused is not None
    assert table.refused.rule == "mo-97-2010#12.2"
    assert (table.legal[1] is not None, table.legal[2:]) == (True, (None, None))


def raised(table: TableUnderTest, case: Case, *seats: int) -> TableUnderTest:
    """The first of the seats bets, the others raise in turn."""
    acts = [f"{seats[0]} bet {case['bet']}"]
    acts += [f"{seat} raise {to}" for seat, to in zip(seats[1:], case.ints("raises"), strict=True)]
    return table.plays(*acts)


@macau("12.2/2")
def test_three_raises_on_the_flop_and_no_fourth(case: Case) -> None:
    table = raised(flop_of_three(), case, 2, 3, 1, 2)
    assert table.act(3, "raise", case["fourth"]) == "raise_cap"
    assert table.legal[2:] == (None, None)


@macau("12.2/3")
def test_a_short_all_in_is_no_raise(case: Case) -> None:
    """A is seat 2, B 3, C 4, D 1."""
    each = case.int("pot") // 4
    table = game(1, **(many(4) | {"s1": each + case.int("all_in")}))
    table.plays(f"4 raise {each}", "1 call", "2 call", "3 call")
    assert table.hand.pot == case["pot"]
    raised(table, case, 2, 3, 4).plays(f"1 raise {case['all_in']}", f"2 raise {case['third']}")
    assert table.act(3, "raise", case["fourth"]) == "raise_cap"


@macau("12.2/4")
def test_the_count_begins_anew_in_each_round(case: Case) -> None:
    table = game(1, **many(3)).plays("1 raise 2000", "2 raise 3000", "3 raise 4000")
    assert table.act(1, "raise", 5000) == "raise_cap"
    table.plays("1 call", "2 call", f"2 bet {case['bet']}")
    assert table.act(3, "raise", case["to"]) is None


@macau("12.3/1")
def test_raises_without_limit_in_number(case: Case) -> None:
    table = game(1, "no_limit", **many(3)).plays("1 call", "2 call", "3 check", "2 bet 1000")
    for _ in range(case.int("raises")):
        table.plays(f"{table.turn} raise {table.legal[2]}")
    assert case.int("more") == case.int("raises") + 1
    seat = table.turn or 0
    assert table.legal[3] == table.stacks[seat] + table.hand.players[seat].in_round, "nor in size"
    table.plays(f"{table.turn} raise {table.legal[2]}")


@macau("12.3/2")
def test_the_pot_sets_no_maximum_without_limit(case: Case) -> None:
    stacks: dict[str, Any] = dict.fromkeys(many(5), case["to"])
    table = game(2, "no_limit", **blinds_of(case), **stacks)
    assert (table.hand.pot, table.turn, table.legal[3]) == (case["pot"], case["seat"], case["to"])
    assert table.act(case["seat"], "raise", case["to"]) is None


@macau("12.4/1")
def test_a_fourth_raise_between_two(case: Case) -> None:
    for lifted, reason in ((True, None), (False, "raise_cap")):
        table = game(1, s1=10**6, s2=10**6, raise_cap_lifted_heads_up=lifted).plays("1 call", "2 check")
        order_of(table)
        assert table.hand.street == "turn"
        raised(table, case, 2, 1, 2, 1)
        assert table.act(2, "raise", case["fourth"]) == reason
    assert game(1, s1=10**6, s2=10**6).state.rules.betting.raise_cap_lifted_heads_up, "as it ships"


@macau("12.4/2")
def test_a_cap_reached_with_three_stays() -> None:
    table = flop_of_three().plays("2 bet 1000", "3 raise 2000", "1 raise 3000", "2 raise 4000", "3 fold")
    assert table.act(1, "raise", 5000) == "raise_cap"


@macau("12.4/3")
def test_an_all_in_player_still_counts() -> None:
    table = game(1, s1=10**6, s2=10**6, s3=2000).plays("1 call", "2 call", "3 check")
    table.plays("2 bet 1000", "3 call", "1 raise 2000", "2 raise 3000", "1 raise 4000")
    assert table.act(2, "raise", 5000) == "raise_cap"


def turn_of_172500(**changes: Any) -> TableUnderTest:
    """Two players of a limit game on the turn; seat 4 is first."""
    table = pot_of_92500("4 bet 40000", "5 call", **changes)
    assert (table.hand.street, table.turn) == ("turn", 4)
    return table


@macau("12.4/4")
def test_the_size_of_a_raise_between_two(case: Case) -> None:
    assert sum(case.ints("sum")) == case["accepted"]
    as_it_ships: dict[str, bool] = {}
    for switch in (as_it_ships, {"heads_up_size_unlimited": False}, {"heads_up_size_unlimited": True}):
        table = turn_of_172500(**switch)
        assert table.hand.pot == case["pot"]
        table.plays(f"4 bet {case['bet']}")
        unlimited = switch.get("heads_up_size_unlimited", False)
        assert table.act(5, "raise", case["refused"]) == (None if unlimited else "above_max")
        if not unlimited:
            assert table.act(5, "raise", case["accepted"]) is None


@macau("12.4/5")
@pytest.mark.parametrize("unlimited", [False, True])
def test_the_first_bet_between_two_stays_within_the_pot(case: Case, unlimited: bool) -> None:
    table = turn_of_172500(heads_up_size_unlimited=unlimited)
    assert table.hand.pot == case["pot"]
    assert table.act(4, "bet", case["bet"]) == "above_max"


@macau("13.1/1")
@pytest.mark.parametrize("rounds", [0, 1, 2, 3])
def test_a_fold_in_each_of_the_four_rounds(rounds: int) -> None:
    table = game(1, **many(3))
    if rounds:
        table.plays("1 call", "2 call", "3 check")
    for _ in range(rounds - 1):
        order_of(table)
    assert table.hand.street == ("preflop", "flop", "turn", "river")[rounds]
    seat = table.turn
    assert seat is not None
    assert table.act(seat, "fold") is None
    assert [event.seat for event in table.of(PlayerFolded)] == [seat]


@macau("13.3/1")
def test_what_a_folding_player_has_bet_stays_in_the_pot(case: Case) -> None:
    big, caller = case.ints("stay")
    table = game(2, "no_limit", small_blind=case["small"], **many(5))
    table.plays(f"{caller} call", "1 fold", f"{case['folds']} raise {case['put_in']}", "3 fold")
    table.plays(f"{big} raise {case['each']}", f"{caller} call", f"{case['folds']} fold")
    assert case["both"] == 2 * case.int("each")
    assert table.hand.pot == case["pot"] == case.int("small") + case.int("put_in") + case.int("both")
    while table.state.hand is not None:
        order_of(table)
    assert sum(pot.amount for pot in table.of(PotAwarded)) == case["pot"], "and is paid with it"
