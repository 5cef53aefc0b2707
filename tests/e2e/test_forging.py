"""Whoever administers the broker and has no key changes nothing that counts, and is found within five seconds.

Prints the table; `FORGING_PAGE=docs/forging.md` writes it there.
"""

import asyncio
import os
import re
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from aiokafka import AIOKafkaProducer
from rich.console import Console
from rich.table import Table

from libs.client import Player
from libs.contracts.messages import CommandMessage, Reply
from libs.contracts.topics import REPLIES, TOPICS, topic
from libs.journal.kafka_log import KafkaLog
from libs.journal.kafka_wire import produce
from libs.journal.mark_keys import marks_in
from services.cli.demo.tables import demo_tables
from services.cli.house import House
from services.cli.journals import records
from tests.conftest import PROJECT
from tests.e2e.evening import all_records, croupier
from tests.e2e.forging import Forged, Forger
from tests.e2e.test_nonsense import Duel, duel
from tests.journal.test_foreign import HOSTILE
from tests.testkit.marks import UNMARKED
from tests.testkit.partitions import PARTITIONS, partition_of

SOON_S = 5.0
WITHIN = re.compile(r"up to offset (\d+)")


@dataclass(slots=True)
class Row:
    forged: Forged
    offset: int
    sent: float
    found: str = ""
    after_s: float | None = None


@dataclass(slots=True)
class Attack:
    """The broker's administrator at work. `rows` is what comes of it."""

    house: House
    producer: AIOKafkaProducer
    audit: httpx.AsyncClient
    rows: list[Row] = field(default_factory=list)
    incidents: list[dict[str, Any]] = field(default_factory=list)

    async def write(self, forged: Forged) -> Row:
        name = self.house.topic_prefix + forged.topic
        sent = await self.producer.send_and_wait(
            name, forged.value, forged.key, forged.partition, headers=list(forged.headers)
        )
        row = Row(forged, sent.offset, time.monotonic())
        self.rows.append(row)
        return row

    async def found(self, rows: list[Row], patience_s: float = 3 * SOON_S) -> None:
        """Waits until there is an incident of each."""
        give_up = time.monotonic() + patience_s
        waiting = list(rows)
        while waiting and time.monotonic() < give_up:
            told = (
                await self.audit.get(
                    "/v1/incidents", params={"after": self.incidents[-1]["id"] if self.incidents else 0}
                )
            ).json()
            self.incidents += told["incidents"]
            for row in waiting:
                kind = next((each["kind"] for each in self.incidents if self._is_of(each, row)), "")
                if kind:
                    row.found, row.after_s = kind, time.monotonic() - row.sent
            waiting = [row for row in waiting if not row.found]
            await asyncio.sleep(0.05)

    def _is_of(self, incident: dict[str, Any], row: Row) -> bool:
        place = (self.house.topic_prefix + row.forged.topic, row.forged.partition)
        if (incident["topic"], incident["partition"]) != place or incident["kind"] != "foreign_record":
            return False
        upto = WITHIN.search(incident["detail"])
        return bool(incident["offset"] <= row.offset <= (int(upto[1]) if upto else incident["offset"]))


@asynccontextmanager
async def attack(house: House) -> AsyncIterator[Attack]:
    async with AIOKafkaProducer(**house.stack.admin.options(), acks="all") as producer, house.reader("audit") as audit:
        yield Attack(house, producer, audit)


async def counts(house: House) -> dict[str, Any]:
    """Everything that counts: true records of what is decided, told and answered, books, and sums."""
    log, found = KafkaLog(house.stack.admin, marks_in(house.marks_file("inspector"))), dict[str, Any]()
    for each in TOPICS:
        if each.kind in ("journal", "events", "replies", "private"):
            for number in range(each.partitions(PARTITIONS)):
                held = [record async for record in records(log, house.topic_prefix + each.name, number)]
                found[f"{each.name}/{number}"] = len(held)
    async with house.reader("wallet") as wallet:
        for path in ("/v1/totals", "/v1/trial-balance", "/v1/players/alice/accounts", "/v1/gaps"):
            found[path] = (await wallet.get(path)).json()
    return found


async def quiet(it: Duel) -> tuple[Player, Player]:
    """Alice and bob, when one hand is over and bob has gone home: from here on nothing happens by itself."""
    alice, bob = (it.actor, it.other) if it.turn.player == "alice" else (it.other, it.actor)
    assert (await it.actor.act(it.turn, "fold")).accepted
    assert (await bob.leave(it.table)).accepted
    state = alice.tables[it.table]
    await alice.until(lambda: state.hand_over and [seat.player for seat in state.view.seats.values()] == ["alice"], 60)
    return alice, bob


