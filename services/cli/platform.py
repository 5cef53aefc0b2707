"""`croupier platform add|list|remove`: logins with which operators' platforms read the public topics at the broker."""

import asyncio
import os
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from libs.broker.broker import PLATFORMS_MECHANISM
from libs.broker.rules import PLATFORM_GROUPS, platform_login
from libs.contracts.topics import PLATFORM, TOPICS
from libs.stack import Stack, StackError, running
from libs.stack.platforms import add_platform, platforms, remove_platform

platform = typer.Typer(help="Kafka logins of operators' platforms: public events, nothing else.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="Lower-case letters and digits.")]


@platform.command()
def add(
    name: Name,
    at: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Where platforms find their door, if it is not of this home.")
    ] = "",
) -> None:
    """Make a login that reads the public events, in consumer groups of its own. Its password is kept in one file."""
    stack = _stack()
    file, login = (
        asyncio.run(add_platform(stack, name, os.environ.get("CROUPIER_TOPIC_PREFIX", ""))),
        platform_login(name),
    )
    print(f"KAFKA_BOOTSTRAP_SERVERS   {at or stack.platform(login).bootstrap}")
    print(f"user ({PLATFORMS_MECHANISM})      {login}")
    print(f"password                  in {file}")
    if stack.admin.ca_file and not at:
        print(f"TLS, certificate          {stack.admin.ca_file}")
    print(f"topics                    {', '.join(each.name for each in TOPICS if PLATFORM in each.readers)}")
    print(f"consumer groups           {login}-1 to {login}-{PLATFORM_GROUPS}")


@platform.command(name="list")
def list_() -> None:
    """Show every platform's login and what it may read."""
    told = Table("platform", "topics, groups", box=None, pad_edge=False)
    for name, names in asyncio.run(platforms(_stack())).items():
        told.add_row(name, ", ".join(names))
    Console().print(told)


@platform.command()
def remove(name: Name) -> None:
    """Take a login away: from then on it reads nothing more, on open connections either."""
    if not asyncio.run(remove_platform(_stack(), name)):
        raise StackError(f"there is no platform {name}")
    print(f"removed {name}")


def _stack() -> Stack:
    stack = running()
    if stack is None:
        raise StackError("no broker and database answer here: `croupier up` starts them")
    return stack
