"""The WebSocket over a real socket: hello, views, events, own cards, replies, and nonsense that leaves it standing."""

import asyncio
import json
import time
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from msgspec.structs import replace
from uuid6 import uuid7
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from libs.contracts import tournament_play_events as p
from libs.contracts import tournaments_events as t
from libs.contracts.frames import FRAMES, Answer
from libs.contracts.messages import Reply
from libs.contracts.registry import encode_fact
from libs.edge.serve import LARGEST_FRAME, serving
from libs.edge.wire import HIGH, Wire
from services.gateway.http.application import application
from services.gateway.ws.frames import events_frame, reply_frame
from tests.gateway.hands import TABLE, awaited, blind, dealt, everybody, opened, started, to_the_end
from tests.gateway.http.test_edge import deal_to
from tests.gateway.http.test_tournaments import told
from tests.testkit.keys import key_of


class Line:
    """A bare client: JSON in, JSON out."""

    def __init__(self, socket) -> None:
        self.socket = socket

    async def say(self, **message) -> None:
        await self.socket.send(json.dumps(message))

    async def hear(self) -> dict:
        return json.loads(await asyncio.wait_for(self.socket.recv(), 5))

    async def hear_events(self) -> list[dict]:
        """Those of one frame."""
        frame = await self.hear()
        assert (frame["type"], frame["table"]) == ("events", TABLE)
        return frame["events"]

    async def hear_nothing(self, seconds: float = 0.1) -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(self.socket.recv(), seconds)

    async def ended(self) -> int:
        with pytest.raises(ConnectionClosed) as closed:
            await asyncio.wait_for(self.socket.recv(), 5)
        assert closed.value.rcvd is not None
        return closed.value.rcvd.code


@pytest.fixture
def line(url, token_of):
    @asynccontextmanager
    async def open_line(player: str | None = "alice", token: str | None = None):
        headers = {"authorization": f"Bearer {token or token_of(player)}"} if player or token else {}
        async with connect(url.replace("http", "ws") + "/v1/ws", additional_headers=headers, proxy=None) as socket:
            held = Line(socket)
            if player:
                assert (await held.hear())["type"] == "welcome"
            yield held

    return open_line


def kind(frame: dict) -> str:
    return frame["problem"]["type"].rpartition(":")[2] if frame["type"] == "problem" else frame["type"]


async def test_hello_with_the_token_in_the_first_message(line, token_of):
    async with line(None) as guest:
        await guest.say(type="hello", token=token_of("alice"))
        said = await guest.hear()
        assert (said["type"], said["player"]) == ("welcome", "alice")


@pytest.mark.parametrize("player", ["alice", None], ids=["header", "hello"])
async def test_a_player_pays_for_the_own_bytes_and_for_no_one_elses_at_that_address(line, gateway, token_of, player):
    async with line(player) as alice:
        if player is None:
            await alice.say(type="hello", token=token_of("alice"))
            assert (await alice.hear())["type"] == "welcome"
        [[talk]] = gateway.sockets._of.values()
        wire = talk._connection._wire
        assert wire._connections.spend(wire, 10**9) == 10, "seconds for which its address is not read"
        await alice.say(type="ping")
        assert (await alice.hear())["type"] == "pong"
        gateway.player_bytes.spend("alice", 10**9)
        await alice.say(type="ping")
        await alice.hear_nothing(0.5)


@pytest.mark.parametrize(
    "first",
    [{"type": "hello", "token": "forged"}, {"type": "ping"}, {"type": "subscribe", "table": TABLE}, {"no": "type"}],
)
async def test_without_a_session_nothing(line, first):
    async with line(None) as guest:
        await guest.say(**first)
        assert (await guest.hear())["type"] == "problem"
        assert await guest.ended() in (4401, 1008)


async def test_a_forged_header(line):
    async with line(None, token="forged") as guest:
        assert kind(await guest.hear()) == "unauthorized"
        assert await guest.ended() == 4401


async def test_a_view_and_then_every_event_in_dense_order(line, house):
    house.publish(*everybody())
    async with line() as alice:
        await alice.say(type="subscribe", table=TABLE)
        first = await alice.hear()
        assert (first["type"], first["version"], len(first["view"]["seats"])) == ("view", 4, 3)
        house.publish(started(), blind(2, "small", 50, 9_950))
        [[hand_started], [blind_posted]] = [await alice.hear_events() for _ in range(2)]
        assert (hand_started["version"], hand_started["event"]) == (5, "croupier.table.hand_started.v1")
        assert (blind_posted["version"], blind_posted["event"]) == (6, "croupier.table.blind_posted.v1")
        assert blind_posted["data"]["amount"] == 50
        await alice.say(type="unsubscribe", table=TABLE)
        await alice.say(type="ping")
        assert (await alice.hear())["type"] == "pong"
        house.publish(dealt())
        await alice.hear_nothing()