async def ready(house: House) -> list[str]:
    """Services that are not."""
    found = []
    async with httpx.AsyncClient() as client:
        for name, process in house.processes.items():
            answer = await client.get(f"{process.inner_url}/health/ready")
            if answer.status_code != httpx.codes.OK:
                found.append(f"{name}: {answer.text}")
    return found


@pytest.mark.stack
@pytest.mark.timeout(400)
async def test_whoever_reaches_the_broker_changes_nothing_and_is_found(house: House) -> None:
    table = demo_tables()[0]
    async with duel(house) as it, attack(house) as attacker:
        alice, bob = await quiet(it)
        forger = Forger(house.stack.admin, house.topic_prefix, table)
        await snapshots_are_written(house, table.table)
        await forger.read()
        before = await counts(house)

        for together in forger.rounds():
            await attacker.found([await attacker.write(each) for each in together])
        await hostile_batches(attacker)
        assert await counts(house) == before, "something counted"
        assert await ready(house) == []

        for forged in forger.replays():
            await attacker.write(forged)
        await asyncio.sleep(2)
        assert await effects(house, before) == {}, "a repetition counted"

        await an_answer_in_flight(it.table, alice, attacker)
        for service in ("table", "wallet"):
            await house.processes[service].kill()
            await house.processes[service].start()
            await house.processes[service].ready()
        assert await ready(house) == [], "what a start reads is forged, too"
        assert (await bob.take_seat(it.table, 10_000)).accepted
        await alice.until(lambda: alice.tables[it.table].turn is not None, 60)

    show(attacker.rows)
    late = [(row.forged.kind, row.after_s) for row in attacker.rows if not in_time(row)]
    assert late == []
    for command in (("verify",), ("rebuild", "--compare")):
        status, report = await croupier(house, *command)
        assert status == 0, report
    text = "".join(file.read_text() for file in (house.home / "logs").glob("*"))
    assert "Traceback" not in text


async def snapshots_are_written(house: House, table: str) -> None:
    name, key = house.topic_prefix + topic("table", "snapshots").name, b"stream/" + table.encode()
    async with asyncio.timeout(60):
        while not any(record.key == key for record in await all_records(house.stack.admin, name, PARTITIONS)):
            await asyncio.sleep(0.5)


async def effects(house: House, before: dict[str, Any]) -> dict[str, Any]:
    """What changed, but for true records that lie there once more."""
    after = await counts(house)
    return {
        what: (before[what], after[what]) for what in before if what.startswith("/") and before[what] != after[what]
    }


async def hostile_batches(attacker: Attack) -> None:
    """Bytes that are no records as anybody here writes them; some of it the broker itself refuses."""
    house, name = attacker.house, topic("table", "events").name
    log = KafkaLog(house.stack.admin, UNMARKED)
    await log.cluster.join()
    try:
        place = (house.topic_prefix + name, 3)
        await log.cluster.partitions(place[0])
        node = log.cluster.leader(place)
        assert node is not None
        for kind, batch in HOSTILE.items():
            answer = (await log.cluster.call(node, "forge", produce({place[0]: [(3, batch)]}, 5_000)))[place]
            row = Row(Forged(f"batch: {kind}", name, 3, None, None), answer.offset, time.monotonic())
            attacker.rows.append(row)
            if answer.error:
                row.found, row.after_s = "refused by the broker", 0.0
            else:
                await attacker.found([row])
    finally:
        log.cluster.leave()


async def an_answer_in_flight(table: str, alice: Player, attacker: Attack) -> None:
    """The one moment in which somebody waits for an answer: the table stands still, and its answer is forged."""
    house = attacker.house
    house.processes["table"].send(signal.SIGSTOP)
    try:
        asking = asyncio.create_task(alice.top_up(table, 1))
        commands, where = topic("table", "commands"), partition_of(table)
        async with asyncio.timeout(20):
            while True:
                held = await all_records(house.stack.admin, house.topic_prefix + commands.name, PARTITIONS)
                sent = [r for r in held if r.partition == where and b"TopUp" in (r.value or b"")]
                if sent:
                    break
        command = CommandMessage.decoded(sent[-1].value or b"")
        reply = Reply(command_id=command.id, stream=table, verdict="rejected", version=1, reason="forged")
        row = await attacker.write(
            Forged("answer that somebody waits for", REPLIES.name, where, table.encode(), reply.encoded())
        )
        await attacker.found([row])
        assert not asking.done(), "the forged answer was believed"
    finally:
        house.processes["table"].send(signal.SIGCONT)
    assert (await asyncio.wait_for(asking, 30)).reason != "forged"


