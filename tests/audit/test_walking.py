"""A walk over a journal partition: the same verdicts whatever lies on disk, in memory what two sweeps touch at most."""

from collections.abc import Sized
from typing import Any

import pytest

from libs.contracts.wallet_commands import account_id
from libs.journal.fold import PartitionFold
from services.audit.verifying import publication
from services.audit.verifying.facts import FactChecks
from services.audit.verifying.kept import Store
from services.cli import walking
from services.cli.journals import books
from services.cli.verify import Report, verify_log
from services.cli.walking import Walk
from tests.audit.played import KEYRING, PlayedHouse, played
from tests.testkit.partitions import PARTITIONS

ACCOUNTS = 60


def many_accounts() -> PlayedHouse:
    """Each asked once, and again much later."""
    house = played(hands=2)
    for _ in range(2):
        for number in range(ACCOUNTS):
            account = account_id(f"guest-{number}", "EUR", "real")
            if house._fold("wallet", account).head(account).version == 0:
                opening = {"player": f"guest-{number}", "currency": "EUR", "kind": "real"}
                house.ask("wallet", account, "OpenAccount", ("operator", "o"), **opening)
            house.ask("wallet", account, "DepositFunds", ("operator", "o"), reference=f"r{house.now}", amount=5)
            house.now += 7
    house.play(2)
    return house


def told(report: Report) -> dict[str, Any]:
    return {name: getattr(report, name) for name in report.__struct_fields__ if name != "seconds"}


@pytest.mark.parametrize("tampered", [False, True])
async def test_verdicts_are_the_same_whatever_lies_on_disk(monkeypatch: pytest.MonkeyPatch, tampered: bool) -> None:
    house = many_accounts()
    if tampered:
        name = "croupier.wallet.journal.v1"
        for partition in range(PARTITIONS):
            slots = house.broker.partition(name, partition).slots
            record = slots[len(slots) // 2]
            assert record is not None
            house.land("wallet", (record.key or b"").decode(), record.value or b"")  # a late writer's
            del slots[len(slots) // 3]
            for at, each in enumerate(slots):
                if each is not None:
                    slots[at] = type(each)(at, each.key, each.value, each.headers, each.timestamp)
    in_memory = await verify_log(house.log, books(KEYRING, PARTITIONS), stood_still=house.now)
    monkeypatch.setattr(walking, "SWEEP", 3)
    monkeypatch.setattr(publication, "AT_HAND", 2)
    on_disk = await verify_log(house.log, books(KEYRING, PARTITIONS), stood_still=house.now)
    assert told(on_disk) == told(in_memory)
    assert bool(on_disk.failures) is tampered
    assert on_disk.services["wallet"].streams >= ACCOUNTS or tampered


async def test_memory_holds_no_more_than_two_sweeps_touch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walking, "SWEEP", 4)
    house = many_accounts()
    most, whole = 0, PartitionFold.fold

    def fold(self: Any, *given: Any) -> Any:
        nonlocal most
        most = max(most, len(self.heads))
        return whole(self, *given)

    monkeypatch.setattr(PartitionFold, "fold", fold)
    wallet = books(KEYRING, PARTITIONS)[1]
    for place in wallet.journal():
        walk = Walk(wallet, place)
        async for _ in walk.to(house.log, len(house.broker.records(*place))):
            assert len(wallet.states) <= 8
        walk.close()
    assert most <= 8
    assert wallet.streams >= ACCOUNTS


async def test_checks_hold_no_more_than_two_sweeps_touch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walking, "SWEEP", 4)
    house = many_accounts()
    most, whole = 0, FactChecks.take

    def take(self: FactChecks, *given: Any) -> Any:
        nonlocal most
        folds: list[Sized] = [self.versions, self.accounts, self.chips, self.decks, self.pots]
        most = max(most, *(len(each) for each in folds))
        return whole(self, *given)

    monkeypatch.setattr(FactChecks, "take", take)
    report = await verify_log(house.log, books(KEYRING, PARTITIONS), stood_still=house.now)
    assert 0 < most <= 8
    an_escrow = 1
    assert (report.failures, report.accounts) == (0, report.services["wallet"].streams - an_escrow)
    assert report.hands == report.decks_opened > 0


async def test_a_walk_is_gone_on_with_after_a_rest() -> None:
    house = many_accounts()
    at_once, in_two = books(KEYRING, PARTITIONS)[0], books(KEYRING, PARTITIONS)[0]
    place = at_once.journal()[house._fold("table", house.table).partition]
    end = len(house.broker.records(*place))
    whole = [told.event async for met in Walk(at_once, place).to(house.log, end) for told in met.told]
    walk, found = Walk(in_two, place), list[Any]()
    for part in (end // 2, end):
        found += [told.event async for met in walk.to(house.log, part) for told in met.told]
        walk.rest()
        assert in_two.states == {}
    assert found == whole
    assert found


async def test_walks_that_stand_beside_one_another_hold_one_file_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each had two of its own, of which SQLite keeps 4 MB each as long as they are open: 768 MB at 32 partitions."""
    house, made, make = many_accounts(), list[Store](), Store.__init__

    def counted(self: Store, path: str = "") -> None:
        made.append(self)
        make(self, path)

    alone, beside = books(KEYRING, PARTITIONS), books(KEYRING, PARTITIONS)
    ends = {place: len(house.broker.records(*place)) for book in alone for place in book.journal()}
    whole = [
        [told.event async for met in Walk(book, place).to(house.log, ends[place]) for told in met.told]
        for book in alone for place in book.journal()
    ]  # fmt: skip
    monkeypatch.setattr(Store, "__init__", counted)
    lies = Store()
    walks = [Walk(book, place, shared=lies) for book in beside for place in book.journal()]
    found: list[list[Any]] = [[] for _ in walks]
    for part in (1, 2):
        for walk, its in zip(walks, found, strict=True):
            end = ends[walk.place] * part // 2
            its += [told.event async for met in walk.to(house.log, end) for told in met.told]
            walk.rest()
    for walk in walks:
        walk.close()
    assert found == whole
    assert made == [lies]
