"""What people order at tables and tournaments comes of their own command, as they asked for it, and when it may."""

from typing import Any

import msgspec
import pytest

from libs.contracts import bank_events as b
from libs.contracts import conduct_events as c
from libs.contracts import live_commands as live
from libs.contracts import live_events as v
from libs.contracts import poker_commands as poker
from libs.contracts import poker_events as p
from libs.contracts import table_commands as at
from libs.contracts import table_events as t
from libs.contracts import tournament_ticket_events as k
from libs.contracts import tournaments_commands as a
from libs.contracts import tournaments_events as e
from libs.contracts.baccarat_commands import PlaceStake
from libs.contracts.baccarat_events import StakePlaced
from libs.contracts.bank_commands import ApproveBankChange
from libs.contracts.commands import Command
from libs.contracts.facts import Fact
from libs.contracts.messages import Principal
from libs.contracts.no_draw_poker_commands import DecideHand
from libs.contracts.no_draw_poker_events import SecondBetPlaced
from libs.contracts.registry import encode_fact
from libs.contracts.tournament_ticket_commands import ConfirmTarget
from libs.journal.commit import Commit
from services.audit.verifying.acted_for import ActedFor
from services.audit.verifying.asked_for import told_otherwise
from services.audit.verifying.by_itself import ByItself
from tests.table.samples import sample_events
from tests.tournament.course import START, definition

TIMER, POLICY, STAFF = Principal("timer", "x"), Principal("policy", "x"), Principal("staff", "sue")
ANN, BOB = Principal("player", "ann"), Principal("player", "bob")


def made(kind: type[Fact], **said: Any) -> Fact:
    """With something in every field."""
    usual = {"hand": 1, "round": 1, "kind": "real"}
    fields: dict[str, Any] = {
        name: usual[name] for name in kind.__struct_fields__ if name in usual and name not in said
    }
    for each in msgspec.structs.fields(kind):
        if each.name in {*said, *fields} or not each.required:
            continue
        fields[each.name] = [] if "list" in str(each.type) else 1 if "int" in str(each.type) else "sue"
    return kind(**fields, **said)


def at_table(wish: Command | None, by: Principal, *facts: Fact) -> str | None:
    return told_otherwise("table", wish, by, map(encode_fact, facts))


@pytest.mark.parametrize(
    "kind",
    [
        p.HandVoided, t.TablePaused, t.TableResumed, t.TableClosing, t.VoidRequested, b.BankToppedUp, b.BankDropped,
        c.DealerTipped, p.DisputeOpened, p.DisputeResolved, t.TopUpRequested, t.ConfigurationDeclined, c.PlayerMuted,
        v.DeckInspected, v.DeckShuffled, v.DeckReplaced, v.PotReversed,
    ],
)  # fmt: skip
@pytest.mark.parametrize("by", [TIMER, POLICY, BOB, Principal("staff", "tom")])
def test_nothing_is_ordered_at_a_table_in_somebody_elses_name(kind: type[Fact], by: Principal) -> None:
    """Found by an attacker with the table's login: all of it passed in a timer's commit."""
    assert at_table(None, by, made(kind)) is not None
    assert at_table(at.WakeTable(due=1), by, made(kind)) is not None


def test_a_hand_is_void_by_whom_and_for_what_was_asked() -> None:
    wish = poker.VoidHand(hand=1, cause="fault")
    void = made(p.HandVoided, hand=1, cause="fault", by="sue", refunds=[])
    assert at_table(wish, STAFF, void) is None
    assert at_table(wish, STAFF, made(p.HandVoided, hand=2, cause="fault", by="sue", refunds=[])) is not None
    assert at_table(wish, Principal("staff", "tom"), void) == "HandVoided by sue, and tom has ordered it"
    by_house = made(p.HandVoided, hand=1, cause="I lose", by="house", refunds=[])
    assert at_table(at.WakeTable(due=1), TIMER, by_house) == "HandVoided by the house, and no rule lets it"
    stood = made(p.HandVoided, hand=1, cause=t.STANDSTILL, by="house", refunds=[])
    assert at_table(at.WakeTable(due=1), TIMER, stood) is None


