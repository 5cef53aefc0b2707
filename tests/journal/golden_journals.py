"""Journals as builds before this one left them: `python -m tests.journal.golden_journals NAME` records this build's.

Evenings of the simulated house, with all that a storm leaves in a journal (commits that do not count, sealed decks),
and a tournament with its tables. A new recording is made at each release; none is ever changed.
"""

import lzma
import sys
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from libs.contracts.topics import topic
from libs.journal.fold import PartitionFold
from libs.journal.log import LogRecord
from libs.journal.machine import AnyMachine
from services.table.machine import table_machine
from services.tournament.machine import tournament_machine
from services.wallet.machine import wallet_machine
from tests.simulation.tournaments.crowd import Crowd
from tests.simulation.tournaments.forms import form_of
from tests.simulation.witness import KEYRING
from tests.simulation.world import World
from tests.testkit.clock import run
from tests.testkit.entropy import seeded_entropy
from tests.testkit.partitions import PARTITIONS

FOLDER = Path(__file__).parents[1] / "golden" / "journals"
_EVENINGS = (3, 15, 19)
"""Seeds of houses that stay where they are."""
_TOURNAMENT = 5


class Golden(msgspec.Struct, array_like=True):
    service: str
    partition: int
    partitions: int
    values: list[bytes | None]
    """By offset; None where nothing counts as a record."""
    ends: dict[str, dict[str, Any]]
    """By stream: what the build that wrote it made of it."""


def recordings() -> list[Path]:
    return sorted(FOLDER.glob("*.msgpack.xz"))


def read(file: Path) -> list[Golden]:
    return msgspec.msgpack.decode(lzma.decompress(file.read_bytes()), type=list[Golden])


def folded(journal: Golden) -> dict[str, dict[str, Any]]:
    """What this build makes of it."""
    machine = _machine(journal.service)
    fold = PartitionFold(journal.partition, journal.partitions, machine.journal_name, machine)
    for offset, value in enumerate(journal.values):
        if value is not None:
            fold.fold(LogRecord(offset, None, value))
    return {
        stream: {"version": head.version, "digest": head.prev.hex(), **_figures(journal.service, fold.states[stream])}
        for stream, head in fold.heads.items()
    }


def _machine(service: str) -> AnyMachine:
    if service == "table":
        return table_machine(KEYRING)
    return wallet_machine() if service == "wallet" else tournament_machine()


def _figures(service: str, state: Any) -> dict[str, Any]:
    """Facts that no later build may see otherwise; how a state is cut is its own matter."""
    if service == "wallet":
        return {"available": state.available, "reserved": state.reserved, "open": len(state.reserves)}
    if service == "tournament":
        return {"phase": state.phase, "entries": len(state.entries)}
    seats = {str(seat): [sitter.player, sitter.stack] for seat, sitter in state.seats.items()}
    return {"status": state.status, "seats": seats, "bank": state.bank, "rounds": state.rounds}


def recorded() -> list[Golden]:
    found = []
    for seed in _EVENINGS:
        with seeded_entropy(seed):
            world = World(seed)
            run(world.run())
            assert world.broker.incarnation == 1, f"seed {seed} moves the house"
        for service in ("table", "wallet"):
            name = topic(service, "journal").name
            for partition in range(world.broker.partitions):
                held = world.broker.partition(name, partition)  # what was forged only a mark tells
                values = [
                    slot.value if slot and offset not in held.forged else None for offset, slot in enumerate(held.slots)
                ]
                found.append(Golden(service, partition, world.broker.partitions, values, {}))
    with seeded_entropy(_TOURNAMENT):
        crowd = Crowd(form_of(_TOURNAMENT, 12), Random("golden"))
        crowd.arrive()
        crowd.play()
    for (service, partition), process in crowd.rails.processes.items():
        found.append(Golden(service, partition, PARTITIONS, [each.value for each in process.journal], {}))
    for journal in found:
        journal.ends = folded(journal)
    return [journal for journal in found if journal.ends]


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    encoded = msgspec.msgpack.encode(recorded())
    (FOLDER / f"{sys.argv[1]}.msgpack.xz").write_bytes(lzma.compress(encoded, preset=9))
