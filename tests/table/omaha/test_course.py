"""The course of a hand: button, blinds, newcomers, cards, turns, showdown (2, 4.b, 4.c, 7, 15, 21, 46 to 64)."""

import pytest

from libs.cards.card import DECK, names_of
from libs.contracts.poker_events import (
    BlindPosted,
    ButtonDrawn,
    CardsShown,
    DecisionAwaited,
    HandEnded,
    HandStarted,
    HandVoided,
    HoleCardsDealt,
    PotAwarded,
    StreetDealt,
)
from libs.contracts.table_events import TableSuspended
from libs.sealing.shuffle import GENERATOR
from services.table.domain.table.state import Table
from tests.table.omaha.play import DEEP, each, game, portugal, ranked, seated
from tests.table.play import TableUnderTest
from tests.table.test_rulebooks import rules_broken
from tests.table.under_test import refolded
from tests.table.views import view_of
from tests.testkit.cases import Case


def positions(table: TableUnderTest) -> tuple[int, list[int]]:
    """Button and blinds of the hand that has just begun, as posted."""
    (started,) = table.of(HandStarted)
    posted = [event.seat for event in table.of(BlindPosted) if event.blind in ("small", "big")]
    assert posted == [started.small_blind, started.big_blind]
    return started.button, posted


def dealt_in(table: TableUnderTest) -> set[int]:
    (dealt,) = table.of(HoleCardsDealt)
    return {deal.seat for deal in dealt.deals}


def numbered(case: Case) -> range:
    """Seats from … to … of a case."""
    return range(case.int("from"), case.int("to") + 1)


def next_hand(table: TableUnderTest) -> TableUnderTest:
    table.folds_round().wake()
    return table


def before_payment_of(hand: int, table: TableUnderTest) -> TableUnderTest:
    """The table as its log says up to, and without, the payment of a hand."""
    state = Table(table="t1")
    for event, deck in zip(table.told, table.decks, strict=True):
        if isinstance(event, PotAwarded) and event.hand == hand:
            break
        state = refolded(state, event, deck)
    table.state = state
    return table


@each("2.i/1", "2.n/1")
def test_the_blinds_are_left_of_the_button(case: Case) -> None:
    table = game(case["button"], case["seats"])
    assert positions(table) == (case["button"], [case["small"], case["big"]])


@portugal("48/2")
def test_an_empty_seat_posts_nothing(case: Case) -> None:
    table = game(case["button"], case["seats"])
    assert case["empty"] not in table.state.seats
    assert positions(table) == (case["button"], [case["small"], case["big"]])


@portugal("48/1")
def test_the_blinds_are_posted_before_any_card(case: Case) -> None:
    small, big = case.ints("blinds")
    table = game(case["button"], numbered(case), small_blind=small, big_blind=big)
    posted = [(event.seat, event.amount) for event in table.of(BlindPosted)]
    assert posted == [(case["small"], small), (case["big"], big)]
    assert table.names == ["HandStarted", "BlindPosted", "BlindPosted", "HoleCardsDealt", "DecisionAwaited"]


@each("48/3", "48/4")
def test_the_blinds_of_two(case: Case) -> None:
    small, big = case.ints("blinds")
    first, second = case.int("small"), case.int("big")
    table = game(case["button"], case["seats"], small_blind=small, big_blind=big, heads_up_blinds=case["switch"])
    assert [(event.seat, event.amount) for event in table.of(BlindPosted)] == [(first, small), (second, big)]
    table.plays(f"{first} call", f"{second} check")
    other = next(seat for seat in case["seats"] if seat != case["button"])
    for street in ("flop", "turn", "river"):
        assert (table.hand.street, table.turn) == (street, other)
        table.plays(f"{other} check", f"{case['button']} check")


@portugal("2.j/1")
def test_every_player_has_four_cards(case: Case) -> None:
    (dealt,) = game(1, (1, 2, 3, 4, 5)).of(HoleCardsDealt)
    assert [len(deal.positions) for deal in dealt.deals] == [case["cards"]] * 5


@portugal("2.j/2")
def test_a_hand_begins_with_the_deck() -> None:
    table = game(1, (1, 2, 3))
    assert table.names[:4] == ["HandStarted", "BlindPosted", "BlindPosted", "HoleCardsDealt"]
    assert table.last[0].deck_root
    assert [event.blind for event in table.of(BlindPosted)] == ["small", "big"]