def test_a_deck_is_ready_by_its_dealers_word_and_a_pot_turned_by_a_report_on_that_hand() -> None:
    """Found by an attacker: both passed in the commit of any command."""
    shuffled = made(v.DeckShuffled, pack="A", times=7, by="sue")
    assert at_table(live.ShuffleDeck(deck="A", times=7), STAFF, shuffled) is None
    assert at_table(live.ShuffleDeck(deck="A", times=1), STAFF, shuffled) is not None
    assert at_table(live.CheckDeck(deck="A", cards=52, sound=True), STAFF, shuffled) is not None
    turned = made(v.PotReversed, hand=7)
    assert at_table(live.RecordIncident(hand=7, code="DE-70a"), STAFF, turned) is None
    assert at_table(live.RecordIncident(hand=8, code="DE-70a"), STAFF, turned) is not None
    assert at_table(live.ShuffleDeck(deck="A", times=7), STAFF, turned) is not None


def test_money_of_the_bank_is_what_was_approved() -> None:
    wish = ApproveBankChange(change="c1", direction="drop", amount=100)
    said: dict[str, Any] = {"change": "c1", "by": "sue", "requested_by": "tom", "kind": "real", "currency": "EUR"}
    assert at_table(wish, STAFF, b.BankDropped(**said, amount=100, bank=0)) is None
    assert at_table(wish, STAFF, b.BankDropped(**said, amount=900, bank=0)) is not None


def test_stakes_are_their_players_own() -> None:
    placed: dict[str, Any] = {"round": 1, "seat": 1, "player": "ann", "reservation": "s1", "currency": "EUR"}
    chance = StakePlaced(**placed, area="ponto", amount=100, total=100, stack=0)
    wish = PlaceStake(chance="ponto", amount=100)
    assert at_table(wish, ANN, chance) is None
    assert at_table(wish, BOB, chance) == "StakePlaced of ann, who has not asked for it"
    assert at_table(PlaceStake(chance="banca", amount=100), ANN, chance) == "StakePlaced is not what ann asked for"
    second = SecondBetPlaced(**placed, area="bet", amount=100, total=100, stack=0)
    assert at_table(DecideHand(round=1, decision="continue"), ANN, second) is None
    assert at_table(DecideHand(round=1, decision="fold"), ANN, second) is not None


def test_a_standstill_that_voids_a_hand_is_as_long_as_the_rules_say() -> None:
    opened = next(each for each in sample_events() if isinstance(each, t.TableOpened))
    judge, said = ActedFor(), {"hand": 1, "seat": 1, "player": "ann", "street": "preflop"}
    timing: Any = opened.configuration.timing
    legal = p.LegalActs(check=True, call=None, min_to=None, max_to=None)
    until = 1_000 + timing.decision_ms
    asked = p.DecisionAwaited(**said, legal=legal, until=until, bank_until=until + timing.time_bank_ms)  # type: ignore[arg-type]
    void = made(p.HandVoided, hand=1, cause=t.STANDSTILL, by="house", refunds=[])

    def says(base: int, now: int, *facts: Fact) -> str | None:
        events = tuple(map(encode_fact, facts))
        place = ("t1", base, bytes(32), bytes(16), "table-commands.1/0", 0, now)
        return judge.judge(Commit(*place, "accepted", None, None, "", events, "test", 1), None, TIMER, now)

    assert says(0, 1_000, opened, asked) is None
    assert "void by a standstill" in (says(2, 2_000, void) or "")
    judge = ActedFor()
    assert says(0, 1_000, opened, asked) is None
    assert says(2, 1_000 + timing.resume_ms, void) is None


def ordered(wish: Command | None, by: Principal, fact: Fact) -> str | None:
    return told_otherwise("tournament", wish, by, [encode_fact(fact)])


