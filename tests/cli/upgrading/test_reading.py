"""What one build writes and another reads, schema by schema."""

from typing import Any

import pytest

from services.cli.upgrading.reading import Reading

TEXT = {"type": "string"}
COUNT = {"type": "integer", "minimum": 0, "maximum": 9}


def unread(wrote: dict[str, Any], reads: dict[str, Any]) -> list[str]:
    return Reading({"A": wrote}, {"A": reads}).unread("A", "A")


def record(required: tuple[str, ...] = (), more: bool = True, **fields: Any) -> dict[str, Any]:
    closed = {} if more else {"additionalProperties": False}
    return {"type": "object", "properties": fields, "required": list(required), **closed}


@pytest.mark.parametrize(
    ("wrote", "reads", "places"),
    [
        (record(a=TEXT), record(a=TEXT), []),
        (record(a=TEXT, b=TEXT), record(a=TEXT), []),
        (record(a=TEXT, b=TEXT), record(a=TEXT, more=False), ["A.b: not known"]),
        (record(a=TEXT), record(("b",), a=TEXT, b=TEXT), ["A.b: not written"]),
        (record(a=TEXT), record(a=TEXT, b=TEXT), []),
        (record(a=TEXT), record(a=COUNT), ["A.a: string in place of integer"]),
        (record(a=COUNT), record(a={"type": "integer"}), []),
        (record(a={"type": "integer"}), record(a=COUNT), ["A.a: minimum was 0", "A.a: maximum was 9"]),
        (record(a={"enum": ["x", "y"]}), record(a={"enum": ["x", "y", "z"]}), []),
        (record(a={"enum": ["x", "y", "z"]}), record(a={"enum": ["x", "y"]}), ["A.a: values that were not there"]),
        (record(a=TEXT), record(a={"enum": ["x"]}), ["A.a: values that were not there"]),
        (record(a={"enum": ["x"]}), record(a=TEXT), []),
        (record(a=TEXT), record(a={"anyOf": [TEXT, {"type": "null"}]}), []),
        (record(a={"anyOf": [TEXT, {"type": "null"}]}), record(a=TEXT), ["A.a: null in place of string"]),
        (record(a={"type": "array", "items": TEXT}), record(a={"type": "array", "items": COUNT}),
         ["A.a[]: string in place of integer"]),
        (record(a={**TEXT, "pattern": "x"}), record(a={**TEXT, "pattern": "y"}), ["A.a: another pattern"]),
        (record(a={**TEXT, "pattern": "x"}), record(a=TEXT), []),
    ],
)  # fmt: skip
def test_what_a_reader_refuses(wrote: dict[str, Any], reads: dict[str, Any], places: list[str]) -> None:
    assert unread(wrote, reads) == places


def test_parts_are_followed_by_their_names_also_in_a_circle() -> None:
    ref = {"$ref": "#/components/schemas/Part"}
    old = {"A": record(part=ref), "Part": record(n=COUNT, next={"anyOf": [ref, {"type": "null"}]})}
    new = {"A": record(part=ref), "Part": record(n=TEXT, m=TEXT, next={"anyOf": [ref, {"type": "null"}]})}
    assert Reading(old, old).unread("A", "A") == []
    assert Reading(new, old).unread("A", "A") == ["A.part.n: string in place of integer"]
    assert Reading(new, old).passed_over("A") == ["Part.m"]
