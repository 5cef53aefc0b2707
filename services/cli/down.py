"""`croupier down`: the stack, stopped."""

from typing import Annotated

import typer

from libs.stack import default_home
from libs.stack import down as stop
from services.cli.processes import stop_left_running
from services.cli.surroundings import CHECKPOINTS


def down(
    wipe: Annotated[bool, typer.Option("--wipe", help="Remove data, logs and ports too; downloads stay.")] = False,
) -> None:
    """Stop the services left by `croupier demo --keep`, then Kafka and PostgreSQL; their data stays unless --wipe.

    What was given by `KAFKA_BOOTSTRAP_SERVERS` or `DATABASE_URL` is never touched.
    """
    services = stop_left_running(default_home() / "logs")
    if services:
        print(f"Stopped {', '.join(services)}.")
    stopped = stop(wipe=wipe)
    if wipe:
        # Signed heads of a log that is gone: what is started next is another log.
        (default_home() / CHECKPOINTS).unlink(missing_ok=True)
    if not stopped:
        print(f"Nothing to stop in {default_home()}")
        return
    print("Stopped; data removed." if wipe else "Stopped; the data stays for the next `croupier up`.")
