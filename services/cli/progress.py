"""Shows on a terminal what the stack is doing."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from libs.stack import Progress


@contextmanager
def shown(console: Console) -> Iterator[Progress]:
    """A callback for `libs.stack.up`; one bar per thing it tells of, gone when done."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(24), MofNCompleteColumn())
    with Bars(*columns, TimeElapsedColumn(), console=console, transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def tell(what: str, done: int, total: int) -> None:
            task = tasks.get(what)
            if task is None:
                task = tasks[what] = bars.add_task(what, total=total)
            bars.update(task, completed=done, total=total)

        yield tell
