"""What a build says and understands: its events, commands, states, topics, tables and settings, as one document."""

import hashlib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec

from libs.contracts.commands import Command
from libs.contracts.messages import CommandMessage, Reply
from libs.contracts.registry import (
    ALL_TABLE_COMMANDS,
    ALL_TOURNAMENT_COMMANDS,
    ALL_WALLET_COMMANDS,
    EVENT_TYPES,
)
from libs.contracts.schemas import schemas_of
from libs.contracts.topics import TOPICS
from libs.journal import commit, manifests
from libs.projecting.migrator import OWN_MIGRATIONS
from services.audit.settings import MIGRATIONS as OF_AUDIT
from services.cli.given import whole
from services.cli.house import SETTINGS
from services.table import journal_format as table_format
from services.tournament import journal_format as tournament_format
from services.wallet import journal_format as wallet_format
from services.wallet.projections import MIGRATIONS as OF_WALLET

COMMANDS = {kind.__name__: kind for kind in (*ALL_TABLE_COMMANDS, *ALL_WALLET_COMMANDS, *ALL_TOURNAMENT_COMMANDS)}
_WORDS = ("description", "examples", "title")
_MOST_BYTES = 16 * 2**20
"""Of a description; this build's has some 300 kB."""


class TopicOf(msgspec.Struct, frozen=True):
    writers: tuple[str, ...]
    readers: tuple[str, ...]
    config: dict[str, str]
    single: bool = False


class CommandOf(msgspec.Struct, frozen=True):
    service: str
    """Who decides it."""
    senders: tuple[str, ...]


class Build(msgspec.Struct, frozen=True):
    """Names are as they stand on the wire; later builds may add fields to this document, and drop none."""

    version: str
    events: dict[str, str]
    """Type of an event to the name of its schema."""
    commands: dict[str, CommandOf]
    envelopes: tuple[str, ...]
    """Schemas of what crosses our own topics around commands and answers."""
    schemas: dict[str, Any]
    """JSON Schemas without their words."""
    states: dict[str, tuple[str, ...]]
    """By service, formats of a snapshot's state that are read; the first is written."""
    formats: dict[str, str]
    """Of the journal's own records."""
    topics: dict[str, TopicOf]
    migrations: dict[str, str]
    """File to the SHA-256 of its text."""
    settings: dict[str, dict[str, bool]]
    """By service, variable to whether it must be given."""


def this_build() -> Build:
    """The one that runs."""
    kinds: list[type[msgspec.Struct]] = [*EVENT_TYPES.values(), *COMMANDS.values(), CommandMessage, Reply]
    return Build(
        version=version("croupier"),
        events={name: kind.__name__ for name, kind in sorted(EVENT_TYPES.items())},
        commands={name: CommandOf(kind.service, _senders(kind)) for name, kind in sorted(COMMANDS.items())},
        envelopes=(CommandMessage.__name__, Reply.__name__),
        schemas=_bare(schemas_of(kinds)),
        states={
            "table": (str(table_format.STATE_FORMAT),),
            "tournament": _as_text(tournament_format.READ),
            "wallet": _as_text(wallet_format.READ),
        },
        formats={"commit": str(commit.FORMAT), "manifest": manifests.FORMAT.hex()},
        topics={each.name: TopicOf(each.writers, each.readers, each.config, each.is_single) for each in TOPICS},
        migrations=dict(_files()),
        settings={service: _variables(kind) for service, kind in SETTINGS.items()},
    )


def read_build(file: Path) -> Build:
    """Raises OSError, or msgspec.MsgspecError for what is no such document."""
    return msgspec.json.decode(whole(file, _MOST_BYTES), type=Build)


def as_text(build: Build) -> str:
    return msgspec.json.format(msgspec.json.encode(build, order="sorted"), indent=1).decode() + "\n"


def _senders(kind: type[Command]) -> tuple[str, ...]:
    """A policy and a timer live in the service whose commands they send."""
    own = kind.service if not kind.by_gateway else "gateway"
    by = {"policy": own, "timer": own, "tournament": "tournament"}
    return tuple(sorted({by.get(each, "gateway") for each in kind.may_ask}))


def _as_text(formats: tuple[bytes, ...]) -> tuple[str, ...]:
    return tuple(each.hex() for each in formats)


def _bare(schema: Any) -> Any:
    """Without words for people. What stands below `properties` are names of fields, whatever they are called."""
    if isinstance(schema, list):
        return [_bare(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: _bare(each) for name, each in value.items()} if key == "properties" else _bare(value)
        for key, value in schema.items()
        if key not in _WORDS or not isinstance(value, str | list)
    }


def _files() -> list[tuple[str, str]]:
    return [
        (f"{folder.parent.name}/{file.name}", hashlib.sha256(file.read_bytes()).hexdigest())
        for folder in (OWN_MIGRATIONS, OF_AUDIT, OF_WALLET)
        for file in sorted(folder.glob("*.sql"))
    ]


def _variables(kind: Any) -> dict[str, bool]:
    prefix = kind.model_config.get("env_prefix", "")
    return {str(field.alias or prefix + name).upper(): field.is_required() for name, field in kind.model_fields.items()}
