"""The read-only fold: every record with its judgement, resumable, and unwilling to read another log."""

import pytest

from libs.journal.log import LogRewritten
from libs.journal.machine import journal_name
from libs.journal.reader import JournalReader
from libs.journal.simulated import SimulatedLog
from tests.journal.bank import NAMES
from tests.journal.house import PARTITION, STREAM, House


def reader(house, **options):
    return JournalReader(
        SimulatedLog(house.broker), NAMES.journal, PARTITION, NAMES.partitions, journal_name("bank"), **options
    )


def mixed(reason="no") -> House:
    house = House()
    house.land(house.foreign(5))
    rival = house.foreign(9)
    house.land(house.foreign(7), rival, b"\x77")
    house.land(house.foreign(verdict="rejected", reason=reason))
    return house


async def test_every_record_comes_with_its_judgement():
    house = mixed()
    found = [folded async for folded in reader(house).read_to_end()]
    assert [f.judgement for f in found] == ["valid", "valid", "void_prev", "undecodable", "valid"]
    assert [f.offset for f in found] == [0, 1, 2, 3, 4]
    assert found[0].raw == house.raw()[0]
    assert found[4].commit.reason == "no"


async def test_with_a_machine_it_gives_states_before_and_after():
    house = mixed()
    at = reader(house, machine=house.machine)
    found = [folded async for folded in at.read_to_end() if folded.valid]
    assert [(f.before.balance, [s.state.balance for s in f.steps]) for f in found] == [(0, [5]), (5, [12]), (12, [])]
    assert at.states[STREAM].balance == 12


async def test_it_resumes_from_its_bookmark():
    house = mixed()
    first = reader(house)
    async for _ in first.read(until=2):
        pass
    bookmark = first.bookmark()
    second = reader(house, bookmark=bookmark)
    found = [folded async for folded in second.read_to_end()]

    assert (bookmark.next, bookmark.last) == (2, 1)
    assert [f.judgement for f in found] == ["void_prev", "undecodable", "valid"]
    assert second.chain(STREAM).version == 2
    assert second.chain("nobody") is None


async def test_a_bookmark_of_another_log_is_refused():
    house = mixed()
    at = reader(house)
    async for _ in at.read_to_end():
        pass
    other = mixed("another")

    async def read():
        async for _ in reader(other, bookmark=at.bookmark()).read_to_end():
            pass

    with pytest.raises(LogRewritten):
        await read()
