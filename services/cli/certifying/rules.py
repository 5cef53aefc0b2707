"""What a regulation asks, entry by entry, in our own words: `docs/rules/<regulation>.yaml`, held against its matrix."""

import os
from pathlib import Path
from typing import Any

import msgspec
import yaml

from libs.stack import StackError


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    asks: str
    service: str
    kind: str
    nothing: str = ""
    """Why software has nothing to show for it; empty: it has."""
    missing: str = ""
    """What of it is not shown yet, and why."""
    section: str = ""
    """Heading that begins here."""


class Rules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    regulation: str
    """As the marks name it."""
    matrix: str
    """Id of the shared matrix."""
    title: str
    source: str
    entries: dict[str, Entry]


def read_rules(folder: Path) -> dict[str, Rules]:
    """Every regulation with a file in `folder`, by the name that marks use."""
    found = (_read(path) for path in sorted(folder.glob("*.yaml")))
    return {rules.regulation: rules for rules in found}


def _read(path: Path) -> Rules:
    try:
        rules = msgspec.convert(yaml.safe_load(path.read_text(encoding="utf-8")), Rules)
    except (yaml.YAMLError, msgspec.ValidationError) as wrong:
        raise StackError(f"{path.name} is no list of rules: {wrong}") from None
    return rules


def find_shared(root: Path) -> Path | None:
    """The folder of matrices: `CROUPIER_SHARED`, or `../shared` beside the clone."""
    folder = Path(os.environ.get("CROUPIER_SHARED") or root.parent / "shared") / "regulations"
    return folder if folder.is_dir() else None


def read_matrices(folder: Path) -> dict[str, dict[str, Any]]:
    """Matrix id to its entries by ref; files that are no matrices are passed over."""
    matrices: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob("*.yaml")):
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        if isinstance(document, dict) and "rules" in document and "id" in document:
            matrices[document["id"]] = {str(rule["ref"]): rule for rule in document["rules"]}
    return matrices


def differences(rules: Rules, matrix: dict[str, Any] | None) -> list[str]:
    """Where our list and the matrix do not name the same entries in the same way."""
    if matrix is None:
        return [f"{rules.regulation}: there is no matrix {rules.matrix}"]
    found = [f"{rules.regulation} {ref} is missing in our list" for ref in matrix if ref not in rules.entries]
    for ref, entry in rules.entries.items():
        asked = matrix.get(ref)
        if asked is None:
            found.append(f"{rules.regulation} {ref} is in no matrix")
        elif (entry.service, entry.kind, not entry.nothing) != (asked["service"], asked["kind"], asked["testable"]):
            found.append(f"{rules.regulation} {ref}: service, kind or testable is not as in the matrix")
    return found


def unknown_marks(
    marks: list[tuple[str, list[str]]], known: dict[str, Rules], matrices: dict[str, dict[str, Any]] | None
) -> list[str]:
    """Marks that name a regulation or an entry that there is not. `marks`: test and the words of its mark."""
    found = []
    for test, words in marks:
        refs = _refs_of(words[0], known, matrices) if words else set()
        if len(words) < 2:
            found.append(f"{test}: a rule mark names a regulation and at least one entry")
        elif refs is None and matrices is not None:
            found.append(f"{test}: there is no regulation {words[0]}")
        elif refs is not None:
            found += [f"{test}: {words[0]} has no entry {ref}" for ref in words[1:] if ref not in refs]
    return found


def _refs_of(regulation: str, known: dict[str, Rules], matrices: dict[str, dict[str, Any]] | None) -> set[str] | None:
    if regulation in known:
        return set(known[regulation].entries)
    for name, entries in (matrices or {}).items():
        if name == regulation or name.startswith(regulation + "-"):
            return set(entries)
    return None
