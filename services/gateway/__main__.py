"""`python -m services.gateway`: runs until it is told to stop."""

from libs.edge.process import run_until_told
from libs.telemetry import configure
from services.gateway.settings import Settings
from services.gateway.wiring import running


def main() -> None:
    configure("gateway")
    settings = Settings()
    run_until_told("gateway", running(settings), settings.broker)


if __name__ == "__main__":
    main()
