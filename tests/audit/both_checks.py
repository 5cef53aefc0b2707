"""What is told, through the live check and the walk's: both say the same of each event."""

from typing import Any

from libs.contracts.facts import Fact
from libs.contracts.messages import PublicEvent
from libs.contracts.registry import encode_fact
from libs.money.cash import BOUNDS
from services.audit.projections.live_checks import _STATES, _check, _keys
from services.audit.verifying.facts import FactChecks
from tests.audit.scripted import T0


class BothChecks:
    def __init__(self) -> None:
        self.checks, self.states = FactChecks(), dict[Any, Any]()
        self.found: list[str] = []
        self._versions: dict[str, int] = {}

    def say(self, fact: Fact, stream: str) -> None:
        self._versions[stream] = self._versions.get(stream, 0) + 1
        name, data = encode_fact(fact)
        place: dict[str, Any] = {"stream": stream, "version": self._versions[stream], "time": T0}
        event = PublicEvent(**place, type=name, causation="c", data=data)
        whole = [each.detail for each in self.checks.take(event, fact)]
        for key in _keys((event, fact)):
            self.states.setdefault(key, _STATES[key[0]]())
        assert [each.detail for each in _check(self.states, (event, fact), BOUNDS)] == whole
        self.found += whole
