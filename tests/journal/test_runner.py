"""The runner: verdicts, answers, offsets, and the door."""

import asyncio
import logging
from dataclasses import replace

import pytest
from msgspec import structs

from libs.contracts.messages import CommandMessage, Principal, command_id_at
from libs.journal.fold import ReplayDiffers
from libs.journal.log import LogRewritten
from libs.journal.runner import Hooks, Pace, Superseded
from libs.telemetry import current_work
from tests.journal import bank
from tests.journal.bank import NAMES, encode_event
from tests.journal.house import GROUP, PARTITION, QUICK, STREAM, House, until
from tests.testkit.simulated import Fate, Faults, SimulatedBroker


class Once(Faults):
    """The given fates for the first appends, none after them."""

    def __init__(self, *fates: Fate) -> None:
        self.fates = list(fates)
        self.reads = 0

    def append(self, topic, partition):
        return self.fates.pop(0) if self.fates else Fate()

    def read(self, topic, partition):
        if topic == NAMES.journal:
            self.reads += 1
        return Fate()


def said(replies):
    return [(r.verdict, r.version, r.reason) for r in replies]


async def test_commands_are_decided_answered_and_journalled():
    house = House()
    async with house.runner():
        replies = await house.ask(house.command("Deposit", amount=50), house.command("Withdraw", amount=20))

    assert said(replies) == [("accepted", 1, None), ("accepted", 3, None)]
    first, second = house.commits()
    assert (first.base, second.base, len(second.events)) == (0, 1, 2)
    assert (first.writer, first.source, first.principal) == ("w1", f"bank-commands.1/{PARTITION}", "player:p1")


async def test_a_rejection_and_nothing_to_do_are_on_the_record():  # journal 4
    house = House()
    async with house.runner():
        replies = await house.ask(house.command("Withdraw", amount=1), house.command("Look"))

    assert said(replies) == [("rejected", 0, "not_enough"), ("accepted", 0, None)]
    assert (replies[0].rule, replies[0].detail) == ("bank#1", "balance is 0")
    assert house.judgements() == ["valid", "valid"]


async def test_a_raising_decide_is_rejected_on_the_record_and_says_nothing(caplog):  # journal 4
    house = House()
    async with house.runner():
        replies = await house.ask(house.command("Explode"), house.command("Deposit", amount=1))

    assert said(replies) == [("rejected", 0, "internal_error"), ("accepted", 1, None)]
    assert "42" not in caplog.text + replies[0].detail + replies[0].reason
    assert any("ZeroDivisionError at bank.py" in record.at for record in caplog.records if hasattr(record, "at"))


