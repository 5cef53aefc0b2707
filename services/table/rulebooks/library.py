"""All rulebooks of the house, read when the process starts."""

from pathlib import Path

from services.table.rulebooks.rulebook import Rulebook, read_rulebook

_HERE = Path(__file__).parent


def _read_all() -> dict[str, Rulebook]:
    found = (read_rulebook(path) for path in sorted(_HERE.glob("*.yaml")))
    return {rulebook.id: rulebook for rulebook in found}


RULEBOOKS: dict[str, Rulebook] = _read_all()
"""All rulebooks by id; a file that is none stops the process."""


def find_rulebook(rulebook_id: str) -> Rulebook | None:
    return RULEBOOKS.get(rulebook_id)
