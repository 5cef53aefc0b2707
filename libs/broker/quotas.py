"""Requests about how much a user may ask of a broker and write to it; aiokafka 0.14 has no method for them."""

from collections.abc import Mapping
from typing import Any

from aiokafka.protocol.api import RequestStruct, Response
from aiokafka.protocol.types import (
    Boolean,
    CompactArray,
    CompactString,
    Float64,
    Int8,
    Int16,
    Int32,
    Schema,
    TaggedFields,
)

from libs.broker.protocol import Ready

REQUEST_SHARE = "request_percentage"
"""Of the time of one of the broker's threads."""
WRITE_RATE = "producer_byte_rate"
"""Bytes a second to each broker, of all the user's connections; averaged over eleven seconds. Who is above it is
answered late."""
_NAMED = 2
_TAGS: dict[int, bytes] = {}


class _AlterQuotasResponse(Response):  # type: ignore[misc]
    API_KEY = 49
    API_VERSION = 1
    SCHEMA = Schema(
        ("throttle_time_ms", Int32),
        (
            "entries",
            CompactArray(
                ("error_code", Int16),
                ("error_message", CompactString("utf-8")),
                (
                    "entity",
                    CompactArray(
                        ("type", CompactString("utf-8")), ("name", CompactString("utf-8")), ("tags", TaggedFields)
                    ),
                ),
                ("tags", TaggedFields),
            ),
        ),
        ("tags", TaggedFields),
    )


class _AlterQuotasRequest(RequestStruct):  # type: ignore[misc]
    API_KEY = 49
    API_VERSION = 1
    RESPONSE_TYPE = _AlterQuotasResponse
    FLEXIBLE_VERSION = True
    SCHEMA = Schema(
        (
            "entries",
            CompactArray(
                (
                    "entity",
                    CompactArray(
                        ("type", CompactString("utf-8")), ("name", CompactString("utf-8")), ("tags", TaggedFields)
                    ),
                ),
                (
                    "ops",
                    CompactArray(
                        ("key", CompactString("utf-8")), ("value", Float64), ("remove", Boolean), ("tags", TaggedFields)
                    ),
                ),
                ("tags", TaggedFields),
            ),
        ),
        ("validate_only", Boolean),
        ("tags", TaggedFields),
    )


class _QuotasResponse(Response):  # type: ignore[misc]
    API_KEY = 48
    API_VERSION = 1
    SCHEMA = Schema(
        ("throttle_time_ms", Int32),
        ("error_code", Int16),
        ("error_message", CompactString("utf-8")),
        (
            "entries",
            CompactArray(
                (
                    "entity",
                    CompactArray(
                        ("type", CompactString("utf-8")), ("name", CompactString("utf-8")), ("tags", TaggedFields)
                    ),
                ),
                ("values", CompactArray(("key", CompactString("utf-8")), ("value", Float64), ("tags", TaggedFields))),
                ("tags", TaggedFields),
            ),
        ),
        ("tags", TaggedFields),
    )


class _QuotasRequest(RequestStruct):  # type: ignore[misc]
    API_KEY = 48
    API_VERSION = 1
    RESPONSE_TYPE = _QuotasResponse
    FLEXIBLE_VERSION = True
    SCHEMA = Schema(
        (
            "components",
            CompactArray(
                ("entity_type", CompactString("utf-8")),
                ("match_type", Int8),
                ("match", CompactString("utf-8")),
                ("tags", TaggedFields),
            ),
        ),
        ("strict", Boolean),
        ("tags", TaggedFields),
    )


def set_quotas(values: Mapping[str, Mapping[str, float]]) -> Ready:
    """By user, each by name; what is not named stays as it is."""
    entries = [
        ([("user", user, _TAGS)], [(key, value, False, _TAGS) for key, value in each.items()], _TAGS)
        for user, each in values.items()
    ]
    return Ready(_AlterQuotasRequest(entries, False, _TAGS))


def describe_quotas() -> Ready:
    """Of each user that has any by its name alone."""
    return Ready(_QuotasRequest([("user", _NAMED, None, _TAGS)], True, _TAGS))


def describe_all_quotas() -> Ready:
    """Of users, of names that clients give themselves, of addresses, and of any two of these."""
    return Ready(_QuotasRequest([], False, _TAGS))


def quotas_in(answer: Any, key: str) -> dict[str, float]:
    """By user, of those that have one."""
    return {
        entity[0][1]: value for entity, values, _ in answer.entries or () for name, value, _ in values if name == key
    }
