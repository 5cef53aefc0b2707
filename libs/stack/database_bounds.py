"""What keeps a login of the house from filling the database server's disk: bounds that only its superuser may lift."""

from collections.abc import Sequence

TEMP_FILES = {"wallet": "256MB", "audit": "2GB", "inspector": "2GB", "archivist": "8GB"}
"""What statements of one session of a login (and of each parallel worker) may put on disk for themselves. The books
sort a page; the auditor adds up by account only where all transfers and all balances are not the same, some millions at
once; the inspector's `croupier scan` sorts tables by time; a month leaves in the order of its key, and is added up on
its way, slice by slice."""
QUIET = {"log_min_messages": "fatal", "log_min_error_statement": "panic"}
"""Of a login's sessions the server's log has how they ended and nothing of what they said: `raise log`, a statement
that fails, or `debug_print_parse` write as fast as the disk takes it. `fatal` is above `log`; `error` is not."""


def bounded(user: str) -> list[str]:
    """SQL for the superuser; nothing for the owner, who may fill the database itself."""
    if user not in TEMP_FILES:
        return []
    kept = {"temp_file_limit": TEMP_FILES[user], **QUIET}
    return [f"alter role \"{user}\" set {name} = '{value}'" for name, value in kept.items()]


def inside(owner: str) -> list[str]:
    """SQL for the superuser, of one database, inside it. What `owner` needs is granted before it is everybody's no
    more: functions that are there run for whoever may call them, whatever their language."""
    return [
        # Large objects belong to whoever makes them; a snapshot is a file until its transaction ends; a message is WAL.
        f"revoke execute on function {', '.join(_FILL)} from public",
        f'grant execute on function pg_export_snapshot() to "{owner}"',  # for `pg_dump --jobs`
        f'grant usage on language plpgsql to "{owner}"',
        "revoke usage on language plpgsql from public",
    ]


_FILL = (
    *("lo_creat(integer)", "lo_create(oid)", "lo_from_bytea(oid, bytea)", "lo_put(oid, bigint, bytea)"),
    "lowrite(integer, bytea)",
    "pg_export_snapshot()",
    *(f"pg_logical_emit_message(boolean, text, {each}, boolean)" for each in ("text", "bytea")),
)


def again(owner: str, users: Sequence[str]) -> str:
    """A script for psql, as the superuser and in the house's database, for a server whose logins an earlier build made.
    It may run as often as one likes."""
    lines = [*(each for user in users for each in bounded(user)), *inside(owner)]
    return "".join(f"{line};\n" for line in lines)
