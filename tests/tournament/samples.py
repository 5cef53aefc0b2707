"""One of each event of a tournament."""

from typing import Any

from libs.contracts import tournaments_events as told
from libs.contracts.facts import TournamentEvent
from libs.contracts.tournaments_events import Credit, Held
from tests.tournament.course import START, definition

_HEAD: dict[str, Any] = {"at": START, "tournament": "t-1"}
_MONEY: dict[str, Any] = {**_HEAD, "currency": "EUR", "held": Held(2_000, 200, 1_000)}
_PAID: dict[str, Any] = {
    **_MONEY, "payment": "entry-ann", "bought": "entry", "entry": "entry-ann", "player": "ann", "amount": 3_200,
    "prize": 2_000, "fee": 200, "bounty": 1_000, "chips": 10_000,
}  # fmt: skip
_MORE = {**_PAID, "payment": "payment-2", "amount": 2_000, "fee": 0, "bounty": 0}
_BACK = [Credit("entry-ann.refund", "entry-ann", "ann", prize=2_000, fee=200, bounty=1_000)]
_WHY: dict[str, Any] = {"cause": "technical", "reason": "the hall is dark", "rule": "36.a", "by": "floor-1"}


def tournament_samples() -> list[TournamentEvent]:
    return [
        told.TournamentProposed(**_HEAD, name="Sunday", definition=definition(), by="floor-1"),
        told.ProposalDeclined(**_HEAD, reason="not today", by="floor-1"),
        told.TournamentAnnounced(**_HEAD, by="supervisor-1"),
        told.RegistrationOpened(**_HEAD),
        told.PaymentDue(**_PAID),
        told.PlayerRegistered(**_PAID, number=1),
        told.PlayerReentered(**{**_PAID, "bought": "re_entry"}, number=41),
        told.RebuyMade(**{**_MORE, "bought": "rebuy"}),
        told.AddOnMade(**{**_MORE, "bought": "add_on"}),
        told.PaymentFailed(**_HEAD, payment="entry-ann", bought="entry", player="ann", reason="insufficient_funds"),
        told.PaymentReturned(**_MONEY, payment="entry-ann", player="ann", amount=3_200),
        told.PlayerUnregistered(**_HEAD, entry="entry-ann", player="ann", reason="asked", by="ann"),
        told.CreditsDue(**_MONEY, why="refund", credits=_BACK),
        told.CancellationProposed(**_MONEY, **_WHY, credits=_BACK, to_the_house=0),
        told.CancellationDeclined(**_HEAD, reason="the light is back", by="floor-1"),
        told.TournamentCancelled(**_HEAD, **_WHY, confirmed_by="supervisor-1"),
        told.FeesEarned(**_MONEY, rulebook="pt-811-2015-omaha", amount=200),
        told.TournamentStarted(**_HEAD, entries=27),
    ]
