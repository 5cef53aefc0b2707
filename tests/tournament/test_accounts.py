"""What a tournament cost and brought each player, from its events alone; and what is made of it for other software."""

import asyncio
import csv
import io
import json
import time
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from typer.testing import CliRunner, Result

from libs.broker import Broker
from libs.contracts import tournaments_events as t
from libs.contracts.cloudevents_kafka import to_record
from libs.contracts.facts import TournamentEvent
from libs.contracts.messages import PublicEvent
from libs.contracts.registry import encode_fact
from libs.contracts.topics import topic
from libs.contracts.tournament_ticket_events import TicketIssued
from libs.contracts.tournaments_commands import RequestAddOn, UnregisterPlayer
from libs.contracts.tournaments_events import Credit
from libs.journal.kafka_log import KafkaLog
from libs.journal.log import OutRecord
from libs.stack import default_home
from libs.views.tournament import TournamentView, fold_tournament
from libs.views.tournament_accounts import statement
from libs.views.tournament_summary import NotSummed, csv_of, ots_of
from services.cli.__main__ import app
from services.cli.export import tournament_of
from services.gateway.app.tournaments import RESULT_S, Tournaments
from tests.testkit.cases import Case
from tests.testkit.marks import TOURNAMENT, mark_file
from tests.testkit.partitions import PARTITIONS, partition_of
from tests.testkit.simulated import SimulatedBroker, SimulatedLog
from tests.tournament.course import MINUTE, START, Course, player
from tests.tournament.hall import Hall
from tests.tournament.samples import tournament_samples
from tests.tournament.test_rebuys import buys, evening

KNOCK_OUT: dict[str, Any] = {"buy_in": {"amount": 3_300, "prize": 2_000, "fee": 300, "bounty": 1_000}}


def view_of(events: list[TournamentEvent]) -> TournamentView:
    view = TournamentView("t-1")
    for version, event in enumerate(events, 1):
        view = fold_tournament(view, event, version)
    return view


@cache
def played() -> Hall:
    """Eight at two tables, with bounties, to the last chip."""
    return Hall(8, seed=5, seats=5, **KNOCK_OUT).run()


@pytest.mark.rule("pt-810-2015", "FP-19/1")
def test_a_statement_has_every_amount_with_its_time_and_the_net(case: Case) -> None:
    sample = {type(event): event for event in tournament_samples()}
    prize, fee = case["parts"]
    bought: dict[str, Any] = {"fee": 0, "bounty": 0}
    won = Credit(f"place-{case['place']}.prize", "entry-ann", "ann", prize=case["prize"])
    told: list[TournamentEvent] = [
        sample[t.TournamentProposed],
        replace(sample[t.PlayerRegistered], amount=case["buy_in"], prize=prize, fee=fee, bounty=0, at=START - 1),
        replace(sample[t.RebuyMade], amount=case["rebuy"], prize=case["rebuy"], at=START + 1, **bought),
        replace(sample[t.AddOnMade], amount=case["add_on"], prize=case["add_on"], at=START + 2, **bought),
        replace(sample[t.CreditsDue], why="prize", credits=[won], at=START + 3),
    ]  # fmt: skip
    account = statement(view_of(told).lines["ann"])
    assert (account.paid, account.fee, account.prizes, account.net) == (
        case["paid"], case["of_it"], case["prize"], case["net"],
    )  # fmt: skip
    assert [(line.at - START, line.what, line.amount) for line in account.lines] == [
        (-1, "entry", -case["buy_in"]), (1, "rebuy", -case["rebuy"]), (2, "add_on", -case["add_on"]),
        (3, "prize", case["prize"]),
    ]  # fmt: skip


def test_statements_of_a_whole_tournament_add_up_to_the_fees() -> None:
    hall = played()
    view = view_of(hall.course.events)
    accounts = {player: statement(lines) for player, lines in view.lines.items()}
    assert sum(account.net for account in accounts.values()) == -8 * 300
    assert {
        player: account.prizes + account.bounties for player, account in accounts.items() if account.net > -3_300
    } == (hall.course.credited())
    assert all((account.paid, account.fee) == (3_300, 300) for account in accounts.values())


