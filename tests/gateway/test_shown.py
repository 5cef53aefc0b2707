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
from tests.table.play import MACAU, PORTUGAL, TableUnderTest, configuration
from tests.testkit.keys import key_of


def portugal(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("pt-811-2015", *refs)


def macau(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("mo-97-2010", *refs)


def deep(**changes: Any) -> TableUnderTest:
    wide: dict[str, Any] = {"structure": "no_limit", "buy_in_min": 100, "buy_in_max": 10**6}
    return TableUnderTest(**(wide | changes))


@portugal("2.c", "47")
@macau("1.1.2/1")
@pytest.mark.parametrize("rulebook", [PORTUGAL, MACAU])
async def test_one_seat_has_the_button_and_it_moves_between_hands_only(show: See, rulebook: str) -> None:
    table = TableUnderTest(rulebook).seat(1, 2, 3, 4).deal(button=2)
    before = await show(table)
    assert before["button"] == before["hand"]["button"] == 2
    assert [seat["seat"] for seat in before["seats"]].count(before["button"]) == 1
    while table.state.hand is not None:
        table.plays(f"{table.turn} {'check' if table.legal[0] else 'call'}")
        assert (await show(table))["button"] == 2
    table.wake()
    assert (await show(table))["button"] == 3


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


@portugal("17", "enact.3")
async def test_a_change_of_the_rules_is_announced_and_then_in_force(show: See, http: httpx.AsyncClient) -> None:
    table = TableUnderTest(decision_ms=120_000).seat(1, 2, 3).deal(button=1)
    table.change(2, rake_mode="buy_in", rake_bp=1000, decision_ms=120_000)
    view = await show(table)
    assert (view["announced"]["rake"]["mode"], view["announced_from"]) == ("buy_in", table.now + 60_000)
    rules = (await http.get("/v1/tables/t1/rules")).json()
    assert (rules["configuration"]["version"], rules["announced"]["version"]) == (1, 2)
    table.now += 60_000
    table.folds_round()
    await show(table)
    rules = (await http.get("/v1/tables/t1/rules")).json()
    assert (rules["configuration"]["rake"]["mode"], rules["announced"]) == ("buy_in", None)
    assert "10.00 % of each buy-in and top-up" in " ".join(rules["taking_part"])


@portugal("17/2", "66", "enact.3", "enact.4")
@pytest.mark.parametrize(("changes", "notice_ms"), [({"rake_mode": "buy_in", "rake_bp": 1000}, 60_000), ({}, 0)])
async def test_announced_rules_are_told_to_everybody_with_their_time(
    show: See, http: httpx.AsyncClient, changes: dict[str, Any], notice_ms: int
) -> None:
    """At the table, in the panel, in the rules and in the lobby, with a login and without; gone once they hold."""

    async def told(path: str = "/v1/tables/t1/rules") -> Any:
        return (await http.get(path)).json()

    async def everywhere() -> list[int | None]:
        seats = [await show(table), (await show(table, path="/information"))["rules"]]
        (row,) = [row for row in (await told("/v1/tables"))["tables"] if row["table"] == "t1"]
        return [each["announced_from"] for each in (*seats, await told(), row)]

    table = TableUnderTest(decision_ms=120_000).seat(1, 2, 3).deal(button=1)
    assert await everywhere() == [None] * 4
    assert table.change(2, decision_ms=120_000, **changes) is None
    assert await everywhere() == [table.now + notice_ms] * 4
    assert (await told())["announced"]["version"] == 2
    table.now += notice_ms
    table.folds_round()
    assert await everywhere() == [None] * 4
    assert ((await told())["configuration"]["version"], (await told())["announced"]) == (2, None)


@portugal("66")
async def test_the_panel_is_there_when_the_books_are_not(show: See, gateway: Any) -> None:
    nobody = httpx.MockTransport(lambda request: httpx.Response(503))
    gateway.wallet = WalletReads(httpx.AsyncClient(base_url="http://wallet", transport=nobody))
    panel = await show(deep().seat(1), "p1", "/information")
    assert (panel["session"], panel["session_known"]) == (None, False)
    assert panel["complaints"]
    assert panel["rules"]["taking_part"]


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
