"""The runner on a log without faults: verdicts, answers, offsets."""

from tests.journal.house import House


async def test_commands_are_decided_answered_and_journalled():
    house = House()
    async with house.runner():
        deposit, withdraw = house.command("Deposit", amount=50), house.command("Withdraw", amount=20)
        replies = await house.ask(deposit, withdraw)

    assert [(r.verdict, r.version) for r in replies] == [("accepted", 1), ("accepted", 3)]
    assert [(c.base, c.verdict, len(c.events)) for c in house.commits()] == [(0, "accepted", 1), (1, "accepted", 2)]
