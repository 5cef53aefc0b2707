"""Strangers are answered at the door, and only those whom the table's view proves to be strangers."""

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import httpx
import msgspec
import pytest
from msgspec.structs import replace
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from libs.contracts import table_events as e
from libs.contracts import waiting_list_events as w
from libs.contracts.messages import Principal, Reply, command_id_at
from libs.contracts.registry import ALL_TABLE_COMMANDS, REASONS
from libs.contracts.wallet_answers import BEHIND
from libs.decider import Given, Rejected
from libs.edge.shares import Share
from libs.journal.machine import Machine
from services.gateway.app import doorkeeper
from services.gateway.app.doorkeeper import Spendable
from services.gateway.app.doors import DOORS, Door
from services.gateway.app.gateway import Gateway, WalletReads
from services.gateway.settings import Settings
from services.gateway.views.tables import GONE_MS
from services.gateway.ws import endpoint
from services.table.domain.table.decide import TableDecider
from tests.gateway.conftest import House
from tests.gateway.hands import TABLE, configuration, everybody, opened, seated, to_the_end
from tests.table.test_every_game import TABLES
from tests.testkit.keys import key_of

PLAYERS = [door for door in DOORS if door.who == "player" and issubclass(door.command, tuple(ALL_TABLE_COMMANDS))]
AT_A_TABLE = [door for door in PLAYERS if door.command.of_strangers is not None]  # type: ignore[attr-defined]


def body_of(door: Door) -> dict[str, Any]:
    return {name: value for name, value in door.body.example.items() if name not in door.left_out}


async def post(http: httpx.AsyncClient, headers: dict[str, str], path: str, body: Any = None) -> httpx.Response:
    return await http.post(f"/v1/tables/{TABLE}/{path}", json=body or {}, headers=headers)


def money(gateway: Gateway, *available: int | None, behind: int = 0) -> list[tuple[str, str, str]]:
    """The books say this, one look after the other, the last for ever; what they were asked."""
    asked: list[tuple[str, str, str]] = []

    async def look(player: str, book: str, currency: str) -> Spendable | None:
        asked.append((player, book, currency))
        amount = available[min(len(asked), len(available)) - 1]
        return None if amount is None else Spendable(amount, behind)

    gateway.doorkeeper.books = SimpleNamespace(available=look)
    return asked


@pytest.mark.parametrize("door", AT_A_TABLE, ids=lambda door: door.name)
async def test_a_strangers_commands_are_answered_and_not_sent(
    http: httpx.AsyncClient, house: House, as_player: Any, door: Door
) -> None:
    path = f"/v1{door.path.format(table=TABLE)}"
    body = body_of(door) | ({"to_table": TABLE} if "to_table" in body_of(door) else {})
    for number in range(3):
        answer = await http.post(path, json=body, headers=as_player("mallory", f"k{number}"))
        assert (answer.status_code, answer.json()["reason"]) == (409, door.command.of_strangers), answer.text  # type: ignore[attr-defined]
    assert answer.json()["reason"] in REASONS
    assert house.sent == []


@pytest.mark.parametrize("game", list(TABLES))
@pytest.mark.parametrize("door", AT_A_TABLE, ids=lambda door: door.name)
def test_the_table_would_refuse_them_too(door: Door, game: str) -> None:
    """So nobody is refused at the door who would have been served."""
    command: Any = msgspec.convert(dict(door.command.example), door.command)
    given = Given(10**13, None, Principal("player", "mallory"))
    assert isinstance(TableDecider().decide(TABLES[game]().state, command, given), Rejected)


