"""Every deck of a real table journal opens for the auditor and leads to its root; a moved or exchanged one does not."""

import msgspec

from libs.contracts.topics import partition_of, topic
from libs.journal.commit import Commit, decode
from libs.sealing.sealed import Keyring
from services.audit.sealed_decks import SealedDecks
from services.audit.verifying.findings import Kind
from tests.audit.played import KEYRING, PlayedHouse, played


def commits(house: PlayedHouse) -> list[Commit]:
    name = topic("table", "journal").name
    return [decode(record.value) for record in house.broker.records(name, partition_of("table-1"))]


def with_started(commit: Commit, **changes: object) -> Commit:
    """The commit with fields of its HandStarted changed."""
    events = [
        (kind, msgspec.msgpack.encode({**msgspec.msgpack.decode(body), **changes}) if "HandStarted" in kind else body)
        for kind, body in commit.events
    ]
    return msgspec.structs.replace(commit, events=tuple(events))


def started(house: PlayedHouse) -> list[Commit]:
    return [commit for commit in commits(house) if any("HandStarted" in kind for kind, _ in commit.events)]


def deck_in(commit: Commit) -> object:
    return next(msgspec.msgpack.decode(body)["deck"] for kind, body in commit.events if "HandStarted" in kind)


def test_every_deck_opens_and_leads_to_its_root() -> None:
    decks = SealedDecks(KEYRING)
    assert [finding for commit in commits(played(hands=5)) for finding in decks.inspect(commit)] == []
    assert decks.opened == 5


def test_a_deck_of_another_hand_does_not_open() -> None:
    one, other = started(played(hands=2))[:2]
    (finding,) = SealedDecks(KEYRING).inspect(with_started(one, deck=deck_in(other)))
    assert (finding.kind, finding.stream) == (Kind.DECK_UNREADABLE, "table-1")


def test_another_root_than_the_decks_is_found() -> None:
    (one,) = started(played(hands=1))
    (finding,) = SealedDecks(KEYRING).inspect(with_started(one, event={"hand": 1, "deck_root": "00" * 32}))
    assert finding.kind == Kind.DECK_ROOT


def test_without_the_right_key_no_deck_opens() -> None:
    (one,) = started(played(hands=1))
    wrong = Keyring({"kek-1": bytes(32)}, "kek-1")
    assert [finding.kind for finding in SealedDecks(wrong).inspect(one)] == [Kind.DECK_UNREADABLE]


def test_a_format_that_is_not_known_is_said() -> None:
    (one,) = started(played(hands=1))
    later = tuple((kind.replace("HandStarted.1", "HandStarted.2"), body) for kind, body in one.events)
    (finding,) = SealedDecks(KEYRING).inspect(msgspec.structs.replace(one, events=later))
    assert "HandStarted.2" in finding.detail
