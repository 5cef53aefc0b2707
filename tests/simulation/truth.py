"""The valid commits and what they say, found by the chain alone while records land: the measure of everything else.

It judges with code of its own, so that a fault of the shared rule cannot hide itself.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from libs.contracts.messages import PublicEvent
from libs.journal.commit import Commit, Undecodable, decode
from libs.journal.fold import Step, evolved
from libs.journal.machine import AnyMachine
from libs.journal.publishing import public_events
from libs.sealing.deck import ShuffledCards
from tests.simulation.violations import Violations
from tests.testkit.partitions import PARTITIONS, partition_of
from tests.testkit.simulated import Raw


@dataclass(frozen=True, slots=True)
class Told:
    """One event as the world is to be told, and what the journal alone knows of it."""

    event: PublicEvent
    step: Step[Any, Any]
    deck: ShuffledCards | None
    """What starts with this event, opened; None for most."""

    @property
    def fact(self) -> Any:
        return self.step.event


@dataclass(frozen=True, slots=True)
class Entry:
    """One valid commit."""

    service: str
    partition: int
    offset: int
    commit: Commit
    raw: bytes
    before: Any
    told: tuple[Told, ...]
    nth: int
    """Its place among the stream's valid commits."""


@dataclass(slots=True)
class Truth:
    machines: dict[str, AnyMachine]
    violations: Violations
    entries: list[Entry] = field(default_factory=list)
    by_id: dict[bytes, Entry] = field(default_factory=dict)
    by_digest: dict[bytes, Entry] = field(default_factory=dict)
    by_stream: dict[str, list[Entry]] = field(default_factory=lambda: defaultdict(list))
    told: dict[str, list[Told]] = field(default_factory=lambda: defaultdict(list))
    states: dict[str, Any] = field(default_factory=dict)
    heads: dict[str, tuple[bytes, int]] = field(default_factory=dict)
    void: int = 0
    partitions: int = PARTITIONS
    """Of the house."""
    watchers: list[Callable[[Entry], None]] = field(default_factory=list)
    """Checks that look at each valid commit as it lands."""

    def version(self, stream: str) -> int:
        return self.heads[stream][1] if stream in self.heads else 0

    def journal_of(self, service: str) -> Callable[[str, int, int, Raw], None]:
        """What the broker calls for each record of this service's journal."""
        name = self.machines[service].journal_name

        def see(topic: str, partition: int, offset: int, record: Raw) -> None:
            self._see(service, name, partition, offset, record[1] or b"")

        return see

    def _see(self, service: str, name: str, partition: int, offset: int, raw: bytes) -> None:
        try:
            commit = decode(raw)
        except Undecodable:
            return
        stream = commit.stream
        prev, version = self.heads.get(stream) or (sha256(f"{name}\x1f{stream}".encode()).digest(), 0)
        if commit.prev != prev or partition_of(stream, self.partitions) != partition:
            self.void += 1
            return
        self.violations.ensure(commit.base == version, "one_writer_per_version", "prev implies base")
        before = self.states.get(stream) or self.machines[service].decider.initial(stream)
        try:
            told = self._tell(service, before, commit)
        except Exception as wrong:
            self.violations.note("journal_can_be_read", f"{stream}/{version}: {type(wrong).__name__}: {wrong}")
            return
        digest = sha256(raw).digest()
        entry = Entry(service, partition, offset, commit, raw, before, told, len(self.by_stream[stream]))
        self.heads[stream] = digest, commit.version
        self.states[stream] = told[-1].step.state if told else before
        self.told[stream] += told
        self.violations.ensure(
            commit.command_id not in self.by_id, "one_effect_per_command", f"two commits of {commit.command_id.hex()}"
        )
        self.by_id[commit.command_id] = entry
        self.by_digest[digest] = entry
        self.by_stream[stream].append(entry)
        self.entries.append(entry)
        for watcher in self.watchers:
            try:
                watcher(entry)
            except Exception as wrong:  # raised here it would only break the process that wrote
                self.violations.note("checks_can_be_made", f"{stream}/{version}: {type(wrong).__name__}: {wrong}")

    def _tell(self, service: str, before: Any, commit: Commit) -> tuple[Told, ...]:
        machine = self.machines[service]
        steps = evolved(machine, before, commit)
        deck = machine.unseal(commit.stream, commit.base, commit.sealed) if commit.sealed else None
        return tuple(
            Told(event, step, deck if "deck_root" in step.event.__struct_fields__ else None)
            for event, step in zip(public_events(commit), steps, strict=True)
        )