@portugal("2.j/3")
def test_a_hand_is_in_progress_until_it_is_paid(case: Case) -> None:
    table = seated({1: 9000, 2: 9000, 3: 9000})
    while table.state.hands < case.int("hand") - 1:
        table.wake()
        table.folds_round()
    table.wake()
    assert table.hand.number == case["hand"]
    table.folds_round()
    before_payment_of(case["hand"], table)
    assert table.top_up(1, 500) is None
    assert table.names == ["TopUpRequested"], "kept, and not carried out"


@portugal("4.b/1")
def test_all_cards_are_of_one_deck(case: Case) -> None:
    table = game(1, range(1, case.int("players") + 1))
    (dealt,), (started,) = table.of(HoleCardsDealt), table.of(HandStarted)
    deck = table.deck_of(started)
    table.checks_down()
    holes = [deck.cards[position] for deal in dealt.deals for position in deal.positions]
    board = [card.card for event in table.of(StreetDealt, True) for card in event.cards]
    cards = names_of(holes) + board
    assert (len(cards), len(set(cards)), len(DECK)) == (case["cards"], case["cards"], case["deck"])
    assert set(cards) <= {rank + suit for rank in "AKQJT98765432" for suit in "shdc"}


@each("4.c/1", "4.c/2")
def test_the_button_moves_clockwise(case: Case) -> None:
    table = game(case["button"], case["seats"])
    assert positions(table)[0] == case["button"]
    assert positions(next_hand(table))[0] == case["next"]


@portugal("7/1")
def test_one_player_starts_nothing() -> None:
    table = seated((1,))
    assert table.due is None
    table.wake()
    table.later(3_600_000)
    assert table.of(HandStarted, True) == []


@portugal("7/2")
def test_below_two_the_table_is_suspended_and_then_draws() -> None:
    table = game(2, {1: 10_000, 2: 10_000})
    table.leave(2)
    (award,) = table.of(PotAwarded)
    assert award.winners == [1]
    assert table.names.index("HandEnded") < table.names.index("TableSuspended")
    assert view_of(table).suspended, "everybody is told that the table stands still"
    table.wake()
    assert table.of(HandStarted) == []
    drawn = set()
    for _ in range(20):
        again = seated({1: 10_000, 2: 10_000})
        again.shuffler = table.shuffler
        again.deal(button=2).leave(2)
        again.seat(3).wake()
        assert not view_of(again).suspended
        drawn |= {event.seat for event in again.of(ButtonDrawn)}
        assert positions(again)[0] == again.of(ButtonDrawn)[0].seat
    assert drawn == {1, 3}


@portugal("7/3")
def test_players_on_a_break_do_not_make_a_table() -> None:
    table = game(1, (1, 2, 3))
    for seat in (1, 2):
        table.sit_out(seat, on_break=True)
    table.folds_round()
    assert table.of(TableSuspended)
    table.later(60_000)
    assert len(table.state.seats) == 3
    assert len(table.of(HandStarted, True)) == 1


def without(table: TableUnderTest, seat: int) -> None:
    """The seat has no cards in the running hand, and has posted nothing."""
    assert seat not in dealt_in(table)
    assert seat not in {event.seat for event in table.of(BlindPosted)}


@portugal("15/1")
def test_who_has_less_than_the_minimum_waits_for_a_top_up(case: Case) -> None:
    minimum, stack = case.int("minimum"), case.int("stack")
    table = game(3, {1: 9000, 2: 9000, 3: minimum + stack}, big_blind=minimum)
    table.plays("3 call", "1 fold", "2 raise 300", "3 fold")
    assert table.stacks[3] == stack
    table.wake()
    without(table, 3)
    table.folds_round().wake()
    without(table, 3)
    table.folds_round()
    assert table.top_up(3, 5000) is None
    assert table.confirm_top_up() is None
    hands = 0
    while 3 not in table.state.seats or table.state.hand is None or 3 not in table.hand.players:
        next_hand(table)
        hands += 1
        assert hands < 4, "it comes back with the big blind"


@portugal("15/2")
def test_who_has_just_the_minimum_plays(case: Case) -> None:
    table = game(1, {1: 9000, 2: 9000, 3: case["stack"]}, big_blind=case["minimum"])
    assert 3 in dealt_in(table)
    big = table.of(BlindPosted)[-1]
    assert (big.seat, big.amount, big.all_in) == (3, case["minimum"], True)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        pytest.param("ante", 10, marks=portugal("21/1")),
        pytest.param("newcomer_post", True, marks=portugal("21/1")),
    ],
)
def test_no_third_compulsory_bet(field: str, value: object) -> None:
    assert rules_broken("pt-811-2015-omaha", **{field: value}) == [(field, "pt-811-2015#21")]


