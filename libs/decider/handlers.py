"""Which function decides a command: found by what it is declared to take, and named after it."""

from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from libs.contracts.commands import Command
from libs.contracts.registry import snake


def handlers_in(*modules: ModuleType) -> dict[type[Any], Callable[..., Any]]:
    """Public functions of these modules whose `command` is the one that they are called after."""
    return {
        function.__annotations__["command"]: function
        for module in modules
        for name, function in vars(module).items()
        if isinstance(function, FunctionType) and function.__module__ == module.__name__ and _decides(function, name)
    }


def _decides(function: FunctionType, name: str) -> bool:
    command = function.__annotations__.get("command")
    return isinstance(command, type) and issubclass(command, Command) and snake(command.__name__) == name
