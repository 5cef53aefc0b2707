"""What casino poker wants shown to people: a real table plays, and the gateway tells it as data and in words."""

import asyncio
import json
from typing import Any

import httpx
from websockets.asyncio.client import connect

from libs.cards.card import names_of
from libs.contracts.poker_events import CardsShown, DecisionAwaited, HandEnded, HandStarted, StreetDealt
from libs.contracts.registry import encode_fact
from libs.money.words import in_words
from tests.gateway.banked.seeing import heard
from tests.gateway.conftest import House, See
from tests.gateway.dealing import deal_to_everybody
from tests.table.casino.play import CASINO_OMAHA, STREETS, casino, h6, led, o6, rule, to_flop
from tests.table.wishes import wishes
from tests.testkit.cases import Case
from tests.testkit.keys import key_of


@rule("20/2")
async def test_the_minimum_is_shown_to_who_is_not_seated(show: See, http: httpx.AsyncClient, case: Case) -> None:
    minimum = case.int("minimum")
    view = await show(casino(1, 2, 3, 4, table_max=1000, big_blind=minimum), "a spectator")
    betting = view["configuration"]["betting"]
    assert (betting["big_blind"], betting["table_max"]) == (minimum, 1000)
    told = (await http.get("/v1/tables/t1/rules")).json()["taking_part"]
    assert f"The table minimum is {in_words(minimum, 'EUR')}: no bet and no raise is lower." in told


@rule("2.a", "86", "87", "7.a")
async def test_the_rules_are_told_in_words(show: See, http: httpx.AsyncClient) -> None:
    await show(casino(1, 2, 3, 4, rulebook=CASINO_OMAHA, rake_bp=500, rake_cap=500))
    rules = (await http.get("/v1/tables/t1/rules")).json()
    words = " ".join(rules["taking_part"])
    assert "At most 3 raises in a round" in words
    assert "5.00 % of each payment out of a pot, at most" in words
    assert "lead seat" in words
    assert rules["configuration"]["variant"] == "omaha"


@rule("29", "81")
async def test_the_marker_is_shown_on_the_lead_seat(show: See) -> None:
    view = await show(led(casino(2, 5, 6, 9), 6))
    assert (view["hand"]["lead"], view["hand"]["small_blind"], view["hand"]["big_blind"]) == (6, 6, 9)


@rule("9.b", "37", "36")
async def test_turn_and_choices_are_shown_to_everybody_alike(show: See) -> None:
    table = h6().plays("3 fold")
    for player in ("p1", "p5", "a spectator"):
        decision = (await show(table, player))["hand"]["decision"]
        assert (decision["seat"], decision["legal"]) == (
            4,
            {"check": False, "call": 200, "min_to": 400, "max_to": 20_000},
        )


@rule("52/1", "9.f")
async def test_stack_bet_and_pot_are_told_apart(show: See, case: Case) -> None:
    table = h6(buy_in=case["stack"]).plays("3 fold")
    before = await show(table)
    table.plays(f"4 raise {case['bet']}")
    after = await show(table)
    seats = {seat["seat"]: seat for seat in after["hand"]["seats"]}
    stacks = {seat["seat"]: seat["stack"] for seat in after["seats"]}
    assert (stacks[4], seats[4]["bet"]) == (case["left"], case["bet"])
    table.plays("5 call", "6 fold", "1 fold", "2 fold")
    closed = await show(table)
    assert [collected(view) for view in (before, after, closed)] == [0, 0, 2 * case.int("bet") + 300]
    for view in (before, after, closed):
        bets = sum(seat["bet"] for seat in view["hand"]["seats"])
        assert sum(seat["stack"] for seat in view["seats"]) + bets + collected(view) == 6 * case.int("stack")


def collected(view: Any) -> int:
    """Of the pots what does not lie before a player as a bet of this round."""
    pots: int = sum(pot["amount"] for pot in view["hand"]["pots"])
    return pots - sum(seat["bet"] for seat in view["hand"]["seats"])


