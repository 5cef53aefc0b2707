"""Every deck of a real table journal opens for the auditor and leads to its root; a moved or exchanged one does not."""

import re

import pytest
from msgspec import json
from msgspec.structs import replace

from libs.contracts.table_events import CARDS_LOST
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


WRONG = Keyring({"kek-1": bytes(32)}, "kek-1")


@pytest.mark.parametrize(
    ("keyring", "cause", "told"), [(KEYRING, CARDS_LOST, 1), (KEYRING, "", 0), (WRONG, CARDS_LOST, 0)]
)
def test_a_void_for_cards_that_open_is_found(keyring: Keyring, cause: str, told: int) -> None:
    """Found by an attacker: who has the table service's marks says so of every hand that goes against them."""
    (one,) = started(played(hands=1))
    body = json.encode({"type": "HandVoided", "hand": 1, "by": "house", "cause": cause or "standstill"})
    void = replace(one, base=one.version, events=(("HandVoided", body),), sealed=b"")
    decks = SealedDecks(keyring)
    list(decks.inspect(one))
    found = list(decks.inspect(void))
    assert [(each.kind, each.version) for each in found] == [(Kind.DECK_UNREADABLE, void.version)] * told
    assert all("hand 1 is void for cards" in each.detail for each in found)
    assert list(SealedDecks(keyring).inspect(void)) == [], "who began after the deal knows nothing of it"
