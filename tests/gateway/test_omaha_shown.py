"""What players of Omaha online are shown: a real table plays, and its public events come out of the gateway as data."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect

from libs.cards.card import names_of
from libs.contracts.commands import Command
from libs.contracts.conduct_events import MessageWithheld
from libs.contracts.messages import PublicEvent
from libs.contracts.poker_events import (
    CardsShown,
    HandEnded,
    HandStarted,
    HandVoided,
    HoleCardsDealt,
    PlayerFolded,
    PotAwarded,
    StreetDealt,
)
from libs.contracts.table_events import (
    ConnectionLost,
    ConnectionRestored,
    PlayerInvitedToLeave,
    PlayerLeft,
    PlayerSeated,
    PlayerWarned,
    TableOpened,
)
from libs.money.words import in_words
from libs.projecting import Pool
from libs.sealing.secret import DataKey
from services.audit.projections.live_checks import _told
from services.audit.verifying.findings import Kind
from services.gateway.app.doors import DOORS
from services.gateway.app.gateway import Gateway
from services.table.machine import decode_command
from services.table.scanning import Scanner
from tests.gateway.books import Books
from tests.gateway.conftest import House, See
from tests.gateway.dealing import deal_sealed
from tests.gateway.deciding import Deciding
from tests.gateway.test_casino_doors import GATEWAY_KEY, TABLE
from tests.table.omaha.play import DEEP, deck, game, nets, portugal, ranked, returned, seated
from tests.table.play import PORTUGAL, TableUnderTest
from tests.table.test_rulebooks import rules_broken
from tests.table.wishes import wishes
from tests.testkit.cases import Case


@portugal("enact.4/1")
async def test_the_rules_are_open_to_everybody(house: House, http: httpx.AsyncClient) -> None:
    table = TableUnderTest(time_bank_ms=30_000, small_blind=50)
    (opened,) = table.of(TableOpened, True)
    house.publish(opened, table="t1")
    answer = await http.get("/v1/tables/t1/rules")
    said = answer.json()
    rules = said["configuration"]
    assert (rules["betting"]["small_blind"], rules["betting"]["big_blind"]) == (50, 100)
    assert (rules["entry"]["buy_in_min"], rules["entry"]["top_up_to"]) == (10_000, 10_000)
    assert (rules["betting"]["structure"], rules["rake"]["mode"], rules["rake"]["bp"]) == ("pot_limit", "pot", 500)
    assert (rules["timing"]["decision_ms"], rules["timing"]["time_bank_ms"]) == (20_000, 30_000)
    assert (rules["timing"]["break_ms"], rules["timing"]["absent_hands"]) == (600_000, 5)
    readings = {"heads_up_blinds", "raise_cap_lifted_heads_up"}
    assert readings <= set(rules["betting"])
    assert {"odd_unit", "burn_before_board", "deal_from", "first_button"} <= set(rules["dealing"])
    assert {"reentry_ms", "waiting_ms", "resume_ms", "deadline_counts"} <= set(rules["timing"])
    words = " ".join(said["taking_part"])
    for part in ("0.50 EUR and 1.00 EUR", "buy-in of", "top up", "size of the pot", "5.00 %", "20 seconds", "10 min"):
        assert part in words, part
    assert "n.º 811/2015" in said["regulation"]
    text = (await http.get("/v1/regulations/pt-811-2015")).json()["text"]
    numbered = re.findall(r"^(?:- )?(\d+) — ", text, re.MULTILINE)
    assert list(map(int, numbered)) == list(range(1, 76)), "every rule, word by word"


@portugal("enact.4")
async def test_every_figure_of_the_rules_is_told_in_words(house: House, http: httpx.AsyncClient) -> None:
    """No two of them are the same, so that none can stand for another."""
    chosen: dict[str, Any] = {
        "seats": 7, "small_blind": 40, "buy_in_min": 6_000, "buy_in_max": 20_000, "top_up_to": 15_000,
        "decision_ms": 25_000, "time_bank_ms": 35_000, "break_ms": 660_000, "rake_bp": 450,
    }  # fmt: skip
    limited = {"structure": "limit_raise_count", "raise_cap": 4}
    for name, changes in (("t1", {}), ("t2", limited), ("t3", {"rake_mode": "buy_in", "rake_bp": 750})):
        house.publish(*TableUnderTest(**(chosen | changes)).of(TableOpened, True), table=name)
    told = [(await http.get(f"/v1/tables/t{number}/rules")).json()["taking_part"] for number in (1, 2, 3)]
    pots = [
        "Take one of 7 seats with a buy-in of 60.00 EUR to 200.00 EUR.",
        "Between hands you may top up your stack to 150.00 EUR; nothing is taken off it while you sit."
        " A top-up is a big blind at least, or all that is left to that.",
        "Who sits down while hands are played, or was away, is dealt in with the big blind, or at once by freely "
        "posting one; if a blind went past meanwhile, a small one that counts for nothing else goes with it.",
        "Who changes seat, or leaves and comes back, to a place past a blind waits there for the big blind.",
        "You may leave at any time with your whole stack. A break keeps your seat for 11 minutes.",
        "Players play each other; the house has no stake in any hand.",
        "The blinds are 0.40 EUR and 1.00 EUR.",
        "A bet or raise is at most the size of the pot.",
        "You have 25 seconds for each decision and a time bank of 35 seconds; after that you check, or fold where a "
        "bet is owed.",
        "The commission is 4.50 % of each pot, and none in a hand that ends before the flop or on the flop without a "
        "bet.",
    ]
    counted = [
        "Bets and raises have a fixed size, with a limited number of raises in each round.",
        "At most 4 raises in a round, without limit if two players are left before that.",
    ]
    bought_in = "The commission is 7.50 % of each buy-in and top-up; pots are paid in full."
    assert told == [pots, [*pots[:7], *counted, *pots[8:]], [*pots[:9], bought_in]]


@portugal("2.c/1")
async def test_one_seat_is_marked_as_the_button(show: See, case: Case) -> None:
    view = await show(game(case["button"], range(case["from"], case["to"] + 1)))
    assert view["button"] == view["hand"]["button"] == case["button"]
    marked = [seat["seat"] for seat in view["seats"] if seat["seat"] == view["button"]]
    assert marked == [case["button"]]


@portugal("47/1")
async def test_the_button_moves_between_hands_only(show: See, case: Case) -> None:
    table = game(case["button"], (1, 2, 3, 4))
    assert (await show(table))["button"] == case["button"]
    while table.state.hand is not None:
        table.plays(f"{table.turn} {'check' if table.legal[0] else 'call'}")
        assert (await show(table))["button"] == case["button"]
    table.wake()
    assert (await show(table))["button"] == 1


@portugal("2.e/1")
async def test_everybody_sees_the_same_flop(show: See, case: Case) -> None:
    table = game(1, (1, 2, 3)).plays("1 call", "2 call", "3 check")
    watching = [f"p{seat}" for seat in range(1, case["players"] + 1)]
    watching += [f"spectator-{number}" for number in range(case["spectators"])]
    views = [await show(table, player) for player in watching]
    (flop,) = table.of(StreetDealt, True)
    assert [view["hand"]["board"] for view in views] == [[card.card for card in flop.cards]] * len(watching)
    assert len(flop.cards) == case["cards"]
    assert {view["version"] for view in views} == {table.state.version}


@portugal("4.a/1")
async def test_all_seats_are_told(house: House, http: httpx.AsyncClient, as_player: Any, case: Case) -> None:
    for seats in case.ints("seats"):
        table = seated((1, seats), seats=seats)
        name = f"of-{seats}"
        house.publish(*table.told, table=name)
        view = (await http.get(f"/v1/tables/{name}", headers=as_player("p1"))).json()
        assert view["configuration"]["seats"] == seats
        assert [seat["seat"] for seat in view["seats"]] == [1, seats]
        assert view["free"] == [*range(2, seats)], "and each of the others is there, told to be free"
        if seats > 2:
            assert table.take(2, 10_000) is None
            told = house.versions[name]
            house.publish(*table.told[told:], table=name)
            view = (await http.get(f"/v1/tables/{name}", headers=as_player("p1"))).json()
            assert [(seat["seat"], seat["status"]) for seat in view["seats"]][1] == (2, "reserved")
            assert view["free"] == [*range(3, seats)]
        assert table.leave(seats) is None
        house.publish(*table.told[house.versions[name] :], table=name)
        view = (await http.get(f"/v1/tables/{name}", headers=as_player("p1"))).json()
        assert view["free"] == [*range(3 if seats > 2 else 2, seats + 1)], "who goes leaves the seat free"
    for seats in case.ints("refused"):
        assert rules_broken(PORTUGAL, seats=seats) == [("seats", "pt-811-2015#5")]


@portugal("4.d/1")
async def test_a_stack_is_told_in_euros(show: See, case: Case) -> None:
    view = await show(seated({1: case["stack"]}))
    told, currency = view["seats"][0]["stack"], view["configuration"]["currency"]
    assert (told, in_words(told, currency)) == (case["stack"], f"{case['euros']} EUR")


@portugal("4.e/1")
async def test_every_pot_stands_on_its_own(show: See, case: Case) -> None:
    main, (first, second) = case.int("main"), case.ints("sides")
    stacks = {1: main // 4, 2: main // 4 + first // 3, 3: 20_000, 4: 20_000}
    table = game(1, stacks).plays(f"4 raise {stacks[2] + second // 2}", "1 call", "2 call", "3 call")
    view = await show(table)
    told = [(pot["pot"], pot["amount"], sorted(pot["eligible"])) for pot in view["hand"]["pots"]]
    assert told == [("main", main, [1, 2, 3, 4]), ("side_1", first, [2, 3, 4]), ("side_2", second, [3, 4])]
    currency = view["configuration"]["currency"]
    assert [in_words(amount, currency) for _, amount, _ in told] == [f"{euros} EUR" for euros in case["euros"]]
    assert {seat["seat"]: seat["stack"] for seat in view["seats"]} == table.stacks


@portugal("4.e")
async def test_after_each_event_every_chip_is_told_in_a_stack_or_in_a_pot(
    house: House, http: httpx.AsyncClient, as_player: Any
) -> None:
    """From the blinds on, before anybody has acted, to a bet that comes back, after which nobody acts any more."""
    stacks = {1: 20_000, 2: 20_000, 3: 5_000}
    table = game(1, stacks, small_blind=50)
    table.plays("1 raise 300", "2 raise 1000", "3 raise 3400", "1 fold", "2 raise 10500", "3 call")
    told: dict[str, dict[int, int]] = {}
    for event in table.told[: next(n for n, event in enumerate(table.told) if isinstance(event, PotAwarded))]:
        house.publish(event, table="t1")
        view = (await http.get("/v1/tables/t1", headers=as_player("p1"))).json()
        if view["hand"] is not None:
            shown = told[type(event).__name__] = {seat["seat"]: seat["stack"] for seat in view["seats"]}
            assert sum(shown.values()) + sum(pot["amount"] for pot in view["hand"]["pots"]) == sum(stacks.values())
    assert told["BlindPosted"] == {1: 20_000, 2: 19_950, 3: 4_900}
    assert told["UncalledBetReturned"] == {1: 19_700, 2: 15_000, 3: 0}


@portugal("60/1")
async def test_the_service_alone_evaluates(show: See) -> None:
    asked = [door.command for door in DOORS] + list(Command.__subclasses__())
    names = {field for command in asked for field in command.__struct_fields__}
    assert not names & {"category", "cards_used", "hole_used", "board_used", "combination", "winners"}
    table = game(1, (1, 2, 3), deck=ranked(1, {1: 1, 2: 0, 3: 2})).checks_down()
    shown = {event.seat: event for event in table.of(CardsShown)}
    view = await show(table)
    for seat in view["hand"]["seats"]:
        told = shown[seat["seat"]]
        assert (seat["category"], len(seat["hole_used"]), len(seat["board_used"])) == (told.category, 2, 3)
    assert [award["winners"] for award in view["hand"]["awards"]] == [[2]]


@portugal("61/1")
async def test_the_winning_combination_is_marked(show: See, case: Case) -> None:
    seat, five = case.int("seat"), case.cards("cards")
    holes = {1: "As Kh Jd 9s", seat: f"{five[0]} {five[1]} Jc Jh"}
    board = f"{' '.join(five[2:])} Kd 9h"
    view = await show(game(1, (1, seat), deck=deck(1, holes, board)).checks_down())
    assert [award["winners"] for award in view["hand"]["awards"]] == [[seat]]
    (winner,) = [told for told in view["hand"]["seats"] if told["seat"] == seat]
    assert winner["category"] == "straight"
    assert set(winner["hole_used"] + winner["board_used"]) == set(five)


@portugal("61/1")
async def test_on_a_tie_each_winner_s_five_cards(show: See, case: Case) -> None:
    seat, five = case.int("seat"), case.cards("cards")
    holes = {1: "As 3s Jd Jh", seat: f"{five[0]} {five[1]} Qc Qh"}
    view = await show(game(1, (1, seat), deck=deck(1, holes, f"{' '.join(five[2:])} Kd 9h")).checks_down())
    assert view["hand"]["awards"][0]["winners"] == [1, seat]
    used = {told["seat"]: set(told["hole_used"] + told["board_used"]) for told in view["hand"]["seats"]}
    assert used == {1: {"As", "3s", *five[2:]}, seat: set(five)}


def own_cards(gateway: Any, table: TableUnderTest, seat: int, hand: int) -> list[str]:
    """As the private topic brings them."""
    deal_sealed(gateway, table)
    decks = [deck for event, deck in zip(table.told, table.decks, strict=True) if getattr(event, "hand", 0) == hand]
    (deck,) = filter(None, decks)
    (dealt,) = [event for event in table.told if isinstance(event, HoleCardsDealt) and event.hand == hand]
    (own,) = [deal for deal in dealt.deals if deal.seat == seat]
    return names_of(deck.cards[place] for place in own.positions)


def record_of(view: dict[str, Any]) -> dict[str, Any]:
    """What a recall has to hold."""
    wanted = {"hand", "own", "board", "actions", "awards", "rake", "seats"}
    assert wanted <= set(view), wanted - set(view)
    return view


def hand_with_a_folder(case: Case, folder: int) -> TableUnderTest:
    """The hand of the case: one folds before the flop, two go to the showdown."""
    table = seated((1, 2, 3))
    while table.state.hands < case.int("hand") - 1:
        table.wake()
        table.folds_round()
    table.wake()
    while table.state.hand is not None:
        act = "fold" if table.turn == folder else "check" if table.legal[0] else "call"
        table.plays(f"{table.turn} {act}")
    assert table.state.hands == case["hand"]
    return table


async def recalled(show: See, gateway: Any, table: TableUnderTest, case: Case, folder: int) -> dict[str, Any]:
    """The last hand as its folder recalls it: everything in the open, and the own cards."""
    cards = own_cards(gateway, table, folder, case["hand"])  # before the hand's end is known, as at a real table
    await show(table)
    told = record_of(await show(table, f"p{folder}", "/last-hand"))
    assert (told["hand"], told["own"]["cards"]) == (case["hand"], cards)
    events = [event for event in table.told if getattr(event, "hand", None) == case["hand"]]
    (ended,) = [event for event in events if isinstance(event, HandEnded)]
    shown = {event.seat: event for event in events if isinstance(event, CardsShown)}
    assert len(told["board"]) == 5
    assert told["rake"] == ended.rake
    assert {seat["seat"] for seat in told["seats"] if seat["cards"]} == set(shown)
    seats = {seat["seat"]: seat for seat in told["seats"]}
    for number, event in shown.items():
        used = (event.category, event.hole_used, event.board_used)
        assert tuple(seats[number][name] for name in ("category", "hole_used", "board_used")) == used
    for result in ended.results:
        chips = (result.staked, result.won, result.rake, result.stack)
        assert tuple(seats[result.seat][name] for name in ("staked", "won", "rake", "stack_after")) == chips
    assert folder not in shown
    assert [act["act"] for act in told["actions"]].count("fold") == 1
    assert all("amount" in act for act in told["actions"])
    assert told["awards"][0]["payments"]
    assert str(case["next"]) not in {str(told["hand"])}
    return told


@portugal("65/1")
async def test_who_folded_and_sits_out_recalls_the_last_hand(show: See, gateway: Any, case: Case) -> None:
    table = hand_with_a_folder(case, folder=1)
    table.sit_out(1)
    table.wake()
    assert (table.hand.number, 1 in table.hand.players) == (case["next"], False)
    await recalled(show, gateway, table, case, folder=1)


@portugal("65/2")
async def test_while_the_next_hand_runs_it_is_the_one_before(show: See, gateway: Any, case: Case) -> None:
    table = hand_with_a_folder(case, folder=2)
    table.wake()
    assert (table.hand.number, 2 in table.hand.players) == (case["next"], True)
    await recalled(show, gateway, table, case, folder=2)


@pytest.mark.stack
@portugal("66/1", "67")
async def test_everything_is_one_step_away(
    show: See, http: httpx.AsyncClient, gateway: Gateway, as_player: Any, books_pool: Pool, tmp_path: Path
) -> None:
    """Of a lost hand, a won one and a running one; what the books say of it is booked from the table's own events."""
    books = Books(books_pool, gateway, tmp_path, "p1", "p2", "p3")
    table = game(1, (1, 2, 3), deck=ranked(1, {2: 0, 1: 1}, folders=(3,)), rake_bp=500)
    table.plays("1 raise 400", "2 call", "3 fold").checks_down()
    table.wake(ranked(2, {1: 0, 3: 1}, folders=(2,)))
    table.plays("2 raise 300", "3 fold", "1 raise 900", "2 fold")
    table.wake()
    table.plays(f"{table.turn} fold", "1 raise 300", "2 call", "1 bet 200")
    bet, won = table.hand.players[1].committed, nets(table)[1]
    hands = [result for ended in table.of(HandEnded, True) for result in ended.results if result.seat == 1]
    staked = sum(result.staked for result in hands)
    assert (bet, len(hands), won > 0, staked > 400) == (500, 2, True, True), "on two streets"
    await books.follow(table)
    during = await show(table, "p1", "/information")
    (total,) = during["session"]["totals"]
    assert during["staked_now"] == bet
    assert (total["staked"], total["won"], total["result"], total["hands"]) == (staked, won, won - staked, 2)
    while table.state.hand is not None:
        table.plays(f"{table.turn} fold")
    table.leave(1)
    await books.follow(table)
    after = await show(table, "p1", "/information")
    assert (after["staked_now"], after["session"]) == (0, None)
    (total,) = after["last_session"]["totals"]
    (left,) = table.of(PlayerLeft, True)
    assert (total["hands"], total["result"]) == (3, left.stack - DEEP)
    (stated,) = (await http.get("/v1/statement", headers=as_player("p1"))).json()
    assert (stated["end"], stated["totals"][0]["returned"], stated["totals"][0]["result"]) == (
        left.at,
        left.stack,
        total["result"],
    )
    for panel in (during, after):
        assert panel["rules"]["configuration"]["betting"]["big_blind"] == 100
        assert panel["rules"]["taking_part"]
        assert "Complain to the operator" in panel["complaints"]


