"""Commands of a service's own policies that found no room in a stream's ring: they come again, in order (journal 13).

Nobody waits for the answer of such a command, so busy would be its end: a sitting is never settled, a seat never
confirmed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Generic

from libs.contracts.messages import Principal
from libs.journal.lane import Open
from libs.journal.machine import CommandT

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0


@dataclass(slots=True)
class _Queue(Generic[CommandT]):
    """Of one stream. In order, each as it was read last; None: it is on its way to the log's end."""

    due: float
    pause: float = FIRST_PAUSE_S
    commands: dict[bytes, Open[CommandT] | None] = field(default_factory=dict)


class Again(Generic[CommandT]):
    def __init__(self, service: str, now: Callable[[], float]) -> None:
        """`now`: seconds of the event loop."""
        self._service = service
        self._now = now
        self._queues: dict[str, _Queue[CommandT]] = {}

    def takes(self, by: Principal) -> bool:
        """The policies of this service, whose mark it can make."""
        return by.kind == "policy" and by.id.partition(".")[0] == self._service

    def stands_behind(self, command: Open[CommandT]) -> bool:
        """Whether another one has to be decided before it."""
        queue = self._queues.get(command.message.stream)
        return queue is not None and self.takes(command.message.principal) and next(iter(queue.commands)) != command.id

    def keep(self, command: Open[CommandT]) -> Open[CommandT] | None:
        """Until it is due again. One that is kept already keeps its place; as it was read before, it is given back."""
        queue = self._queues.setdefault(command.message.stream, _Queue(self._now() + FIRST_PAUSE_S))
        before, queue.commands[command.id] = queue.commands.get(command.id), command
        return before

    def decided(self, command: Open[CommandT]) -> Open[CommandT] | None:
        """It has its answer; as it was kept, it is given back."""
        stream = command.message.stream
        queue = self._queues.get(stream)
        if queue is None or command.id not in queue.commands:
            return None
        before = queue.commands.pop(command.id)
        queue.pause = FIRST_PAUSE_S
        if not queue.commands:
            del self._queues[stream]
        return before

    def due(self) -> Iterator[Open[CommandT]]:
        """What has waited long enough, once; in order of each stream."""
        now = self._now()
        for queue in self._queues.values():
            if queue.due > now or not all(queue.commands.values()):
                continue
            queue.pause = min(2 * queue.pause, LONGEST_PAUSE_S)
            queue.due = now + queue.pause
            for command_id, command in queue.commands.items():
                assert command is not None
                queue.commands[command_id] = None
                yield command

    def __len__(self) -> int:
        return sum(len(queue.commands) for queue in self._queues.values())
