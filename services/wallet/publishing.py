"""What the wallet's follower puts out: one public event for each of the journal's."""

from collections.abc import Callable, Sequence
from typing import Any

from libs.journal.commit import Commit
from libs.journal.fold import Step
from libs.journal.log import OutRecord
from libs.journal.publishing import public_records
from services.wallet.domain.account.state import State

Publish = Callable[[Commit, Sequence[Step[State, Any]]], Sequence[OutRecord]]


def wallet_publisher(events_topic: str) -> Publish:
    """The follower's `publish`, bound to its topic."""
    return lambda commit, steps: public_records(events_topic, commit)
