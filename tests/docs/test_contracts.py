"""docs/events is what the code says: whoever changes the contract runs `croupier contracts`."""

from pathlib import Path

from services.cli.contracts import contract_files

FOLDER = Path(__file__).parents[2] / "docs" / "events"


def test_the_published_contract_is_the_one_in_the_code() -> None:
    files = contract_files()
    assert {file.name for file in FOLDER.iterdir()} == set(files)
    stale = [name for name, text in files.items() if (FOLDER / name).read_text(encoding="utf-8") != text]
    assert not stale, "run `croupier contracts`"
