"""Sees everything that lands and holds it against the checks at once; of what spans the run it is asked at the end."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace

from libs.contracts import poker_events as p
from libs.contracts.baccarat_events import CoupSettled, CoupVoided
from libs.contracts.banked_rounds import BankedRoundLapsed, BankedRoundOpened, BankedRoundSettled, BankedRoundVoided
from libs.contracts.cloudevents_kafka import from_record
from libs.contracts.messages import CommandMessage, Message, Reply
from libs.decider import Standstill
from libs.journal.mark_keys import Plan as MarkPlan
from libs.journal.seal_keys import seals_of
from libs.sealing.deck import ShuffledCards
from libs.sealing.sealed import Keyring
from services.audit.verifying.facts import FactChecks
from services.audit.verifying.publication import Publication
from services.table.domain.games.game import Fresh
from services.table.machine import table_machine
from services.wallet.machine import wallet_machine
from tests.simulation.books import Books
from tests.simulation.broker import WatchedBroker
from tests.simulation.checks import answers, banks, cards, commits, money, quotas, time, what_if
from tests.simulation.checks.canaries import Canaries
from tests.simulation.plan import Plan
from tests.simulation.topics import REPLIES_TOPIC, TABLE, TABLE_EVENTS, WALLET, WALLET_EVENTS
from tests.simulation.truth import Entry, Truth
from tests.simulation.violations import Violations
from tests.testkit.marks import ROOT
from tests.testkit.simulated import Raw

KEYRING = Keyring({"kek-1": bytes(range(32))}, "kek-1")
SEALS = {service: seals_of(service, ROOT, MarkPlan()) for service in ("table", "wallet")}


@dataclass(slots=True)
class Figures:
    """`played` and `voided` by what they are: hands, rounds, coups."""

    played: Counter[str] = field(default_factory=Counter)
    voided: Counter[str] = field(default_factory=Counter)
    lapsed: Counter[str] = field(default_factory=Counter)
    """Per table: betting without a bet."""
    started: Counter[str] = field(default_factory=Counter)
    """Hands, rounds or coups per table."""
    ended_at: dict[str, int] = field(default_factory=dict)
    """Per table: the start of the last one that has ended, milliseconds."""
    begun_at: dict[str, int] = field(default_factory=dict)

    def count(self, table: str, fact: Message, now: int) -> None:
        kind = "coups" if isinstance(fact, CoupSettled | CoupVoided) else "rounds"
        match fact:
            case p.HandStarted() | BankedRoundOpened():
                self.started[table] += 1
                self.begun_at[table] = now
            case p.HandEnded() | BankedRoundSettled():
                self.played["hands" if isinstance(fact, p.HandEnded) else kind] += 1
                self.ended_at[table] = self.begun_at[table]
            case p.HandVoided() | BankedRoundVoided():
                self.voided["hands" if isinstance(fact, p.HandVoided) else kind] += 1
            case BankedRoundLapsed():
                self.lapsed[table] += 1


class Witness:
    def __init__(self, broker: WatchedBroker, violations: Violations, plan: Plan) -> None:
        self.broker = broker
        self.violations = violations
        table, wallet = plan.limited(table_machine(KEYRING)), wallet_machine(plan.kept)
        machines = {each.service: replace(each, seals=SEALS[each.service]) for each in (table, wallet)}
        self.truth = Truth(machines, violations)
        self.canaries = Canaries(self.truth)
        self.facts = FactChecks()
        self.books = Books()
        self.publication = Publication()
        self.shuffles: dict[ShuffledCards, Fresh] = {}
        self.stood: dict[tuple[str, str, int, int], Standstill] = {}
        """What writers knew of a standstill when they decided: by writer, stream, version and time."""
        self.replies: dict[bytes, list[Reply]] = defaultdict(list)
        self.figures = Figures()
        self._answered = answers.acknowledged_is_durable(self.truth)
        self._public = cards.no_unseen_card_in_public(self.canaries)
        self.truth.watchers = [
            self.canaries.watch,
            commits.no_decider_breaks(self.truth),
            commits.commands_in_order(self.truth),
            money.audit_finds_nothing(self.truth, self.facts),
            money.money_conserved(self.truth, self.books),
            money.reserved_plus_free_is_balance(self.truth),
            money.demo_money_stays_demo(self.truth),
            money.remembered_long_enough(self.truth, plan.kept),
            banks.bank_keeps_its_limit(self.truth),
            banks.two_of_the_staff(self.truth),
            time.nobody_acted_for_too_early(self.truth),
            time.nobody_acts_too_late(self.truth),
            time.nobody_bets_too_late(self.truth),
            time.no_table_wakes_in_a_loop(self.truth),
            what_if.any_round_can_be_void(self.truth, self.facts),
            what_if.deadlines_are_to_the_millisecond(self.truth),
            what_if.a_fast_clock_takes_no_time(self.truth),
            what_if.the_bank_pays_whatever_comes(self.truth),
            self._decided,
        ]
        if plan.floods:
            self.truth.watchers.append(quotas.quotas_are_kept(self.truth, plan.table_horizon_ms, plan.ring_cap))
        if plan.decides_again:
            self.truth.watchers.append(commits.decided_again(self.truth, broker, self.shuffles, self.stood))
        broker.witnesses |= {
            TABLE.journal: self.truth.journal_of("table"),
            WALLET.journal: self.truth.journal_of("wallet"),
            REPLIES_TOPIC: self._reply,
            TABLE_EVENTS: self._published,
            WALLET_EVENTS: self._published,
        }

    def commands(self) -> list[CommandMessage]:
        """Every readable command record, repetitions included."""
        found = []
        for name in (TABLE.commands, WALLET.commands):
            for value in self.values(name):
                if value.startswith(b"{"):
                    found.append(CommandMessage.decoded(value))
        return found

    def values(self, name: str) -> list[bytes]:
        """What stands in a topic."""
        partitions = range(self.broker.partitions)
        return [record.value or b"" for number in partitions for record in self.broker.records(name, number)]

    def hear_again(self) -> None:
        """What is public in a moved house: the mover publishes what was not public yet."""
        for name in (TABLE_EVENTS, WALLET_EVENTS):
            for partition in range(self.broker.partitions):
                for each in self.broker.records(name, partition):
                    self._published(name, partition, each.offset, (each.key, each.value, each.headers))

    def _decided(self, entry: Entry) -> None:
        for told in entry.told:
            self.publication.decide(told.event)
            self.figures.count(entry.commit.stream, told.fact, told.event.time)

    def _reply(self, topic: str, partition: int, offset: int, record: Raw) -> None:
        reply = Reply.decoded(record[1] or b"")
        self.replies[reply.command_id.bytes].append(reply)
        self._answered(reply)

    def _published(self, name: str, partition: int, offset: int, record: Raw) -> None:
        event = from_record(*record)
        for finding in self.publication.publish(event, (name, partition, offset)):
            self.violations.note("public_is_the_log", f"{event.id}: {finding.detail}")
        if name == TABLE_EVENTS:
            self._public(event.stream, event.version, record[1] or b"")

    def everything_written(self) -> dict[str, list[bytes]]:
        """Every topic by name: what stands there may be read by somebody."""
        return {name: self.values(name) for name in self.broker.topics}
