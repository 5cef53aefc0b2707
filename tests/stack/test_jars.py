"""Only the very bytes that the lock names get on the class path."""

import shutil
from pathlib import Path

import pytest

from libs.stack import StackError
from libs.stack.home import jars_folder
from libs.stack.jars import LOCK, class_path, kafka_version


@pytest.fixture
def jars(tmp_path: Path) -> Path:
    """A copy of the fetched jars, free to be spoilt."""
    class_path(jars_folder())
    return Path(shutil.copytree(jars_folder(), tmp_path / "jars"))


def test_the_lock_names_kafka_and_no_host() -> None:
    assert kafka_version() == "4.3.1"
    assert "://" not in LOCK.read_text()


def test_what_is_there_already_is_not_fetched(jars: Path) -> None:
    told: list[str] = []

    class_path(jars, progress=lambda what, _done, _total: told.append(what))

    assert told == []


def test_a_jar_with_one_byte_more_is_refused(jars: Path) -> None:
    spoilt = next(jars.glob("kafka-clients-*.jar"))
    spoilt.write_bytes(spoilt.read_bytes() + b"\0")

    with pytest.raises(StackError, match=r"kafka-clients-4\.3\.1\.jar is not the jar"):
        class_path(jars)


def test_a_fetched_jar_that_is_not_the_locked_one_is_refused_and_not_kept(jars: Path, tmp_path: Path) -> None:
    (jars / "log4j-slf4j-impl-2.25.4.jar").unlink()
    lock = tmp_path / "kafka.lock.toml"
    lock.write_text(_other_checksum(LOCK.read_text(), "log4j-slf4j-impl"))

    with pytest.raises(StackError, match="log4j-slf4j-impl"):
        class_path(jars, lock=lock)

    assert not (jars / "log4j-slf4j-impl-2.25.4.jar").exists()


def test_a_lock_without_a_checksum_is_refused(jars: Path, tmp_path: Path) -> None:
    lock = tmp_path / "kafka.lock.toml"
    lock.write_text("\n".join(line for line in LOCK.read_text().splitlines() if not line.startswith("sha256")))

    with pytest.raises(StackError, match="without a checksum"):
        class_path(jars, lock=lock)


def _other_checksum(text: str, artifact: str) -> str:
    before, entry = text.split(f'artifactId = "{artifact}"')
    kept, _, rest = entry.partition('sha256 = "')
    return f'{before}artifactId = "{artifact}"{kept}sha256 = "{"0" * 64}{rest[64:]}'
