"""What an archive is reached with: marks, and the database where months come from or go to. A broker is for neither."""

from pathlib import Path
from typing import NamedTuple

from libs.journal.marks import Marking
from libs.stack import StackError, database, default_home
from services.cli.surroundings import inspectors_file, inspectors_marks, topic_prefix


class Needs(NamedTuple):
    """What every question to an archive needs."""

    marks: Marking
    """The inspector's."""
    prefix: str
    """Of the house's topics."""


def needs(home: Path | None) -> Needs:
    """Of the environment, else of the home. Raises StackError where there are no marks."""
    return Needs(inspectors_marks(inspectors_file(home or default_home())), topic_prefix())


def database_url(home: Path | None) -> str:
    """`DATABASE_URL`, else the local stack's. Raises StackError where no database answers."""
    found = database(home)
    if found is None:
        raise StackError("no database answers here: set DATABASE_URL, or `croupier up` starts one")
    return found
