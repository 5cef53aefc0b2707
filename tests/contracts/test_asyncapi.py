"""The AsyncAPI document, by AsyncAPI's own rules."""

import json
from pathlib import Path

import msgspec
from jsonschema import Draft7Validator

from services.cli.contracts import contract_files


def test_asyncapi_fits_its_own_schema() -> None:
    """`asyncapi-3.1.0.json` is AsyncAPI's own JSON Schema (asyncapi/spec-json-schemas, Apache-2.0), without its words.

    Its parser asks a little more; CONTRIBUTING.md says how to run it.
    """
    schema = Draft7Validator(json.loads((Path(__file__).parent / "asyncapi-3.1.0.json").read_text(encoding="utf-8")))
    document = msgspec.yaml.decode(contract_files()["asyncapi.yaml"])
    assert list(schema.iter_errors(document)) == []
    del document["channels"]["table_events"]["address"]
    document["operations"]["send_table_events"]["action"] = "sent"
    assert not schema.is_valid(document)
