"""Every field of the contract says in words what it means."""

from pathlib import Path

import msgspec
import pytest

from libs.contracts import schemas
from libs.contracts.registry import ALL_TABLE_COMMANDS, ALL_TABLE_EVENTS, ALL_WALLET_COMMANDS, ALL_WALLET_EVENTS
from libs.views.hand import Hand
from libs.views.round import RoundRecord
from libs.views.table import TableView

KINDS = (*ALL_TABLE_EVENTS, *ALL_WALLET_EVENTS, *ALL_TABLE_COMMANDS, *ALL_WALLET_COMMANDS)
VIEWS = schemas.schemas_of([TableView, Hand, RoundRecord])
PUBLISHED = schemas.schemas_of(KINDS)


@pytest.mark.parametrize("name", sorted(PUBLISHED))
def test_every_class_and_field_has_words(name: str) -> None:
    assert [field for field, said in PUBLISHED[name].get("properties", {}).items() if "description" not in said] == []


def test_the_glossary_names_fields_that_there_are() -> None:
    glossary = msgspec.yaml.decode((Path(schemas.__file__).parent / "words.yaml").read_bytes())
    fields = {
        f"{name}.{field}" for name, schema in (PUBLISHED | VIEWS).items() for field in schema.get("properties", {})
    }
    assert set(glossary) <= fields | {field.partition(".")[2] for field in fields}
