"""Over the WebSocket a table of another floor is a problem with the right address; the connection stays."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from libs.contracts import tournament_play_events as p
from libs.contracts import tournaments_events as t
from libs.contracts.topics import partition_of
from services.gateway.app.floors import floors_of
from services.gateway.app.gateway import Gateway
from tests.gateway.conftest import House
from tests.gateway.hands import TABLE
from tests.gateway.http.test_tournaments import told
from tests.gateway.ws.test_talk import line
from tests.testkit.keys import key_of

OF_HOUSE = 4
THERE = "wss://b.casino.example/v1/ws"
__all__ = ["line"]


def served_elsewhere(gateway: Gateway, file: Any) -> None:
    of = partition_of(TABLE, OF_HOUSE)
    others = ",".join(str(each) for each in range(OF_HOUSE) if each != of)
    file.write_text(f'{{"{of}": "https://b.casino.example", "{others}": "https://a.casino.example"}}')
    gateway.floors = floors_of(others, file, OF_HOUSE)


async def test_a_wish_and_a_subscription_are_sent_on_and_the_connection_stays(
    line: Callable[..., Any], house: House, gateway: Gateway, tmp_path: Any
) -> None:
    served_elsewhere(gateway, tmp_path / "floors.json")
    async with line() as alice:
        await alice.say(type="leave_table", id=key_of("k1"), table=TABLE)
        said = await alice.hear()
        assert (said["type"], said["id"]) == ("problem", key_of("k1"))
        assert {name: said["problem"][name] for name in ("status", "table", "gateway")} == {
            "status": 421, "table": TABLE, "gateway": THERE,
        }  # fmt: skip
        assert "location" not in said["problem"]
        await alice.say(type="subscribe", table=TABLE)
        said = await alice.hear()
        assert (said["type"], said["problem"]["status"], said["problem"]["gateway"]) == ("problem", 421, THERE)
        await alice.say(type="watch_tournament", tournament="t-1")
        assert (await alice.hear())["type"] == "tournament"
        await alice.say(type="ping")
        assert (await alice.hear())["type"] == "pong"
    assert house.sent == []
    assert not gateway.desk.keys.known("player:alice", key_of("k1"))


async def test_a_seat_in_a_tournament_tells_its_table_s_address(
    line: Callable[..., Any], house: House, gateway: Gateway, tmp_path: Any
) -> None:
    file = tmp_path / "floors.json"
    file.write_text('{"0-3": "https://b.casino.example"}')
    running = [told(kind) for kind in (t.PaymentDue, t.PlayerRegistered, t.TournamentStarted, p.EntrySeated)]
    house.publish_tournament(*running, replace(told(p.LevelBegan), level=1))
    for floors, address in ((gateway.floors, None), (floors_of("0", file, OF_HOUSE), THERE)):
        gateway.floors = floors
        async with line("ann") as ann:
            await ann.say(type="watch_tournament", tournament="t-1")
            assert (await ann.hear())["entry"]["seat"]["gateway"] == address
