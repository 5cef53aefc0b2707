"""What a regulation wants shown of no-draw poker: a real table plays, and the gateway shows it as data and in words."""

from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from libs.contracts.messages import Principal
from libs.contracts.no_draw_poker_events import (
    AntesClosed,
    AntesOpened,
    DealerShown,
    HandsAwaited,
    HandsWarned,
    RoundSettled,
    RoundVoided,
)
from libs.contracts.table_commands import ReportConnection
from libs.projecting import Pool
from services.gateway.app.gateway import Gateway
from tests.gateway.banked.seeing import Floor, heard, watching
from tests.gateway.books import Books
from tests.gateway.conftest import House
from tests.table.no_draw.play import REGULATION, START, NoDraw
from tests.testkit.cases import Case

rule = pytest.mark.rule
HAND, OTHER = "8c 8d Ks 5h 2c", "9c 9d Kh 6h 3s"
DEALER = "Ac Kd Jh 7s 4s"
"""It plays, and any pair is higher."""


@pytest.fixture
def floor(house: House, http: httpx.AsyncClient, as_player: Any, gateway: Gateway) -> Floor:
    return Floor(house, http, as_player)


def after_ten(case: Case, name: str) -> int:
    """Milliseconds after 10:00:00.000."""
    return case.moment(name) - 36_000_000


@rule(REGULATION, "6.a/1")
async def test_one_to_seven_seats_and_each_has_two_areas(case: Case, floor: Floor) -> None:
    for seats in case.ints("refused"):
        table = NoDraw(seats=seats)
        assert table.refused_opening == "outside_rulebook"
        assert table.refused is not None
        assert table.refused.rule == f"{REGULATION}#6.a"
    fewest, most = case.ints("accepted")
    for seats in range(fewest, most + 1):
        table = NoDraw(seats=seats, bank=10**8).seat(*range(1, seats + 1)).open()
        for seat in range(1, seats + 1):
            assert table.ante(seat, 100) is None
        table.wait(20_000)
        table.plays(*(f"{seat} continue" for seat in range(1, seats + 1)))
        round_ = (await floor.shows(table, upto=RoundSettled))["round"]
        assert (round_["areas"], len(round_["areas"])) == (["ante", "bet"], case["areas"])
        shown = {seat["seat"]: seat["stakes"] for seat in round_["seats"]}
        assert shown == {seat: {"ante": 100, "bet": 200} for seat in range(1, seats + 1)}
        floor.forget(table)


@rule(REGULATION, "14/1")
async def test_betting_is_called_open_and_closed_for_all_with_one_deadline(
    case: Case, floor: Floor, gateway: Gateway, url: str, token_of: Any
) -> None:
    opened, late = START + after_ten(case, "opened"), START + after_ten(case, "late")
    assert (opened, late) == (START, START + case.int("period"))
    table = NoDraw(betting_ms=case["period"]).seat(1, 2).wake()
    gateway.now = lambda: opened
    for player in ("p1", "p2"):
        round_ = (await floor.shows(table, player, upto=AntesOpened))["round"]
        assert (round_["call"], round_["until"], round_["left_ms"]) == ("place your bets", late, case["period"])
    assert table.at(after_ten(case, "in_time")).ante(1, 300) is None
    assert table.at(after_ten(case, "late")).ante(2, 300) == "betting_is_closed"
    assert table.refused is not None
    assert table.refused.rule == f"{REGULATION}#14"
    table.wake()
    async with AsyncExitStack() as stack:
        sockets = [await stack.enter_async_context(watching(url, token_of(each), "t1")) for each in ("p1", "p2")]
        for player in ("p1", "p2"):
            round_ = (await floor.shows(table, player, upto=AntesClosed))["round"]
            assert round_["call"] == "no more bets, cards in distribution"
        assert [(await heard(socket, AntesClosed))["at"] for socket in sockets] == [late, late]


@rule(REGULATION, "27/2")
async def test_hands_stay_hidden_when_the_dealer_does_not_play(case: Case, floor: Floor) -> None:
    """Each still sees the own one, in the view and in the last round."""
    one, two = case.ints("continued")
    hands = {one: HAND.split(), two: OTHER.split()}
    table = NoDraw().seat(one, two).dealt({one: 100, two: 100}, {one: HAND, two: OTHER}, "As Qd 9h 6s 3d")
    table.plays(f"{one} continue", f"{two} continue")
    assert {result.outcome for result in table.settled.results} == {"dealer_not_qualified"}
    for seat, other in ((one, two), (two, one)):
        view = await floor.shows(table, f"p{seat}", upto=RoundSettled)
        last = await floor.shows(table, f"p{seat}", "/last-round", upto=RoundSettled)
        assert last["own"]["cards"] == hands[seat]
        for document in (view, last):
            assert not any(f"'{card}'" in str(document) for card in hands[other])
    stranger = await floor.shows(table, "a-visitor", upto=RoundSettled)
    assert not any(f"'{card}'" in str(stranger) for card in hands[one] + hands[two])