def in_time(row: Row) -> bool:
    return row.after_s is None if row.forged.kind.startswith("true ") and row.forged.kind.endswith(", again") else (
        row.after_s is not None and row.after_s <= SOON_S
    )  # fmt: skip


def show(rows: list[Row]) -> None:
    """One line a kind; the slowest of several."""
    kinds: dict[str, list[Row]] = {}
    for row in rows:
        kinds.setdefault(row.forged.kind, []).append(row)
    lines = [
        (kind, of[0].forged.topic.removeprefix("croupier."), found_by(of[0]), after(of)) for kind, of in kinds.items()
    ]
    shown = Table("record", "topic", "effect", "found by", "after")
    for kind, where, by, when in lines:
        shown.add_row(kind, where, "none", by, when)
    Console(width=140).print(shown)
    page = os.environ.get("FORGING_PAGE")
    if page:
        table = "\n".join(f"| {kind} | `{where}` | none | {by} | {when} |" for kind, where, by, when in lines)
        Path(page).write_text(PAGE.format(table=table))


def found_by(row: Row) -> str:
    if row.forged.kind.endswith(", again"):
        return "nobody: it is true, and known already"
    return f"auditor, `{row.found}`" if row.found == "foreign_record" else row.found


def after(rows: list[Row]) -> str:
    taken = [row.after_s for row in rows if row.after_s]
    return f"{max(taken):.1f} s" if taken else "–"


