"""A toy aggregate: accounts that never go below zero. Just enough rules to break if the journal is wrong."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

import msgspec

from libs.contracts.messages import CommandMessage, Principal, command_id_at
from libs.decider import Decided, Given, Rejected
from libs.journal.commit import Commit
from libs.journal.fold import Step
from libs.journal.log import OutRecord
from libs.journal.machine import Machine, Malformed
from libs.journal.names import Names
from libs.journal.publishing import public_records
from libs.journal.quotas import Standing, standing_of

EVENTS = "bank.events"
NAMES = Names("bank.commands", "bank.journal", "bank.snapshots", EVENTS, "bank.replies", "bank.parked", 4)


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

    def decide(self, state: Account, command: Command, given: Given[int]) -> Decided[Account, Event] | Rejected:
        outcome = self._caused(state, command, given)
        if isinstance(outcome, Rejected):
            return outcome
        states = list(accumulate(outcome, self.evolve, initial=state))[1:]
        return Decided(outcome, states)

    def _caused(self, state: Account, command: Command, given: Given[int]) -> Sequence[Event] | Rejected:
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
    if commit.events and commit.events[0][0] == NOTED:
        noted = decode_event(*commit.events[0])
        assert isinstance(noted, Noted)
        return int(noted.text[5:])
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


MOVED, NOTED = "croupier.bank.moved.v1", "croupier.bank.noted.v1"
_TYPES = {MOVED: Moved, NOTED: Noted}


def encode_event(event: Event) -> tuple[str, bytes]:
    return (MOVED if isinstance(event, Moved) else NOTED), msgspec.json.encode(event)


def decode_event(kind: str, payload: bytes) -> Event:
    return msgspec.json.decode(payload, type=_TYPES[kind])


def bank(**changes: Any) -> Machine[Account, Command, Event, int]:
    machine: Machine[Account, Command, Event, int] = Machine(
        service="bank",
        decider=Bank(),
        decode_command=decode_command,
        encode_event=encode_event,
        decode_event=decode_event,
        encode_state=lambda stream, state: msgspec.msgpack.encode((state.balance, state.moves)),
        decode_state=lambda stream, raw: Account(*msgspec.msgpack.decode(raw)),
        fresh=lambda state, command: 1,
        horizon_ms=25_000,
        standing=standing,
    )
    return replace(machine, **changes)


def publish(commit: Commit, steps: Sequence[Step[Account, Event]]) -> Sequence[OutRecord]:
    """One public event per fact."""
    return public_records(EVENTS, commit)


PLAYER = Principal(kind="player", id="p1")


def standing(state: Account, by: Principal) -> Standing:
    """Players whose names begin so have no part in any account."""
    return "guest" if by.id.startswith("guest") else standing_of(by)


def message(stream: str, kind: str, now_ms: int, nonce: str, by: Principal = PLAYER, **body: Any) -> CommandMessage:
    return CommandMessage(
        id=command_id_at(now_ms, stream, nonce),
        stream=stream,
        type=kind,
        principal=by,
        correlation=nonce,
        body=body,
    )
