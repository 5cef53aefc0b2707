"""`python -m services.wallet`: decides on accounts, keeps the books, answers for them, until it is told to stop."""

from libs.edge.process import run_until_told
from libs.telemetry import configure
from services.wallet.settings import WalletSettings
from services.wallet.wiring import running


def main() -> None:
    configure("wallet")
    settings = WalletSettings()
    run_until_told("wallet", running(settings), settings.broker)


if __name__ == "__main__":
    main()
