"""The grammar of measures and navigation models: ``Name(param=value,...)[point]@cutoff``.

Where several measures can be named, numbers of parameters and cut-offs may be listed: ``F(beta=1,2)@5,10``. A
measure keeps the text as typed, which is its name in every output. Numbers are exact decimals.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import field
from fractions import Fraction
from functools import lru_cache

from doxeval.core.errors import UsageError
from doxeval.core.quick_class import dataclass
from doxeval.core.units import BY_SUFFIX, SUFFIX, UNITS
from doxeval.core.values import quoted

NAME = re.compile(r"[^\W\d]\w*")
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
RECALL_POINT = re.compile(r"0?\.[0-9]+|1\.0+")
LARGEST, MOST_LETTERS = 10**15, 30
"""The largest number allowed, and the most letters of one."""
AMOUNT = r"(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)"
CUTOFF = re.compile(rf"({AMOUNT})({SUFFIX})")
SOME = rf"(?:[0-9]+\.\.[0-9]+|{AMOUNT})"
CUTOFFS = re.compile(rf"({SOME}(?:,{SOME})*)({SUFFIX})")
MOST_CUTOFFS = 1000
LISTED_NUMBERS = re.compile(rf"=\s*((?:{NUMBER.pattern})(?:\s*,\s*(?:{NUMBER.pattern}))+)\s*(?=[,)])")
"""Several numbers for one parameter, as in ``readon(mean=5,20,100)``."""
QUOTED_VALUE = re.compile(r"(?<=[=,(])\s*(?:\"[^\"]*\"|'[^']*')")
OPENING, CLOSING = "([{", ")]}"
BEFORE_VALUE = re.compile(r"[=,(]\s*$")
"""The end of a text after which a value begins; elsewhere an apostrophe is a letter like others."""
QUOTES = "\"'"
FLAGS = {"true": True, "false": False, "True": True, "False": False}
"""Flags, as we write them and as Python does."""


@dataclass(frozen=True)
class Call:
    """A name with arguments, such as ``F(beta=0.25)``; an argument without a key has the key ``""``."""

    name: str
    arguments: tuple[tuple[str, Value], ...] = ()

    def __str__(self) -> str:
        if not self.arguments:
            return self.name
        return f"{self.name}({','.join(f'{k}={show(v)}' if k else show(v) for k, v in self.arguments)})"


Value = Fraction | bool | str | Call


@dataclass(frozen=True)
class Cutoff:
    """A cut-off of a list: after `amount` ranks, or any other unit of :data:`doxeval.core.units.UNITS`."""

    amount: int | Fraction
    unit: str = "ranks"

    def __str__(self) -> str:
        return f"@{show(Fraction(self.amount))}{UNITS[self.unit].suffix}"


@dataclass(frozen=True)
class Expression:
    """A parsed measure; `text` is the text as typed."""

    call: Call
    point: Fraction | None = None
    cutoff: Cutoff | None = None
    text: str = field(default="", compare=False)

    def __str__(self) -> str:
        point = f"[{show(self.point)}]" if self.point is not None else ""
        return f"{self.call}{point}{self.cutoff or ''}"


def show(value: Value) -> str:
    """A value as typed: the shortest decimal, ``true``, a string in quotes if it needs them.

    >>> show(Fraction(1, 4)), show(True), show("a b")
    ('0.25', 'true', '"a b"')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Fraction):
        return str(value.numerator) if value.denominator == 1 else _decimal(value)
    if isinstance(value, str) and _needs_quotes(value):
        return f'"{value}"'
    return str(value)


def _needs_quotes(text: str) -> bool:
    """Whether a text without quotes would be split, or read as nothing, a flag or a number."""
    separates = any(letter.isspace() or letter in ',()[]{}="' for letter in text)
    odd = text == "" or text in FLAGS or text[0] == "'"
    return separates or odd or NUMBER.fullmatch(text) is not None


def _decimal(value: Fraction) -> str:
    digits = 0
    while (value * 10**digits).denominator != 1:
        digits += 1
    sign, scaled = ("-" if value < 0 else ""), str(abs(int(value * 10**digits))).rjust(digits + 1, "0")
    return f"{sign}{scaled[:-digits]}.{scaled[-digits:]}"


