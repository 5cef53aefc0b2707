"""Who is one person among the staff, whatever spelling their provider lets them log in with."""

from hashlib import sha256
from unicodedata import normalize

NAMED_BY_DIGEST = "sub:"
"""How the id of somebody begins whose subject is no id of ours; no other id of staff has a colon."""


def spelling_digest(name: str) -> str:
    """The same for all spellings that people would read as one name: case, spaces, width, composed letters."""
    plain = normalize("NFKC", "".join(normalize("NFKC", name).casefold().split()))
    return sha256(plain.encode()).hexdigest()[:40]


def digest_id(issuer: str, subject: str) -> str:
    """Of one subject alone, and beginning with what all its spellings have in common."""
    exact = sha256(f"{issuer}\x1f{subject}".encode()).hexdigest()[:16]
    return f"{NAMED_BY_DIGEST}{spelling_digest(subject)}:{exact}"


def same_person(one: str, other: str) -> bool:
    """Whether two ids of staff are one person's, as far as spelling tells."""
    return person_of(one) == person_of(other)


def person_of(staff: str) -> str:
    """40 hexadecimal digits: the same for all ids of one person, as far as spelling tells."""
    if staff.startswith(NAMED_BY_DIGEST):
        return staff.removeprefix(NAMED_BY_DIGEST).partition(":")[0]
    return spelling_digest(staff)


def person_behind(principal: str) -> str:
    """The same of a principal, as events say who did it (`staff:…`)."""
    return person_of(principal.removeprefix("staff:"))
