"""Which function decides a command, which evolves the state by an event: found by what they are declared to take."""

from collections.abc import Callable, Mapping
from functools import partial, wraps
from types import FunctionType
from typing import Any, get_args

from libs.contracts.facts import TableEvent
from libs.contracts.table_commands import TableReason as Reason
from libs.decider import Rejected
from services.table.domain.table.rejections import rejected

Handler = Callable[[Any, Any], Rejected | None]
"""Takes a command and the story, and tells what the command causes, or says why not."""


def unless(*checks: Handler) -> Callable[[Callable[..., Rejected | None]], Callable[..., Rejected | None]]:
    """A handler that is asked only when none of the checks refuses; the first refusal counts."""

    def checked(decides: Callable[..., Rejected | None]) -> Callable[..., Rejected | None]:
        @wraps(decides)
        def decide(command: Any, story: Any, *more: Any) -> Rejected | None:
            refused = next(filter(None, (check(command, story) for check in checks)), None)
            return refused if refused is not None else decides(command, story, *more)

        return decide

    return checked


def of_sitter(decides: Callable[..., Rejected | None], staying: bool = False) -> Handler:
    """A handler that gets the sitter too: a player who asks, or else the player whom the command names."""

    @wraps(decides)
    def decide(command: Any, story: Any) -> Rejected | None:
        who = story.by if story.role == "player" else getattr(command, "player", story.by)
        sitter = story.state.sitter_of(who)
        if sitter is None:
            return rejected(Reason.NOT_SEATED, story.rules)
        leaves = staying and sitter.leaving is not None
        return rejected(Reason.LEAVING, story.rules) if leaves else decides(command, story, sitter)

    return decide


of_stayer = partial(of_sitter, staying=True)
"""The same, of one who is not about to leave."""


def evolved_in(names: Mapping[str, Any]) -> dict[type[TableEvent], Callable[..., Any]]:
    """Functions of a module's `globals()` by every class that their parameter `event` may be."""
    found: dict[type[TableEvent], Callable[..., Any]] = {}
    for function in names.values():
        if isinstance(function, FunctionType) and function.__module__ == names["__name__"]:
            told = function.__annotations__.get("event", TableEvent)
            found |= {kind: function for kind in get_args(told) or (told,) if kind is not TableEvent}
    return found
