"""Whether the program that runs is the one that was built: each of its files against the list made with the image.

At every start, once a day and on demand (SEC-11; `croupier selfcheck`). The list has the form of `sha256sum`,
which checks it, too. It lies beside what it lists, so its own digest has to be known from
elsewhere (`manifest_sha256`).
"""

import hashlib
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from pydantic_settings import BaseSettings, SettingsConfigDict

from libs.telemetry import get_logger
from libs.telemetry.figures import gauge

EVERY_S = 24 * 3600
ALTERED = gauge("croupier_program_altered")


class ProgramAltered(RuntimeError):
    """What runs is not what was built; the message names files."""


class ProgramSettings(BaseSettings):
    """Set in the image; from a checkout there is no list, and nothing is checked."""

    model_config = SettingsConfigDict(env_prefix="CROUPIER_", extra="ignore")

    manifest_file: Path | None = None
    """Digests of every file of the program, the interpreter's among them."""
    manifest_sha256: str | None = None
    """The digest of that list, told by whoever deploys."""


def write(manifest: Path) -> None:
    """All files of the program as they are now: what lies beside the list, the interpreter and its library."""
    manifest.write_text("".join(f"{_digest(file)}  {file}\n" for file in _files(manifest)), encoding="utf-8")


def check(settings: ProgramSettings | None = None, service: str = "selfcheck") -> int:
    """How many files were compared, 0 where there is no list; logged. Raises ProgramAltered."""
    settings = settings or ProgramSettings()
    if settings.manifest_file is None:
        return 0
    found, wrong = _compared(settings.manifest_file, settings.manifest_sha256)
    ALTERED.set(len(wrong))
    log = get_logger(service)
    if wrong:
        log.critical("the program is not the one that was built", files=wrong[:20], count=len(wrong))
        raise ProgramAltered(f"the program is not the one that was built: {', '.join(wrong[:5])} ({len(wrong)} in all)")
    log.info("program checked", files=found, manifest=_digest(settings.manifest_file))
    return found


def _compared(manifest: Path, expected: str | None) -> tuple[int, list[str]]:
    if not manifest.is_file():
        return 0, [f"{manifest} is missing"]
    listed = {
        name: digest
        for digest, _, name in (line.partition("  ") for line in manifest.read_text(encoding="utf-8").splitlines())
    }
    there = {str(file): _digest(file) for file in _files(manifest)}
    wrong = [f"{name} was added" for name in there.keys() - listed.keys()]
    wrong += [f"{name} is missing" for name in listed.keys() - there.keys()]
    wrong += [f"{name} differs" for name in listed.keys() & there.keys() if listed[name] != there[name]]
    if expected is not None and _digest(manifest) != expected:
        wrong.append(f"{manifest} differs from what was deployed")
    return len(there), sorted(wrong)


def _files(manifest: Path) -> Iterator[Path]:
    yield Path(sys.executable).resolve()
    for root in {manifest.parent, Path(sysconfig.get_path("stdlib"))}:
        yield from (file for file in sorted(root.rglob("*")) if file.is_file() and file != manifest)


def _digest(file: Path) -> str:
    with file.open("rb") as lines:
        return hashlib.file_digest(lines, "sha256").hexdigest()
