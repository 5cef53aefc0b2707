"""All rulebooks of the house, read when the process starts."""

from collections.abc import Mapping
from pathlib import Path

import msgspec
import yaml

from libs.rulebooks.poker import PokerRulebook
from libs.rulebooks.rulebook import Rulebook, canonical_digest

_HERE = Path(__file__).parent
_KINDS: Mapping[str, type[Rulebook]] = {"poker": PokerRulebook}
"""Of games whose rulebooks say more than all do."""


def read_rulebook(path: Path) -> Rulebook:
    """ValidationError for a file that is no rulebook of its game."""
    data = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    kind = _KINDS.get(data.get("game", "poker"), Rulebook)
    digest = canonical_digest({name: said for name, said in data.items() if name != "example"})
    return msgspec.convert({**data, "digest": digest}, kind)


def _read_all() -> dict[str, Rulebook]:
    found = (read_rulebook(path) for path in sorted(_HERE.glob("*.yaml")))
    return {rulebook.id: rulebook for rulebook in found}


RULEBOOKS: dict[str, Rulebook] = _read_all()
"""All rulebooks by id; a file that is none stops the process."""


def find_rulebook(rulebook_id: str) -> Rulebook | None:
    return RULEBOOKS.get(rulebook_id)
