"""How many whole months a test's database keeps, as its owner says it (docs/sre.md, Months and the archive)."""

from libs.projecting.connecting import connect

SCHEMAS = ("wallet", "audit")


async def keep_months(database_url: str, months: int) -> None:
    """`database_url`: under the owner's login."""
    owner = await connect(database_url)
    try:
        for schema in SCHEMAS:
            await owner.execute(f"update {schema}.archiving set least_months = $1", months)
    finally:
        await owner.close()
