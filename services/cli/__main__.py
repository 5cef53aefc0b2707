"""The `croupier` command. One file per command beside this one; a new one is one line in the list below."""

import sys

import typer

from libs.stack import StackError
from services.cli.archive.command import archive
from services.cli.backup import backup
from services.cli.certify import certify
from services.cli.compose import compose
from services.cli.contracts import contracts
from services.cli.demo.command import demo
from services.cli.demo.visit import bots
from services.cli.disown import disown
from services.cli.export import export, summary
from services.cli.house_edge import house_edge
from services.cli.kek import kek
from services.cli.marks import marks
from services.cli.mend import mend
from services.cli.migrate import migrate
from services.cli.moving.command import house
from services.cli.operator import operator
from services.cli.platform import platform
from services.cli.provider import provider
from services.cli.rebuild import rebuild
from services.cli.reference import reference
from services.cli.replay import replay
from services.cli.restore import restore
from services.cli.sbom import sbom
from services.cli.scan import scan
from services.cli.selfcheck import selfcheck
from services.cli.serve import logs, serve, status
from services.cli.stack import down, up
from services.cli.topics import topics
from services.cli.upgrading.command import upgrade
from services.cli.verify import verify
from services.cli.watching import watching

app = typer.Typer(
    name="croupier",
    help="An event-sourced online casino: its local stack, its demo and its checks.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

app.command()(up)
app.command()(down)
app.command()(serve)
app.command()(status)
app.command()(logs)
app.command()(demo)
app.command()(bots)
app.command()(topics)
app.command()(migrate)
app.command()(compose)
app.command()(replay)
app.command()(export)
app.command()(summary)
app.command()(contracts)
app.command()(reference)
app.command()(watching)
app.command()(verify)
app.command()(rebuild)
app.command()(backup)
app.command()(restore)
app.command()(mend)
app.command()(disown)
app.command()(scan)
app.command()(sbom)
app.command()(selfcheck)
app.command()(upgrade)
app.command()(certify)
app.command()(provider)
app.command(name="house-edge")(house_edge)
app.add_typer(operator, name="operator")
app.add_typer(platform, name="platform")
app.add_typer(marks, name="marks")
app.add_typer(kek, name="kek")
app.add_typer(house, name="house")
app.add_typer(archive, name="archive")


def main() -> None:
    """Run one command; what can't be had is one line on standard error and exit status 1."""
    try:
        app()
    except StackError as error:
        print(f"croupier: {error}", file=sys.stderr)
        raise SystemExit(1) from None


if __name__ == "__main__":
    main()