PAGE = """# What was forged

On a running house (real broker, real processes, two players) somebody with the broker's own administrator login and no
key of ours writes one record of each kind. `FORGING_PAGE=docs/forging.md .venv/bin/pytest tests/e2e/test_forging.py`
made this page; the same test, in `make test`, fails on any effect and on anything found later than five seconds.
*Effect* is looked for in all true records of journals, events, answers and private deals, in balances and books, in
what `ready` says of every service, and after both deciding services were killed and started again on what was forged.
`croupier verify` and `croupier rebuild --compare` agree at the end. How it works: [journal.md](journal.md), rule 22,
and [ADR 9](adr/0009-every-record-carries-its-writers-mark.md).

| record | topic | effect | found by | after |
|---|---|---|---|---|
{table}

A repetition is a true record that is written again by whoever can read it. It can't be told from a late retry, and
changes as little.

Of a compacted topic a foreign record takes the true one of its key along, in a minute or so. Snapshots are made again;
of blocked players and ended sessions every gateway that reads such a record tells again what holds, and an older notice
that is written again lifts no newer one (`tests/gateway/test_session_notices.py`). To delete, cut or set up a topic
otherwise takes no record at all:
[sre.md](sre.md#journal-rewritten-log_rewritten-checkpoint_not_in_log-croupier_chain_failures_total).

What a key is worth that was stolen from a process: the gateway's speaks for players, staff and platforms, as the
gateway does, and confirms no seat: a policy's or a timer's command is heard only from the service that decides it,
of the gateway alone that a connection is lost (`libs/journal/intake.py`); a service's writes its journal, and could ask
in people's names, but not with the
gateway's second mark. A commit without its command, or of one that no gateway brought, an answer without its
commit and a public event that no commit says are then found by the auditor (`tests/audit/test_reconciling.py`, which
has a true mark for each of these), and the key is rotated ([sre.md](sre.md#keys)):

| record, with the true mark of a service | topic | effect | found by | within |
|---|---|---|---|---|
| commit of no command | `table.journal.v1` | it is decided | auditor, `commit_without_command` | 5 s |
| answer of no commit | `replies.v1` | who asked believes it | auditor, `answer_without_commit` | 5 s |
| deposit of 50,000.00 | `wallet.events.v1` | books and pages believe it | auditor, `publication_differs` | 5 s |
| next, changed, first event | `table.events.v1` | readers believe it | auditor, `publication_differs` | 5 s |
| true event, again | `table.events.v1` | none | nobody | – |
| seat, top-up, entry of nobody | `table.events.v1` | no money moves | wallet, parked (`not_asked`) | 1 s |
| snapshot: the opponent has folded | `table.snapshots.v1` | none | table, `snapshot_differs` | its next start |
| manifest of three bytes | `table.snapshots.v1` | none | table, `snapshot_differs` | its next start |

Snapshots are what the true process goes on from, so their mark is not enough: beside it they bear a seal under a key
that is in no file of marks and that nobody else has ([ADR 19](adr/0019-a-snapshot-is-sealed-by-its-service.md),
`tests/e2e/test_forged_snapshot.py`, `tests/journal/test_seals.py`). What has none is absent to a start, which folds the
journal in its place.

Money leaves an account only where the command says that the player wants it
(`tests/wallet/policies/test_wishes.py`, `tests/wallet/service/test_wallet_process.py`), and a table only as far as it
was brought there (`tests/wallet/escrows`, [ADR 22](adr/0022-no-more-leaves-a-table-than-came.md)). For the rest it is
named, not stopped: whoever decides may also lie about what it decides, in its journal as in its events, so other
services believe a credit that nobody paid until somebody acts. What that can move, and why reading the journal instead
would not help: [ADR 13](adr/0013-what-a-player-wants-is-read-from-the-command.md). An event above
all that the journal says also keeps its service from starting, until the owner disowns that one record
(`tests/cli/test_disown.py`).

A login to the database: balances written by hand on both sides, of any account (`tests/audit/test_balances.py`), are
told. With the wallet's own login every transaction that writes is noted by the database; the wallet marks its own with
a key that no login has, and goes on from no other (`tests/wallet/ledger/test_written_by_hand.py`,
`tests/wallet/service/test_wallet_process.py`):

| written to `wallet` | effect | found by | within |
|---|---|---|---|
| an event among those set aside | none: the books stand, not ready | `ledger_written_by_hand` | 2 s |
| an event set aside, taken away | the same | the same | 2 s |
| position, or versions of streams: an event is passed over | the same | the same | 2 s |
| statements, charges, void rounds, rake, hold, balances | the same, and 500 `record-not-true` | the same | 2 s |
| the money of a table, before its opening | the same: nothing of it is booked | the same | 2 s |
| transfers, on both sides | the same, and 500 `record-not-true` | the same | 2 s |
| any of these, and back again | the same: the note stays | the same | 2 s |
| nothing: rows of the books held, for ever | nothing is booked meanwhile | not ready | 15 s |
| a mark for another transaction, a note taken away | refused by the database | – | – |

Who has the auditor's login besides can take notes away (it does so with those that are ours). What
is taken is chained: the chain's end lacks the auditor's mark then, `ledger_written_by_hand`, 2 s
(`tests/audit/test_notes_taken.py`). What the owner of the database writes is not noted; what he leaves behind (a
trigger that is gone, a right, a view, a role, a sequence that numbers elsewhere, a month that the next crash empties)
is `database_has_strangers` (`tests/audit/test_database_roads.py`, `test_database_rows_lost.py`).
With the auditor's own login
(`tests/audit/test_marked_histories.py`, `test_marked_evidence.py`,
`test_marked_suspicion.py`, `test_marked_states.py`, `test_marked_readers.py`, `test_set_aside.py`,
`test_checkpoints.py`, `test_reads.py`, `test_service.py`, `test_held_locks.py`,
`tests/audit/integrity/test_kept_sums.py`):

| written to `audit` | effect | found by | within |
|---|---|---|---|
| a hand or round that is over, changed | none: 500 `record-not-true` | `history_written_by_hand` | 5 s, or asked |
| the same, of long ago | none: 500 `record-not-true` | the same | 500 rows a second at least, or asked |
| a running hand, a table's opening | the table's stream is set aside | the same, `stream_set_aside` | 5 s |
| a hand that there never was | none: 500 `record-not-true` | `history_written_by_hand` | 5 s |
| another hand's record and mark | none: 500 `record-not-true` | `history_written_by_hand` | 5 s |
| a hand that nobody can read | none: left out | `history_written_by_hand` | 5 s |
| the same hand's older record and mark | refused by the database | – | – |
| a row taken away, or made another hand's | refused by the database | – | – |
| an event among those set aside; one taken away | none: the auditor's projector stands, not ready | the same | 2 s |
| the position in public events | hands are missing, none is changed | gaps, `rebuild --compare` | – |
| what checks remember, changed | that check of the stream stands still | `evidence_written_by_hand` | 2 s |
| the same, taken away or older | refused by the database | – | – |
| a forgotten sitting, put back | an incident too many (`reserve_never_ended`) | `verify`, which has none | – |
| an incident before it happens | none: it is told, logged and counted all the same | `evidence_written_by_hand` | 2 s |
| what an incident says, a number to come | refused by the database | – | – |
| how often an incident was met | the count is too high; to lower it is refused | nobody | – |
| a case that was not found, or its hands and evidence | none: not shown | `evidence_written_by_hand` | 2 s |
| a block lifted, or told by nobody | none: not shown, the true last word holds | `evidence_written_by_hand` | 2 s |
| what a search for collusion keeps, but its newest | none: made anew | `evidence_written_by_hand` | an hour to a day |
| a device that two are said to share | none: it opens no case | `evidence_written_by_hand` | 2 s |
| a checkpoint, of the next number or far ahead | none: passed over | `evidence_written_by_hand` | 2 s |
| a position of its readers, behind a commit of no command | none: it is judged | `position_moved` | 5 s, or a start |
| a true position of before | none | the same | the same |
| a link: what a commit is said to have been judged | none: passed over | `evidence_written_by_hand` | when asked for |
| a stream's head | none: made anew from the journal, in no checkpoint | the same | when it is met, or signed |
| the same, taken away or older | refused by the database | – | – |
| who looked at whom (also with the wallet's login) | none: not shown | `trail_of_reads_broken` | 2 s |
| up to where a trail of reads is proven | none: walked anew, or from what is known | `position_moved` | 5 s |
| nothing: rows held, for ever | nothing is judged meanwhile; foreign records are told | not ready | 15 s |
| nothing: the database takes no connection | the same, foreign records either | the same | 20 s |

Rows of before the marks (migrations audit 014 and 016 to 019, libs 005) are believed as long as nobody writes to
them: no login writes to one and leaves it without a mark, or adds one. Of positions, links and heads there are none
(migration audit 021): the journals are judged anew. Who keeps the auditor from its work is named by `croupier verify`,
which holds each commit against its command as the auditor does, for the week that commands are kept
(`tests/audit/test_commands.py`). A commit that names a command that is gone is told where it is younger than five days.

Who has a service's login at the broker and not its marks file joins its groups, holds them and moves them. Positions
bear a mark, and what counts as none is told (`tests/e2e/test_moved_groups.py`, `tests/journal/test_positions.py`):

| done to `table-decider` or `wallet-policies` | effect | found by | within |
|---|---|---|---|
| every offset set to the end, behind a player's act | none: it is decided | auditor, `group_offset_differs` | 10 s |
| the same, behind a player's leaving | none: his chips come home | the same | 10 s |
| every offset set beyond the end | none: it is read on | the same | 10 s |
| an offset set back, to where the group once stood | none: all is known, and read again | nobody | – |
| every partition held | nothing is decided meanwhile, and no time runs out by it | not ready | 15 s |
| every partition of `audit-share`, `wallet-books` held | nothing is judged or booked meanwhile | not ready | 15 s |
| true positions of before, written again while all is held | the same | the same | 15 s |
| a member without a mark, or with another's | as he likes, for so long | auditor, `group_has_strangers` | 5 s |
| the true member sent away, garbage given out | none is decided twice; not ready, lives | the same | 5 s |
| the same, shared out as nobody of the house does | the same | the same | 5 s |
| a group kept from being shared out | its partitions are played on | the same | its session and 6 s |
| a member sent away again and again | it comes back | the same | some 15 s |

A command of a person that was asked with the gateway's second mark, and that nothing became of, is told as well,
whatever it was passed over by (`command_not_decided`, `tests/audit/test_undecided.py`).

What is still open to who has a service's login at the broker and its marks file: commits of true commands. What is told
in them is held against rules, books and cards: what is paid against the cards, or charged against the configuration, is
`pot_result_differs` or `rake_differs` as it is paid (`tests/audit/test_pots.py`), a fee that nobody charges is
`fee_never_charged` (`tests/audit/test_fees.py`). With the file of seals besides he is that service, also at its next
start; `croupier rebuild --compare` agrees with the journal then. So these logins and files lie on one machine each, and
group ACLs are given to no one else.

Without the marks file, too, he may keep a service from its work for as long as he is there: hold its partitions, or
lead its group and give out what nobody can read. The service lives, is not ready, and takes its partitions up when he
has gone (`tests/e2e/test_strangers.py`). Members of the house say at each join who they are, under a mark over group,
instance and time; every auditor asks the broker every two seconds who is in its groups, so he is named with his address
(`tests/audit/test_strangers.py`, [sre.md](sre.md)); only the broker can put him out. He makes no groups of other names
(`tests/broker/test_access.py`). One request of his no longer ends the broker by an expression, by a group of a newer
kind, on a topic that is not compacted, or by what members of his groups say of themselves
(`tests/stack/test_bounds.py`); by a record on a compacted topic he still does, and it is started again
([sre.md](sre.md)).
"""


def test_the_page_says_what_stands_here() -> None:
    """All but the table, which comes of a run."""
    before, behind = PAGE.format(table="\0").split("\0")
    said = (PROJECT / "docs/forging.md").read_text()
    assert said.startswith(before)
    assert said.endswith(behind)
