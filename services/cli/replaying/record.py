"""What every form of record shares: how it is read, and the parts that more than one of them has.

What a record needs to be played is read into typed parts. What it claims is left as written and compared leaf by leaf
with what the rules tell (`Outcome.compare`); a claim that nothing answers is a difference too.
"""

from pathlib import Path
from typing import Annotated, Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

Form = TypeVar("Form", bound=BaseModel)
CardName = Annotated[str, Field(pattern=r"^[2-9TJQKA][cdhs]$")]
Cards = list[CardName]
Claims = dict[str, Any]
"""As written in the record."""


class NotARecord(ValueError):
    """The file is no record of hands or rounds; the text says where."""


class Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Open(BaseModel):
    """What is needed has its type; the rest stays as it is written."""

    model_config = ConfigDict(frozen=True, extra="allow")


class Line(Open):
    """One line of play; what it says beside is claims."""

    seq: int

    @property
    def claims(self) -> Claims:
        return self.model_dump(exclude_unset=True)


class Player(Part):
    seat: int
    name: str
    stack: int
    hole: Cards = []
    dealt_in: bool = True


def load(path: Path) -> Any:
    """What a file of worked hands holds; NotARecord when it is missing or is no YAML."""
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as unreadable:
        raise NotARecord(f"{path.name}: cannot be read: {str(unreadable).splitlines()[0]}") from unreadable


def parsed(model: type[Form], name: str, document: Any) -> Form:
    """NotARecord, saying where, when the document has another shape."""
    try:
        return model.model_validate(document)
    except ValidationError as wrong:
        first = wrong.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise NotARecord(f"{name}: {where}: {first['msg']} ({wrong.error_count()} in all)") from wrong
