"""Tokenizers: a tokenizer.json, an encoding of tiktoken, an object of either, or a function."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from doxeval.core.errors import InputError, MissingExtra, UsageError, nearest

TokenBounds = tuple[list[int], list[int]]
Cutter = Callable[[str], TokenBounds]

CHARACTERS_A_TOKEN = 4
"""Used without a tokenizer: about the ratio of the encodings of large models for English text."""
STATED = f"tokens are counted as characters / {CHARACTERS_A_TOKEN}, as no tokenizer was named (--tokenizer)"


def token_cutter(tokenizer: Any) -> Cutter:
    """A function that cuts a text into tokens, without special ones; an error if it is no tokenizer.

    A string is a file (``tokenizer.json``), or the name of a tiktoken encoding (``o200k_base``). A function
    takes a text and returns its tokens in order, as parts of the text or as pairs (begin, end).

    >>> token_cutter(str.split)("to be or")
    ([0, 3, 6], [2, 5, 8])
    """
    if isinstance(tokenizer, str | os.PathLike):
        tokenizer = _named(os.fspath(tokenizer))
    if hasattr(tokenizer, "decode_with_offsets"):
        return lambda text: _cut_by_starts(tokenizer, text)
    if hasattr(tokenizer, "encode_batch") and hasattr(tokenizer, "get_vocab"):
        return lambda text: _bounds(tokenizer.encode(text, add_special_tokens=False).offsets)
    if callable(tokenizer):
        return lambda text: _cut_by_function(tokenizer, text)
    raise UsageError(
        "expected as tokenizer a tokenizer.json, the name of a tiktoken encoding, an object of either, or "
        f"a function, found {type(tokenizer).__name__}"
    )


def _named(name: str) -> Any:
    """The tokenizer in a file, or the encoding with a name."""
    if os.path.exists(name) or name.endswith(".json") or os.sep in name:  # noqa: PTH110
        try:
            from tokenizers import Tokenizer
        except ImportError:
            raise MissingExtra("tokens", "counting tokens") from None
        try:
            return Tokenizer.from_file(name)
        except Exception as problem:
            raise InputError(f"{name}: not a tokenizer file (tokenizer.json): {problem}") from None
    try:
        import tiktoken
    except ImportError:
        raise MissingExtra("tokens", "counting tokens") from None
    known = tiktoken.list_encoding_names()
    if name not in known:
        raise UsageError(
            f"{name!r} is neither a file (tokenizer.json) nor an encoding of tiktoken{nearest(name, known)} "
            f"(known: {', '.join(known)})"
        )
    try:
        return tiktoken.get_encoding(name)
    except Exception as problem:
        raise InputError(
            f"tiktoken could not load its encoding {name!r}: {problem}; it is downloaded once, unless "
            "TIKTOKEN_CACHE_DIR holds it"
        ) from None


def _cut_by_starts(encoding: Any, text: str) -> TokenBounds:
    """Cut by an encoding that returns where tokens begin."""
    _, begins = encoding.decode_with_offsets(encoding.encode_ordinary(text))
    return _bounds(list(pairwise([*begins, len(text)])))


def _cut_by_function(cut: Callable[[str], Sequence[Any]], text: str) -> TokenBounds:
    bounds, reached = [], 0
    for token in cut(text):
        if isinstance(token, str):
            begin = text.find(token, reached)
            if begin < 0:
                raise UsageError(
                    f"the tokenizer gave {token!r}, which is not in the text from offset {reached} "
                    "on; return the tokens as they are in the text, or pairs (begin, end)"
                )
            bounds.append((begin, begin + len(token)))
        elif isinstance(token, tuple | list) and len(token) == 2:
            bounds.append((int(token[0]), int(token[1])))
        else:
            raise UsageError(
                f"the tokenizer gave {token!r}; expected texts or pairs (begin, end). For tiktoken "
                "and tokenizers, give the encoding or the tokenizer itself"
            )
        reached = bounds[-1][1]
    return _bounds(bounds)


def _bounds(places: Sequence[tuple[int, int]]) -> TokenBounds:
    """Starts and ends; a character of several tokens belongs to each of them."""
    return [begin for begin, _ in places], [max(end, begin + 1) for begin, end in places]
