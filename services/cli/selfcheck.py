"""`croupier selfcheck`: whether the program in this container is the one that was built."""

from pathlib import Path
from typing import Annotated

import typer

from libs.integrity import ProgramAltered, check
from libs.integrity import write as write_manifest
from libs.stack_error import StackError


def selfcheck(
    write: Annotated[
        Path | None, typer.Option(help="Write the list of digests instead: when an image is built.")
    ] = None,
) -> None:
    """Compare every file of the program with the digests made with the image (CROUPIER_MANIFEST_FILE)."""
    if write is not None:
        write_manifest(write)
        return
    try:
        files = check()
    except ProgramAltered as wrong:
        raise StackError(str(wrong)) from wrong
    if not files:
        raise StackError("no list of digests here (CROUPIER_MANIFEST_FILE): only an image has one")
    typer.echo(f"{files} files as they were built")
