"""Money of a tournament moves only where one of the staff has proposed it and another has approved it (ADR 13)."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import pytest
from msgspec.structs import replace

from libs.contracts.cloudevents_kafka import to_record
from libs.contracts.commands import Command, message_of
from libs.contracts.facts import Fact
from libs.contracts.messages import Principal, PublicEvent, command_id_at
from libs.contracts.registry import encode_fact
from libs.contracts.topics import DAY_MS, topic
from libs.contracts.tournament_ticket_events import TargetAsked
from libs.contracts.tournaments import digest_of
from libs.contracts.tournaments_commands import (
    ApproveTournament,
    ConfirmCancellation,
    ProposeCancellation,
    ProposeTournament,
)
from libs.contracts.tournaments_events import (
    CancellationProposed,
    Credit,
    CreditsDue,
    PaymentReturned,
    TournamentAnnounced,
    TournamentCancelled,
    TournamentProposed,
)
from libs.journal.interest import Interest
from libs.journal.log import Fetched, LogRecord
from libs.journal.marks import Marks
from services.wallet.kafka import announcements
from services.wallet.kafka.announcements import Announcements
from services.wallet.machine import HORIZON_MS
from tests.testkit.marks import GATEWAY, TOURNAMENT, WALLET
from tests.testkit.partitions import PARTITIONS, partition_of
from tests.tournament.samples import definition

NOW = 1_790_000_000_000
EVENTS, COMMANDS = (topic("tournament", kind).name for kind in ("events", "commands"))
ANN, BOB = Principal("staff", "ann"), Principal("staff", "bob")
DIGEST = digest_of(definition())


class Partition:
    def __init__(self) -> None:
        self.records: list[LogRecord] = []
        self.read_from: list[int] = []

    async def read(self, offset: int, max_records: int, wait_ms: int) -> Fetched:
        self.read_from.append(offset)
        found: Sequence[LogRecord] = self.records[offset : offset + max_records]
        return Fetched(found, offset + len(found))

    async def end(self) -> int:
        return len(self.records)

    async def since(self, ms: int) -> int:
        return next((each.offset for each in self.records if each.timestamp >= ms), len(self.records))

    async def close(self) -> None: ...


class House:
    """One partition of the tournaments' events and commands, as the broker took them in."""

    def __init__(self, tournament: str = "cup") -> None:
        self.tournament = tournament
        self.topics = {EVENTS: Partition(), COMMANDS: Partition()}
        self.now = NOW
        self.looked = self.anew()

    def anew(self) -> Announcements:
        return Announcements(self, WALLET, PARTITIONS, now=lambda: self.now)

    async def reader(self, topic: str, partition: int, interest: Interest | None = None) -> Partition:
        assert partition == partition_of(self.tournament)
        return self.topics[topic]

    def ask(self, command: Command, by: Principal, at: int = NOW, marks: Marks = GATEWAY) -> UUID:
        held = self.topics[COMMANDS].records
        command_id = command_id_at(at, "asked", str(len(held)))
        value = message_of(command, id=command_id, stream=self.tournament, by=by).encoded()
        key = self.tournament.encode()
        headers = marks.marked((COMMANDS, partition_of(self.tournament)), key, value, ())
        held.append(LogRecord(len(held), key, value, headers, at))
        return command_id

    def tell(self, fact: Fact, cause: object, at: int = NOW) -> PublicEvent:
        held = self.topics[EVENTS].records
        kind, data = encode_fact(fact)
        stream, version = self.tournament, len(held) + 1
        event = PublicEvent(stream=stream, version=version, type=kind, time=at, causation=str(cause), data=data)
        held.append(LogRecord(len(held), *to_record(event), timestamp=at))
        return event

    async def why_not(self, fact: Fact, at: int = NOW) -> str | None:
        return await self.looked.why_not(self.tell(fact, "timer", at), fact)

    def announce(self, at: int = NOW, *, by: tuple[Principal, Principal] = (ANN, BOB), marks: Marks = GATEWAY) -> None:
        proposed = self.ask(ProposeTournament(name="Cup", definition=definition()), by[0], at, marks)
        self.tell(TournamentProposed(name="Cup", definition=definition(), by=by[0].id, **self.of), proposed, at)
        approved = self.ask(ApproveTournament(digest=DIGEST), by[1], at, marks)
        self.tell(TournamentAnnounced(by=by[1].id, **self.of), approved, at)

    @property
    def of(self) -> dict[str, Any]:
        return {"tournament": self.tournament, "at": NOW}


PRIZE = CreditsDue(
    why="prize", credits=[Credit("e1.prize", "e1", "eve", prize=7_777_700)], currency="EUR", tournament="cup"
)


async def test_a_prize_of_a_tournament_that_never_was_is_not_paid() -> None:
    """Found by an attacker with the tournament's login and marks: it was paid out at once."""
    assert await House().why_not(PRIZE) == "nobody has proposed this tournament"


