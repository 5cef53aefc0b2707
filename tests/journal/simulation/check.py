"""What must hold after any run. Judges with code of its own, so that a fault of the fold cannot hide itself."""

from collections import defaultdict
from dataclasses import dataclass, field
from hashlib import sha256

from libs.contracts.cloudevents_kafka import from_record
from libs.contracts.messages import CommandMessage, Reply
from libs.decider import Given, Rejected
from libs.journal.commit import Commit, Undecodable, decode, time_in
from libs.journal.fold import PartitionFold
from libs.journal.kept import nameless
from libs.journal.restore import restore
from tests.journal.bank import EVENTS, Account, Bank, decode_command, encode_event, luck_in
from tests.journal.simulation.world import BANK_MARKS, GROUP, NAMES, PARTITIONS, POLICY, World
from tests.testkit.manifests import left_out
from tests.testkit.partitions import partition_of
from tests.testkit.parts import lost, too_many
from tests.testkit.simulated import SimulatedBroker, SimulatedLog


class Broken(AssertionError):
    """A promise of the journal is broken."""


@dataclass
class Truth:
    """The valid commits, found by the chain alone."""

    commits: list[Commit] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)
    by_id: dict[bytes, Commit] = field(default_factory=dict)
    by_stream: dict[str, list[Commit]] = field(default_factory=lambda: defaultdict(list))
    void: int = 0


async def check(world: World) -> Truth:
    truth = find_truth(world)
    one_effect_in_order(truth)
    soundly_decided(world, truth)
    quotas_are_kept(world, truth)
    answers_are_the_log(world, truth)
    nothing_is_lost(world, truth)
    public_is_the_log(world, truth)
    runners_agree(world, truth)
    await restores_agree(world, truth)
    return truth


def ensure(condition: bool, what: str) -> None:
    if not condition:
        raise Broken(what)


def find_truth(world: World) -> Truth:
    truth = Truth()
    for partition in range(PARTITIONS):
        heads: dict[str, tuple[bytes, int]] = {}
        for record in world.broker.records(NAMES.journal, partition):
            raw = record.value or b""
            try:
                commit = decode(raw)
            except Undecodable:
                continue
            start = sha256(f"bank-journal.1\x1f{commit.stream}".encode()).digest(), 0
            prev, version = heads.get(commit.stream, start)
            if commit.prev != prev or partition_of(commit.stream, PARTITIONS) != partition:
                truth.void += 1
                continue
            ensure(commit.base == version, "prev implies base")
            heads[commit.stream] = (sha256(raw).digest(), version + len(commit.events))
            ensure(commit.command_id not in truth.by_id, f"two effects of one command {commit.command_id.hex()}")
            truth.by_id[commit.command_id] = commit
            truth.commits.append(commit)
            truth.raw.append(raw)
            truth.by_stream[commit.stream].append(commit)
    return truth


def one_effect_in_order(truth: Truth) -> None:
    for stream, commits in truth.by_stream.items():
        offsets = [commit.command_offset for commit in commits]
        ensure(offsets == sorted(set(offsets)), f"commands of {stream} out of order: {offsets}")


def soundly_decided(world: World, truth: Truth) -> None:
    """Decides every valid commit again, on the state that the log gives, with the command that it names."""
    rules = Bank()
    for stream, commits in truth.by_stream.items():
        state, partition = Account(), partition_of(stream, PARTITIONS)
        commands = {r.offset: r for r in world.broker.records(NAMES.commands, partition)}
        for commit in commits:
            record = commands[commit.command_offset]
            command = CommandMessage.decoded(record.value or b"")
            ensure(command.id.bytes == commit.command_id, "the commit names another command")
            ensure(commit.command_time >= record.timestamp, "effective time below log time")
            try:
                outcome = rules.decide(
                    state, decode_command(command), Given(commit.command_time, luck_in(commit), command.principal)
                )
            except ZeroDivisionError:
                outcome = Rejected("internal_error")
            if isinstance(outcome, Rejected):
                ensure(
                    commit.verdict == "rejected" and commit.reason == outcome.reason, "another verdict on this state"
                )
                continue
            ensure(tuple(map(encode_event, outcome.events)) == commit.events, "other events on this state")
            for event in outcome.events:
                state = rules.evolve(state, event)
            ensure(state.balance >= 0, "negative balance")


