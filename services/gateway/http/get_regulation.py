"""GET /v1/regulations/{regulation}: the text that the rules of a table come from (pt-811-2015 enact.4)."""

from typing import Annotated

from fastapi import Path
from pydantic import BaseModel, Field

from libs.edge.problems import Problem
from services.gateway.views.regulations import NAMES, text_of


class Regulation(BaseModel):
    regulation: str
    name: str
    text: str = Field(description="word by word, in the language in which it is in force")


async def get_regulation(regulation: Annotated[str, Path(examples=["pt-811-2015"])]) -> Regulation:
    """For everybody, without a login, at any time."""
    text = text_of(regulation)
    if text is None:
        raise Problem(404, "unknown-regulation", "No table is played under a regulation of this name.")
    return Regulation(regulation=regulation, name=NAMES[regulation], text=text)
