"""compliance P2P-7: who may read which card, over every path and every stream, with cards that occur nowhere else."""

import asyncio
import json

import pytest
from websockets.asyncio.client import connect

from services.gateway.http.questions import QUESTIONS
from tests.gateway.hands import PLAYERS, TABLE, dealt, everybody, started
from tests.gateway.http.test_edge import deal_to

CANARIES = {player: tuple(f"canary{seat}{n}xq" for n in range(4)) for seat, player in PLAYERS.items()}
READS = [path for method, path, *_ in QUESTIONS if method == "GET"]


@pytest.fixture
def dealt_in(house, gateway):
    """A hand before its showdown: nobody may know more than their own four cards."""
    house.publish(*everybody(), started(), dealt())
    for seat, player in PLAYERS.items():
        gateway.floor.on_cards(deal_to(seat, player), CANARIES[player])


def others(player: str | None) -> list[str]:
    return [card for owner, cards in CANARIES.items() if owner != player for card in cards]


@pytest.mark.rule("pt-811-2015", "2.d/1")
@pytest.mark.parametrize("player", ["alice", "bob", "carol", "mallory", "operator", None])
async def test_the_read_matrix(http, dealt_in, token_of, operator, player):
    headers = operator if player == "operator" else {"authorization": f"Bearer {token_of(player)}"} if player else {}
    own_seen = False
    for path in [*(f"/v1{read}" for read in READS), "/openapi.json"]:
        where = path.format(table=TABLE, player="alice", regulation="pt-811-2015", tournament="t-1")
        answer = await http.get(where, headers=headers)
        assert answer.status_code != 500
        assert not [card for card in others(player) if card in answer.text], path
        own_seen |= player in CANARIES and CANARIES[player][0] in answer.text
    assert own_seen == (player in CANARIES)


@pytest.mark.rule("pt-811-2015", "2.d/1")
async def test_the_streams(url, house, gateway, token_of):
    house.publish(*everybody())
    heard: dict[str, str] = {}

    async def listen(player: str, ready: asyncio.Event) -> None:
        headers = {"authorization": f"Bearer {token_of(player)}"}
        async with connect(url.replace("http", "ws") + "/v1/ws", additional_headers=headers, proxy=None) as socket:
            await socket.send(json.dumps({"type": "subscribe", "table": TABLE}))
            heard[player] = str(await socket.recv()) + str(await socket.recv())
            ready.set()
            try:
                while True:
                    heard[player] += str(await asyncio.wait_for(socket.recv(), 0.3))
            except TimeoutError:
                await socket.send(json.dumps({"type": "subscribe", "table": TABLE}))
                heard[player] += str(await asyncio.wait_for(socket.recv(), 60))

    names = [*CANARIES, "mallory"]
    readies = [asyncio.Event() for _ in names]
    listening = [asyncio.create_task(listen(*pair)) for pair in zip(names, readies, strict=True)]
    await asyncio.gather(*(ready.wait() for ready in readies))
    house.publish(started(), dealt())
    for seat, player in PLAYERS.items():
        gateway.floor.on_cards(deal_to(seat, player), CANARIES[player])
    await asyncio.gather(*listening)
    for player, text in heard.items():
        assert not [card for card in others(player) if card in text], player
        # once as hole cards, once in the fresh view
        assert text.count(CANARIES[player][0] if player in CANARIES else "canary") == (2 if player in CANARIES else 0)


async def test_no_card_in_a_log_or_a_repr(http, dealt_in, gateway, token_of, caplog, capsys):
    with caplog.at_level("DEBUG"):
        await http.get(f"/v1/tables/{TABLE}", headers={"authorization": f"Bearer {token_of('alice')}"})
    said = caplog.text + "".join(capsys.readouterr()) + repr(gateway) + repr(gateway.floor)
    assert "canary" not in said
