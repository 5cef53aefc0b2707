"""`python -m services.gateway`: runs until it is told to stop."""

import sys

from libs.edge.process import run_until_told
from libs.sealing.key_files import BadKey
from libs.telemetry import configure
from services.gateway.settings import Settings
from services.gateway.wiring import running


def main() -> None:
    configure("gateway")
    try:
        run_until_told("gateway", running(Settings()))
    except BadKey as wrong:
        sys.exit(f"gateway: {wrong}")


if __name__ == "__main__":
    main()