@pytest.mark.stack
@portugal("66")
async def test_the_running_result_has_the_commission_on_the_buy_in_in_it(
    show: See, gateway: Gateway, books_pool: Pool, tmp_path: Path
) -> None:
    books = Books(books_pool, gateway, tmp_path, "p1", "p2")
    table = game(1, (1, 2), deck=ranked(1, {2: 0, 1: 1}), rake_mode="buy_in", rake_bp=1000, buy_in_min=1_000)
    table.plays("1 raise 500", "2 call").checks_down()
    commission = next(event.commission for event in table.of(PlayerSeated, True) if event.seat == 1)
    assert commission > 0
    await books.follow(table)
    (total,) = (await show(table, "p1", "/information"))["session"]["totals"]
    told = (total["staked"], total["won"], total["commission"], total["result"])
    assert told == (500, 0, commission, -500 - commission)


@portugal("73/1")
async def test_who_loses_the_connection_is_timed_out_and_the_hand_counts(
    house: House, http: httpx.AsyncClient, as_player: Any, url: str, token_of: Any, case: Case
) -> None:
    """The gateway sees the line end and tells the table of it: on record is whose failure it was."""
    table = game(1, (1, 2, 3)).plays(f"1 raise {case['put_in']}", "2 call", "3 call", f"2 bet {case['bet']}")
    Deciding(house, table)
    headers = {"authorization": f"Bearer {token_of('p3')}"}

    async def told(kind: type, count: int) -> None:
        async with asyncio.timeout(10):
            while len(table.of(kind, True)) < count:
                await asyncio.sleep(0.01)

    async def offline() -> list[int]:
        view = (await http.get("/v1/tables/t1", headers=as_player("p1"))).json()
        return [seat["seat"] for seat in view["seats"] if seat["offline"]]

    for times in (1, 2):
        async with connect(f"{url.replace('http', 'ws')}/v1/ws", additional_headers=headers, proxy=None) as line:
            await line.send(json.dumps({"type": "subscribe", "table": "t1"}))
            while json.loads(await asyncio.wait_for(line.recv(), 5))["type"] != "view":
                pass
            await told(ConnectionRestored, times - 1)
            assert await offline() == []
        await told(ConnectionLost, times)
        assert await offline() == [3], "and who is back is told to be, until the line is lost again"
    assert [event.seat for event in table.of(ConnectionLost, True)] == [3, 3]
    assert table.turn == 3
    table.time_out()
    assert [(event.seat, event.reason) for event in table.of(PlayerFolded)] == [(3, "timeout")]
    table.plays("1 call").checks_down()
    assert table.of(HandVoided, True) == []
    assert sum(award.amount for award in table.of(PotAwarded)) == 3 * case["put_in"] + 2 * case["bet"]
    assert 3 not in {seat for seat, _ in returned(table)} | nets(table).keys()