def split_names(text: str) -> list[str]:
    """Split a string of several measures at blanks outside brackets and quotes.

    >>> split_names("AiP  iP[0.01] F(beta=1, alpha=0)@10")
    ['AiP', 'iP[0.01]', 'F(beta=1, alpha=0)@10']

    Cut-offs may be listed or counted, and give a measure each.

    >>> split_names("iP@1..3 iR@5,10,500c")
    ['iP@1', 'iP@2', 'iP@3', 'iR@5c', 'iR@10c', 'iR@500c']

    So may the numbers of a parameter.

    >>> split_names("ESRR(nav=readon(mean=5,20))")
    ['ESRR(nav=readon(mean=5))', 'ESRR(nav=readon(mean=20))']
    """
    return [name for group in name_groups(text) for name in group]


def name_groups(text: str) -> list[list[str]]:
    """The measures of a string, those that were listed in one word together.

    >>> name_groups("iP@1..2 F(beta=1,2)@3 AiP")
    [['iP@1', 'iP@2'], ['F(beta=1)@3', 'F(beta=2)@3'], ['AiP']]
    """
    parts = _split(text, lambda letter: letter.isspace())
    return [
        [name for one in _with_each_number(part) for name in _at_each_cutoff(one)] for part in parts if part
    ]


def _with_each_number(text: str) -> list[str]:
    """A measure with each of the numbers listed for a parameter; of several lists, with each combination."""
    found, done = [text], []
    while found:
        one = found.pop(0)
        masked = QUOTED_VALUE.sub(lambda quoted: "x" * len(quoted[0]), one)
        match = LISTED_NUMBERS.search(masked)
        if match is None:
            done.append(one)
            continue
        numbers = [number.strip() for number in match[1].split(",")]
        found = [f"{one[: match.start(1)]}{each}{one[match.end(1) :]}" for each in numbers] + found
        if len(found) + len(done) > MOST_CUTOFFS:
            raise UsageError(f"{text!r}: at most {MOST_CUTOFFS:,} measures can be listed at once")
    return list(dict.fromkeys(done))


def _at_each_cutoff(text: str) -> list[str]:
    """A measure at each of the cut-offs after its last ``@``, such as ``1..10`` or ``1,5,10``."""
    before, _, after = text.rpartition("@")
    match = CUTOFFS.fullmatch(after)
    if not (before and match) or CUTOFF.fullmatch(after):
        return [text]
    found: dict[Fraction, str] = {}
    for part in match[1].split(","):
        first, _, last = part.partition("..")
        amount = _number(first, text)
        if not last:
            found[amount] = f"{before}@{show(amount)}{match[2]}"
            continue
        low, high = int(amount), int(_number(last, text))
        if low > high:
            raise UsageError(f"{text!r}: {part} counts downwards; write {high}..{low}")
        if high - low >= MOST_CUTOFFS or len(found) + high - low >= MOST_CUTOFFS:
            raise UsageError(f"{text!r}: at most {MOST_CUTOFFS:,} cut-offs can be listed at once")
        found |= {Fraction(each): f"{before}@{each}{match[2]}" for each in range(low, high + 1)}
    return list(found.values())


def _split(text: str, separates: Callable[[str], bool]) -> list[str]:
    """Split `text` at separators outside brackets and quotes."""
    parts, depth, mark, begin = [], 0, "", 0
    for at, letter in enumerate(text):
        if mark:
            mark = "" if letter == mark else mark
        elif letter == '"' or (letter == "'" and BEFORE_VALUE.search(text, 0, at)):
            mark = letter
        elif letter in OPENING:
            depth += 1
        elif letter in CLOSING:
            depth -= 1
            if depth < 0:
                raise UsageError(f"{text!r}: the bracket closed at position {at + 1} was never opened")
        elif depth == 0 and separates(letter):
            parts.append(text[begin:at])
            begin = at + 1
    if depth or mark:
        raise UsageError(f"{text!r}: a {'quotation mark' if mark else 'bracket'} is never closed")
    return [*parts, text[begin:]]


def _check_brackets(text: str) -> None:
    """Raise an error if a bracket or quotation mark is not closed, or closed without being opened."""
    _split(text, lambda letter: False)


