"""`croupier operator add|rotate|bound|list|revoke`: credentials of operators' platforms, also while the house plays."""

import os
import re
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from libs.contracts.platforms import HOUSE
from libs.contracts.roles import SCOPES, Scope
from libs.identity.operators import (
    Credential,
    UnknownCredential,
    add_operator,
    bound_operator,
    read_credentials,
    revoke_operator,
    rotate_operator,
)
from libs.stack import StackError, default_home
from services.cli.surroundings import operators_file

operator = typer.Typer(help="Credentials of operators' platforms, kept as digests in one file.", no_args_is_help=True)

File = Annotated[
    Path | None, typer.Option("--file", help="Default: CROUPIER_OPERATORS_FILE, or the house's in CROUPIER_HOME.")
]
Name = Annotated[str, typer.Argument(help="Of the credential; it goes on record with what is done with it.")]
To = Annotated[Path | None, typer.Option("--to", help="File for the token; default: standard output, once.")]
Scopes = Annotated[list[str], typer.Option("--scope", help=f"One of {', '.join(SCOPES)}; several times.")]
Platform = Annotated[
    str | None,
    typer.Option(
        "--platform",
        help="Whose it is: it acts on this platform's players and tables alone, whose ids begin with NAME~. `house`, "
        "the default of a first credential: those with plain ids.",
    ),
]
Daily = Annotated[
    list[str] | None,
    typer.Option("--daily", help="EUR=100000000: minor units that it may deposit a day through one gateway; several."),
]
Grace = Annotated[float, typer.Option("--grace", help="Hours for which the old token is still good.")]


@operator.command()
def add(
    name: Name, scope: Scopes, platform: Platform = None, daily: Daily = None, to: To = None, file: File = None
) -> None:
    """Make a credential; its token is told once and kept nowhere."""
    where = _file(file)
    held = _read(where)
    if any(each.name == name for each in held):
        raise StackError(f"there is a credential {name}; `croupier operator rotate` gives it a new token")
    others = sorted({each.platform for each in held if "house" not in each.scopes})
    if platform is None and others:
        raise StackError(
            f"there are credentials of {', '.join(others)} already: --platform says whether {name} is one more of"
            f" these, or another platform's, with players and tables of its own"
        )
    bounds, scopes = _daily(daily), _scopes(scope)
    try:
        _tell(add_operator(where, name, scopes, _now(), platform=platform or HOUSE, daily=bounds), to)
    except ValueError as wrong:
        raise StackError(str(wrong)) from None


@operator.command()
def rotate(name: Name, grace: Grace = 24.0, to: To = None, file: File = None) -> None:
    """Give a credential a new token; the old one is good for a while."""
    try:
        _tell(rotate_operator(_file(file), name, _now(), int(grace * 3_600_000)), to)
    except UnknownCredential:
        raise StackError(f"there is no credential {name}") from None


@operator.command()
def bound(name: Name, daily: Daily = None, file: File = None) -> None:
    """Say what a credential may deposit a day; without --daily: as much as it likes."""
    try:
        bound_operator(_file(file), name, _daily(daily))
    except UnknownCredential:
        raise StackError(f"there is no credential {name}") from None
    typer.echo(f"{name} may deposit a day: {' '.join(daily or ['without bound'])}")


@operator.command(name="list")
def list_(file: File = None) -> None:
    """Show names, scopes and tokens' ages; no token can be shown."""
    told = Table("name", "platform", "scopes", "since", "good")
    for each in _read(_file(file)):
        for digest in each.digests:
            ends = _day(digest.expires) if digest.expires is not None else "revoked"
            told.add_row(each.name, each.platform, ", ".join(each.scopes), _day(digest.added), f"until {ends}")
    Console().print(told)


@operator.command()
def revoke(name: Name, file: File = None) -> None:
    """Take a credential away; within a second nobody comes in with it."""
    try:
        revoke_operator(_file(file), name)
    except UnknownCredential:
        raise StackError(f"there is no credential {name}") from None
    typer.echo(f"revoked {name}")


def _daily(given: list[str] | None) -> dict[str, int]:
    bounds = {}
    for each in given or ():
        currency, _, amount = each.partition("=")
        if not re.fullmatch("[A-Z]{3}", currency) or not amount.isdecimal():
            raise StackError(f"{each}: a bound is CURRENCY=MINOR_UNITS, such as EUR=100000000")
        bounds[currency] = int(amount)
    return bounds


def _now() -> int:
    return time.time_ns() // 1_000_000


def _tell(token: str, to: Path | None) -> None:
    if to is None:
        typer.echo(token)
        return
    to.touch(mode=0o600)
    to.write_text(token + "\n")
    typer.echo(f"the token is in {to}")


def _scopes(given: list[str]) -> list[Scope]:
    known = [scope for scope in SCOPES if scope in given]
    if len(known) != len(given):
        raise StackError(f"scopes are {', '.join(SCOPES)}")
    return known


def _file(given: Path | None) -> Path:
    told = os.environ.get("CROUPIER_OPERATORS_FILE")
    file = given or (Path(told) if told else operators_file(default_home() / "keys"))
    if file.exists() and not file.is_file():
        raise StackError(f"{file} is no regular file")
    return file


def _read(file: Path) -> list[Credential]:
    try:
        return read_credentials(file).operators
    except (OSError, msgspec.MsgspecError):
        raise StackError(f"{file.name} can't be read") from None


def _day(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M")
