"""The table aggregate bound to the journal: decider, codecs, entropy and limits."""

from collections.abc import Callable, Sequence

from libs.contracts.commands import TableCommand
from libs.contracts.conduct_events import MessageBlocked
from libs.contracts.facts import TableEvent
from libs.contracts.messages import CommandMessage, Principal
from libs.contracts.poker_events import RestRefused
from libs.contracts.registry import ALL_TABLE_COMMANDS, decode_fact, encode_fact
from libs.journal.machine import Machine, command_reader
from libs.journal.quotas import Standing, standing_of
from libs.sealing.health import EntropyUnhealthy
from libs.sealing.sealed import Wrapping
from libs.sealing.shuffle import Shuffler
from services.table.domain.games.registry import game_of
from services.table.domain.table.decide import TableDecider
from services.table.domain.table.state import Table
from services.table.domain.table.story import Supply
from services.table.domain.table.waking import moved_at, next_wake
from services.table.journal_format import TableFormat, receive_deck
from services.table.scanning import Scanner

HORIZON_MS = 600_000
"""Ten minutes: how long a command id of a table is remembered (journal 4b)."""

TableMachine = Machine[Table, TableCommand, TableEvent, Supply]
_read = command_reader(ALL_TABLE_COMMANDS)


def standing_at(state: Table, by: Principal) -> Standing:
    """A player has a part in the table from the reservation of a seat on."""
    if by.kind != "player" or state.sitter_of(by.id) is not None or state.reserved_by(by.id) is not None:
        return standing_of(by)
    return "guest"


def decode_command(message: CommandMessage, scanner: Scanner | None = None) -> TableCommand:
    """The typed command; Malformed names the type or the field, never a value. `scanner` opens scanned cards."""
    command = _read(message)
    return command if scanner is None else scanner.opened(message.stream, command)


def refusal_in(caused: Sequence[TableEvent]) -> str | None:
    """Why the sender is refused although that is an event: a blocked message, a refused rest. None: no refusal."""
    for event in caused:
        if isinstance(event, MessageBlocked):
            return "chat_closed"
        if isinstance(event, RestRefused):
            return "rest_abused"
    return None


def fresh_supply(shuffler: Shuffler, unhealthy: Callable[[], None]) -> Callable[[Table, TableCommand], Supply]:
    """Entropy for what starts rounds or draws lots; None (and `unhealthy()` called) when the source fails."""

    def fresh(state: Table, command: TableCommand) -> Supply:
        if not command.draws or state.configuration is None:
            return None
        try:
            return game_of(state.configuration).supply(state, shuffler)
        except EntropyUnhealthy:
            unhealthy()
            return None

    return fresh


def table_machine(
    keyring: Wrapping,
    shuffler: Shuffler | None = None,
    unhealthy: Callable[[], None] = lambda: None,
    scanner: Scanner | None = None,
    lost: Callable[[str], None] = lambda stream: None,
) -> TableMachine:
    """`unhealthy` is called each time the entropy source fails its test: alarm and stop dealing.

    `lost` is told the table whose sealed cards do not open: alarm; the round is void.

    `scanner` opens the cards of live tables, which the gateway has sealed; without it none of them can be scanned.
    """
    codec = TableFormat(keyring, lost)
    return Machine(
        service="table",
        decider=TableDecider(),
        decode_command=lambda message: decode_command(message, scanner),
        encode_event=encode_fact,
        decode_event=decode_fact,
        encode_state=codec.encode_state,
        decode_state=codec.decode_state,
        seal=codec.seal,
        unseal=codec.unseal,
        receive=receive_deck,
        fresh=fresh_supply(shuffler or Shuffler(), unhealthy),
        horizon_ms=HORIZON_MS,
        standing=standing_at,
        refusal=refusal_in,
        rests=rests,
        reads=codec.reads_state,
    )


def rests(state: Table) -> bool:
    """Nothing falls due, and no round runs whose players would lose time."""
    return next_wake(state) is None and moved_at(state) is None