def test_who_took_it_back_has_paid_no_fee() -> None:
    course = Course.registering().enter("ann")
    course.ask(player("ann"), UnregisterPlayer())
    account = statement(view_of(course.events).lines["ann"])
    assert (account.paid, account.back, account.fee, account.net) == (2_200, 2_200, 0, 0)


def test_a_ticket_is_no_money_in_a_statement() -> None:
    sample = {type(event): event for event in tournament_samples()}
    entry = replace(sample[t.PlayerRegistered], with_ticket="satellite-1.4")
    account = statement(view_of([sample[t.TournamentProposed], sample[TicketIssued], entry]).lines["ann"])
    assert [(line.what, line.amount, line.value) for line in account.lines] == [
        ("ticket_issued", 0, 3_200), ("entry", 0, 3_200),
    ]  # fmt: skip
    assert (account.paid, account.fee, account.net) == (0, 0, 0)


def test_the_summary_says_who_came_where_with_what() -> None:
    view = view_of(played().course.events)
    ots = json.loads(ots_of(view, "p3"))["ots"]
    assert (ots["spec_version"], ots["tournament_number"], ots["hero_player_name"]) == ("1.1.5", "t-1", "p3")
    assert (ots["buyin_amount"], ots["fee_amount"], ots["bounty_value_amount"], ots["prize_pool"]) == (20, 3, 10, 160)
    assert (ots["type"], ots["flags"], ots["player_count"]) == ("MTT", ["Bounty"], 8)
    assert ots["start_date_utc"] < ots["end_date_utc"]
    finishes = ots["tournament_finishes_and_winnings"]
    assert [each["finish_position"] for each in finishes] == list(range(1, 9))
    assert sum(each["prize"] for each in finishes) == 160 + 80, "prizes and bounties"
    assert not any(each["still_playing"] for each in finishes)
    assert "hero_player_name" not in json.loads(ots_of(view))["ots"]


