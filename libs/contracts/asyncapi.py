"""The public contract as an AsyncAPI 3.1 document, made from the table of topics and the event classes."""

from collections.abc import Mapping
from typing import Any

from libs.contracts.registry import EVENT_TYPES
from libs.contracts.schemas import schemas_of
from libs.contracts.topics import topic

_HEADERS = {
    "type": "object",
    "description": "CloudEvents 1.0, Kafka binary mode",
    "required": ["ce_specversion", "ce_id", "ce_source", "ce_type", "ce_version"],
    "properties": {
        "ce_specversion": {"const": "1.0"},
        "ce_id": {"type": "string", "description": "<stream>/<version>"},
        "ce_source": {"type": "string"},
        "ce_type": {"type": "string"},
        "ce_subject": {"type": "string", "description": "the stream"},
        "ce_time": {"type": "string", "format": "date-time"},
        "ce_version": {
            "type": "string",
            "description": "dense per stream: accept the next, skip lower ones",
        },
        "ce_causation": {"type": "string", "description": "id of the command"},
        "ce_correlation": {"type": "string"},
        "traceparent": {"type": "string", "description": "W3C trace context"},
    },
}


def asyncapi(version: str, websocket: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """The document; `version` is the product's, `websocket` the gateway's share of each part."""
    messages: dict[str, Any] = {
        name: {
            "name": name,
            "title": event.__name__,
            "summary": (event.__doc__ or event.__name__).strip().split("\n")[0],
            "contentType": "application/json",
            "headers": {"$ref": "#/components/schemas/CloudEventHeaders"},
            "payload": {"$ref": f"#/components/schemas/{event.__name__}"},
        }
        for name, event in sorted(EVENT_TYPES.items())
    }
    channels: dict[str, Any] = {}
    operations: dict[str, Any] = {}
    for service in ("table", "tournament", "wallet"):
        names = [name for name in sorted(EVENT_TYPES) if name.startswith(f"croupier.{service}.")]
        told = {name.replace(".", "_"): {"$ref": f"#/components/messages/{name}"} for name in names}
        key = f"{service}_events"
        channels[key] = {"address": topic(service, "events").name, "messages": told}
        operations[f"send_{key}"] = {"action": "send", "channel": {"$ref": f"#/channels/{key}"}}
    return {
        "asyncapi": "3.1.0",
        "info": {
            "title": "Croupier",
            "version": version,
            "description": "Public topics and the WebSocket. Only ever added to; a field never changes its meaning.",
        },
        "defaultContentType": "application/json",
        "channels": channels | websocket["channels"],
        "operations": operations | websocket["operations"],
        "components": {
            "messages": messages | websocket["messages"],
            "schemas": {"CloudEventHeaders": _HEADERS, **schemas_of(EVENT_TYPES.values()), **websocket["schemas"]},
        },
    }