@rule(REGULATION, "30/1")
async def test_every_choice_is_told_with_its_amount_and_deadline(case: Case, floor: Floor) -> None:
    ante = case.int("ante")
    lose, stake = case.read("amounts", list[str])
    brought = 2 * ante
    table = NoDraw(buy_in_min=brought, buy_in_max=10_000, buy_in=...).seat(1).seat(2, stack=brought)
    table.dealt({1: ante, 2: ante}, {1: HAND, 2: OTHER}, DEALER)
    round_ = (await floor.shows(table))["round"]
    assert (round_["phase"], round_["until"]) == ("deciding", table.of(HandsAwaited)[0].until)
    choices = {
        seat["seat"]: [(each["words"], each["available"], each["reason"]) for each in seat["choices"]]
        for seat in round_["seats"]
    }
    assert choices[1] == [(f"fold (lose {lose} EUR)", True, None), (f"continue (stake {stake} EUR)", True, None)]
    assert choices[2] == [
        (f"fold (lose {lose} EUR)", True, None),
        (f"continue (stake {stake} EUR)", False, f"your stack lacks {lose} EUR"),
    ]
    assert (table.decides(2, "continue"), table.decides(1, "continue")) == ("above_stack", None)


@rule(REGULATION, "31/1")
async def test_the_warning_is_sent_with_its_new_deadline(
    case: Case, floor: Floor, gateway: Gateway, url: str, token_of: Any
) -> None:
    delivered, deadline = START + after_ten(case, "delivered"), START + after_ten(case, "deadline")
    table = NoDraw(decision_ms=case["time"], extra_ms=case["extra"]).seat(1, 2)
    table.at(after_ten(case, "delivered") - 20_000).dealt({1: 100, 2: 100}, {1: HAND, 2: OTHER}, DEALER)
    assert table.now == delivered
    await floor.shows(table)
    async with watching(url, token_of("p1"), "t1") as socket:
        table.at(after_ten(case, "warned")).wake()
        gateway.now = lambda: table.now
        round_ = (await floor.shows(table))["round"]
        assert (round_["phase"], round_["until"], round_["left_ms"]) == ("extra_time", deadline, case["extra"])
        warned = await heard(socket, HandsWarned)
        assert (warned["until"], warned["seats"]) == (deadline, [1, 2])
    assert table.at(after_ten(case, "in_time")).decides(1, "continue") is None


@rule(REGULATION, "36/1")
async def test_after_the_second_bet_a_player_who_is_gone_is_paid_and_finds_the_result(case: Case, floor: Floor) -> None:
    ante_back, ante_won, bet_back, bet_won = case.ints("back")
    table = NoDraw().seat(2, 5).dealt(
        {2: 100, 5: case.int("ante")}, {2: "Qh Jd 9s 6c 3h", 5: "5s 5h 5d 5c 9h"}, case["dealer"]
    )  # fmt: skip
    table.plays("5 continue")
    assert table.send(Principal("policy", "gateway"), ReportConnection(player="p5", connected=False)) is None
    table.plays("2 fold")
    result = next(result for result in table.settled.results if result.seat == 5)
    ante, bet = result.bets
    assert (ante.staked, ante.credited) == (ante_back, ante_back + ante_won)
    assert (bet.staked, bet.credited) == (bet_back, bet_back + bet_won) == (case["bet"], bet_back + bet_won)
    assert (result.credited, result.net) == (case["credited"], case["net"])
    assert table.state.seats[5].offline
    assert table.stacks[5] == 10_000 + case.int("net")
    last = await floor.shows(table, "p5", "/last-round")
    assert (last["own"]["net"], last["own"]["credited"]) == (case["net"], case["credited"])


@rule(REGULATION, "37/1")
async def test_the_last_round_can_be_seen_again(case: Case, floor: Floor, token_of: Any) -> None:
    ante, bet = case.int("ante"), case.int("bet")
    table = NoDraw().seat(1, 2).dealt({1: ante, 2: 100}, {1: HAND, 2: OTHER}, DEALER).plays("1 continue", "2 fold")
    first = await floor.shows(table, path="/last-round")
    again = await floor.http.get("/v1/tables/t1/last-round", headers={"authorization": f"Bearer {token_of('p1')}"})
    for last in (first, again.json()):
        own = last["own"]
        assert (own["cards"], own["stakes"], own["decision"]) == (HAND.split(), {"ante": ante, "bet": bet}, "continue")
        assert (own["details"]["outcome"], own["net"]) == ("win", case["net"])
        dealer = [card["card"] for card in last["cards"] if card["owner"] == "dealer"]
        assert sorted(dealer) == sorted(DEALER.split())
    folded = await floor.shows(table, "p2", "/last-round")
    assert (folded["own"]["decision"], folded["own"]["cards"], folded["own"]["net"]) == ("fold", OTHER.split(), -100)
    if table.state.round is None:
        table.wake()
    assert table.ante(1, ante) is None
    assert table.void() is None
    (voided,) = table.of(RoundVoided)
    void = await floor.shows(table, path="/last-round")
    assert (void["round"], void["outcome"], void["void_cause"]) == (voided.round, "void", voided.cause)
    assert (void["own"]["refunded"], void["own"]["net"]) == (ante, 0)
    assert void["own"]["stack_after"] == table.stacks[1] == 10_000 + case.int("net")


