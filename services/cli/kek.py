"""`croupier kek rotate|list|retire`: versions of the key-encryption key, changed while the house plays."""

import os
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from libs.sealing.kek_file import Keks, changing_keks, kek_id, read_keks
from libs.sealing.sealed import KEY_BYTES
from libs.stack import StackError, default_home
from services.cli.surroundings import key_file, key_in_one_line

kek = typer.Typer(help="Versions of the key-encryption key, under which decks are sealed.", no_args_is_help=True)

File = Annotated[
    Path | None, typer.Option("--file", help="Default: CROUPIER_KEK_FILE, or the house's in CROUPIER_HOME.")
]


@kek.command()
def rotate(file: File = None) -> None:
    """Take the next step to a new key: it opens, then new decks are sealed under it. Old ones open as before.

    After each step give the file to all who have it; processes see it within a second, and need not be started anew.
    """
    with _changing(file) as (keks, write):
        keks = keks.rotated(secrets.token_bytes(KEY_BYTES), time.time_ns() // 1_000_000)
        write(keks)
    newest = kek_id(keks.newest)
    if keks.seals == keks.newest:
        typer.echo(f"new decks are sealed under {newest}")
    else:
        typer.echo(f"{newest} opens; when every process has its file, `croupier kek rotate` lets new decks take it")


@kek.command(name="list")
def list_(file: File = None) -> None:
    """Tell the versions, when they were made, and which one seals new decks."""
    with key_in_one_line():
        keks = read_keks(_file(file))
    table = Table("version", "made", "seals", box=None)
    for each in keks.versions:
        made = "" if each.made_at is None else f"{datetime.fromtimestamp(each.made_at / 1000, UTC):%Y-%m-%d %H:%M:%S}Z"
        table.add_row(each.id, made or "before versions", "new decks" if each.number == keks.seals else "")
    Console().print(table)


@kek.command()
def retire(version: Annotated[int, typer.Argument(help="Its number.", min=1)], file: File = None) -> None:
    """Take an old version out of the file: what was sealed under it opens no more, for nobody.

    `croupier verify` says how many decks that are, and whether any is in play.
    """
    with _changing(file) as (keks, write):
        after = keks.without(version)
        typer.confirm(
            f"no deck under {kek_id(version)} can be opened, audited or scanned for after this; is that what you want?",
            abort=True,
        )
        write(after)
    typer.echo(f"{kek_id(version)} is not in this file any more; copies of the old file still have it")


@contextmanager
def _changing(file: Path | None) -> Iterator[tuple[Keks, Callable[[Keks], None]]]:
    """What the file holds, and how it is written; what can't be done is one line."""
    where = _file(file)
    try:
        if not where.is_file():
            raise StackError(f"{where.name} can't be read: is there a house? --file says where it lies")
        with changing_keks(where) as write, key_in_one_line():
            yield read_keks(where), write
    except OSError as wrong:
        raise StackError(f"{where.name} can't be written: {wrong.strerror}") from None
    except ValueError as wrong:
        raise StackError(f"{where.name}: {wrong}") from None


def _file(given: Path | None) -> Path:
    return given or Path(os.environ.get("CROUPIER_KEK_FILE") or key_file(default_home() / "keys", "kek"))
