"""`croupier verify` holds each commit against its command, as the auditor does, as far as the broker still has it."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec import json
from msgspec.structs import replace
from uuid6 import uuid7

from libs.contracts import poker_events as p
from libs.contracts import wallet_commands as c
from libs.contracts import wallet_events as e
from libs.contracts.house import HouseCreated
from libs.contracts.messages import Principal
from libs.contracts.poker_commands import Act
from libs.contracts.registry import ALL_WALLET_COMMANDS, ALL_WALLET_EVENTS, encode_fact
from libs.contracts.table_commands import LeaveTable, SitOut
from libs.contracts.topics import DAY_MS, topic
from libs.journal.commit import Commit, decode, digest, encode
from services.audit.verifying import commands
from services.audit.verifying.asked_for import TELLS, told_otherwise
from services.audit.verifying.commands import Commands
from services.cli.journals import books
from services.cli.verify import Report, verify_log
from tests.audit.played import KEYRING, PlayedHouse, played
from tests.testkit.marks import UNMARKED
from tests.testkit.partitions import PARTITIONS, partition_of

JOURNAL, COMMANDS = topic("table", "journal").name, topic("table", "commands").name


async def verified(house: PlayedHouse, later_ms: int = 0, **created: Any) -> tuple[Report, dict[str, Commands]]:
    of_house = books(KEYRING, PARTITIONS)
    held = {
        each.service: Commands(
            *(
                house.log,
                UNMARKED,
                each.service,
                "",
                HouseCreated(**{"house": "h", "incarnation": 1, "partitions": PARTITIONS, "at": 0, **created}),
            ),
            page=5,
            clock=lambda: (house.now + later_ms) / 1000,
        )
        for each in of_house
    }
    return await verify_log(house.log, of_house, commands=held), held


def forge(house: PlayedHouse, change: Callable[[Commit], Commit]) -> None:
    """With the service's login and marks: chained as it must be, and never asked."""
    raw = house.broker.records(JOURNAL, partition_of(house.table))[-1].value or b""
    last = decode(raw)
    made = replace(
        last, base=last.version, prev=digest(raw), command_id=uuid7().bytes, verdict="rejected", reason="forged",
        events=(), sealed=b"",
    )  # fmt: skip
    house.land("table", house.table, encode(change(made)))


async def test_a_house_as_it_was_played_holds_whatever_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "REMEMBERED", 5)
    report, held = await verified(played(hands=2))
    assert report.findings == []
    assert {len(each._asked) for each in held.values()} == {0, 5}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda commit: commit, "another command stands where the commit says it was read"),
        (
            lambda commit: replace(commit, command_offset=10**9),
            "no command that this house was asked stands where the commit says it was read",
        ),
        (lambda commit: replace(commit, source="elsewhere"), "the commit names no commands of its service"),
    ],
)
async def test_a_commit_that_nobody_asked_for_is_found(change: Callable[[Commit], Commit], said: str) -> None:
    house = played(hands=1)
    forge(house, change)
    report, _ = await verified(house)
    place = (JOURNAL, partition_of(house.table), len(house.broker.records(JOURNAL, partition_of(house.table))) - 1)
    assert [
        (each["kind"], each["stream"], each["detail"], (each["topic"], each["partition"], each["offset"]))
        for each in report.findings
    ] == [("commit_without_command", house.table, said, place)]


async def test_what_was_carried_here_was_held_against_its_command_elsewhere() -> None:
    house = played(hands=1)
    forge(house, lambda commit: commit)
    report, _ = await verified(house, carried={"table": [10**6] * PARTITIONS})
    assert report.findings == []


async def test_of_commands_that_retention_took_nothing_is_said_where_the_commit_is_old() -> None:
    """Who forges a commit may name a command of long ago: a young commit names none that is gone."""
    house, at = played(hands=2), partition_of("table-1")
    half = len(house.broker.records(COMMANDS, at)) // 2
    house.broker.delete_below(COMMANDS, at, half)
    old, _ = await verified(house, later_ms=8 * DAY_MS)
    assert old.findings == []
    young, _ = await verified(house)
    assert {(each["kind"], each["detail"]) for each in young.findings} == {
        ("commit_without_command", "the command that the commit names was gone before it was decided")
    }
    assert len(young.findings) == half


def deposited(house: PlayedHouse) -> Commit:
    """A true one, of 1.00, with the wallet's commit of it."""
    account = ("wallet", "account-player-1-EUR", "DepositFunds", ("operator", "o"))
    return house.ask(*account, reference="d-true", amount=100)


