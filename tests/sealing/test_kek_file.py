"""Versions of the key-encryption key: which one seals, which open, and how a changed file is seen."""

import json
import logging
import multiprocessing
import stat
from pathlib import Path

import pytest

from libs.cards.card import DECK
from libs.sealing.deck import Deck
from libs.sealing.kek_file import MOST_VERSIONS, Keks, KekVersion, KeyringFile, changing_keks, keyring_of, read_keks
from libs.sealing.key_files import BadKey
from libs.sealing.sealed import CannotOpen, open_deck, seal_deck, sealed_under
from libs.sealing.secret import SecretBytes

HERE = b"t1 at 7"
DECK_1 = Deck.of(tuple(DECK), bytes(range(32)), b"k" * 32)
HEX = bytes(range(32)).hex()
FIRST, SECOND, THIRD = bytes(range(32)), bytes(range(32, 64)), bytes(range(64, 96))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """As houses begin: 32 bytes."""
    found = tmp_path / "kek.hex"
    found.write_text(FIRST.hex() + "\n")
    return found


def written(file: Path, keks: Keks) -> None:
    with changing_keks(file) as write:
        write(keks)


def rotated(file: Path, fresh: bytes, steps: int = 2) -> None:
    for _ in range(steps):
        written(file, read_keks(file).rotated(fresh, 1_700_000_000_000))


def versions_of(file: Path) -> tuple[list[int], int]:
    keks = read_keks(file)
    return [each.number for each in keks.versions], keks.seals


def test_a_file_of_one_key_is_version_1(file: Path) -> None:
    sealed = seal_deck(KeyringFile(file), DECK_1, HERE)
    assert (sealed_under(sealed), versions_of(file)) == ("kek-1", ([1], 1))
    assert open_deck(KeyringFile(file), sealed, HERE) == DECK_1


def test_a_version_opens_first_and_seals_then_and_old_decks_open_all_the_while(file: Path) -> None:
    now, sealed = 0.0, list[bytes]()
    keyring = KeyringFile(file, lambda: now)
    for fresh in (SECOND, THIRD):
        for _ in range(2):
            rotated(file, fresh, steps=1)
            now += 1.1
            sealed.append(seal_deck(keyring, DECK_1, HERE))
    assert [sealed_under(each) for each in sealed] == ["kek-1", "kek-2", "kek-2", "kek-3"]
    assert versions_of(file) == ([1, 2, 3], 3)
    assert keyring.newest == 3
    assert [open_deck(keyring, each, HERE) for each in sealed] == [DECK_1] * 4
    assert [each.made_at for each in read_keks(file).versions] == [None, 1_700_000_000_000, 1_700_000_000_000]
    for name in ("newest", "keks", "key"):
        assert SECOND.hex() not in repr(getattr(keyring, name, read_keks(file)))


def test_a_file_is_seen_within_a_second_and_one_version_that_is_missing_at_once(file: Path) -> None:
    now = 0.0
    keyring = KeyringFile(file, lambda: now)
    rotated(file, SECOND)
    assert sealed_under(seal_deck(keyring, DECK_1, HERE)) == "kek-1", "not before a second is over"
    ahead = seal_deck(KeyringFile(file), DECK_1, HERE)
    assert open_deck(keyring, ahead, HERE) == DECK_1, "another process was quicker"
    assert sealed_under(seal_deck(keyring, DECK_1, HERE)) == "kek-2"


def test_a_version_that_is_taken_away_opens_nothing_more(file: Path) -> None:
    now = 0.0
    keyring = KeyringFile(file, lambda: now)
    old = seal_deck(keyring, DECK_1, HERE)
    rotated(file, SECOND)
    written(file, read_keks(file).without(1))
    now = 1.1
    with pytest.raises(CannotOpen, match="no key kek-1"):
        open_deck(keyring, old, HERE)
    assert versions_of(file) == ([2], 2)
    rotated(file, THIRD)
    assert versions_of(file) == ([2, 3], 3), "a number comes once"


@pytest.mark.parametrize("number", [2, 3, 4])
def test_what_seals_or_will_and_what_is_not_there_stays(file: Path, number: int) -> None:
    rotated(file, SECOND)
    rotated(file, THIRD, steps=1)
    with pytest.raises(ValueError, match="seals new decks, or will"):
        read_keks(file).without(number)
    written(file, read_keks(file).without(1))
    with pytest.raises(ValueError, match="there is no kek-1"):
        read_keks(file).without(1)