def quotas_are_kept(world: World, truth: Truth) -> None:
    """Counted from the log alone, nobody had more remembered than may be, whoever decided and after what (journal 13).

    Percent of the ring: how full it may be for a command of each, and what of it is shared beyond the least.
    """
    room, shared, cap = (
        {"guest": 62, "party": 84, "staff": 92, "policy": 97},
        {"guest": 30, "party": 40, "staff": 92},
        world.plan.ring_cap,
    )
    for stream, commits in truth.by_stream.items():
        remembered: list[tuple[int, str]] = []
        for commit in commits:
            remembered = [each for each in remembered if commit.command_time <= each[0] + world.plan.horizon_ms]
            kind, name = commit.principal.split(":")
            standing = "guest" if name.startswith("guest") else "party" if kind == "player" else kind
            full, own = len(remembered), sum(each[1] == commit.principal for each in remembered)
            free = 100 * (full + 1) <= room.get(standing, 100) * cap
            fair = 100 * own < 2 * cap or 100 * (own + full) < shared.get(standing, 170) * cap
            ensure(free and fair, f"quota of {commit.principal} at {stream}: {own} of {full} in {cap}")
            remembered.append((time_in(commit.command_id), commit.principal))


def replies_of(world: World) -> dict[bytes, list[Reply]]:
    found: dict[bytes, list[Reply]] = defaultdict(list)
    for partition in range(PARTITIONS):
        for record in world.broker.records(NAMES.replies, partition):
            reply = Reply.decoded(record.value or b"")
            found[reply.command_id.bytes].append(reply)
    return found


def answers_are_the_log(world: World, truth: Truth) -> None:
    for command_id, replies in replies_of(world).items():
        final = [reply for reply in replies if reply.verdict in ("accepted", "rejected")]
        commit = truth.by_id.get(command_id)
        # With every rejection journalled the high water never speaks alone (journal 14), but for a command that an
        # owner answered busy (a ring of 200 is full in a rare burst), going on to later ones; where the ring is small
        # that owner may also have died before the answer was out.
        busy = {reply.reason for reply in replies if reply.verdict == "busy"}
        full = world.plan.ring_cap < 200 or not busy.isdisjoint({"over_quota", "too_many_commands"})
        ensure(not busy or full, f"busy: {command_id.hex()} {busy}")
        for reply in final:
            if commit is None:
                raise Broken(f"answered {reply.verdict}, but not in the log: {command_id.hex()}")
            said = (reply.verdict, reply.version, reply.reason, reply.rule, reply.detail)
            held = (commit.verdict, commit.version, commit.reason, commit.rule, commit.detail)
            ensure(said == held, f"answer {said} is not the log's {held}")


def nothing_is_lost(world: World, truth: Truth) -> None:
    replies = replies_of(world)
    for command in world.sent:
        ensure(command.id.bytes in replies, f"no answer to {command.id}")
        told = {reply.verdict for reply in replies[command.id.bytes]}
        ensure(command.principal != POLICY or "busy" not in told, f"a policy was turned away: {command.id}")
    for command in world.late:
        ensure(command.id.bytes in truth.by_id, f"sent after healing and not decided: {command.id}")
    sent = {command.id.bytes for command in world.sent}
    ensure(set(truth.by_id) <= sent, "a commit of no command")
    parked = {record.value for record in world.broker.records(NAMES.parked, 0)}
    ensure(set(world.garbage) <= parked, "a garbage command was not parked")
    for partition in range(PARTITIONS):
        end = world.broker.end(NAMES.commands, partition)
        ensure(world.broker.offsets.get((GROUP, NAMES.commands, partition), 0) >= end, "offset left behind")


