"""What a player hears over the WebSocket: ready frames, each a JSON object told apart by `type`."""

from collections.abc import Sequence
from typing import Any

import msgspec

from libs.contracts.messages import PublicEvent, Reply
from libs.edge.problems import Problem
from libs.edge.wire import text_frame


class _EventBody(msgspec.Struct):
    version: int
    event: str
    data: msgspec.Raw


def welcome(player: str, session: str, expires: int) -> bytes:
    return _frame({"type": "welcome", "player": player, "session": session, "expires": expires})


def view_frame(view: dict[str, Any]) -> bytes:
    return _frame({"type": "view", "table": view["table"], "version": view["version"], "view": view})


def events_frame(table: str, events: Sequence[PublicEvent]) -> bytes:
    """Public events in their order, those of a commit together: `event` is the type, `data` the body, untouched."""
    bodies = [_EventBody(event.version, event.type, msgspec.Raw(event.data)) for event in events]
    return _frame({"type": "events", "table": table, "events": bodies})


def hole_cards_frame(table: str, hand: int, seat: int, cards: tuple[str, ...]) -> bytes:
    return _frame({"type": "hole_cards", "table": table, "hand": hand, "seat": seat, "cards": cards})


def reply_frame(key: str, reply: Reply) -> bytes:
    said: dict[str, Any] = {"type": "reply", "id": key, "command_id": str(reply.command_id), "verdict": reply.verdict}
    said["version"] = reply.version
    if reply.verdict == "rejected":
        said |= {"reason": reply.reason, "rule": reply.rule, "detail": reply.detail}
    return _frame(said)


def problem_frame(problem: Problem, key: str | None = None) -> bytes:
    return _frame({"type": "problem", **({"id": key} if key else {}), "problem": problem.document()})


def _frame(said: dict[str, Any]) -> bytes:
    return text_frame(_ENCODER.encode(said))


_ENCODER = msgspec.json.Encoder()
PONG = _frame({"type": "pong"})
