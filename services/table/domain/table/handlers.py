"""Which command is decided by which function: the one that has its name, `take_seat` for `TakeSeat`."""

from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from libs.contracts.commands import TableCommand
from libs.contracts.registry import snake
from libs.decider import Rejected

Handler = Callable[[Any, Any], Rejected | None]
"""Takes a command and the story, and tells what the command causes, or says why not."""


def handlers_in(*modules: ModuleType) -> dict[type[TableCommand], Handler]:
    """Public functions of these modules whose `command` is the one that they are called after."""
    return {
        function.__annotations__["command"]: function
        for module in modules
        for name, function in vars(module).items()
        if isinstance(function, FunctionType) and function.__module__ == module.__name__ and _decides(function, name)
    }


def _decides(function: FunctionType, name: str) -> bool:
    command = function.__annotations__.get("command")
    return isinstance(command, type) and issubclass(command, TableCommand) and snake(command.__name__) == name
