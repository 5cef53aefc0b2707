"""What an archive is reached with: marks, and the database where months come from or go to. A broker is for neither."""

from pathlib import Path
from typing import NamedTuple

from libs.journal.mark_keys import ARCHIVIST
from libs.journal.marks import Marking, MayNotWrite
from libs.stack import StackError, database, default_home
from services.audit.archived_months import mark_piece
from services.cli.archive.files import may_write
from services.cli.surroundings import marks_file, marks_from, topic_prefix


class Needs(NamedTuple):
    """What every question to an archive needs."""

    marks: Marking
    """The archivist's, or, to read with, the inspector's."""
    prefix: str
    """Of the house's topics."""


def needs(home: Path | None) -> Needs:
    """Of the environment, else of the home. Raises StackError where there are no marks."""
    return Needs(marks_from(marks_file(home or default_home(), ARCHIVIST)), topic_prefix())


def needs_to_put(home: Path | None) -> Needs:
    """Raises StackError also where the marks are another's than the archivist's, before a month is asked for."""
    at = needs(home)
    try:
        may_write(at.marks)
        mark_piece(at.marks, "", "", "", 0, 0, "")
    except MayNotWrite:
        name = marks_file(home or default_home(), ARCHIVIST).name
        raise StackError(
            f"{name} has no key to mark an archive with: that is in {ARCHIVIST}.json"
            " as this version's `croupier marks hand-out` writes it"
        ) from None
    return at


def database_url(home: Path | None) -> str:
    """`DATABASE_URL`, else the local stack's. Raises StackError where no database answers."""
    found = database(home)
    if found is None:
        raise StackError("no database answers here: set DATABASE_URL, or `croupier up` starts one")
    return found
