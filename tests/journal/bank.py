"""A toy aggregate: accounts that never go below zero. Just enough rules to break if the journal is wrong."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from libs.contracts.cloudevents_kafka import to_record
from libs.contracts.messages import CommandMessage, Principal, PublicEvent, command_id_at
from libs.decider import Given, Rejected
from libs.journal.commit import Commit
from libs.journal.fold import Step
from libs.journal.log import OutRecord
from libs.journal.machine import Machine, Malformed
from libs.journal.names import Names

NAMES = Names("bank.commands", "bank.journal", "bank.snapshots", "bank.replies", "bank.parked", 4)
EVENTS = "bank.events"


@dataclass(frozen=True, slots=True)
class Deposit:
    amount: int


@dataclass(frozen=True, slots=True)
class Withdraw:
    amount: int


@dataclass(frozen=True, slots=True)
class Look:
    """Accepted, nothing to do."""


@dataclass(frozen=True, slots=True)
class Explode:
    """Makes `decide` raise."""


@dataclass(frozen=True, slots=True)
class Bloat:
    """Makes a commit of this many bytes."""

    size: int


@dataclass(frozen=True, slots=True)
class Gamble:
    """Decided by fresh luck: two owners decide it differently, so whose commit counts shows."""

    amount: int


Command = Gamble | Deposit | Withdraw | Look | Explode | Bloat


class Moved(msgspec.Struct, frozen=True):
    amount: int
    balance: int
    """Carried so that a reader that lost its place shows itself."""


class Noted(msgspec.Struct, frozen=True):
    text: str


Event = Moved | Noted


@dataclass(frozen=True, slots=True)
class Account:
    balance: int = 0
    moves: int = 0


class Bank:
    def initial(self, stream: str) -> Account:
        return Account()

    def decide(self, state: Account, command: Command, given: Given[int]) -> Sequence[Event] | Rejected:
        match command:
            case Deposit(amount):
                return [Moved(amount, state.balance + amount)]
            case Withdraw(amount):
                if amount > state.balance:
                    return Rejected("not_enough", "bank#1", f"balance is {state.balance}")
                half = amount // 2
                return [Moved(-half, state.balance - half), Moved(half - amount, state.balance - amount)]
            case Gamble(amount):
                return gambled(state, amount, given.fresh)
            case Look():
                return []
            case Explode():
                raise ZeroDivisionError("the secret is 42")
            case Bloat(size):
                return [Noted("x" * size)]

    def evolve(self, state: Account, event: Event) -> Account:
        match event:
            case Moved(amount, balance):
                assert state.balance + amount == balance, "evolve saw an event on another state than decide"
                return replace(state, balance=balance, moves=state.moves + 1)
            case Noted():
                return state


def gambled(state: Account, amount: int, luck: int) -> Sequence[Event] | Rejected:
    if luck % 3 == 0:
        return Rejected("no_luck", "bank#2", f"luck {luck}")
    won = amount if luck % 3 == 1 else -min(amount, state.balance)
    return [Noted(f"luck {luck}"), Moved(won, state.balance + won)]


def luck_in(commit: Commit) -> int:
    """The luck that a commit says it was decided with; 0 if it says nothing."""
    if commit.detail.startswith("luck "):
        return int(commit.detail[5:])
    if commit.events and commit.events[0][0] == "Noted.1":
        return int(msgspec.msgpack.decode(commit.events[0][1], type=Noted).text[5:])
    return 0


def decode_command(message: CommandMessage) -> Command:
    body = message.body
    try:
        match message.type:
            case "Deposit":
                return Deposit(_amount(body["amount"]))
            case "Gamble":
                return Gamble(_amount(body["amount"]))
            case "Withdraw":
                return Withdraw(_amount(body["amount"]))
            case "Look":
                return Look()
            case "Trip":
                raise RuntimeError("the decoder's own mistake")
            case "Explode":
                return Explode()
            case "Bloat":
                return Bloat(_amount(body["size"]))
    except KeyError as missing:
        raise Malformed(f"{missing.args[0]} is missing") from None
    raise Malformed("unknown type")


def _amount(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= 10**12:
        raise Malformed("amount is out of bounds")
    return value


_TYPES = {"Moved.1": Moved, "Noted.1": Noted}


def decode_event(kind: str, payload: bytes) -> Event:
    return msgspec.msgpack.decode(payload, type=_TYPES[kind])


def bank(**changes: Any) -> Machine[Account, Command, Event, int]:
    machine: Machine[Account, Command, Event, int] = Machine(
        service="bank",
        decider=Bank(),
        decode_command=decode_command,
        encode_event=lambda event: (f"{type(event).__name__}.1", msgspec.msgpack.encode(event)),
        decode_event=decode_event,
        encode_state=lambda stream, state: msgspec.msgpack.encode((state.balance, state.moves)),
        decode_state=lambda stream, raw: Account(*msgspec.msgpack.decode(raw)),
        fresh=lambda state, command: 1,
        horizon_ms=25_000,
    )
    return replace(machine, **changes)


def publish(
    stream: str, base: int, before: Account, steps: Sequence[Step[Account, Event]], commit: Commit
) -> Sequence[OutRecord]:
    """One public event per fact."""
    records = []
    for step in steps:
        event = PublicEvent(
            stream=stream,
            version=step.version,
            type=f"croupier.bank.{type(step.event).__name__.lower()}.v1",
            time=commit.command_time,
            causation=commit.command_id.hex(),
            correlation=commit.correlation,
            traceparent=commit.traceparent,
            data=msgspec.json.encode({"balance": step.state.balance}),
        )
        key, value, headers = to_record(event)
        records.append(OutRecord(EVENTS, key, value, headers))
    return records


def message(stream: str, kind: str, now_ms: int, nonce: str, **body: Any) -> CommandMessage:
    return CommandMessage(
        id=command_id_at(now_ms, stream, nonce),
        stream=stream,
        type=kind,
        principal=Principal(kind="player", id="p1"),
        correlation=nonce,
        body=body,
    )