@lru_cache(maxsize=10_000)
def parse_measure(text: str) -> Expression:
    """Parse one measure, each text once.

    >>> expression = parse_measure("iP(alpha=.5)@4000c")
    >>> expression.call.arguments, expression.cutoff
    ((('alpha', Fraction(1, 2)),), Cutoff(amount=4000, unit='characters'))
    >>> str(expression), expression.text
    ('iP(alpha=0.5)@4000c', 'iP(alpha=.5)@4000c')

    ``Score@doc`` is short for ``Doc(score=Score)``, the mean of a document score.

    >>> str(parse_measure("ChP(n=600)@doc"))
    'Doc(score=ChP(n=600))'

    ``IPrec@0.1`` is another way to write the recall point of ``IPrec[0.1]``.

    >>> str(parse_measure("IPrec@0.1"))
    'IPrec[0.1]'
    """
    typed = text.strip()
    _check_brackets(typed)
    rest, cutoff, point = typed, None, None
    before, at, after = typed.rpartition("@")
    if at and RECALL_POINT.fullmatch(after):
        rest, point = before, _number(after, typed)
    elif at and (match := CUTOFF.fullmatch(after)):
        rest, cutoff = before, _cutoff(match[1], match[2], typed)
    elif at and after == "doc":
        return Expression(Call("Doc", (("score", parse_call(before, typed)),)), None, None, typed)
    elif at and CUTOFFS.fullmatch(after):
        raise UsageError(f"{typed!r}: expected one measure, found several cut-offs")
    elif at and ")" not in after:
        units = ", ".join(f"{unit.name} (@{unit.usual}{unit.suffix})" for unit in UNITS.values())
        raise UsageError(
            f"{typed!r}: expected after @ a number of {units}, several of them (@1..10, @1,5,10), or doc for "
            f"document scores, found {after!r}"
        )
    if rest.endswith("]") and point is None:
        rest, _, inner = rest[:-1].rpartition("[")
        point = _number(inner.strip(), typed) if NUMBER.fullmatch(inner.strip()) else None
        if point is None or not 0 <= point <= 1:
            raise UsageError(f"{typed!r}: expected a recall from 0 to 1 in [], found {inner!r}")
    return Expression(parse_call(rest, typed), point, cutoff, typed)


def _cutoff(number: str, suffix: str, whole: str) -> Cutoff:
    """The cut-off of a number and a suffix; an error if it is nothing, or too fine for the unit."""
    unit, amount = BY_SUFFIX[suffix], _number(number, whole)
    if unit.whole and amount.denominator != 1:
        raise UsageError(f"{whole!r}: a cut-off in {unit.name} is a whole number, not {number}")
    if amount == 0:
        least = "at least 1" if unit.whole else "more than 0"
        raise UsageError(f"{whole!r}: a cut-off must be {least}")
    return Cutoff(int(amount) if unit.whole else amount, unit.name)


def parse_call(text: str, whole: str | None = None) -> Call:
    """Parse ``Name`` or ``Name(arguments)``; `whole` is the text to quote in an error."""
    whole = whole or text
    match = NAME.match(text)
    if not match:
        raise UsageError(f"{whole!r}: expected a name, found {text!r}")
    name, rest = match[0], text[match.end() :]
    if not rest:
        return Call(name)
    if len(_with_each_number(text)) > 1:
        raise UsageError(f"{whole!r}: expected one value of each parameter of {name}, found several")
    if not (rest.startswith("(") and rest.endswith(")")):
        raise UsageError(
            f"{whole!r}: expected Name(param=value,...)[point]@cutoff, found {rest!r} after {name}"
        )
    arguments = []
    for part in _split(rest[1:-1], lambda letter: letter == ","):
        if part.strip():
            key, equals, value = part.partition("=")
            if equals and NAME.fullmatch(key.strip()):
                arguments.append((key.strip(), _value(value.strip(), whole)))
            else:
                arguments.append(("", _value(part.strip(), whole)))
    keys = [key for key, _ in arguments if key]
    if repeated := {key for key in keys if keys.count(key) > 1}:
        raise UsageError(f"{whole!r}: {', '.join(sorted(repeated))} is given twice")
    return Call(name, tuple(arguments))


def _number(text: str, whole: str) -> Fraction:
    """The number typed; an error if it is larger or finer than any parameter allows."""
    exponent = text.lower().partition("e")[2].lstrip("+-0")
    fits = len(text) <= MOST_LETTERS and len(exponent) < 3
    if not fits or abs(Fraction(text)) > LARGEST:
        raise UsageError(
            f"{quoted(whole)}: {quoted(text)} is too large or too fine; the limits are {LARGEST:,} and "
            f"{MOST_LETTERS} letters"
        )
    return Fraction(text)


def _value(text: str, whole: str) -> Value:
    if not text:
        raise UsageError(f"{whole!r}: a parameter has no value")
    if len(text) >= 2 and text[0] == text[-1] and text[0] in QUOTES:
        return text[1:-1]
    if NUMBER.fullmatch(text):
        return _number(text, whole)
    if text in FLAGS:
        return FLAGS[text]
    if text.endswith(")") and (match := NAME.match(text)) and text[match.end()] == "(":
        return parse_call(text, whole)
    return text