async def test_of_others_the_table_decides(http: httpx.AsyncClient, house: House, as_player: Any) -> None:
    """A seat, a reservation, a place on the list, a last hand; and who had one a short while ago."""
    reserved = e.SeatReserved(
        table=TABLE, reservation="r-zoe", player="zoe", seat=4, amount=5_000, currency="EUR", until=10**15
    )
    house.publish(*everybody(), *to_the_end(), reserved)
    house.publish(w.WaitingListJoined(table=TABLE, entry="e1", player="walt", kind="entry", seat=None))
    gateway = house.gateway
    assert gateway is not None
    gateway.doorkeeper._coming.clear()
    for player in ("alice", "zoe", "walt"):
        assert (await post(http, as_player(player), "leave")).status_code == 200
    at = gateway.now()
    house.publish(
        e.SeatReleased(
            table=TABLE, at=at, reservation="r-zoe", player="zoe", seat=4, reason="cancelled", currency="EUR"
        )
    )
    house.publish(w.WaitingListLeft(table=TABLE, at=at, entry="e1", player="walt", reason="player"))
    for player in ("zoe", "walt"):
        assert (await post(http, as_player(player, "k2"), "leave")).status_code == 200
    gateway.doorkeeper.desk.now = lambda: at + GONE_MS
    then = {"idempotency-key": str(command_id_at(at + GONE_MS, "later"))}
    for player in ("zoe", "walt"):
        assert (await post(http, as_player(player) | then, "leave")).json()["reason"] == "not_seated"
    assert (await post(http, as_player("alice") | then, "leave")).status_code == 200, "plays here"
    assert len(house.sent) == 6


async def test_a_view_with_a_gap_proves_nothing(http: httpx.AsyncClient, house: House, as_player: Any) -> None:
    house.publish_at(9, seated(1, "mallory"))
    assert (await post(http, as_player("mallory"), "leave")).status_code == 200
    assert len(house.sent) == 1


async def test_a_seat_just_taken_is_not_refused_by_a_view_that_is_behind(
    http: httpx.AsyncClient, house: House, as_player: Any, gateway: Gateway
) -> None:
    money(gateway, 5_000)
    assert (await post(http, as_player("dora", "k1"), "seats", {"amount": 5_000})).json()["version"] == 7
    assert (await post(http, as_player("dora", "k2"), "sit-out")).status_code == 200, "the view is at 1, not at 7"
    house.publish(*everybody(), seated(4, "erin"), seated(5, "finn"))
    assert (await post(http, as_player("dora", "k3"), "sit-out")).status_code == 200, "the view is at 6"
    house.publish(seated(6, "gwen"))
    assert (await post(http, as_player("dora", "k4"), "sit-out")).status_code == 409, "the view is at 7, without her"


async def test_while_a_seat_is_asked_for_the_table_decides(
    http: httpx.AsyncClient, house: House, as_player: Any, gateway: Gateway
) -> None:
    """Whoever does not know whether they sit is not told that they don't."""
    money(gateway, 5_000)
    house.answer = lambda message: None
    assert (await post(http, as_player("dora", "k1"), "seats", {"amount": 5_000})).status_code == 504
    assert (await post(http, as_player("dora", "k2"), "sit-out")).status_code == 504
    assert [message.type for message in house.commands] == ["TakeSeat", "SitOut"]
    refused = "table_full"
    house.answer = lambda message: Reply(
        command_id=message.id, stream=TABLE, verdict="rejected", version=1, reason=refused
    )
    assert (await post(http, as_player("dora", "k1"), "seats", {"amount": 5_000})).json()["reason"] == refused
    assert (await post(http, as_player("dora", "k3"), "sit-out")).json()["reason"] == "not_seated"
    assert len(house.sent) == 3


async def test_what_was_decided_under_a_key_stays_so(
    http: httpx.AsyncClient, house: House, as_player: Any, gateway: Gateway
) -> None:
    first = await post(http, as_player("alice", "k1"), "leave")
    gateway.doorkeeper._coming.clear()
    again, other = await post(http, as_player("alice", "k1"), "leave"), await post(http, as_player("alice"), "leave")
    assert (first.status_code, first.json()) == (200, again.json())
    assert other.json()["reason"] == "not_seated"