def forged_deposit(true: Commit, **change: Any) -> Commit:
    ((name, data),) = true.events
    fact = json.decode(data) | change
    return replace(true, base=true.version, prev=digest(encode(true)), events=((name, json.encode(fact)),))


async def test_a_true_deposit_is_no_licence_for_another_one() -> None:
    """Found by an attacker with the wallet's login at the broker and its marks: the same true command under a second
    commit, of any amount, was folded, booked and paid out, and `verify` found nothing."""
    house = played(hands=1)
    true = deposited(house)
    held, _ = await verified(house)
    assert held.findings == []
    available = json.decode(true.events[0][1])["available"]
    made = forged_deposit(true, amount=7_777_700, available=available + 7_777_700, reference="x22")
    house.land("wallet", true.stream, encode(made))
    report, _ = await verified(house)
    details = {each["detail"] for each in report.findings if each["kind"] == "commit_without_command"}
    before = len(house.broker.records(topic("wallet", "journal").name, partition_of(true.stream))) - 2
    assert details == {
        "FundsDeposited has another reference than DepositFunds",
        f"its command was decided before, by the commit at offset {before}",
    }


ACCOUNT = "account-player-1-EUR"
ASKED: list[tuple[Any, ...]] = [
    ("wallet", ACCOUNT, "DepositFunds", ("operator", "o"), {"reference": "d-1", "amount": 100}),
    ("table", "table-1", "LeaveTable", ("player", "nobody"), {}),
    ("tournament", "t-1", "ApproveTournament", ("staff", "dora"), {}),
]
HAD_NOT_COME = "it was decided for a time that had not come"
NOBODY_HAD_ASKED = "it was decided for a time at which nobody had asked"
BEFORE_THAT = "it was decided for a time before what its stream had decided"


