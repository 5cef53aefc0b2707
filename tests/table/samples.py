"""One sample of every event of a table."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from libs.contracts import poker_events as hand
from libs.contracts import table_events as seating
from libs.contracts.any_configuration import AnyConfiguration, as_told
from libs.contracts.facts import TableEvent
from libs.rulebooks.library import RULEBOOKS
from libs.sealing.sealed import Keyring
from services.table.configure import configure
from tests.table.bank_samples import bank_samples
from tests.table.casino_samples import casino_samples, live_samples
from tests.table.play import PORTUGAL, configuration

KEYRING = Keyring({"k1": bytes(range(32))}, "k1")
_HEAD: dict[str, Any] = {"at": 1_700_000_000_000, "table": "t1"}
_SIT: dict[str, Any] = {"reservation": "r1", "player": "p1", "seat": 1, "currency": "EUR"}
_IN_HAND: dict[str, Any] = {"hand": 7, "seat": 1, "player": "p1"}


def _configuration() -> AnyConfiguration:
    answer = configure(RULEBOOKS[PORTUGAL], configuration(PORTUGAL))
    assert not isinstance(answer, list)
    return as_told(answer)


def sample_events() -> list[TableEvent]:
    """Every event class once."""
    top_up: dict[str, Any] = {"top_up": "u1", "amount": 500}
    card = seating.DeckCard(12, "Th", "00" * 16, ["11" * 32, "22" * 32])
    return [
        seating.TableOpened(**_HEAD, name="One", configuration=_configuration(), rulebook_hash="ab" * 32, by="staff-1"),
        seating.ConfigurationAnnounced(**_HEAD, configuration=_configuration(), rulebook_hash="ab" * 32, by="staff-1"),
        seating.ConfigurationRequested(**_HEAD, configuration=_configuration(), rulebook_hash="ab" * 32, by="staff-1"),
        seating.ConfigurationDeclined(**_HEAD, version=2, requested_by="staff-1", by="staff-2", reason="not today"),
        seating.ConfigurationActivated(**_HEAD, configuration=_configuration(), rulebook_hash="ab" * 32, by="staff-1"),
        seating.TablePaused(**_HEAD, by="staff-1", reason="check"),
        seating.TableResumed(**_HEAD, by="staff-1", left_out=True),
        seating.VoidRequested(**_HEAD, round=7, cause="a card was seen", by="staff-1"),
        seating.TableSuspended(**_HEAD),
        seating.TableClosing(**_HEAD, by="staff-1", reason="night"),
        seating.TableClosed(**_HEAD),
        seating.SeatReserved(**_HEAD, **_SIT, amount=10_000, until=1_700_000_030_000),
        seating.SeatReleased(**_HEAD, **_SIT, reason="lapsed"),
        seating.PlayerSeated(
            **_HEAD, **_SIT, amount=10_000, commission=0, stack=10_000, kind="real", rulebook=PORTUGAL, uncharged=0
        ),
        seating.TopUpRequested(**_HEAD, **_SIT, **top_up),
        seating.TopUpDue(**_HEAD, **_SIT, **top_up),
        seating.TopUpFunded(**_HEAD, **_SIT, **top_up),
        seating.TopUpAdded(**_HEAD, **_SIT, **top_up, commission=0, stack=9000, rulebook=PORTUGAL, uncharged=2_500),
        seating.TopUpFailed(**_HEAD, **_SIT, top_up="u1", reason="reserve_refused"),
        seating.PlayerSatOut(**_HEAD, player="p1", seat=1, reason="break", until=1_700_000_600_000),
        seating.PlayerSatIn(**_HEAD, player="p1", seat=1, posts_big_blind=True),
        seating.PlayerInvitedToLeave(**_HEAD, player="p1", seat=1, reason="absent"),
        seating.PlayerWarned(**_HEAD, player="p1", seat=1, reason="absent"),
        seating.NoticeLifted(**_HEAD, player="p1", seat=1, reason="absent"),
        seating.LeaveRequested(**_HEAD, player="p1", seat=1, reason="removed", by="staff-1", cause="conduct"),
        seating.PlayerLeft(**_HEAD, **_SIT, stack=9000, reason="removed"),
        seating.RefundSent(**_HEAD, **_SIT, amount=100),
        hand.ButtonDrawn(**_HEAD, seat=3, among=[1, 3, 5]),
        hand.VariantChosen(**_HEAD, seat=3, player="p3", variant="omaha"),
        hand.HandStarted(
            **_HEAD,
            hand=7,
            rulebook=PORTUGAL,
            rulebook_hash="ab" * 32,
            configuration_version=1,
            currency="EUR",
            kind="real",
            button=3,
            small_blind=3,
            big_blind=1,
            seats=[hand.SeatInHand(1, "p1", "r1", 9000), hand.SeatInHand(3, "p3", "r3", 8000)],
            deck_root="cd" * 32,
            deck_leaves=30,
        ),
        hand.BlindPosted(
            **_HEAD,
            **_IN_HAND,
            blind="big",
            compulsory=True,
            amount=100,
            to=100,
            stack=8900,
            all_in=False,
            currency="EUR",
        ),
        hand.HoleCardsDealt(**_HEAD, hand=7, deals=[hand.Deal(3, [0, 2, 4, 6]), hand.Deal(1, [1, 3, 5, 7])]),
        hand.DecisionAwaited(
            **_HEAD,
            **_IN_HAND,
            street="preflop",
            legal=hand.LegalActs(False, 100, 200, 350),
            until=1_700_000_020_000,
            bank_until=1_700_000_025_000,
        ),
        hand.PlayerFolded(**_HEAD, **_IN_HAND, actor="house", reason="left", time_bank_left=5000),
        hand.PlayerChecked(**_HEAD, **_IN_HAND, actor="house", reason="timeout"),
        hand.BetPlaced(
            **_HEAD,
            **_IN_HAND,
            act="raise",
            entered_by="dealer-1",
            amount=350,
            to=350,
            stack=8550,
            all_in=False,
            currency="EUR",
            time_bank_left=5000,
        ),
        hand.StreetDealt(**_HEAD, hand=7, street="turn", cards=[card], burned=[11]),
        hand.DealCorrectionRequested(**_HEAD, hand=7, cause="the burn was turned", by="staff-1"),
        hand.DealCorrected(
            **_HEAD,
            hand=7,
            deals=[hand.Deal(2, [0, 3, 6, 9])],
            withdrawn=[17],
            cards=[card],
            cause="the burn was turned",
            by="staff-1",
        ),
        hand.UncalledBetReturned(**_HEAD, **_IN_HAND, amount=250, stack=8800, currency="EUR"),
        hand.CardsShown(
            **_HEAD,
            **_IN_HAND,
            cards=[card],
            category="straight",
            hole_used=["Th", "9c"],
            board_used=["8d", "7s", "6h"],
        ),
        hand.PotAwarded(
            **_HEAD,
            hand=7,
            pot="side_1",
            amount=1000,
            eligible=[1, 3],
            winners=[1],
            rake=50,
            basis="per_payment",
            payments=[hand.Payment(1, "p1", 1000, 50, 950)],
            currency="EUR",
            rulebook=PORTUGAL,
        ),
        hand.HandEnded(
            **_HEAD,
            hand=7,
            results=[hand.SeatResult(1, "p1", "r1", 500, 950, 50, 9450)],
            rake=50,
            exemption=None,
            currency="EUR",
        ),
        hand.HandVoided(
            **_HEAD,
            hand=7,
            cause="deck lost",
            by="staff-1",
            refunds=[seating.Refund(1, "p1", "r1", 500, 9000)],
            currency="EUR",
        ),
        *casino_samples(),
        *live_samples(),
        *bank_samples(),
        *_in_folders(),
    ]


def _in_folders() -> Iterator[TableEvent]:
    """Of games, and of what else has a folder and `samples` in it."""
    for file in sorted(Path(__file__).parent.glob("*/samples.py")):
        yield from import_module(f"tests.table.{file.parent.name}.samples").samples()
