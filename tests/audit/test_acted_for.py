"""Nobody acts for a player before that player's time is over, whoever writes the table's journal."""

from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts import live_events as v
from libs.contracts import no_draw_poker_events as n
from libs.contracts import poker_events as p
from libs.contracts import table_events as t
from libs.contracts import tournament_events as e
from libs.contracts.facts import Fact
from libs.contracts.live_commands import RecordIncident
from libs.contracts.messages import CommandMessage, Principal
from libs.contracts.no_draw_poker_commands import DecideHand
from libs.contracts.poker_commands import Act
from libs.contracts.registry import encode_fact
from libs.contracts.table_commands import LeaveTable, SitOut, WakeTable
from libs.contracts.topics import topic
from libs.contracts.tournament_commands import BarEntrant
from libs.decider import Given
from libs.journal.commit import Commit, encode
from services.audit.verifying.acted_for import ActedFor
from tests.audit.played import PlayedHouse, played
from tests.audit.test_commands import verified
from tests.testkit.partitions import partition_of

EARLY_MS = 2_000
TIMER, POLICY, DEALER = Principal("timer", "table"), Principal("policy", "table.seats"), Principal("staff", "dora")
ANN, BOB = Principal("player", "ann"), Principal("player", "bob")


def in_a_hand() -> PlayedHouse:
    house = played(hands=1)
    while house.state.hand is None or house.state.hand.turn is None:
        house.step()
    return house


def timed_out(house: PlayedHouse, command_time: int | None = None) -> None:
    """As a thief with the table's login and marks does it: a timer's command of his own, and what the real decider
    would say if the time of who is asked were over."""
    late = house.state.hand.turn.bank_until + 1
    message = CommandMessage(
        id=house._command_id(house.table), stream=house.table, type="WakeTable", principal=TIMER, body={"due": late}
    )
    at, machine = partition_of(house.table), house._machines["table"]
    offset = house.broker.land(topic("table", "commands").name, at, [(b"table-1", message.encoded(), ())])
    decided = machine.decider.decide(house.state, WakeTable(due=late), Given(late, None, TIMER))
    made = house._commit("table", house._fold("table", house.table), message, decided, offset)
    assert any(name.startswith("croupier.table.player_") for name, _ in made.events)
    house.land("table", house.table, encode(replace(made, command_time=command_time or house.now)))


async def told(house: PlayedHouse) -> list[str]:
    report, _ = await verified(house)
    return [each["detail"] for each in report.findings if each["kind"] == "commit_without_command"]


async def test_a_fold_before_the_time_is_over_is_found() -> None:
    """Found by an attacker: the opponent folded with 28 s left, the pot taken, no incident, `verify` content."""
    house = in_a_hand()
    player = house.state.hand.players[house.state.hand.turn.seat].player
    early = house.state.hand.turn.bank_until - house.now
    timed_out(house)
    assert f"the time of {player} is over {early} ms too early" in await told(house)


async def test_a_time_that_has_not_come_is_found() -> None:
    house = in_a_hand()
    timed_out(house, house.state.hand.turn.bank_until + 1)
    assert await told(house) == ["it was decided for a time that had not come"]


async def test_whose_time_is_over_may_be_acted_for() -> None:
    house = in_a_hand()
    house.now = house.state.hand.turn.bank_until + 1
    house.ask("table", house.table, "WakeTable", ("timer", "table"), due=house.now)
    assert await told(house) == []


class Stream:
    """One table's, as the auditor reads it."""

    def __init__(self, base: int = 1) -> None:
        self.acted_for, self.version, self.now = ActedFor(), base, 1_000_000

    def says(self, by: Principal, *facts: Fact, wish: Any = None, later_ms: int = 0, **said: int) -> str | None:
        self.now += later_ms
        events = tuple(map(encode_fact, facts))
        place = ("table-1", self.version, bytes(32), bytes(16), "table-commands.1/0", 0)
        commit = Commit(*place, said.get("at", self.now), "accepted", None, None, "", events, "test", 1)
        self.version = commit.version
        return self.acted_for.judge(commit, wish, by, said.get("taken", self.now))

    def began(self, kind: str = "real") -> "Stream":
        rules: dict[str, Any] = {"rulebook": "r", "rulebook_hash": "h", "configuration_version": 1, "currency": "EUR"}
        seats: dict[str, Any] = {"button": 1, "small_blind": 1, "big_blind": 2, "seats": []}
        began = p.HandStarted(hand=1, kind=kind, deck_root="00" * 32, deck_leaves=9, **rules, **seats)  # type: ignore[arg-type]
        assert self.says(TIMER, began) is None
        return self

    def asks(self, decision_ms: int = 20_000, bank_ms: int = 5_000) -> str | None:
        legal, until = p.LegalActs(check=True, call=None, min_to=None, max_to=None), self.now + decision_ms
        asked: dict[str, Any] = {"hand": 1, "seat": 1, "player": "ann", "street": "flop", "legal": legal}
        return self.says(TIMER, p.DecisionAwaited(**asked, until=until, bank_until=until + bank_ms))


