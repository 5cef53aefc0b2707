"""The table aggregate bound to the journal: decider, codecs, entropy and limits."""

from collections.abc import Callable
from typing import Any

import msgspec
from pydantic import ValidationError

from libs.contracts.messages import CommandMessage, Message
from libs.contracts.table_commands import TABLE_COMMANDS
from libs.journal.machine import Machine, Malformed
from libs.sealing.health import EntropyUnhealthy
from libs.sealing.sealed import Keyring
from libs.sealing.shuffle import Shuffle, Shuffler
from services.table.domain.table import commands
from services.table.domain.table.commands import TableCommand, WakeTable
from services.table.domain.table.decide import TableDecider
from services.table.domain.table.happenings import TableEvent
from services.table.domain.table.state import Table
from services.table.domain.table.story import Supply
from services.table.journal_format import TableFormat

HORIZON_MS = 600_000
"""Ten minutes: how long a command id of a table is remembered (journal 4b)."""

_CONTRACT: dict[str, type[Message]] = {command.__name__: command for command in TABLE_COMMANDS}
_DOMAIN: dict[str, Any] = {name: getattr(commands, name) for name in _CONTRACT}
TableMachine = Machine[Table, TableCommand, TableEvent, Supply]


def decode_command(message: CommandMessage) -> TableCommand:
    """The typed command; Malformed names the type or the field, never a value."""
    contract = _CONTRACT.get(message.type)
    if contract is None:
        raise Malformed("type: no command of this service")
    try:
        body = contract.model_validate(message.body)
    except ValidationError as wrong:
        fields = sorted({".".join(map(str, error["loc"]))[:80] or "body" for error in wrong.errors()})
        raise Malformed(f"{message.type}: {', '.join(fields)}") from None
    principal = {"principal_kind": message.principal.kind, "principal_id": message.principal.id}
    command: TableCommand = msgspec.convert({**body.model_dump(), **principal}, _DOMAIN[message.type])
    return command


def fresh_supply(shuffler: Shuffler, unhealthy: Callable[[], None]) -> Callable[[TableCommand], Supply]:
    """Entropy for wakes alone, since only they start hands; None (and `unhealthy()` called) when the source fails."""

    def fresh(command: TableCommand) -> Shuffle | None:
        if not isinstance(command, WakeTable):
            return None
        try:
            return shuffler.shuffle()
        except EntropyUnhealthy:
            unhealthy()
            return None

    return fresh


def table_machine(
    keyring: Keyring, shuffler: Shuffler | None = None, unhealthy: Callable[[], None] = lambda: None
) -> TableMachine:
    """`unhealthy` is called each time the entropy source fails its test: alarm and stop dealing."""
    codec = TableFormat(keyring)
    return Machine(
        service="table",
        decider=TableDecider(),
        decode_command=decode_command,
        encode_event=codec.encode_event,
        decode_event=codec.decode_event,
        encode_state=codec.encode_state,
        decode_state=codec.decode_state,
        fresh=fresh_supply(shuffler or Shuffler(), unhealthy),
        horizon_ms=HORIZON_MS,
    )
