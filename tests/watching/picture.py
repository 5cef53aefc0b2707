"""The dashboard's panels as one SVG, drawn from what Prometheus answers to their expressions. This is not Grafana."""

from html import escape
from math import isfinite

from services.cli.watching.dashboard import ROWS
from tests.watching.prometheus import Prometheus

_COLOURS = ("#3274d9", "#e0752d", "#37872d", "#a352cc", "#c4162a", "#8f8f00", "#1f9e9e", "#705da0")
_W, _H, _HEAD, _PLOT = 400, 240, 34, 116
_POINTS = 300
_NAMED = 7
_WIDE = 30
"""Characters of a legend's name that fit beside the next."""


def _short(value: float) -> str:
    """Three digits: 0.25, 16.4k, 2.1M."""
    for mark, unit in (("M", 1e6), ("k", 1e3)):
        if value >= 0.9995 * unit:  # or it would be rounded up to it
            return f"{value / unit:.3g}{mark}"
    return f"{value:.3g}"


def _cut(name: str) -> str:
    return name if len(name) <= _WIDE else f"{name[: _WIDE - 1]}…"


def _legend(template: str, labels: dict[str, str]) -> str:
    for name, value in labels.items():
        template = template.replace("{{" + name + "}}", value)
    return template


async def draw(prometheus: Prometheus, since: float, until: float) -> str:
    """Both in seconds since the epoch."""
    step = max(1.0, (until - since) / _POINTS)
    width, height = _W * max(len(panels) for _, panels in ROWS), (_H + _HEAD) * len(ROWS)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
           f'font-size="11"><rect width="{width}" height="{height}" fill="#fff"/>']  # fmt: skip
    for row, (heading, panels) in enumerate(ROWS):
        top = row * (_H + _HEAD)
        out.append(f'<text x="8" y="{top + 22}" font-size="15" font-weight="bold">{escape(heading)}</text>')
        for column, (title, unit, series) in enumerate(panels):
            lines: list[tuple[str, list[tuple[float, float]]]] = []
            for legend, expr in series.items():
                asked = expr.replace("$__rate_interval", "15s")
                answer = await prometheus.ask("query_range", query=asked, start=since, end=until, step=step)
                lines += [
                    (_legend(legend, each["metric"]),
                     [(float(at), float(value)) for at, value in each["values"] if isfinite(float(value))])
                    for each in answer["result"]
                ]  # fmt: skip
            out += _panel(column * _W, top + _HEAD, title, unit, lines, since, until)
    return "\n".join((*out, "</svg>")) + "\n"


def _panel(
    x: float, y: float, title: str, unit: str, lines: list[tuple[str, list[tuple[float, float]]]], since: float,
    until: float,
) -> list[str]:  # fmt: skip
    most = max((value for _, points in lines for _, value in points), default=0) or 1
    mark = " s" if unit == "s" else ""
    left, top, wide = x + 44, y + 26, _W - 60
    out = [f'<rect x="{x + 4}" y="{y}" width="{_W - 8}" height="{_H - 6}" fill="none" stroke="#ccc"/>',
           f'<text x="{x + 12}" y="{y + 16}" font-weight="bold">{escape(title)}</text>']  # fmt: skip
    for part in (0, 0.5, 1):
        level = top + _PLOT * (1 - part)
        out.append(f'<path d="M{left} {level}h{wide}" stroke="#eee"/>'
                   f'<text x="{left - 4}" y="{level + 4}" text-anchor="end">'
                   f"{_short(most * part)}{mark}</text>")  # fmt: skip
    for number, (name, points) in enumerate(lines):
        colour = _COLOURS[number % len(_COLOURS)]
        path, last = "", None
        for at, value in points:
            move = "M" if last is None or at - last > (until - since) / 60 else "L"
            path += f"{move}{left + (at - since) / (until - since) * wide:.1f} {top + _PLOT * (1 - value / most):.1f}"
            last = at
        out.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.4" stroke-linecap="round"/>')
        if number < _NAMED:
            out.append(f'<text x="{x + 14 + 190 * (number % 2)}" y="{top + _PLOT + 18 + 15 * (number // 2)}" '
                       f'fill="{colour}">{escape(_cut(name))}</text>')  # fmt: skip
    if len(lines) > _NAMED:
        out.append(f'<text x="{x + 204}" y="{top + _PLOT + 63}">and {len(lines) - _NAMED} more</text>')
    return out
