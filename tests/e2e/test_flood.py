"""C1: a session without an account floods a table of the running house, and the table plays on for everybody else."""

import asyncio
import json
import time
from itertools import count
from statistics import median

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from libs.broker import Broker
from libs.client import Operator, Player
from libs.contracts.topics import topic
from services.cli.demo.tables import demo_tables
from services.cli.house import House
from tests.e2e.evening import all_records

pytestmark = pytest.mark.stack
FLOOD = 12_000
"""More than the ids that one stream remembers."""
AT_ONCE = 30
"""Commands without an answer on one connection; it takes at most 32."""


async def flood(house: House, token: str, table: str) -> dict[str, int]:
    """So many commands of one session as fast as they are answered, over four connections; the answers by kind."""
    said: dict[str, int] = {}
    numbers = count()

    async def one() -> None:
        headers = {"authorization": f"Bearer {token}"}
        left = FLOOD // 4
        while left > 0:
            address = house.gateway_url.replace("http", "ws") + "/v1/ws"
            try:
                async with connect(address, additional_headers=headers, proxy=None, compression=None) as socket:
                    await socket.recv()
                    while left > 0:
                        left -= AT_ONCE
                        for _ in range(AT_ONCE):
                            await socket.send(
                                json.dumps({"type": "leave_table", "id": f"m{next(numbers)}", "table": table})
                            )
                        for _ in range(AT_ONCE):
                            frame = json.loads(await asyncio.wait_for(socket.recv(), 30))
                            kind = frame.get("reason") or frame.get("verdict") or frame["problem"]["type"]
                            said[kind] = said.get(kind, 0) + 1
            except ConnectionClosed:
                said["closed"] = said.get("closed", 0) + 1

    await asyncio.gather(*(one() for _ in range(4)))
    return said


async def plays(player: Player, table: str, until: "asyncio.Task[dict[str, int]] | None", acts: int) -> list[float]:
    """Seconds from each act to its answer, until the flood is over or for so many acts."""
    took: list[float] = []
    while (not until.done()) if until is not None else len(took) < acts:
        try:
            turn = await player.next_turn(table, 0.5)
        except TimeoutError:
            continue
        sent = time.monotonic()
        answer = await player.act(turn, "call" if turn.legal.call else "check")
        took.append(time.monotonic() - sent)
        assert answer.accepted, answer
    return took


async def test_a_session_without_an_account_does_not_hold_up_a_table(
    house_at: House, kafka: Broker, topics: str
) -> None:
    house = house_at
    # The share in bytes would slow the flood down before it gets to the doors that are looked at here.
    house.processes["gateway"].environment["CROUPIER_PLAYER_BYTES"] = "[100000000, 100000000]"
    await house.start()
    chosen = demo_tables()[0]
    table = chosen.table
    async with Operator(house.gateway_url, house.operator_token) as operator:
        assert (await operator.open_table(table, chosen.name, chosen.rulebook, chosen.configuration)).accepted
        tokens = {name: (await operator.open_session(name)).token for name in ("alice", "bob", "mallory")}
        for name in ("alice", "bob"):
            await operator.open_account(name)
            await operator.deposit(name, f"{name}-1", 20 * chosen.buy_in)
        async with (
            Player(house.gateway_url, tokens["alice"], 10) as alice,
            Player(house.gateway_url, tokens["bob"], 10) as bob,
        ):
            for player in (alice, bob):
                await player.subscribe(table)
                assert (await player.take_seat(table, chosen.buy_in)).accepted

            async def both(until: "asyncio.Task[dict[str, int]] | None", acts: int = 0) -> list[float]:
                took = await asyncio.gather(*(plays(player, table, until, acts) for player in (alice, bob)))
                return [*took[0], *took[1]]

            quiet = await both(None, 20)
            hands = alice.tables[table].view.hands_played
            flooding = asyncio.create_task(flood(house, tokens["mallory"], table))
            loud = await both(flooding)
            said = flooding.result()
            # Staff are answered, and the timer begins hands.
            assert (await operator.command(f"/tables/{table}/pause", {"reason": "a look"})).accepted
            assert (await operator.command(f"/tables/{table}/resume")).accepted
            after = alice.tables[table].view.hands_played
            await both(None, 10)
            played = alice.tables[table].view.hands_played
        assert set(said) <= {"not_seated", "urn:croupier:problem:too-many-requests", "closed"}, said
        assert played > after > hands
        assert loud, "nobody could act while it went on"
        for name, took in (("quiet", quiet), ("flooded", loud)):
            print(f"{name}: {len(took)} acts, median {1e3 * median(took):.1f} ms, worst {1e3 * max(took):.1f} ms")
        print(said)
    journal = await all_records(kafka, topics + topic("table", "journal").name, 4)
    assert not [record for record in journal if b"player:mallory" in record.value]
