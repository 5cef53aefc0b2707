"""What tables and tournaments say that a player wants is held against what the player has asked for (ADR 13)."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import msgspec
import pytest

from libs.contracts.bank_commands import ApproveBankChange, RequestBankChange
from libs.contracts.bank_events import BankDropped, BankOpened, BankToppedUp
from libs.contracts.commands import Command, message_of
from libs.contracts.facts import Fact
from libs.contracts.messages import Principal, PublicEvent, command_id_at
from libs.contracts.registry import encode_fact
from libs.contracts.table_commands import OpenTable, RequestTopUp, TakeSeat
from libs.contracts.table_events import SeatReserved, TopUpDue
from libs.contracts.topics import topic
from libs.contracts.tournaments_commands import RegisterPlayer, RequestRebuy
from libs.contracts.tournaments_events import PaymentDue
from libs.journal.log import Fetched, LogRecord
from libs.journal.marks import Marks
from libs.money.play import PLAY_CURRENCY
from services.wallet.kafka import wishes
from services.wallet.kafka.wishes import Wishes
from services.wallet.machine import HORIZON_MS
from tests.testkit.marks import GATEWAY, TABLE, TOURNAMENT, WALLET
from tests.testkit.partitions import PARTITIONS, partition_of

NOW = 1_790_000_000_000
HOUR = 3_600_000
ANN = Principal("player", "ann")


class Commands:
    """A partition of commands, as the broker took them in."""

    def __init__(self) -> None:
        self.records: list[LogRecord] = []
        self.read_from: list[int] = []

    def put(self, command: Command, at: int, by: Principal = ANN, marks: Marks = GATEWAY) -> UUID:
        stream = "t1"
        command_id = command_id_at(at, "wish", str(len(self.records)))
        place = (topic(command.service, "commands").name, partition_of(stream))
        value = message_of(command, id=command_id, stream=stream, by=by).encoded()
        headers = marks.marked(place, stream.encode(), value, ())
        self.records.append(LogRecord(len(self.records), stream.encode(), value, headers, at))
        return command_id

    async def reader(self, topic: str, partition: int) -> "Commands":
        assert partition == partition_of("t1")
        return self

    async def read(self, offset: int, max_records: int, wait_ms: int) -> Fetched:
        self.read_from.append(offset)
        found: Sequence[LogRecord] = self.records[offset : offset + max_records]
        return Fetched(found, offset + len(found))

    async def end(self) -> int:
        return len(self.records)

    async def since(self, ms: int) -> int:
        return next((each.offset for each in self.records if each.timestamp >= ms), len(self.records))

    async def close(self) -> None: ...


def seat_of(wish: UUID, **other: Any) -> SeatReserved:
    of: dict[str, Any] = {"reservation": f"reservation-{wish}", "player": "ann", "amount": 9_000, "table": "t1"} | other
    return SeatReserved(seat=3, currency="EUR", until=NOW, **of)


def payment_of(wish: UUID, amount: int = 2_200) -> PaymentDue:
    name = f"entry-{wish}"
    of: dict[str, Any] = {"prize": amount, "fee": 0, "bounty": 0, "chips": 1_000, "tournament": "t1", "currency": "EUR"}
    return PaymentDue(payment=name, bought="entry", entry=name, player="ann", amount=amount, **of)


def top_up_of(wish: UUID) -> TopUpDue:
    return TopUpDue(
        table="t1", seat=3, player="ann", reservation="r", currency="EUR", top_up=f"top_up-{wish}", amount=500
    )


async def why_not(commands: Commands, fact: Fact, at: int = NOW, service: str = "table") -> str | None:
    return await Wishes(commands, WALLET, service, PARTITIONS, now=lambda: NOW).why_not(event_of(fact, at), fact)


def event_of(fact: Fact, at: int) -> PublicEvent:
    kind, data = encode_fact(fact)
    return PublicEvent(stream="t1", version=7, type=kind, time=at, causation="c", data=data)


SEAT = TakeSeat(reservation="reservation", amount=9_000)


async def test_what_a_player_asked_for_is_paid() -> None:
    commands = Commands()
    wish = commands.put(SEAT, NOW)
    assert await why_not(commands, seat_of(wish)) is None


@pytest.mark.parametrize("other", [{"amount": 2_500_000}, {"player": "bob"}], ids=["more", "somebody else"])
async def test_nobody_pays_what_they_have_not_asked_for(other: dict[str, Any]) -> None:
    commands = Commands()
    wish = commands.put(SEAT, NOW)
    assert await why_not(commands, seat_of(wish, **other)) == "the player has wished something else"


async def test_a_wish_that_nobody_brought_is_none() -> None:
    commands = Commands()
    commands.put(SEAT, NOW)
    forged = command_id_at(NOW, "forged")
    assert await why_not(commands, seat_of(forged)) == "no gateway has brought such a wish"
    assert await why_not(commands, seat_of(forged, reservation="r")) == "it names no command"


@pytest.mark.parametrize("marks", [TABLE, TOURNAMENT], ids=["table", "tournament"])
async def test_a_service_wishes_nothing_in_a_players_name(marks: Marks) -> None:
    """Whoever writes to the commands topic, too, has not the gateway's second mark."""
    commands = Commands()
    wish = commands.put(SEAT, NOW, marks=marks)
    assert await why_not(commands, seat_of(wish)) == "no gateway has brought such a wish"


