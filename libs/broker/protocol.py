"""Requests about users, rules and topics that aiokafka 0.14 has no method for, in its own descriptions of structs."""

from collections.abc import Iterable
from io import BytesIO
from typing import Any
from uuid import UUID

from aiokafka.protocol.abstract import AbstractType
from aiokafka.protocol.admin import (
    CreateAclsRequest_v1,
    DeleteAclsRequest_v1,
    DescribeAclsRequest_v1,
    DescribeConfigsRequest_v1,
)
from aiokafka.protocol.api import RequestStruct, Response
from aiokafka.protocol.struct import Struct
from aiokafka.protocol.types import (
    Array,
    Boolean,
    Bytes,
    CompactArray,
    CompactBytes,
    CompactString,
    Int8,
    Int16,
    Int32,
    Schema,
    String,
    TaggedFields,
)

ANY = 1
ALLOW = 3
LITERAL, PREFIXED = 3, 4
_TOPIC, _BROKER = 2, 4
_SAFE_DOWNGRADE = 2
MECHANISMS = {"SCRAM-SHA-256": 1, "SCRAM-SHA-512": 2}
_TAGS: dict[int, bytes] = {}


class _AlterUsersResponse(Response):  # type: ignore[misc]
    API_KEY = 51
    API_VERSION = 0
    SCHEMA = Schema(
        ("throttle_time_ms", Int32),
        (
            "results",
            CompactArray(
                ("user", CompactString("utf-8")),
                ("error_code", Int16),
                ("error_message", CompactString("utf-8")),
                ("tags", TaggedFields),
            ),
        ),
        ("tags", TaggedFields),
    )


class _AlterUsersRequest(RequestStruct):  # type: ignore[misc]
    API_KEY = 51
    API_VERSION = 0
    RESPONSE_TYPE = _AlterUsersResponse
    FLEXIBLE_VERSION = True
    SCHEMA = Schema(
        ("deletions", CompactArray(("name", CompactString("utf-8")), ("mechanism", Int8), ("tags", TaggedFields))),
        (
            "upsertions",
            CompactArray(
                ("name", CompactString("utf-8")),
                ("mechanism", Int8),
                ("iterations", Int32),
                ("salt", CompactBytes),
                ("salted_password", CompactBytes),
                ("tags", TaggedFields),
            ),
        ),
        ("tags", TaggedFields),
    )


class _Id(AbstractType[UUID]):  # type: ignore[misc]
    @classmethod
    def encode(cls, value: UUID) -> bytes:
        return value.bytes

    @classmethod
    def decode(cls, data: BytesIO) -> UUID:
        return UUID(bytes=data.read(16))


_NODES = CompactArray(Int32)


class _TopicsResponse(Response):  # type: ignore[misc]
    API_KEY = 3
    API_VERSION = 12
    SCHEMA = Schema(
        ("throttle_time_ms", Int32),
        (
            "brokers",
            CompactArray(
                ("node_id", Int32),
                ("host", CompactString("utf-8")),
                ("port", Int32),
                ("rack", CompactString("utf-8")),
                ("tags", TaggedFields),
            ),
        ),
        ("cluster_id", CompactString("utf-8")),
        ("controller_id", Int32),
        (
            "topics",
            CompactArray(
                ("error_code", Int16),
                ("name", CompactString("utf-8")),
                ("id", _Id),
                ("is_internal", Boolean),
                (
                    "partitions",
                    CompactArray(
                        ("error_code", Int16),
                        ("partition", Int32),
                        ("leader", Int32),
                        ("leader_epoch", Int32),
                        ("replicas", _NODES),
                        ("isr", _NODES),
                        ("offline", _NODES),
                        ("tags", TaggedFields),
                    ),
                ),
                ("operations", Int32),
                ("tags", TaggedFields),
            ),
        ),
        ("tags", TaggedFields),
    )


class _TopicsRequest(RequestStruct):  # type: ignore[misc]
    """Metadata, of the first version that names a topic by its id and lets us ask by name."""

    API_KEY = 3
    API_VERSION = 12
    RESPONSE_TYPE = _TopicsResponse
    FLEXIBLE_VERSION = True
    SCHEMA = Schema(
        ("topics", CompactArray(("id", _Id), ("name", CompactString("utf-8")), ("tags", TaggedFields))),
        ("allow_auto_creation", Boolean),
        ("include_operations", Boolean),
        ("tags", TaggedFields),
    )


class _SetSettingsResponse(Response):  # type: ignore[misc]
    API_KEY = 44
    API_VERSION = 0
    SCHEMA = Schema(
        ("throttle_time_ms", Int32),
        (
            "responses",
            Array(
                ("error_code", Int16),
                ("error_message", String("utf-8")),
                ("resource_type", Int8),
                ("resource_name", String("utf-8")),
            ),
        ),
    )


class _SetSettingsRequest(RequestStruct):  # type: ignore[misc]
    """IncrementalAlterConfigs: aiokafka's own request would set everything else back."""

    API_KEY = 44
    API_VERSION = 0
    RESPONSE_TYPE = _SetSettingsResponse
    SCHEMA = Schema(
        (
            "resources",
            Array(
                ("resource_type", Int8),
                ("resource_name", String("utf-8")),
                (
                    "configs",
                    Array(("name", String("utf-8")), ("config_operation", Int8), ("value", String("utf-8"))),
                ),
            ),
        ),
        ("validate_only", Boolean),
    )


