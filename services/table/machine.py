"""The table aggregate bound to the journal: decider, codecs, entropy and limits."""

from collections.abc import Callable, Sequence

import msgspec
from pydantic import ValidationError

from libs.contracts.facts import TableEvent
from libs.contracts.floor_commands import FLOOR_COMMANDS
from libs.contracts.floor_events import MessageBlocked, RestRefused
from libs.contracts.house_commands import HOUSE_COMMANDS
from libs.contracts.live_commands import LIVE_COMMANDS
from libs.contracts.messages import CommandMessage, Message
from libs.contracts.registry import decode_fact, encode_fact
from libs.contracts.table_commands import TABLE_COMMANDS
from libs.contracts.tournament_commands import TOURNAMENT_COMMANDS
from libs.journal.machine import Machine, Malformed
from libs.sealing.health import EntropyUnhealthy
from libs.sealing.sealed import Keyring
from libs.sealing.shuffle import Shuffler
from services.table.domain.games.registry import ALL_GAMES, game_of
from services.table.domain.table import commands
from services.table.domain.table.bank.handlers import BANK_COMMANDS
from services.table.domain.table.commands import Command, TableCommand
from services.table.domain.table.decide import TableDecider
from services.table.domain.table.floor.handlers import FLOOR_COMMANDS as AT_FLOOR
from services.table.domain.table.state import Table
from services.table.domain.table.story import Supply
from services.table.domain.table.tournament.commands import OpenTournamentTable
from services.table.domain.table.tournament.handlers import TOURNAMENT_COMMANDS as IN_TOURNAMENT
from services.table.journal_format import TableFormat, receive_deck
from services.table.scanning import Scanner

HORIZON_MS = 600_000
"""Ten minutes: how long a command id of a table is remembered (journal 4b)."""

_TAKEN = (*TABLE_COMMANDS, *FLOOR_COMMANDS, *LIVE_COMMANDS, *HOUSE_COMMANDS, *TOURNAMENT_COMMANDS)
_CONTRACT: dict[str, type[Message]] = {command.__name__: command for command in _TAKEN}
_AT_ANY_TABLE = {name: kind for name, kind in vars(commands).items() if name in _CONTRACT}
_OF_GAMES = (command for game in ALL_GAMES for command in game.commands)
_GIVEN: tuple[type[Command], ...] = (*AT_FLOOR, *BANK_COMMANDS, OpenTournamentTable, *IN_TOURNAMENT, *_OF_GAMES)
COMMANDS: dict[str, type[Command]] = _AT_ANY_TABLE | {command.__name__: command for command in _GIVEN}
"""Domain commands by their names, which are those of the contract."""
TableMachine = Machine[Table, TableCommand, TableEvent, Supply]


def decode_command(message: CommandMessage, scanner: Scanner | None = None) -> TableCommand:
    """The typed command; Malformed names the type or the field, never a value. `scanner` opens scanned cards."""
    contract = _CONTRACT.get(message.type)
    if contract is None or message.type not in COMMANDS:
        raise Malformed("type: no command of this service")
    try:
        body = contract.model_validate(message.body)
    except ValidationError as wrong:
        fields = sorted({".".join(map(str, error["loc"]))[:80] or "body" for error in wrong.errors()})
        raise Malformed(f"{message.type}: {', '.join(fields)}") from None
    principal = {"principal_kind": message.principal.kind, "principal_id": message.principal.id}
    fields_of = body.model_dump()
    if scanner is not None:
        fields_of = scanner.opened(message.stream, fields_of)
    return msgspec.convert({**fields_of, **principal}, COMMANDS[message.type])


def refusal_in(caused: Sequence[TableEvent]) -> str | None:
    """A blocked message and a refused rest are on record, and their senders still have to read a no."""
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
    keyring: Keyring,
    shuffler: Shuffler | None = None,
    unhealthy: Callable[[], None] = lambda: None,
    scanner: Scanner | None = None,
) -> TableMachine:
    """`unhealthy` is called each time the entropy source fails its test: alarm and stop dealing.

    `scanner` opens the cards of live tables, which the gateway has sealed; without it none of them can be scanned.
    """
    codec = TableFormat(keyring)
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
        refusal=refusal_in,
    )
