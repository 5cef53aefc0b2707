"""A light client of the gateway: `Operator` for the platform, `Player` for whoever sits at a table.

async with Operator(url, token) as operator:
    session = await operator.open_session("alice")
async with Player(url, session.token) as alice:
    table = await alice.subscribe("table-1")
    await alice.take_seat("table-1", 10_000)
    while True:
        turn = await alice.next_turn("table-1")
        await alice.act(turn, "call" if turn.legal.call else "check")
"""

from libs.client.http import Answer, ConnectionLost, ProblemReply
from libs.client.login import log_in
from libs.client.operator import Opened, Operator, Staff
from libs.client.player import Player
from libs.client.table_state import TableState, Turn
from libs.contracts.frames import Event, HoleCards

__all__ = [
    "Answer",
    "ConnectionLost",
    "Event",
    "HoleCards",
    "Opened",
    "Operator",
    "Player",
    "ProblemReply",
    "Staff",
    "TableState",
    "Turn",
    "log_in",
]
