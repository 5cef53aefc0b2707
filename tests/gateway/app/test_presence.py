"""How often a table is told that a line is lost or back: a player has a share of it, and nothing that holds is lost."""

import asyncio

import pytest

from libs.contracts.cloudevents_kafka import to_record
from libs.contracts.commands import message_of
from libs.contracts.messages import CommandMessage, Principal, PublicEvent, Reply, command_id_at
from libs.contracts.registry import encode_fact
from libs.contracts.table_commands import ReportConnection
from libs.contracts.table_events import ConnectionLost, ConnectionRestored
from libs.edge.shares import Share
from libs.journal.commit import Commit, encode
from services.gateway.app.gateway import Gateway
from services.gateway.settings import Settings
from tests.banked.script import POKER
from tests.gateway.banked import told
from tests.gateway.conftest import House

DAY_S = 86_400
MOST_A_DAY = 3_500_000
"""Bytes that the longest names' line adds to the journal and the public events of one table."""


@pytest.fixture
def table(house: House, gateway: Gateway) -> House:
    """It is told of, and tells, whose line is lost."""

    def answer(message: CommandMessage) -> Reply:
        kind = ConnectionRestored if message.body["connected"] else ConnectionLost
        player = message.body["player"]
        house.publish(kind(seat=1 + (player == "bob"), player=player, table=POKER), table=POKER)
        return Reply(command_id=message.id, stream=POKER, verdict="accepted", version=house.versions[POKER])

    house.publish(told.opened(POKER), told.seated(POKER, 1), table=POKER)
    house.answer = answer
    return house


def told_of(house: House) -> list[bool]:
    return [message.body["connected"] for message in house.commands if message.type == "ReportConnection"]


async def flap(gateway: Gateway, times: int) -> None:
    for _ in range(times):
        gateway.presence.came(POKER, "alice")
        await asyncio.sleep(0)
        gateway.presence.went(POKER, "alice")
        await asyncio.sleep(0.001)


@pytest.mark.rule("pt-803-2015-no-draw", "34")
@pytest.mark.parametrize("stays", [True, False])
async def test_who_comes_and_goes_without_end_is_told_of_no_more_than_the_share(
    table: House, gateway: Gateway, stays: bool
) -> None:
    """Found by an attacker: each time is a commit and an event, kept for ever. What holds in the end is told."""
    gateway.presence.reports.share = Share(20, 4)
    started = asyncio.get_running_loop().time()
    await flap(gateway, 200)
    if stays:
        gateway.presence.came(POKER, "alice")
    await asyncio.sleep(0.2)
    took = asyncio.get_running_loop().time() - started
    said = told_of(table)
    assert len(said) <= 4 + 20 * took + 1
    assert said[-1] is stays
    view = gateway.floor.tables.view(POKER)
    assert view is not None
    assert view.seats[1].offline is not stays
    await asyncio.sleep(0.2)
    assert told_of(table) == said, "nothing is told any more once the table knows what holds"


async def test_a_bad_line_is_told_of_at_once(table: House, gateway: Gateway, settings: Settings) -> None:
    """Thirty losses in a row, and then one a minute for ever: each with its return, none of them late."""
    share = gateway.presence.reports.share
    assert share == settings.connection_reports
    gateway.presence.came(POKER, "alice")
    for _ in range(30):
        gateway.presence.went(POKER, "alice")
        await asyncio.sleep(0.001)
        gateway.presence.came(POKER, "alice")
        await asyncio.sleep(0.001)
    assert told_of(table) == [False, True] * 30
    assert share.per_second * 60 == pytest.approx(2)


async def test_one_players_share_is_not_another_ones(table: House, gateway: Gateway) -> None:
    table.publish(told.seated(POKER, 2), table=POKER)
    gateway.presence.reports.share = Share(0.001, 2)
    await flap(gateway, 20)
    assert len(told_of(table)) == 2
    gateway.presence.came(POKER, "bob")
    gateway.presence.went(POKER, "bob")
    await asyncio.sleep(0.01)
    assert told_of(table)[-1] is False
    assert len(told_of(table)) == 3


def test_a_days_reports_of_one_player_are_few_bytes(settings: Settings) -> None:
    """It was 86,500 reports and 73 MB; with the player's own changes, and six accounts, half a gigabyte."""
    share = settings.connection_reports
    reports = share.at_once + share.per_second * DAY_S
    assert reports * _bytes_of_one() <= MOST_A_DAY
    assert share == settings.seat_presence, "sitting out and in likewise"


def _bytes_of_one() -> int:
    """A commit with its event, and the public event, with names as long as they get."""
    stream, player = "t" * 64, "p" * 64
    event = ConnectionLost(table=stream, seat=10, player=player, at=1_790_000_000_000)
    name, data = encode_fact(event)
    by, command = Principal("policy", "gateway"), ReportConnection(player=player, connected=False)
    message = message_of(command, id=command_id_at(1_790_000_000_000, "x"), stream=stream, by=by)
    commit = Commit(
        stream=stream, base=10**6, prev=bytes(32), command_id=message.id.bytes, source="table-commands.1/7",
        command_offset=10**8, command_time=1_790_000_000_000, verdict="accepted", reason=None, rule=None, detail="",
        events=((name, data),), writer="table-3", generation=12, sealed=b"", correlation="",
        traceparent=f"00-{'a' * 32}-{'b' * 16}-01", principal=str(by),
    )  # fmt: skip
    told_as = PublicEvent(
        stream=stream, version=10**6, type=name, time=1_790_000_000_000, causation=str(message.id), data=data
    )
    key, value, headers = to_record(told_as)
    return len(encode(commit)) + len(key) + len(value) + sum(len(header) + len(of) for header, of in headers)
