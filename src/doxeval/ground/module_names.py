"""Classes and functions named by modules: ``shop.cart.Cart.add`` is `Cart.add` of `shop/cart.py`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from doxeval.core.ragged import Ragged
from doxeval.core.strings import Strings, encode
from doxeval.tables.assessments import Assessments, JudgedNodes
from doxeval.tables.runs import WHOLE, Names, Run

if TYPE_CHECKING:
    from doxeval.tables.documents import Documents


def named_through_modules(names: Sequence[str], documents: Documents) -> dict[int, tuple[str, str]]:
    """The file, and the class or function in it (or nothing), of names that are no documents, by position."""
    from doxeval.io.documents.parser import files_of_module
    from doxeval.tables.documents import SOURCE_FILE

    if SOURCE_FILE not in documents.tags or documents.node_ids is None:
        return {}
    unknown = np.flatnonzero(documents.catalogue.find(names).codes < 0).tolist()
    found = {}
    for at in unknown:
        if tried := list(files_of_module(names[at])):
            codes = documents.catalogue.find([file for file, _ in tried]).codes.tolist()
            for code, (_, symbol) in zip(codes, tried, strict=True):
                if code >= 0 and (not symbol or documents.find(code, symbol) >= 0):
                    found[at] = (documents.ids[code], symbol)
                    break
    return found


def modules_in_run(run: Run, documents: Documents | None) -> Run:
    """The run with results named through modules as nodes of their files."""
    found = {} if documents is None else named_through_modules(run.docs, documents)
    if not found:
        return run
    table, codes = encode(found[at][0] if at in found else name for at, name in enumerate(run.docs))
    symbol = [found[doc][1] if doc in found else "" for doc in run.doc.tolist()]
    counts, whole = run.spans.counts, np.zeros(len(run), dtype=bool)
    whole[run.spans.row[run.end >= WHOLE]] = True
    taken = np.array([bool(name) for name in symbol], dtype=bool) & whole
    kept = ~taken[run.spans.row]
    names = [
        [symbol[row]] if taken[row] else run.nodes.of(row) if run.nodes is not None else []
        for row in range(len(run))
    ]
    return replace(
        run, docs=Strings.of(table), doc=codes[run.doc], nodes=Names.of_lists(names), reach=None,
        start=run.start[kept], end=run.end[kept],
        span_offset=Ragged.of_counts(np.where(taken, 0, counts)).offset,
    )  # fmt: skip


def modules_in_assessments(assessments: Assessments, documents: Documents | None) -> Assessments:
    """The assessments with documents named through modules as relevant nodes of their files."""
    found = {} if documents is None else named_through_modules(assessments.docs, documents)
    pairs = [pair for pair, doc in enumerate(assessments.pair_doc.tolist()) if doc in found]
    if not pairs:
        return assessments
    ranges, nodes = assessments.ranges, assessments.nodes
    homes = [found[int(assessments.pair_doc[pair])] for pair in pairs]
    symbols = {pair: symbol for pair, (_, symbol) in zip(pairs, homes, strict=True) if symbol}
    whole = (ranges.end >= WHOLE) & np.isin(ranges.pair, list(symbols))
    grades = dict.fromkeys(symbols, 1.0) | dict(
        zip(ranges.pair[whole].tolist(), ranges.grade[whole].tolist(), strict=True)
    )
    more = JudgedNodes(
        np.array(list(symbols), dtype=np.int64), Names.of_lists([name] for name in symbols.values()),
        np.array([grades[pair] for pair in symbols]), [""] * len(symbols),
    )  # fmt: skip
    from doxeval.ground.placed_quotes import reassigned

    joined = more if nodes is None else nodes.with_more(more)
    moved = replace(assessments, ranges=ranges.take(~whole), nodes=joined if len(joined) else None)
    home = {pair: file for pair, (file, _) in zip(pairs, homes, strict=True)}
    return reassigned(
        moved,
        {
            part: {row: home[pair] for row, pair in enumerate(table.pair.tolist()) if pair in home}
            for part in ("ranges", "nodes", "optional")
            if (table := getattr(moved, part)) is not None
        },
    )
