"""The proof is proved: what is tied and green is shown, everything else is not, and a page that lies is found."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from libs.stack import StackError
from services.cli import certify as command
from services.cli.__main__ import app
from services.cli.certifying.checking import older_pages
from services.cli.certifying.page import doubts_in, outcomes_on, page_of
from services.cli.certifying.results import Certificate, Result, certify_rules, outcomes_of
from services.cli.certifying.rules import read_matrices, read_rules
from services.cli.certifying.running import collect, run
from services.cli.certifying.sources import digest_of, ran_on
from tests.cli.certify.small import build, change


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "clone"
    build(root)
    monkeypatch.setattr(command, "ROOT", root)
    monkeypatch.setenv("CROUPIER_SHARED", str(tmp_path / "shared"))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return root


def certificate_of(clone: Path) -> Certificate:
    heard = run(clone)
    rules = read_rules(clone / "docs" / "rules")["house-1"]
    return certify_rules(rules, heard.tests, outcomes_of(rules, heard.tests))


def whole_page(clone: Path) -> str:
    matrices = read_matrices(clone.parent / "shared" / "regulations")
    return page_of(certificate_of(clone), doubts=doubts_in(matrices["house-1-matrix"]))


def write_page(clone: Path) -> Path:
    page = clone / "docs" / "rules" / "house-1.md"
    page.write_text(whole_page(clone), encoding="utf-8")
    return page


def test_one_result_for_each_entry_and_case(clone: Path) -> None:
    certificate = certificate_of(clone)
    assert {line.ref: (line.result, [case.result for case in line.cases]) for line in certificate.lines} == {
        "1": (Result.SHOWN, [Result.SHOWN, Result.SHOWN]),
        "2": (Result.FAILING, [Result.FAILING, Result.SHOWN]),
        "3": (Result.NOT_YET, [Result.NOT_YET]),
        "4": (Result.IN_PART, [Result.IN_PART, Result.NOT_YET]),
        "5": (Result.NOT_YET, []),
        "6": (Result.NOTHING, []),
    }
    assert [test.rpartition("::")[2] for test in certificate.lines[1].cases[0].tests] == ["test_red", "test_shown"]
    assert certificate.case_totals == {
        Result.SHOWN: 3,
        Result.FAILING: 1,
        Result.IN_PART: 1,
        Result.NOT_YET: 4,
    }
    assert (certificate.testable, certificate.tests, certificate.complete) == (5, 9, False)


def test_the_page_says_it_all_and_can_be_read_back(clone: Path) -> None:
    page = write_page(clone).read_text(encoding="utf-8")
    assert "- **4** (in part): 4/1: The other half.; 4/2: No test carries this case." in page
    assert "- **5** (not shown yet): 2 cases to be listed." in page
    assert "| **2** | **Red.** | table | ✗ failing |  |" in page
    assert "| 1/1 | Buys in.<br>stack 10000; each 5000; seats 2, 4 |  | ✓ shown |" in page
    assert "| 1/2 | No figures.<br>*Our reading:* Ours. |  | ✓ shown | · [both](../../tests/test_house.py) |" in page
    said = outcomes_on(page)
    assert {ref: said[ref] for ref in ("1/1", "2/1", "2/2", "3/1", "4/1", "5")} == {
        "1/1": "passed",
        "2/1": "failed",
        "2/2": "passed",
        "3/1": None,
        "4/1": "passed",
        "5": None,
    }


def test_what_the_matrix_leaves_open_is_shown_where_we_have_no_reading(
    clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = write_page(clone).read_text(encoding="utf-8")
    said = "<br>*Left open, in the matrix's words:* "
    assert f"| **3** | **Skipped.**{said}This &#124; that is open. Read: that. | table | ○ not shown yet |" in page
    assert f"| **6** | **A word.**{said}Which word? | table | – " in page
    assert "| **1** | **Green.** | table |" in page, "whose second case has our reading"
    assert (outcomes_on(page)["6"], outcomes_on(page)["1"]) == (None, "passed")
    check = ["certify", "--check"]
    change(clone.parent / "shared" / "regulations" / "house.yaml", "Read: that.", "Read: this.")
    assert CliRunner().invoke(app, check).exit_code == 1
    monkeypatch.setenv("CROUPIER_SHARED", str(clone / "nowhere"))
    assert CliRunner().invoke(app, check).exit_code == 0, "without the matrices the page's own doubts stay"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The current one of every clone, before it is changed."""
    root = tmp_path_factory.mktemp("page") / "clone"
    build(root)
    return whole_page(root)


