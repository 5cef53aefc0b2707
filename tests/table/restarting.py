"""A house that stood still comes back: what its own timers send then, and nothing else."""

from typing import Any

import msgspec

from libs.contracts.messages import CommandMessage
from libs.contracts.table_commands import WakeTable
from libs.journal.timers import Timers
from services.table.domain.table.waking import moved_at, next_wake
from tests.table.under_test import TIMER


def back(table: Any, now: int) -> list[str]:
    """A new process finds the table as it is, at `now`; the names of what its wakes told."""
    sent: list[CommandMessage] = []
    timers = Timers(sent.append, lambda: now, WakeTable)
    timers.plan(table.state.table, table.state.version, next_wake(table.state), moved_at(table.state))
    timers.ring()
    table.now, told = now, []
    for message in sent:
        wake = msgspec.convert(message.body, WakeTable)
        assert table.send(TIMER, wake, table.shuffler.shuffle()) is None, table.refused
        told += table.names
    return told
