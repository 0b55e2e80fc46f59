"""The cases of the ESR and SR papers as the public interface takes them: documents, files of navigation."""

from __future__ import annotations

import json
from pathlib import Path

SUMMARIES = {"p*": "path", "p*|c": "path+children", "tag": "tag", "node": "node"}
WEIGHTS = {"extent": "extent", "content": "length", "depth": "depth"}


def documents_of(nodes: list[dict]) -> list[dict]:
    """Documents whose nodes hold their own characters first, then their children's."""
    below: dict[str | None, list[dict]] = {}
    for node in nodes:
        below.setdefault(node["parent"], []).append(node)

    def lay(node: dict, at: int, rows: list[dict]) -> int:
        row = {"id": node["id"], "parent": node["parent"], "tag": node["tag"], "start": at}
        rows.append(row)
        end = at + node["own"]
        for child in below.get(node["id"], ()):
            end = lay(child, end, rows)
        row["end"] = end
        if "length" in node:
            row["length"] = node["length"]
        return end

    documents = []
    for root in below[None]:
        rows: list[dict] = []
        documents.append({"doc": root["doc"], "length": lay(root, 0, rows), "nodes": rows})
    return documents


def navigation_of(given: dict, folder: Path) -> str | None:
    """The model as it is typed, its files written to a folder; None for readings that have no parameter."""
    model = given["navigation"]
    nodes = {node["id"]: node for node in given["nodes"]}
    if model.get("normalise") == "target" or model.get("per") == "extent":
        return None
    kind = model["kind"]
    if kind in ("matrix", "constant"):
        lines = ["doc,from,to,p"]
        for start, node in nodes.items():
            for end in nodes:
                chance = model["value"] if kind == "constant" else model["p"].get(start, {}).get(end, 0)
                if start != end and chance and nodes[end]["doc"] == node["doc"]:
                    lines.append(f"{node['doc']},{start},{end},{chance!r}")
        (folder / "nav.csv").write_text("\n".join(lines) + "\n")
        return f"matrix(file={folder / 'nav.csv'})"
    if kind == "prum_eq9":
        return "hierarchical(normalise=source)" if model.get("normalise") else "hierarchical"
    if kind == "routes":
        return _routes(model, nodes, folder)
    if kind == "steady":
        return f"summary(partition={SUMMARIES[model['summary']]},weight={WEIGHTS[model['weight']]})"
    if kind == "depth_summary" and (model["agg"], model["use"]) == ("inverse_mean_depth", "steady"):
        return "depthweighted"
    return None


def _routes(model: dict, nodes: dict, folder: Path) -> str:
    log = folder / "log.jsonl"
    log.write_text(
        "\n".join(json.dumps({"doc": nodes[route[0]]["doc"], "route": route}) for route in model["routes"])
    )
    partition = model.get("partition") or "node"
    if partition == "map":
        (folder / "map.json").write_text(json.dumps(model["mapping"]))
        partition = folder / "map.json"
    abandonment = ",abandonment=true" if model.get("abandonment") else ""
    return f"routes(file={log},partition={partition}{abandonment})"


def rows_of(run: list[list[str]], nodes: list[dict]) -> list[dict]:
    """A run of trees."""
    doc = {node["id"]: node["doc"] for node in nodes}
    return [
        {"topic": "t", "doc": doc[tree[0]], "rank": rank, "nodes": tree} for rank, tree in enumerate(run, 1)
    ]
