"""Every text of every command is bounded and clean, at intake as in its type; what people write is taken."""

import json
from typing import Any

import msgspec
import pytest
from msgspec import inspect

from libs.contracts.commands import wrong_fields
from libs.contracts.messages import command_id_at
from libs.contracts.registry import ALL_TABLE_COMMANDS, ALL_TOURNAMENT_COMMANDS, ALL_WALLET_COMMANDS
from libs.contracts.table_commands import OpenTable
from libs.contracts.texts import Name, Reference, Term, Words, is_clean, is_name, unclean
from libs.contracts.tournament_commands import OpenTournamentTable
from libs.contracts.tournament_ticket_commands import FailTarget
from libs.journal.intake import Parked, take_in
from libs.journal.lane import Open
from libs.journal.log import LogRecord
from libs.journal.machine import AnyMachine
from libs.sealing.sealed import Keyring
from services.gateway.app.wishes import NewTournament
from services.table.machine import table_machine
from services.tournament.machine import tournament_machine
from services.wallet.machine import wallet_machine
from tests.contracts.hostile import DEEP, HOSTILE, NO_TEXT, spoilt, texts_of
from tests.testkit.partitions import partition_of

COMMANDS = (*ALL_TABLE_COMMANDS, *ALL_WALLET_COMMANDS, *ALL_TOURNAMENT_COMMANDS)
MACHINES: dict[str, AnyMachine] = {
    "table": table_machine(Keyring({"k1": bytes(range(32))}, "k1")),
    "wallet": wallet_machine(),
    "tournament": tournament_machine(),
}
EVERY_COMMAND = pytest.mark.parametrize("kind", COMMANDS, ids=[kind.__name__ for kind in COMMANDS])


def taken(kind: Any, body: dict[str, Any], **envelope: Any) -> Open[Any] | Parked:
    said = {
        "id": str(command_id_at(1_000, "x")), "stream": "stream-1", "type": kind.__name__,
        "principal": {"kind": "staff", "id": "floor-1"}, "body": body, **envelope,
    }  # fmt: skip
    return taken_bytes(kind, json.dumps(said).encode(), str(said["stream"]))


def taken_bytes(kind: Any, value: bytes, stream: str = "stream-1") -> Open[Any] | Parked:
    machine = MACHINES[kind.service]
    partition = partition_of(stream, 4) if stream.isprintable() else 0
    return take_in(LogRecord(7, None, value, timestamp=1_000), machine, partition, 4, 0.0)


@EVERY_COMMAND
def test_the_example_is_taken_in(kind: Any) -> None:
    assert isinstance(taken(kind, dict(kind.example)), Open)


@EVERY_COMMAND
def test_hostile_texts_are_parked_at_intake_and_the_field_is_named(kind: Any) -> None:
    for text in HOSTILE:
        for field, body in spoilt(kind, text):
            parked = taken(kind, body)
            assert isinstance(parked, Parked), (field, ascii(text[:9]))
            if any(0xD800 <= ord(char) < 0xE000 for char in text):
                assert parked.reason == "not_json"  # by RFC 8259 there is no such text
            else:
                assert parked.reason == "malformed"
                assert parked.detail.partition(": ")[2].startswith(field)


@pytest.mark.parametrize("value", [*(b'"' + text + b'"' for text in NO_TEXT), *DEEP], ids=range(len(NO_TEXT + DEEP)))
@pytest.mark.parametrize("field", ["id", "stream", "type", "principal", "correlation", "body", "more"])
def test_bytes_that_nobody_can_read_are_parked(field: str, value: bytes) -> None:
    kind = ALL_TABLE_COMMANDS[0]
    said = {
        "id": str(command_id_at(1_000, "x")), "stream": "stream-1", "type": kind.__name__,
        "principal": {"kind": "staff", "id": "floor-1"}, "body": dict(kind.example),
    }  # fmt: skip
    for place in ("MARK", ["MARK"], {"name": "MARK"}):
        record = json.dumps({**said, field: place}).encode().replace(b'"MARK"', value)
        parked = taken_bytes(kind, record)
        assert isinstance(parked, Parked)
        assert parked.reason in ("not_json", "bad_envelope", "malformed")


