"""The jars of Apache Kafka: exact coordinates and checksums from the committed lock, fetched once, always verified."""

import hashlib
import logging
import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from tempfile import TemporaryDirectory

import requests
from jgo.env import LockedDependency, LockFile
from jgo.maven import MavenContext

from libs.stack.home import StackError
from libs.stack.process import Progress, silent

LOCK = Path(__file__).with_name("kafka.lock.toml")
_AT_ONCE = 6
_WHAT = "Kafka jars"


def kafka_version(lock: Path = LOCK) -> str:
    """The version of Apache Kafka that the lock names."""
    return next(str(each.version) for each in _locked(lock) if each.artifactId == "kafka-server")


def class_path(folder: Path, *, lock: Path = LOCK, progress: Progress = silent) -> str:
    """Fetch what is missing, verify all, and give the class path.

    Raises StackError for a jar that can't be fetched, and for one whose SHA-256 is not the lock's.
    """
    wanted = {folder / _filename(each): each for each in _locked(lock)}
    missing = [each for path, each in wanted.items() if not path.exists()]
    if missing:
        _fetch(missing, folder, progress)
    for path, each in wanted.items():
        _verify(path, each)
    return os.pathsep.join(str(path) for path in wanted)


def _locked(lock: Path) -> Iterable[LockedDependency]:
    dependencies: list[LockedDependency] = LockFile.load(lock).dependencies
    if not dependencies or any(not each.sha256 for each in dependencies):
        raise StackError(f"{lock.name} has an entry without a checksum: write it anew with `make lock`")
    return dependencies


def _filename(each: LockedDependency) -> str:
    return f"{each.artifactId}-{each.version}.jar"


def _verify(path: Path, each: LockedDependency) -> None:
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != each.sha256:
        raise StackError(
            f"{path.name} is not the jar that {LOCK.name} names "
            f"(SHA-256 {found[:12]}…, locked {str(each.sha256)[:12]}…): delete {path} and run again"
        )


def _fetch(missing: list[LockedDependency], folder: Path, progress: Progress) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    progress(_WHAT, 0, len(missing))
    # Fetched beside and moved when verified: an interrupted download never looks like a jar.
    with TemporaryDirectory(dir=folder, prefix=".fetching-") as staging, ThreadPoolExecutor(_AT_ONCE) as pool:
        maven = MavenContext(repo_cache=Path(staging), timeout=60)
        fetched = [pool.submit(_fetch_one, maven, each, folder) for each in missing]
        try:
            for done, each_done in enumerate(as_completed(fetched), start=1):
                each_done.result()
                progress(_WHAT, done, len(missing))
        except StackError:
            pool.shutdown(cancel_futures=True)
            raise


def _fetch_one(maven: MavenContext, each: LockedDependency, folder: Path) -> None:
    logging.getLogger("jgo").setLevel(logging.ERROR)
    artifact = maven.project(each.groupId, each.artifactId).at_version(each.version).artifact()
    try:
        staged = artifact.resolve()
    except (requests.RequestException, RuntimeError) as error:
        raise StackError(
            f"can't fetch {each.groupId}:{each.artifactId}:{each.version} from the Maven repository "
            f"({type(error).__name__}): is the network there?"
        ) from error
    _verify(staged, each)
    staged.replace(folder / _filename(each))
