"""Pictures of the example: its documents and results to scale, and what each result adds to a score."""

from __future__ import annotations

from html import escape

from docs.toy import RELEVANT, RESULTS, TEXTS, Worked

from doxeval.core.table import shown

SCALE = 2


def picture(example: Worked) -> str:
    """The example's documents and results on the left, what each result adds on the right."""
    told = escape(f"{example.expression} = {shown(example.value)}")
    label = escape(f"{told}; each result adds {', '.join(f'{bar:.3g}' for bar in example.added)}")
    return (
        f'<figure class="gains"><svg viewBox="0 0 640 152" role="img" aria-label="{label}">{HATCHED}'
        f"{_documents()}{_bars(example.added, example.rest)}</svg>"
        f"<figcaption>{told}</figcaption></figure>"
    )


HATCHED = (
    '<defs><pattern id="rest" width="4" height="4" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)">'
    '<rect width="4" height="4" class="paper"/><rect width="2" height="4" class="soft"/></pattern></defs>'
)


def _documents() -> str:
    parts = []
    for row, (name, text) in enumerate(TEXTS.items()):
        top = 22 + row * 46
        parts.append(_text(8, top - 5, name, "label"))
        parts.append(_rect(8, top, SCALE * len(text), 14, "paper"))
        for start, end in RELEVANT[name]:
            parts.append(_rect(8 + SCALE * start, top, SCALE * (end - start), 14, "relevant"))
        here = [(rank, start, end) for rank, (doc, start, end) in enumerate(RESULTS, 1) if doc == name]
        for level, (rank, start, end) in enumerate(here):
            y = top + 19 + 9 * level
            bracket = f"M{8 + SCALE * start} {y - 3}v5h{SCALE * (end - start)}v-5"
            parts.append(f'<path d="{bracket}" class="shown"/>')
            parts.append(_text(12 + SCALE * end, y + 4, str(rank), "rank"))
    return "".join(parts)


def _bars(bars: list[float], rest: float) -> str:
    parts = []
    most = max(*map(abs, bars), abs(rest), 1e-9)
    columns = [(str(rank), bar) for rank, bar in enumerate(bars, 1)] + ([("rest", rest)] if rest else [])
    for at, (label, bar) in enumerate(columns):
        x, size = 320 + at * 62, abs(bar) / most * 48
        y = 74 - size if bar > 0 else 74
        kind = "rest" if label == "rest" else ("gain" if bar > 0 else "loss")
        parts.append(_rect(x, y, 34, max(size, 0.6), kind))
        parts.append(_text(x + 17, 146, label, "label middle"))
        if bar:
            parts.append(
                _text(x + 17, y - 5 if bar > 0 else y + size + 13, shown(round(bar, 4)), "value middle")
            )
    parts.append(f'<path class="axis" d="M312 74H{306 + 62 * len(columns)}"/>')
    return "".join(parts)


def _rect(x: float, y: float, width: float, height: float, kind: str) -> str:
    return f'<rect x="{x:g}" y="{y:.1f}" width="{width:g}" height="{height:.1f}" class="{kind}"/>'


def _text(x: float, y: float, text: str, kind: str) -> str:
    return f'<text x="{x:g}" y="{y:.1f}" class="{kind}">{text}</text>'