@rule("34/1")
async def test_hole_cards_reach_their_own_player_alone(
    show: See, house: House, gateway: Any, url: str, token_of: Any, case: Case
) -> None:
    table = h6()
    await show(table)
    lines = {name: await _line(url, token_of(name)) for name in ("p4", "p1", "a spectator")}
    cards = deal_to_everybody(gateway, table)
    own = json.loads(await asyncio.wait_for(lines["p4"].recv(), 5))
    assert (own["type"], own["seat"], own["cards"]) == ("hole_cards", 4, list(cards[4]))
    assert len(own["cards"]) == case["cards"]
    for name, socket in lines.items():
        heard = ""
        try:
            while True:
                heard += str(await asyncio.wait_for(socket.recv(), 0.1))
        except TimeoutError:
            pass
        assert not [card for card in cards[4] if f'"{card}"' in heard] or name == "p4"
        await socket.close()
    for name in ("p1", "p4", "a spectator"):
        view = await show(table, name)
        assert view["own"]["cards"] == (list(cards[int(name[1])]) if name in ("p1", "p4") else [])
        hidden = {card for seat, hole in cards.items() if f"p{seat}" != name for card in hole}
        assert not [card for card in hidden if f'"{card}"' in json.dumps(view)]
        for seat in view["hand"]["seats"]:
            assert (len(seat["positions"]), seat["cards"]) == (case["cards"], []), "face down"


async def _line(url: str, token: str) -> Any:
    """A player's WebSocket that has seen the table as it is."""
    headers = {"authorization": f"Bearer {token}"}
    socket = await connect(url.replace("http", "ws") + "/v1/ws", additional_headers=headers, proxy=None)
    await socket.recv()
    await socket.send(json.dumps({"type": "subscribe", "table": "t1"}))
    assert json.loads(await socket.recv())["type"] == "view"
    return socket


@rule("37/1")
async def test_everybody_is_told_whose_turn_it_is_and_what_is_open(
    show: See, house: House, url: str, token_of: Any, case: Case
) -> None:
    table = h6()
    await show(table)
    lines = [await _line(url, token_of(player)) for player in ("p4", "p6", "a-visitor")]
    table.plays(f"{case['folded']} fold")
    open_to_it = (case["seat"], case["to_call"], case["least"], case["most"])
    for player in ("p4", "p6", "a-visitor"):
        turn = (await show(table, player))["hand"]["decision"]
        legal = turn["legal"]
        assert (turn["seat"], legal["call"], legal["min_to"], legal["max_to"]) == open_to_it
    for line in lines:
        told = await heard(line, DecisionAwaited)
        legal = told["legal"]
        assert (told["seat"], legal["call"], legal["min_to"], legal["max_to"]) == open_to_it
        await line.close()


@rule("9.b/1")
async def test_everybody_hears_of_round_turn_and_act_in_the_same_order(
    show: See, house: House, url: str, token_of: Any, case: Case
) -> None:
    table = casino(1, 2, 3, 4, 5, 6)
    await show(table)
    lines = [await _line(url, token_of(name)) for name in ("p1", "p3", "p4", "a spectator")]
    led(table, 1).plays(f"3 raise {case['to']}")
    await show(table)
    heard = []
    for socket in lines:
        events: list[Any] = []
        while not any(event["data"].get("seat") == 4 and "decision" in event["event"] for event in events):
            events += json.loads(await asyncio.wait_for(socket.recv(), 5)).get("events", [])
        heard.append([(event["event"].split(".")[2], event["data"]) for event in events])
        await socket.close()
    assert all(each == heard[0] for each in heard)
    last = [encode_fact(event)[0].split(".")[2] for event in table.told[-len(heard[0]) :]]
    assert [name for name, _ in heard[0]] == last, "act and next turn came as one commit"
    (name, first), (act, bet), (_, then) = heard[0][-3:]
    assert (name, first["street"], first["seat"]) == ("decision_awaited", STREETS[case.int("round") - 1], 3)
    assert (act, bet["seat"], bet["act"], bet["to"]) == ("bet_placed", 3, "raise", case["to"])
    assert then["seat"] == 4


