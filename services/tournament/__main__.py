"""`python -m services.tournament`: runs until it is told to stop, or until a broken invariant stops it."""

from libs.edge.process import run_until_told
from libs.telemetry import configure
from services.tournament.settings import TournamentSettings
from services.tournament.wiring import running


def main() -> None:
    configure("tournament")
    settings = TournamentSettings()
    run_until_told("tournament", running(settings), settings.broker)


if __name__ == "__main__":
    main()
