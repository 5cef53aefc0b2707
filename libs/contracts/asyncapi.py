"""The public contract as an AsyncAPI 3.0 document, made from the table of topics and the event classes."""

from typing import Any

from pydantic.json_schema import models_json_schema

from libs.contracts.messages import CommandMessage, Message, Reply
from libs.contracts.registry import EVENT_TYPES
from libs.contracts.topics import REPLIES, topic

_REF = "#/components/schemas/{model}"
_HEADERS = {
    "type": "object",
    "description": "CloudEvents 1.0, Kafka binary mode",
    "required": ["ce_specversion", "ce_id", "ce_source", "ce_type", "ce_stream", "ce_version"],
    "properties": {
        "ce_specversion": {"const": "1.0"},
        "ce_id": {"type": "string", "description": "<stream>/<version>"},
        "ce_source": {"type": "string"},
        "ce_type": {"type": "string"},
        "ce_subject": {"type": "string", "description": "the stream"},
        "ce_time": {"type": "string", "format": "date-time"},
        "ce_stream": {"type": "string"},
        "ce_version": {
            "type": "string",
            "description": "dense per stream: accept the next, skip lower ones",
        },
        "ce_causation": {"type": "string", "description": "id of the command"},
        "ce_correlation": {"type": "string"},
        "traceparent": {"type": "string", "description": "W3C trace context"},
    },
}


def asyncapi(version: str) -> dict[str, Any]:
    """The document; `version` is the product's."""
    models: list[type[Message]] = [*EVENT_TYPES.values(), CommandMessage, Reply]
    _, definitions = models_json_schema([(model, "validation") for model in models], ref_template=_REF)
    messages: dict[str, Any] = {
        name: {
            "name": name,
            "title": event.__name__,
            "summary": (event.__doc__ or "").strip().split("\n")[0],
            "contentType": "application/json",
            "headers": {"$ref": "#/components/schemas/CloudEventHeaders"},
            "payload": {"$ref": _REF.format(model=event.__name__)},
        }
        for name, event in sorted(EVENT_TYPES.items())
    }
    for model in (CommandMessage, Reply):
        messages[model.__name__] = {
            "name": model.__name__,
            "contentType": "application/json",
            "payload": {"$ref": _REF.format(model=model.__name__)},
        }
    channels: dict[str, Any] = {}
    operations: dict[str, Any] = {}

    def channel(key: str, address: str, names: list[str], action: str) -> None:
        channels[key] = {
            "address": address,
            "messages": {name.replace(".", "_"): {"$ref": f"#/components/messages/{name}"} for name in names},
        }
        operations[f"{action}_{key}"] = {"action": action, "channel": {"$ref": f"#/channels/{key}"}}

    for service in ("table", "wallet"):
        names = [name for name in sorted(EVENT_TYPES) if name.startswith(f"croupier.{service}.")]
        channel(f"{service}_events", topic(service, "events").name, names, "send")
        channel(f"{service}_commands", topic(service, "commands").name, ["CommandMessage"], "receive")
    channel("replies", REPLIES.name, ["Reply"], "send")
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Croupier",
            "version": version,
            "description": "Public topics of the house. Only ever added to; a field never changes its meaning.",
        },
        "defaultContentType": "application/json",
        "channels": channels,
        "operations": operations,
        "components": {
            "messages": messages,
            "schemas": {"CloudEventHeaders": _HEADERS, **definitions["$defs"]},
        },
    }