def public_is_the_log(world: World, truth: Truth) -> None:
    """What a consumer that accepts `version == last + 1` sees is every valid event, once, in order (journal 20)."""
    accepted: dict[str, list[tuple[str, bytes]]] = defaultdict(list)
    for partition in range(PARTITIONS):
        for record in world.broker.records(EVENTS, partition):
            event = from_record(record.key, record.value, record.headers)
            if event.version == len(accepted[event.stream]) + 1:
                accepted[event.stream].append((event.type, event.data))
    for stream, commits in truth.by_stream.items():
        expected = [event for commit in commits for event in commit.events]
        ensure(accepted[stream] == expected, f"public events of {stream} are not the log's")
    ensure(set(filter(accepted.get, accepted)) <= set(truth.by_stream), "public events of no stream")


def runners_agree(world: World, truth: Truth) -> None:
    """What any runner, zombies included, took for valid is a piece of each stream's truth without a gap."""
    place = {id_of(commit): n for commits in truth.by_stream.values() for n, commit in enumerate(commits)}
    for seen in world.folds:
        last: dict[str, int] = {}
        for commit in seen:
            ensure(id_of(commit) in place, "a runner took a void commit for valid")
            here = place[id_of(commit)]
            ensure(here == last.get(commit.stream, here - 1) + 1, "a runner missed a valid commit")
            last[commit.stream] = here


def id_of(commit: Commit) -> tuple[bytes, bytes, str]:
    return commit.command_id, commit.prev, commit.writer


async def restores_agree(world: World, truth: Truth) -> None:
    """Restored from the last snapshots and from those of random moments, a reader is where a full fold is."""
    for partition in range(PARTITIONS):
        journal, true = world.broker.partition(NAMES.journal, partition), world.broker.records(NAMES.journal, partition)
        whole = PartitionFold(partition, PARTITIONS, "bank-journal.1", world.machine)
        commits = [(r.offset, done.commit.stream) for r in true if (done := whole.fold(r)).valid and done.commit]
        forged = world.broker.partition(NAMES.snapshots, partition).forged
        valid = {s: c[-1].version for s, c in truth.by_stream.items() if partition_of(s, PARTITIONS) == partition}
        ensure({s: h.version for s, h in whole.heads.items()} == valid, "the fold is not the chain")
        last = list(world.broker.partition(NAMES.snapshots, partition).slots)
        moments = [(last, make) for make in (nameless, *world.disks.copies())]
        moments += [(slots, nameless) for p, slots in world.checkpoints if p == partition]
        for slots, make in moments:
            broker = SimulatedBroker(PARTITIONS)
            broker.partition(NAMES.journal, partition).slots = journal.slots
            broker.partition(NAMES.snapshots, partition).slots = slots
            log = SimulatedLog(broker, marks=BANK_MARKS)
            said = left_out((r for r in slots if r and r.offset not in forged), "bank-journal.1", commits)
            ensure(not said, f"a manifest does not speak of {said}")
            fold, shelf, *_ = await restore(log, world.machine, NAMES, partition, make=make)
            there = [r for r in slots if r and r.offset not in forged]
            gone = lost(there, "bank-journal.1", shelf, world.broker.partition(NAMES.snapshots, partition).forged_keys)
            ensure(not gone, f"no snapshot of {gone} can be had any more")
            stay = too_many(there)
            ensure(not stay, f"parts of snapshots are not taken away: {stay}")
            for record in true:
                if record.offset >= fold.position.next:
                    fold.fold(record)
            due = {stream for stream, state in whole.states.items() if not world.machine.rests(state)}
            ensure(due <= fold.heads.keys(), "a restored reader does not know what falls due")
            for stream in whole.heads:
                fold.head(stream)  # those that nothing falls due for lie on the shelf
            shelf.close()
            ensure(_content(fold) == _content(whole), "a restored reader is not where a full fold is")


def _content(fold: PartitionFold) -> dict[str, tuple[object, ...]]:
    return {
        stream: (
            head.version,
            head.prev,
            head.time,
            head.last_offset,
            tuple(head.ring.items()),
            head.high_water,
            fold.states[stream],
        )
        for stream, head in fold.heads.items()
    }