@pytest.mark.parametrize(("path", "body"), [("seats", {"amount": 5_000}), ("waiting-list", {})])
async def test_a_seat_is_for_who_can_pay_for_it(
    http: httpx.AsyncClient, house: House, as_player: Any, gateway: Gateway, path: str, body: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(doorkeeper, "LOOK_AGAIN_S", 0.01)
    asked = money(gateway, 0)
    answer = await post(http, as_player("mallory"), path, body)
    assert (answer.status_code, answer.json()["reason"]) == (409, "insufficient_funds")
    assert (house.sent, asked) == ([], [("mallory", "real", "EUR")] * 2)
    money(gateway, 0, 5_000)
    assert (await post(http, as_player("dora"), path, body)).status_code == 200, "the books were a little behind"
    money(gateway, None)
    assert (await post(http, as_player("erin"), path, body)).status_code == 200, "the books can't be read"
    assert [message.principal.id for message in house.commands] == ["dora", "erin"]


async def test_books_that_are_far_behind_call_nobody_penniless(
    http: httpx.AsyncClient, house: House, as_player: Any, gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seen at 200 tables that filled within a minute: a deposit that was accepted is not booked yet."""
    monkeypatch.setattr(doorkeeper, "LOOK_AGAIN_S", 0.01)
    money(gateway, 0, behind=doorkeeper.BOOKS_BEHIND + 1)
    answer = await post(http, as_player("dora"), "seats", {"amount": 5_000})
    assert (answer.status_code, answer.json()["type"].rpartition(":")[2]) == (503, "books-behind")
    assert answer.headers["retry-after"] == "1"
    assert house.sent == []
    money(gateway, 5_000, behind=doorkeeper.BOOKS_BEHIND + 1)
    assert (await post(http, as_player("dora"), "seats", {"amount": 5_000})).status_code == 200
    money(gateway, 0, behind=doorkeeper.BOOKS_BEHIND)
    assert (await post(http, as_player("erin"), "seats", {"amount": 5_000})).json()["reason"] == "insufficient_funds"


@pytest.mark.parametrize(
    ("answer", "available"),
    [
        (httpx.Response(404), Spendable(0, 0, False)),
        (httpx.Response(404, headers={BEHIND: "9"}), Spendable(0, 9, False)),
        (httpx.Response(500), None),
        (httpx.Response(200, json={"a": "word"}), None),
        (httpx.Response(200, json=[], headers={BEHIND: "unknown"}), None),
        (httpx.Response(200, json=[{"currency": "EUR", "available": 70, "at_tables": 1}]), Spendable(70)),
        (
            httpx.Response(200, json=[{"currency": "USD", "available": 7}], headers={BEHIND: "12"}),
            Spendable(0, 12, False),
        ),
        (httpx.Response(200, json=[{"currency": "EUR", "available": 0}]), Spendable(0)),
    ],
)
async def test_what_the_books_say(answer: httpx.Response, available: Spendable | None) -> None:
    transport = httpx.MockTransport(lambda request: answer)
    async with httpx.AsyncClient(base_url="http://wallet", transport=transport) as client:
        assert await WalletReads(client).available("alice", "real", "EUR") == available


async def test_at_a_tournaments_table_nobodys_money_is_asked_about(
    http: httpx.AsyncClient, house: House, as_player: Any, gateway: Gateway
) -> None:
    """The table refuses, with the rule; whoever asks again and again has a guest's share."""
    theirs = replace(opened(), table="t-2", configuration=configuration(tournament="cup", currency="XXX"))
    house.publish(theirs, table="t-2")
    gateway.doorkeeper.guests.share = Share(0.001, 2)
    asked = money(gateway, 0)
    answers = [
        await http.post("/v1/tables/t-2/seats", json={"amount": 5_000}, headers=as_player("mallory", f"k{number}"))
        for number in range(3)
    ]  # fmt: skip
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert (len(house.sent), asked) == (2, [])


async def test_strangers_share_what_one_table_takes_of_them(
    http: httpx.AsyncClient, house: House, as_player: Any, gateway: Gateway
) -> None:
    money(gateway, 5_000)
    house.publish(*everybody())
    gateway.doorkeeper.strangers.share = Share(0.001, 3)
    answers = [
        await post(http, as_player(f"stranger-{number}"), "seats", {"amount": 5_000}) for number in range(10)
    ]  # fmt: skip
    assert [answer.status_code for answer in answers] == [200] * 3 + [429] * 7
    assert len(house.sent) == 3
    assert (await post(http, as_player("alice"), "leave")).status_code == 200, "who is here is not held up"


@pytest.mark.parametrize(
    ("asked", "more", "reason"),
    [
        ({"seat": 1}, [], "seat_taken"),
        ({"seat": 7}, [], "no_such_seat"),
        ({"amount": 1_999}, [], "buy_in_below_minimum"),
        ({}, [seated(seat, f"p{seat}") for seat in (4, 5, 6)], "table_full"),
        ({}, [e.TableClosing(table=TABLE, by="house", reason="x")], "table_not_open"),
    ],
)
async def test_who_asks_for_a_seat_in_vain_keeps_nobody_from_another(
    http: httpx.AsyncClient, house: House, as_player: Any, gateway: Gateway, monkeypatch: pytest.MonkeyPatch,
    asked: dict[str, int], more: list[Any], reason: str,
) -> None:  # fmt: skip
    """Twenty with one buy-in each asked for a seat that is taken, and used up what all newcomers share."""
    monkeypatch.setattr(doorkeeper, "LOOK_AGAIN_S", 0)
    money(gateway, 5_000)
    house.publish(*everybody(), *more)
    gateway.doorkeeper.strangers.share = Share(0.001, 3)
    wanted = {"amount": 5_000} | asked
    refused = [await post(http, as_player(f"m{number}"), "seats", wanted) for number in range(6)]
    assert [(answer.status_code, answer.json()["reason"]) for answer in refused] == [(409, reason)] * 6
    assert house.sent == []
    gateway.doorkeeper.guests.share = Share(0.001, 2)
    codes = [(await post(http, as_player("m9", f"k{n}"), "seats", wanted)).status_code for n in range(3)]
    assert codes == [409, 409, 429], "a guest's share of one's own"
    if not more:
        answers = [await post(http, as_player(f"n{number}"), "seats", {"amount": 5_000}) for number in range(3)]
        assert [answer.status_code for answer in answers] == [200] * 3


async def test_a_seat_that_only_seems_to_be_taken_is_the_tables_to_refuse(
    http: httpx.AsyncClient, house: House, as_player: Any, gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is free a moment later; the reservation has run out; who comes back brings what was taken away."""
    monkeypatch.setattr(doorkeeper, "LOOK_AGAIN_S", 0.05)
    money(gateway, 50_000)
    house.publish(*everybody())
    gateway.doorkeeper._coming.clear()
    asking = asyncio.create_task(post(http, as_player("dora"), "seats", {"amount": 5_000, "seat": 2}))
    await asyncio.sleep(0.02)
    house.publish(
        e.PlayerLeft(table=TABLE, reservation="r-bob", player="bob", seat=2, stack=1, currency="EUR", reason="player")
    )
    assert (await asking).status_code == 200
    late = e.SeatReserved(table=TABLE, reservation="r-zoe", player="zoe", seat=4, amount=5_000, currency="EUR", until=1)
    house.publish(late)
    assert (await post(http, as_player("erin"), "seats", {"amount": 5_000, "seat": 4})).status_code == 200
    assert (await post(http, as_player("finn"), "seats", {"amount": 50_000})).status_code == 200
    assert [message.principal.id for message in house.commands] == ["dora", "erin", "finn"]


def looks(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Players whose names begin with `rich` have money; whom the books were asked about. Time stands still."""
    monkeypatch.setattr(doorkeeper, "LOOK_AGAIN_S", 0)
    asked: list[str] = []

    async def look(player: str, book: str, currency: str) -> Spendable:
        asked.append(player)
        return Spendable(5_000 if player.startswith("rich") else 0)

    keeper = gateway.doorkeeper
    keeper.books = SimpleNamespace(available=look)
    for buckets in (keeper.guests, keeper.strangers, keeper.penniless, keeper.all_penniless):
        buckets.clock = lambda: 100.0
    return asked


async def test_the_penniless_do_not_keep_one_with_money_from_the_seat(
    http: httpx.AsyncClient, house: House, as_player: Any, gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twenty of them, five times a second each."""
    looks(gateway, monkeypatch)
    seat, now, keeper = {"amount": 5_000}, [100.0], gateway.doorkeeper
    for buckets in (keeper.guests, keeper.strangers, keeper.penniless, keeper.all_penniless):
        buckets.clock = lambda: now[0]
    for second in range(4):
        for number in range(100):
            now[0] += 0.01
            refused = await post(http, as_player(f"poor-{number % 20}", f"{second}-{number}"), "seats", seat)
            assert refused.json()["reason"] in ("insufficient_funds", "too_many_requests")
        answer = await post(http, as_player(f"rich-{second}"), "seats", seat)
        assert answer.status_code == 200, answer.text
    assert [message.principal.id for message in house.commands] == [f"rich-{second}" for second in range(4)]


async def test_the_books_are_not_asked_without_end_about_the_penniless(
    http: httpx.AsyncClient, house: House, as_player: Any, gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = looks(gateway, monkeypatch)
    gateway.doorkeeper.penniless.share = Share(0.001, 4)
    gateway.doorkeeper.all_penniless.share = Share(0.001, 5)

    async def codes(player: str, *keys: str) -> list[int]:
        return [(await post(http, as_player(player, key), "seats", {"amount": 5_000})).status_code for key in keys]

    assert await codes("poor-1", *"abcdef") == [409] * 4 + [429] * 2, "a share of one's own"
    assert await codes("poor-2", *"abcdef") == [409] * 3 + [429] * 3, "the first look-up is free, then all share"
    assert await codes("poor-3", *"ab") == [409, 429]
    assert len(asked) == 2 * (4 + 3 + 1)
    assert await codes("rich", *"abc") == [200] * 3, "who has money pays nothing of it"


async def test_who_comes_to_money_is_not_held_to_have_none(
    http: httpx.AsyncClient, house: House, as_player: Any, gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks(gateway, monkeypatch)
    gateway.doorkeeper.penniless.share = Share(0.001, 2)
    assert (await post(http, as_player("dora", "k1"), "seats", {"amount": 5_000})).status_code == 409
    money(gateway, 5_000)
    assert (await post(http, as_player("dora", "k2"), "seats", {"amount": 5_000})).status_code == 200


async def test_who_once_sat_here_has_a_guests_share(
    http: httpx.AsyncClient, house: House, as_player: Any, gateway: Gateway
) -> None:
    """Their commands reach the table, which refuses them and remembers each."""
    house.publish(*everybody(), *to_the_end())
    left = [
        e.PlayerLeft(table=TABLE, reservation="r-bob", player="bob", seat=2, stack=1, currency="EUR", reason="player")
    ]
    house.publish(*left)
    gateway.doorkeeper._coming.clear()
    gateway.doorkeeper.guests.share = Share(0.001, 4)
    gateway.doorkeeper.seats.share = Share(0.001, 6)
    for player, granted in (("bob", 4), ("alice", 6), ("carol", 6)):
        answers = [await post(http, as_player(player, f"k{number}"), "sit-out") for number in range(9)]
        assert [answer.status_code for answer in answers] == [200] * granted + [429] * (9 - granted)
    gateway.doorkeeper.strangers.share = Share(0.001, 1)
    gateway.doorkeeper.guests.share = Share(1_000, 1_000)
    codes = [(await post(http, as_player("bob", key), "sit-out")).status_code for key in ("one", "two")]
    assert codes == [200, 429], "all guests share one bucket, too"
    assert len(house.sent) == 17


async def test_what_strangers_are_answered_here_costs_nobody_at_the_table(
    http: httpx.AsyncClient, house: House, as_player: Any, gateway: Gateway
) -> None:
    """Found by an attacker: a dozen sessions without an account used up the table's share, and its players were folded
    by the clock."""
    house.publish(*everybody())
    gateway.doorkeeper.tables.share = Share(0.001, 1)
    for number in range(10):
        for name in ("leave", "sit-out"):
            assert (await post(http, as_player(f"ghost-{number}", name), name)).status_code == 409
    assert (await post(http, as_player("alice"), "leave")).status_code == 200
    assert len(house.sent) == 1


async def test_who_sends_little_is_let_in_whatever_the_other_seats_send(
    http: httpx.AsyncClient, house: House, as_player: Any, gateway: Gateway
) -> None:
    house.publish(*everybody())
    gateway.doorkeeper.tables.share = Share(0.001, 4)
    gateway.doorkeeper.seats.share = Share(0.001, 2_000)
    asked = [
        (await post(http, as_player(player, f"k{number}"), "leave")).status_code
        for number in range(doorkeeper.FEW + 10)
        for player in ("bob", "carol")
    ]
    assert asked.count(429) == len(asked) - 2 * (doorkeeper.FEW + 1) - 4
    assert [
        (await post(http, as_player("alice", f"a{number}"), "leave")).status_code for number in range(doorkeeper.FEW)
    ] == [200] * doorkeeper.FEW


async def test_who_changes_their_mind_without_end_is_told_to_wait_and_plays_on(
    http: httpx.AsyncClient, house: House, as_player: Any, gateway: Gateway
) -> None:
    """Each change is kept for ever: one player alone at a table made it grow by gigabytes a day."""
    house.publish(*everybody())
    gateway.doorkeeper.presence.share = Share(0.001, 4)
    answers = [
        await post(http, as_player("alice", f"k{number}"), ("sit-out", "sit-in")[number % 2]) for number in range(9)
    ]
    assert [answer.status_code for answer in answers] == [200] * 4 + [429] * 5
    again = await post(http, as_player("alice", "k3"), "sit-in")
    assert again.status_code == 200, "the same request once more changes nothing"
    assert (await post(http, as_player("alice", "leaving"), "leave")).status_code == 200
    assert (await post(http, as_player("bob", "other"), "sit-out")).status_code == 200


@pytest.mark.parametrize(
    ("path", "body"),
    [("messages", {"text": "hello"}), ("presence", {"present": True}), ("top-ups", {"amount": 19})],
    ids=["messages", "presence", "top-ups"],
)
async def test_messages_presence_and_top_ups_are_kept_for_ever_too(
    http: httpx.AsyncClient, house: House, as_player: Any, gateway: Gateway, path: str, body: dict[str, Any]
) -> None:
    """Found by an attacker: alone at a table with chat, where no round ends, one wrote ten messages a second."""
    house.publish(*everybody())
    gateway.doorkeeper.wishes.share = gateway.doorkeeper.presence.share = Share(0.001, 4)
    answers = [await post(http, as_player("alice", f"k{number}"), path, body) for number in range(9)]
    assert [answer.status_code for answer in answers] == [200] * 4 + [429] * 5
    assert (await post(http, as_player("alice", "leaving"), "leave")).status_code == 200


def test_one_seat_can_not_fill_what_a_table_remembers(settings: Settings) -> None:
    """Nor all guests together; of players in seats it takes two (journal 13)."""
    seconds = settings.table_horizon_ms / 1000
    cap: Any = Machine.__dataclass_fields__["ring_cap"].default
    for share in (settings.seat_commands, settings.strangers_commands, settings.guest_commands):
        assert share.at_once + share.per_second * seconds < cap


async def test_more_than_a_fair_share_over_http(
    http: httpx.AsyncClient, house: House, as_player: Any, gateway: Gateway, operator: dict[str, str]
) -> None:
    gateway.doorkeeper.players.share = Share(0.001, 5)
    answers = [await post(http, as_player("alice", f"k{number}"), "leave") for number in range(8)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429] * 3
    refused = answers[-1]
    assert refused.headers["content-type"] == "application/problem+json"
    assert int(refused.headers["retry-after"]) >= 1
    assert refused.json()["reason"] == "too_many_requests"
    assert (await http.get("/v1/session", headers=as_player("alice"))).status_code == 429, "questions count, too"
    assert (await post(http, as_player("bob"), "leave")).status_code == 200
    assert (await post(http, operator | {"idempotency-key": key_of("k")}, "pause", {"reason": "x"})).status_code == 200
    gateway.doorkeeper.operators.share = Share(0.001, 1)
    gateway.doorkeeper.operators._held.clear()
    codes = [
        (await post(http, operator | {"idempotency-key": key_of(f"k{n}")}, "pause", {"reason": "x"})).status_code
        for n in range(3)
    ]
    assert codes == [200, 429, 429]


async def test_more_than_a_fair_share_over_the_websocket(
    url: str, house: House, gateway: Gateway, token_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint, "MAX_REFUSED", 20)
    gateway.doorkeeper.players.share = Share(0.001, 5)
    headers = {"authorization": f"Bearer {token_of('alice')}"}
    async with connect(url.replace("http", "ws") + "/v1/ws", additional_headers=headers, proxy=None) as socket:
        await socket.recv()
        heard = []
        for number in range(9):
            await socket.send(json.dumps({"type": "leave_table", "id": key_of(f"k{number}"), "table": TABLE}))
            heard.append(json.loads(await asyncio.wait_for(socket.recv(), 5)))
        assert [frame["type"] for frame in heard] == ["reply"] * 5 + ["problem"] * 4
        last = heard[-1]
        assert (last["id"], last["problem"]["status"], last["problem"]["reason"]) == (
            key_of("k8"),
            429,
            "too_many_requests",
        )
        assert len(house.sent) == 5
        for _ in range(16):
            await socket.send("not even JSON")
            assert json.loads(await asyncio.wait_for(socket.recv(), 5))["problem"]["status"] == 429
        with pytest.raises(ConnectionClosed) as closed:
            await asyncio.wait_for(socket.recv(), 5)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1008


async def test_a_table_is_not_watched_anew_for_ever(url: str, gateway: Gateway, token_of: Any) -> None:
    """Each time may be told to the table."""
    gateway.doorkeeper.subscriptions.share = Share(0.001, 2)
    headers = {"authorization": f"Bearer {token_of('alice')}"}
    async with connect(url.replace("http", "ws") + "/v1/ws", additional_headers=headers, proxy=None) as socket:
        heard = [json.loads(await socket.recv())]
        for _ in range(3):
            await socket.send(json.dumps({"type": "subscribe", "table": TABLE}))
            await socket.send(json.dumps({"type": "unsubscribe", "table": TABLE}))
            heard.append(json.loads(await asyncio.wait_for(socket.recv(), 5)))
        assert [frame["type"] for frame in heard] == ["welcome", "view", "view", "problem"]
        assert heard[-1]["problem"]["table"] == TABLE


async def test_thousands_of_a_strangers_commands_leave_the_house_alone(
    url: str, house: House, gateway: Gateway, token_of: Any
) -> None:
    headers = {"authorization": f"Bearer {token_of('mallory')}"}
    async with connect(url.replace("http", "ws") + "/v1/ws", additional_headers=headers, proxy=None) as socket:
        assert json.loads(await socket.recv())["type"] == "welcome"
        answers: list[str] = []
        for number in range(900):
            await socket.send(json.dumps({"type": "leave_table", "id": key_of(f"k{number}"), "table": TABLE}))
            answers.append(json.loads(await asyncio.wait_for(socket.recv(), 5)).get("reason"))
    assert (set(answers), house.sent) == ({"not_seated"}, [])