def folded(reason: Any = "timeout", **change: Any) -> p.PlayerFolded:
    told = {"hand": 1, "seat": 1, "player": "ann", "actor": "house", "reason": reason, "time_bank_left": 5_000}
    return p.PlayerFolded(**told | change)


@pytest.mark.parametrize("by", [POLICY, ANN, DEALER])
def test_only_a_timer_says_whose_time_is_over(by: Principal) -> None:
    table = Stream().began()
    assert table.asks() is None
    assert table.says(by, folded(), later_ms=25_000) == "the time of ann is over, and no timer says so"


def test_the_time_bank_counts() -> None:
    table = Stream().began()
    assert table.asks() is None
    assert table.says(TIMER, folded(), later_ms=24_999) == "the time of ann is over 1 ms too early"
    assert table.asks() is None
    assert table.says(TIMER, folded(), later_ms=25_000) is None
    assert table.says(TIMER, folded()) == "the time of ann is over, who was not asked"


def test_nobody_is_given_less_time_than_others() -> None:
    table = Stream().began()
    assert table.asks() is None
    assert table.asks(decision_ms=100) == "ann was given another time to decide than others"


def test_of_what_was_not_seen_nothing_is_said() -> None:
    """An auditor that began in the middle of a hand, or to whom a commit of the table did not come."""
    for unseen in (Stream(base=90), Stream().began()):
        unseen.version += 1
        for reason in ("timeout", "left", "barred"):
            assert unseen.says(TIMER, folded(reason)) is None


def test_a_tournament_acts_for_who_is_away_at_once_and_for_nobody_else() -> None:
    table, out = Stream().began("tournament"), {"player": "ann", "seat": 1}
    assert table.asks() is None
    assert table.says(TIMER, folded()) is None, "whether ann is there was not seen"
    assert table.says(ANN, folded(None, actor="player")) is None
    assert table.asks() is None
    assert "too early" in (table.says(TIMER, folded()) or "")
    away = t.PlayerSatOut(**out, reason="timeout")  # type: ignore[arg-type]
    assert table.says(TIMER, away) == "ann sits out, and time has not run out"
    assert table.says(ANN, folded(None, actor="player")) is None
    assert table.asks() is None
    assert table.says(TIMER, folded(), away, later_ms=25_000) is None
    assert table.asks() is None
    assert table.says(TIMER, folded()) is None


def test_who_is_folded_as_leaving_has_asked_to_leave() -> None:
    table, going = Stream().began(), t.LeaveRequested(player="ann", seat=1)
    assert table.says(TIMER, folded("left")) == "ann is folded, and was not leaving"
    assert table.says(TIMER, going) == "LeaveRequested of ann, and nobody has asked for it"
    table = Stream().began()
    assert table.says(ANN, going, wish=LeaveTable()) is None
    assert table.says(TIMER, folded("left")) is None


@pytest.mark.parametrize("reason", ["annulled", "withdrawn", "barred"])
def test_who_is_taken_out_of_a_hand_is_so_by_staff(reason: str) -> None:
    assert Stream().began().says(TIMER, folded(reason)) is not None
    wish = RecordIncident(hand=1, code="PE-71g", seats=[1])
    assert Stream().began().says(DEALER, folded(reason), wish=wish) is None


def test_a_dealer_who_enters_an_act_has_asked_for_something_in_this_hand() -> None:
    entered, fold = folded(None, actor="player", entered_by="dora"), Act(hand=1, seat=1, act="fold")
    report = RecordIncident(hand=1, code="PE-71f", seat=1, act="fold")
    table = Stream().began()
    assert table.says(TIMER, entered) == "dora has entered nothing for ann"
    assert table.says(DEALER, entered, wish=fold) is None
    assert table.says(DEALER, recorded(), wish=report) is None
    assert table.says(BOB, entered) is None, "held until its turn, which another player's act has brought"
    assert table.began().says(BOB, entered) == "dora has entered nothing for ann"


def test_a_dealers_other_words_enter_nothing() -> None:
    """Found by an attacker: after any command of a dealer, a refused one too, the table bet any stack in her name."""
    entered, elsewhere = folded(None, actor="player", entered_by="dora"), Act(hand=1, seat=2, act="fold")
    for wish in (None, elsewhere):
        table = Stream().began()
        assert table.says(DEALER, wish=wish) is None
        assert table.says(TIMER, entered) == "dora has entered nothing for ann"
        assert table.says(DEALER, entered, wish=wish) == "dora has entered nothing for ann"
        assert table.says(TIMER, recorded(), wish=wish) == "dora has recorded nothing"


def recorded() -> v.IncidentRecorded:
    said: dict[str, Any] = {"state_before": "ROUND_1", "state_after": "ROUND_1", "seats": [1], "outcome": "held"}
    by: dict[str, Any] = dict.fromkeys(("reported_by", "recorded_by", "decided_by"), "dora")
    held = v.HeldAct(1, "fold", 0, 0, "dora")
    return v.IncidentRecorded(hand=1, incident=1, code="PE-71f", **said, **by, reason="", currency="EUR", held=held)


