"""What needs two of the staff: one asks, another one agrees.

The gateway gives each person one id, whatever token or role they come with. Spellings that people would read as the
same name are one person here all the same.
"""

from unicodedata import normalize


def same_person(one: str, other: str) -> bool:
    return _plain(one) == _plain(other)


def _plain(name: str) -> str:
    return "".join(normalize("NFKC", name).casefold().split())