@pytest.mark.parametrize(
    ("wish", "asked", "other"),
    [
        (a.ExcludePlayer(player="bob", reason="r"), e.PlayerExcluded, {"player": "ann"}),
        (a.DisqualifyPlayer(player="bob", reason="r"), e.PlayerDisqualified, {"player": "ann"}),
        (a.ReleasePrize(player="bob", reason="r"), e.PrizeReleased, {"player": "ann"}),
        (a.AdjustClock(ms=1_000, reason="r"), e.ClockAdjusted, {"ms": 10**9}),
        (a.MovePlayer(player="bob", table=2, reason="r"), e.MoveOrdered, {"to_table": 5}),
        (a.GiveNotice(text="tea"), e.NoticeGiven, {"text": "all go home"}),
    ],
)
def test_a_true_order_tells_nothing_else(wish: Any, asked: type[Fact], other: dict[str, Any]) -> None:
    """Found by an attacker with the tournament's login: another player than the one that was named lost the prize."""
    said = {name: value for name in asked.__struct_fields__ if (value := getattr(wish, name, None)) is not None}
    said |= {"by": "sue"} | ({"to_table": 2} if asked is e.MoveOrdered else {})
    assert ordered(wish, STAFF, made(asked, **said)) is None
    assert ordered(wish, STAFF, made(asked, **said | other)) is not None
    assert ordered(wish, TIMER, made(asked, **said)) is not None


def test_a_registration_is_taken_back_by_its_player_or_the_house() -> None:
    gone: dict[str, Any] = {"entry": "e1", "player": "ann"}
    assert ordered(None, POLICY, e.PlayerUnregistered(**gone, reason="excluded", by="sue")) is not None
    assert ordered(None, POLICY, e.PlayerUnregistered(**gone, reason="asked", by="ann")) is not None
    assert ordered(a.UnregisterPlayer(), ANN, e.PlayerUnregistered(**gone, reason="asked", by="ann")) is None


class Cup:
    """One tournament's stream."""

    def __init__(self) -> None:
        self.judged, self.version = ByItself(), 0
        proposed = e.TournamentProposed(name="Cup", definition=definition(), by="tom")
        assert self.says(START - 1_000, None, proposed) is None

    def says(self, now: int, wish: Command | None, *facts: Fact) -> str | None:
        place = ("cup", self.version, bytes(32), bytes(16), "tournament-commands.1/0", 0, now)
        commit = Commit(*place, "accepted", None, None, "", tuple(map(encode_fact, facts)), "test", 1)
        self.version = commit.version
        return self.judged.judge(commit, wish, known=True)


def test_a_satellite_is_announced_by_who_has_approved_it() -> None:
    wish, announced = ConfirmTarget(), e.TournamentAnnounced(by="sue")
    assert Cup().says(START - 900, wish, announced) == "TournamentAnnounced by sue, who has not approved it"
    cup = Cup()
    asked = k.TargetAsked(target="final", value=1, currency="EUR", starts_at=None, by="sue")
    assert cup.says(START - 900, a.ApproveTournament(), asked) is None
    assert cup.says(START - 800, wish, announced) is None


def test_a_tournament_is_off_for_want_of_players_at_its_hour_and_for_want_of_them() -> None:
    off = e.TournamentCancelled(cause="insufficient_participants", reason="r", rule="36.a", by="house")
    assert "before it was to start" in (Cup().says(START - 1, None, off) or "")
    assert Cup().says(START, None, off) is None


def test_a_pause_ends_by_itself_when_that_was_announced_for() -> None:
    resumed = e.TournamentResumed(reason="r", by="sue", stood_ms=1)
    assert Cup().says(START, None, resumed) == "TournamentResumed, which nobody has announced for now"
    cup = Cup()
    assert cup.says(START, None, e.RestartAnnounced(reason="r", by="sue", goes_on_at=START + 60_000)) is None
    assert cup.says(START + 60_000, None, resumed) is None