def stands(table: TableUnderTest, expected: dict[str, object]) -> None:
    assert positions(table) == (expected["button"], expected["blinds"])


@portugal("21/2")
def test_a_newcomer_waits_for_the_big_blind(case: Case) -> None:
    newcomer = case.int("newcomer")
    table = game(case["button"], numbered(case))
    assert positions(table)[1] == case["blinds"]
    table.seat(newcomer, amount=DEEP)
    stands(next_hand(table), case.read("first", dict[str, object]))
    without(table, newcomer)
    stands(next_hand(table), case.read("then", dict[str, object]))
    assert newcomer in dealt_in(table)


@portugal("21/3")
def test_a_newcomer_may_freely_post(case: Case) -> None:
    small, big = case.ints("blinds")
    newcomer = case.int("newcomer")
    table = game(1, numbered(case), small_blind=small, big_blind=big).seat(newcomer, amount=DEEP)
    assert table.sit_in(newcomer, post=True) is None
    next_hand(table)
    assert positions(table) == (case["button"], case["posters"])
    (entry,) = [event for event in table.of(BlindPosted) if event.seat == newcomer]
    assert (entry.amount, entry.to, entry.compulsory) == (case["post"], case["post"], False)
    assert newcomer in dealt_in(table)
    assert table.turn == newcomer
    assert table.legal[:3] == (True, None, case["raise"])


@portugal("21/4")
def test_a_newcomer_is_passed_over_for_the_button(case: Case) -> None:
    newcomer = case.int("newcomer")
    table = game(case["button"], case["seats"]).seat(newcomer, amount=DEEP)
    stands(next_hand(table), case.read("first", dict[str, object]))
    without(table, newcomer)
    stands(next_hand(table), case.read("then", dict[str, object]))
    assert newcomer in dealt_in(table)


@portugal("25/1")
def test_four_rounds_and_five_cards(case: Case) -> None:
    players = case.int("players")
    table = game(1, range(1, players + 1)).checks_down()
    (dealt,) = table.of(HoleCardsDealt, True)
    assert sum(len(deal.positions) for deal in dealt.deals) == case["hole"]
    streets = [(event.street, len(event.cards)) for event in table.of(StreetDealt, True)]
    assert streets == list(zip(("flop", "turn", "river"), case["board"], strict=True))
    course = [
        event.street if isinstance(event, DecisionAwaited | StreetDealt) else "cards"
        for event in table.told
        if isinstance(event, DecisionAwaited | StreetDealt | HoleCardsDealt)
    ]
    asked = [street for street in ("preflop", "flop", "turn", "river") for _ in range(players)]
    for street in ("flop", "turn", "river"):
        asked.insert(asked.index(street), street)
    assert course == ["cards", *asked]


@pytest.mark.slow
@portugal("46/1")
def test_every_seat_is_drawn_as_often(case: Case) -> None:
    table = seated(range(1, case.int("players") + 1))
    new = table.state
    drawn = dict.fromkeys(range(1, case.int("players") + 1), 0)
    for _ in range(case.int("starts")):
        table.state = new
        table.wake()
        (event,) = table.of(ButtonDrawn)
        assert (event.generator, event.among) == (GENERATOR, [*drawn])
        assert positions(table)[0] == event.seat
        drawn[event.seat] += 1
        table.told, table.decks = [], []
    assert all(abs(times - case["each"]) <= case["within"] for times in drawn.values()), drawn


@portugal("46/2")
def test_a_table_that_resumes_draws_again() -> None:
    drawn = set()
    table = seated((1, 2))
    for _ in range(20):
        again = seated((1, 2))
        again.shuffler = table.shuffler
        again.deal(button=1).leave(1)
        assert again.of(TableSuspended)
        again.seat(4).wake()
        (event,) = again.of(ButtonDrawn)
        assert positions(again)[0] == event.seat
        drawn.add(event.seat)
    assert drawn == {2, 4}, "whatever it was before"


@portugal("46/3")
def test_from_hand_to_hand_nothing_is_drawn() -> None:
    table = seated((1, 2, 3)).deal()
    assert table.of(ButtonDrawn)
    button = positions(table)[0]
    for _ in range(5):
        next_hand(table)
        assert table.of(ButtonDrawn) == []
        button = button % 3 + 1
        assert positions(table)[0] == button


