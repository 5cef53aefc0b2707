"""`croupier` loads the command that is called, and for its help none."""

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from services.cli.__main__ import app
from services.cli.commands import COMMANDS, Commands

LOADED = """
import sys
from services.cli.__main__ import app
try:
    app(["--help"])
except SystemExit as end:
    ours = sorted(name for name in sys.modules if name.startswith(("libs", "services")))
    print(end.code, [name for name in ours if not hasattr(sys.modules[name], "__path__")])
"""


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_is_there_with_the_words_of_the_list(name: str) -> None:
    shown = Commands(name="croupier")
    shown._read()
    loaded = Commands(name="croupier").get_command(None, name)
    assert loaded.get_short_help_str(10_000) == shown.commands[name].get_short_help_str(10_000) != ""
    said = CliRunner().invoke(app, [name, "--help"])
    assert said.exit_code == 0, said.output
    assert name in said.output


def test_help_loads_no_command() -> None:
    said = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True).stdout
    assert all(name in said for name in COMMANDS)
    assert said.splitlines()[-1] == "0 ['libs.stack_error', 'services.cli.__main__', 'services.cli.commands']"


def test_a_wrong_word_is_answered_with_the_one_that_was_meant() -> None:
    said = CliRunner().invoke(app, ["verfy"])
    assert said.exit_code == 2
    assert "Did you mean" in said.output
    assert "'verify'" in said.output
