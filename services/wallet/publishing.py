"""What the wallet's follower puts out: one public event for each of the journal's."""

from collections.abc import Callable, Sequence

from libs.journal.commit import Commit
from libs.journal.fold import Step
from libs.journal.log import OutRecord
from libs.journal.publishing import public_events, public_records
from services.wallet.domain.account.events import Event
from services.wallet.domain.account.state import Account, State
from services.wallet.public import WalletEvent, public_event

WalletStep = Step[State, Event]
Publish = Callable[[str, int, State, Sequence[WalletStep], Commit], Sequence[OutRecord]]


def public_body(step: WalletStep) -> WalletEvent:
    assert isinstance(step.state, Account), "after an event there is an account"
    return public_event(step.state, step.event)


def wallet_publisher(events_topic: str) -> Publish:
    """The follower's `publish`, bound to its topic."""

    def publish(
        stream: str, base: int, before: State, steps: Sequence[WalletStep], commit: Commit
    ) -> Sequence[OutRecord]:
        return public_records(events_topic, public_events("wallet", steps, commit, public_body))

    return publish
