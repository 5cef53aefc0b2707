"""The doors to tables against the house, HTTP and WebSocket: each wish becomes its command, staff are named."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect

from libs.contracts.messages import CommandMessage, Reply
from libs.contracts.no_draw_poker_events import HandSurrendered, SecondBetPlaced
from libs.contracts.table_events import ConnectionLost, ConnectionRestored
from services.gateway.app.gateway import Gateway
from tests.banked.script import BACCARAT, POKER
from tests.gateway.banked import told
from tests.gateway.conftest import House
from tests.gateway.deciding import Deciding
from tests.table.no_draw.play import NoDraw
from tests.table.no_draw.test_time import DEALT, dealt
from tests.testkit.cases import Case
from tests.testkit.keys import key_of


@pytest.fixture
def tables(house: House, gateway: Gateway) -> House:
    for table in (POKER, BACCARAT):
        house.publish(told.opened(table), told.seated(table, 1), table=table)
    return house


def bearer(gateway: Gateway, player: str = "alice") -> dict[str, str]:
    token, _ = gateway.sessions.open(player, gateway.now())
    return {"authorization": f"Bearer {token}"}


WISHES: list[tuple[str, str, dict[str, Any], str]] = [
    (POKER, "antes", {"amount": 500, "round": 3}, "PlaceAnte"),
    (POKER, "antes", {"amount": 500}, "PlaceAnte"),
    (POKER, "antes/withdraw", {"round": 3}, "WithdrawAnte"),
    (POKER, "decisions", {"round": 3, "decision": "continue", "bet": 1_000}, "DecideHand"),
    (POKER, "decisions", {"round": 3, "decision": "fold"}, "DecideHand"),
    (POKER, "deal", {"round": 3}, "DealRound"),
    (BACCARAT, "deal", {"round": 3}, "DealRound"),
    (BACCARAT, "stakes", {"chance": "banca", "amount": 2_000, "round": 3}, "PlaceStake"),
    (BACCARAT, "stakes/withdraw", {"chance": "banca", "amount": 500, "round": 3}, "WithdrawStake"),
]


@pytest.mark.parametrize(("table", "path", "body", "command"), WISHES)
async def test_a_wish_becomes_its_command(
    tables: House, http: httpx.AsyncClient, gateway: Gateway, table: str, path: str, body: dict[str, Any], command: str
) -> None:
    headers = bearer(gateway) | {"idempotency-key": key_of("k1")}
    answer = await http.post(f"/v1/tables/{table}/{path}", json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    (sent,) = tables.commands
    assert (sent.type, sent.stream, sent.principal.kind, sent.principal.id) == (command, table, "player", "alice")
    assert {name: value for name, value in sent.body.items() if value is not None} == body


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("antes", {"amount": 0}),
        ("antes", {"amount": 5.5}),
        ("decisions", {"round": 1, "decision": "raise"}),
        ("stakes", {"chance": "jackpot", "amount": 100}),
        ("stakes", {"chance": "banca", "amount": 100, "at": "night"}),
    ],
)
async def test_what_is_no_wish_is_turned_away_by_field(
    tables: House, http: httpx.AsyncClient, gateway: Gateway, path: str, body: dict[str, Any]
) -> None:
    headers = bearer(gateway) | {"idempotency-key": key_of("k1")}
    answer = await http.post(f"/v1/tables/{BACCARAT}/{path}", json=body, headers=headers)
    assert answer.status_code == 422
    assert answer.json()["errors"]
    assert tables.commands == []


async def test_bank_changes_go_on_record_with_who_asked_and_who_approved(
    tables: House, http: httpx.AsyncClient, as_staff: Any
) -> None:
    change = {"change": "c1", "direction": "drop", "amount": 5_000, "reason": "closing time"}
    asked = as_staff("cashier", "k1", "floor-1")
    approved = as_staff("cashier", "k2", "floor-2")
    declined = as_staff("supervisor", "k3", "floor-3")
    path = f"/v1/tables/{BACCARAT}/bank/changes"
    seen = {"direction": "drop", "amount": 5_000}
    assert (await http.post(path, json=change, headers=asked)).status_code == 200
    assert (await http.post(f"{path}/c1/approve", json=seen, headers=approved)).status_code == 200
    assert (await http.post(f"{path}/c1/decline", json={"reason": "no"}, headers=declined)).status_code == 200
    assert [(sent.type, sent.principal.kind, sent.principal.id, sent.body) for sent in tables.commands] == [
        ("RequestBankChange", "staff", "floor-1", change),
        ("ApproveBankChange", "staff", "floor-2", {"change": "c1", **seen}),
        ("DeclineBankChange", "staff", "floor-3", {"change": "c1", "reason": "no"}),
    ]


async def test_players_neither_move_banks_nor_void_rounds(
    tables: House, http: httpx.AsyncClient, gateway: Gateway, as_staff: Any
) -> None:
    headers = bearer(gateway) | {"idempotency-key": key_of("k1")}
    for path, body in (
        (f"{BACCARAT}/bank/changes", {"change": "c", "direction": "drop", "amount": 1, "reason": "r"}),
        (f"{BACCARAT}/bank/changes/c/approve", {"direction": "drop", "amount": 1}),
        (f"{POKER}/rounds/3/void", {"cause": "fault"}),
    ):
        assert (await http.post(f"/v1/tables/{path}", json=body, headers=headers)).status_code == 403
    assert tables.commands == []
    answer = await http.post(
        f"/v1/tables/{POKER}/rounds/3/void", json={"cause": "fault"}, headers=as_staff("supervisor", "k2")
    )
    assert answer.status_code == 200
    assert [(sent.type, sent.body) for sent in tables.commands] == [("VoidRound", {"round": 3, "cause": "fault"})]


SAID: list[tuple[str, dict[str, Any], str]] = [
    (POKER, {"type": "place_ante", "amount": 500}, "PlaceAnte"),
    (POKER, {"type": "withdraw_ante", "round": 3}, "WithdrawAnte"),
    (POKER, {"type": "decide_hand", "round": 3, "decision": "fold"}, "DecideHand"),
    (POKER, {"type": "deal_round", "round": 3}, "DealRound"),
    (BACCARAT, {"type": "deal_round", "round": 3}, "DealRound"),
    (BACCARAT, {"type": "place_stake", "chance": "empate", "amount": 100}, "PlaceStake"),
    (BACCARAT, {"type": "withdraw_stake", "chance": "empate", "round": 3}, "WithdrawStake"),
]


async def test_the_same_over_the_websocket(tables: House, gateway: Gateway, url: str) -> None:
    async with connect(f"{url.replace('http', 'ws')}/v1/ws", additional_headers=bearer(gateway), proxy=None) as socket:
        for number, (table, message, _) in enumerate(SAID):
            await socket.send(json.dumps({"id": key_of(f"k{number}"), "table": table, **message}))
        replies: set[str] = set()
        while len(replies) < len(SAID):
            frame = json.loads(await asyncio.wait_for(socket.recv(), 30))
            if frame["type"] == "reply":
                replies.add(frame["id"])
    said = {message["type"] + table: command for table, message, command in SAID}
    assert sorted(sent.type for sent in tables.commands) == sorted(said.values())


def said_by_the_table(house: House, table: str) -> Callable[[CommandMessage], Reply]:
    """The reports' events, as a table tells them."""

    def answer(message: CommandMessage) -> Reply:
        kind = ConnectionRestored if message.body["connected"] else ConnectionLost
        house.publish(kind(seat=1, player="alice", table=table), table=table)
        return Reply(
            command_id=message.id, stream=message.stream, verdict="accepted", version=house.versions[message.stream]
        )

    return answer


