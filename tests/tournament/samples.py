"""One of each event of a tournament."""

from typing import Any

from libs.contracts import tournament_play_events as play
from libs.contracts import tournament_ticket_events as ticketing
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
_AT: dict[str, Any] = {**_HEAD, "entry": "entry-ann", "player": "ann", "table": 3, "seat": 7, "sitting": "41.2"}
_VALUES: dict[str, Any] = {"structure": "pot_limit", "version": 2, "seats": 9, "small_blind": 75, "big_blind": 150}
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
        told.PurchaseNoted(**_HEAD, payment="payment-2", bought="rebuy", entry="entry-ann", player="ann"),
        told.PaymentFailed(**_HEAD, payment="entry-ann", bought="entry", player="ann", reason="insufficient_funds"),
        told.PaymentReturned(**_MONEY, payment="entry-ann", player="ann", amount=3_200),
        told.PlayerUnregistered(**_HEAD, entry="entry-ann", player="ann", reason="asked", by="ann"),
        told.CreditsDue(**_MONEY, why="refund", credits=_BACK),
        told.CancellationProposed(sheet=1, **_MONEY, **_WHY, credits=_BACK, to_the_house=0),
        told.CancellationDeclined(**_HEAD, reason="the light is back", by="floor-1"),
        told.TournamentCancelled(**_HEAD, **_WHY, confirmed_by="supervisor-1"),
        told.TournamentPaused(**_HEAD, reason="the lights went out", by="floor-1", tables=[1, 2]),
        told.RestartAnnounced(**_HEAD, reason="the lights are back", by="floor-2", goes_on_at=START + 60_000),
        told.TournamentResumed(**_HEAD, reason="the lights are back", by="floor-1"),
        told.ClockAdjusted(**_HEAD, reason="a minute was lost", by="supervisor-1", ms=-60_000),
        told.PlayerExcluded(
            **_HEAD, reason="self-exclusion", by="security-1", player="ann", entry="entry-ann", table=3, sitting="41.2"
        ),
        told.ExclusionConfirmed(**_HEAD, reason="seen on the list", by="security-2", player="ann"),
        told.PlayerDisqualified(
            **_HEAD, reason="two seats", by="supervisor-1", player="ann", entry="entry-ann", table=3, sitting="41.2"
        ),
        told.PrizesWithheld(**_MONEY, credits=[Credit("entry-ann.prize", "entry-ann", "ann", prize=3_000)]),
        told.PrizeReleased(**_HEAD, reason="the appeal was right", by="supervisor-2", player="ann"),
        told.DisqualificationFinal(**_HEAD, reason="nobody appealed", by="supervisor-2", player="ann"),
        told.MoveOrdered(**_HEAD, reason="cannot see", by="floor-1", entry="entry-ann", player="ann", to_table=2),
        told.LanguageChosen(**_HEAD, player="ann", language="en"),
        told.ComplaintOpened(
            **_HEAD,
            complaint="complaint-9",
            player="ann",
            text="the pot was mine",
            table=1,
            hand=4711,
            rulebook="pt-811-2015-omaha",
            rules="9f" * 32,
            language="en",
            chosen_at=START,
        ),
        told.ComplaintDecided(
            **_HEAD,
            reason="the record shows it",
            by="supervisor-1",
            complaint="complaint-9",
            player="ann",
            upheld=False,
            rules="9f" * 32,
        ),
        told.NoticeGiven(**_HEAD, text="Dinner is served.", by="floor-1"),
        told.FeesEarned(**_MONEY, rulebook="pt-811-2015-omaha", amount=200),
        told.TournamentStarted(**_HEAD, entries=27),
        *_ticketed(),
        *_played(),
    ]


