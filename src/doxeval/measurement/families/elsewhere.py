"""Names that trec_eval, ranx, LlamaIndex, ragas and others give measures, and what to type here."""

from __future__ import annotations

import re

CALLED = {
    "recall": "iR{k} (of text) or R{k5} (of documents)",
    "precision": "iP{k} (of text) or P{k5} (of documents)",
    "p": "P{k5} (of documents) or iP{k} (of text)",
    "hit": "Success{k5} (of documents)",
    "hits": "Success{k5} (of documents)",
    "hit_rate": "Success{k5} (of documents)",
    "hitrate": "Success{k5} (of documents)",
    "success": "Success{k5} (of documents)",
    "accuracy": "Success{k5} (of documents)",
    "context_precision": "iP{k5}",
    "context_recall": "iR{k5}",
    "context_relevance": "iP{k5}",
    "context_relevancy": "iP{k5}",
    "context_utilization": "iP{k5}",
    "mrr": "RR{k}",
    "recip_rank": "RR{k}",
    "reciprocal_rank": "RR{k}",
    "map": "AP{k} (of documents) or AiP (of text)",
    "map_cut": "AP{k} (of documents) or AiP (of text)",
    "average_precision": "AP{k} (of documents) or AiP (of text)",
    "ndcg": "nDCG{k}",
    "ndcg_cut": "nDCG{k}",
    "dcg": "nDCG{k}",
    "f1": "F(beta=1){k} (of text)",
    "f1_score": "F(beta=1){k} (of text)",
    "f": "F{k}",
    "iou": "IoU{k}",
    "jaccard": "IoU{k}",
    "precision_omega": "IoUomega",
    "iou_omega": "IoUomega",
    "r_precision": "Rprec (of documents)",
    "rprec": "Rprec (of documents)",
    "bpref": "Bpref (of documents)",
    "iprec_at_recall": "IPrec{k} (of documents) or iP[{amount}] (of text)",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "set_p": "SetP",
    "set_recall": "SetR",
    "set_f": "SetF",
    "rbp": "tRBP{k} (of text) or RBP(rel=1) (of documents)",
    "err": "ERR{k5} (of documents)",
    "faithfulness": "'doxeval cite', which holds what answers cite against documents",
    "citation_recall": "'doxeval cite', which holds what answers cite against documents",
    "citation_precision": "'doxeval cite', which holds what answers cite against documents",
}
"""By the name in small letters; `{k}` is the cut-off that was typed, `{k5}` the same or @5 without one."""
TYPED = re.compile(r"(?P<name>[a-z][a-z0-9]*(?:[_-][a-z]+)*)(?:[@_-]?(?P<amount>[0-9]+(?:\.[0-9]+)?))?")


def called_here(text: str) -> str:
    """A hint such as ``; here that is nDCG@10`` for a measure of others, empty where nobody has such a one.

    >>> called_here("ndcg_cut_10"), called_here("hit_rate")
    ('; here that is nDCG@10', '; here that is Success@5 (of documents)')
    >>> called_here("AiP")
    ''
    """
    match = TYPED.fullmatch(text.strip().lower())
    if match is None:
        return ""
    name, amount = match["name"].replace("-", "_"), match["amount"]
    if name not in CALLED:
        return ""
    cut = f"@{amount}" if amount else ""
    return f"; here that is {CALLED[name].format(k=cut, k5=cut or '@5', amount=amount or '0.1')}"
