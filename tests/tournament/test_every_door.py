"""Every door of the gateway is tried at a tournament table: what would take chips or bring money is refused by rule.

mo-97-2010 4.2. What the gateway sends goes to the table's and the wallet's own deciders here.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from libs.contracts.messages import CommandMessage, Reply
from libs.contracts.registry import ALL_TABLE_COMMANDS
from libs.contracts.table_events import PlayerSatOut
from libs.decider import Given, Rejected
from libs.money.chips import NO_CURRENCY
from libs.sealing.secret import DataKey
from services.gateway.app.doors import DOORS as ALL_DOORS
from services.gateway.app.doors import PLAYERS_DOORS, Door
from services.gateway.app.gateway import Gateway
from services.gateway.http.questions import QUESTIONS
from services.table.machine import decode_command
from services.table.scanning import Scanner
from services.wallet.domain.account.decide import AccountDecider
from services.wallet.machine import decode_command as decode_wallet_command
from tests.table.tournament.play import ASKED, TABLE, TOURNAMENT
from tests.testkit.cases import Case
from tests.tournament.test_every_command import (
    ATTEMPTS,
    BY_RULE,
    CASH_OUT,
    CHIPS,
    MONEY,
    ORGANISERS,
    RULE,
    STAY,
    asking_for,
    lying,
)
from tests.tournament.test_every_command import at_a_table as table_with_chips

_LIVE = "not_in_this_mode"
_MOVEMENT = {"reference": "m", "amount": CASH_OUT, "currency": NO_CURRENCY}
AT_TABLE = "/tables/{table}"
DOORS: dict[str, tuple[Any, str | None]] = {
    # path: body, reason of the refusal; None: let in, and no chip moves
    f"{AT_TABLE}/seats": ({"seat": 7, "amount": CASH_OUT}, MONEY),
    f"{AT_TABLE}/top-ups": ({"amount": CASH_OUT}, MONEY),
    f"{AT_TABLE}/leave": (None, STAY),
    f"{AT_TABLE}/players/{{player}}/remove": ({"reason": "asked for it"}, STAY),
    f"{AT_TABLE}/close": ({"reason": "night"}, STAY),
    f"{AT_TABLE}/presence": ({"present": True}, _LIVE),
    f"{AT_TABLE}/tips": ({"amount": CASH_OUT}, _LIVE),
    f"{AT_TABLE}/favours": ({"favour": "take_chips_off"}, "withdraw_while_seated"),
    f"{AT_TABLE}/seat-change": ({"seat": 7}, ORGANISERS),
    f"{AT_TABLE}/table-change": ({"to_table": TABLE}, ORGANISERS),
    f"{AT_TABLE}/waiting-list": (None, ORGANISERS),
    f"{AT_TABLE}/waiting-list/leave": (None, ORGANISERS),
    f"{AT_TABLE}/seat-draw": (None, ORGANISERS),
    f"{AT_TABLE}/table-draw": ({"tables": [TABLE]}, ORGANISERS),
    f"{AT_TABLE}/configuration": ({"configuration": ASKED | {"version": 2, "kind": "real"}}, ORGANISERS),
    f"{AT_TABLE}/configuration/{{version}}/approve": (None, ORGANISERS),
    f"{AT_TABLE}/configuration/{{version}}/decline": ({"reason": "r"}, ORGANISERS),
    f"{AT_TABLE}/bank/changes": (
        {"change": "b1", "direction": "drop", "amount": CASH_OUT, "reason": "r"}, MONEY
    ),
    f"{AT_TABLE}/bank/changes/{{change}}/approve": ({"direction": "top_up", "amount": 1}, MONEY),
    f"{AT_TABLE}/bank/changes/{{change}}/decline": ({"reason": "r"}, MONEY),
    **{AT_TABLE + own.path: (dict(own.example), STAY) for own in ALL_TABLE_COMMANDS if own.path},
    f"{AT_TABLE}/deal": ({"round": 1}, STAY),
    f"{AT_TABLE}/rounds/{{round}}/void": ({"cause": "fault"}, STAY),
    f"{AT_TABLE}/sit-out": ({}, None),
    f"{AT_TABLE}/sit-in": ({}, None),
    f"{AT_TABLE}/messages": ({"text": "hello"}, "chat_closed"),
    f"{AT_TABLE}/variant": ({"variant": "omaha"}, "variant_not_offered"),
    f"{AT_TABLE}/disputes": ({"hand": 1, "text": "the pot was mine"}, None),
    f"{AT_TABLE}/disputes/resolve": ({"hand": 1, "dispute": 1, "decision": "no", "reason": "r"}, None),
    f"{AT_TABLE}/acts": ({"hand": 1, "seat": 1, "act": "check"}, "no_hand"),
    f"{AT_TABLE}/warnings": ({"player": "p1", "rule": "58", "cause": "insults", "grave": True}, None),
    f"{AT_TABLE}/mutes": ({"player": "p1", "cause": "insults"}, None),
    f"{AT_TABLE}/pause": ({"reason": "check"}, ORGANISERS),
    f"{AT_TABLE}/resume": (None, "not_paused"),
    f"{AT_TABLE}/hands/{{hand}}/void": ({"cause": "fault"}, "no_hand"),
    f"{AT_TABLE}/hands/{{hand}}/correct": ({"cause": "fault"}, "no_hand"),
    f"{AT_TABLE}/live/scans": ({"hand": 1, "card": "Td", "to": "board"}, _LIVE),
    f"{AT_TABLE}/live/incidents": ({"hand": 1, "code": "DE-70a", "seat": 1}, _LIVE),
    f"{AT_TABLE}/live/dealer": ({"dealer": "d1"}, _LIVE),
    f"{AT_TABLE}/live/decks/inspect": ({"deck": "R", "cards": []}, _LIVE),
    f"{AT_TABLE}/live/decks/check": ({"deck": "R", "cards": 52, "sound": True}, _LIVE),
    f"{AT_TABLE}/live/decks/shuffle": ({"deck": "R", "times": 3}, _LIVE),
    f"{AT_TABLE}/live/decks/damaged": ({"deck": "R"}, _LIVE),
    f"{AT_TABLE}/live/decks/replace": ({"deck": "R", "by_deck": "B"}, _LIVE),
    f"{AT_TABLE}/live/deal": ({"deck": "R"}, _LIVE),
    f"{AT_TABLE}/live/posts": ({"hand": 1, "seat": 1}, _LIVE),
    f"{AT_TABLE}/live/acts": ({"hand": 1, "seat": 1, "act": "check"}, "no_hand"),
    f"{AT_TABLE}/live/pass": ({"hand": 1, "seat": 1}, _LIVE),
    f"{AT_TABLE}/live/decisions": ({"hand": 1, "incident": 1, "decision": "reverse", "reason": "r"}, _LIVE),
    f"{AT_TABLE}/live/deliver": ({"hand": 1, "winner": 1, "pushed": True}, _LIVE),
    f"{AT_TABLE}/live/cancel": ({"hand": 1, "seat": 1}, "wrong_hand"),
    # A table that is there already is not opened anew as one for money
    "/tables": (
        {"table": TABLE, "name": "x", "rulebook": "mo-97-2010-omaha", "configuration": ASKED}, "already_open"
    ),
    # The wallet, where no chip ever is
    "/players/{player}/accounts": ({"currency": NO_CURRENCY}, "wrong_currency"),
    "/players/{player}/deposits": (_MOVEMENT, "unknown_account"),
    "/players/{player}/withdrawals": (_MOVEMENT, "unknown_account"),
    "/players/{player}/cash/approve": (
        {"reference": "m", "purpose": "deposit", "amount": 1, "currency": NO_CURRENCY}, "unknown_account"
    ),
    "/players/{player}/cash/decline": (
        {"reference": "m", "reason": "no", "currency": NO_CURRENCY}, "unknown_account"
    ),
    "/players/{player}/signals": (
        {"reference": "s", "kind": "device", "value": "v", "currency": NO_CURRENCY}, "unknown_account"
    ),
    "/sessions": ({"player": "p1"}, None),
}  # fmt: skip
"""Every POST of the gateway. One that is not here fails the test: a new door is tried before it opens."""


class Deciders:
    """The table's and the wallet's, behind the gateway: each command is decided, each event published."""

    def __init__(self, house: Any, chips: int = CHIPS) -> None:
        self.house = house
        self.table = table_with_chips(in_a_hand=False, chips=chips)
        self.accounts: dict[str, Any] = {}
        self.wallet = AccountDecider()
        self.moved: list[str] = []
        for event in self.table.told:
            house.publish(event, table=TABLE)

    def answer(self, message: CommandMessage) -> Reply:
        if message.type in ("ClaimReference", "CountCash"):  # the command that goes on with it is what is tried here
            return Reply(command_id=message.id, stream=message.stream, verdict="accepted", version=1)
        at_wallet = self.house.sent[-1][0] == "wallet"
        reason, rule = self._wallet(message) if at_wallet else self._table(message)
        return Reply(
            command_id=message.id, stream=message.stream, verdict="rejected" if reason else "accepted",
            version=self.house.versions.get(TABLE, 0), reason=reason, rule=rule,
        )  # fmt: skip

    def _table(self, message: CommandMessage) -> tuple[str | None, str | None]:
        assert self.house.gateway is not None
        command = decode_command(message, Scanner(DataKey(self.house.gateway.key.reveal())))
        reason = self.table.send(message.principal, command, self.table.shuffler.shuffle())
        for event in self.table.last:
            self.house.publish(event, table=TABLE)
        return reason, self.table.refused.rule if self.table.refused is not None else None

    def _wallet(self, message: CommandMessage) -> tuple[str | None, str | None]:
        state = self.accounts.get(message.stream, self.wallet.initial(message.stream))
        decided = self.wallet.decide(state, decode_wallet_command(message), Given(0, None, message.principal))
        if isinstance(decided, Rejected):
            return decided.reason, decided.rule
        self.moved += [type(event).__name__ for event in decided.events]
        return None, None


@pytest.fixture
def deciders(gateway: Gateway, house: Any) -> Deciders:
    both = Deciders(house)
    house.answer = both.answer
    return both


@pytest.mark.rule("mo-97-2010", "4.2/1")
async def test_no_door_of_the_gateway_lets_chips_out_or_money_in(
    http: httpx.AsyncClient,
    operator: dict[str, str],
    through: Callable[..., dict[str, str]],
    gateway: Gateway,
    house: Any,
    case: Case,
) -> None:
    """The player is a seated entrant with chips; staff and operator try for him where it is theirs to ask."""
    deciders = Deciders(house, case["chips"])
    house.answer = deciders.answer
    posts: dict[str, Door | None] = {path: None for method, path, *_ in QUESTIONS if method == "POST"}
    posts |= {door.path: door for door in ALL_DOORS if door.command.service != "tournament"}  # they reach no table
    assert set(DOORS) == set(posts), "a new door: try it here"
    before = lying(deciders.table)
    for number, (path, (body, reason)) in enumerate(DOORS.items()):
        key = f"door-{number}"
        door = posts[path]
        headers = through(door, key, "p1") if door is not None else operator
        where = path.format(table=TABLE, player="p1", change="b1", version=2, round=1, hand=1)
        answer = await http.post("/v1" + where, json=asking_for(case["asked"], body), headers=headers)
        assert answer.status_code == (200 if reason is None else 409), (path, answer.text)
        if reason is not None:
            assert answer.json()["reason"] == reason, (path, answer.text)
            assert answer.headers["content-type"].startswith("application/problem+json")
        if reason in BY_RULE:
            assert answer.json()["rule"] == RULE, path
        assert lying(deciders.table) == before, path
        assert deciders.table.chips == 4 * case.int("chips"), path
        assert len(deciders.table.state.seats) == 4, path
    assert deciders.moved == [], "no account was opened, none was credited"


@pytest.mark.rule("mo-97-2010", "4.2")
def test_every_message_of_the_web_socket_is_a_command_that_was_tried() -> None:
    """The socket's orders are commands of the table, tried one by one at its decider."""
    assert {door.command.__name__ for door in PLAYERS_DOORS.values()} <= set(ATTEMPTS)