async def test_a_tournament_is_shown_and_shown_again_when_it_changes(line, house, http, gateway):
    async with line("ann") as ann, line("bob") as bob:
        for player in (ann, bob):
            await player.say(type="watch_tournament", tournament="t-1")
        first = await ann.hear()
        assert (first["type"], first["tournament"], first["entry"]["status"]) == ("tournament", "t-1", "none")
        assert first["page"] == (await http.get("/v1/tournaments/t-1")).json()
        assert (await bob.hear())["page"] == first["page"]
        running = [t.PaymentDue, t.PlayerRegistered, t.TournamentStarted, p.EntrySeated, p.EntryMoves]
        house.publish_tournament(*(told(kind) for kind in running), replace(told(p.LevelBegan), level=1))
        again = await ann.hear()
        assert again["version"] == first["version"] + len(running) + 1, "many changes are shown once"
        assert again["page"]["running"]["players_left"] == 1
        assert (again["entry"]["seat"]["last_move"]["reason"], again["entry"]["seat"]["seat"]) == ("balance", 9)
        assert (await bob.hear())["entry"]["seat"] is None, "everybody sees the own seat"
        shown = gateway.tournaments.held["t-1"]
        assert gateway.tournaments.page(shown, lambda view: pytest.fail("written once a version")).startswith(b"{")
        await ann.say(type="unwatch_tournament", tournament="t-1")
        house.publish_tournament(told(t.NoticeGiven))
        assert (await bob.hear())["page"]["notices"][0]["text"] == "Dinner is served."
        await ann.hear_nothing()
        await ann.say(type="watch_tournament", tournament="t-9")
        assert kind(await ann.hear()) == "unknown-tournament"


@pytest.mark.rule("pt-811-2015", "2.d")
async def test_hole_cards_reach_their_own_player_only(line, house, gateway):
    house.publish(*everybody(), started())
    async with line("alice") as alice, line("alice") as second_screen, line("bob") as bob, line("mallory") as other:
        lines = [alice, second_screen, bob, other]
        for held in lines:
            await held.say(type="subscribe", table=TABLE)
            await held.hear()
        house.publish(dealt())
        gateway.floor.on_cards(deal_to(1, "alice"), ("As", "Ad", "7h", "4c"))
        for held in lines:
            [told] = await held.hear_events()
            assert told["event"].endswith("hole_cards_dealt.v1")
        for held in (alice, second_screen):
            own = await held.hear()
            assert (own["type"], own["hand"], own["seat"], own["cards"]) == (
                "hole_cards", 41, 1, ["As", "Ad", "7h", "4c"],
            )  # fmt: skip
        await bob.hear_nothing()
        await other.hear_nothing(0.01)


async def test_cards_that_overtake_the_events_wait_for_them(line, house, gateway):
    house.publish(*everybody())
    async with line("alice") as alice:
        await alice.say(type="subscribe", table=TABLE)
        await alice.hear()
        gateway.floor.on_cards(deal_to(1, "alice", version=6), ("As", "Ad", "7h", "4c"))
        house.publish(started(), dealt())
        assert [event["version"] for _ in range(2) for event in await alice.hear_events()] == [5, 6]
        assert (await alice.hear())["type"] == "hole_cards"


async def test_a_command_and_its_reply(line, house):
    def no(message):
        return Reply(
            command_id=message.id, stream=TABLE, verdict="rejected", version=5, reason="above_max",
            rule="pt-811-2015#24.b", detail="At most 350.",
        )  # fmt: skip

    async with line() as alice:
        await alice.say(type="act", id=key_of("k1"), table=TABLE, hand=41, seat=1, act="call", turn=9)
        said = await alice.hear()
        assert (said["type"], said["id"], said["verdict"], said["version"]) == ("reply", key_of("k1"), "accepted", 7)
        house.answer = no
        await alice.say(type="act", id=key_of("k2"), table=TABLE, hand=41, seat=1, act="raise", to=999)
        said = await alice.hear()
        assert (said["verdict"], said["reason"], said["rule"]) == ("rejected", "above_max", "pt-811-2015#24.b")
        await alice.say(type="act", id=key_of("k1"), table=TABLE, hand=41, seat=1, act="call", turn=9)
        assert (await alice.hear())["verdict"] == "accepted"
        await alice.say(type="act", id=key_of("k1"), table=TABLE, hand=41, seat=1, act="fold", turn=9)
        said = await alice.hear()
        assert (kind(said), said["id"]) == ("idempotency-key-reused", key_of("k1"))
    assert [message.body["act"] for message in house.commands] == ["call", "raise"]
    assert {message.principal.id for message in house.commands} == {"alice"}


