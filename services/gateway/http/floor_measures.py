"""Measures and draws of the floor: POST /v1/tables/{table}/warnings, /mutes, /seat-draw, /table-draw and more."""

from typing import Annotated

from fastapi import Body
from pydantic import Field

from libs.contracts import floor_commands as commands
from libs.contracts import live_commands as live
from libs.contracts import table_commands
from libs.contracts.messages import Message
from libs.contracts.table_commands import HandNumber
from services.gateway.app.gateway import table_order
from services.gateway.http.answering import Done, ask
from services.gateway.http.asking import IdempotencyKey, Staff, TableId, TheGateway

_WARNING = {"player": "alice", "rule": "14.j", "cause": "comments on a hand in progress"}


async def warn_player(
    table: TableId,
    wish: Annotated[commands.WarnPlayer, Body(examples=[_WARNING])],
    staff: Staff,
    key: IdempotencyKey,
    gateway: TheGateway,
) -> Done:
    """Staff only: on record with who and why; at the limit the player leaves after the hand."""
    known = gateway.known_table(table)
    return await ask(gateway, table_order(staff, key, known, commands.WarnPlayer, wish.model_dump()))


async def mute_player(
    table: TableId,
    wish: Annotated[commands.MutePlayer, Body(examples=[{"player": "alice", "cause": "insults"}])],
    staff: Staff,
    key: IdempotencyKey,
    gateway: TheGateway,
) -> Done:
    """Staff only: no more messages at this table."""
    known = gateway.known_table(table)
    return await ask(gateway, table_order(staff, key, known, commands.MutePlayer, wish.model_dump()))


async def draw_seats(table: TableId, staff: Staff, key: IdempotencyKey, gateway: TheGateway) -> Done:
    """Staff only: by lot among the registered (pt-217-2007 11, 27)."""
    known = gateway.known_table(table)
    return await ask(gateway, table_order(staff, key, known, commands.DrawSeats, {}))


async def draw_tables(
    table: TableId,
    wish: Annotated[commands.DrawTables, Body(examples=[{"tables": ["table-2"]}])],
    staff: Staff,
    key: IdempotencyKey,
    gateway: TheGateway,
) -> Done:
    """Staff only: this table's list among this and others, by suits (pt-217-2007 25)."""
    known = gateway.known_table(table)
    for other in wish.tables:
        gateway.known_table(other)
    return await ask(gateway, table_order(staff, key, known, commands.DrawTables, wish.model_dump()))


class Correction(Message):
    cause: str = Field(min_length=1, max_length=200)


async def correct_deal(
    table: TableId, hand: HandNumber, wish: Correction, staff: Staff, key: IdempotencyKey, gateway: TheGateway
) -> Done:
    """Staff only: a deal against the rule, before anybody decided on it (mo-97-2010 9.1)."""
    known = gateway.known_table(table)
    body = {"hand": hand, "cause": wish.cause}
    return await ask(gateway, table_order(staff, key, known, table_commands.CorrectDeal, body))


async def resolve_dispute(
    table: TableId,
    wish: Annotated[live.ResolveDispute, Body()],
    staff: Staff,
    key: IdempotencyKey,
    gateway: TheGateway,
) -> Done:
    """Staff only: the house decides every dispute (pt-217-2007 8.c)."""
    known = gateway.known_table(table)
    return await ask(gateway, table_order(staff, key, known, live.ResolveDispute, wish.model_dump()))
