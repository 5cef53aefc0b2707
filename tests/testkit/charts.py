"""A Helm chart as tests read it: its schema, and what it renders to where Helm is."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

Objects = dict[tuple[str, str], dict[str, Any]]
"""By kind and name."""


def undescribed(schema: dict[str, Any]) -> list[str]:
    """Paths of properties without a word about them; a definition's words are those of whoever refers to it."""
    return list(_undescribed(schema, schema.get("definitions", {}), ""))


def _undescribed(schema: dict[str, Any], definitions: dict[str, Any], at: str) -> Iterator[str]:
    for name, each in schema.get("properties", {}).items():
        meant = definitions.get(each.get("$ref", "").rpartition("/")[2], {})
        if not (each.get("description") or meant.get("description")):
            yield f"{at}{name}"
        yield from _undescribed(each, definitions, f"{at}{name}.")


def rendered_chart(chart: Path, release: str, *values: str, file: Path | None = None) -> Objects:
    """`values` as `--set` takes them, or `--set-json` where they are objects, over those of `file`."""
    helm = shutil.which("helm")
    if helm is None:
        pytest.skip("helm is not on the PATH: values, schema and generated files are checked without it, templates not")
    given = [] if file is None else ["--values", str(file)]
    options = [word for value in values for word in ("--set-json" if '={"' in value else "--set", value)]
    told = subprocess.run(
        [helm, "template", release, chart, *given, *options], capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stderr
    found = [each for each in yaml.safe_load_all(told.stdout) if each]
    return {(each["kind"], each["metadata"]["name"]): each for each in found}
