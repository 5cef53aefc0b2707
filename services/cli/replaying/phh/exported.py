"""An export of ours, exported once more after it was replayed: what the house wrote it has to write again."""

import tomllib
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from libs.contracts.configurations import flat
from libs.contracts.facts import HandEvent, TableEvent
from libs.contracts.poker_configuration import PokerConfiguration
from libs.views.hand import Hand, fold_hand
from services.audit.exporting.hand import PublicHand
from services.audit.exporting.phh import phh_of
from services.cli.replaying.phh.setting import REPLACED
from services.cli.replaying.play import Outcome

_FIELDS = (
    "variant", "ante_trimming_status", "antes", "blinds_or_straddles", "min_bet", "small_bet", "big_bet",
    "starting_stacks", "finishing_stacks", "seats", "seat_count", "actions",
)  # fmt: skip
_OWN = (
    "rulebook", "currency", "kind", "deck_leaves", "button", "small_blind", "big_blind", "missed", "idle", "protected",
    "outcome", "rake",
)  # fmt: skip
"""Not among them: whose table it was, when, and what hangs on the salts of its cards."""


def compare_again(
    document: dict[str, Any], rules: PokerConfiguration, told: Iterable[TableEvent], outcome: Outcome
) -> None:
    """Of the fields of an export those that a replay tells again."""
    record: Hand | None = None
    for version, event in enumerate(told, 1):
        if isinstance(event, HandEvent) and not (record is not None and record.over):
            record = fold_hand(record, event, version, "", rules.betting.big_blind)
    assert record is not None, "a hand that was replayed has begun"
    again = tomllib.loads(phh_of(PublicHand(rules, record)), parse_float=Decimal)
    for theirs, ours, fields in ((document, again, _FIELDS), (document["_croupier"], again["_croupier"], _OWN)):
        claims = {name: theirs[name] for name in fields if name in theirs}
        outcome.compare("exported again:", claims, ours)
    chosen = document["_croupier"]["configuration"]
    outcome.compare("configuration", {name: chosen[name] for name in chosen if name not in REPLACED}, flat(rules))
