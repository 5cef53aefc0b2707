"""What must hold when all is quiet: the checks that need the whole run."""

from typing import TYPE_CHECKING

from services.audit.verifying.chain import ChainCheck
from services.audit.verifying.findings import Kind
from tests.simulation.checks import answers, banks, cards, money, readers
from tests.simulation.topics import PRIVATE, REPLIES_TOPIC, TABLE, WALLET, WALLET_EVENTS
from tests.simulation.violations import ensure

if TYPE_CHECKING:
    from tests.simulation.world import World


async def check(world: "World", log_lines: list[bytes]) -> None:
    """Raises the first promise that is broken."""
    witness, truth = world.witness, world.witness.truth
    money.sittings_agree(witness.facts, world.now())
    money.escrows_hold_what_lies_there(truth)
    money.every_reserve_ends(truth, witness.books)
    money.ledger_is_the_fold(world.database.books, witness.books)
    answers.clients_were_told_the_truth(world.history, truth)
    answers.one_wish_is_one_command(world.history)
    if not world.plan.floods:
        answers.nobody_is_passed_over(witness.replies)
    answers.money_moved_once(world.history, truth)
    answers.nothing_is_lost(witness.commands(), witness.replies, world.late, truth)
    garbage_is_parked(world)
    rounds_dense_each_ends_once(world)
    banks.banks_are_on_the_books(truth, witness.books, world.plan.tables)
    chain_intact(world)
    books_are_complete(world)
    views_are_the_log(world)
    no_unseen_card(world, log_lines)
    for service, names, partition in world.posts_in_use():
        checkpoints = world.checkpoints.get((names.journal, partition), [])
        await readers.restores_agree(truth, service, names, world.broker, partition, checkpoints, world.disks)


def rounds_dense_each_ends_once(world: "World") -> None:
    """Nothing runs any more, so every hand or round that was started is over or void; the auditor counted along.

    A betting period may still be open where nobody bets: that is no round (pt-803-2015 2.e, pt-812-2015 2.c).
    """
    for table, chips in world.witness.facts.chips.items():
        started, lapsed = world.rounds_started(table), world.witness.figures.lapsed[table]
        ended = chips.hands_ended + chips.hands_voided + chips.rounds_settled + chips.rounds_voided + lapsed
        idle = chips.round is not None and not any(chips.lying.values())
        dense = started == ended + idle == max(chips.last_hand, chips.last_round)
        ensure(dense, "rounds_dense_each_ends_once", f"{table}: {started}, {ended} ended")


def chain_intact(world: "World") -> None:
    """The auditor's walk over each journal: every void record follows something that stands before it."""
    for _, names, partition in world.posts_in_use():
        journal = names.journal
        walk = ChainCheck(journal, partition, world.broker.partitions, f"{journal.split('.')[1]}-journal.1")
        for record in world.broker.records(journal, partition):
            _, findings = walk.take(record)
            wrong = [finding for finding in findings if finding.kind is not Kind.UNDECODABLE]
            ensure(not wrong, "chain_intact", f"{journal}/{partition}: {wrong[:1]}")


def garbage_is_parked(world: "World") -> None:
    """What no service can read is set aside untouched, and the stream goes on."""
    parked = {*world.witness.values(TABLE.parked), *world.witness.values(WALLET.parked)}
    ensure(set(world.garbage) <= parked, "garbage_is_parked", "a record was neither decided nor set aside")


def books_are_complete(world: "World") -> None:
    """The projector's position and count are those of the log (journal 20)."""
    accepted = sum(head.accepted for head in world.database.heads.values())
    told = sum(len(each) for each in world.witness.truth.told.values())
    ensure(accepted == told, "ledger_is_the_fold", f"{accepted} events booked of {told}")


def views_are_the_log(world: "World") -> None:
    """The gateway that lives shows every table as it stands in the log, and waits for nothing."""
    for gateway in world.house.gateways:
        if gateway.process.dead:
            continue
        ensure(not gateway.floor.tables.gaps, "views_are_the_log", "a view waits for an event")
        for table in world.plan.tables:
            shown, true = gateway.floor.tables.version(table), len(world.witness.truth.told[table])
            ensure(shown == true, "views_are_the_log", f"{table} is shown at {shown} of {true}")
        for player in world.plan.players:
            for table in world.plan.tables:
                world.look(gateway, table, player)
    world.violations.raise_first()


def no_unseen_card(world: "World", log_lines: list[bytes]) -> None:
    """Canary decks: in no topic but the public ones is a card named at all, and no deck lies anywhere in clear."""
    written = world.witness.everything_written()
    for name in (REPLIES_TOPIC, TABLE.commands, WALLET.commands, TABLE.parked, WALLET.parked, WALLET_EVENTS):
        cards.no_card_in(name, written.get(name, []))
    cards.no_card_in("a log", log_lines)
    cards.private_deals_are_sealed(written.get(PRIVATE, []))
    for name, values in written.items():
        cards.no_deck_in_clear(world.witness.canaries, name, values)
    cards.no_deck_in_clear(world.witness.canaries, "a log", log_lines)
