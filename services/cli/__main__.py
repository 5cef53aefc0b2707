"""The `croupier` command. One file per command beside this one; a new one is one line in `services/cli/commands.py`."""

import sys

import typer

from libs.stack_error import StackError
from services.cli.commands import Commands

app = typer.Typer(
    name="croupier",
    help="An event-sourced online casino: its local stack, its demo and its checks.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    cls=Commands,
)


@app.callback()
def _croupier() -> None:
    pass


def main() -> None:
    """Run one command; what can't be had is one line on standard error and exit status 1."""
    try:
        app()
    except StackError as error:
        print(f"croupier: {error}", file=sys.stderr)
        raise SystemExit(1) from None


if __name__ == "__main__":
    main()
