"""`croupier kek`: versions of the key-encryption key are added in two steps, told, and retired."""

import stat
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from libs.sealing.kek_file import read_keks
from libs.stack import StackError
from services.cli.__main__ import app
from services.cli.surroundings import local_keys


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CROUPIER_HOME", str(tmp_path))
    monkeypatch.delenv("CROUPIER_KEK_FILE", raising=False)
    return local_keys(tmp_path / "keys")["kek"]


def kek(*words: str, answer: str = "") -> Result:
    return CliRunner().invoke(app, ["kek", *words], input=answer)


def versions(file: Path) -> tuple[list[int], int]:
    keks = read_keks(file)
    return [each.number for each in keks.versions], keks.seals


def test_two_steps_to_a_new_version(file: Path) -> None:
    first, steps, told = read_keks(file).versions[0].key, [], ""
    for _ in range(4):
        done = kek("rotate")
        assert done.exit_code == 0, done.output
        steps.append(versions(file))
        told += done.output
    assert steps == [([1, 2], 1), ([1, 2], 2), ([1, 2, 3], 2), ([1, 2, 3], 3)]
    assert read_keks(file).versions[0].key == first
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    told += kek("list").output
    assert not [each for each in read_keks(file).versions if each.key.reveal().hex() in told]


def test_the_list_tells_when_each_was_made_and_which_one_seals(file: Path) -> None:
    kek("rotate")
    lines = kek("list").output.splitlines()
    assert lines[1].split() == ["kek-1", "before", "versions", "new", "decks"]
    assert (lines[2].split()[0], lines[2].strip()[-1]) == ("kek-2", "Z")


def test_a_version_is_retired_when_somebody_says_yes(file: Path) -> None:
    for _ in range(2):
        kek("rotate")
    asked = kek("retire", "1", answer="n\n")
    assert (asked.exit_code, versions(file)) == (1, ([1, 2], 2))
    assert "no deck under kek-1 can be opened, audited or scanned for" in asked.output
    assert kek("retire", "1", answer="y\n").exit_code == 0
    assert versions(file) == ([2], 2)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("retire", "1"), "kek.hex: kek-1 seals new decks, or will"),
        (("retire", "9"), "kek.hex: kek-9 seals new decks, or will"),
        (("rotate", "--file", "{}/nowhere.hex"), "nowhere.hex can't be read: is there a house?"),
        (("rotate", "--file", "{}/nonsense.hex"), "nonsense.hex is not hexadecimal"),
        (("list", "--file", "{}/nonsense.hex"), "nonsense.hex is not hexadecimal"),
        (("retire", "1", "--file", "{}/half.hex"), "half.hex holds no versions of a key-encryption key"),
    ],
    ids=lambda each: " ".join(each[:3]) if isinstance(each, tuple) else "",
)
def test_what_can_not_be_done_is_one_line_and_changes_nothing(
    file: Path, tmp_path: Path, words: tuple[str, ...], says: str
) -> None:
    (tmp_path / "nonsense.hex").write_text("5ec2e7".replace("e", "x") * 10)
    (tmp_path / "half.hex").write_text('{"seals": 1, "vers')
    before = {each: each.read_bytes() for each in (file, *tmp_path.glob("*.hex"))}
    done = kek(*(word.format(tmp_path) for word in words))
    assert isinstance(done.exception, StackError)
    assert says in str(done.exception)
    assert "\n" not in str(done.exception)
    assert {each: each.read_bytes() for each in (file, *tmp_path.glob("*.hex"))} == before


def test_a_folder_that_can_not_be_written_is_told(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test may run as root, whom no mode keeps out."""
    before = file.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    done = kek("rotate")
    assert isinstance(done.exception, StackError)
    assert "can't be written: No space left on device" in str(done.exception)
    assert file.read_bytes() == before


def test_the_file_of_an_older_home_moves_into_its_folder_and_is_found_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CROUPIER_HOME", str(tmp_path))
    monkeypatch.delenv("CROUPIER_KEK_FILE", raising=False)
    before = tmp_path / "keys" / "kek.hex"
    before.parent.mkdir()
    before.write_text("ab" * 32 + "\n")
    assert kek("rotate").exit_code == 0
    keks = read_keks(before)
    moved = local_keys(tmp_path / "keys")["kek"]
    assert moved == tmp_path / "keys" / "kek" / "kek.hex"
    assert read_keks(moved) == keks == read_keks(local_keys(tmp_path / "keys")["kek"])
    assert not before.exists()
    assert stat.S_IMODE(moved.parent.stat().st_mode) == 0o700
    before.write_text("cd" * 32 + "\n")
    assert local_keys(tmp_path / "keys")["kek"] == moved
    assert read_keks(moved) == keks, "what lies there later takes nobody's place"
