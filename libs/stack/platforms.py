"""Logins of operator platforms at the broker: public topics to read, and nothing else."""

from pathlib import Path

from aiokafka.errors import KafkaError

from libs.broker.administration import administering
from libs.broker.broker import PLATFORMS_MECHANISM
from libs.broker.rules import REQUEST_PERCENT, is_platform, platform_login, platform_rules
from libs.contracts.topics import PLATFORM
from libs.stack.home import StackError
from libs.stack.lifecycle import Stack


async def add_platform(stack: Stack, name: str, prefix: str = "") -> Path:
    """The file with its password. Twice is once. Raises StackError where the broker refuses."""
    login = _login(name)
    try:
        await stack.logins.make_users(stack.admin, [login], PLATFORMS_MECHANISM)
        async with administering(stack.admin) as at:
            await at.limit(login, REQUEST_PERCENT)  # first: none has rules without it
            await at.give(platform_rules(login, prefix))
    except KafkaError as error:
        raise StackError(f"no login for {name}: {type(error).__name__} {error}") from error
    return stack.logins.kafka(login)


async def remove_platform(stack: Stack, name: str) -> bool:
    """Its rules are gone when this returns, so that open connections read nothing more; False if it had none."""
    login = _login(name)
    try:
        async with administering(stack.admin) as at:
            had = bool(await at.rules(login)) or stack.logins.kafka(login).exists()
            await at.take([login])
            # First the file, which says that its user is there: who is added again gets a new password.
            stack.logins.kafka(login).unlink(missing_ok=True)
            await at.lock_out([login], PLATFORMS_MECHANISM)
            await at.lock_others({login: PLATFORMS_MECHANISM})
    except KafkaError as error:
        raise StackError(f"the login of {name} stays: {type(error).__name__} {error}") from error
    return had


async def platforms(stack: Stack) -> dict[str, tuple[str, ...]]:
    """Name of every platform that has rules, to what it may read."""
    try:
        async with administering(stack.admin) as at:
            rules = await at.rules()
    except KafkaError as error:
        raise StackError(f"the broker's rules can't be read: {type(error).__name__} {error}") from error
    found: dict[str, list[str]] = {}
    for rule in sorted(rules):
        if is_platform(rule.login):
            found.setdefault(rule.login.removeprefix(f"{PLATFORM}-"), []).append(rule.name + "*" * rule.prefixed)
    return {name: tuple(names) for name, names in found.items()}


def _login(name: str) -> str:
    try:
        return platform_login(name)
    except ValueError as wrong:
        raise StackError(str(wrong)) from None
