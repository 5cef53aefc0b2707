"""The OpenAPI document: for whoever asks, so its bytes are made once."""

import httpx
import pytest
from starlette.responses import JSONResponse

from libs.edge import api as public
from libs.edge.api import api


async def test_the_document_is_encoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[object] = []

    class Counted(JSONResponse):
        def render(self, content: object) -> bytes:
            encoded.append(content)
            return super().render(content)

    monkeypatch.setattr(public, "JSONResponse", Counted)
    app = api("A service", docs=True)

    @app.get("/v1/things", operation_id="list_things")
    async def things() -> list[str]:
        return []

    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://service") as client:
        answers = [await client.get("/openapi.json") for _ in range(5)]
        page = await client.get("/docs")
    assert encoded == [app.openapi()]
    assert {answer.content for answer in answers} == {answers[0].content}
    assert answers[0].headers["content-type"] == "application/json"
    assert answers[0].json()["paths"]["/v1/things"]["get"]["operationId"] == "list_things"
    assert "/openapi.json" in page.text


async def test_without_docs_there_is_none() -> None:
    app = api("A service", docs=False)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://service") as client:
        assert (await client.get("/openapi.json")).status_code == 404
