"""The rules of a table at which a human deals: which entry stands behind a refusal of the dealer's."""

from services.table.domain.games.live_poker.rejections import REGULATION, RULES
from services.table.domain.games.poker.configuration import PokerConfiguration


class LiveConfiguration(PokerConfiguration):
    def rule_of(self, reason: str) -> str | None:
        return super().rule_of(reason) or (RULES.get(reason) if self.regulation == REGULATION else None)
