"""One sample of every event of no-draw poker."""

from typing import Any

from libs.contracts import banked_rounds as house
from libs.contracts import no_draw_poker_events as n
from libs.contracts.facts import TableEvent
from libs.contracts.table_events import ConnectionLost, ConnectionRestored, DeckCard, Refund

_HEAD: dict[str, Any] = {"at": 1_700_000_000_000, "table": "t1"}
_ROUND: dict[str, Any] = {**_HEAD, "round": 7}
_SIT: dict[str, Any] = {"seat": 1, "player": "p1", "reservation": "r1"}
_WHO: dict[str, Any] = {"seat": 1, "player": "p1"}
_RULEBOOK = "pt-803-2015-no-draw"


def samples() -> list[TableEvent]:
    card = DeckCard(5, "Th", "00" * 16, ["11" * 32, "22" * 32])
    moved: dict[str, Any] = {**_ROUND, **_SIT, "currency": "EUR"}
    return [
        ConnectionLost(**_HEAD, **_WHO),
        ConnectionRestored(**_HEAD, **_WHO),
        n.AntesOpened(
            **_ROUND,
            rulebook=_RULEBOOK,
            rulebook_hash="ab" * 32,
            configuration_version=1,
            currency="EUR",
            kind="real",
            seats=[house.SeatInRound(1, "p1", "r1", 10_000)],
            until=1_700_000_020_000,
        ),
        n.AntesExtended(**_ROUND, until=1_700_000_040_000),
        n.AntesLapsed(**_ROUND),
        n.AntePlaced(**moved, area="ante", amount=300, total=500, stack=9500, short_of=0),
        n.AnteWithdrawn(**moved, area="ante", amount=200, total=300, stack=9700),
        n.AntesClosed(**_ROUND, seats=[1]),
        n.RoundDealt(
            **_ROUND,
            deck_root="cd" * 32,
            burned=[0],
            deals=[n.RoundDeal(1, [1, 3, 5, 7, 9])],
            dealer=[2, 4, 6, 8, 10],
            dealer_up=card,
            generator="croupier-shuffle-1/os-entropy",
        ),
        n.HandsAwaited(
            **_ROUND, choices=[n.Choice(1, "p1", "r1", 300, 600, 0)], until=1_700_000_050_000, currency="EUR"
        ),
        n.HandsWarned(**_ROUND, seats=[1], until=1_700_000_060_000),
        n.SecondBetPlaced(**moved, area="bet", amount=600, total=600, stack=9100),
        n.HandSurrendered(**_ROUND, **_WHO, actor="house", cause="disconnected"),
        n.DealerShown(**_ROUND, cards=[card] * 5, category="high_card", plays=True),
        n.RoundHandShown(**_ROUND, **_WHO, cards=[card] * 5, category="pair"),
        n.RoundSettled(
            **_ROUND,
            rulebook=_RULEBOOK,
            currency="EUR",
            results=[
                n.RoundResult(
                    **_SIT,
                    staked=900,
                    credited=1800,
                    net=900,
                    stack=10_900,
                    bets=[house.BetSettled("ante", 300, 600), house.BetSettled("bet", 600, 1200)],
                    outcome="win",
                    decided_by="category",
                    multiplier=1,
                    category="pair",
                )
            ],
            house=-900,
            bank=99_100,
        ),
        n.RoundVoided(
            **_ROUND,
            cause="the house stood still",
            by="house",
            refunds=[Refund(1, "p1", "r1", 900, 10_000)],
            currency="EUR",
        ),
    ]
