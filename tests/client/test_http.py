"""The client keeps to the pause that the gateway asks for."""

import time
from typing import Any

import httpx
import pytest

from libs.client.http import HttpClient, ProblemReply

TOO_MANY = {"type": "urn:croupier:problem:too-many-requests", "reason": "over_quota"}


class Answering:
    """A gateway that gives these answers, one after the other."""

    def __init__(self, *answers: httpx.Response) -> None:
        self.answers = list(answers)
        self.asked: list[float] = []

    def __call__(self, _: httpx.Request) -> httpx.Response:
        self.asked.append(time.monotonic())
        return self.answers.pop(0)


def client(gateway: Answering, patience: float) -> HttpClient:
    made = HttpClient("http://gateway", "token", patience)
    made._client = httpx.AsyncClient(base_url="http://gateway/v1", transport=httpx.MockTransport(gateway))
    return made


def too_many(**headers: Any) -> httpx.Response:
    return httpx.Response(429, json=TOO_MANY, headers={name.replace("_", "-"): text for name, text in headers.items()})


async def test_a_command_is_sent_again_after_the_pause_that_was_asked_for() -> None:
    gateway = Answering(too_many(retry_after="1"), httpx.Response(200, json={"version": 7}))
    async with client(gateway, 10) as http:
        assert (await http.command("/tables/t/leave")).version == 7
    first, second = gateway.asked
    assert second - first >= 1


async def test_a_pause_longer_than_patience_is_an_answer() -> None:
    gateway = Answering(too_many(retry_after="60"))
    async with client(gateway, 10) as http:
        with pytest.raises(ProblemReply) as refused:
            await http.command("/tables/t/leave")
    assert (refused.value.status, refused.value.retry_after_s) == (429, 60)
    assert refused.value.document["reason"] == "over_quota"
    assert len(gateway.asked) == 1


@pytest.mark.parametrize("pause", ["soon", "-1", ""])
async def test_a_pause_that_is_no_number_is_none(pause: str) -> None:
    gateway = Answering(too_many(retry_after=pause), httpx.Response(200, json={"version": 7}))
    async with client(gateway, 10) as http:
        assert (await http.command("/tables/t/leave")).accepted
