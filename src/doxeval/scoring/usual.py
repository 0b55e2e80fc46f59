"""The measures that are scored where nobody names any: those that suit the assessments."""

from __future__ import annotations

import numpy as np

from doxeval.ground.ground import Ground
from doxeval.measurement.families.borrowed import ir_measures
from doxeval.tables.runs import WHOLE

TEXT = {"characters": "AiP iP@5 iR@5 IoU@5 iR@2000c", "lines": "AiP iP@5 iR@5 IoU@5 iR@100l"}
TEXT |= {"seconds": "Hit(iou=0.5)@1 IoUAP(iou=0.5) iP@1 iR@5", "area": "Hit(iou=0.5)@5 iP@5 iR@5 IoU@5"}
NEEDS = "NeedRecall@5 Complete@5"
NODES = "nXCG@10 AEP"
DOCUMENTS = "nDCG@10 AP P@5 R@10"
DOCUMENTS_WITHOUT_IR = "DocAP"


def usual_measures(ground: Ground) -> str:
    """What suits these assessments; the choice and its reason are among what is noticed of them."""
    measures, reason = _suiting(ground)
    ground.notices.add(
        f"no measure was named, and {reason}: scored by {measures} (-m names others)", harmless=True
    )
    return measures


def _suiting(ground: Ground) -> tuple[str, str]:
    if ground.degrees and ground.highlighted is None:
        return NODES, f"the assessments judge nodes by {ground.degrees}"
    if _judges_whole_documents(ground):
        return DOCUMENTS if ir_measures() else DOCUMENTS_WITHOUT_IR, "the assessments judge whole documents"
    if ground.unit_aspects is not None:
        return f"{TEXT[ground.unit]} {NEEDS}", "the assessments highlight text and name needs"
    return TEXT[ground.unit], "the assessments highlight text"


def _judges_whole_documents(ground: Ground) -> bool:
    """Whether whatever is relevant is so from the start of its document to the end."""
    if (ground.unit_end == WHOLE).any():
        return True
    length = ground.length[ground.assessments.pair_doc[ground.unit_pair]]
    whole = (ground.unit_start == 0) & (ground.unit_end == length)
    return bool(len(whole)) and bool(np.all(whole))