@pytest.mark.parametrize("field", ["stream", "type", "correlation", "principal"])
def test_hostile_texts_in_the_envelope_are_parked(field: str) -> None:
    kind = ALL_WALLET_COMMANDS[0]
    for text in HOSTILE:
        wrong = {"kind": "staff", "id": text} if field == "principal" else text
        parked = taken(kind, dict(kind.example), **{field: wrong})
        assert isinstance(parked, Parked)
        assert parked.reason in ("bad_envelope", "not_json")


@EVERY_COMMAND
def test_every_text_has_a_length_and_a_pattern(kind: Any) -> None:
    texts = [text for field in inspect.type_info(kind).fields for text in texts_of(field.type)]  # type: ignore[attr-defined]
    assert [text for text in texts if text.pattern is None] == []
    endless = [text for text in texts if text.max_length is None and set("*+") & set(str(text.pattern))]
    assert endless == []


@pytest.mark.parametrize(
    "text",
    ["Mesa de João, nº 3", "桌子 一號", "Ω-1 (50 % off)", "o'Brien & filhos €", "стол 1", "שולחן", "👍🏽"],
)
def test_what_people_write_is_a_name_a_reference_and_a_text(text: str) -> None:
    assert [msgspec.convert(text, kind) for kind in (Name, Reference, Words)] == [text] * 3
    assert is_clean(text)


def test_a_family_is_a_text_and_no_name() -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    assert msgspec.convert(family, Words) == family
    assert is_clean(family)
    for kind in (Name, Reference):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(family, kind)


def test_unclean_says_where() -> None:
    given = {"a": ["x", {"b": "y\x00"}], "c": "ok", "d": {"k\x00": 1}, "e": 7, "f": None}
    assert sorted(unclean(given), key=str) == [("a", 1, "b"), ("d",)]


@pytest.mark.parametrize("shown", ["<b>Faro</b>", "Faro <script>", "Faro >", "Faro\nII"])
def test_the_name_of_a_table_has_no_markup(shown: str) -> None:
    for kind in (OpenTable, OpenTournamentTable):
        wrong = wrong_fields(kind, {**kind.example, "name": shown})
        assert [each.place for each in wrong if each.place == ("name",)] == [("name",)]
    if "\n" not in shown:
        assert [msgspec.convert(shown, kind) for kind in (Reference, Words)] == [shown] * 2, "no heading: as it is"


@pytest.mark.parametrize("kind", [Name, Reference], ids=["name", "reference"])
@pytest.mark.parametrize("place", [0, 3, 6])
@pytest.mark.parametrize(
    "char", "\u034f\u115f\u1160\u17b4\u180b\u2800\u3164\ufe0e\ufe0f\uffa0\U000e0100\u200b\u200d\u2060"
)
def test_nothing_that_nobody_sees_stands_in_a_name(kind: Any, place: int, char: str) -> None:
    """Found by an attacker: some are letters to Unicode, and printable; with one a name reads like another one's."""
    shown = f"{'Sunday'[:place]}{char}{'Sunday'[place:]}"
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(shown, kind)
    assert not is_name(shown)
    assert is_name("Sunday")


def test_the_words_of_old_events_are_read_as_they_were() -> None:
    assert msgspec.convert("as \ufe0f", Term) == "as \ufe0f"
    assert not is_name("as \ufe0f")
    for wrong in ("", "a" * 81, "<b>", " a", "a\n", "a\u202e"):
        assert not is_name(wrong)


@pytest.mark.parametrize("name", ["Sunday-1", "acme~sunday", "sunday 1", "súnday", "-1", "", "a" * 49, "sunday\n"])
def test_no_tournament_s_id_is_mistaken_for_another_one_s(name: str) -> None:
    """By its case alone, or by a platform's mark: its tables would be that platform's (ADR 12)."""
    wrong = wrong_fields(NewTournament, {**NewTournament.example, "tournament": name})
    assert [each.place for each in wrong] == [("tournament",)]
    assert wrong_fields(NewTournament, {**NewTournament.example, "tournament": "sunday-1.x:2"}) == []


@pytest.mark.parametrize("reason", ["", "because", "not_answered"])
def test_why_a_target_refuses_is_one_of_its_reasons(reason: str) -> None:
    parked = taken(FailTarget, {"reason": reason})
    assert isinstance(parked, Parked)
    assert parked.detail.startswith("FailTarget: reason") or "reason" in parked.detail