async def reported(house: House, count: int) -> list[tuple[str, str, Any]]:
    """What the tables were told of connections, once there is so much of it."""
    async with asyncio.timeout(30):
        while True:
            told_of = [sent for sent in house.commands if sent.type == "ReportConnection"]
            if len(told_of) >= count:
                return [(sent.principal.kind, sent.stream, sent.body["connected"]) for sent in told_of]
            await asyncio.sleep(0.01)


@pytest.mark.rule("pt-803-2015-no-draw", "34")
@pytest.mark.rule("pt-812-2015-baccarat", "30")
async def test_the_table_is_told_of_a_lost_connection_and_of_its_return(
    tables: House, gateway: Gateway, url: str
) -> None:
    """Of the last connection's end, not of each one's; the return may be sooner than the loss is known."""
    tables.answer = said_by_the_table(tables, POKER)
    address = f"{url.replace('http', 'ws')}/v1/ws"
    subscribe = json.dumps({"type": "subscribe", "table": POKER})
    async with connect(address, additional_headers=bearer(gateway), proxy=None) as one:
        await one.send(subscribe)
        await one.recv()
        async with connect(address, additional_headers=bearer(gateway), proxy=None) as two:
            await two.send(subscribe)
            await two.recv()
    lost, back = ("policy", POKER, False), ("policy", POKER, True)
    assert await reported(tables, 1) == [lost], "that the player was there was no news"
    async with connect(address, additional_headers=bearer(gateway), proxy=None) as again:
        await again.send(subscribe)
        assert await reported(tables, 2) == [lost, back]
    assert await reported(tables, 3) == [lost, back, lost]


