"""The written side names files: each of them is there, every link leads somewhere, every Python example can be read."""

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")))
_SUFFIX = "(?:py|md|yaml|yml|json|toml|lock|svg|sql)"
_PATH = re.compile(rf"`([A-Za-z0-9_.][A-Za-z0-9_./-]*/[A-Za-z0-9_.-]+\.{_SUFFIX})(?:::[A-Za-z0-9_]+)?`")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)
_TITLE = re.compile(r"^#{1,3} +.+$", re.MULTILINE)
_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def named_paths(text: str) -> set[str]:
    return set(_PATH.findall(text))


def links(text: str) -> set[str]:
    return {link for link in _LINK.findall(text) if "://" not in link}


def anchors(text: str) -> set[str]:
    """Headings as links name them: lower case, punctuation gone, blanks to hyphens."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in _HEADING.findall(text)}


def _id(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=_id)
def test_no_section_stands_twice(page: Path) -> None:
    found = Counter(_TITLE.findall(_FENCED.sub("", page.read_text(encoding="utf-8"))))
    assert [title for title, times in found.items() if times > 1] == []


@pytest.mark.parametrize("page", PAGES, ids=_id)
def test_every_path_named_is_there(page: Path) -> None:
    named = named_paths(page.read_text(encoding="utf-8"))
    # Outside of the repository: the shared design and regulations.
    inside = {path for path in named if not path.startswith("../shared/")}
    missing = {path for path in inside if not (ROOT / path).exists() and not (page.parent / path).exists()}
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=_id)
def test_every_link_leads_somewhere(page: Path) -> None:
    for link in links(page.read_text(encoding="utf-8")):
        file, _, anchor = link.partition("#")
        target = (page.parent / file) if file else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target.read_text(encoding="utf-8")), link


@pytest.mark.parametrize("page", PAGES, ids=_id)
def test_every_python_example_compiles(page: Path) -> None:
    for number, example in enumerate(_PYTHON.findall(page.read_text(encoding="utf-8")), start=1):
        compile(example, f"{page.name}, example {number}", "exec")


def test_the_search_finds_what_it_should() -> None:
    text = "See `libs/no/such.py`, `services/table/domain/x.py::test_y`, `a.py` and [here](nowhere.md#up)."
    assert named_paths(text) == {"libs/no/such.py", "services/table/domain/x.py"}
    assert links(text) == {"nowhere.md#up"}
    assert anchors("## Start, stop, kill\n") == {"start-stop-kill"}