async def test_both_doors_share_the_keys(line, house, http, as_player):
    act = {"hand": 41, "seat": 1, "act": "call", "to": None, "turn": 9}
    await http.post(f"/v1/tables/{TABLE}/acts", json=act, headers=as_player("alice", "k1"))
    async with line() as alice:
        await alice.say(type="act", id=key_of("k1"), table=TABLE, **act)
        assert (await alice.hear())["verdict"] == "accepted"
    assert len(house.sent) == 1


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"type": "act",,}', "malformed-json"),
        ("[]", "invalid-input"),
        ('{"type": "riot"}', "invalid-input"),
        (
            '{"type": "act", "id": "KEY", "table": "table-1", "hand": 1, "seat": 1, "act": "fold", "x": 1}',
            "invalid-input",
        ),
        ('{"type": "take_seat", "id": "KEY", "table": "table-1", "amount": -5}', "invalid-input"),
        ('{"type": "take_seat", "id": "KEY", "table": "table-1", "amount": 1' + "0" * 30 + "}", "invalid-input"),
        ('{"type": "take_seat", "id": "KEY", "table": "table-1", "amount": 5.0}', "invalid-input"),
        ('{"type": "take_seat", "id": "", "table": "table-1", "amount": 5}', "invalid-input"),
        ('{"type": "take_seat", "id": "k", "table": "table-1", "amount": 5}', "invalid-input"),
        ('{"type": "take_seat", "id": "KEY", "table": "table-99", "amount": 5}', "unknown-table"),
        ('{"type": "subscribe", "table": "table-99"}', "unknown-table"),
        ('{"type": "hello", "token": "again"}', "already-welcome"),
        ("[" * 60_000, "malformed-json"),
    ],
)
async def test_nonsense_leaves_the_connection_standing(line, house, text, problem):
    async with line() as alice:
        await alice.socket.send(text.replace("KEY", key_of("k")))
        assert kind(await alice.hear()) == problem
        await alice.say(type="ping")
        assert (await alice.hear())["type"] == "pong"
    assert house.sent == []


@pytest.mark.parametrize("size", [70_000, 500_000])
async def test_a_message_that_is_too_large_ends_the_connection(line, house, size):
    async with line() as alice:
        await alice.say(type="ping", filler="x" * size)
        if size < LARGEST_FRAME:
            assert kind(await alice.hear()) == "message-too-large"
        assert await alice.ended() == 1009
    async with line() as again:
        await again.say(type="ping")
        assert (await again.hear())["type"] == "pong"


async def test_too_many_commands_without_a_reply(line, house):
    house.answer = lambda message: None
    async with line() as alice:
        for number in range(40):
            await alice.say(type="leave_table", id=key_of(f"k{number}"), table=TABLE)
        kinds = [kind(await alice.hear()) for _ in range(40)]
        assert kinds.count("too-many-commands") == 8
        assert kinds.count("outcome-unknown") == 32


async def test_a_session_that_runs_out_ends_the_connection(line, gateway):
    gateway.sessions.length_ms = 1_000
    opened_at = gateway.now()
    gateway.now = lambda: opened_at  # stands still: a busy machine takes seconds to connect
    async with line() as alice:
        gateway.now = lambda: opened_at + 1_000
        assert kind(await alice.hear()) == "session-expired"
        assert await alice.ended() == 4401


