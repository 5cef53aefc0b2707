"""Key-encryption keys are changed while hands run: no hand is void, and every deck opens under its own version."""

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from libs.contracts.topics import topic
from libs.journal.commit import decode
from libs.sealing.kek_file import read_keks
from libs.sealing.sealed import sealed_under
from libs.stack import StackError
from services.cli.__main__ import app
from services.cli.house import House
from services.cli.processes import ServiceProcess
from tests.conftest import TESTS
from tests.e2e.evening import Evening, all_records, croupier, evening
from tests.testkit.partitions import PARTITIONS

HAND_OVER_S = 1.5
"""A process sees a new file within a second."""


async def rotate(file: Path) -> None:
    done = await asyncio.to_thread(CliRunner().invoke, app, ["kek", "rotate", "--file", str(file)])
    assert done.exit_code == 0, done.output
    await asyncio.sleep(HAND_OVER_S)


async def sealed(house: House) -> Counter[str]:
    """Decks of the table journal by the key that they are under, from the bytes alone; of void commits, too."""
    name = house.topic_prefix + topic("table", "journal").name
    found = [decode(each.value) for each in await all_records(house.stack.broker(TESTS), name, PARTITIONS)]
    return Counter(sealed_under(each.sealed) for each in found if each.sealed)


async def newest(process: ServiceProcess) -> float:
    async with httpx.AsyncClient() as client:
        page = (await client.get(f"{process.inner_url}/metrics")).text
    return next(float(line.split()[1]) for line in page.splitlines() if line.startswith("croupier_kek_newest "))


async def again(process: ServiceProcess) -> None:
    await process.kill()
    await process.start()
    await process.ready()


async def whole(house: House, it: Evening) -> dict[str, Any]:
    """What `croupier verify` says of a house in which no hand was void."""
    assert it.statistics.voided == 0
    assert it.watcher is not None
    assert it.watcher.started_twice == []
    status, report = await croupier(house, "verify")
    assert (status, report["findings"], report["hands_voided"]) == (0, [], 0)
    assert report["decks_opened"] == report["hands"] == sum(each["sealed"] for each in report["decks"].values())
    assert Counter({key: each["sealed"] for key, each in report["decks"].items()}) <= await sealed(house)
    return report


@pytest.mark.stack
@pytest.mark.slow
@pytest.mark.timeout(500)
async def test_two_rotations_and_two_deaths_void_no_hand(house: House) -> None:
    table, audit, file = house.processes["table"], house.processes["audit"], house.keys["kek"]
    async with evening(house, tables=3, bots=3) as it:
        await it.hands(4)
        assert set(await sealed(house)) == {"kek-1"}
        await rotate(file)
        assert [await newest(each) for each in (table, audit)] == [2, 2], "nobody was started anew"
        await it.hands(3)
        assert set(await sealed(house)) == {"kek-1"}, "it is known, and nothing more"
        await rotate(file)
        first = (await sealed(house))["kek-1"]
        await it.hands(3)
        assert (await sealed(house))["kek-1"] == first, "from now on the second"
        await again(table)
        await it.hands(3)
        await rotate(file)
        await rotate(file)
        await again(table)  # hands under the second are in play
        await it.hands(4)
        await it.close()
    report = await whole(house, it)
    assert set(report["decks"]) == {"kek-1", "kek-2", "kek-3"}
    assert all(each["in_play"] == each["lost"] == 0 for each in report["decks"].values())
    for command, good in (("scan", []), ("rebuild", None)):
        status, said = await croupier(house, command, *(["--compare"] if command == "rebuild" else []))
        assert (status, said.get("findings")) == (0, good)
    async with house.reader("audit") as reader:
        assert (await reader.get("/v1/incidents")).json()["incidents"] == []


@pytest.mark.stack
@pytest.mark.slow
@pytest.mark.timeout(500)
async def test_of_two_table_processes_one_gets_its_file_late(house: House, tmp_path: Path) -> None:
    """As pods do. Between the two steps any of them may take any table over."""
    names, file, late = ["table", "table-2"], house.keys["kek"], tmp_path / "late.hex"
    late.write_bytes(file.read_bytes())
    second = house.add("table", "table-2", CROUPIER_GROUP_SESSION_MS="2000", CROUPIER_KEK_FILE=str(late))
    await second.start()
    await second.ready()
    async with evening(house, tables=4, bots=3) as it:
        await it.hands(4)
        await rotate(file)
        assert [await newest(house.processes[name]) for name in names] == [2, 1]
        for name in names:  # each takes over what the other has sealed
            await house.processes[name].stop()
            await it.hands(3)
            await house.processes[name].start()
            await house.processes[name].ready()
        late.write_bytes(file.read_bytes())
        await asyncio.sleep(HAND_OVER_S)
        assert [await newest(house.processes[name]) for name in names] == [2, 2]
        await rotate(file)  # the second step: one seals under the new version, the other does not yet
        await it.hands(4)
        for name in names:
            await house.processes[name].stop()
            await it.hands(3)
            await house.processes[name].start()
            await house.processes[name].ready()
        await it.close()
    report = await whole(house, it)
    assert set(report["decks"]) == {"kek-1", "kek-2"}


@pytest.mark.stack
@pytest.mark.slow
@pytest.mark.timeout(500)
async def test_decks_of_a_retired_version_are_told_and_everything_else_goes_on(house: House) -> None:
    table, file = house.processes["table"], house.keys["kek"]
    words = ["kek", "retire", "1", "--file", str(file)]
    async with evening(house, tables=2, bots=3) as it:
        await it.hands(4)
        refused = await asyncio.to_thread(CliRunner().invoke, app, words)
        assert isinstance(refused.exception, StackError), "it seals new decks"
        await rotate(file)
        await rotate(file)
        await it.hands(2)
        while (await in_play(house)).get("kek-1"):  # as the runbook says: not before no deck in play needs it
            await it.hands(1)
        done = await asyncio.to_thread(CliRunner().invoke, app, words, input="y\n")
        assert done.exit_code == 0, done.output
        assert [each.id for each in read_keks(file).versions] == ["kek-2"]
        await asyncio.sleep(HAND_OVER_S)
        await again(table)
        await again(house.processes["audit"])
        await it.hands(4)
        await it.close()
    assert it.statistics.voided == 0
    old = (await sealed(house))["kek-1"]
    assert old > 0
    status, report = await croupier(house, "verify")
    assert status == 1
    assert [(each["kind"], each["detail"]) for each in report["findings"]] == [
        ("deck_unreadable", "the sealed cards do not open, they are under kek-1")
    ] * old
    assert report["decks"]["kek-1"] == {"sealed": old, "lost": old, "in_play": 0}
    assert report["decks"]["kek-2"]["lost"] == 0
    assert report["decks_opened"] == report["hands"] - old
    status, said = await croupier(house, "scan")
    assert (status, said["findings"], said["lost"], said["hands"]) == (1, [], old, report["decks_opened"])
    _, said = await croupier(house, "rebuild", "--compare")
    assert [each for each in said["tables"] if each["only_live"] or each["only_rebuilt"]] == []
    assert (said["problem"], said["set_aside"], said["journal_findings"]) == ("", 0, old)


async def in_play(house: House) -> dict[str, int]:
    _, report = await croupier(house, "verify")
    return {key: each["in_play"] for key, each in report["decks"].items()}