def test_a_current_page_is_found_current(clone: Path, page: str) -> None:
    (clone / "docs" / "rules" / "house-1.md").write_text(page, encoding="utf-8")
    told = CliRunner().invoke(app, ["certify", "--check"])
    assert told.exit_code == 0, told.output


def test_the_command_succeeds_only_when_everything_is_shown(clone: Path) -> None:
    told = CliRunner().invoke(app, ["certify", "--json"])
    assert told.exit_code == 1
    (document,) = json.loads(told.stdout)
    assert (document["complete"], document["totals"]["failing"]) == (False, 1)
    assert (document["case_totals"]["shown"], document["entries"][0]["cases"][0]["ref"]) == (3, "1/1")
    change(clone / "tests" / "test_house.py", "assert n == 1", "pass")
    change(clone / "tests" / "test_house.py", 'pytest.skip("not here")', "pass")
    change(clone / "tests" / "test_house.py", '"4", "4/1"', '"4/1", "4/2", "5/1", "5/2"')
    change(clone / "docs" / "rules" / "house-1.yaml", ", missing: The other half.", "")
    change(clone / "docs" / "rules" / "house-1.yaml", "cases: 2", "cases: [{says: a.}, {says: b.}]")
    told = CliRunner().invoke(app, ["certify", "--json"])
    assert told.exit_code == 0, told.output
    assert "No case is left to show." in (clone / "docs" / "rules" / "house-1.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("tests/test_house.py", '"house-1", "4"', '"house-1", "4", "5"'),
        ("tests/test_house.py", '"4/1"', '"4/2"'),
        ("tests/test_house.py", "def test_half", "def test_other_half"),
        ("docs/rules/house-1.yaml", "Green.", "Greener."),
        ("docs/rules/house-1.md", "✗ failing", "✓ shown"),
        ("docs/rules/house-1.md", "| **5** |", "| **4** |"),
        ("docs/rules/house-1.yaml", "says: Half.", "says: A half."),
    ],
)
def test_a_page_that_is_not_current_is_found(clone: Path, page: str, file: str, old: str, new: str) -> None:
    (clone / "docs" / "rules" / "house-1.md").write_text(page, encoding="utf-8")
    change(clone / file, old, new)
    told = CliRunner().invoke(app, ["certify", "--check"])
    assert told.exit_code == 1
    assert "docs/rules/house-1.md is not current" in told.output


@pytest.mark.parametrize(
    ("mark", "said"),
    [
        ('"house-1", "7"', "house-1 has no entry 7"),
        ('"house-9", "1"', "there is no regulation house-9"),
        ('"house-1", "4/3"', "house-1 has no listed case 4/3"),
        ('"house-1"', "names a regulation and at least one entry"),
    ],
)
def test_marks_that_name_what_there_is_not_are_refused(clone: Path, mark: str, said: str) -> None:
    change(clone / "tests" / "test_house.py", '"house-1", "4", "4/1"', mark)
    for how in ([], ["--check"]):
        told = CliRunner().invoke(app, ["certify", *how])
        assert isinstance(told.exception, StackError)
        assert said in str(told.exception)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  '5': {asks: Nobody came., service: console, kind: ui, section: Two, cases: 2}\n", ""),
        ("cases: 2", "cases: 3"),
        (", {says: Nothing of it.}", ""),
        ("stack: 10000", "stack: 10001"),
        ("'5': {", "'55': {"),
        ("asks: Red., service: table", "asks: Red., service: wallet"),
        ("kind: definition, nothing: Definition.", "kind: definition"),
        ("house-1-matrix", "house-2-matrix"),
    ],
)
def test_a_list_that_is_not_the_matrix_is_refused(clone: Path, old: str, new: str) -> None:
    change(clone / "docs" / "rules" / "house-1.yaml", old, new)
    told = CliRunner().invoke(app, ["certify"])
    assert isinstance(told.exception, StackError)


