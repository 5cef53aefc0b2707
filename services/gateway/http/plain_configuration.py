"""A configuration as it may come in: words, whole numbers within bounds, yes and no."""

from pydantic import Field, JsonValue, field_validator

from libs.contracts.messages import Message
from libs.contracts.table_commands import MAX_AMOUNT


class PlainConfiguration(Message):
    """What it means is the rulebook's matter; here it is only well formed."""

    configuration: dict[str, JsonValue] = Field(max_length=64)

    @field_validator("configuration")
    @classmethod
    def _plain(cls, given: dict[str, JsonValue]) -> dict[str, JsonValue]:
        """Words, whole numbers within bounds, yes and no: money is never a float."""
        for name, value in given.items():
            if isinstance(value, float | list | dict):
                raise ValueError(f"{name[:40]} is neither a word, a whole number, true, false nor null")
            if isinstance(value, int) and abs(value) > MAX_AMOUNT:
                raise ValueError(f"{name[:40]} is out of bounds")
        return given