@pytest.mark.rule("pt-803-2015-no-draw", "34")
@pytest.mark.rule("pt-812-2015-baccarat", "30")
async def test_nothing_is_lost_while_another_tab_is_open(tables: House, gateway: Gateway) -> None:
    for told_of in (gateway.presence.came, gateway.presence.came, gateway.presence.went):
        told_of(POKER, "alice")
        await asyncio.sleep(0.05)
    assert tables.commands == []
    gateway.presence.went(POKER, "alice")
    assert await reported(tables, 1) == [("policy", POKER, False)]


def dealt_and_watched(house: House, url: str, token: str, **known: Any) -> tuple[NoDraw, Callable[[], Any]]:
    """P1 has seen the cards; whoever closes the line that is given loses the connection."""
    table = dealt(1, **known)
    Deciding(house, table)  # type: ignore[arg-type]

    async def watch() -> Any:
        headers = {"authorization": f"Bearer {token}"}
        line = await connect(f"{url.replace('http', 'ws')}/v1/ws", additional_headers=headers, proxy=None)
        await line.send(json.dumps({"type": "subscribe", "table": "t1"}))
        while json.loads(await asyncio.wait_for(line.recv(), 10))["type"] != "view":
            pass
        return line

    return table, watch


async def heard_of(table: NoDraw, kind: type) -> None:
    async with asyncio.timeout(10):
        while not table.of(kind, True):
            await asyncio.sleep(0.01)


@pytest.mark.rule("pt-803-2015-no-draw", "35/1")
async def test_whose_line_is_cut_before_the_second_bet_folds_as_disconnected(
    house: House, url: str, token_of: Any, case: Case
) -> None:
    time, extra = case.int("time") * 1000, case.int("extra") * 1000
    table, watch = dealt_and_watched(house, url, token_of("p1"), decision_ms=time, extra_ms=extra, s1=case.int("ante"))
    line = await watch()
    table.at(DEALT + case.int("lost") * 1000)
    await line.close()
    await heard_of(table, ConnectionLost)
    table.at(DEALT + time).wake()
    table.at(DEALT + time + extra).wake()
    assert [(event.seat, event.cause) for event in table.of(HandSurrendered)] == [(1, "disconnected")]
    assert table.nets == {1: case["net"]}


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.rule("pt-803-2015-no-draw", "35/2")
async def test_whose_line_is_back_in_time_bets(
    house: House, gateway: Gateway, url: str, token_of: Any, case: Case, quick: bool
) -> None:
    """`quick`: before the table has answered that the line was lost."""
    table, watch = dealt_and_watched(house, url, token_of("p1"), s1=case.int("bet") // 2)
    line = await watch()
    if quick:
        gateway.presence.went("t1", "p1")
        gateway.presence.came("t1", "p1")
    else:
        await line.close()
        await heard_of(table, ConnectionLost)
        table.at(DEALT + 20_000).wake()
        line = await watch()
    await heard_of(table, ConnectionRestored)
    assert not table.state.seats[1].offline
    table.at(DEALT + case.int("back") * 1000)
    assert table.decides(1, "continue") is None
    assert [bet.amount for bet in table.of(SecondBetPlaced)] == [case["bet"]]
    await line.close()


async def test_what_a_gateway_before_told_is_corrected(tables: House, gateway: Gateway, url: str) -> None:
    tables.publish(ConnectionLost(seat=1, player="alice", table=POKER), table=POKER)
    async with connect(f"{url.replace('http', 'ws')}/v1/ws", additional_headers=bearer(gateway), proxy=None) as alice:
        await alice.send(json.dumps({"type": "subscribe", "table": POKER}))
        assert await reported(tables, 1) == [("policy", POKER, True)]


async def test_a_return_in_the_same_moment_is_told(tables: House, gateway: Gateway) -> None:
    gateway.presence.came(POKER, "alice")
    gateway.presence.went(POKER, "alice")
    gateway.presence.came(POKER, "alice")
    assert [connected for *_, connected in await reported(tables, 2)] == [False, True]


async def test_nobody_is_told_of_those_who_only_watch(tables: House, gateway: Gateway, url: str) -> None:
    address = f"{url.replace('http', 'ws')}/v1/ws"
    async with connect(address, additional_headers=bearer(gateway, "a-visitor"), proxy=None) as visitor:
        await visitor.send(json.dumps({"type": "subscribe", "table": POKER}))
        await visitor.recv()
    async with connect(address, additional_headers=bearer(gateway), proxy=None) as alice:
        await alice.send(json.dumps({"type": "subscribe", "table": "table-1"}))
        await alice.send(json.dumps({"type": "subscribe", "table": POKER}))
        await alice.recv()
    assert await reported(tables, 1) == [("policy", POKER, False)]
