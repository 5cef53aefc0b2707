"""What a name, a reference and a free text may be: said once, for doors, contracts and intake alike.

All are one line of printable Unicode in NFC, without a space before or behind. Lengths count characters; UTF-8 takes at
most four bytes for each. `Meta` here is what the JSON Schemas publish; NFC and what Unicode has not assigned can't be
said there and are looked at by `unclean`, which goes over every text of a body, whatever its type.
"""

import re
from collections.abc import Iterator
from typing import Annotated, Any
from unicodedata import is_normalized

import msgspec

PLATFORM_MARK = "~"
"""Between a platform and what it calls its player or table: `libs/contracts/platforms.py`."""
ID = f"[A-Za-z0-9][A-Za-z0-9._:{PLATFORM_MARK}-]*"
Id = Annotated[str, msgspec.Meta(min_length=1, max_length=64, pattern=rf"^{ID}(?!\n)$")]
_HEX = "[0-9a-fA-F]"
KEY = f"{_HEX}{{8}}-{_HEX}{{4}}-7{_HEX}{{3}}-[89abAB]{_HEX}{{3}}-{_HEX}{{12}}"
Key = Annotated[str, msgspec.Meta(pattern=rf"^{KEY}(?!\n)$")]
"""Idempotency key: a UUIDv7 (RFC 9562). Its time is that of the command, so it means the same one at every gateway."""
_JOINERS = {0x200C: None, 0x200D: None}
"""Zero-width, but letters of Persian and Hindi and the parts of an emoji hang on them: allowed in free text alone."""
_HIDDEN = r"\x00-\x1f\x7f-\xa0\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff0-\uffff"
_BLANK = rf"\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0{chr(0xE0100)}-{chr(0xE01EF)}"
"""Printable, and nobody sees them: fillers and blanks of several scripts, and how the sign before is to be drawn. With
one of them a name reads like another one's."""
UNCLEAN = "Expected one line of printable text in NFC, without a space before or behind"


def line(most: int, least: int = 1) -> msgspec.Meta:
    """A free text of so many characters: reasons, causes, messages."""
    return msgspec.Meta(min_length=least, max_length=most, pattern=rf"^(?! )[^{_HIDDEN}]*(?<! )(?!\n)$")


def name(most: int, least: int = 1) -> msgspec.Meta:
    """The same without anything that nobody sees: what is compared, or shown as a name."""
    pattern = rf"^(?! )[^{_HIDDEN}\u200c\u200d{_BLANK}]*(?<! )(?!\n)$"
    return msgspec.Meta(min_length=least, max_length=most, pattern=pattern)


_NAME = rf"^(?! )[^{_HIDDEN}\u200c\u200d{_BLANK}<>]*(?<! )(?!\n)$"
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=80, pattern=_NAME)]
"""What everybody sees as a heading: no markup either, for some page shows it as it is."""
Term = Annotated[
    str, msgspec.Meta(min_length=1, max_length=80, pattern=rf"^(?! )[^{_HIDDEN}\u200c\u200d<>]*(?<! )(?!\n)$")
]
"""A name in an event, which is read as it was told: names took what nobody sees until 29 November 2026. Who decides
asks `is_name` of a new one."""
Reference = Annotated[str, name(128)]
Currency = Annotated[str, msgspec.Meta(pattern=r"^[A-Z]{3}(?!\n)$", description="ISO 4217")]
"""Of a command. What the house's currencies are is the decider's matter."""
Words = Annotated[str, line(200)]


def is_name(text: str) -> bool:
    """Whether a `Term` is a `Name`."""
    return 1 <= len(text) <= 80 and re.search(_NAME, text) is not None and is_clean(text)


def is_clean(text: str) -> bool:
    """Printable is what Unicode calls so: no control, format, surrogate, private or unassigned character, and of all
    spaces the plain one."""
    if text.isascii():  # nearly all of them, and in NFC whatever stands in them
        return text.isprintable() and text[:1] != " " and text[-1:] != " "
    return (
        text.translate(_JOINERS).isprintable()
        and not text.startswith(" ")
        and not text.endswith(" ")
        and is_normalized("NFC", text)
    )


def unclean(given: Any, place: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Where in a body a text is not clean; a key that is not is told by the object that has it."""
    waiting = [(given, place)]
    while waiting:
        value, at = waiting.pop()
        if isinstance(value, str):
            if not is_clean(value):
                yield at
        elif isinstance(value, dict):
            if not all(isinstance(key, str) and is_clean(key) for key in value):
                yield at
            waiting += [(part, (*at, key)) for key, part in value.items() if isinstance(key, str) and is_clean(key)]
        elif isinstance(value, list | tuple):
            waiting += [(part, (*at, number)) for number, part in enumerate(value)]