def places_in_the_deck(table: TableUnderTest) -> dict[int, list[str]]:
    """Seat to its cards as d1, d2 … in the order of the deck."""
    (dealt,) = table.of(HoleCardsDealt, True)
    return {deal.seat: [f"d{position + 1}" for position in deal.positions] for deal in dealt.deals}


@portugal("49/1")
def test_the_first_cards_go_round_from_the_small_blind(case: Case) -> None:
    cards = places_in_the_deck(game(case["button"], case["seats"]))
    assert {seat: hole[0] for seat, hole in cards.items()} == case["first"]


@portugal("50/1")
def test_the_other_cards_in_the_same_order(case: Case) -> None:
    table = game(case["button"], case["seats"])
    assert places_in_the_deck(table) == {seat: cards.split() for seat, cards in case["holes"].items()}
    (started,) = table.of(HandStarted)
    deck = table.deck_of(started)
    table.checks_down()
    for street in table.of(StreetDealt, True):
        assert [f"d{card.position + 1}" for card in street.cards] == case.text(street.street).split()
        assert [card.card for card in street.cards] == names_of([deck.cards[card.position] for card in street.cards])
        assert street.burned == []


@portugal("51/1")
def test_the_first_round_begins_left_of_the_big_blind(case: Case) -> None:
    table = game(case["button"], range(1, case.int("players") + 1))
    assert table.of(HandStarted)[0].big_blind == case["big"]
    asked = []
    while table.hand.street == "preflop":
        asked.append(table.turn)
        table.plays(f"{table.turn} {'check' if table.legal[0] else 'call'}")
    assert (asked[0], asked[-1], len(asked)) == (case["first"], case["last"], case["players"])


@portugal("51/2")
def test_of_three_the_button_acts_first(case: Case) -> None:
    table = game(case["button"], range(1, case.int("players") + 1))
    assert positions(table) == (case["button"], case["blinds"])
    assert table.turn == case["first"]


@portugal("51/3")
def test_cards_come_before_the_first_clock() -> None:
    table = game(1, (1, 2, 3))
    (awaited,) = table.of(DecisionAwaited)
    assert table.names.index("HoleCardsDealt") < table.names.index("DecisionAwaited")
    assert dealt_in(table) == {1, 2, 3}
    assert awaited.until == table.now + table.state.rules.timing.decision_ms


def on_the(street: str, table: TableUnderTest) -> TableUnderTest:
    """Everybody checks or calls up to the street."""
    while table.hand.street != street:
        table.plays(f"{table.turn} {'check' if table.legal[0] else 'call'}")
    return table


def closing(street: str) -> TableUnderTest:
    """The last act of the round before has just been made by the last of three."""
    table = on_the(street, game(1, (1, 2, 3)))
    assert table.names[1:] == ["StreetDealt", "DecisionAwaited"]
    return table


@portugal("53/1")
def test_the_flop_is_one_event(case: Case) -> None:
    assert [len(event.cards) for event in closing("flop").of(StreetDealt)] == [case["cards"]]


@portugal("55/1")
def test_the_turn_is_one_card(case: Case) -> None:
    table = closing("turn")
    assert [len(event.cards) for event in table.of(StreetDealt)] == [case["cards"]]
    assert len(table.hand.board) == case["board"]


@portugal("57/1")
def test_the_river_is_one_card(case: Case) -> None:
    table = closing("river")
    assert [len(event.cards) for event in table.of(StreetDealt)] == [case["cards"]]
    assert len(table.hand.board) == case["board"]


@portugal("54/1")
def test_the_second_round_begins_left_of_the_button(case: Case) -> None:
    table = game(case["button"], [*case.ints("seats"), case["folded"]])
    table.plays("3 call" if table.turn == 3 else "4 call", "1 call", f"{case['folded']} fold", "3 check")
    assert table.hand.street == "flop"
    asked = []
    while table.hand.street == "flop":
        asked.append(table.turn)
        table.plays(f"{table.turn} check")
    assert (asked[0], asked[-1], asked) == (case["first"], case["last"], case["seats"])


