"""The audit's OpenAPI document: a name stands for one thing, and answers fit what it says of them."""

from pathlib import Path
from typing import cast

import pytest
from jsonschema import Draft202012Validator

from libs.identity.guard import add_schemas
from libs.projecting import Pool
from services.audit.http.routes import IncidentList, audit_app
from services.audit.incidents import IncidentRow
from tests.testkit.logins import callers
from tests.testkit.marks import AUDIT


def test_an_incident_fits_its_schema(tmp_path: Path) -> None:
    document = audit_app(cast(Pool, None), callers(tmp_path), AUDIT).openapi()
    response = document["paths"]["/v1/incidents"]["get"]["responses"]["200"]
    schema = {**response["content"]["application/json"]["schema"], "components": document["components"]}
    row = IncidentRow(
        id=1, kind="record_parked", severity="minor", stream="s", version=None, topic="t", partition=0, offset=None,
        detail="records were set aside", first_seen=1, last_seen=2, count=3,
    )  # fmt: skip
    Draft202012Validator(schema).validate(IncidentList(incidents=[row], next_after=None).model_dump(mode="json"))
    assert "code" in document["components"]["schemas"]["Incident"]["properties"], "poker's, of a hand's record"


def test_two_things_of_one_name_are_refused() -> None:
    document = {"components": {"schemas": {"Incident": {"type": "object"}}}}
    add_schemas(document, {"Hand": {}})
    with pytest.raises(ValueError, match="Incident"):
        add_schemas(document, {"Incident": {}})