async def test_everybody_sees_that_it_is_a_tournament(
    http: httpx.AsyncClient, as_player: Callable[..., dict[str, str]], deciders: Deciders
) -> None:
    shown = (await http.get(f"/v1/tables/{TABLE}", headers=as_player("p1"))).json()
    assert shown["tournament"] == TOURNAMENT
    assert sum(seat["stack"] for seat in shown["seats"]) == 4 * CHIPS
    lobby = (await http.get("/v1/tables")).json()["tables"]
    (row,) = [each for each in lobby if each["table"] == TABLE]
    assert (row["tournament"], row["kind"], row["currency"]) == (TOURNAMENT, "tournament", NO_CURRENCY)
    assert (row["demo"], row["buy_in_min"]) == (False, 0)
    rules = (await http.get(f"/v1/tables/{TABLE}/rules")).json()
    assert rules["tournament"] == TOURNAMENT
    words = " ".join(rules["taking_part"])
    assert "The blinds are 500 chips and 1000 chips." in words
    assert "Chips stay at its tables until you are eliminated or it ends" in words
    assert "buy-in" not in words
    assert NO_CURRENCY not in words
    assert all(each["tournament"] is None for each in lobby if each is not row), "and a cash table says nothing of one"


async def test_who_comes_to_a_seat_that_is_away_is_told_to_the_table(
    gateway: Gateway, deciders: Deciders, house: Any
) -> None:
    """Of who was there and is not away that was no news (pt-810-2015 26)."""
    gateway.presence.came(TABLE, "p2")
    house.publish(PlayerSatOut(seat=1, player="p1", reason="not_connected", table=TABLE), table=TABLE)
    gateway.presence.came(TABLE, "p1")
    while not house.commands:
        await asyncio.sleep(0.01)
    assert [(m.type, m.body) for m in house.commands] == [("ReportConnection", {"player": "p1", "connected": True})]


async def test_who_is_taken_off_leaves_the_view(
    http: httpx.AsyncClient, as_player: Callable[..., dict[str, str]], deciders: Deciders, house: Any
) -> None:
    assert deciders.table.move(2) is None
    house.publish(*deciders.table.last, table=TABLE)
    assert deciders.table.end() is None
    shown = (await http.get(f"/v1/tables/{TABLE}", headers=as_player("p1"))).json()
    assert [seat["seat"] for seat in shown["seats"]] == [1, 3, 4]
    house.publish(*deciders.table.last, table=TABLE)
    shown = (await http.get(f"/v1/tables/{TABLE}", headers=as_player("p1"))).json()
    assert (shown["seats"], shown["status"]) == ([], "closed")
