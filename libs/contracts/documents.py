"""What a read model answers with; Pydantic, because people read its pages and their schemas."""

from pydantic import BaseModel, ConfigDict


class Document(BaseModel):
    """Frozen, and exactly the fields that it names."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