P = 4


async def notices(show: See, table: TableUnderTest) -> tuple[str | None, str, int]:
    """Notice, state and stack of P's seat as P sees them."""
    view = await show(table, f"p{P}")
    (seat,) = [seat for seat in view["seats"] if seat["seat"] == P]
    return seat["notice"], seat["status"], seat["stack"]


def absent_for(hands: int) -> TableUnderTest:
    """P sits out, the others play so many hands."""
    table = seated(dict.fromkeys((1, 2, 3, P), 10_000))
    table.sit_out(P)
    for _ in range(hands):
        table.wake()
        table.folds_round()
    return table


@portugal("70/1")
async def test_an_invitation_is_recorded_and_shown(show: See) -> None:
    table = absent_for(5)
    assert await notices(show, table) == (None, "sitting_out", 10_000)
    table.wake()
    table.folds_round()
    assert [event.seat for event in table.of(PlayerInvitedToLeave)] == [P]
    assert await notices(show, table) == ("invited: absent", "sitting_out", 10_000)


@portugal("71/1")
async def test_a_warning_is_shown_before_the_next_hand(show: See, case: Case) -> None:
    table = absent_for(case["hand"])
    assert table.state.hands == case["hand"]
    assert (await notices(show, table))[0] == "invited: absent"
    told = len(table.told)
    table.wake()
    new = table.told[told:]
    warned = next(place for place, event in enumerate(new) if isinstance(event, PlayerWarned))
    started = next(place for place, event in enumerate(new) if isinstance(event, HandStarted))
    assert (warned < started, new[started].hand) == (True, case["next"])
    assert (await notices(show, table))[0] == "warned: absent"


