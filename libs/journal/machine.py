"""One aggregate bound to bytes: everything that the journal needs to know of it, and nothing of what it means."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec

from libs.contracts.commands import Command, fitted, wrong_fields
from libs.contracts.messages import CommandMessage, Principal
from libs.decider import Decider
from libs.journal.quotas import Standing, standing_of
from libs.journal.seals import UNSEALED, Sealing

StateT = TypeVar("StateT")
CommandT = TypeVar("CommandT")
EventT = TypeVar("EventT")
FreshT = TypeVar("FreshT")

COMMIT_BYTES = 900_000
"""Below the broker's default of 1,048,588 bytes per batch, with room for the batch's own header."""
MAX_SKEW_MS = 300_000


class Malformed(ValueError):
    """The body does not fit the command's type. The text names the field, never its value."""


KindT = TypeVar("KindT", bound=Command)


def command_reader(kinds: Iterable[type[KindT]]) -> Callable[[CommandMessage], KindT]:
    """Reads the commands of one service; Malformed names the type or the fields that are wrong, never a value."""
    by_name = {kind.__name__: kind for kind in kinds}

    def read(message: CommandMessage) -> KindT:
        kind = by_name.get(message.type)
        if kind is None:
            raise Malformed("type: no command of this service")
        try:
            return fitted(kind, message.body)
        except msgspec.ValidationError:
            # A field that nobody knows is named by the sender: its name is a value, too.
            places = {
                ".".join(map(str, wrong.place)) if wrong.known else "?" for wrong in wrong_fields(kind, message.body)
            }
            raise Malformed(f"{message.type}: {', '.join(sorted(places))}") from None

    return read


class OldSnapshot(ValueError):
    """A state of a format that this build no longer reads. Left aside: the journal has everything (journal 17)."""


@dataclass(frozen=True, slots=True)
class Machine(Generic[StateT, CommandT, EventT, FreshT]):
    """Decider, codecs and limits of one service's aggregate.

    `decode_event` knows every type that was ever written; what it raises stops the reader, loudly.
    """

    service: str
    """`table`: names the topics, the journal's incarnation and the command source."""
    decider: Decider[StateT, CommandT, EventT, FreshT]
    decode_command: Callable[[CommandMessage], CommandT]
    """Raises `Malformed`."""
    encode_event: Callable[[EventT], tuple[str, bytes]]
    decode_event: Callable[[str, bytes], EventT]
    encode_state: Callable[[str, StateT], bytes]
    decode_state: Callable[[str, bytes], StateT]
    """Raises `OldSnapshot` for a format that is read no more."""
    fresh: Callable[[StateT, CommandT], FreshT]
    """Fresh entropy for one decision on a state; called for each, also when the same command is decided again."""
    horizon_ms: int
    """H of journal 13: how long a command id is remembered. Ten minutes for tables, days for wallets."""
    ring_cap: int = 16_000
    """Ids remembered per stream inside H; beyond it the answer is busy, never an early eviction."""
    standing: Callable[[StateT, Principal], Standing] = lambda state, by: standing_of(by)
    """How much of that is open to who asks, on the state that is decided on."""
    max_commit_bytes: int = COMMIT_BYTES
    max_skew_ms: int = MAX_SKEW_MS
    """How far t0 may be ahead of the command record's log time; beyond it the record is parked."""
    incarnation: int = 1
    """Counts re-creations of the topics and changes of the rule; a new one shares no chain with the old."""
    seal: Callable[[str, int, Any], bytes] = lambda stream, base, secret: b""
    """Closes what a decision leaves beside its events, bound to the stream and the version decided on."""
    unseal: Callable[[str, int, bytes], Any] = lambda stream, base, sealed: None
    receive: Callable[[StateT, EventT, Any], StateT] = lambda state, event, secret: state
    """The state with an opened secret put in, where `event` is the one that it starts with."""
    refusal: Callable[[Sequence[EventT]], str | None] = lambda events: None
    """Why an accepted command was refused all the same: the refusal is an event, since other services act on it."""
    rests: Callable[[StateT], bool] = lambda state: True
    """Nothing falls due in it: it may lie on disk until somebody asks something of it (journal 16)."""
    reads: Callable[[bytes], bool] = lambda state: True
    """Whether a snapshot's state is of a format that is still read. The state itself is not decoded for that."""
    seals: Sealing = UNSEALED
    """What its snapshots and manifests are known by (journal 24); a service that runs has its own."""
    drew: Callable[[FreshT], bool] = lambda fresh: fresh is not None
    """Whether a decision took anything from its supply; counted when its commit turns out void."""

    @property
    def journal_name(self) -> str:
        """What the genesis digests are bound to."""
        return journal_name(self.service, self.incarnation)

    def source_name(self, partition: int, of_house: int = 1) -> str:
        """Key of the high water: a name with the incarnation `of_house`, never the topic alone (journal 14)."""
        return f"{self.service}-commands.{of_house}/{partition}"


def journal_name(service: str, incarnation: int = 1) -> str:
    """Incarnation name of a service's journal, for `genesis`; a reader without the machine (audit) uses it too."""
    return f"{service}-journal.{incarnation}"


AnyMachine = Machine[Any, Any, Any, Any]
