"""The floor and a live dealer's desk through the gateway's doors: data, words, and no secret on the way."""

import json
import re
from typing import Any

import httpx
import pytest
from msgspec.structs import replace

from libs.contracts.conduct_events import MessageWithheld
from libs.contracts.draw_commands import AssignPlaces, DrawReason
from libs.contracts.draw_events import TableChangeGranted
from libs.contracts.live_commands import RecordIncident, ScanCard
from libs.contracts.messages import CommandMessage, Principal, PublicEvent
from libs.contracts.poker_events import DisputeOpened
from libs.contracts.registry import encode_fact
from libs.sealing.secret import DataKey
from services.gateway.app.doors import DOORS
from services.table.machine import decode_command
from services.table.policies.reactions import TO_TABLES
from services.table.scanning import Scanner
from tests.gateway.banked.seeing import heard, watching
from tests.gateway.conftest import House
from tests.gateway.dealing import deal_to_everybody
from tests.gateway.deciding import Deciding
from tests.table.asking import join
from tests.table.casino.play import casino, h6, in_session, rule, stack_left
from tests.table.live.play import LiveTable, five
from tests.table.play import PORTUGAL, TableUnderTest
from tests.table.under_test import policy
from tests.testkit.cases import Case

GATEWAY_KEY = bytes([0x11] * 32)
TABLE = "t1"
TO_SHOWDOWN = "2c 3c 4c 5c 6c 7c 2d 3d 4d 5d 6d 7d 9h Th Qh Kh 8s Ah 9s Jh Tc"


