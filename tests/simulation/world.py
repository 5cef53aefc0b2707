"""One seed: the house, its clients, its storm; then healing, and the demand that it lives again."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from random import Random
from typing import Any
from uuid import UUID

import msgspec

from libs.contracts.commands import Command
from libs.contracts.messages import Principal, PublicEvent, Reply, command_id_at, time_of
from libs.edge.problems import Problem
from libs.journal.log import LogRecord
from libs.journal.names import Names
from services.gateway.app.commands import Order
from tests.simulation.books import Database
from tests.simulation.broker import WatchedBroker
from tests.simulation.checks import cards
from tests.simulation.clients.cup import Cup
from tests.simulation.clients.flooder import Flooder
from tests.simulation.clients.platform import Platform
from tests.simulation.clients.player import Player
from tests.simulation.clients.staff import Staff
from tests.simulation.house import MARKS, House
from tests.simulation.parts.gateway import GatewayProcess
from tests.simulation.plan import ACCOUNTS, EPOCH_MS, LATEST_S, TABLES, Night, accounts_in, plan_of, tables_in
from tests.simulation.topics import PRIVATE, REPLIES_TOPIC, TABLE, TABLE_EVENTS, WALLET, WALLET_EVENTS, now_of
from tests.simulation.truth import Entry
from tests.simulation.violations import Broken, Violations
from tests.simulation.witness import Witness
from tests.simulation.years import LongAgo, move, readers_agree, repeat_newest
from tests.testkit.disks import Disks
from tests.testkit.forging import Forger, Mover
from tests.testkit.history import History
from tests.testkit.insider import Insider
from tests.testkit.marks import TABLE as TABLE_MARKS
from tests.testkit.marks import WALLET as WALLET_MARKS
from tests.testkit.partitions import partition_of
from tests.testkit.storm import Storm
from tests.testkit.weather import Sky

_PATIENCE_S = 90.0
"""Virtual time in which a healed house has to do what is asked of it."""
_LOOK_S = 0.25
_IDLE_S = 8.0
"""So long nobody asks for anything between two evenings, so that streams are put by."""
_DOOR_S = 5.0


class World:
    def __init__(self, seed: int) -> None:
        self.plan = plan_of(seed)
        self.random = Random(seed)
        self.sky = Sky()
        self.broker = WatchedBroker(self._log_time)
        self.violations = Violations()
        self.witness = Witness(self.broker, self.violations, self.plan)
        self.database = Database()
        self.disks = Disks(Random(f"disks {seed}"), self.sky.fired)
        self.history = History()
        self.house = House(self)
        self.storm = Storm(self.sky, Random(self.random.random()), self.plan.churn)
        self.checkpoints: dict[tuple[str, int], list[list[LogRecord | None]]] = {}
        """Snapshots topics at random moments: a reader may start from each."""
        self.late: set[bytes] = set()
        """Commands sent after healing: each must be decided."""
        self.players: dict[str, Player] = {}
        self.garbage: list[bytes] = []
        self.cup = Cup(self, Random(f"cup {seed}"))
        self._wobble = Random(self.random.random())
        self._has_insider = seed % 3 == 0
        self._asked = 0
        self._morning = 0
        """When the present evening began, if it is not the first one, milliseconds since the epoch."""
        self._ended_s = 0.0
        self._gone_ms = 0
        """Time that went by between evenings."""
        self.long_ago = LongAgo(self.broker, self._dice()) if self.plan.nights else None
        if self.long_ago is not None:
            self.witness.truth.watchers.append(self._late_moves_nothing)

    @property
    def virtual_s(self) -> float:
        return self._ended_s

    def now(self) -> int:
        return EPOCH_MS + int(asyncio.get_running_loop().time() * 1000) + self._gone_ms

    def posts_in_use(self) -> list[tuple[str, Names, int]]:
        """Service, its topics as they are now, and each of its partitions in which something lies."""
        tables, accounts = tables_in(self.broker.partitions), accounts_in(self.broker.partitions)
        return [
            *(("table", now_of(TABLE, self.broker), p) for p in tables),
            *(("wallet", now_of(WALLET, self.broker), p) for p in accounts),
        ]

    def rounds_started(self, table: str) -> int:
        """Hands, rounds or coups."""
        return self.witness.figures.started[table]

    # The run

    async def run(self) -> None:
        """Storm, healing, liveness, quiet. Raises the first violation."""
        try:
            await self._open_doors()
            if self.plan.moves_to is not None:
                await self._moving_day(self.plan.moves_to)
            await self._evening()
            for night in self.plan.nights:
                await self._night(night)
                await self._evening()
        finally:
            self._ended_s = asyncio.get_running_loop().time()

    async def _evening(self) -> None:
        await self._weather_the_storm()
        await self._heal()
        if self.long_ago is not None and self._morning:
            for _ in range(12):
                self._ask_from_long_ago(self.long_ago)
            await self._until(self._is_quiet, _PATIENCE_S, "what was done in another year is answered")

    async def _weather_the_storm(self) -> None:
        stormy = self._storm()
        over = self.elapsed_s() + self.plan.storm_s
        await self._until(lambda: self.elapsed_s() >= over, self.plan.storm_s + 1, "the storm ends")
        for task in stormy:
            task.cancel()

    async def _moving_day(self, partitions: int) -> None:
        """The house is closed in the middle of everything."""
        await self._weather_the_storm()
        await self._move(partitions)

    async def _move(self, partitions: int) -> None:
        self._close()
        await asyncio.sleep(2 * LATEST_S + 1)  # the broker takes nothing of the old house into the new one
        await move(self, partitions, self._dice())
        self._open()

    async def _night(self, night: Night) -> None:
        """The house is moved, or not; stands idle or is away for days or years; and everybody comes back."""
        await readers_agree(self)
        if night.partitions != self.broker.partitions:
            await self._move(night.partitions)
        repeat_newest(self)
        await self._until(self._is_quiet, _PATIENCE_S, "what was asked before is answered as before")
        await asyncio.sleep(_IDLE_S)
        if night.away:
            self._close()
        self._gone_ms += night.gap_ms
        self.sky.fired["days away" if night.away else "days idle"] += 1
        if night.away:
            self._open()
        await self._until(self._is_quiet, _PATIENCE_S, "the house goes on after a long time")
        self._morning = self.now()
        for player in self.players.values():
            player.leaving = player.eager = False
            player.answered = None
        self._clients = [asyncio.create_task(player.play()) for player in self.players.values()]
        self.sky.healed = False

    def _close(self) -> None:
        """Everybody ends; what was under way has landed long ago."""
        self.storm.end()

    def _open(self) -> None:
        self._posts = self.house.posts()
        self.storm.owners.clear()
        self.storm.settle(self._posts)

    def _late_moves_nothing(self, entry: Entry) -> None:
        assert self.long_ago is not None
        wrong = self.long_ago.moves_nothing(entry)
        self.violations.ensure(wrong is None, "what_is_long_over_stays_over", wrong or "")

    async def _from_long_ago(self) -> None:
        """Somebody asks the wallet again for what was done in another year."""
        dice = self._dice()
        while self.long_ago is not None and self._morning:
            await asyncio.sleep(dice.expovariate(2.0))
            self._ask_from_long_ago(self.long_ago)

    def _ask_from_long_ago(self, long_ago: LongAgo) -> None:
        if long_ago.ask(self.witness.truth.entries, self._morning, self.now()):
            self.sky.fired["asked again years later"] += 1

    async def _open_doors(self) -> None:
        """Accounts, tables, players; in fair weather, if the plan says so, until two have sat down."""
        self._posts = self.house.posts()
        self.platform, self.staff = Platform(self, self._dice()), Staff(self, self._dice())
        self._clients = [asyncio.create_task(self.staff.open(table)) for table in self.plan.tables]
        for name, table in self.plan.players.items():
            player = Player(self, name, table, self._dice())
            self.players[name] = player
            money = self._dice().randint(20, 120) * self.plan.tables[table].unit
            self._clients.append(asyncio.create_task(self._person(player, money)))
        if self.plan.calm_start:
            self.sky.healed = True
            self.storm.settle(self._posts)
            enough = min(2, self.plan.tables[self.plan.first].configuration["seats"])
            await self._until(lambda: self._sitting() >= enough or self.elapsed_s() > 8.0, 10.0, "people sit down")
            self.sky.healed = False

    def _storm(self) -> "list[asyncio.Task[Any]]":
        # A gateway that comes up reads everything from the start: it is left in peace for longer.
        stormy = [self.storm.own(start, 3.0 if start == self.house.gateway else 1.0) for start in self._posts]
        people = [self.platform.run(), self.staff.run(), self.staff.run_banks(), self.cup.run()]
        disturbers = [self._duplicates(), self._compaction(), self._clocks(), self._forging(), self._from_long_ago()]
        if self.plan.moves_groups:
            disturbers.append(self._moving_groups())
        if self.plan.floods:
            flooder = Flooder(self, self._dice())
            if flooder.is_stranger:
                self.errand(flooder.run())
            else:
                disturbers.append(flooder.run())
        return [asyncio.create_task(each) for each in [*stormy, *people, *disturbers]]

    def _sitting(self) -> int:
        state = self.witness.truth.states.get(self.plan.first)
        return len(state.seats) if state is not None else 0

    async def _person(self, player: Player, amount: int) -> None:
        await self.platform.welcome(player.name, amount)
        await player.play()

    async def _heal(self) -> None:
        """Zombies wake up with a whole network once more; then only one owner of each post is left, old or new."""
        healed_at = self.now()
        self.sky.healed = True
        for clock in self.house.clocks:
            clock.mend()
        self.storm.awake()
        await asyncio.sleep(1.0)
        self.storm.end(keep=self.plan.owners_stay)
        self.storm.settle(self._posts)
        await self._live_again(healed_at)
        await self._go_home()
        await asyncio.sleep(max(0.0, LATEST_S + 1 - (self.now() - healed_at) / 1000))  # whatever was delayed has landed
        await self._until(self._is_empty, _PATIENCE_S, "who was still brought in goes home, too")
        for client in self._clients:
            client.cancel()
        await self._until(self._is_quiet, _PATIENCE_S, "everything that was sent is read and decided")

    async def _live_again(self, healed_at: int) -> None:
        """Money moves on every account, and at the first table, if it is open, a round is played that began now."""
        for client in self._clients:
            if client.done() and not client.cancelled() and client.exception() is not None:
                raise client.exception()  # type: ignore[misc]
        for player in self.players.values():
            player.eager = True
        for name, where in self.plan.players.items():
            gift = 120 * self.plan.tables[where].unit
            await self._within(self.platform.fund(name, gift), f"a deposit of {name}")
            self.errand(self.platform.look_after(name))
        table = self.plan.first
        if self._is_open(table):
            await self._within(self.staff.resume(table), f"{table} goes on")
            await self._within(self.staff.refill(table), f"{table} has a bank")
            self.errand(self.staff.keep_open(table))
            figures = self.witness.figures
            await self._until(
                lambda: figures.ended_at.get(table, 0) > healed_at or not self._is_open(table),
                _PATIENCE_S,
                f"a round at {table}",
            )

    async def _go_home(self) -> None:
        for table in self.plan.tables:
            if self._is_open(table):
                await self._within(self.staff.resume(table), f"{table} goes on")
                self.errand(self.staff.keep_open(table))
        for player in self.players.values():
            player.leaving, player.eager = True, True
            player.news.set()
        await self._until(self._is_empty, _PATIENCE_S, "everybody has gone home")

    def _is_open(self, table: str) -> bool:
        state = self.witness.truth.states.get(table)
        return state is not None and state.status == "open"

    def _is_empty(self) -> bool:
        states = [self.witness.truth.states.get(table) for table in self.plan.tables]
        return all(s is None or not (s.seats or s.reserved or s.in_round) for s in states)

    def _is_quiet(self) -> bool:
        """Every group has committed up to the end, the books stand at the ends, every event is public."""
        ends = [
            ("table-decider", TABLE.commands, tables_in),
            ("wallet-decider", WALLET.commands, accounts_in),
            ("wallet-policies", TABLE_EVENTS, tables_in),
            ("table-policies", WALLET_EVENTS, accounts_in),
            ("wallet-escrows", WALLET_EVENTS, accounts_in),
            ("wallet-notes", WALLET_EVENTS, accounts_in),
        ]
        committed = self.broker.offsets.highest if self.plan.owners_stay else self.broker.offsets
        for group, name, partitions in ends:
            for partition in partitions(self.broker.partitions):
                if committed.get((group, name, partition), 0) < self.broker.end(name, partition):
                    return False
        public = {stream: upto for (_, stream), upto in self.witness.publication.published()}
        if any(public.get(stream, 0) != len(told) for stream, told in self.witness.truth.told.items() if told):
            return False
        return all(head.position >= self.broker.end(*place) for place, head in self.database.heads.items())

    async def _until(self, condition: Callable[[], bool], patience_s: float, what: str) -> None:
        deadline = asyncio.get_running_loop().time() + patience_s
        while not condition():
            self.violations.raise_first()
            for process in self.storm.processes:
                process.check()
            if asyncio.get_running_loop().time() > deadline:
                raise Broken("live_after_heal", f"in vain: {what}; {self._stand()}")
            await asyncio.sleep(_LOOK_S)
        self.violations.raise_first()

    def _stand(self) -> str:
        """Where the tables stand, for who looks into a failing seed."""
        found = []
        for table in self.plan.tables:
            state = self.witness.truth.states.get(table)
            if state is not None:
                seats = [(seat.player, seat.stack, seat.out, seat.leaving) for seat in state.seats.values()]
                found.append(
                    f"{table} {state.status} paused={state.paused} {seats} {[*state.reserved]}"
                    f" round {state.rounds} runs={state.in_round} bank {state.bank}"
                )
        return "; ".join(found)

    async def _within(self, doing: Awaitable[Any], what: str) -> None:
        try:
            async with asyncio.timeout(_PATIENCE_S):
                await doing
        except TimeoutError:
            raise Broken("live_after_heal", f"in vain: {what}") from None
        self.violations.raise_first()

    # What goes wrong beside the network and the processes

    async def _duplicates(self) -> None:
        """Records that land a second time, now or much later, and records that nobody can read."""
        dice = self._dice()
        while True:
            await asyncio.sleep(dice.expovariate(0.7))
            _, service, partition = dice.choice(self.posts_in_use())
            records = self.broker.records(service.commands, partition)
            chance = dice.random()
            if chance < 0.06:
                self.sky.fired["garbage"] += 1
                self.garbage.append(b"garbage %d" % len(self.garbage))
                place, key = (service.commands, partition), self._key_in(service.commands, partition)
                headers = MARKS["gateway"].marked(place, key, self.garbage[-1], ())
                self.broker.land(*place, [(key, self.garbage[-1], headers)])
            elif chance < 0.10:
                self.sky.fired["garbage"] += 1
                place = (service.journal, partition)
                headers = MARKS["table" if service.journal == TABLE.journal else "wallet"].marked(
                    place, b"x", b"\x07garbage", ()
                )
                self.broker.land(*place, [(b"x", b"\x07garbage", headers)])
            elif records:
                record = dice.choice(records[-12:] if chance < 0.7 else records)
                self.sky.fired["duplicate"] += 1
                again = (record.key, record.value, record.headers)
                delay = 0.0 if chance < 0.5 else dice.uniform(0.0, LATEST_S)
                asyncio.get_running_loop().call_later(delay, self.broker.land, service.commands, partition, [again])

    def _key_in(self, commands: str, partition: int) -> bytes:
        """Of a stream that lies there: who moves a house goes by it."""
        streams = TABLES if commands == TABLE.commands else ACCOUNTS
        return next(each for each in streams if partition_of(each, self.broker.partitions) == partition).encode()

    async def _compaction(self) -> None:
        """Snapshots topics lose what was written over, at times just after a zombie has put an old snapshot last."""
        dice = self._dice()
        while True:
            await asyncio.sleep(dice.expovariate(0.4))
            _, service, partition = dice.choice(self.posts_in_use())
            records = self.broker.records(service.snapshots, partition)
            if dice.random() < 0.4 and records:
                self.sky.fired["stale snapshot"] += 1
                old = dice.choice(records)
                self.broker.land(service.snapshots, partition, [(old.key, old.value, old.headers)])
            if dice.random() < 0.6:
                self.sky.fired["compaction"] += 1
                self.broker.compact(service.snapshots, partition)
            slots = list(self.broker.partition(service.snapshots, partition).slots)
            self.checkpoints[service.journal, partition] = [slots]

    async def _forging(self) -> None:
        """Somebody reaches the broker, and has no key; in every third seed a service's marks besides, and no seal."""
        topics = [name for each in (TABLE, WALLET) for name in (each.commands, each.journal, each.snapshots)]
        dice = self._dice()
        forger = Forger(self.broker, dice, [*topics, TABLE_EVENTS, WALLET_EVENTS, REPLIES_TOPIC, PRIVATE])
        marks = {TABLE.journal: TABLE_MARKS, WALLET.journal: WALLET_MARKS}
        insiders = {name: Insider(self.broker, dice, each) for name, each in marks.items()}
        while True:
            await asyncio.sleep(dice.expovariate(3.0))
            forger.strike()
            if self._has_insider:
                _, names, partition = dice.choice(self.posts_in_use())
                insiders[names.journal].strike(names.snapshots, partition)
                self.sky.fired["insider"] = sum(each.forged for each in insiders.values())
            self.sky.fired["forged"], self.sky.fired["replayed"] = forger.forged, forger.replayed

    async def _moving_groups(self) -> None:
        """Somebody may join the groups, and has no key."""
        mover = Mover(self.broker, self._dice())
        try:
            await mover.run(every_s=0.5, at_once=6)
        finally:
            self.sky.fired["group moved"] = mover.moved

    async def _clocks(self) -> None:
        dice = self._dice()
        while self.plan.skew_ms:
            await asyncio.sleep(dice.expovariate(0.7))
            self.sky.fired["clock jump"] += 1
            dice.choice(self.house.clocks).jump()

    def _log_time(self) -> int:
        """A new leader's clock may be behind the last one's."""
        if self.sky.healed or self._wobble.random() > 0.05:
            return self.now()
        self.sky.fired["broker clock back"] += 1
        return self.now() - self._wobble.randrange(800)

    # Clients at the gateway's door

    def gateway(self, dice: Random) -> GatewayProcess | None:
        """One that lives and has its doors open."""
        open_ones = [each for each in self.house.gateways if each.ready and not each.process.dead]
        return dice.choice(open_ones) if open_ones else None

    async def ask(
        self, principal: Principal, stream: str, command: type[Command], wish: dict[str, Any],
        minted: str | None = None, *, what: str = "", patient: bool = False,
    ) -> Reply | None:  # fmt: skip
        """The final reply; None when the outcome is unknown. A patient one asks again under the same key."""
        self._asked += 1
        client = str(principal)
        key = str(command_id_at(self.now(), client, str(self._asked)))
        own = {minted: minted} if minted else {}
        order = Order(principal, key, stream, msgspec.convert({**wish, **own}, command), minted)
        due = command_id_at(time_of(UUID(key)), client, key, order.digest.hex())
        operation = self.history.ask(client, what or command.__name__, self.now(), key, due)
        reply = await self._insist(order, 20 if patient else self._wobble.choice([1, 1, 2, 4]))
        if reply is None or reply.verdict not in ("accepted", "rejected"):
            self.history.end(operation, "unknown", self.now(), reply)
        else:
            self.history.end(operation, "ok" if reply.verdict == "accepted" else "fail", self.now(), reply)
        return reply

    async def _insist(self, order: Order, times: int) -> Reply | None:
        reply: Reply | None = None
        for _ in range(times):
            gateway = self.gateway(self._wobble)
            if gateway is not None:
                reply = await self._through(gateway, order)
                if reply is not None and reply.verdict in ("accepted", "rejected", "expired"):
                    return reply
            await asyncio.sleep(0.4)
        return reply

    async def _through(self, gateway: GatewayProcess, order: Order) -> Reply | None:
        """A request dies with the gateway that took it; the caller hears nothing and hangs up."""
        request = asyncio.create_task(_answer(gateway, order))
        gateway.process.tasks.append(request)
        await asyncio.wait([request], timeout=_DOOR_S)
        return None if not request.done() or request.cancelled() else request.result()

    def tell_events(self, table: str, events: Sequence[PublicEvent]) -> None:
        """`Audience` of every gateway."""
        there = [player for player in self.players.values() if player.table == table]
        listeners: list[Staff | Player] = [self.staff, *there]
        for event in events:
            for listener in listeners:
                listener.hear(event)

    def errand(self, doing: Coroutine[Any, Any, None]) -> None:
        """Somebody sets about something, and goes on with it until it is done or the house closes."""
        self._clients.append(asyncio.create_task(doing))

    def tell_cards(self, table: str, hand: int, seat: int, player: str, cards_: tuple[str, ...]) -> None:
        cards.no_unseen_card_told(self.witness.canaries, table, hand, player, cards_)

    def look(self, gateway: GatewayProcess, table: str, player: str) -> None:
        """A player opens the page: the whole view, and the last hand."""
        for document in (gateway.floor.view(table, player), gateway.floor.last_played(table, player)):
            if document is not None:
                cards.no_unseen_card_in_view(self.witness.canaries, table, player, document)

    def _dice(self) -> Random:
        return Random(self.random.random())

    def elapsed_s(self) -> float:
        return asyncio.get_running_loop().time()


async def _answer(gateway: GatewayProcess, order: Order) -> Reply | None:
    try:
        return await gateway.submit(order)
    except Problem:
        return None  # no answer in time, or a key whose time is off
