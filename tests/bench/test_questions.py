"""The list of questions is that of the APIs, and each can be asked of what the bench lays in."""

import pytest

from services.cli.roles import endpoints
from tests.bench.questions import QUESTIONS, fill, measured, table_of

pytestmark = pytest.mark.stack


def test_every_question_of_both_apis_is_asked() -> None:
    for service, questions in QUESTIONS.items():
        answered = {each.path for each in endpoints() if each.service == service and each.method == "GET"}
        assert {name.split(",")[0] for name in questions if name.startswith("/")} == answered


async def test_all_are_answered(database: str) -> None:
    await fill(database, 2_000)
    figures = {2_000: await measured(database, 2_000, seconds=0)}
    assert len(table_of(figures).splitlines()) == 2 + sum(map(len, QUESTIONS.values()))