def _ticketed() -> list[TournamentEvent]:
    ticket: dict[str, Any] = {**_MONEY, "ticket": "satellite-1.4", "player": "ann", "amount": 3_200}
    won = [ticketing.TicketWon("satellite-1.4", "entry-ann", "ann")]
    return [
        ticketing.TargetAsked(**_HEAD, target="t-2", value=3_200, currency="EUR", starts_at=START, by="supervisor-1"),
        ticketing.SatelliteAdmitted(**_HEAD, satellite="satellite-1"),
        ticketing.SatelliteRefused(**_HEAD, satellite="satellite-1", reason="other_price"),
        ticketing.ApprovalFailed(**_HEAD, reason="not_answered"),
        ticketing.TicketsAwarded(**_MONEY, target="t-2", value=3_200, origin="satellite", tickets=won),
        ticketing.TicketIssued(**ticket, origin="satellite", satellite="satellite-1", won_at=START),
        ticketing.TicketRestored(**ticket, entry="entry-ann", prize=2_000, fee=200, bounty=1_000),
        ticketing.TicketLapsed(**ticket, to="prize"),
    ]


def _played() -> list[TournamentEvent]:
    return [
        play.StartDrawn(**_HEAD, generator="croupier-lots-1/os-entropy", tables=3, clock_from=START),
        play.TableSetUp(**_HEAD, table=3, rulebook="pt-811-2015-omaha", configuration=_VALUES),
        play.EntrySeated(**_AT, chips=10_000),
        play.ChipsGranted(**_AT, payment="payment-2", chips=10_000),
        play.RebuyOffered(**_HEAD, entry="entry-ann", player="ann", until=START + 30_000),
        play.RebuyDeclined(**_HEAD, entry="entry-ann", player="ann", reason="time"),
        play.EntryMoves(**_AT, to_table=1, to_seat=9, reason="balance", generator="croupier-lots-1/os-entropy"),
        play.EntryEliminated(**_AT, hand=41, first=4, last=5),
        play.ChipsOutOfPlay(**_AT, chips=14_000),
        play.MoveLapsed(**_HEAD, entry="entry-ann", player="ann"),
        play.AbsenceHeard(**_HEAD, entry="entry-ann", player="ann", away="not_connected"),
        play.EverybodyAway(**_HEAD, left=7),
        play.TableBroken(**_HEAD, table=3),
        play.LevelBegan(**_HEAD, level=2, began=START + 600_000, configuration=_VALUES, tables=[1, 2]),
        play.BreakBegan(**_HEAD, after_level=6, began=START, until=START + 300_000),
        play.TimeUp(**_HEAD, ended=START + 3_600_000, orbits=[play.Orbit(1, [2, 5, 9])]),
        play.HandsReleased(**_HEAD, hands=[play.HandDue(1, 12), play.HandDue(2, 9)], until=START, round=4),
        play.HandsHeld(**_HEAD, table=1),
        play.ClockMadeGood(**_HEAD, since=START, ms=8_000),
        play.OrdersRepeated(
            **_HEAD,
            table=3,
            rulebook="pt-811-2015-omaha",
            configuration=_VALUES,
            through=12,
            until=START,
            seats=[play.SittingDue("41.2", "ann", 7, 10_000)],
            gone=["39.1"],
            moves=[play.MoveDue("40.1", 1)],
        ),
        play.HandDealt(**_HEAD, table=1, hand=12, button=4, began=1_768_162_000_000),
        play.PotWon(**_HEAD, table=1, hand=12, entries=["entry-ann", "entry-bob"], winners=["entry-bob"]),
        play.HandFinished(**_HEAD, table=1, hand=12, stacks=[play.StackAfter("entry-ann", 9_000, 0)]),
        play.HandForHandBegan(**_HEAD, left=7, paid=6),
        play.HandForHandEnded(**_HEAD, left=6),
        play.PrizesFixed(**_MONEY, entries=27, pool=100_000, amount=46_000, prizes=[65_000, 35_000]),
        play.GuaranteeReturned(**_MONEY, amount=46_000),
        play.TournamentCompleted(**_HEAD, results=[play.Result("entry-ann", "ann", 1, 1, 65_000)], tables=[1]),
    ]
