"""A table's configuration inside its rulebook, as its game knows it; or every reason why not (`libs/rulebooks`)."""

from typing import Any

from libs.contracts.configurations import Configuration
from libs.rulebooks import configure as bounded
from libs.rulebooks.poker import PokerRulebook
from libs.rulebooks.rulebook import Refusal, Rulebook
from libs.rulebooks.tournaments import tournament_table
from services.table.domain.games.registry import GAMES


def configure(rulebook: Rulebook, asked: dict[str, Any], tournament: str = "") -> Configuration | list[Refusal]:
    """`tournament` is whose table it is, empty for a cash table."""
    game = GAMES[rulebook.game]
    if tournament:
        assert isinstance(rulebook, PokerRulebook), "only poker has tournament tables"
        configured: Configuration | list[Refusal] = tournament_table(rulebook, asked, tournament)
    else:
        configured = bounded.configure(rulebook, asked, game.read)
    return configured if isinstance(configured, list) else game.rules_of(configured)
