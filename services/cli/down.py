"""`croupier down`: the stack, stopped."""

from typing import Annotated

import typer

from libs.stack import default_home
from libs.stack import down as stop


def down(
    wipe: Annotated[bool, typer.Option("--wipe", help="Remove data, logs and ports too; downloads stay.")] = False,
) -> None:
    """Stop the Kafka and PostgreSQL that `croupier up` started; their data stays unless --wipe.

    What was given by `KAFKA_BOOTSTRAP_SERVERS` or `DATABASE_URL` is never touched.
    """
    if not stop(wipe=wipe):
        print(f"Nothing to stop in {default_home()}")
        return
    print("Stopped; data removed." if wipe else "Stopped; the data stays for the next `croupier up`.")