def portugal(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("pt-811-2015", *refs)


def tell(house: House, table: TableUnderTest) -> None:
    told = house.versions.get(TABLE, 0)
    house.publish(*table.told[told:], table=TABLE)


def sent(message: CommandMessage) -> Any:
    """The command as the table's service opens it."""
    return decode_command(message, Scanner(DataKey(GATEWAY_KEY)))


@rule("14.j")
@pytest.mark.parametrize("online", [False, True])
async def test_what_is_written_in_a_hand_is_read_when_it_is_over(
    http: httpx.AsyncClient, house: House, as_player: Any, online: bool
) -> None:
    table = TableUnderTest(PORTUGAL, chat="hold").seat(1, 2, 3).deal(button=1) if online else h6()
    tell(house, table)
    path = f"/v1/tables/{TABLE}/messages"
    answer = await http.post(path, json={"text": "I hold Ah Kd"}, headers=as_player("p3"))
    assert answer.status_code == 200
    message = house.commands[-1]
    assert "Ah Kd" not in message.encoded().decode(), "sealed before it enters any topic"
    assert message.body["names_cards"] is True
    assert table.send(message.principal, sent(message)) is None
    tell(house, table)
    assert (await http.get(path, headers=as_player("p1"))).json() == {"messages": []}
    table.folds_round()
    tell(house, table)
    (read,) = (await http.get(path, headers=as_player("p1"))).json()["messages"]
    assert (read["player"], read["text"]) == ("p3", "I hold Ah Kd")


@rule("14.j/1")
async def test_what_who_has_folded_writes_is_read_by_everybody_when_the_hand_is_over(
    http: httpx.AsyncClient, house: House, as_player: Any, case: Case
) -> None:
    table = h6().plays("3 call", "4 call", "5 call", "6 fold")
    assert table.state.rules.conduct.chat == "hold"
    tell(house, table)
    path = f"/v1/tables/{TABLE}/messages"
    assert (await http.post(path, json={"text": "I had aces"}, headers=as_player("p6"))).status_code == 200
    assert table.send(house.commands[-1].principal, sent(house.commands[-1])) is None
    assert [event.player for event in table.of(MessageWithheld)] == ["p6"], "the verdict is on record"
    tell(house, table)
    for reader in ("p1", "p2", "p3", "p4", "p5"):
        assert (await http.get(path, headers=as_player(reader))).json() == {"messages": []}
    table.folds_round()
    tell(house, table)
    for reader in ("p1", "p2", "p3", "p4", "p5"):
        (read,) = (await http.get(path, headers=as_player(reader))).json()["messages"]
        assert (read["player"], read["text"]) == ("p6", "I had aces")


@rule("14.j/3", "54")
async def test_who_has_folded_sees_no_card_of_anybody(
    http: httpx.AsyncClient, house: House, gateway: Any, as_player: Any, case: Case
) -> None:
    table = h6().plays("3 call", "4 call", "5 call", "6 fold")
    tell(house, table)
    cards = deal_to_everybody(gateway, table)
    view = (await http.get(f"/v1/tables/{TABLE}", headers=as_player("p6"))).json()
    assert all(seat["cards"] == [] for seat in view["hand"]["seats"])
    others = {card for seat, hole in cards.items() if seat != 6 for card in hole}
    assert not [card for card in others if f'"{card}"' in json.dumps(view)]
    assert view["own"]["cards"] == list(cards[6]), "its own it may see"
    table.plays("1 call", "2 check").checks_down()
    tell(house, table)
    shown = (await http.get(f"/v1/tables/{TABLE}", headers=as_player("p6"))).json()["hand"]["seats"]
    assert {seat["seat"] for seat in shown if seat["cards"]} == {1, 2, 3, 4, 5}, "at the showdown they are open"


@rule("8.a", "12.b")
@portugal("6.b")
async def test_the_list_is_shown_in_its_order(http: httpx.AsyncClient, house: House, as_player: Any) -> None:
    table = casino(*range(1, 11))
    for name in ("x", "y"):
        table.now += 1
        assert join(table, name) is None
    tell(house, table)
    view = (await http.get(f"/v1/tables/{TABLE}", headers=as_player("x"))).json()
    assert [(entry["player"], entry["kind"]) for entry in view["waiting"]] == [("x", "entry"), ("y", "entry")]
    answer = await http.post(f"/v1/tables/{TABLE}/waiting-list", headers=as_player("z"))
    assert answer.status_code == 200
    assert house.commands[-1].type == "JoinWaitingList"


@rule("26/1")
async def test_who_has_lost_everything_goes_to_the_other_table(
    http: httpx.AsyncClient, house: House, as_player: Any, case: Case
) -> None:
    """By the house's own count of the other one, which hears of it: a draw had given the player to the first (25)."""
    one, other = (f"t{number}" for number in case.ints("tables"))
    first, second = in_session(case.int("here")), in_session(case.int("there"), "q")
    second.state = replace(second.state, table=other)
    drawn = AssignPlaces(players=["p1"], suits=["s"], tables=[one], drawn_at=one)
    for table in (first, second):
        assert table.send(policy(), drawn) is None
    assert join(second, "p1") == DrawReason.TABLE_ASSIGNED_BY_DRAW
    stack_left(first, 1, 0)
    tell(house, first)
    house.publish(*second.told, table=other)
    answer = await http.post(f"/v1/tables/{one}/table-change", json={"to_table": other}, headers=as_player("p1"))
    assert answer.status_code == 200
    asked = house.commands[-1]
    assert asked.body["players_there"] == case["there"]
    assert first.send(asked.principal, sent(asked)) is None
    (granted,) = first.of(TableChangeGranted)
    event = PublicEvent(stream=one, version=1, type="", time=first.now, causation="c", data=b"{}")
    (heard,) = TO_TABLES[TableChangeGranted](event, granted)
    assert (heard.stream, second.send(heard.principal, sent(heard))) == (other, None)
    assert join(second, "p1") is None
    assert second.take(case.int("there") + 1, 20_000, "p1") is None
    assert second.confirm(case.int("there") + 1) is None
    assert [len(first.state.seats), len(second.state.seats)] == case["after"]
    assert first.take(1, 20_000, "p1") == DrawReason.TABLE_ASSIGNED_BY_DRAW, "who has changed belongs to the other"


@rule("9.g/1", "20", "7")
async def test_the_rules_answer_what_players_ask(
    http: httpx.AsyncClient, house: House, as_player: Any, case: Case
) -> None:
    tell(house, casino(1, 2, 3, 4, rake_bp=500))
    said = (await http.get(f"/v1/tables/{TABLE}/rules", headers=as_player("p2"))).json()
    chosen = said["configuration"]
    assert "217/2007" in said["regulation"]
    assert (chosen["variant"], chosen["betting"]["big_blind"], chosen["betting"]["structure"]) == (
        "holdem",
        200,
        "no_limit",
    )
    assert (chosen["betting"]["raise_cap"], chosen["rake"]["mode"], chosen["rake"]["bp"]) == (3, "pot", 500)
    assert said["rulebook"] == "pt-217-2007-holdem"
    assert re.fullmatch(r"[0-9a-f]{64}", said["rulebook_hash"])
    text = (await http.get(said["regulation_text"])).json()["text"]
    assert "Póquer não bancado" in text


@rule("9.g")
async def test_what_players_ask_is_answered_in_words_with_every_figure(
    http: httpx.AsyncClient, house: House, as_player: Any
) -> None:
    tell(house, casino(big_blind=300, buy_in_min=9_000, rake_bp=450, rake_cap=700, decision_ms=25_000))
    said = (await http.get(f"/v1/tables/{TABLE}/rules", headers=as_player("p2"))).json()["taking_part"]
    assert said[-6:] == [
        "The table minimum is 3.00 EUR: no bet and no raise is lower.",
        "The marker is on the lead seat, which posts the small blind, is dealt first and opens the later rounds.",
        "A bet or raise may be as high as your stack.",
        "At most 3 raises in a round, without limit while two players are left.",
        "You have 25 seconds for each decision; after that you check, or fold where a bet is owed.",
        "The commission is 4.50 % of each payment out of a pot, at most 7.00 EUR a hand.",
    ]
    assert "The blinds are 1.50 EUR and 3.00 EUR." in said
    assert "You may rest for 2 hands and keep your seat; after 3 it is free." in said


@rule("22")
async def test_other_limits_are_announced_to_everybody(http: httpx.AsyncClient, house: House, as_player: Any) -> None:
    table = h6()
    assert table.change(2, big_blind=400, limits_notice_ms=300_000) is None
    tell(house, table)
    view = (await http.get(f"/v1/tables/{TABLE}", headers=as_player("p5"))).json()
    assert (view["configuration"]["betting"]["big_blind"], view["announced"]["betting"]["big_blind"]) == (200, 400)
    assert view["announced_from"] == table.now + 300_000


@rule("58")
@portugal("11.g")
async def test_a_warning_is_shown_and_says_who_gave_it(
    http: httpx.AsyncClient, house: House, as_staff: Any, as_player: Any
) -> None:
    table = h6()
    tell(house, table)
    headers = as_staff("floor", "w1", "floor-7")
    wish = {"player": "p2", "rule": "14.j", "cause": "comments"}
    assert (await http.post(f"/v1/tables/{TABLE}/warnings", json=wish, headers=headers)).status_code == 200
    message = house.commands[-1]
    assert message.principal == Principal(kind="staff", id="floor-7")
    assert table.send(message.principal, sent(message)) is None
    tell(house, table)
    view = (await http.get(f"/v1/tables/{TABLE}", headers=as_player("p2"))).json()
    assert next(seat["conduct"] for seat in view["seats"] if seat["seat"] == 2) == "14.j"
    refused = await http.post(f"/v1/tables/{TABLE}/warnings", json=wish, headers=as_player("p2"))
    assert refused.status_code == 403


@rule("14.c", "14.f", "14.g", "14.k")
@pytest.mark.parametrize("favour", ["split_pot", "move_chips", "take_chips_off", "swap_seats"])
async def test_there_is_a_door_to_be_told_no_at(
    http: httpx.AsyncClient, house: House, as_player: Any, favour: str
) -> None:
    tell(house, h6())
    answer = await http.post(f"/v1/tables/{TABLE}/favours", json={"favour": favour}, headers=as_player("p1"))
    assert answer.status_code == 200
    message = house.commands[-1]
    assert h6().send(message.principal, sent(message)) is not None


@rule("34", "9.a", "FP-6")
async def test_a_scanned_card_is_sealed_and_a_repeated_scan_is_the_same_request(
    http: httpx.AsyncClient, house: House, as_staff: Any
) -> None:
    table = five(1)
    tell(house, table)
    headers = as_staff("dealer", "s1", "dealer-1")
    scan = {"hand": table.state.hands, "card": "Td", "to": "hole", "seat": 1}
    for _ in range(2):
        assert (await http.post(f"/v1/tables/{TABLE}/live/scans", json=scan, headers=headers)).status_code == 200
    assert len(house.commands) == 1
    message = house.commands[0]
    assert "Td" not in message.encoded().decode()
    command = sent(message)
    assert isinstance(command, ScanCard)
    assert (command.card, "Td" in repr(command)) == ("Td", False)
    assert table.send(message.principal, command) is None
    tell(house, table)
    told = table.last[0]
    assert "Td" not in encode_fact(told)[1].decode()


@rule("70.d", "FP-5")
async def test_an_incident_is_reported_and_shown(
    http: httpx.AsyncClient, house: House, as_staff: Any, as_player: Any
) -> None:
    table = five(1, "2c 3c 4c 5c 6c 7c 8d 9d Td Jd 5h Qs 8s 3s").deal_holes().plays("3 call", "4 raise 600").burn()
    tell(house, table)
    headers = as_staff("dealer", "i1", "dealer-1")
    report = {"hand": table.state.hands, "code": "DE-70d", "cards": ["Qs"], "hidden": ["8s", "3s"]}
    answer = await http.post(f"/v1/tables/{TABLE}/live/incidents", json=report, headers=headers)
    assert answer.status_code == 200, answer.text
    message = house.commands[-1]
    assert '"8s"' not in message.encoded().decode()
    command = sent(message)
    assert isinstance(command, RecordIncident)
    assert command.hidden == ["8s", "3s"]
    assert table.send(message.principal, command) is None
    tell(house, table)
    hand = (await http.get(f"/v1/tables/{TABLE}", headers=as_player("p5"))).json()["hand"]
    (shown,) = hand["incidents"]
    assert (shown["code"], shown["outcome"], shown["cards"]) == ("DE-70d", "call_only", ["Qs"])
    assert "8s" not in str(hand)
    assert hand["decision"]["legal"]["max_to"] is None, "who decides now may not raise"


async def test_every_console_has_a_door_for_staff_alone(
    http: httpx.AsyncClient, house: House, as_staff: Any, as_player: Any
) -> None:
    tell(house, five(1))
    for door in [door for door in DOORS if "/live/" in door.path]:
        url = "/v1" + door.path.format(table=TABLE)
        assert (await http.post(url, json={}, headers=as_player("p1"))).status_code == 403, url
        headers = as_staff(door.command.roles[0], f"k-{door.name}")
        assert (await http.post(url, json={"nonsense": 1}, headers=headers)).status_code == 422, url
    shuffle = {"deck": "R", "times": 3}
    headers = as_staff("dealer", "sh", "dealer-1")
    answer = await http.post(f"/v1/tables/{TABLE}/live/decks/shuffle", json=shuffle, headers=headers)
    assert answer.status_code == 200
    assert (house.commands[-1].type, house.commands[-1].body) == ("ShuffleDeck", shuffle)


@rule("7.b", "28", "13", "23")
async def test_the_words_say_what_a_session_costs_and_what_one_brings(http: httpx.AsyncClient, house: House) -> None:
    tell(house, casino(1, 2, 3, 4, rake_mode="session", rake_bp=1000, mixed="omaha"))
    words = " ".join((await http.get(f"/v1/tables/{TABLE}/rules")).json()["taking_part"])
    for part in (
        "Each session of 60 minutes costs 10.00 % of the initial stack",
        "average of the stacks",
        "rest for 2 hands",
        "chooses the variant",
    ):
        assert part in words, part


@rule("8.c/1")
async def test_a_dispute_is_seen_by_who_decides_it_and_on_record_with_the_decision(
    http: httpx.AsyncClient, house: House, as_player: Any, as_staff: Any, url: str, token_of: Any, case: Case
) -> None:
    """Everybody at the table sees that there is one; what it says may name cards and waits for the end of the hand."""
    live, number = LiveTable(1, 2, 3, 4, 5, 6).stack_pack(TO_SHOWDOWN), case.int("hand")
    live.state = replace(live.state, hands=number - 1, running=True, button=6)
    live.begin(1).deal_holes().plays("3 call", "4 fold", "5 fold", "6 fold", "1 call", "2 check")
    for cards in (3, 1, 1):
        live.burn().turn_up(cards).plays("1 check", "2 check", "3 check")
    deciding = Deciding(house, live)

    async def door(path: str, headers: dict[str, str], **body: Any) -> httpx.Response:
        return await http.post(f"/v1/tables/{TABLE}/{path}", json={"hand": number, **body}, headers=headers)

    async def seen(player: str) -> Any:
        return (await http.get(f"/v1/tables/{TABLE}", headers=as_player(player))).json()

    said = "I hold Ah Kd"
    async with watching(url, token_of("p5"), TABLE) as line:
        assert (await door("disputes", as_player("p2", "d1"), text=said)).status_code == 200
        opened = await heard(line, DisputeOpened)
    assert (opened["dispute"], opened["player"], opened["text"]) == (1, "p2", "")
    for player in ("p2", "p5"):
        view = await seen(player)
        assert view["disputes"] == [{"dispute": 1, "hand": number, "seat": 2, "player": "p2"}]
        assert said not in json.dumps(view)
    dealer, floor = as_staff("dealer", "k1", "dealer-1"), as_staff("supervisor", "k2", "floor-1")
    refused = await door("live/deliver", dealer)
    assert (refused.status_code, refused.json()["reason"]) == (409, "dispute_open")
    decision = {"dispute": 1, "decision": "the cards decide", "reason": "seen by all"}
    assert (await door("disputes/resolve", as_player("p2", "d2"), **decision)).status_code == 403
    assert (await door("disputes/resolve", floor, **decision)).status_code == 200
    assert (await seen("p5"))["disputes"] == []
    assert live.deliver() is None
    deciding.tell()
    last = (await http.get(f"/v1/tables/{TABLE}/last-hand", headers=as_player("p1"))).json()
    record = {**decision, "seat": 2, "player": "p2", "text": said, "decided_by": "floor-1"}
    assert (last["hand"], last["disputes"]) == (number, [record])
    again = await door("disputes", as_player("p1", "d3"), text="And I?")
    assert again.status_code == 200, "of a hand that is over, too"
    last = (await http.get(f"/v1/tables/{TABLE}/last-hand", headers=as_player("p2"))).json()
    assert [(each["player"], each["decision"]) for each in last["disputes"]] == [
        ("p2", "the cards decide"),
        ("p1", None),
    ]
