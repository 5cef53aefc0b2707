"""`croupier login list|rotate|shut`: passwords of the house's own logins, and of who is none of them."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from libs.broker import Broker
from libs.broker.rules import is_platform
from libs.stack import StackError, broker, database, default_home, postgres
from libs.stack.logins import ADMIN, NODE, Logins, fresh_password, house_users
from libs.stack.rotating import rotate_database, rotate_kafka, shut_kafka
from services.cli.compose import DATABASE_LOGINS
from services.cli.surroundings import Home

login = typer.Typer(help="Passwords of the house's logins at Kafka and PostgreSQL.", no_args_is_help=True)

Files = Annotated[
    Path | None, typer.Option("--logins", help="Folder of the password files; default: `logins` of the home.")
]
KAFKA = (ADMIN, *house_users())
DATABASE = (postgres.ADMIN, *DATABASE_LOGINS)


@login.command(name="list")
def listed(files: Files = None, home: Home = None) -> None:
    """Which logins there are, and whether their password files lie here. Prints no password."""
    logins = _logins(files, home)
    table = Table("login", "broker", "database", box=None, pad_edge=False)
    for user in dict.fromkeys((*KAFKA, *DATABASE)):
        there = [
            "–" if user not in known else "file" if file.exists() else "no file here"
            for known, file in ((KAFKA, logins.kafka(user)), (DATABASE, logins.postgres(user)))
        ]
        table.add_row(user, *there)
    Console().print(table)


@login.command()
def rotate(
    name: Annotated[str, typer.Argument(help="As `croupier login list` has it, or platform-NAME.")],
    files_only: Annotated[
        bool,
        typer.Option("--files-only", help="Only write new files: where operators for Kafka and PostgreSQL read them."),
    ] = False,
    files: Files = None,
    home: Home = None,
) -> None:
    """Give a login a new password at the broker, the database or both, and write it to its file.

    At the database the login is shut, its connections end, and it is opened with the new password, where the file of
    the administrator (postgres) lies beside its own; else it changes its own password and ends its other connections.
    The broker ends none that is open. Processes take the new file at their next start.
    """
    logins = _logins(files, home)
    at_kafka = name in KAFKA or logins.kafka(name).exists()
    at_database = name in DATABASE
    if not (at_kafka or at_database):
        raise StackError(f"there is no login {name}: `croupier login list` shows them")
    if at_kafka:
        _rotate_kafka(logins, name, files_only, home)
    if at_database:
        _rotate_database(logins, name, files_only, home)


@login.command()
def shut(
    name: Annotated[str, typer.Argument(help="A login of the broker that is none of the house's.")],
    home: Home = None,
) -> None:
    """Take all rules of a login of the broker away, and give it passwords that nobody knows.

    It is not deleted: at its next start Kafka 4.3 may forget all users with one that was.
    """
    if name in KAFKA or name == NODE or is_platform(name):
        raise StackError(
            f"{name} is the house's own: `croupier login rotate`, of a platform `croupier platform remove`"
        )
    asyncio.run(shut_kafka(_broker(home), name))
    print(f"{name} may do nothing at the broker, and nobody knows its password")
    print("connections that were open stay so, and may do nothing more")


def _broker(home: Path | None) -> Broker:
    found = broker(home)
    if found is None:
        raise StackError("no broker answers here: KAFKA_BOOTSTRAP_SERVERS and the administrator's login, or --home")
    return found


def _rotate_kafka(logins: Logins, name: str, files_only: bool, home: Path | None) -> None:
    if files_only:
        logins.keep_kafka({name: fresh_password()})
        print(f"{logins.kafka(name)}: a new password, which the broker has to be told")
        return
    asyncio.run(rotate_kafka(_broker(home), logins, name))
    print(f"{logins.kafka(name)}: a new password; restart who uses it")
    print("connections that were open stay so: restart the brokers, one after the other, to end a stranger's")


def _rotate_database(logins: Logins, name: str, files_only: bool, home: Path | None) -> None:
    if files_only:
        logins.keep_postgres({name: fresh_password()})
        print(f"{logins.postgres(name)}: a new password, which the database has to be told")
        return
    given = database(home)
    if given is None:
        raise StackError("no database is known here: DATABASE_URL, or --home of a local stack")
    ended = asyncio.run(rotate_database(given, logins, name, _say_how_long))
    print(f"{logins.postgres(name)}: a new password; {ended} connections under the old one ended; restart who uses it")


def _say_how_long(wait_s: float) -> None:
    typer.echo(
        f"changed; waiting {wait_s:.0f} s, for as long as the database lets anybody prove the old password who had "
        "begun to log in",
        err=True,
    )


def _logins(files: Path | None, home: Path | None) -> Logins:
    return Logins(files or (home or default_home()).resolve() / "logins")
