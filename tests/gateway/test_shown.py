"""What regulations want shown to people: a real table plays, and its public events come out of the gateway as data."""

import json
from typing import Any

import httpx
import msgspec
import pytest
from msgspec.structs import replace
from websockets.asyncio.client import connect

from libs.contracts.configurations import flat
from libs.contracts.poker_configuration import PokerConfiguration
from libs.contracts.table_events import TableOpened
from services.gateway.app.gateway import WalletReads
from tests.gateway.conftest import House, See
from tests.table.play import MACAU, PORTUGAL, TableUnderTest, configuration, stacked
from tests.testkit.keys import key_of


def portugal(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("pt-811-2015", *refs)


def macau(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("mo-97-2010", *refs)


def deep(**changes: Any) -> TableUnderTest:
    wide: dict[str, Any] = {"structure": "no_limit", "buy_in_min": 100, "buy_in_max": 10**6}
    return TableUnderTest(**(wide | changes))


@portugal("4.a")
@pytest.mark.parametrize("seats", [2, 6, 10])
async def test_all_seats_are_told_taken_or_not(show: See, seats: int) -> None:
    view = await show(deep(seats=seats).seat(1, seats))
    assert view["configuration"]["seats"] == seats
    assert [seat["seat"] for seat in view["seats"]] == [1, seats]


@portugal("4.d", "4.e", "13")
async def test_a_stack_is_told_in_cents_of_its_currency(show: See) -> None:
    view = await show(deep().with_stacks(s1=12_345))
    assert (view["seats"][0]["stack"], view["configuration"]["currency"]) == (12_345, "EUR")


@portugal("4.e")
async def test_every_pot_stands_on_its_own(show: See) -> None:
    table = deep().with_stacks(s1=2030, s2=5055, s3=20_000, s4=20_000).deal(button=1)
    table.plays("4 raise 9075", "1 call", "2 call", "3 call")
    view = await show(table)
    assert [(pot["pot"], pot["amount"], sorted(pot["eligible"])) for pot in view["hand"]["pots"]] == [
        ("main", 8120, [1, 2, 3, 4]),
        ("side_1", 9075, [2, 3, 4]),
        ("side_2", 8040, [3, 4]),
    ]
    assert {seat["seat"]: seat["stack"] for seat in view["seats"]} == {1: 0, 2: 0, 3: 10_925, 4: 10_925}


@portugal("2.c", "47")
@macau("1.1.2")
@pytest.mark.parametrize("rulebook", [PORTUGAL, MACAU])
async def test_one_seat_has_the_button_and_it_moves_between_hands_only(show: See, rulebook: str) -> None:
    table = TableUnderTest(rulebook).seat(1, 2, 3, 4).deal(button=2)
    before = await show(table)
    assert before["button"] == before["hand"]["button"] == 2
    while table.state.hand is not None:
        table.plays(f"{table.turn} {'check' if table.legal[0] else 'call'}")
        assert (await show(table))["button"] == 2
    table.wake()
    assert (await show(table))["button"] == 3


@portugal("2.e")
async def test_everybody_sees_the_same_flop_at_the_same_event(show: See) -> None:
    table = deep().seat(1, 2, 3, amount=5000).deal(button=1).plays("1 call", "2 call", "3 check")
    views = [await show(table, player) for player in ("p1", "p2", "a spectator")]
    (flop,) = [event for event in table.told if type(event).__name__ == "StreetDealt"]
    assert [view["hand"]["board"] for view in views] == [[card.card for card in flop.cards]] * 3
    assert len({view["version"] for view in views}) == 1


@portugal("61", "60")
async def test_the_winning_combination_is_marked(show: See) -> None:
    # p2 is dealt first: Ah 3d make the wheel with 2h 4c 5s; p1 has two pair.
    deck = stacked("Ah As 3d Kh Jc 5h Jh 2c 2h 4c 5s Kd 9h")
    view = await show(deep().seat(1, 2).deal(button=2, fresh=deck).checks_down())
    (award,) = view["hand"]["awards"]
    assert award["winners"] == [2]
    seats = {seat["seat"]: seat for seat in view["hand"]["seats"]}
    assert seats[2]["category"] == "straight"
    assert set(seats[2]["hole_used"] + seats[2]["board_used"]) == {"Ah", "3d", "2h", "4c", "5s"}
    assert seats[1]["category"] == "two_pair"


@portugal("61")
async def test_on_a_tie_each_winner_s_five_cards(show: See) -> None:
    deck = stacked("Ac Ad Qc Qd 9c 9d 8c 8d Kc Td 7h 4s 2d")
    view = await show(deep().seat(1, 2).deal(button=1, fresh=deck).checks_down())
    assert view["hand"]["awards"][0]["winners"] == [1, 2]
    assert [len(seat["hole_used"] + seat["board_used"]) for seat in view["hand"]["seats"]] == [5, 5]


@portugal("61", "2.e")
async def test_the_stream_marks_it_too(url: str, house: House, token_of: Any) -> None:
    table = deep().seat(1, 2).deal(button=1)
    house.publish(*table.told, table="t1")
    told = len(table.told)
    headers = {"authorization": f"Bearer {token_of('p1')}"}
    async with connect(url.replace("http", "ws") + "/v1/ws", additional_headers=headers, proxy=None) as socket:
        await socket.recv()
        await socket.send(json.dumps({"type": "subscribe", "table": "t1"}))
        await socket.recv()
        table.checks_down()
        house.publish(*table.told[told:], table="t1")
        heard: list[Any] = []
        while not heard or "hand_ended" not in heard[-1]["event"]:
            heard += json.loads(await socket.recv())["events"]
    shown = [frame["data"] for frame in heard if "cards_shown" in frame["event"]]
    assert [(len(hand["hole_used"]), len(hand["board_used"])) for hand in shown] == [(2, 3), (2, 3)]
    flop = next(frame["data"] for frame in heard if "street_dealt" in frame["event"])
    assert len(flop["cards"]) == 3


@portugal("70", "71")
async def test_an_invitation_and_a_warning_are_shown(show: See) -> None:
    table = TableUnderTest(absent_hands=1, between_hands_ms=1).seat(1, 2, 3, 4)
    table.sit_out(4)
    notices = []
    for _ in range(3):
        table.later(1)
        notices.append(next((seat["notice"] for seat in (await show(table))["seats"] if seat["seat"] == 4), "gone"))
        table.folds_round()
        notices.append(next((seat["notice"] for seat in (await show(table))["seats"] if seat["seat"] == 4), "gone"))
    assert notices == [None, None, None, "invited: absent", "warned: absent", "gone"]


@portugal("enact.4")
@macau("4.3")
async def test_the_rules_are_open_to_everybody(house: House, http: httpx.AsyncClient) -> None:
    for number, (rulebook, regulation) in enumerate([(PORTUGAL, "n.º 811/2015"), (MACAU, "n.º 97/2010")]):
        table = TableUnderTest(rulebook, time_bank_ms=30_000)
        name = f"open-{number}"
        (opened,) = table.of(TableOpened, True)
        house.publish(replace(opened, table=name), table=name)
        said = (await http.get(f"/v1/tables/{name}/rules")).json()
        assert regulation in said["regulation"]
        told = flat(msgspec.convert(said["configuration"], PokerConfiguration))
        assert set(configuration(rulebook)) <= {*told, "mode", "buy_in"}
        words = " ".join(said["taking_part"])
        blinds = "0.50 EUR and 1.00 EUR" if rulebook == PORTUGAL else "5.00 MOP and 10.00 MOP"
        for part in (blinds, "buy-in of", "top up", "size of the pot", "5.00 %", "20 seconds", "30 seconds", "10 min"):
            assert part in words, part


@macau("4.3")
async def test_the_blinds_are_told_before_and_after_sitting_down(show: See, http: httpx.AsyncClient) -> None:
    table = TableUnderTest(MACAU)
    await show(table)
    (row,) = [row for row in (await http.get("/v1/tables")).json()["tables"] if row["table"] == "t1"]
    assert (row["small_blind"], row["big_blind"]) == (500, 1000)
    seated = await show(table.seat(1))
    assert (seated["configuration"]["betting"]["small_blind"], seated["configuration"]["betting"]["big_blind"]) == (
        500,
        1000,
    )


@portugal("17", "enact.3")
async def test_a_change_of_the_rules_is_announced_and_then_in_force(show: See, http: httpx.AsyncClient) -> None:
    table = TableUnderTest().seat(1, 2, 3).deal(button=1)
    table.change(2, rake_mode="buy_in", rake_bp=1000)
    assert (await show(table))["announced"]["rake"]["mode"] == "buy_in"
    rules = (await http.get("/v1/tables/t1/rules")).json()
    assert (rules["configuration"]["version"], rules["announced"]["version"]) == (1, 2)
    table.folds_round()
    await show(table)
    rules = (await http.get("/v1/tables/t1/rules")).json()
    assert (rules["configuration"]["rake"]["mode"], rules["announced"]) == ("buy_in", None)
    assert "10.00 % of each buy-in and top-up" in " ".join(rules["taking_part"])


SESSIONS = [
    {
        "player": "p1", "start": 5, "end": None, "parts": [],
        "totals": [
            {
                "currency": "EUR", "brought": 10_000, "staked": 2100, "won": 3040, "rake": 160, "commission": 0,
                "returned": 0, "result": None, "hands": 3,
            }
        ],
    }
]  # fmt: skip


@portugal("66")
async def test_the_information_panel_has_it_all_in_one_step(show: See, gateway: Any) -> None:
    books = httpx.MockTransport(lambda request: httpx.Response(200, json=SESSIONS))
    gateway.wallet = WalletReads(httpx.AsyncClient(base_url="http://wallet", transport=books))
    table = deep().seat(1, 2, 3, amount=5000).deal(button=1).plays("1 raise 300")
    panel = await show(table, "p1", "/information")
    assert panel["rules"]["taking_part"]
    assert panel["rules"]["configuration"]["betting"]["big_blind"] == 100
    assert panel["staked_now"] == 300
    assert panel["session"]["totals"] == [
        {
            "currency": "EUR",
            "staked": 2100,
            "won": 3040,
            "rake": 160,
            "commission_on_wins": 0,
            "commission": 0,
            "fees": 0,
            "tips": 0,
            "hands": 3,
            "result": 940,
        }
    ]
    assert "Complain to the operator" in panel["complaints"]


@portugal("66")
async def test_the_panel_is_there_when_the_books_are_not(show: See, gateway: Any) -> None:
    nobody = httpx.MockTransport(lambda request: httpx.Response(503))
    gateway.wallet = WalletReads(httpx.AsyncClient(base_url="http://wallet", transport=nobody))
    panel = await show(deep().seat(1), "p1", "/information")
    assert (panel["session"], panel["session_known"]) == (None, False)
    assert panel["complaints"]
    assert panel["rules"]["taking_part"]


@portugal("28", "11.d")
@macau("10.3")
@pytest.mark.rule("pt-217-2007", "14.c", "62", "9.a")
@pytest.mark.parametrize("wish", ["divide_pot", "run_it_twice", "show_cards", "muck", "chat", "shuffle", "cut"])
async def test_there_is_no_door_for_deals_or_cards(
    http: httpx.AsyncClient, house: House, as_player: Any, url: str, token_of: Any, wish: str
) -> None:
    answer = await http.post(f"/v1/tables/table-1/{wish}", json={"text": "Ah Kd"}, headers=as_player("alice"))
    assert answer.status_code in (404, 405)
    headers = {"authorization": f"Bearer {token_of('alice')}"}
    async with connect(url.replace("http", "ws") + "/v1/ws", additional_headers=headers, proxy=None) as socket:
        await socket.recv()
        await socket.send(json.dumps({"type": wish, "id": key_of("k"), "table": "table-1", "text": "Ah Kd"}))
        assert json.loads(await socket.recv())["problem"]["type"].endswith("invalid-input")
    assert house.sent == []
