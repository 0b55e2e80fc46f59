"""Draw the rooms of the package from its imports: ``python -m docs.rooms``, into docs/rooms.svg.

The order of the rooms is the one that the contract in pyproject.toml states; an arc leads from a room to
every room it imports from, imports inside functions counted, imports for type checking not.
"""

from __future__ import annotations

import ast
import tomllib
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "doxeval"
PICTURE = ROOT / "docs" / "rooms.svg"

WIDTH, HEIGHT, GAP, MARGIN = 700, 34, 12, 16
BULGE = 24
INKS = ("#2a6f97", "#0b7a63", "#b5480c", "#7a4b9d")

Edge = tuple[str, str]


def rooms() -> list[str]:
    """The rooms in the order of the contract, the command line first."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    return list(
        next(contract["layers"] for contract in contracts["contracts"] if contract["type"] == "layers")
    )


def edges() -> set[Edge]:
    """Which room imports from which."""
    import grimp

    graph = grimp.build_graph("doxeval", exclude_type_checking_imports=True, cache_dir=None)
    return {
        (importer, imported)
        for importer in rooms()
        for imported in rooms()
        if importer != imported
        and graph.direct_import_exists(
            importer=f"doxeval.{importer}", imported=f"doxeval.{imported}", as_packages=True
        )
    }


def purpose(room: str) -> str:
    """The first sentence of what a room says of itself."""
    text = ast.get_docstring(ast.parse((PACKAGE / room / "__init__.py").read_text(encoding="utf-8"))) or ""
    return text.splitlines()[0].partition(". ")[0].rstrip(".")


def picture() -> str:
    """The drawing: a column of rooms, and arcs on its right."""
    order = rooms()
    top = {room: MARGIN + at * (HEIGHT + GAP) for at, room in enumerate(order)}
    right, bottom = WIDTH + 2 * MARGIN + BULGE * len(order), top[order[-1]] + HEIGHT + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{right}" height="{bottom}" '
        'font-family="sans-serif" font-size="12">',
        "<title>The rooms of doxeval: each knows only those below it</title>",
        '<rect width="100%" height="100%" fill="#fff"/>',
    ]
    for importer, imported in sorted(edges(), key=lambda edge: (top[edge[0]], top[edge[1]])):
        parts.append(_arc(order.index(importer), order.index(imported), top[importer], top[imported]))
    for room in order:
        parts.append(
            f'<rect x="{MARGIN}" y="{top[room]}" width="{WIDTH}" height="{HEIGHT}" rx="4" fill="#f4f6f8" '
            'stroke="#5b6675"/>'
            f'<text x="{MARGIN + 10}" y="{top[room] + 21}" font-weight="bold" fill="#1c2430">{room}</text>'
            f'<text x="{MARGIN + 110}" y="{top[room] + 21}" fill="#5b6675" font-size="11">'
            f"{escape(purpose(room))}</text>"
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


def _arc(upper: int, lower: int, start: int, end: int) -> str:
    """A line from the importing room to the upper half of the imported one, with a point."""
    edge, reach = MARGIN + WIDTH, BULGE * (lower - upper)
    begin, finish = start + 0.7 * HEIGHT, end + 0.3 * HEIGHT
    ink = INKS[upper % len(INKS)]
    return (
        f'<path d="M{edge},{begin:.1f} C{edge + reach},{begin:.1f} {edge + reach},{finish:.1f} '
        f'{edge + 6},{finish:.1f}" fill="none" stroke="{ink}" stroke-opacity="0.6"/>'
        f'<path d="M{edge},{finish:.1f} l7,-3.5 v7 z" fill="#1c2430"/>'
    )


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
    print(f"{PICTURE.relative_to(ROOT)}: {len(rooms())} rooms, {len(edges())} arcs")
