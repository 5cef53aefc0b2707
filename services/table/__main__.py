"""`python -m services.table`: runs until it is told to stop, or until a broken invariant stops it."""

import sys

from libs.edge.process import run_until_told
from libs.sealing.key_files import BadKey
from libs.telemetry import configure
from services.table.settings import TableSettings
from services.table.wiring import running


def main() -> None:
    configure("table")
    try:
        run_until_told("table", running(TableSettings()))
    except BadKey as wrong:
        sys.exit(f"table: {wrong}")


if __name__ == "__main__":
    main()