async def test_staff_wish_nothing_in_a_players_name() -> None:
    commands = Commands()
    wish = commands.put(SEAT, NOW, by=Principal("operator", "ann"))
    assert await why_not(commands, seat_of(wish)) == "no gateway has brought such a wish"


async def test_a_top_up_that_waited_for_its_hand_is_found_by_the_time_in_its_name() -> None:
    commands = Commands()
    wish = commands.put(RequestTopUp(top_up="t", amount=500), NOW - HOUR)
    for minute in range(60):
        commands.put(SEAT, NOW - HOUR + 60_000 * minute)
    assert await why_not(commands, top_up_of(wish)) is None


async def test_no_crowd_between_hides_an_early_wish(monkeypatch: pytest.MonkeyPatch) -> None:
    """Others fill the partition while a long hand runs: the wish is still the first of them, or is near the end."""
    monkeypatch.setattr(wishes, "_MOST", 3)
    for lies in (0, 18):  # a key may be older than the moment at which it is sent
        commands = Commands()
        for number in range(20):
            if number == lies:
                wish = commands.put(RequestTopUp(top_up="t", amount=500), NOW - HOUR)
            commands.put(SEAT, NOW - HOUR)
        assert await why_not(commands, top_up_of(wish)) is None, lies


async def test_a_tournament_takes_what_its_page_said_and_no_more() -> None:
    commands = Commands()
    wish = commands.put(RegisterPlayer(entry="e", price=2_200), NOW)
    assert await why_not(commands, payment_of(wish), service="tournament") is None
    assert await why_not(commands, payment_of(wish, 2_500_000), service="tournament") is not None


@pytest.mark.parametrize("price", [2_200, 0, None])
async def test_who_enters_with_a_ticket_has_wished_to_pay_nothing(price: int | None) -> None:
    """Found by an attacker: the price stood beside the ticket, and a tournament might have taken both."""
    commands = Commands()
    wish = commands.put(RegisterPlayer(entry="e", ticket="sat.1", price=price), NOW)
    for amount in (2_200, 1):
        assert await why_not(commands, payment_of(wish, amount), service="tournament") == (
            "the player has wished something else"
        )


@pytest.mark.parametrize("command", [RegisterPlayer(entry="e"), RequestRebuy(payment="p")], ids=["entry", "rebuy"])
async def test_a_purchase_without_a_price_covers_none(command: Command) -> None:
    """It covered any, for commands that were sent before prices stood in them."""
    commands = Commands()
    wish = commands.put(command, NOW)
    due = payment_of(wish)
    if isinstance(command, RequestRebuy):
        due = msgspec.structs.replace(due, payment=f"payment-{wish}", bought="rebuy")
    assert await why_not(commands, due, service="tournament") == "the player has wished something else"


async def test_what_the_wallet_decides_no_more_is_left_to_it() -> None:
    """Who reads all events once more meets wishes that the broker has no more: their commands have expired."""
    assert await why_not(Commands(), seat_of(command_id_at(1, "old")), at=NOW - HORIZON_MS - 2 * HOUR) is None


async def test_each_command_is_read_once() -> None:
    commands = Commands()
    wishes = Wishes(commands, WALLET, "table", PARTITIONS, now=lambda: NOW)
    for _ in range(20):
        wish = commands.put(SEAT, NOW)
        assert await wishes.why_not(event_of(seat_of(wish), NOW), seat_of(wish)) is None
    assert commands.read_from == list(range(20))


BO, EVE = Principal("staff", "bo"), Principal("staff", "eve")
OPEN = OpenTable(name="One", rulebook="pt-803-2015-no-draw", bank=900_000, risk_limit=250_000, configuration={})
APPROVE = ApproveBankChange(change="c1", direction="top_up", amount=900_000)
ALONE = RequestBankChange(change="c1", direction="top_up", amount=900_000, reason="evening")
BANK: dict[str, Any] = {"table": "t1", "currency": "EUR", "kind": "real"}
OTHERS = "people have asked for something else"
NOBODY = "no gateway has brought such a wish"