async def test_the_events_of_a_commit_are_one_frame_that_is_made_once(line, house, monkeypatch):
    made = []

    def counted(table, events):
        made.append([event.version for event in events])
        return events_frame(table, events)

    monkeypatch.setattr("services.gateway.ws.fan_out.events_frame", counted)
    house.publish(*everybody())
    async with line("alice") as alice, line("bob") as bob, line("mallory") as mallory:
        for held in (alice, bob, mallory):
            await held.say(type="subscribe", table=TABLE)
            await held.hear()
        house.publish(started(), blind(2, "small", 50, 9_950), dealt(), together=True)
        house.publish(awaited(1))
        for held in (alice, bob, mallory):
            assert [event["version"] for event in await held.hear_events()] == [5, 6, 7]
            assert [event["version"] for event in await held.hear_events()] == [8]
    assert made == [[5, 6, 7], [8]]


async def test_the_body_of_an_event_is_passed_on_byte_for_byte(line, house):
    house.publish(*everybody())
    async with line() as alice:
        await alice.say(type="subscribe", table=TABLE)
        await alice.hear()
        house.publish(dealt())
        text = await alice.socket.recv()
    assert encode_fact(replace(dealt(), at=5_000))[1].decode() in text


async def test_what_is_said_in_one_turn_is_written_at_once_and_in_order(line, house, gateway, monkeypatch):
    house.publish(*everybody())
    async with line() as alice:
        await alice.say(type="subscribe", table=TABLE)
        await alice.hear()
        writes: list[Any] = []
        put = Wire.put

        def counted(wire, frames):
            writes.append(frames)
            put(wire, frames)

        monkeypatch.setattr(Wire, "put", counted)
        house.publish(started(), dealt())
        gateway.floor.on_cards(deal_to(1, "alice", version=6), ("As", "Ad", "7h", "4c"))
        house.publish(awaited(1))
        kinds = [(await alice.hear())["type"] for _ in range(4)]
        assert kinds == ["events", "events", "hole_cards", "events"]
        assert len(writes) == 1


async def test_more_than_may_wait_gives_a_fresh_view(line, house, gateway):
    house.publish(*everybody(), *to_the_end(1))
    async with line() as alice:
        await alice.say(type="subscribe", table=TABLE)
        assert (await alice.hear())["type"] == "view"
        [connection] = gateway.fan_out._watching[TABLE]
        hand = 1
        while connection.waiting <= HIGH and hand < 1_000:  # all in one turn of the loop, and nothing can be written
            hand += 1
            house.publish(*to_the_end(hand))
        house.publish(*to_the_end(hand + 1))
        assert HIGH < connection.waiting < HIGH + 2_000
        versions, resyncs = await versions_until(alice, house.versions[TABLE])
        assert resyncs == 1
        assert versions[0] == 5 + len(to_the_end())
        house.publish(started(hand + 2))
        assert [event["version"] for event in await alice.hear_events()] == [versions[-1] + 1]


async def versions_until(held: Line, last: int) -> tuple[list[int], int]:
    """Versions as they are heard until `last`, dense but where a view replaces some; and how many views there were."""
    versions: list[int] = []
    resyncs = 0
    while not versions or versions[-1] < last:
        frame = await held.hear()
        if frame["type"] == "view":
            resyncs += 1
            assert frame["version"] > versions[-1]
            versions.append(frame["version"])
            continue
        for event in frame["events"]:
            assert not versions or event["version"] == versions[-1] + 1
            versions.append(event["version"])
    return versions, resyncs


async def fill(house, connection, hand: int = 2) -> int:
    """Plays hands, a turn of the loop each, until the connection takes no more; the next hand's number."""
    while not connection._stale:
        house.publish(*to_the_end(hand))
        hand += 1
        await asyncio.sleep(0)
        assert hand < 5_000
    return hand


async def test_who_stands_still_gets_the_present_view_when_reading_again(line, house, gateway):
    house.publish(*everybody(), *to_the_end(1))
    async with line() as alice, line("bob") as bob:
        for held in (alice, bob):
            await held.say(type="subscribe", table=TABLE)
            await held.hear()
        alice.socket.transport.pause_reading()
        [connection] = [held for held in gateway.fan_out._watching[TABLE] if held.session.player == "alice"]
        reading = asyncio.create_task(versions_until(bob, 10**9))
        hand = await fill(house, connection)
        for _ in range(200):  # and more, that nobody keeps for her
            house.publish(*to_the_end(hand))
            hand += 1
            await asyncio.sleep(0)
        assert HIGH < connection.waiting < HIGH + 40_000
        assert not reading.done(), "who reads is not held up"
        reading.cancel()
        alice.socket.transport.resume_reading()
        _, resyncs = await versions_until(alice, house.versions[TABLE])
        assert resyncs == 1


