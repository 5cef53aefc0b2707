"""Every deck of a real table journal opens for the auditor and leads to its root; a moved or exchanged one does not."""

import re

from msgspec.structs import replace

from libs.contracts.topics import topic
from libs.journal.commit import Commit, decode
from libs.sealing.sealed import Keyring
from services.audit.sealed_decks import SealedDecks
from services.audit.verifying.findings import Kind
from tests.audit.played import KEYRING, PlayedHouse, played
from tests.testkit.partitions import partition_of

ROOT = b'"deck_root":"%s"' % (b"00" * 32)


def commits(house: PlayedHouse) -> list[Commit]:
    name = topic("table", "journal").name
    return [decode(record.value) for record in house.broker.records(name, partition_of("table-1"))]


def started(house: PlayedHouse) -> list[Commit]:
    return [commit for commit in commits(house) if commit.sealed]


def test_every_deck_opens_and_leads_to_its_root() -> None:
    decks = SealedDecks(KEYRING)
    assert [finding for commit in commits(played(hands=5)) for finding in decks.inspect(commit)] == []
    assert decks.opened == 5


def test_a_deck_of_another_hand_does_not_open() -> None:
    one, other = started(played(hands=2))[:2]
    (finding,) = SealedDecks(KEYRING).inspect(replace(one, sealed=other.sealed))
    assert (finding.kind, finding.stream) == (Kind.DECK_UNREADABLE, "table-1")


def test_another_root_than_the_decks_is_found() -> None:
    (one,) = started(played(hands=1))
    events = tuple((kind, re.sub(rb'"deck_root":"[0-9a-f]+"', ROOT, body)) for kind, body in one.events)
    (finding,) = SealedDecks(KEYRING).inspect(replace(one, events=events))
    assert finding.kind == Kind.DECK_ROOT


def test_without_the_right_key_no_deck_opens() -> None:
    (one,) = started(played(hands=1))
    wrong = Keyring({"kek-1": bytes(32)}, "kek-1")
    assert [finding.kind for finding in SealedDecks(wrong).inspect(one)] == [Kind.DECK_UNREADABLE]


def test_each_root_has_its_deck_and_each_deck_its_root() -> None:
    (one,) = started(played(hands=1))
    without_root = tuple((kind, body) for kind, body in one.events if b'"deck_root"' not in body)
    for commit in (replace(one, sealed=b""), replace(one, events=without_root), replace(one, events=one.events * 2)):
        (finding,) = SealedDecks(KEYRING).inspect(commit)
        assert finding.kind == Kind.DECK_UNREADABLE
