"""What a regulation asks, entry by entry and case by case, in our own words: `docs/rules/<regulation>.yaml`."""

import os
from pathlib import Path
from typing import Any

import msgspec
import yaml

from libs.stack_error import StackError
from services.cli.certifying.figures import misquotes


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One acceptance case of the matrix."""

    says: str
    figures: dict[str, Any] = {}
    """The matrix's own figures by name: whole numbers, cards, times and words as text, lists and mappings of them."""
    derived: dict[str, str] = {}
    """Figures that do not stand in the matrix, and how they follow from it."""
    beside: dict[int | str, str] = {}
    """Numbers of the matrix that are nothing to be tested, and why."""
    reading: str = ""
    """Which reading we take where the regulation leaves it open."""
    missing: str = ""
    """What of it is not shown yet, and why."""


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    asks: str
    service: str
    kind: str
    cases: list[Case] | int = 0
    """In the matrix's order; a number says how many are still to be listed."""
    nothing: str = ""
    """Why software has nothing to show for it; empty: it has."""
    missing: str = ""
    """What of it is not shown yet, and why."""
    section: str = ""
    """Heading that begins here."""

    @property
    def listed(self) -> list[Case]:
        return [] if isinstance(self.cases, int) else self.cases

    @property
    def count(self) -> int:
        """Cases of the matrix, listed or not."""
        return self.cases if isinstance(self.cases, int) else len(self.cases)


class Rules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    regulation: str
    """As the marks name it."""
    matrix: str
    """Id of the shared matrix."""
    title: str
    source: str
    entries: dict[str, Entry]
    at_least: int = 0
    """As many cases are shown; this number is only ever raised."""
    provenance: str = ""
    """Where the text comes from, where not all of it is from the official gazette; the page says it."""

    @property
    def cases(self) -> dict[str, Case]:
        """Every listed case by its number, such as `11.a/2`."""
        return {f"{ref}/{n}": case for ref, entry in self.entries.items() for n, case in enumerate(entry.listed, 1)}

    @property
    def refs(self) -> set[str]:
        """What a mark may name: entries and cases."""
        return {*self.entries, *self.cases}


def read_rules(folder: Path) -> dict[str, Rules]:
    """Every regulation with a file in `folder`, by the name that marks use."""
    found = (_read(path) for path in sorted(folder.glob("*.yaml")))
    return {rules.regulation: rules for rules in found}


def _read(path: Path) -> Rules:
    try:
        return msgspec.convert(_yaml(path), Rules)
    except (yaml.YAMLError, msgspec.ValidationError) as wrong:
        raise StackError(f"{path.name} is no list of rules: {wrong}") from None


def _yaml(path: Path) -> Any:
    return yaml.load(path.read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def find_shared(root: Path) -> Path | None:
    """The folder of matrices: `CROUPIER_SHARED`, or `../shared` beside the clone."""
    folder = Path(os.environ.get("CROUPIER_SHARED") or root.parent / "shared") / "regulations"
    return folder if folder.is_dir() else None


def read_matrices(folder: Path) -> dict[str, dict[str, Any]]:
    """Matrix id to its entries by ref; files that are no matrices are passed over."""
    matrices: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob("*.yaml")):
        document = _yaml(path)
        if isinstance(document, dict) and "rules" in document and "id" in document:
            matrices[document["id"]] = {str(rule["ref"]): rule for rule in document["rules"]}
    return matrices


def differences(rules: Rules, matrix: dict[str, Any] | None) -> list[str]:
    """Where our list does not name the matrix's entries, cases and figures as the matrix does."""
    if matrix is None:
        return [f"{rules.regulation}: there is no matrix {rules.matrix}"]
    found = [f"{rules.regulation} {ref} is missing in our list" for ref in matrix if ref not in rules.entries]
    for ref, entry in rules.entries.items():
        asked = matrix.get(ref)
        if asked is None:
            found.append(f"{rules.regulation} {ref} is in no matrix")
        elif (entry.service, entry.kind, not entry.nothing) != (asked["service"], asked["kind"], asked["testable"]):
            found.append(f"{rules.regulation} {ref}: service, kind or testable is not as in the matrix")
        elif entry.count != len(asked.get("accept", ())):
            found.append(f"{rules.regulation} {ref}: the matrix has {len(asked.get('accept', ()))} cases")
        else:
            for n, case in enumerate(entry.listed, 1):
                prose = "\n".join(str(part) for part in asked["accept"][n - 1].values())
                derived, beside = set(case.derived), {str(number) for number in case.beside}
                wrong = misquotes(prose, set(matrix), case.figures, derived=derived, beside=beside)
                found += [f"{rules.regulation} {ref}/{n}: {what}" for what in wrong]
    return found


def unknown_marks(
    marks: list[tuple[str, list[str]]], known: dict[str, Rules], matrices: dict[str, dict[str, Any]] | None
) -> list[str]:
    """Marks that name a regulation, entry or case that there is not. `marks`: test and the words of its mark."""
    found = []
    for test, words in marks:
        refs = _refs_of(words[0], known, matrices) if words else set()
        if len(words) < 2:
            found.append(f"{test}: a rule mark names a regulation and at least one entry or case")
        elif refs is None and matrices is not None:
            found.append(f"{test}: there is no regulation {words[0]}")
        elif refs is not None:
            found += [f"{test}: {words[0]} has no {_kind(ref)} {ref}" for ref in words[1:] if ref not in refs]
    return found


def _kind(ref: str) -> str:
    return "listed case" if "/" in ref else "entry"


def _refs_of(regulation: str, known: dict[str, Rules], matrices: dict[str, dict[str, Any]] | None) -> set[str] | None:
    if regulation in known:
        return known[regulation].refs
    for name, entries in (matrices or {}).items():
        if name == regulation or name.startswith(regulation + "-"):
            return set(entries)
    return None
