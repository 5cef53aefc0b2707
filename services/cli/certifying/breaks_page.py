"""The page of a regulation's breaks, `docs/rules/<regulation>-breaks.md`, and how it is read back."""

import html
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from services.cli.certifying.breaking import Fate, Verdict
from services.cli.certifying.breaks import Break, Breaks, Nothing, each_break, read_breaks
from services.cli.certifying.rules import Rules

Verdicts = dict[tuple[str, str], Verdict]
"""By entry and the break's id."""
_FATES = "|".join(Fate)
_ROW = re.compile(
    rf"^\| (?P<ref>[\w.-]+) \| `(?P<id>[0-9a-f]{{8}})` \|.*\| (?P<fate>{_FATES}) \| (?P<by>.*?) \|$", re.MULTILINE
)


def place_of(root: Path, rules: Rules) -> Path:
    return root / "docs" / "rules" / f"{rules.regulation}-breaks.md"


def verdicts_on(root: Path, rules: Rules) -> Verdicts:
    """How each break had ended when the page was written."""
    file = place_of(root, rules)
    page = file.read_text(encoding="utf-8") if file.exists() else ""
    return {(row["ref"], row["id"]): Verdict(Fate(row["fate"]), row["by"]) for row in _ROW.finditer(page)}


def is_settled(it: Break, verdict: Verdict | None) -> bool:
    """Noticed, or a survivor that says why."""
    return _is(Fate.NOTICED, verdict) or (_is(Fate.SURVIVED, verdict) and bool(it.survives))


def summary_of(root: Path, rules: Rules) -> str:
    """For the regulation's own page; empty where nobody lists breaks."""
    breaks = read_breaks(root, rules)
    page = f"[which]({rules.regulation}-breaks.md)"
    return f"{_score(rules, breaks, verdicts_on(root, rules))} ({page})." if breaks else ""


def breaks_page(rules: Rules, breaks: Breaks, verdicts: Verdicts) -> str:
    return "\n".join(_page(rules, breaks, verdicts)) + "\n"


def _page(rules: Rules, breaks: Breaks, verdicts: Verdicts) -> Iterator[str]:
    yield f"# {rules.title}: rules broken on purpose"
    yield ""
    yield "Code that keeps a rule is broken while the tests of that rule run, and one of them has to fail. Breaks are"
    yield f"listed in `tests/breaks/{rules.regulation}.yaml`. Written by `croupier certify --break`."
    yield ""
    yield _score(rules, breaks, verdicts) + "."
    yield ""
    yield "| Rule | Break | What is broken | Result | Noticed by |"
    yield "|---|---|---|---|---|"
    for ref, listed in breaks.items():
        if isinstance(listed, Nothing):
            yield f"| {ref} |  |  | – nothing to break | {listed.none} |"
        else:
            yield from (_row(ref, it, verdicts.get((ref, it.id))) for it in listed)
    unbroken = _unbroken(rules, breaks)
    if unbroken:
        yield from ("", f"Entries that nobody has broken yet: {', '.join(unbroken)}.")


def _row(ref: str, it: Break, verdict: Verdict | None) -> str:
    said = "○ not tried yet" if verdict is None else verdict.fate.value
    by = verdict.by if verdict is not None else ""
    if verdict is not None and verdict.fate is Fate.SURVIVED:
        by = it.survives
    file = f"[{Path(it.file).name}](../../{it.file})"
    return f"| {ref} | `{it.id}` | {file}: {_quoted(it.code)} → {_quoted(it.broken)} | {said} | {by} |"


def _quoted(code: str) -> str:
    text = html.escape(" ".join(code.split()), quote=False).replace("|", "&#124;").replace("*", "&#42;")
    return f"<code>{text}</code>" if text else "nothing"


def _score(rules: Rules, breaks: Breaks, verdicts: Verdicts) -> str:
    listed = list(each_break(breaks))
    fates = Counter(verdicts[key].fate for ref, it in listed if (key := (ref, it.id)) in verdicts)
    unexplained = [it for ref, it in listed if _is(Fate.SURVIVED, verdicts.get((ref, it.id))) and not it.survives]
    others = [(fates[Fate.UNTIED], "have no test"), (fates[Fate.NOT_VALID], "are not valid")]
    others += [(fates[Fate.SURVIVED] - len(unexplained), "survive for a reason"), (len(unexplained), "survive")]
    others += [(len(listed) - fates.total(), "are not tried yet")]
    rest = "".join(f", {count} {what}" for count, what in others if count)
    entries = len({ref for ref, _ in listed})
    head = f"Broken on purpose: {fates[Fate.NOTICED]} of {len(listed)} breaks of {entries} entries are noticed"
    return (
        f"{head} by the tests of their own rule{rest}; {len(_unbroken(rules, breaks))} entries are still to be broken"
    )


def _is(fate: Fate, verdict: Verdict | None) -> bool:
    return verdict is not None and verdict.fate is fate


def _unbroken(rules: Rules, breaks: Breaks) -> list[str]:
    return [ref for ref, entry in rules.entries.items() if not entry.nothing and ref not in breaks]