async def test_a_prize_of_one_that_two_people_announced_is_paid() -> None:
    house = House()
    house.announce()
    assert await house.why_not(PRIZE) is None
    returned = PaymentReturned(payment="e1", player="ann", amount=100, currency="EUR", tournament="cup")
    assert await house.why_not(returned) is None
    assert await house.why_not(TournamentAnnounced(by="bob", **house.of)) is None


async def test_the_tournaments_own_word_is_nobodys_wish() -> None:
    """Events and commands that the tournament's own marks can make: the gateway's second one is not among them."""
    house = House()
    house.announce(marks=TOURNAMENT)
    assert await house.why_not(PRIZE) == "no gateway has brought its proposal"


@pytest.mark.parametrize("lacks", [ProposeTournament, ApproveTournament], ids=["proposal", "approval"])
async def test_each_of_both_has_to_be_asked(lacks: type[Command]) -> None:
    house = House()
    house.announce()
    held = house.topics[COMMANDS].records
    at = [ProposeTournament, ApproveTournament].index(lacks)
    held[at] = replace(held[at], value=b"{}")
    assert "no gateway has brought its" in (await house.why_not(PRIZE) or "")


async def test_one_person_announces_nothing() -> None:
    house = House()
    house.announce(by=(ANN, ANN))
    assert await house.why_not(PRIZE) == "one person alone has announced this tournament"


async def test_who_is_said_to_have_approved_has_to_have_asked() -> None:
    house = House()
    house.announce(by=(ANN, ANN))
    told = TournamentAnnounced(by="bob", **house.of)
    kind, data = encode_fact(told)
    forged = PublicEvent(stream="cup", version=2, type=kind, time=NOW, causation="", data=data)
    cause = command_id_at(NOW, "asked", "1")
    house.topics[EVENTS].records[1] = LogRecord(1, *to_record(replace(forged, causation=str(cause))), timestamp=NOW)
    assert await house.why_not(PRIZE) == "no gateway has brought its approval"


async def test_a_satellite_is_approved_before_its_target_answers() -> None:
    house = House()
    proposed = house.ask(ProposeTournament(name="Cup", definition=definition()), ANN)
    house.tell(TournamentProposed(name="Cup", definition=definition(), by="ann", **house.of), proposed)
    approved = house.ask(ApproveTournament(digest=DIGEST), BOB)
    asked = TargetAsked(target="main", value=100, currency="EUR", starts_at=None, by="bob", **house.of)
    house.tell(asked, approved)
    house.tell(TournamentAnnounced(by="bob", **house.of), command_id_at(NOW, "the target's answer"))
    assert await house.why_not(PRIZE) is None


async def test_what_was_announced_longer_ago_than_commands_are_kept_goes_on() -> None:
    """Also in a house of before this was asked: its events tell it, with the broker's own time."""
    house = House()
    house.announce(NOW - 30 * DAY_MS)
    house.topics[COMMANDS].records.clear()
    assert await house.why_not(PRIZE) is None


async def test_a_time_that_an_event_says_of_itself_makes_it_no_older() -> None:
    house = House()
    house.announce(NOW - 30 * DAY_MS)
    house.topics[COMMANDS].records.clear()
    held = house.topics[EVENTS].records
    held[:] = [replace(each, timestamp=NOW) for each in held]
    assert await house.why_not(PRIZE) == "no gateway has brought its proposal"


async def test_who_starts_reads_back_to_the_announcement_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(announcements, "_STEP", 2)
    house = House()
    house.announce()
    for _ in range(9):
        house.tell(PRIZE, "timer")
    house.looked = house.anew()
    assert await house.why_not(PRIZE) is None
    read = len(house.topics[EVENTS].read_from)
    assert await house.why_not(PRIZE) is None
    assert len(house.topics[EVENTS].read_from) == read


async def test_one_that_is_announced_later_is_believed_then() -> None:
    house = House()
    assert await house.why_not(PRIZE) is not None
    house.announce()
    assert await house.why_not(PRIZE) is None


async def test_a_tournament_speaks_of_itself_alone() -> None:
    house = House()
    house.announce()
    other = CreditsDue(why="prize", credits=PRIZE.credits, currency="EUR", tournament="another")
    assert await house.why_not(other) == "it speaks of another tournament"


async def test_what_the_wallet_decides_no_more_is_left_to_it() -> None:
    at = NOW - HORIZON_MS - 2 * 3_600_000
    assert await House().why_not(PRIZE, at) is None


