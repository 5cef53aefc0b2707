"""Writes `kafka.lock.toml` anew: `python -m libs.stack.lock` (or `make lock`). Names no host."""

from pathlib import Path
from tempfile import TemporaryDirectory

from jgo.env import LockFile
from jgo.maven import Dependency, MavenContext

from libs.stack.jars import LOCK

WANTED = ("org.apache.kafka:kafka_2.13:4.3.1", "org.apache.logging.log4j:log4j-slf4j-impl:2.25.4")
"""Resolved one by one: asked for together, jgo mediates kafka-clients down to 3.9.1."""


def write(path: Path = LOCK) -> int:
    """Resolve, fetch and hash every jar, and write the lock; how many it names."""
    with TemporaryDirectory() as folder:
        maven = MavenContext(repo_cache=Path(folder), timeout=60)
        found = {each.artifact.key: each for wanted in WANTED for each in _resolved(maven, wanted)}
        LockFile.from_resolved_dependencies([found[key] for key in sorted(found)]).save(path)
    return len(found)


def _resolved(maven: MavenContext, wanted: str) -> list[Dependency]:
    asked, behind = maven.resolver.resolve([maven.create_dependency(wanted)])
    return [*asked, *(each for each in behind if each.scope in ("compile", "runtime"))]


if __name__ == "__main__":
    print(f"{write()} jars locked in {LOCK.name}")  # noqa: T201
