"""What the tournament's follower puts out: one public event for each of the journal's."""

from typing import Any

from libs.journal.follower import Publish
from libs.journal.publishing import public_records
from services.tournament.domain.state import Tournament


def tournament_publisher(events_topic: str) -> Publish[Tournament, Any]:
    """The follower's `publish`, bound to its topic."""
    return lambda commit, steps: public_records(events_topic, commit)