async def test_rules_that_nobody_has_proposed_bound_nothing() -> None:
    """The event is the tournament's own word; what is proposed stands in the command (adr/0021)."""
    house = House()
    proposed = house.ask(ProposeTournament(name="Cup", definition=definition()), ANN)
    wide = replace(definition(), guarantee=10**9)
    house.tell(TournamentProposed(name="Cup", definition=wide, by="ann", **house.of), proposed)
    house.tell(TournamentAnnounced(by="bob", **house.of), house.ask(ApproveTournament(digest=DIGEST), BOB))
    assert await house.why_not(PRIZE) == "no gateway has brought its proposal"


@pytest.mark.parametrize("names", ["", digest_of(replace(definition(), guarantee=5)), DIGEST])
async def test_who_approves_approves_the_rules_that_were_looked_at(names: str) -> None:
    """Found by an attacker: rules of a proposal that was refused, and the approval of others in good faith."""
    house = House()
    wide = replace(definition(), guarantee=10**9)
    refused = house.ask(ProposeTournament(name="Cup", definition=wide), ANN)
    house.tell(TournamentProposed(name="Cup", definition=wide, by="ann", **house.of), refused)
    house.tell(TournamentAnnounced(by="bob", **house.of), house.ask(ApproveTournament(digest=names), BOB))
    assert await house.why_not(PRIZE) == "no gateway has brought its approval"


async def test_what_is_told_later_of_an_announcement_takes_nothing_from_it() -> None:
    """Also where a wallet starts that reads back from the end."""
    house = House()
    house.announce()
    for _ in range(3):
        house.tell(TournamentProposed(name="Cup", definition=definition(), by="ann", **house.of), "junk")
        house.tell(TournamentAnnounced(by="bob", **house.of), "junk")
    assert await house.why_not(PRIZE) is None
    house.looked = house.anew()
    assert await house.why_not(PRIZE) is None


async def test_rules_are_judged_as_they_are_heard() -> None:
    """Found by an attacker: made-up rules were noted at once, and believed once their command could be gone."""
    house = House()
    fact = TournamentProposed(name="Cup", definition=definition(), by="ann", **house.of)
    junk = house.tell(fact, "junk")
    assert await house.looked.why_not(junk, fact) == "no gateway has brought its proposal"
    true = house.tell(fact, house.ask(ProposeTournament(name="Cup", definition=definition()), ANN))
    assert await house.looked.why_not(true, fact) is None
    later = house.tell(fact, house.ask(ProposeTournament(name="Cup", definition=definition()), BOB))
    assert await house.looked.why_not(later, fact) == "another proposal was there before"
    for event, why in ((true, None), (junk, "another proposal was there before")):
        assert await house.anew().why_not(event, fact) == why


@pytest.mark.parametrize("first", [True, False])
async def test_other_rules_under_a_true_command_are_neither_noted_nor_in_the_way(first: bool) -> None:
    """Whoever has the tournament's login sees the command, and may tell of it before the tournament does."""
    house = House()
    command = house.ask(ProposeTournament(name="Cup", definition=definition()), ANN)
    true = TournamentProposed(name="Cup", definition=definition(), by="ann", **house.of)
    wide = TournamentProposed(name="Cup", definition=replace(definition(), guarantee=10**9), by="ann", **house.of)
    other = TournamentProposed(name="Cup", definition=definition(), by="eve", **house.of)
    told = [(fact, house.tell(fact, command)) for fact in ([wide, other, true] if first else [true, wide, other])]
    house.tell(TournamentAnnounced(by="bob", **house.of), house.ask(ApproveTournament(digest=DIGEST), BOB))
    for fact, event in told:
        assert (await house.looked.why_not(event, fact) is None) is (fact is true)
    assert await house.why_not(PRIZE) is None


async def test_a_true_announcement_counts_whatever_was_told_before() -> None:
    house = House()
    house.tell(TournamentProposed(name="Cup", definition=definition(), by="ann", **house.of), "junk")
    house.tell(TournamentAnnounced(by="bob", **house.of), "junk")
    assert await house.why_not(PRIZE) == "no gateway has brought its proposal"
    house.announce()
    assert await house.why_not(PRIZE) == "no gateway has brought its proposal", "not looked up all the time"
    house.now += 60_000
    assert await house.why_not(PRIZE) is None


async def test_who_starts_reads_behind_what_was_told_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(announcements, "_STEP", 2)
    house = House()
    house.announce()
    house.tell(TournamentProposed(name="Cup", definition=definition(), by="ann", **house.of), "junk")
    house.tell(TournamentAnnounced(by="bob", **house.of), "junk")
    house.looked = house.anew()
    event = house.tell(PRIZE, "timer")
    house.looked._read_to = {partition_of("cup"): 4}
    house.looked._read_from = {partition_of("cup"): 4}
    assert await house.looked.why_not(event, PRIZE) is None