@portugal("68/3")
async def test_an_overrun_break_is_told(show: See, case: Case) -> None:
    table = seated(dict.fromkeys((1, 2, 3, P), 10_000), break_ms=case["minutes"] * 60_000)
    table.sit_out(P, on_break=True)
    table.later(case["minutes"] * 60_000 - 1)
    assert await notices(show, table) == (None, "sitting_out", 10_000)
    table.later(1)
    assert table.of(PlayerInvitedToLeave)
    assert table.of(PlayerWarned)
    assert await notices(show, table) == ("warned: break_over", "sitting_out", 10_000)


@pytest.mark.parametrize("wish", ["show_cards", "turn_up", "reveal"])
@portugal("11.d/2")
async def test_no_command_shows_cards(http: httpx.AsyncClient, house: House, as_player: Any, wish: str) -> None:
    tables = (seated((1, 2)), game(1, (1, 2)), game(1, (1, 2)).plays("1 fold"))
    for table in tables:
        before = table.state
        for by, command in list(wishes(before)):
            table.state, table.last = before, []
            if by.kind == "player" and table.send(by, command) is None and table.of(CardsShown):
                assert table.of(HandEnded), "all cards of the showdown, and no others"
    answer = await http.post(f"/v1/tables/table-1/{wish}", json={}, headers=as_player("alice"))
    assert answer.status_code in (404, 405)
    assert house.sent == []