class _FeaturesResponse(Response):  # type: ignore[misc]
    API_KEY = 57
    API_VERSION = 1
    SCHEMA = Schema(
        ("throttle_time_ms", Int32),
        ("error_code", Int16),
        ("error_message", CompactString("utf-8")),
        (
            "results",
            CompactArray(
                ("feature", CompactString("utf-8")),
                ("error_code", Int16),
                ("error_message", CompactString("utf-8")),
                ("tags", TaggedFields),
            ),
        ),
        ("tags", TaggedFields),
    )


class _FeaturesRequest(RequestStruct):  # type: ignore[misc]
    API_KEY = 57
    API_VERSION = 1
    RESPONSE_TYPE = _FeaturesResponse
    FLEXIBLE_VERSION = True
    SCHEMA = Schema(
        ("timeout_ms", Int32),
        (
            "updates",
            CompactArray(
                ("feature", CompactString("utf-8")), ("level", Int16), ("upgrade_type", Int8), ("tags", TaggedFields)
            ),
        ),
        ("validate_only", Boolean),
        ("tags", TaggedFields),
    )


class _GroupsResponse(Response):  # type: ignore[misc]
    API_KEY = 15
    API_VERSION = 4
    SCHEMA = Schema(
        ("throttle_time_ms", Int32),
        (
            "groups",
            Array(
                ("error_code", Int16),
                ("group", String("utf-8")),
                ("state", String("utf-8")),
                ("protocol_type", String("utf-8")),
                ("protocol", String("utf-8")),
                (
                    "members",
                    Array(
                        ("member_id", String("utf-8")),
                        ("instance_id", String("utf-8")),
                        ("client_id", String("utf-8")),
                        ("client_host", String("utf-8")),
                        ("metadata", Bytes),
                        ("assignment", Bytes),
                    ),
                ),
                ("operations", Int32),
            ),
        ),
    )


class _GroupsRequest(RequestStruct):  # type: ignore[misc]
    """Of the first version that tells instances."""

    API_KEY = 15
    API_VERSION = 4
    RESPONSE_TYPE = _GroupsResponse
    SCHEMA = Schema(("groups", Array(String("utf-8"))), ("include_operations", Boolean))


class Ready:
    """A struct in the shape that aiokafka's client sends: it asks for the version that both sides know."""

    def __init__(self, struct: Struct) -> None:
        self._struct = struct

    def prepare(self, versions: Any) -> Struct:
        return self._struct


Acl = tuple[int, str | None, int, str | None, str | None, int, int]
"""Resource's kind and name, pattern, principal, host, operation, permission; None is any."""


def create_acls(acls: list[Acl]) -> Ready:
    return Ready(CreateAclsRequest_v1(acls))


def delete_acls(filters: list[Acl]) -> Ready:
    return Ready(DeleteAclsRequest_v1(filters))


def describe_acls(matching: Acl) -> Ready:
    return Ready(DescribeAclsRequest_v1(*matching))


def set_users(made: list[tuple[str, int, bytes, bytes]], mechanism: str) -> Ready:
    """`made`: name, iterations, salt, salted password. None is ever deleted: `Administration.lock_out` says why."""
    return Ready(_AlterUsersRequest([], [(name, MECHANISMS[mechanism], *of, _TAGS) for name, *of in made], _TAGS))


def turn_off(features: Iterable[str]) -> Ready:
    """Level 0, unless the cluster has a use for them already."""
    return Ready(_FeaturesRequest(10_000, [(name, 0, _SAFE_DOWNGRADE, _TAGS) for name in features], False, _TAGS))


def describe_topics(names: Iterable[str]) -> Ready:
    """Which topics have these names: each has an id that no other topic ever has, of whatever name."""
    return Ready(_TopicsRequest([(UUID(int=0), name, _TAGS) for name in names], False, False, _TAGS))


def describe_groups(names: Iterable[str]) -> Ready:
    """Which state groups are in, and who is a member; each is known to the node that coordinates it."""
    return Ready(_GroupsRequest(list(names), False))


def describe_settings(names: Iterable[str], settings: Iterable[str]) -> Ready:
    """These settings of topics, as they are in force."""
    wanted = list(settings)
    return Ready(DescribeConfigsRequest_v1([(_TOPIC, name, wanted) for name in names], False))


def describe_broker(node: int) -> Ready:
    """All settings of this broker, and what each is elsewhere, to be asked of it alone. Takes DESCRIBE_CONFIGS on the
    cluster."""
    return Ready(DescribeConfigsRequest_v1([(_BROKER, str(node), None)], True))


def describe_all_acls() -> Ready:
    """Takes DESCRIBE on the cluster."""
    return describe_acls((ANY, None, ANY, None, None, ANY, ANY))


def set_setting(names: Iterable[str], setting: str, value: str) -> Ready:
    """One setting of topics; the others stay as they are."""
    return Ready(_SetSettingsRequest([(_TOPIC, name, [(setting, 0, value)]) for name in names], False))
