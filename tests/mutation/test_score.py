"""A mutation score counts what was tried, and every mutant that no test noticed is named."""

import json
from pathlib import Path

import pytest

from tests.mutation.__main__ import main


def left_behind(root: Path, results: dict[str, int | None]) -> str:
    file = root / "mutants" / "libs" / "pots.py.meta"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"exit_code_by_key": results}))
    return str(root)


def test_the_score_by_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(left_behind(tmp_path, {"a": 1, "b": 0, "c": 33, "d": -24, "untried": None}))
    said = capsys.readouterr().out
    assert "| `libs/pots.py` | 4 | 2 | 1 | 1 | 50.0 % |" in said
    assert "| all | 4 | 2 | 1 | 1 | 50.0 % |" in said
    assert said.splitlines()[-2:] == ["survived: b", "without tests: c"]


def test_a_run_that_tried_nothing_has_no_score(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no results"):
        main(left_behind(tmp_path, {"untried": None}))