def decided_at(house: PlayedHouse, asked: tuple[Any, ...], at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By who has the service's login and its marks: a true command, at a time of their own."""
    *command, body = asked
    land = house.land

    def at_another_time(service: str, stream: str, raw: bytes) -> None:
        land(service, stream, encode(replace(decode(raw), command_time=at)))

    with monkeypatch.context() as patched:
        patched.setattr(house, "land", at_another_time)
        house.ask(*command, **{**body, **({"reference": "d-2"} if body else {})})


def a_minute_on(asked: tuple[Any, ...]) -> PlayedHouse:
    """Behind a true command to the same stream."""
    house = played(hands=1)
    *command, body = asked
    house.ask(*command, **body)
    house.now += 60_000
    return house


@pytest.mark.parametrize("asked", ASKED, ids=["wallet", "table", "tournament"])
@pytest.mark.parametrize(
    ("later_ms", "said"),
    [(0, []), (25 * DAY_MS, [HAD_NOT_COME]), (1, [HAD_NOT_COME]), (-1, [NOBODY_HAD_ASKED]), (-60_001, [BEFORE_THAT])],
)
async def test_a_commit_is_of_the_time_of_its_command(
    asked: tuple[Any, ...], later_ms: int, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by an attacker: a million for a tournament that never was, and then one cent for it in a commit of a time
    to come; and the clocks by which silence is told never rang. Of the tables alone anybody had looked."""
    house = a_minute_on(asked)
    decided_at(house, asked, house.now + later_ms, monkeypatch)
    report, _ = await verified(house)
    assert [each["detail"] for each in report.findings if each["kind"] == "commit_without_command"] == said


async def test_a_stream_goes_on_at_its_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two brokers one is behind: what it takes in is decided at the time that the stream has come to."""
    house = a_minute_on(ASKED[0])
    house.now -= 60_500
    decided_at(house, ASKED[0], house.now + 500, monkeypatch)
    report, _ = await verified(house)
    assert report.findings == []


async def test_where_a_command_is_gone_its_commit_is_of_no_time_to_come(monkeypatch: pytest.MonkeyPatch) -> None:
    house = a_minute_on(ASKED[0])
    decided_at(house, ASKED[0], house.now + 5_000, monkeypatch)
    name, at = topic("wallet", "commands").name, partition_of(ACCOUNT)
    house.broker.delete_below(name, at, len(house.broker.records(name, at)))
    report, _ = await verified(house, later_ms=8 * DAY_MS)
    assert [each["detail"] for each in report.findings] == [HAD_NOT_COME]


async def test_a_log_that_was_copied_without_its_times_is_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """There the broker tells when it was copied, which no commit of it is as late as."""
    house = a_minute_on(ASKED[0])
    decided_at(house, ASKED[0], house.now - 1, monkeypatch)
    report, _ = await verified(house, at=house.now)
    assert report.findings == []


ANN, OTTO, CAGE = Principal("player", "ann"), Principal("operator", "otto"), Principal("staff", "cage-1")
MOVED: dict[str, Any] = {"reference": "d", "amount": 5, "by": str(OTTO), "available": 5, "reserved": 0}


def paid_in(**change: Any) -> e.FundsDeposited:
    return e.FundsDeposited(**MOVED | change)


def paid_out() -> e.FundsWithdrawn:
    return e.FundsWithdrawn(**MOVED)


def folded(**change: Any) -> p.PlayerFolded:
    fold: dict[str, Any] = {"hand": 1, "seat": 2, "player": "ann", "actor": "player"}
    return p.PlayerFolded(**fold | change)


PAY = c.PayTournament(payment="entry-1", tournament="cup", amount=5, told_at=7)
BY_POLICY = Principal("policy", "wallet.when_payment_due")


def entered(**other: Any) -> e.TournamentPaid:
    told: dict[str, Any] = {"payment": "entry-1", "tournament": "cup", "amount": 5, "told_at": 7, **other}
    return e.TournamentPaid(available=0, reserved=0, **told)


HELD: list[tuple[str, Any, Principal, list[Any], str | None]] = [
    ("wallet", c.DepositFunds(reference="d", amount=5), OTTO, [paid_in()], None),
    ("wallet", c.DepositFunds(reference="d", amount=5), OTTO, [paid_in(amount=6)], "another amount"),
    ("wallet", c.DepositFunds(reference="d", amount=5), OTTO, [paid_in(by="operator:acme")], "another by"),
    ("wallet", c.DepositFunds(reference="d", amount=5), OTTO, [paid_out()], "does not come of DepositFunds"),
    ("wallet", c.DepositFunds(reference="d", amount=5), OTTO, 2 * [paid_in()], "more than its command asked"),
    ("wallet", c.DepositFunds(reference="d", amount=5), OTTO, [e.SittingsForgotten(at=1, before=0)], None),
    ("wallet", c.DepositFunds(reference="d", amount=5), OTTO, [e.ReferencesForgotten(at=1, before=0)], None),
    ("wallet", PAY, BY_POLICY, [entered()], None),
    ("wallet", PAY, BY_POLICY, [entered(told_at=0)], None),
    ("wallet", PAY, BY_POLICY, [entered(told_at=8)], "another told_at"),
    ("wallet", None, OTTO, [paid_in()], "none to an account"),
    ("wallet", Act(hand=1, seat=2, act="fold"), OTTO, [paid_in()], "does not come of Act"),
    ("table", c.DepositFunds(reference="d", amount=5), ANN, [folded()], "who asked for something else"),
    (
        "wallet",
        c.ApproveCash(reference="d", purpose="withdrawal", amount=5),
        CAGE,
        [paid_in(by=str(CAGE))],
        "another purpose",
    ),
    ("table", Act(hand=1, seat=2, act="fold"), ANN, [folded()], None),
    ("table", Act(hand=1, seat=2, act="check"), ANN, [folded()], "not what ann asked for"),
    ("table", Act(hand=1, seat=2, act="fold"), ANN, [folded(seat=3, player="bob")], "who has not asked for it"),
    ("table", SitOut(), ANN, [folded()], "who asked for something else"),
    ("table", None, Principal("timer", "table"), [folded(actor="house", reason="timeout")], None),
    ("table", None, CAGE, [folded(entered_by="cage-1")], None),
    ("table", LeaveTable(), ANN, [folded(reason="left")], None),
]


@pytest.mark.parametrize(("service", "wish", "by", "told", "said"), HELD)
def test_what_a_commit_tells_follows_from_its_command(
    service: str, wish: Any, by: Principal, told: list[Any], said: str | None
) -> None:
    found = told_otherwise(service, wish, by, [encode_fact(each) for each in told])
    assert (found is None) if said is None else (found is not None and said in found)


def test_each_command_to_the_wallet_is_held_against_what_it_tells() -> None:
    assert set(TELLS) == set(ALL_WALLET_COMMANDS)
    told = {event for events in TELLS.values() for event in events} | {
        e.SittingsForgotten,
        e.ReferencesForgotten,
    }
    assert told == set(ALL_WALLET_EVENTS)


def test_what_this_build_does_not_know_is_nobodys_fault() -> None:
    assert told_otherwise("wallet", None, OTTO, [("croupier.wallet.of_tomorrow.v1", b"{}")]) is None
