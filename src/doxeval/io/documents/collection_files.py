"""Collections as native JSON Lines and as Parquet: one row per document, its nodes a list in the row.

Both have the same columns: `doc`, `length`, `text` and `metadata` if there are any (metadata in Parquet as
JSON text), `nodes` with `parent` (the position of the parent in the list, null for the root), `tag`, `start`,
`end`, and `id` and `length` if nodes have them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from doxeval.core.ragged import Ragged
from doxeval.core.strings import Strings, encode
from doxeval.io.documents.native_documents import metadata_of
from doxeval.io.documents.tree import Refused
from doxeval.io.formats.field_lines import LARGEST_OFFSET
from doxeval.io.limits import MOST_DEPTH
from doxeval.kernels import nodes as kernel
from doxeval.tables.documents import Documents

if TYPE_CHECKING:
    import polars as pl

DOCUMENTS_AT_ONCE = 4096


def native_records(documents: Documents) -> Iterator[dict[str, Any]]:
    """The documents in the native form."""
    for doc in range(len(documents)):
        rows = slice(documents.node_offset[doc], documents.node_offset[doc + 1])
        nodes = [
            {
                "parent": parent if parent >= 0 else None,
                "tag": documents.tags[tag],
                "start": start,
                "end": end,
            }
            for parent, tag, start, end in zip(
                *(getattr(documents, name)[rows].tolist() for name in ("parent", "tag", "start", "end")),
                strict=True,
            )
        ]
        if documents.node_length is not None:
            for node, length in zip(nodes, documents.node_length[rows].tolist(), strict=True):
                node["length"] = length
        if documents.node_ids is not None and any(names := documents.node_ids[rows]):
            for node, name in zip(nodes, names, strict=True):
                node["id"] = name
        record: dict[str, Any] = {"doc": documents.ids[doc], "length": int(documents.length[doc])}
        if _has_text(documents, doc):
            record["text"] = documents.text[doc]  # type: ignore[index]
        if told := documents.told_of(doc):
            record["metadata"] = told
        yield record | {"nodes": nodes}


def _has_text(documents: Documents, doc: int) -> bool:
    if documents.text is None:
        return False
    return documents.text.offset[doc + 1] > documents.text.offset[doc] or documents.length[doc] == 0


def write_jsonl(documents: Documents, stream: IO[bytes]) -> None:
    """Write a collection as native JSON Lines."""
    for record in native_records(documents):
        stream.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")


def write_parquet(documents: Documents, stream: IO[bytes]) -> None:
    """Write a collection as Parquet, a few thousand documents at a time."""
    from doxeval.core.polars_here import polars

    def batches(*_: object) -> Iterator[pl.DataFrame]:
        for first in range(0, max(1, len(documents)), DOCUMENTS_AT_ONCE):
            yield _frame_of_documents(documents, first, min(first + DOCUMENTS_AT_ONCE, len(documents)))

    source = polars.io.plugins.register_io_source
    source(batches, schema=_frame_of_documents(documents, 0, 0).schema).sink_parquet(stream)


def _frame_of_documents(documents: Documents, first: int, last: int) -> pl.DataFrame:
    """Documents `first` to `last` as a frame."""
    from doxeval.core.polars_here import polars as pl

    low, high = documents.node_offset[first], documents.node_offset[last]
    rows = slice(low, high)
    node_columns = {
        "parent": pl.Series(documents.parent[rows]).replace(-1, None),
        "tag": pl.Series(documents.tags, dtype=pl.String).gather(documents.tag[rows]),
        "start": documents.start[rows],
        "end": documents.end[rows],
    }
    if documents.node_length is not None:
        node_columns["length"] = documents.node_length[rows]
    if documents.node_ids is not None:
        node_columns["id"] = pl.Series(documents.node_ids[low:high], dtype=pl.String).replace("", None)
    flat = pl.DataFrame(node_columns)
    nodes = (
        flat.select(nodes=pl.struct(flat.columns))
        .with_columns(row=pl.Series(Ragged(documents.node_offset[first : last + 1]).row))
        .group_by("row", maintain_order=True)
        .agg("nodes")["nodes"]
    )
    columns = {
        "doc": pl.Series(documents.ids[first:last], dtype=pl.String),
        "length": documents.length[first:last],
    }
    if documents.text is not None:
        texts = [documents.text[doc] if _has_text(documents, doc) else None for doc in range(first, last)]
        columns["text"] = pl.Series(texts, dtype=pl.String)
    if documents.metadata is not None:
        columns["metadata"] = pl.Series(documents.metadata[first:last], dtype=pl.String).replace("", None)
    return pl.DataFrame({**columns, "nodes": nodes})


def documents_of_frame(frame: pl.DataFrame, source: str) -> Documents | None:
    """The columns of a frame unchanged, if its trees are in order and name parents by position; else None."""
    from doxeval.core.polars_here import polars as pl

    nodes = frame.schema.get("nodes")
    if not isinstance(nodes, pl.List) or not isinstance(nodes.inner, pl.Struct):
        return None
    fields = {field.name: field.dtype for field in nodes.inner.fields}
    if not _is_typed(frame.schema, fields):
        return None
    flat = frame["nodes"].explode(empty_as_null=False, keep_nulls=False).struct.unnest()
    counts = frame["nodes"].list.len().fill_null(0).to_numpy()
    if not counts.all() or not _is_complete(frame, flat):
        return None
    node_offset = Ragged.of_counts(counts).offset
    parent = flat["parent"].fill_null(-1).to_numpy().astype(np.int32)
    start, end = (flat[name].to_numpy().astype(np.int64) for name in ("start", "end"))
    length = frame["length"].to_numpy().astype(np.int64)
    if (kernel.first_misplaced(node_offset, parent, start, end, length) >= 0).any():
        return None
    others = frame.drop("doc", "length", "text", "nodes", strict=False).to_dicts()
    try:
        metadata = [metadata_of(values) for values in others]
    except Refused:
        return None
    tags, tag = encode(flat["tag"].to_list())
    depth = kernel.depths(node_offset, parent)
    if depth.max(initial=0) > MOST_DEPTH:
        return None
    return Documents(
        ids=Strings.of(frame["doc"]),
        length=length,
        node_offset=node_offset,
        parent=parent,
        tag=tag,
        depth=depth.astype(np.int16),
        start=start,
        end=end,
        tags=tags,
        node_length=flat["length"].to_numpy().astype(np.int64) if "length" in fields else None,
        node_ids=Strings.of(flat["id"].fill_null("")) if "id" in fields else None,
        text=Strings.of(frame["text"].fill_null("")) if "text" in frame else None,
        metadata=Strings.of(metadata) if any(metadata) else None,
        source=source,
    )


def _is_typed(frame: Mapping[str, Any], nodes: Mapping[str, Any]) -> bool:
    """Whether all required columns of documents and nodes are there, with the right types."""
    from doxeval.core.polars_here import polars as pl

    whole = [nodes.get(name) for name in ("parent", "start", "end")] + [frame.get("length")]
    texts = [nodes.get("tag"), frame.get("doc")]
    whole += [nodes["length"]] if "length" in nodes else []
    texts += [known[name] for known, name in ((nodes, "id"), (frame, "text")) if name in known]
    narrow = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32)
    return all(dtype in narrow for dtype in whole) and all(dtype == pl.String for dtype in texts)


def _is_complete(frame: pl.DataFrame, flat: pl.DataFrame) -> bool:
    """Whether every document has a name, the length of its text, and complete nodes."""
    if frame["length"].null_count() or frame["doc"].null_count() or frame["doc"].n_unique() < len(frame):
        return False
    if (frame["doc"] == "").any() or _outside(flat["parent"], len(flat)):
        return False
    lengths = [frame["length"], *([flat["length"]] if "length" in flat else [])]
    if any(_outside(column, LARGEST_OFFSET) for column in lengths):
        return False
    if "text" in frame and (frame["text"].str.len_chars() != frame["length"]).any():
        return False
    needed = [name for name in ("tag", "start", "end", "length") if name in flat]
    return not any(flat[name].null_count() for name in needed)


def _outside(column: pl.Series, most: int) -> bool:
    """Whether a value is below 0 or above `most`."""
    low, high = column.min(), column.max()
    return (isinstance(low, int) and low < 0) or (isinstance(high, int) and high > most)