CANCELLED: dict[str, Any] = {"cause": "technical", "reason": "fire", "rule": "36.b", "by": "ann"}
SHEET: dict[str, Any] = {**CANCELLED, "sheet": 1, "credits": [], "to_the_house": 0, "currency": "EUR"}
ASK = ProposeCancellation(cause="technical", reason="fire")


async def test_a_cancellation_is_believed_where_one_has_proposed_and_another_confirmed_it() -> None:
    house = House()
    house.announce()
    house.tell(CancellationProposed(**SHEET, **house.of), house.ask(ASK, ANN))
    cancelled = TournamentCancelled(**CANCELLED, confirmed_by="bob", **house.of)
    event = house.tell(cancelled, house.ask(ConfirmCancellation(sheet=1), BOB))
    assert await house.looked.why_not(event, cancelled) is None
    assert await house.anew().why_not(event, cancelled) is None


async def test_a_true_cancellation_counts_whatever_was_told_before() -> None:
    """Found by an attacker: one that nobody had asked for stood first, and no share was ever paid."""
    house = House()
    house.announce()
    junk = TournamentCancelled(**CANCELLED, **house.of)
    assert await house.looked.why_not(house.tell(junk, "junk"), junk) is None, "it shares nothing out"
    for number in range(3):
        house.tell(CancellationProposed(**SHEET, **house.of), f"junk {number}")
    house.tell(CancellationProposed(**SHEET, **house.of), house.ask(ASK, ANN))
    cancelled = TournamentCancelled(**CANCELLED, confirmed_by="bob", **house.of)
    event = house.tell(cancelled, house.ask(ConfirmCancellation(sheet=1), BOB))
    assert await house.looked.why_not(event, cancelled) is None
    assert await house.anew().why_not(event, cancelled) is None


@pytest.mark.parametrize("proposes", [None, BOB, Principal("staff", "BOB")], ids=["nobody", "the same", "one spelling"])
async def test_one_person_cancels_nothing(proposes: Principal | None) -> None:
    """Found by an attacker: the confirmation of a sheet that was not there was refused, and believed."""
    house = House()
    house.announce()
    cause: object = "junk" if proposes is None else house.ask(ASK, proposes)
    by = {"by": "ann" if proposes is None else proposes.id}
    house.tell(CancellationProposed(**{**SHEET, **by}, **house.of), cause)
    cancelled = TournamentCancelled(**{**CANCELLED, **by}, confirmed_by="bob", **house.of)
    event = house.tell(cancelled, house.ask(ConfirmCancellation(sheet=1), BOB))
    assert await house.looked.why_not(event, cancelled) == "no gateway has brought the proposal of its cancellation"


@pytest.mark.parametrize("cause", ["timer", "approval"])
async def test_a_cancellation_that_nobody_has_confirmed_shares_nothing(cause: str) -> None:
    house = House()
    house.announce()
    house.tell(CancellationProposed(**SHEET, **house.of), house.ask(ASK, ANN))
    cancelled = TournamentCancelled(**CANCELLED, confirmed_by="bob", **house.of)
    event = house.tell(cancelled, cause if cause == "timer" else house.ask(ApproveTournament(), BOB))
    assert await house.looked.why_not(event, cancelled) == "no gateway has brought its cancellation"
    alone = TournamentCancelled(**{**CANCELLED, "cause": "insufficient_participants"}, **house.of)
    assert await house.looked.why_not(house.tell(alone, "timer"), alone) is None, "it was never played"


async def test_what_is_heard_however_old_is_judged_however_old() -> None:
    """Its writer says how old an event is."""
    house = House()
    looked = Announcements(house, WALLET, PARTITIONS, now=lambda: house.now, lasts_ms=10 * HORIZON_MS)
    event = house.tell(PRIZE, "timer", NOW - 2 * HORIZON_MS)
    assert await looked.why_not(event, PRIZE) == "nobody has proposed this tournament"


async def test_a_fresh_proposal_makes_nobody_read_what_lies_a_week_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no announcement of it yet, so that all there ever was would be read, by each process that starts."""
    monkeypatch.setattr(announcements, "_STEP", 2)
    house = House()
    for _ in range(50):
        house.tell(PRIZE, "timer", NOW - 8 * DAY_MS)
    house.tell(PRIZE, "timer", NOW - 6 * DAY_MS)
    house.looked = house.anew()
    proposed = TournamentProposed(name="Cup", definition=definition(), by="ann", **house.of)
    asked = house.ask(ProposeTournament(name="Cup", definition=definition()), ANN)
    assert await house.looked.why_not(house.tell(proposed, asked), proposed) is None
    assert min(house.topics[EVENTS].read_from) == 50


async def test_who_has_known_many_tournaments_reads_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(announcements, "_KNOWN", 0)
    house = House()
    house.announce()
    for _ in range(3):
        assert await house.why_not(PRIZE) is None
        house.looked._judged.clear()
    assert house.topics[EVENTS].read_from.count(0) > 1