def test_without_the_matrices_it_is_one_line(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROUPIER_SHARED", str(clone / "nowhere"))
    told = CliRunner().invoke(app, ["certify"])
    assert isinstance(told.exception, StackError)
    assert "\n" not in str(told.exception)
    write_page(clone)
    assert CliRunner().invoke(app, ["certify", "--check"]).exit_code == 0, "a page can be checked without them"


def test_what_pytest_cannot_read_is_told(clone: Path) -> None:
    (clone / "tests" / "test_house.py").write_text("def test_(:\n")
    with pytest.raises(StackError, match="pytest could not do its work"):
        collect(clone)


def test_only_what_is_new_is_run_and_the_page_keeps_the_rest(clone: Path) -> None:
    page = write_page(clone)
    before = page.read_text(encoding="utf-8")
    tests = clone / "tests" / "test_house.py"
    change(
        tests, "def test_shown(): pass", "def test_shown(): assert False, 'not run, since 2/2 was shown and 2/1 fails'"
    )
    change(tests, 'pytest.skip("not here")', "pass")
    assert CliRunner().invoke(app, ["certify", "--entry", "3"]).exit_code == 1
    assert outcomes_on(page.read_text(encoding="utf-8")) == outcomes_on(before) | {"3": "passed", "3/1": "passed"}
    change(tests, "assert n == 1", "pass")
    change(
        tests, "def test_shown(): assert False, 'not run, since 2/2 was shown and 2/1 fails'", "def test_shown(): pass"
    )
    change(tests, '"4", "4/1"', '"4", "4/1", "4/2"')
    CliRunner().invoke(app, ["certify", "--new"])
    whole = whole_page(clone)
    assert page.read_text(encoding="utf-8") == whole
    conflict = f"<<<<<<< ours\n{before}=======\n{whole}>>>>>>> theirs\n"
    page.write_text(conflict, encoding="utf-8")
    CliRunner().invoke(app, ["certify", "--new"])
    assert page.read_text(encoding="utf-8") == whole, "a conflict is mended by it"


def test_a_page_says_with_which_sources_it_was_run_as_a_whole(clone: Path) -> None:
    page, tests = clone / "docs" / "rules" / "house-1.md", clone / "tests" / "test_house.py"
    rules = read_rules(clone / "docs" / "rules").values()
    write_page(clone)
    assert ran_on(page.read_text(encoding="utf-8")) is None
    assert older_pages(clone, rules) == ["house-1"], "nobody knows with which"
    CliRunner().invoke(app, ["certify"])
    ran = ran_on(page.read_text(encoding="utf-8"))
    assert ran is not None
    assert (ran.digest, older_pages(clone, rules)) == (digest_of(clone), [])
    change(tests, "assert n == 1", "assert n == 2")
    CliRunner().invoke(app, ["certify", "--entry", "2"])
    assert ran_on(page.read_text(encoding="utf-8")) == ran, "some of the rows are no run of the whole"
    told = CliRunner().invoke(app, ["certify", "--check"])
    assert told.exit_code == 0, "lists, marks and page agree; the code is another one, and that is said"
    assert "house-1.md was not run with these sources as a whole" in told.output


def test_who_edits_while_it_runs_has_no_run_of_the_whole(clone: Path) -> None:
    change(
        clone / "tests" / "test_house.py", "def test_half(): pass", "def test_half(): open(__file__, 'a').write('#')"
    )
    CliRunner().invoke(app, ["certify"])
    assert ran_on((clone / "docs" / "rules" / "house-1.md").read_text(encoding="utf-8")) is None
