"""One sample of every event around the play, and of every event of a table with a human dealer."""

from typing import Any

from libs.contracts import conduct_events as conduct
from libs.contracts import draw_events as draws
from libs.contracts import live_events as live
from libs.contracts import poker_events as poker
from libs.contracts import waiting_list_events as waiting
from libs.contracts.facts import TableEvent
from libs.contracts.table_events import DeckCard

_HEAD: dict[str, Any] = {"at": 1_700_000_000_000, "table": "t1"}
_HAND: dict[str, Any] = {**_HEAD, "hand": 7}
_CARD = DeckCard(12, "Th", "00" * 16, ["11" * 32, "22" * 32])


def casino_samples() -> list[TableEvent]:
    wrote = {**_HEAD, "message": "m1", "player": "p1", "sealed": "AAECAw=="}
    return [
        conduct.MessageSent(**wrote),
        conduct.MessageWithheld(**wrote, round=7, names_cards=True),
        conduct.MessageBlocked(**wrote, round=7, reason="muted"),
        conduct.ConductWarned(**_HEAD, player="p1", rule="14.j", cause="comments", by="floor-1", count=2),
        conduct.PlayerMuted(**_HEAD, player="p1", by="floor-1", cause="insults"),
        waiting.WaitingListJoined(**_HEAD, entry="w1", player="p9", kind="entry"),
        waiting.WaitingListLeft(**_HEAD, entry="w1", player="p9", reason="seated"),
        waiting.SeatOffered(**_HEAD, entry="w1", player="p9", seat=6, until=1_700_000_060_000),
        waiting.SeatChanged(**_HEAD, player="p2", reservation="r2", from_seat=2, to_seat=6),
        draws.SeatsDrawn(
            **_HEAD, draw=1, seats=[draws.DrawnSeat("p9", 6)], waiting=["p8"], generator="g-1", by="floor-1"
        ),
        draws.TablesDrawn(
            **_HEAD, draw=1, tables=["t1", "t2"], cards=[draws.DrawnTable("p9", "h", "t2")], generator="g-1", by="f-1"
        ),
        draws.PlacesAssigned(**_HEAD, cards=[draws.DrawnTable("p9", "h", "t2")], drawn_at="t1"),
        draws.TableChangeGranted(**_HEAD, player="p1", to_table="t2"),
        poker.SessionStarted(**_HEAD, number=2, until=1_700_003_600_000),
        poker.SessionFeeDue(
            **_HEAD,
            fee="t1-2-p1",
            session=2,
            player="p1",
            seat=1,
            reservation="r1",
            amount=2000,
            currency="EUR",
            kind="real",
            rulebook="pt-217-2007-holdem",
        ),
        poker.SessionFeeUnpaid(**_HEAD, fee="t1-2-p1", session=2, player="p1", amount=2000, currency="EUR"),
        poker.SessionFeePaid(**_HEAD, fee="t1-2.2-p1", session=2, player="p1"),
        poker.SessionEnded(**_HEAD, number=2),
        conduct.DealerTipped(**_HEAD, player="p1", seat=1, reservation="r1", amount=500, stack=19_500, currency="EUR"),
        poker.RestRefused(**_HEAD, player="p5", seat=5, rests=3),
        poker.GameResumed(**_HEAD, players=4),
    ]


def live_samples() -> list[TableEvent]:
    return [
        live.DealerAssigned(**_HEAD, dealer="dealer-1", by="floor-1"),
        live.PresenceStated(**_HEAD, seat=1, player="p1", reservation="r1", present=True),
        live.DeckInspected(**_HEAD, pack="R", by="dealer-1"),
        live.DeckChecked(**_HEAD, pack="R", by="dealer-1"),
        live.DeckShuffled(**_HEAD, pack="R", times=3, by="dealer-1"),
        live.DeckDamaged(**_HEAD, pack="R", by="floor-1"),
        live.DeckReplaced(**_HEAD, pack="R", by_pack="S", by="floor-1"),
        live.DeckExposed(
            **_HEAD, pack="R", code="DE-33", by="dealer-1", state_before="DECK_READY", state_after="SHUFFLING"
        ),
        live.LiveDealOpened(**_HAND, pack="R", dealer="dealer-1", unposted=[4]),
        live.CardScanned(**_HAND, number=3, position=17, to="hole", seat=2, stub=49),
        live.CardsAwaited(**_HAND, what="flop", burn=True),
        live.IncidentRecorded(
            **_HAND,
            incident=1,
            code="DE-70d",
            state_before="ROUND_1",
            state_after="ROUND_1",
            seats=[5, 1],
            exposed=[_CARD],
            aside=[12],
            burned=[11],
            restricted=[5, 1],
            held=live.HeldAct(5, "raise", 800, 800, "dealer-1"),
            currency="EUR",
            outcome="call_only",
            go_on_after=4,
            reported_by="dealer-1",
            decided_by="dealer-1",
            reason="turned the flop",
        ),
        live.SupervisorDecided(
            **_HAND,
            incident=2,
            code="PE-71i",
            decision="in_favour",
            state_after="ROUND_2",
            restricted=[5],
            go_on_after=4,
            by="floor-1",
            reason="protested at once",
        ),
        live.TurnPassed(**_HAND, seat=5, player="p5", by="dealer-1"),
        live.StubReshuffled(**_HAND, returned=[12, 13, 14], stub=41, street="flop"),
        live.WinnerAnnounced(**_HAND, seat=4, by_the_cards=[3], by="dealer-1"),
        live.PotReversed(
            **_HAND,
            incident=3,
            from_seat=4,
            from_player="p4",
            to_seat=3,
            to_player="p3",
            amount=9120,
            from_stack=6000,
            to_stack=15_120,
            currency="EUR",
        ),
        poker.DisputeOpened(**_HAND, dispute=1, seat=4, player="p4", text="the pot was mine"),
        poker.DisputeResolved(**_HAND, dispute=1, decision="stands", reason="cards speak", decided_by="floor-1"),
    ]