@rule("54/1", "39.a")
async def test_folded_cards_burns_and_the_stub_are_nowhere_but_in_the_sealed_record(
    show: See, gateway: Any, case: Case
) -> None:
    table = h6().plays("3 call", "4 call", "5 fold", "6 call", "1 call", "2 check")
    await show(table)
    cards = deal_to_everybody(gateway, table)
    table.checks_down()
    (started,) = table.of(HandStarted, everything=True)
    streets = table.of(StreetDealt, everything=True)
    deck = names_of(table.deck_of(started).cards)
    burns = [deck[place] for event in streets for place in event.burned]
    used = {
        *burns,
        *(card.card for event in streets for card in event.cards),
        *(c for hole in cards.values() for c in hole),
    }
    unseen = {*cards[5], *burns, *(set(deck) - used)}
    assert (len(cards[5]), len(burns), len(unseen)) == (2, 3, 52 - 5 - 5 * 2), "all of them in the sealed deck"
    for name in ("p1", "p2", "p3", "p4", "p5", "p6", "a spectator"):
        for path in ("", "/last-hand"):
            said = await show(table, name, path) if path == "" or name != "a spectator" else {}
            own = set(cards[5]) if name == "p5" else set()
            assert not [card for card in unseen - own if f'"{card}"' in json.dumps(said)], (name, path)
    told = "".join(encode_fact(event)[1].decode() for event in table.told)
    assert not [card for card in unseen if f'"{card}"' in told], "nor in what the histories are made of"


@rule("62/3")
async def test_nobody_shows_cards_before_the_showdown(
    show: See, http: httpx.AsyncClient, house: House, as_player: Any, url: str, token_of: Any, case: Case
) -> None:
    table = to_flop(h6(), 1, 2).plays("1 check", "2 check", "1 check", "2 check")
    assert table.hand.street == STREETS[case.int("round") - 1]
    await show(table)
    for wish in ("show_cards", "show", "muck"):
        answer = await http.post(f"/v1/tables/t1/{wish}", json={"cards": ["Ah", "Kd"]}, headers=as_player("p1"))
        assert answer.status_code in (404, 405)
        socket = await _line(url, token_of("p1"))
        await socket.send(json.dumps({"type": wish, "id": key_of("k"), "table": "t1"}))
        assert json.loads(await socket.recv())["problem"]["type"].endswith("invalid-input")
        await socket.close()
    assert {message.type for message in house.commands} <= {"ReportConnection"}, "that the line was there and ended"
    assert not table.of(CardsShown, everything=True)
    before = table.state
    for by, command in wishes(before):  # and of the commands that there are, whoever asks, none does but the last act
        table.state, table.last = before, []
        assert table.send(by, command) is not None or not table.of(CardsShown) or table.of(HandEnded), command


@rule("34", "54", "39.a")
async def test_no_card_of_another_is_in_the_view(show: See) -> None:
    table = to_flop(h6(), 1, 2, 3)
    (started,) = table.of(HandStarted, everything=True)
    view = await show(table, "p4")
    open_cards = set(view["hand"]["board"])
    assert len(open_cards) == 3
    unseen = set(names_of(table.deck_of(started).cards)) - open_cards
    assert not [card for card in unseen if f'"{card}"' in json.dumps(view)]
    assert all(seat["cards"] == [] for seat in view["hand"]["seats"])
    folded = next(seat for seat in view["hand"]["seats"] if seat["seat"] == 4)
    assert folded["folded"]
    table.checks_down()
    after = await show(table, "p4")
    shown = {seat["seat"]: seat["cards"] for seat in after["hand"]["seats"]}
    assert [len(shown[seat]) for seat in (1, 2, 3)] == [2, 2, 2]
    assert [shown[seat] for seat in (4, 5, 6)] == [[], [], []]


@rule("90", "38")
async def test_dead_money_stands_in_the_main_pot_and_gives_no_claim(show: See) -> None:
    table = casino(1, 2, 4, 6, 9)
    assert table.sit_out(6) is None
    led(table, 4).folds_round()
    table.deal().folds_round()
    assert table.sit_in(6) is None
    table.deal()
    view = await show(table)
    (pot,) = view["hand"]["pots"]
    seat = next(seat for seat in view["hand"]["seats"] if seat["seat"] == 6)
    assert (pot["amount"], seat["bet"], seat["staked"], 6 in pot["eligible"]) == (600, 0, 300, False)
    table.plays("4 fold", "6 call")
    (pot,) = (await show(table))["hand"]["pots"]
    assert (pot["amount"], 6 in pot["eligible"]) == (800, True)


@rule("77")
async def test_four_face_down_cards_in_omaha(show: See) -> None:
    view = await show(o6(), "a spectator")
    assert all(seat["positions"] and seat["cards"] == [] for seat in view["hand"]["seats"])
