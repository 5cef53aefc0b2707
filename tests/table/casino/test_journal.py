"""What the journal keeps of casino poker: the added fields are read for ever as they were first written."""

import json

from services.table.domain.games.poker.configuration import PokerConfiguration
from services.table.domain.table.events import TableOpened
from services.table.journal_format import TableFormat
from tests.table.casino.samples import CASINO_GOLDEN, casino_samples
from tests.table.samples import KEYRING

CODEC = TableFormat(KEYRING)


def test_frozen_samples_still_decode() -> None:
    frozen = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in CASINO_GOLDEN.glob("*.json")}
    assert len(frozen) == len(casino_samples())
    for sample in casino_samples():
        name = f"{type(sample).__name__}.1"
        stream, version, payload = (frozen[name][part] for part in ("stream", "version", "payload"))
        event = CODEC.decode_event(stream, version, name, bytes.fromhex(payload))
        if name != "TableOpened.1":  # its configuration follows the rulebook, which may be given new values
            assert event == sample
        else:
            assert isinstance(event, TableOpened)
            assert isinstance(event.configuration, PokerConfiguration)
            assert event.configuration.positions == "lead"
