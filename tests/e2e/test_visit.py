"""`croupier bots` at a house that it did not start."""

import asyncio
import json

from typer.testing import CliRunner

from services.cli.__main__ import app
from services.cli.house import House


async def test_bots_play_at_a_table_of_their_own(house: House) -> None:
    told = ["bots", "--gateway", house.gateway_url, "--credential", str(house.keys["operator_token"]), "--hands", "3"]
    played = await asyncio.to_thread(CliRunner().invoke, app, told)
    assert played.exit_code == 0, played.output
    report = json.loads(played.stdout)
    assert report["hands"] >= 3
    assert (report["void"], report["started_twice"]) == (0, 0)
    assert report["verdicts"]["accepted"] > 0


async def test_a_credential_that_is_not_known_is_one_line(house: House) -> None:
    told = ["bots", "--gateway", house.gateway_url, "--credential", str(house.keys["kek"])]
    refused = await asyncio.to_thread(CliRunner().invoke, app, told)
    assert "ProblemReply" in str(refused.exception)
