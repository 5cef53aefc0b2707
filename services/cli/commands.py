"""The commands of `croupier`, each loaded when it is called: all of them at once take two seconds."""

import ast
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

COMMANDS: Mapping[str, str] = {
    "up": "stack",
    "down": "stack",
    "serve": "serve",
    "status": "serve",
    "logs": "serve",
    "demo": "demo.command",
    "bots": "demo.visit",
    "topics": "topics",
    "migrate": "migrate",
    "compose": "compose",
    "replay": "replay",
    "export": "export",
    "summary": "export",
    "contracts": "contracts",
    "reference": "reference",
    "watching": "watching",
    "verify": "verify",
    "rebuild": "rebuild",
    "backup": "backup",
    "restore": "restore",
    "mend": "mend",
    "disown": "disown",
    "scan": "scan",
    "sbom": "sbom",
    "selfcheck": "selfcheck",
    "upgrade": "upgrading.command",
    "certify": "certify",
    "provider": "provider",
    "house-edge": "house_edge",
    "operator": "operator",
    "platform": "platform",
    "login": "login",
    "marks": "marks",
    "kek": "kek",
    "house": "moving.command",
    "archive": "archive.command",
}
"""The module below `services.cli` that has the function, or the group of commands, of that name."""


class Commands(TyperGroup):
    """What is in the list; its help reads the files' own words and runs none of them."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in self.commands:
            return self.commands[cmd_name]
        if cmd_name not in COMMANDS:
            self._read()  # for what was meant
            return None
        return _loaded(cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        self._read()
        super().format_help(ctx, formatter)

    def _read(self) -> None:
        self.commands = {name: TyperCommand(name, help=_words(name)) for name in COMMANDS}


def _module(name: str) -> str:
    return f"services.cli.{COMMANDS[name]}"


def _loaded(name: str) -> Any:
    found = getattr(import_module(_module(name)), name.replace("-", "_"))
    if isinstance(found, typer.Typer):
        return get_group(found)
    one = typer.Typer(add_completion=False)
    one.command(name)(found)
    return get_command(one)


def _words(name: str) -> str:
    """Of a function its docstring, of a group its `help`."""
    spec = find_spec(_module(name))
    assert spec is not None
    assert spec.origin is not None
    own = name.replace("-", "_")
    for each in ast.parse(Path(spec.origin).read_text(encoding="utf-8")).body:
        if isinstance(each, ast.FunctionDef) and each.name == own:
            return ast.get_docstring(each) or ""
        if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == own and isinstance(each.value, ast.Call):
            return next(str(ast.literal_eval(word.value)) for word in each.value.keywords if word.arg == "help")
    raise LookupError(f"{_module(name)} has no {own}")
