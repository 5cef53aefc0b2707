"""An account remembers every command of three days; that suffices for who plays most (journal 13)."""

import pytest

from libs.contracts.messages import Principal
from libs.journal.quotas import standing_of, why_no_room
from services.wallet.machine import HORIZON_MS, RING_CAP

HOUR = 3_600_000
ENTRIES = 24 * 12 * 10 * HORIZON_MS // (24 * HOUR)
"""24 at a time, each for five minutes, ten hours a day."""


@pytest.mark.parametrize("policy", ["when_payment_due", "when_credits_due"])
def test_whoever_plays_most_finds_room(policy: str) -> None:
    by = Principal("policy", f"wallet.{policy}")
    credited = 2 * ENTRIES  # a bounty and a prize of each, which is more than anybody wins
    own = {"when_payment_due": ENTRIES, "when_credits_due": credited}[policy]
    assert why_no_room(own, ENTRIES + credited, standing_of(by), RING_CAP) is None
