"""Random trees with word spans, for hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st


@st.composite
def trees(draw: st.DrawFn, most: int = 8) -> list[dict]:
    """Nodes of one document; children stand side by side in their parent, with some words of its own."""
    nodes: list[dict] = []

    def grow(parent: str | None, start: int, depth: int) -> int:
        name = f"n{len(nodes)}"
        node = {"id": name, "doc": "d", "parent": parent, "start": start, "end": start}
        nodes.append(node)
        end = start + draw(st.integers(1, 4))
        for _ in range(draw(st.integers(0, 3)) if depth < 3 else 0):
            if len(nodes) < most:
                end = grow(name, end, depth + 1) + draw(st.integers(0, 2))
        node["end"] = end
        return end

    grow(None, 0, 0)
    return nodes


def ancestors(nodes: list[dict], name: str) -> list[str]:
    """The nodes around a node, innermost first."""
    parent = {node["id"]: node["parent"] for node in nodes}
    found = []
    while (name := parent[name]) is not None:
        found.append(name)
    return found