@rule(REGULATION, "24/1")
async def test_the_dealers_hand_is_shown_to_every_seat_and_to_who_watches(floor: Floor) -> None:
    table = NoDraw().seat(1, 2, 5).dealt({1: 100, 2: 100}, {1: HAND, 2: OTHER}, DEALER)
    for player in ("p1", "p2", "p5", "spectator"):
        dealer = (await floor.shows(table, player))["round"]["dealer"]
        assert (dealer["up"], dealer["cards"]) == (DEALER.split()[-1], [])
    table.plays("1 continue", "2 fold")
    for player in ("p1", "p2", "p5", "spectator"):
        dealer = (await floor.shows(table, player, upto=DealerShown))["round"]["dealer"]
        assert dealer["cards"] == DEALER.split()


@pytest.mark.stack
@rule(REGULATION, "38/1")
async def test_everything_about_the_game_is_told_before_during_and_after(
    floor: Floor, gateway: Gateway, books_pool: Pool, tmp_path: Path
) -> None:
    """One round is lost already, so that the running result is neither nothing nor what was won."""
    table = NoDraw(mode="single").seat(1).open().dealt({1: 200}, {1: HAND}, DEALER).plays("1 fold")

    books = Books(books_pool, gateway, tmp_path, "p1")
    await floor.shows(table)
    visitor = (await floor.http.get("/v1/tables/t1/rules")).json()
    table.dealt({1: 300}, {1: HAND}, DEALER)
    await books.follow(table)
    during = await floor.shows(table, path="/information")
    assert (during["staked_now"], during["session"]["totals"][0]["result"]) == (300, -200)
    table.plays("1 continue")
    assert table.leave(1) is None
    await books.follow(table)
    after = await floor.shows(table, path="/information")
    assert (after["staked_now"], after["session"]) == (0, None)
    total = after["last_session"]["totals"][0]
    assert (total["staked"], total["won"], total["result"]) == (1100, 1800, 700)
    for page in (visitor, during["rules"], after["rules"]):
        assert page["limits"] == {"ante_min": 100, "ante_max": 2500}
        assert page["tables"]["pay_table"]["straight flush"] == 50
        assert "The ante is 1.00 EUR to 25.00 EUR; without an ante there are no cards." in page["taking_part"]
        assert "Complain to the operator" in page["complaints"]
    assert during["complaints"] == after["complaints"] == visitor["complaints"]


@rule(REGULATION, "38")
async def test_every_figure_of_the_game_is_told_in_words(floor: Floor) -> None:
    """No two of the table's own are the same, so that none can stand for another."""
    money = {"min_ante": 200, "max_ante": 2_400, "buy_in_min": 7_000, "buy_in_max": 9_000, "top_up_to": 13_000}
    table = NoDraw(seats=5, betting_ms=21_000, decision_ms=24_000, extra_ms=11_000, buy_in=..., **money)
    await floor.shows(table)
    rules = (await floor.http.get("/v1/tables/t1/rules")).json()
    assert rules["taking_part"] == [
        "5 seats, with a buy-in of 70.00 EUR to 90.00 EUR; top up to 130.00 EUR between rounds.",
        "Bets are open for 21 seconds.",
        "Leave when you like, with your whole stack; a bet that is placed is settled in your absence.",
        "The ante is 2.00 EUR to 24.00 EUR; without an ante there are no cards.",
        "You and the dealer get five cards each, and the dealer's last one lies open. Fold and lose the ante, or "
        "continue with a second bet of exactly twice the ante.",
        "You have 24 seconds to decide, then a warning and 11 seconds more; who does not decide folds.",
        "The dealer plays with ace and king or better. If not, the ante wins as much again and the second bet comes "
        "back, whatever the hands.",
        "If the dealer plays, the higher hand wins: 1 to 1 on the ante, and on the second bet, to 1: royal flush 100, "
        "straight flush 50, four of a kind 20, full house 7, flush 5, straight 4, three of a kind 3, two pairs 2, one "
        "pair 1, high card 1.",
        "Equal hands are a tie: both stakes come back.",
        "The money is the house's against yours: nothing moves between players.",
    ]
    assert rules["tables"]["ante_pays"] == 1
    pays = {"royal flush": 100, "straight flush": 50, "four of a kind": 20, "full house": 7, "flush": 5, "straight": 4}
    assert rules["tables"]["pay_table"] == pays | {"three of a kind": 3, "two pairs": 2, "one pair": 1, "high card": 1}
