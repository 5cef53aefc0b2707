"""A copy of the house in a folder of its own, to which something is added and from which it is taken away again."""

import difflib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[2]
PARTS = ("libs", "services", "tests", "docs")
_LEFT_OUT = shutil.ignore_patterns("adding", ".*")
_GENERATE = """
from services.cli.contracts import contracts
from services.cli.reference import reference
from tests.contracts.samples import freeze_missing
from pathlib import Path

freeze_missing()
contracts(Path("docs/events"), check=False)
reference(Path("docs"), check=False)
"""


class House:
    """`libs`, `services`, `tests` and `docs` as they stand here, copied to `folder` with what is compiled of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for part in PARTS:
            shutil.copytree(ROOT / part, folder / part, ignore=_LEFT_OUT)
        shutil.copy(ROOT / "pyproject.toml", folder)

    def files(self) -> dict[str, bytes]:
        """Every file of the house by its path, and what is in it."""
        files = (file for part in PARTS for file in (self.folder / part).rglob("*"))
        return {
            str(file.relative_to(self.folder)): file.read_bytes()
            for file in files
            if file.is_file() and "__pycache__" not in file.parts
        }

    def lay(self, overlay: Path) -> list[str]:
        """Files of the overlay, none of which is there already, by their paths in the house."""
        files = [file for file in overlay.rglob("*") if file.is_file() and "__pycache__" not in file.parts]
        for file in files:
            target = self.folder / file.relative_to(overlay)
            assert not target.exists(), target
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, target)
        return [str(file.relative_to(overlay)) for file in files]

    def edit(self, file: str, edits: Iterable[tuple[str, str]], back: bool = False) -> int:
        """Puts text before other text that is there once, or takes it away again; lines that differ by it."""
        path = self.folder / file
        text = before = path.read_text(encoding="utf-8")
        for place, new in edits:
            old, put = (new + place, place) if back else (place, new + place)
            assert text.count(old) == 1, f"{file}: {old}"
            text = text.replace(old, put)
        path.write_text(text, encoding="utf-8")
        return sum(line.startswith("+ ") for line in difflib.ndiff(before.splitlines(), text.splitlines()))

    def remove(self, *files: str) -> None:
        for file in files:
            (self.folder / file).unlink()

    def generate(self) -> list[str]:
        """Samples frozen, contracts and reference written, as their commands do it; files that are new or changed."""
        before = self.files()
        self._run("-c", _GENERATE)
        return [file for file, text in self.files().items() if before.get(file) != text]

    def tests(self, *files: str, only: str) -> None:
        """Those of its tests whose names `only` selects, as pytest's `-k` does."""
        self._run("-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not stack", "-k", only, *files)

    def _run(self, *command: str) -> None:
        """In the copy, apart from the original."""
        environment = {**os.environ, "PYTHONPATH": str(self.folder)}
        done = subprocess.run(
            [sys.executable, *command], cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout[-6_000:] + done.stderr[-3_000:]
