"""Whoever is not known is served a few at a time: a crowd of them, however large, leaves the loop to who has logged in.

Known is who showed a token that was checked, not who sent a header: `Front` makes a `Visit` of every request, and who
checks tokens (`libs/identity/guard.py`) says to it whose it is.
"""

import asyncio
from collections import Counter, OrderedDict, deque

from starlette.types import Message, Receive, Scope, Send

_EXTENSION = "croupier.visit"

AT_WORK, AT_WORK_OF_ONE = 12, 4
"""Requests of strangers that are worked on at once, of all addresses and of one. The loop is one, each turn of it
does a piece of every one of them: a player's request needs some ten turns."""
A_TURN = 3
"""So many of them begin in a turn of the loop: one that has nothing to wait for is done in it from end to end."""


class Crowd:
    """Whoever is not known is served a few at a time, addresses in turn; the others between them."""

    def __init__(self) -> None:
        self._at_work: Counter[str] = Counter()
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self._begun = 0

    async def enter(self, address: str) -> None:
        if address not in self._waiting and self._may(address):
            self._begin(address)
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(address, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                self.leave(address)  # it had been let in
            raise

    def leave(self, address: str) -> None:
        self._at_work[address] -= 1
        if not self._at_work[address]:
            del self._at_work[address]
        self._let_in()

    def _begin(self, address: str) -> None:
        self._at_work[address] += 1
        self._begun += 1
        if self._begun == 1:
            asyncio.get_running_loop().call_soon(self._turn_over)

    def _turn_over(self) -> None:
        self._begun = 0
        self._let_in()

    def _let_in(self) -> None:
        while self._waiting and self._has_room():
            each = next((each for each in self._waiting if self._may(each)), None)
            if each is None:
                return
            self._admit(each)

    def _may(self, address: str) -> bool:
        return self._has_room() and self._at_work[address] < AT_WORK_OF_ONE

    def _has_room(self) -> bool:
        return self._begun < A_TURN and self._at_work.total() < AT_WORK

    def _admit(self, address: str) -> None:
        """The next one of this address, which goes to the end of the line."""
        waiting = self._waiting.pop(address)
        while waiting:
            turn = waiting.popleft()
            if not turn.done():
                self._begin(address)
                turn.set_result(None)
                break
        if waiting:
            self._waiting[address] = waiting


class Visit:
    """One request: nobody's until it is told whose, and a stranger's where it gets an answer before that."""

    def __init__(self, crowd: Crowd, address: str) -> None:
        self._crowd = crowd
        self._address = address
        self._told = False
        self._inside = False

    def go_with(self, scope: Scope) -> None:
        """`visit_in` finds it there."""
        scope.setdefault("extensions", {})[_EXTENSION] = self

    async def of_stranger(self) -> None:
        """Waits for its turn, once."""
        if not self._told:
            self._told = True
            await self._crowd.enter(self._address)
            self._inside = True

    def of_known(self) -> None:
        """Its token was checked and is a true one: it waits for nobody."""
        self._told = True
        self.leave()

    def leave(self) -> None:
        if self._inside:
            self._inside = False
            self._crowd.leave(self._address)

    def reading(self, receive: Receive) -> Receive:
        """Who sends slowly keeps nobody else out."""

        async def read() -> Message:
            self.leave()
            return await receive()

        return read

    def answering(self, send: Send) -> Send:
        """Nor who reads slowly. Where nobody has said whose it is (a refused token, no guard at all) the answer waits
        for its turn: a connection asks nothing more before it has it."""

        async def answer(message: Message) -> None:
            await self.of_stranger()
            self.leave()
            await send(message)

        return answer


def visit_in(scope: Scope) -> Visit | None:
    """The visit that a request is; None on another server than ours."""
    found: Visit | None = scope.get("extensions", {}).get(_EXTENSION)
    return found
