"""What every valid commit has to be by itself: in order, without a broken rule behind it, and decided soundly."""

from collections.abc import Callable
from typing import Any

from libs.contracts.messages import CommandMessage
from libs.decider import Given, Rejected, Standstill
from libs.sealing.deck import ShuffledCards
from services.table.domain.games.game import Fresh
from tests.simulation.broker import WatchedBroker
from tests.simulation.topics import TABLE, WALLET
from tests.simulation.truth import Entry, Truth


def no_decider_breaks(truth: Truth) -> Callable[[Entry], None]:
    """A command that makes `decide` raise is rejected on the record; here it is our mistake (chips lost among them)."""

    def watch(entry: Entry) -> None:
        sound = entry.commit.reason != "internal_error"
        truth.violations.ensure(sound, "no_decider_breaks", f"{entry.commit.stream}/{entry.commit.base}")

    return watch


def commands_in_order(truth: Truth) -> Callable[[Entry], None]:
    """Commands of a stream are decided in the order in which they were sent (journal 8)."""
    last: dict[tuple[str, str], int] = {}

    def watch(entry: Entry) -> None:
        commit = entry.commit
        in_order = commit.command_offset > last.get((commit.stream, commit.source), -1)
        truth.violations.ensure(in_order, "commands_in_order", f"{commit.stream} at {commit.command_offset}")
        last[commit.stream, commit.source] = commit.command_offset

    return watch


def decided_again(
    truth: Truth,
    broker: WatchedBroker,
    shuffles: dict[ShuffledCards, Fresh],
    stood: dict[tuple[str, str, int, int], Standstill],
) -> Callable[[Entry], None]:
    """Every valid commit is what its command decides on the state that the log gives: nobody decided on another one."""

    def watch(entry: Entry) -> None:
        commit, machine = entry.commit, truth.machines[entry.service]
        names = TABLE if entry.service == "table" else WALLET
        record = broker.partition(names.commands, entry.partition).slots[commit.command_offset]
        assert record is not None
        message = CommandMessage.decoded(record.value or b"")
        named = message.id.bytes == commit.command_id and commit.command_time >= record.timestamp
        truth.violations.ensure(named, "decided_again", f"{commit.stream}/{commit.base} names another command or time")
        command = machine.decode_command(message)
        known = stood.get((commit.writer, commit.stream, commit.base, commit.command_time))
        given = Given(commit.command_time, _fresh(entry, shuffles), message.principal, known)
        outcome = machine.decider.decide(entry.before, command, given)
        truth.violations.ensure(_same(entry, outcome), "decided_again", f"{commit.stream}/{commit.base}: other events")

    return watch


def _fresh(entry: Entry, shuffles: dict[ShuffledCards, Fresh]) -> Fresh | None:
    for told in entry.told:
        if told.deck is not None:
            return shuffles.get(told.deck)
    if any(getattr(told.fact, "reason", "") == "entropy_unhealthy" for told in entry.told):
        return None
    return next(iter(shuffles.values()), None)


def _same(entry: Entry, outcome: Any) -> bool:
    if isinstance(outcome, Rejected):
        return entry.commit.verdict == "rejected" and entry.commit.reason == outcome.reason
    told = [(told.step.event, told.step.state) for told in entry.told]
    return told == list(zip(outcome.events, outcome.states, strict=True))