@portugal("11.d/1")
async def test_cards_written_in_a_hand_are_withheld_and_on_record(
    http: httpx.AsyncClient, house: House, as_player: Any, case: Case
) -> None:
    table = seated((1, 2, 3), chat="hold").deal(button=1)
    house.publish(*table.told, table=TABLE)
    path = f"/v1/tables/{TABLE}/messages"
    assert (await http.post(path, json={"text": case["cards"]}, headers=as_player("p3"))).status_code == 200
    message = house.commands[-1]
    assert case["cards"] not in message.encoded().decode(), "sealed before it enters any topic"
    told = len(table.told)
    assert table.send(message.principal, decode_command(message, Scanner(DataKey(GATEWAY_KEY)))) is None
    (withheld,) = table.of(MessageWithheld)
    assert withheld.player == "p3"
    public = PublicEvent(stream=TABLE, version=1, type="x", time=1, causation="c", data=b"")
    (incident,) = _told((public, withheld))
    assert (incident.kind, "p3" in incident.detail) == (Kind.CHAT_DURING_HAND, True)
    house.publish(*table.told[told:], table=TABLE)
    assert (await http.get(path, headers=as_player("p1"))).json() == {"messages": []}
    told = len(table.told)
    table.folds_round()
    house.publish(*table.told[told:], table=TABLE)
    (read,) = (await http.get(path, headers=as_player("p1"))).json()["messages"]
    assert (read["player"], read["text"]) == ("p3", case["cards"])