def test_a_result_is_written_once_a_version_and_while_it_is_played_once_in_some_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Found by an attacker (issue 11): one player's questions kept a gateway busy, each with a whole field's result."""
    view, now, written = view_of(played().course.events), 0.0, 0

    def write(of: TournamentView) -> str:
        nonlocal written
        written += 1
        return f"{of.version}"

    monkeypatch.setattr(time, "monotonic", lambda: now)
    held = Tournaments()
    later = replace(view, version=view.version + 1)
    assert {held.result(view, "ots", write) for _ in range(9)} == {f"{view.version}"}
    assert held.result(later, "ots", write) == f"{view.version}"
    now = RESULT_S + 0.1
    assert held.result(later, "ots", write) == f"{later.version}"
    assert written == 2
    assert held.result(view, "csv", write) == f"{view.version}"


def test_while_it_runs_the_others_are_still_playing() -> None:
    events = played().course.events
    [first_out] = [number for number, event in enumerate(events) if type(event).__name__ == "EntryEliminated"][:1]
    finishes = json.loads(ots_of(view_of(events[: first_out + 1])))["ots"]["tournament_finishes_and_winnings"]
    assert sum(each["still_playing"] for each in finishes) == 7
    assert [each.get("finish_position") for each in finishes if not each["still_playing"]] == [8]


def test_the_table_of_results_adds_up() -> None:
    rows = list(csv.DictReader(io.StringIO(csv_of(view_of(played().course.events)))))
    assert [row["first"] for row in rows] == [str(place) for place in range(1, 9)]
    assert sum(int(row["net"]) for row in rows) == -8 * 300
    assert {row["entries"] for row in rows} == {"1"}


async def test_what_was_published_twice_counts_once_and_what_is_missing_is_told() -> None:
    """Found by an attacker (issue 11): `croupier summary` doubled every amount after a kill of the service."""
    events = played().course.events
    broker, log_topic = SimulatedBroker(), topic("tournament", "events").name
    for version, event in enumerate(events, 1):
        kind, data = encode_fact(event)
        record = to_record(PublicEvent(stream="t-1", version=version, type=kind, time=0, causation="c", data=data))
        broker.land(log_topic, partition_of("t-1"), [record, record])
    log = SimulatedLog(broker)
    assert csv_of(await tournament_of(log, "t-1", PARTITIONS)) == csv_of(view_of(events))
    slots = broker.partition(log_topic, partition_of("t-1")).slots
    slots[20] = slots[21] = slots[0]
    with pytest.raises(NotSummed, match="version 11 is missing"):
        await tournament_of(log, "t-1", PARTITIONS)


def test_there_is_no_summary_without_a_result() -> None:
    view = view_of(played().course.events)
    with pytest.raises(NotSummed, match="took no part"):
        ots_of(view, "nobody")
    with pytest.raises(NotSummed, match="registering"):
        csv_of(view_of(Course.registering().enter("ann").events))


@pytest.mark.stack
@pytest.mark.usefixtures("created")
async def test_the_command_makes_it_of_the_topic(
    kafka: Broker, topics: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CROUPIER_TOPIC_PREFIX", topics)
    monkeypatch.setenv("CROUPIER_MARKS_FILE", str(mark_file(tmp_path, "inspector")))
    name = topics + topic("tournament", "events").name
    records = []
    for version, event in enumerate(played().course.events, 1):
        kind, data = encode_fact(event)
        public = PublicEvent(stream="t-1", version=version, type=kind, time=event.at, causation="c", data=data)
        records.append(OutRecord(name, *to_record(public), partition_of("t-1")))
    publisher = await KafkaLog(kafka, TOURNAMENT).publisher()
    await (await publisher.send(records))
    await publisher.abandon()

    async def command(*words: str) -> Result:
        at = ("--home", str(default_home() / "test"))
        return await asyncio.to_thread(CliRunner().invoke, app, ["summary", *words, *at])

    told = await command("t-1", "--player", "p3")
    assert (told.exit_code, told.stdout) == (0, ots_of(view_of(played().course.events), "p3")), told.output
    assert (await command("t-1", "--format", "csv")).stdout == csv_of(view_of(played().course.events))
    missing = await command("t-9")
    assert (missing.exit_code, missing.output) == (1, "croupier summary: there is no tournament t-9\n")


@pytest.mark.rule("pt-810-2015", "FP-19/2")
def test_what_was_paid_is_prizes_and_fees_and_nothing_is_left(case: Case) -> None:
    prize, fee = case["entry"]
    offer = {"chips": 10_000, "until": {"level": 6}, "price": {"amount": case["rebuy"], "prize": case["rebuy"]}}
    more = {"chips": 15_000, "after_level": 6, "price": {"amount": case["add_on"], "prize": case["add_on"]}}
    tournament = evening(
        case["entries"], buy_in={"amount": prize + fee, "prize": prize, "fee": fee}, rebuy=offer, add_on=more,
    )  # fmt: skip
    for number in range(1, case["rebuys"] + 1):
        buys(tournament, f"p{number}", START + MINUTE + number)
    for number in range(1, case["add_ons"] + 1):
        buys(tournament, f"p{number}", START + 60 * MINUTE + number, RequestAddOn)
    tournament.course.wake(START + 65 * MINUTE)
    tournament.now = START + 65 * MINUTE
    tournament.down_to(2)
    held = view_of(tournament.course.events).held
    assert (held.fee, held.total) == (case["fees"], case["debits"] - sum(tournament.course.credited().values()))
    tournament.hand(1, tournament.at(1)[0])
    view = view_of(tournament.course.events)
    accounts = [statement(lines) for lines in view.lines.values()]
    assert view.status == "completed"
    assert sum(account.paid for account in accounts) == case["debits"]
    assert (sum(account.prizes for account in accounts), view.pool) == (case["prizes"], case["prizes"])
    assert [event.amount for event in tournament.of(t.FeesEarned)] == [case["fees"]]
    assert case["debits"] == case["prizes"] + case["fees"]
    assert view.held.total == case["left"]