async def test_who_stands_still_too_long_is_put_out(line, house, gateway, monkeypatch):
    monkeypatch.setattr("libs.edge.wire.STANDSTILL_S", 0.2)
    house.publish(*everybody(), *to_the_end(1))
    async with line() as alice:
        await alice.say(type="subscribe", table=TABLE)
        await alice.hear()
        alice.socket.transport.pause_reading()
        [connection] = gateway.fan_out._watching[TABLE]
        await fill(house, connection)
        await forgotten(gateway)
        alice.socket.transport.abort()


async def test_commands_of_who_does_not_read_wait_at_the_door(line, house, gateway):
    house.publish(*everybody(), *to_the_end(1))
    async with line() as alice:
        await alice.say(type="subscribe", table=TABLE)
        await alice.hear()
        alice.socket.transport.pause_reading()
        [connection] = gateway.fan_out._watching[TABLE]
        await fill(house, connection)
        for number in range(20):
            await alice.say(type="sit_out", id=key_of(f"k{number}"), table=TABLE)
        await asyncio.sleep(0.2)
        assert len(house.sent) <= 1  # the one that was awaited when the wire filled up
        alice.socket.transport.resume_reading()
        replies = 0
        while replies < 20:
            replies += (await alice.hear())["type"] == "reply"
        assert [message.type for message in house.commands] == ["SitOut"] * 20


async def test_a_request_and_a_line_have_one_login(url, token_of):
    """A proxy that looks at the first one would see somebody else than the house does."""
    said = [("authorization", f"Bearer {token_of(name)}") for name in ("alice", "bob")]
    async with httpx.AsyncClient() as client:
        answer = await client.get(url + "/v1/session", headers=said)
        assert (answer.status_code, answer.json()["type"].rpartition(":")[2]) == (400, "two-logins")
        assert (await client.get(url + "/v1/session", headers=said[:1])).status_code == 200
        for name, slug in (("idempotency-key", "two-keys"), ("croupier-purpose", "two-purposes")):
            answer = await client.get(url + "/v1/session", headers=[*said[:1], (name, "a"), (name, "b")])
            assert (answer.status_code, answer.json()["type"].rpartition(":")[2]) == (400, slug)
    with pytest.raises(InvalidStatus) as refused:
        async with connect(url.replace("http", "ws") + "/v1/ws", additional_headers=said, proxy=None):
            pass
    assert refused.value.response.status_code == 400
    assert b"two-logins" in refused.value.response.body


async def test_a_stop_is_quick_also_for_who_stands_still(gateway, house, token_of):
    house.publish(*everybody(), *to_the_end(1))
    serve = serving(application(gateway), 0)
    port = await serve.__aenter__()
    headers = {"authorization": f"Bearer {token_of('alice')}"}
    url = f"ws://127.0.0.1:{port}/v1/ws"
    async with (
        connect(url, additional_headers=headers, proxy=None) as reads,
        connect(url, additional_headers=headers, proxy=None, close_timeout=0.1) as stands_still,
    ):
        await stands_still.send(json.dumps({"type": "subscribe", "table": TABLE}))
        for _ in range(2):
            await stands_still.recv()
        stands_still.transport.pause_reading()
        [connection] = gateway.fan_out._watching[TABLE]
        await fill(house, connection)
        began = time.monotonic()
        await serve.__aexit__(None, None, None)
        assert time.monotonic() - began < 2
        assert json.loads(await reads.recv())["type"] == "welcome"
        with pytest.raises(ConnectionClosed) as closed:
            await reads.recv()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1012
        stands_still.transport.abort()


async def forgotten(gateway) -> None:
    async with asyncio.timeout(5):
        while gateway.fan_out._watching:
            await asyncio.sleep(0.01)


async def test_who_leaves_is_forgotten(line, gateway, house):
    async with line() as alice:
        await alice.say(type="subscribe", table=TABLE)
        await alice.hear()
        assert gateway.fan_out._watching
    await forgotten(gateway)
    house.publish(opened(), awaited(1))


def test_a_busy_reply_says_why() -> None:
    reply = Reply(command_id=uuid7(), stream=TABLE, verdict="busy", version=5, reason="over_quota")
    frame = reply_frame("k1", reply)
    told = FRAMES.decode(frame[frame.index(b"{") :])
    assert isinstance(told, Answer)
    assert (told.id, told.verdict, told.reason) == ("k1", "busy", "over_quota")