def test_bets_against_the_house_are_folded_no_earlier() -> None:
    table = Stream()
    gone = n.HandSurrendered(round=1, seat=1, player="ann", actor="house", cause="timeout")
    rules: dict[str, Any] = {"rulebook": "r", "rulebook_hash": "h", "configuration_version": 1, "currency": "EUR"}
    opened = n.AntesOpened(round=1, kind="real", seats=[], until=None, **rules)
    assert table.says(TIMER, opened) is None
    warned = n.HandsWarned(round=1, seats=[1], until=table.now + 9_000)
    assert table.says(TIMER, warned) == "who was not asked was warned"
    assert table.says(TIMER, awaited(table)) is None
    assert table.says(TIMER, warned, later_ms=4_000) == "who had to decide was warned 1000 ms too early"
    now = n.HandsWarned(round=1, seats=[1], until=table.now + 1_000)
    assert table.says(TIMER, now, later_ms=1_000) == "who was warned was given another time than before"
    assert table.says(TIMER, awaited(table)) is None
    assert table.says(TIMER, n.HandsWarned(round=1, seats=[1], until=table.now + 14_000), later_ms=5_000) is not None
    table = Stream()
    assert table.says(TIMER, opened) is None
    assert table.says(TIMER, awaited(table)) is None
    assert table.says(TIMER, n.HandsWarned(round=1, seats=[1], until=table.now + 14_000), later_ms=5_000) is None
    assert table.says(TIMER, gone, later_ms=8_000) == "the time of ann is over 1000 ms too early"
    assert table.says(TIMER, gone, later_ms=1_000) is None
    mine = n.HandSurrendered(round=1, seat=1, player="ann", actor="player", cause="player")
    fold, plays = (DecideHand(round=1, decision=each) for each in ("fold", "continue"))
    assert table.says(TIMER, mine, wish=fold) == "HandSurrendered of ann, who has not asked for it"
    assert table.says(ANN, mine, wish=plays) == "HandSurrendered of ann, who has not asked for it"
    assert table.says(ANN, mine, wish=fold) is None


def awaited(table: Stream) -> n.HandsAwaited:
    return n.HandsAwaited(round=1, choices=[], until=table.now + 5_000, currency="EUR")


def test_a_time_bank_is_what_was_left_of_it() -> None:
    """Found by an attacker: the question repeated, with the true time and no bank, folded whoever thought about it."""
    table = Stream().began()
    assert table.asks() is None
    assert table.asks(bank_ms=0) == "ann was given another time bank than what was left of it"
    assert Stream().began().asks(bank_ms=-20_000) == "ann was given another time bank than what was left of it"
    table = Stream().began()
    assert table.asks() is None
    spent = folded(None, actor="player", time_bank_left=3_000)
    assert table.says(ANN, spent, later_ms=21_000) == "1000 ms of the time bank of ann are gone"


def test_who_is_folded_is_so_for_a_reason() -> None:
    table = Stream().began()
    assert table.asks() is None
    assert table.says(TIMER, folded(None)) == "the house acts for ann, and says no reason"


@pytest.mark.parametrize("by", [BOB, DEALER, Principal("operator", "x"), Principal("tournament", "x"), ANN])
def test_nobody_else_asks_to_leave_or_to_sit_out(by: Principal) -> None:
    going, out = t.LeaveRequested(player="ann", seat=1), t.PlayerSatOut(player="ann", seat=1, reason="player")
    assert Stream().began().says(by, going, wish=SitOut()) == "LeaveRequested of ann, and nobody has asked for it"
    assert Stream().began("tournament").says(by, out, wish=LeaveTable()) is not None


def test_only_its_tournament_bars_an_entrant() -> None:
    sits: dict[str, Any] = {"tournament": "cup", "reservation": "e1", "player": "ann", "seat": 1}
    barred, wish = e.EntrantBarred(**sits, why="disqualified"), BarEntrant(reservation="e1", why="disqualified")
    cup = Principal("tournament", "cup")
    assert Stream().began().says(TIMER, barred) == "EntrantBarred of ann, and nobody has asked for it"
    assert Stream().began().says(cup, barred, wish=BarEntrant(reservation="e2", why="disqualified")) is not None
    table = Stream().began("tournament")
    assert table.says(cup, barred, wish=wish) is None
    assert table.says(TIMER, folded("barred")) is None


def test_wakes_of_tables_that_are_none_put_no_table_out_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.audit.verifying.acted_for.TABLES", 3)
    table = Stream().began()
    assert table.asks() is None
    for number in range(9):
        place = (f"nowhere-{number}", 0, bytes(32), bytes(16), "table-commands.1/0", 0, table.now)
        refused = Commit(*place, "rejected", "table_not_open", None, "", (), "test", 1)
        assert table.acted_for.judge(refused, None, TIMER, table.now) is None
    assert "too early" in (table.says(TIMER, folded()) or "")