def test_there_is_an_end_of_versions() -> None:
    last = Keks((KekVersion(MOST_VERSIONS, SecretBytes(FIRST)),), MOST_VERSIONS)
    with pytest.raises(ValueError, match="no version left"):
        last.rotated(SECOND, 1)


def _one(version: int = 1, key: str = HEX, **more: object) -> dict[str, object]:
    return {"version": version, "key": key, **more}


NONSENSE = {
    "empty": "",
    "not hexadecimal": "zz" * 32,
    "half a key": FIRST.hex()[:32],
    "two lines": f"{FIRST.hex()}\n{SECOND.hex()}",
    "torn": json.dumps({"seals": 1, "versions": [_one()]})[:-9],
    "a list": json.dumps([_one()]),
    "nothing": "{}",
    "no version": json.dumps({"seals": 1, "versions": []}),
    "a short key": json.dumps({"seals": 1, "versions": [_one(key=FIRST.hex()[2:])]}),
    "version 0": json.dumps({"seals": 0, "versions": [_one(0)]}),
    "version 256": json.dumps({"seals": 256, "versions": [_one(256)]}),
    "a number twice": json.dumps({"seals": 1, "versions": [_one(), _one(key=SECOND.hex())]}),
    "a key twice": json.dumps({"seals": 1, "versions": [_one(), _one(2)]}),
    "out of order": json.dumps({"seals": 1, "versions": [_one(2), _one(key=SECOND.hex())]}),
    "seals under none": json.dumps({"seals": 2, "versions": [_one()]}),
    "something unknown": json.dumps({"seals": 1, "versions": [_one(retired=True)]}),
    "made before time": json.dumps({"seals": 1, "versions": [_one(made_at=-1)]}),
    "no text": "\xff\xfe" * 40,
}


@pytest.mark.parametrize("kind", NONSENSE)
def test_nonsense_is_refused_by_the_files_name_and_not_quoted(
    file: Path, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    now = 0.0
    keyring = KeyringFile(file, lambda: now)
    file.write_text(NONSENSE[kind], encoding="latin-1")
    with pytest.raises(BadKey, match=r"kek\.hex") as refused:
        KeyringFile(file)
    now = 1.1
    with caplog.at_level(logging.CRITICAL):
        assert sealed_under(seal_deck(keyring, DECK_1, HERE)) == "kek-1", "who had a good one goes on with it"
    assert "key-encryption keys stay as they were: kek.hex" in caplog.text
    assert FIRST.hex()[:16] not in str(refused.value) + caplog.text


def test_a_file_that_is_gone_changes_nothing(file: Path) -> None:
    now = 0.0
    keyring = KeyringFile(file, lambda: now)
    file.unlink()
    now = 1.1
    assert sealed_under(seal_deck(keyring, DECK_1, HERE)) == "kek-1"
    with pytest.raises(BadKey, match="can't be read"):
        read_keks(file)


def test_only_the_owner_may_read_what_is_written_and_a_link_still_leads_there(file: Path, tmp_path: Path) -> None:
    file.chmod(0o644)
    link = tmp_path / "link.hex"
    link.symlink_to(file)
    rotated(link, SECOND)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert link.is_symlink()
    assert versions_of(file) == ([1, 2], 2)
    assert sorted(each.name for each in tmp_path.iterdir()) == [".kek.hex.lock", "kek.hex", "link.hex"]


def _rotate_in_turn(file: Path, number: int) -> None:
    with changing_keks(file) as write:
        keks = read_keks(file)
        write(keks.rotated(bytes([number]) * 32, number))


def test_of_two_who_rotate_at_once_neither_undoes_the_other(file: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    processes = [spawn.Process(target=_rotate_in_turn, args=(file, number)) for number in range(1, 9)]
    for each in processes:
        each.start()
    for each in processes:
        each.join()
    assert [each.exitcode for each in processes] == [0] * 8
    assert versions_of(file) == ([1, 2, 3, 4, 5], 5)


def test_a_keyring_of_versions_shows_none() -> None:
    keks = Keks((KekVersion(1, SecretBytes(FIRST)), KekVersion(2, SecretBytes(SECOND))), 1)
    for key in (FIRST, SECOND):
        assert key.hex() not in f"{keks} {keyring_of(keks)!r}"
        assert repr(key) not in f"{keks} {keyring_of(keks)!r}"
