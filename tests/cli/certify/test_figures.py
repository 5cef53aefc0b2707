"""A figure that is mistyped, left out or made up is found; what is no figure is not asked for."""

from typing import Any

import pytest

from services.cli.certifying.figures import misquotes

REFS = {"9.2", "17.a", "2.q"}


@pytest.mark.parametrize(
    ("prose", "figures"),
    [
        ("10000, 10 000 and 1,250 cents", {"all": [10_000, 1250]}),
        ("raises to 400, 600, 800", {"to": [400, 600, 800]}),
        ("rake 450 basis points, 5 %, 4.9% of 106.5", {"bp": 450, "percents": [5, "4.9"], "of": "106.5"}),
        ("81.20 euros and 20.000 s", {"shown": "81.20", "s": 20}),
        ("from 20:00 to 20:40:15, at 12:00:19.999", {"times": ["20:00", "20:40:15"], "late": "12:00:19.999"}),
        ("board 2h 3d Th; A holds As Kd", {"board": "2h 3d Th", "A": ["As", "Kd"]}),
        ("draws 3 of seats 1-10, the 4th is 100-to-1", {"drawn": 3, "seats": [1, 10], "place": 4, "odds": 100}),
        ("net -500, house +500", {"net": -500, "house": 500}),
        ("net -500", {"loss": 500}),
        ("rule 17.a, rules 22 and 23, rules 72, 74-76 and 78-91, article 5, (see 84), see 11.b, of 1.1.5", {}),
        ("the ceiling of 2.q, void (9.2)", {}),
        ("P3 raises in H6, d14, DE-69b, half-on-5, pt-217-2007, J-T-9-8-7, S.11, enact.2", {}),
        ("P3 raises, DE-69b", {"seat": 3, "code": "DE-69b"}),
        ("three players, the second of both", {"players": 3, "seat": 2}),
        ("Seats 1 and 3 with 500 each", {"stacks": {1: 500, 3: 500}}),
        ("pot_limit or no limit", {"structures": ["pot_limit", "no"]}),
    ],
)
def test_figures_as_in_the_matrix(prose: str, figures: dict[str, Any]) -> None:
    assert misquotes(prose, REFS, figures) == []


@pytest.mark.parametrize(
    ("prose", "figures", "said"),
    [
        ("stack 5000", {"stack": 500}, ["stack says 500, the matrix does not", "5000 of the matrix is no figure"]),
        ("net 500", {"net": -500}, ["net says -500, the matrix does not"]),
        ("board Th 9h", {"board": "Th 9d"}, ["board says 9d, the matrix does not", "9h of the matrix is no figure"]),
        ("at 20:15", {"at": 1215}, ["at says 1215, the matrix does not", "20:15 of the matrix is no figure"]),
        ("106.5", {"x": 106.5}, ["x holds 106.5, quote it", "106.5 of the matrix is no figure"]),
        ("on", {"x": True}, ["x holds True, quote it"]),
        ("pot limit", {"structure": "half"}, ["structure says half, the matrix does not"]),
        ("by rule 17", {"rule": 17}, ["rule says 17, the matrix does not"]),
        ("seat 1", {"stacks": {2: 1}}, ["stacks says 2, the matrix does not"]),
        ("200, then\n199", {"bets": [200]}, ["199 of the matrix is no figure"]),
    ],
)
def test_figures_that_the_matrix_has_not(prose: str, figures: dict[str, Any], said: list[str]) -> None:
    assert misquotes(prose, REFS, figures) == said


def test_what_is_derived_is_not_compared_and_covers_nothing() -> None:
    assert misquotes("Same, stack 60.", REFS, {"stack": 60, "least": 100}, derived=["least"]) == []
    assert misquotes("Stack 60.", REFS, {"stack": 60}, derived=["stack"]) == ["60 of the matrix is no figure"]
    assert misquotes("Nothing.", REFS, {}, derived=["least"]) == ["least is derived, and no figure"]


def test_what_is_beside_is_in_the_matrix() -> None:
    assert misquotes("Version 7 (21).", REFS, {}, beside=["7", "21"]) == []
    assert misquotes("Version 7.", REFS, {}, beside=["7", "8"]) == ["8 is beside, and not in the matrix"]