@portugal("54/2")
def test_nobody_is_asked_when_only_one_could_bet(case: Case) -> None:
    first, second = case.ints("all_in")
    caller = case.int("caller")
    table = game(caller, {caller: 1000 + case["left"], first: 1000, second: 1000})
    assert len(table.state.seats) == case["players"]
    table.plays(f"{caller} raise 1000", f"{first} call", f"{second} call")
    names = [name for name in table.names if name in ("StreetDealt", "DecisionAwaited", "CardsShown")]
    assert names == ["StreetDealt"] * 3 + ["CardsShown"] * 3
    assert table.of(BlindPosted, True)
    assert min(result.stack for result in table.of(HandEnded)[0].results if result.seat == caller) >= case["left"]


@each("56/1")
def test_the_third_round_begins_left_of_the_button(case: Case) -> None:
    table = game(case["button"], (1, 2, 3)).plays(f"{case['button']} fold")
    assert on_the("turn", table).turn == case["first"]
    assert sorted(player.seat for player in table.hand.alive) == case["seats"]


@each("58/1")
def test_the_fourth_round_begins_left_of_the_button(case: Case) -> None:
    table = on_the("river", game(case["button"], case["seats"]))
    assert table.turn == case["first"]
    table.plays(f"{table.turn} check")
    assert table.turn == case["button"], "and goes on through all who are in"


@portugal("59/1")
def test_the_last_to_raise_shows_first(case: Case) -> None:
    table = on_the("river", game(case["button"], (1, 2, 3)).plays("1 fold"))
    table.plays("2 check", f"{case['bets']} bet 100", f"{case['raises']} raise 300", f"{case['bets']} call")
    assert [event.seat for event in table.of(CardsShown)] == case["order"]


@portugal("59/2")
def test_a_checked_river_is_shown_from_the_left_of_the_button(case: Case) -> None:
    table = game(case["button"], (1, 2, 3, 4)).plays("4 raise 300", "1 fold", "2 fold", "3 call").checks_down()
    assert [event.seat for event in table.of(CardsShown)] == case["order"]


@portugal("59/3")
def test_all_in_before_the_flop_is_shown_from_the_left_of_the_button(case: Case) -> None:
    table = game(case["button"], dict.fromkeys(numbered(case), 1000))
    table.plays("4 raise 1000", "1 call", "2 call", "3 call")
    assert [event.seat for event in table.of(CardsShown)] == case["order"]


@portugal("59/4")
def test_the_loser_shows_all_cards_too(case: Case) -> None:
    table = game(1, (1, 2, 3), deck=ranked(1, {1: 0, 2: 1, 3: 2})).checks_down()
    assert table.of(PotAwarded)[0].winners == [1]
    shown = {event.seat: len(event.cards) for event in table.of(CardsShown)}
    assert shown == dict.fromkeys((1, 2, 3), case["cards"])


@portugal("64/1")
def test_the_button_goes_round_the_table(case: Case) -> None:
    table = next_hand(game(case["button"], numbered(case)))
    assert positions(table) == (case["next"], case["blinds"])


@each("64/2", "64/4")
def test_somebody_in_the_blinds_leaves(case: Case) -> None:
    button, blinds = case.int("button"), case.ints("blinds")
    table = game(button, [button, *blinds, case["other"]])
    assert positions(table) == (button, blinds)
    table.folds_round().leave(case["leaver"])
    table.wake()
    assert positions(table) == (case["next"], case["next_blinds"])


@portugal("64/3")
def test_the_button_leaves_and_two_stay(case: Case) -> None:
    button, blinds = case.int("button"), case.ints("blinds")
    table = game(button, [button, *blinds])
    assert positions(table) == (button, blinds)
    table.folds_round().leave(case["leaver"])
    table.wake()
    assert positions(table) == (case["next"], [case["next"], case["big"]])


@portugal("64/5")
def test_a_void_hand_keeps_the_button(case: Case) -> None:
    table = seated((1, 2, 3)).deal()
    while table.state.hands < case.int("hand"):
        next_hand(table)
    button = positions(table)[0]
    table.plays(f"{table.turn} call")
    table.void()
    assert [event.hand for event in table.of(HandVoided)] == [case["hand"]]
    table.wake()
    assert positions(table)[0] == button


@portugal("64/6")
def test_payments_come_before_the_next_hand(case: Case) -> None:
    table = seated((1, 2, 3)).deal()
    while table.state.hands < case.int("next"):
        next_hand(table)
    log = [type(event).__name__ for event in table.told if getattr(event, "hand", None) in (case["over"], case["next"])]
    assert max(i for i, name in enumerate(log) if name == "PotAwarded") < log.index("HandStarted", 1)
    before_payment_of(case["over"], table)
    table.later(60_000)
    assert table.of(HandStarted) == [], "whoever is woken before"
