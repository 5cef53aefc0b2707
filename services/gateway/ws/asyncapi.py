"""The WebSocket's share of the AsyncAPI document, made of the doors and of the frames."""

from collections.abc import Mapping
from typing import Any, get_args

from libs.contracts.commands import Command
from libs.contracts.frames import Event, Frame
from libs.contracts.schemas import schema_of, schemas_of
from services.gateway.app.doors import PLAYERS_DOORS, body_schemas
from services.gateway.ws.protocol import CONTROLS, Addressed

_CHANNEL = "#/channels/websocket"


def websocket() -> Mapping[str, dict[str, Any]]:
    """Channels, operations, messages and schemas."""
    said = {f"say_{kind}": _said(kind, *_body(kind)) for kind in (*CONTROLS, *PLAYERS_DOORS)}
    frames = {str(frame.__struct_config__.tag): frame for frame in get_args(Frame)}
    heard = {f"hear_{kind}": _heard(kind, frame) for kind, frame in frames.items()}
    return {
        "channels": {
            "websocket": {
                "address": "/v1/ws",
                "description": "JSON messages of at most 64 kB, told apart by `type`. The token comes in the "
                "`Authorization` header or in the first message, never in the URL.",
                "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in (*said, *heard)},
                "bindings": {"ws": {"method": "GET"}},
            }
        },
        "operations": {
            "hear_players": _operation("receive", said),
            "tell_players": _operation("send", heard),
        },
        "messages": said | heard,
        "schemas": schemas_of([*frames.values(), Event]),
    }


def message_table() -> str:
    """All messages in Markdown, for who reads OpenAPI."""
    said = [_row(kind, control.__struct_fields__, control.__doc__) for kind, control in CONTROLS.items()]
    at_doors = ", ".join(f"`{kind}`" for kind in PLAYERS_DOORS)
    addressed = ", ".join(f"`{name}`" for name in Addressed.__struct_fields__)
    doors = f"| {at_doors} | {addressed}, and the fields of that door's body | What a player asks. |"
    heard = [_row(str(f.__struct_config__.tag), f.__struct_fields__, f.__doc__) for f in get_args(Frame)]
    head = "| {} | with | what it is |\n|---|---|---|\n"
    return (
        "\n" + head.format("you say") + "\n".join([*said, doors]) + "\n\n" + head.format("you hear") + "\n".join(heard)
    )


def _row(kind: str, fields: tuple[str, ...], words: str | None) -> str:
    return f"| `{kind}` | {', '.join(f'`{name}`' for name in fields)} | {' '.join((words or '').split())} |"


def _operation(action: str, messages: Mapping[str, Any]) -> dict[str, Any]:
    named = [{"$ref": f"{_CHANNEL}/messages/{name}"} for name in messages]
    return {"action": action, "channel": {"$ref": _CHANNEL}, "messages": named}


def _body(kind: str) -> tuple[str, dict[str, Any]]:
    """What it is, and the schema of what stands beside `type`."""
    if kind in CONTROLS:
        return CONTROLS[kind].__doc__ or "", schema_of(CONTROLS[kind])
    door = PLAYERS_DOORS[kind]
    own, to = body_schemas()[door.body.__name__], schema_of(Addressed)
    fields, required = to["properties"] | own["properties"], [*to["required"], *own["required"]]
    example = {"id": "01973a7e-5b0c-7c3e-9f21-6d1f0a4b8c55", "table": "table-1", **own["examples"][0]}
    assert issubclass(door.command, Command)
    return door.command.__doc__ or "", {**own, "properties": fields, "required": required, "examples": [example]}


def _said(kind: str, words: str, body: dict[str, Any]) -> dict[str, Any]:
    """A wish or control as it is sent: its fields, and `type`."""
    schema = {
        **body,
        "title": kind,
        "properties": {"type": {"const": kind}, **body["properties"]},
        "required": ["type", *body.get("required", ())],
    }
    examples = [{"payload": {"type": kind, **example}} for example in schema.pop("examples", ())]
    return _message(kind, words, schema) | ({"examples": examples} if examples else {})


def _heard(kind: str, frame: type[Any]) -> dict[str, Any]:
    return _message(kind, frame.__doc__ or "", {"$ref": f"#/components/schemas/{frame.__name__}"})


def _message(kind: str, words: str, payload: dict[str, Any]) -> dict[str, Any]:
    return {"name": kind, "summary": " ".join(words.split()), "contentType": "application/json", "payload": payload}