async def why_no_bank(commands: Commands, command: UUID, fact: Fact, stream: str = "t1") -> str | None:
    kind, data = encode_fact(fact)
    event = PublicEvent(stream=stream, version=7, type=kind, time=NOW, causation=str(command), data=data)
    return await Wishes(commands, WALLET, "table", PARTITIONS, now=lambda: NOW).why_not(event, fact)


def topped_up(**other: Any) -> BankToppedUp:
    change: dict[str, Any] = {"change": "c1", "amount": 900_000, "requested_by": "bo", "by": "eve", **other}
    return BankToppedUp(**BANK, **change, bank=900_000)


def opened(risk_limit: int, **other: Any) -> BankOpened:
    return BankOpened(**{**BANK, "by": "bo", **other}, amount=0, bank=0, risk_limit=risk_limit)


async def test_a_bank_has_what_people_have_given_it() -> None:
    commands = Commands()
    asked = commands.put(APPROVE, NOW, by=EVE)
    assert await why_no_bank(commands, asked, topped_up()) is None
    for other in ({"amount": 900_001}, {"by": "bo", "requested_by": "eve"}, {"change": "c2"}, {"requested_by": "eve"}):
        assert await why_no_bank(commands, asked, topped_up(**other)) == OTHERS
    dropped = BankDropped(**BANK, change="c1", amount=900_000, bank=0, requested_by="bo", by="eve")
    assert await why_no_bank(commands, asked, dropped) == OTHERS


async def test_what_one_has_asked_for_another_one_has_not_approved_by_that() -> None:
    """Found by an attacker who read it: a request that waited, or was declined, was taken for an approval."""
    commands = Commands()
    asked = commands.put(ALONE, NOW, by=EVE)
    assert await why_no_bank(commands, asked, topped_up()) == OTHERS
    assert await why_no_bank(commands, asked, topped_up(requested_by="eve")) is None, (
        "alone: the escrow counts how much"
    )


async def test_nobody_but_people_gives_a_bank_its_money() -> None:
    commands = Commands()
    for by, marks in ((EVE, TABLE), (Principal("operator", "eve"), GATEWAY), (Principal("player", "eve"), GATEWAY)):
        asked = commands.put(APPROVE, NOW, by=by, marks=marks)
        assert await why_no_bank(commands, asked, topped_up()) == NOBODY
    assert await why_no_bank(commands, command_id_at(NOW, "forged"), topped_up()) == NOBODY
    player = commands.put(SEAT, NOW)
    assert await why_no_bank(commands, player, topped_up()) == NOBODY


async def test_what_the_house_may_lose_is_what_was_said_when_the_table_was_opened() -> None:
    commands = Commands()
    asked = commands.put(OPEN, NOW, by=BO)
    assert await why_no_bank(commands, asked, opened(250_000)) is None
    for wrong in (opened(250_001), opened(250_000, by="eve"), opened(250_000, alone_up_to=1)):
        assert await why_no_bank(commands, asked, wrong) == OTHERS
    unsaid = commands.put(msgspec.structs.replace(OPEN, risk_limit=None), NOW, by=BO)
    assert await why_no_bank(commands, unsaid, opened(900_000)) is None, "as large as the bank"
    platform = commands.put(OPEN, NOW, by=Principal("operator", "bo"))
    assert await why_no_bank(commands, platform, opened(250_000)) == NOBODY


async def test_a_bank_of_play_money_is_none_of_real_money() -> None:
    """Found by an attacker who read it: the table's word alone said what money it is."""
    commands = Commands()
    play = msgspec.structs.replace(OPEN, configuration={"kind": "demo", "currency": PLAY_CURRENCY})
    asked = commands.put(play, NOW, by=BO)
    assert await why_no_bank(commands, asked, opened(250_000)) == OTHERS
    assert await why_no_bank(commands, asked, opened(250_000, kind="demo", currency=PLAY_CURRENCY)) is None
    nonsense = commands.put(msgspec.structs.replace(OPEN, rulebook="none"), NOW, by=BO)
    assert await why_no_bank(commands, nonsense, opened(250_000)) == OTHERS


async def test_an_event_speaks_of_its_own_table() -> None:
    """Found by an attacker who read it: one true change counted at any number of tables."""
    commands = Commands()
    asked = commands.put(APPROVE, NOW, by=EVE)
    assert await why_no_bank(commands, asked, msgspec.structs.replace(topped_up(), table="t2")) == (
        "it speaks of another table"
    )
