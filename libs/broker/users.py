"""Which logins a broker has passwords of, by mechanism; aiokafka 0.14 has no request for it."""

from collections.abc import Collection
from typing import Any

from aiokafka.protocol.api import RequestStruct, Response
from aiokafka.protocol.types import CompactArray, CompactString, Int8, Int16, Int32, Schema, TaggedFields

from libs.broker.protocol import MECHANISMS, Ready

LOCKED_ITERATIONS = 4_097
"""Of a password that nobody knows, and no other of the house's: the broker shows this number, and never a password.
Who may set passwords may set one of his own with it."""
NONE_SUCH = 91
"""Kafka's code for a login without any password; aiokafka has no name for it."""
_NAMES = {number: name for name, number in MECHANISMS.items()}
_TAGS: dict[int, bytes] = {}


class _UsersResponse(Response):  # type: ignore[misc]
    API_KEY = 50
    API_VERSION = 0
    SCHEMA = Schema(
        ("throttle_time_ms", Int32),
        ("error_code", Int16),
        ("error_message", CompactString("utf-8")),
        (
            "results",
            CompactArray(
                ("user", CompactString("utf-8")),
                ("error_code", Int16),
                ("error_message", CompactString("utf-8")),
                (
                    "credentials",
                    CompactArray(("mechanism", Int8), ("iterations", Int32), ("tags", TaggedFields)),
                ),
                ("tags", TaggedFields),
            ),
        ),
        ("tags", TaggedFields),
    )


class _UsersRequest(RequestStruct):  # type: ignore[misc]
    API_KEY = 50
    API_VERSION = 0
    RESPONSE_TYPE = _UsersResponse
    FLEXIBLE_VERSION = True
    SCHEMA = Schema(
        ("users", CompactArray(("name", CompactString("utf-8")), ("tags", TaggedFields))),
        ("tags", TaggedFields),
    )


def describe_users(names: Collection[str] = ()) -> Ready:
    """Of these; with no name, of all. Takes DESCRIBE on the cluster."""
    # The array that is none would say the same, but to who may not ask it Kafka 4.3 then answers nothing at all.
    return Ready(_UsersRequest([(name, _TAGS) for name in names], _TAGS))


def users_in(answer: Any) -> dict[str, dict[str, int]]:
    """Login to mechanism to iterations; of those that have any."""
    return {
        user: {_NAMES.get(mechanism, str(mechanism)): iterations for mechanism, iterations, _ in found}
        for user, _, _, found, _ in answer.results or ()
        if found
    }
