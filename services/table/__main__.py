"""`python -m services.table`: runs until it is told to stop, or until a broken invariant stops it."""

from libs.edge.process import run_until_told
from libs.telemetry import configure
from services.table.settings import TableSettings
from services.table.wiring import running


def main() -> None:
    configure("table")
    settings = TableSettings()
    run_until_told("table", running(settings), settings.broker)


if __name__ == "__main__":
    main()
