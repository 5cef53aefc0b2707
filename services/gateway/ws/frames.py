"""What a player hears over the WebSocket, as frames that are ready for the wire."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from libs.contracts.frames import (
    Answer,
    Event,
    Events,
    Frame,
    HoleCards,
    Pong,
    ProblemFrame,
    Reconnect,
    TournamentFrame,
    View,
    Welcome,
)
from libs.contracts.messages import PublicEvent, Reply
from libs.contracts.poker_events import DisputeOpened
from libs.contracts.registry import decode_fact, wire_name
from libs.edge.problems import Problem
from libs.edge.wire import text_frame

_ENCODER = msgspec.json.Encoder()
_DISPUTED = wire_name(DisputeOpened)


def _frame(said: Frame) -> bytes:
    return text_frame(_ENCODER.encode(said))


PONG = _frame(Pong())


def welcome(player: str, session: str, expires: int) -> bytes:
    return _frame(Welcome(player, session, expires))


def reconnect(url: str | None) -> bytes:
    return _frame(Reconnect(url))


def view_frame(view: dict[str, Any]) -> bytes:
    return _frame(View(view["table"], view["version"], view))


def tournament_frame(tournament: str, version: int, page: bytes, entry: bytes) -> bytes:
    return _frame(TournamentFrame(tournament, version, msgspec.Raw(page), msgspec.Raw(entry)))


def events_frame(table: str, events: Sequence[PublicEvent]) -> bytes:
    """Public events in their order, those of a commit together."""
    return _frame(Events(table, [Event(event.version, event.type, msgspec.Raw(_shown(event))) for event in events]))


def _shown(event: PublicEvent) -> bytes:
    """What a player says in a dispute may name cards: players read it on record, when the hand is over (11.d)."""
    if event.type != _DISPUTED:
        return event.data
    return _ENCODER.encode(replace(decode_fact(event.type, event.data), text=""))


def hole_cards_frame(table: str, hand: int, seat: int, cards: tuple[str, ...]) -> bytes:
    return _frame(HoleCards(table, hand, seat, list(cards)))


def reply_frame(key: str, reply: Reply) -> bytes:
    why = (reply.reason, reply.rule, reply.detail) if reply.verdict in ("rejected", "busy") else ()
    return _frame(Answer(key, reply.command_id, reply.verdict, reply.version, *why))


def problem_frame(problem: Problem, key: str | None = None) -> bytes:
    return _frame(ProblemFrame(problem.document(), key or None))