async def test_what_is_logged_while_deciding_names_trace_stream_and_command():
    house, heard = House(), []
    command, traceparent = house.command("Explode"), "00-" + "a" * 32 + "-" + "b" * 16 + "-00"
    value, headers = command.encoded(), (("traceparent", traceparent.encode()),)

    class Hearing(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            heard.append(current_work())

    logger, hearing = logging.getLogger("libs.journal.deciding"), Hearing()
    logger.addHandler(hearing)
    try:
        async with house.runner():
            house.broker.land(NAMES.commands, PARTITION, [(STREAM.encode(), value, headers)])
            await house.replied(1)
    finally:
        logger.removeHandler(hearing)

    [work] = heard
    assert work is not None
    assert (work.traceparent, work.stream, work.command) == (traceparent, STREAM, command.id)
    assert current_work() is None


async def test_a_commit_beyond_the_limit_is_rejected_on_the_record():  # journal 4
    house = House(max_commit_bytes=2000)
    async with house.runner():
        replies = await house.ask(house.command("Bloat", size=5000), house.command("Bloat", size=500))

    assert said(replies) == [("rejected", 0, "too_large"), ("accepted", 1, None)]


async def test_a_verdict_without_foreign_records_needs_no_read():  # journal 7
    house, faults = House(), Once()
    async with house.runner(faults=faults, snapshot_s=60, snapshot_commits=100):
        before = faults.reads
        await house.ask(*(house.command("Deposit", amount=1) for _ in range(20)))
        assert faults.reads == before


async def test_commands_of_a_stream_share_batches_and_keep_their_order():  # journal 6
    house = House()
    commands = [house.command("Deposit", amount=n) for n in range(1, 60)]
    house.send(*commands)
    async with house.runner():
        await house.replied(59)

    assert [c.command_id for c in house.commits()] == [c.id.bytes for c in commands]
    assert house.judgements() == ["valid"] * 59


async def test_a_repeated_command_gets_its_first_answer():
    house = House()
    withdraw = house.command("Withdraw", amount=5)
    async with house.runner():
        first = await house.ask(withdraw)
        await house.ask(house.command("Deposit", amount=50))
        house.send(withdraw)
        replies = await house.replied(3)

    assert replies[2] == first[0]
    assert len(house.commits()) == 2


async def test_each_record_of_a_command_is_answered_where_it_says():  # journal 10
    house = House()
    elsewhere, third = ((PARTITION + away) % NAMES.partitions for away in (1, 2))
    deposit = house.command("Deposit", amount=50)
    async with house.runner():
        for number, said in enumerate((b"%d" % elsewhere, b"%d" % third, b"%d" % NAMES.partitions, None), 1):
            headers = () if said is None else (("reply-to", said),)
            house.broker.land(NAMES.commands, PARTITION, [(STREAM.encode(), deposit.encoded(), headers)])
            await house.replied(number)
    assert [len(house.broker.records(NAMES.replies, place)) for place in (elsewhere, third, PARTITION)] == [1, 1, 2]
    assert len({each.encoded() for each in house.replies()}) == 1, "the same answer everywhere"
    assert len(house.commits()) == 1


async def test_a_repeated_command_in_the_same_burst_is_decided_once():  # journal 9
    house = House()
    deposit = house.command("Deposit", amount=5)
    async with house.runner():
        house.send(deposit, deposit, deposit)
        replies = await house.replied(3)

    assert said(replies) == [("accepted", 1, None)] * 3
    assert len(house.commits()) == 1


async def test_a_command_older_than_the_horizon_expires():  # journal 13
    house = House()
    async with house.runner():
        now = house.broker.now_ms()
        old = house.command("Deposit", amount=5, now_ms=now - house.machine.horizon_ms - 1000)
        just = house.command("Deposit", amount=5, now_ms=now - house.machine.horizon_ms + 5000)
        replies = await house.ask(old, just)

    assert said(replies) == [("expired", 0, "expired"), ("accepted", 1, None)]
    assert len(house.commits()) == 1


async def test_stream_time_expires_a_command_that_the_broker_clock_would_not():  # journal 13
    house = House()
    ahead = house.broker.now_ms() + house.machine.horizon_ms + 5000
    house.land(house.foreign(1, now_ms=ahead))
    async with house.runner():
        replies = await house.ask(house.command("Deposit", amount=5))
    assert said(replies) == [("expired", 1, "expired")]


async def test_a_full_ring_answers_busy_and_frees_itself_with_time():  # journal 13
    clock = [1_700_000_000_000]
    house = House(SimulatedBroker(NAMES.partitions, lambda: clock[0]), ring_cap=3)
    timers = [Principal("timer", f"t{number}") for number in range(4)]
    async with house.runner():
        replies = await house.ask(*(house.command("Deposit", amount=1, by=timer) for timer in timers))
        assert said(replies)[3] == ("busy", 3, "too_many_commands")
        clock[0] += house.machine.horizon_ms + 1
        assert said(await house.ask(house.command("Deposit", amount=1))) == [("accepted", 4, None)]
    assert len(house.commits()) == 4


async def test_a_foreign_commit_voids_ours_and_it_is_decided_again():  # journal 8
    house = House()
    async with house.runner():
        await house.ask(house.command("Deposit", amount=10))
        house.land(house.foreign(100))
        commands = [house.command("Withdraw", amount=30), house.command("Withdraw", amount=60)]
        replies = await house.ask(*commands)

    assert said(replies) == [("accepted", 4, None), ("accepted", 6, None)]
    assert house.fold().states[STREAM].balance == 20
    assert house.seen.count("commits_void") >= 1
    assert house.seen.count("draws_discarded") == house.seen.count("commits_void")


@pytest.mark.parametrize("fate", [Fate(lost=True), Fate(answer_lost=True), Fate(before_s=0.5), Fate(after_s=0.5)])
async def test_an_unknown_outcome_ends_in_one_effect_and_one_answer(fate):  # journal 11
    house = House()
    async with house.runner(faults=Once(fate)):
        replies = await house.ask(*(house.command("Deposit", amount=1) for _ in range(5)))
        await asyncio.sleep(0.4)  # a late landing is judged like any other
        more = await house.ask(house.command("Deposit", amount=1))

    assert said(replies) == [("accepted", n, None) for n in range(1, 6)]
    assert said(more) == [("accepted", 6, None)]
    assert house.judgements().count("valid") == 6
    assert house.seen.count("appends_unknown") == 1


async def test_an_accepted_batch_without_a_place_is_found_by_reading():  # journal 7
    house = House()
    async with house.runner(faults=Once(Fate(place_unknown=True), Fate(place_unknown=True))):
        replies = await house.ask(house.command("Deposit", amount=1), house.command("Deposit", amount=2))

    assert said(replies) == [("accepted", 1, None), ("accepted", 2, None)]
    assert house.seen.count("journal_gaps_read") >= 1
    assert house.seen.count("appends_unknown") == 0


async def test_a_batch_that_lands_twice_counts_once():
    house = House()
    async with house.runner(faults=Once(Fate(lands_twice=True))):
        replies = await house.ask(house.command("Deposit", amount=1))
        replies += await house.ask(house.command("Deposit", amount=1))
    assert said(replies) == [("accepted", 1, None), ("accepted", 2, None)]


async def test_holes_in_the_journal_only_cost_a_read():  # journal 4d
    house = House()
    async with house.runner():
        await house.ask(house.command("Deposit", amount=1))
        house.broker.add_hole(NAMES.journal, PARTITION)
        assert said(await house.ask(house.command("Deposit", amount=1))) == [("accepted", 2, None)]
        assert house.seen.count("journal_gaps_read") == 1
        await house.ask(house.command("Deposit", amount=1))
        assert house.seen.count("journal_gaps_read") == 1


async def test_offsets_are_committed_below_the_lowest_open_command():  # journal 12
    house = House()
    async with house.runner(faults=Once(Fate(), Fate(before_s=0.15))):
        await house.ask(house.command("Deposit", amount=1))
        house.send(house.command("Deposit", amount=1))
        await asyncio.sleep(0.08)
        assert house.broker.offsets[GROUP, NAMES.commands, PARTITION] == 1
        await until(lambda: house.broker.offsets[GROUP, NAMES.commands, PARTITION] == 2)
    assert len(house.replies()) == 2


async def test_a_new_runner_goes_on_where_the_old_one_stopped():
    house = House()
    async with house.runner("w1"):
        await house.ask(house.command("Deposit", amount=5))
    house.broker.offsets.clear()  # the offset was never committed: everything is read again
    house.send(house.command("Withdraw", amount=3))
    async with house.runner("w2", generation=2):
        replies = await house.replied(3)

    assert said(replies[1:]) == [("accepted", 1, None), ("accepted", 3, None)]
    assert [c.writer for c in house.commits()] == ["w1", "w2"]


async def test_what_cannot_be_read_is_parked_untouched_and_the_stream_goes_on():
    house = House()
    good = house.command("Deposit", amount=1)
    misplaced = next(
        c for n in range(99) if (c := house.command("Look", f"account-{n}")) and _partition(c) != PARTITION
    )
    v4 = structs.replace(good, id=command_id_at(0, "x").__class__(int=4 << 76 | 2 << 62))
    future = structs.replace(good, id=command_id_at(house.broker.now_ms() + 10**7, "future"))
    bad = {
        b"{": "not_json",
        b"\xff\xfe": "not_json",
        b"": "not_json",
        b"[]": "bad_envelope",
        b'{"id": 7}': "bad_envelope",
        good.encoded().replace(b'"correlation"', b'"secret-field"'): "bad_envelope",
        v4.encoded(): "bad_id",
        future.encoded(): "bad_id",
        misplaced.encoded(): "wrong_partition",
        house.command("Deposit", amount=-5).encoded(): "malformed",
        house.command("Deposit", amount=10**30).encoded(): "malformed",
        house.command("Deposit").encoded(): "malformed",
        house.command("Steal").encoded(): "malformed",
        house.command("Trip").encoded(): "malformed",
    }
    async with house.runner():
        for value in bad:
            house.broker.land(NAMES.commands, PARTITION, [(b"k", value, (("h", b"1"),))])
        house.broker.land(NAMES.commands, PARTITION, [(b"k", None, ())])
        assert said(await house.ask(good)) == [("accepted", 1, None)]
        await until(lambda: house.broker.offsets.get((GROUP, NAMES.commands, PARTITION)) == len(bad) + 2)

    parked = house.broker.records(NAMES.parked, 0)
    assert [record.value for record in parked] == [*bad, None]
    reasons = [dict(record.headers)["parked-reason"].decode() for record in parked]
    assert reasons == [*bad.values(), "not_json"]
    headers = dict(parked[3].headers)
    assert (headers["h"], headers["parked-topic"]) == (b"1", NAMES.commands.encode())
    assert (headers["parked-partition"], headers["parked-offset"]) == (b"%d" % PARTITION, b"3")
    assert not any(b"secret-field" in dict(record.headers)["parked-detail"] for record in parked)
    assert len(house.commits()) == 1


def _partition(command: CommandMessage) -> int:
    from tests.testkit.partitions import partition_of

    return partition_of(command.stream, NAMES.partitions)


async def test_trace_and_principal_go_into_the_commit_and_the_reply():
    house = House()
    trace = b"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    command = structs.replace(house.command("Deposit", amount=1), principal=Principal("staff", "s9"))
    async with house.runner():
        house.broker.land(NAMES.commands, PARTITION, [(b"k", command.encoded(), (("traceparent", trace),))])
        await house.replied(1)

    assert (house.commits()[0].traceparent, house.commits()[0].principal) == (trace.decode(), "staff:s9")
    reply = next(r for p in range(4) for r in house.broker.records(NAMES.replies, p))
    assert dict(reply.headers)["traceparent"] == trace


async def test_hooks_see_confirmed_states_only():
    house, states, folds = House(), [], []
    house.land(house.foreign(7))
    hooks: Hooks[bank.Account] = Hooks(
        on_state=lambda stream, state, version: states.append((stream, state.balance, version)),
        on_fold=lambda stream, state, commit: folds.append((state.balance, commit.writer)),
    )
    async with house.runner(hooks=hooks):
        assert states == [(STREAM, 7, 1)]
        await house.ask(house.command("Deposit", amount=1))
    assert states[1:] == [(STREAM, 8, 2)]
    assert folds == [(8, "w1")]


async def test_a_writer_gives_way_to_a_higher_generation():  # journal 4e
    house = House()

    async def scenario():
        async with house.runner(generation=3):
            await house.ask(house.command("Deposit", amount=1))
            house.land(house.foreign(1, generation=4))
            house.send(house.command("Deposit", amount=1))
            await asyncio.sleep(0.3)

    with pytest.raises(Superseded):
        await scenario()


async def test_generations_of_the_past_scare_nobody():
    """A group that was re-created counts from one again; the old commits lie before our start."""
    house = House()
    house.land(house.foreign(1, generation=99))
    async with house.runner(generation=1):
        assert said(await house.ask(house.command("Deposit", amount=1))) == [("accepted", 2, None)]


async def test_a_truncated_journal_stops_the_runner():  # journal 21
    house = House()

    async def scenario():
        async with house.runner():
            await house.ask(*(house.command("Deposit", amount=1) for _ in range(5)))
            house.broker.truncate(NAMES.journal, PARTITION, 2)
            house.send(house.command("Deposit", amount=1))
            await asyncio.sleep(0.3)

    with pytest.raises(LogRewritten):
        await scenario()
    assert house.seen.count("chain_failures") == 1


async def test_a_journal_that_grew_again_after_truncation_stops_the_runner():  # journal 21
    house = House()

    async def scenario():
        async with house.runner():
            await house.ask(*(house.command("Deposit", amount=1) for _ in range(5)))
            house.broker.truncate(NAMES.journal, PARTITION, 3)
            house.land(*(house.foreign(n) for n in range(1, 9)))
            house.send(house.command("Deposit", amount=1))
            await asyncio.sleep(0.3)

    with pytest.raises(LogRewritten):
        await scenario()


async def test_many_open_commands_do_not_pile_up_beyond_the_limit():
    house = House()
    pace = Pace(open_commands=20, page=10, patience_s=0.3, offsets_every_s=0.01, read_wait_ms=50)
    house.send(*(house.command("Deposit", amount=1) for _ in range(200)))
    async with house.runner(pace=pace, faults=Once(*(Fate(before_s=0.005) for _ in range(50)))):
        await house.replied(200)
    assert max(args[2] for _, args in house.seen.calls if args[0] == "commands_open") <= 30


async def test_an_undecodable_journal_record_is_reported_and_passed_over(caplog):
    house = House()
    async with house.runner(pace=QUICK):
        await house.ask(house.command("Deposit", amount=1))
        house.land(b"\x55nonsense")
        assert said(await house.ask(house.command("Deposit", amount=1))) == [("accepted", 2, None)]
    assert ("happened", ("journal_undecodable", PARTITION)) in house.seen.calls
    told = next(record for record in caplog.records if "unknown version byte" in record.getMessage())
    assert (told.partition, told.offset) == (PARTITION, 1)


async def test_bytes_that_replay_to_another_state_stop_the_runner():
    """What was folded while deciding counts; a sample of it is held against what the bytes say."""

    def another(event):
        return encode_event(structs.replace(event, amount=event.amount + 1, balance=event.balance + 1))

    async def scenario(patience, **changes):
        house = House(**changes)
        async with house.runner():
            house.send(house.command("Deposit", amount=1))
            await house.replied(1, patience)

    with pytest.raises(ReplayDiffers, match="account-1 after version 0"):
        await scenario(1.0, encode_event=another)  # nobody answers any more
    await scenario(30.0)


async def test_one_own_commit_of_so_many_is_replayed():
    house, replayed = House(), []

    def decode_event(kind, payload):
        replayed.append(kind)
        return bank.decode_event(kind, payload)

    house.machine = replace(house.machine, decode_event=decode_event)
    async with house.runner(pace=replace(QUICK, replay_every=10)):
        await house.ask(*(house.command("Deposit", amount=1) for _ in range(45)))
    assert len(replayed) == 45 + 4, "each is read once before it is appended: what nobody can read is never written"


async def test_what_no_reader_could_read_is_never_appended():
    """Seen: sums above the bounds of their event were written, and stopped every reader, their own service too."""
    house = House()

    def decode_event(kind, payload):
        event = bank.decode_event(kind, payload)
        if isinstance(event, bank.Moved) and event.balance > 10:
            raise ValueError("out of bounds")
        return event

    house.machine = replace(house.machine, decode_event=decode_event)
    async with house.runner():
        replies = await house.ask(*(house.command("Deposit", amount=amount) for amount in (9, 5, 1)))
    assert [(reply.verdict, reply.reason) for reply in replies] == [
        ("accepted", None), ("rejected", "internal_error"), ("accepted", None)
    ]  # fmt: skip
    assert [len(commit.events) for commit in house.commits()] == [1, 0, 1]
