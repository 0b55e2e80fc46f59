"""Counts, shares, and singular and plural, in the sentences that doxeval prints."""

from __future__ import annotations

import re

ALTERNATIVES = re.compile(r"\{([^{}|]*)\|([^{}|]*)\}")
"""The words for one thing and for several, as in ``{count} {topic has|topics have} no results``."""
EXACT = 1e-12
"""A share as near as this to 0 or 1 is that number: sums of shares are rounded."""


def agreeing(sentence: str, count: int) -> str:
    """A sentence with its ``{count}``, and of each ``{word|words}`` those that agree with it.

    >>> agreeing("{count} {document is|documents are} empty", 1)
    '1 document is empty'
    >>> agreeing("{count} {document is|documents are} empty", 1200)
    '1,200 documents are empty'
    """
    chosen = 1 if count == 1 else 2
    return ALTERNATIVES.sub(lambda words: words[chosen], sentence).replace("{count}", f"{count:,}")


def counted(count: int, thing: str, several: str = "") -> str:
    """A number of things; their plural ends in s unless `several` is given.

    >>> counted(1, "topic"), counted(4000, "topic"), counted(0, "entry", "entries")
    ('1 topic', '4,000 topics', '0 entries')
    """
    return f"{count:,} {thing if count == 1 else several or f'{thing}s'}"


def counted_from(low: int, high: int, thing: str) -> str:
    """A number of things that is not the same everywhere.

    >>> counted_from(2, 2, "topic"), counted_from(1, 2, "topic")
    ('2 topics', '1 to 2 topics')
    """
    return counted(high, thing) if low == high else f"{low:,} to {counted(high, thing)}"


def percent(share: float, decimals: int = 0) -> str:
    """A share in percent; 0% and 100% only if it is exactly that.

    >>> percent(0.5), percent(1), percent(0.9991), percent(0.0009), percent(0.9991, 1), percent(0.99999, 1)
    ('50%', '100%', '>99%', '<1%', '99.9%', '>99.9%')
    """
    least = 10.0**-decimals
    hundredths = 100 * share
    if share > EXACT and round(hundredths, decimals) < least:
        return f"<{least:.{decimals}f}%"
    if share < 1 - EXACT and round(hundredths, decimals) > 100 - least:
        return f">{100 - least:.{decimals}f}%"
    return f"{hundredths:.{decimals}f}%"


def stated(share: float) -> str:
    """A share that somebody chose, such as a confidence, in percent, with all its digits.

    >>> stated(0.95), stated(0.999)
    ('95%', '99.9%')
    """
    return f"{100 * share:.10g}%"
