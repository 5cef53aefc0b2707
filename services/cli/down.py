"""`croupier down`: the stack, stopped."""

from typing import Annotated

import typer

from libs.stack import default_home
from libs.stack import down as stop
from services.cli.surroundings import CHECKPOINTS


def down(
    wipe: Annotated[bool, typer.Option("--wipe", help="Remove data, logs and ports too; downloads stay.")] = False,
) -> None:
    """Stop the Kafka and PostgreSQL that `croupier up` started; their data stays unless --wipe.

    What was given by `KAFKA_BOOTSTRAP_SERVERS` or `DATABASE_URL` is never touched.
    """
    stopped = stop(wipe=wipe)
    if wipe:
        # Signed heads of a log that is gone: what is started next is another log.
        (default_home() / CHECKPOINTS).unlink(missing_ok=True)
    if not stopped:
        print(f"Nothing to stop in {default_home()}")
        return
    print("Stopped; data removed." if wipe else "Stopped; the data stays for the next `croupier up`.")
