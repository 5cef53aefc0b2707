"""Which function decides a command, which evolves the state by an event: found by what they are declared to take."""

from collections.abc import Callable, Mapping
from types import FunctionType, ModuleType
from typing import Any, get_args

from libs.contracts.commands import TableCommand
from libs.contracts.facts import TableEvent
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


def evolved_in(names: Mapping[str, Any]) -> dict[type[TableEvent], Callable[..., Any]]:
    """Functions of a module's `globals()` by every class that their parameter `event` may be."""
    found: dict[type[TableEvent], Callable[..., Any]] = {}
    for function in names.values():
        if isinstance(function, FunctionType) and function.__module__ == names["__name__"]:
            told = function.__annotations__.get("event", TableEvent)
            found |= {kind: function for kind in get_args(told) or (told,) if kind is not TableEvent}
    return found
