"""JSON Schemas (2020-12) of facts, with the words of their docstrings: a class's own, and the one below a field."""

import ast
import inspect
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import msgspec

from libs.contracts.banked_rounds import BankedRoundEvent
from libs.contracts.facts import HandEvent, TableEvent, TournamentEvent, WalletEvent

_STAMPED = (TableEvent, HandEvent, BankedRoundEvent, WalletEvent, TournamentEvent)
_REF = "#/components/schemas/{name}"


def schemas_of(kinds: Iterable[type[msgspec.Struct]], template: str = _REF) -> dict[str, Any]:
    """Schema by class name, of these and of everything they hold."""
    kinds = list(kinds)
    _, found = msgspec.json.schema_components(kinds, ref_template=template)
    known = _reached(kinds)
    for name, schema in found.items():
        _say(schema, known[name])
        _forget_discriminators(schema)
    return dict(sorted(found.items()))


def schema_of(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """One document for one class; what it holds stands in its `$defs`."""
    found = schemas_of([kind], "#/$defs/{name}")
    own = found.pop(kind.__name__)
    return {**own, **({"$defs": found} if found else {})}


def _say(schema: dict[str, Any], kind: type[msgspec.Struct]) -> None:
    words = field_words(kind)
    if "description" in schema:
        schema["description"] = " ".join(schema["description"].split())
    if example := getattr(kind, "example", None):
        schema["examples"] = [dict(example)]
    for field, said in schema.get("properties", {}).items():
        if field in words:
            # Beside a reference a description is allowed since 2019-09.
            unit = said.get("description")
            said["description"] = f"{words[field]} ({unit})" if unit else words[field]
    _require_stamps(schema, kind)


def _forget_discriminators(schema: Any) -> None:
    """`tag` says it all; JSON Schema knows no such keyword, and AsyncAPI another one of that name."""
    if isinstance(schema, dict):
        schema.pop("discriminator", None)
    for part in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        _forget_discriminators(part)


def _require_stamps(schema: dict[str, Any], kind: type[msgspec.Struct]) -> None:
    """What the decision's story stamps has a default in code and is always there on the wire."""
    for base in _STAMPED:
        if issubclass(kind, base):
            for name in [each for each in base.__annotations__ if each in base.__struct_fields__]:
                schema["properties"][name].pop("default")
                schema["required"] = [*schema.get("required", []), name]


_WORDS: Mapping[str, str] = msgspec.yaml.decode((Path(__file__).parent / "words.yaml").read_bytes())


@cache
def field_words(kind: type[msgspec.Struct]) -> Mapping[str, str]:
    """Field to the docstring below it, inherited ones included, or else to what `words.yaml` says of its name."""
    fields = (*kind.__struct_fields__, kind.__struct_config__.tag_field)
    named = {name: (f"{kind.__name__}.{name}", name) for name in fields if name}
    words = {name: _WORDS[key] for name, keys in named.items() for key in reversed(keys) if key in _WORDS}
    for base in reversed(kind.__mro__[:-1]):
        if issubclass(base, msgspec.Struct) and base is not msgspec.Struct:
            words |= words_in(base)
    return words


@cache
def words_in(kind: type) -> dict[str, str]:
    """Field of a class, or member of an enumeration, to the docstring below it."""
    body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    assert isinstance(body, ast.ClassDef)
    return {
        field.id: " ".join(said.value.value.split())
        for line, said in pairwise(body.body)
        if isinstance(line, ast.AnnAssign | ast.Assign)
        and isinstance(field := line.target if isinstance(line, ast.AnnAssign) else line.targets[0], ast.Name)
        and isinstance(said, ast.Expr)
        and isinstance(said.value, ast.Constant)
        and isinstance(said.value.value, str)
    }


def _reached(kinds: Iterable[type[msgspec.Struct]]) -> dict[str, type[msgspec.Struct]]:
    """These and every struct that they hold, by name."""
    found: dict[str, type[msgspec.Struct]] = {}
    waiting = list(kinds)
    while waiting:
        kind = waiting.pop()
        if found.setdefault(kind.__name__, kind) is kind:
            waiting += [each for field in msgspec.structs.fields(kind) for each in _structs_in(field.type, found)]
    return found


def _structs_in(annotation: Any, known: Mapping[str, Any]) -> Iterator[type[msgspec.Struct]]:
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        if annotation.__name__ not in known:
            yield annotation
        return
    for part in get_args(annotation):
        yield from _structs_in(part, known)
