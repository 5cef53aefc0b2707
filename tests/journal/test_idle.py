"""What is idle leaves memory and comes back as it was (journal 16)."""

import asyncio
from dataclasses import replace

from libs.journal import published
from libs.journal.manifests import HEAD_KEY, PIECE_KEY
from libs.journal.runner import Hooks
from tests.journal.bank import NAMES
from tests.journal.house import PARTITION, STREAM, House, latest, until
from tests.journal.test_follower import OTHERS

MANY = OTHERS[:7]


def told(hooked):
    return Hooks(
        on_state=lambda stream, state, version: hooked.append((stream, state.balance, version)),
        on_put_by=lambda stream: hooked.append((stream, "put by")),
    )


async def test_an_idle_stream_leaves_memory_and_is_decided_on_as_if_it_had_not():
    house = House()
    hooked: list[tuple[str, int, int]] = []
    async with house.runner(idle_s=0.05, hooks=told(hooked)) as runner:
        first = house.command("Deposit", amount=5)
        await house.ask(first)
        await until(lambda: STREAM not in runner._fold.heads)
        assert hooked == [(STREAM, 5, 1), (STREAM, "put by")]
        hooked.clear()
        assert [r.version for r in await house.ask(house.command("Deposit", amount=7), first)] == [2, 1]
        assert hooked == [(STREAM, 5, 1), (STREAM, 12, 2)]  # as it was found, then what was decided
    assert house.fold().states[STREAM].balance == 12
    assert len(house.commits()) == 2, "a command was known again after its stream had been away"


async def test_one_that_something_falls_due_for_stays():
    house = House()
    house.machine = replace(house.machine, rests=lambda state: state.balance != 5)
    async with house.runner(idle_s=0.02) as runner:
        await house.ask(house.command("Deposit", amount=5), house.command("Deposit", OTHERS[0], amount=6))
        await until(lambda: OTHERS[0] not in runner._fold.heads)
        await asyncio.sleep(0.1)
        assert runner._fold.heads.keys() == {STREAM}


async def test_a_start_tells_and_holds_only_what_something_falls_due_for(monkeypatch):
    monkeypatch.setattr(published, "_PAGE", 1)  # accounts of the newest events are looked at, and so loaded
    house = House()
    hooked: list[tuple[str, int, int]] = []
    house.machine = replace(house.machine, rests=lambda state: state.balance != 5)
    async with house.runner():
        await house.ask(house.command("Deposit", OTHERS[0], amount=6), house.command("Deposit", amount=5))
        await until(lambda: (m := latest(house.broker.records(NAMES.snapshots, PARTITION))[0]) and m.low == 2)
    async with house.runner(hooks=told(hooked)) as runner:
        assert (hooked, runner._fold.heads.keys()) == ([(STREAM, 5, 1)], {STREAM})


async def test_a_manifest_of_many_streams_is_written_in_pieces_and_the_last_owners_go():
    house = House()

    def keys():
        house.broker.compact(NAMES.snapshots, PARTITION)
        held = [r for r in house.broker.records(NAMES.snapshots, PARTITION) if r.value]
        return [r.key for r in held if r.key and r.key.startswith((HEAD_KEY, PIECE_KEY))]

    def low():
        manifest = latest(house.broker.records(NAMES.snapshots, PARTITION))[0]
        return manifest.low if manifest else -1

    sets = []
    for run in (1, 2):
        async with house.runner(f"w{run}", manifest_streams=2):
            await house.ask(*(house.command("Deposit", stream, amount=1) for stream in MANY))
            await until(lambda run=run: low() == len(MANY) * run)
            await asyncio.sleep(0.1)
        manifest, held = latest(house.broker.records(NAMES.snapshots, PARTITION))
        assert manifest is not None
        assert manifest.last == {stream: held[stream].last for stream in MANY}
        assert len(manifest.last) > 2 <= manifest.pieces
        assert len(keys()) == 1 + manifest.pieces, "a set that was replaced still lies there"
        sets.append(manifest.of)
    assert sets[0] != sets[1]
