"""Kernels for random draws: sums of scores that are dealt again, topic by topic."""

import numpy as np

try:
    import cython
except ImportError:
    from doxeval.kernels import stand_in as cython


def dealt_sums(
    rows: cython.double[:, ::1], deals: cython.longlong[:, ::1], words: cython.ulonglong[:, :, ::1]
):
    """Shuffle every topic's row of scores, in place, once per draw; sums over topics by draw and system.

    Fisher and Yates: from the last to the second, each position is swapped with one up to it. A random word,
    read as a fraction of 1, is multiplied by their number: the whole part chooses, and the remainder is the
    fraction for the next position, for as many as `deals` says (shares are off by less than 2^-32).

    The word 2^63 is one half. With three systems it swaps the last with position 1 (half of 3 is 1.5); the
    remainder, again one half, swaps position 1 with 1 (half of 2 is 1): 7 8 9 becomes 7 9 8.

    >>> rows, words = np.array([[7.0, 8.0, 9.0]]), np.full((1, 1, 1), 1 << 63, dtype=np.uint64)
    >>> dealt_sums(rows, np.array([[2, 0]]), words).tolist()
    [[7.0, 9.0, 8.0]]
    """
    if not cython.compiled:
        halves = np.uint64(32)
        orders = np.tile(np.arange(rows.shape[1]), (*words.shape[:2], 1))
        for deal, (last, end) in enumerate(deals.tolist()):
            fraction = words[:, :, deal].copy()
            for other in range(last, end, -1):
                lower = (fraction & np.uint64((1 << 32) - 1)) * np.uint64(other + 1)
                product = (fraction >> halves) * np.uint64(other + 1) + (lower >> halves)
                place = (product >> halves).astype(np.int64)[:, :, None]
                fraction = (product << halves) | (lower & np.uint64((1 << 32) - 1))
                kept = orders[:, :, other].copy()
                orders[:, :, other] = np.take_along_axis(orders, place, axis=2)[:, :, 0]
                np.put_along_axis(orders, place, kept[:, :, None], axis=2)
        totals = np.empty((len(words), rows.shape[1]))
        for draw, order in enumerate(orders):
            rows[:] = np.take_along_axis(rows, order, axis=1)
            totals[draw] = rows.sum(axis=0)
        return totals
    draws: cython.Py_ssize_t = words.shape[0]
    topics: cython.Py_ssize_t = rows.shape[0]
    systems: cython.Py_ssize_t = rows.shape[1]
    sums: cython.double[:, ::1] = np.zeros((draws, systems), dtype=np.float64)
    draw: cython.Py_ssize_t
    topic: cython.Py_ssize_t
    deal: cython.Py_ssize_t
    other: cython.Py_ssize_t
    place: cython.Py_ssize_t
    system: cython.Py_ssize_t
    high: cython.ulonglong
    low: cython.ulonglong
    kept: cython.double
    mask: cython.ulonglong = (1 << 32) - 1
    with cython.nogil:
        for draw in range(draws):
            for topic in range(topics):
                for deal in range(deals.shape[0]):
                    # A fraction of 64 bits in two halves, since a product of it would need more than 64.
                    high = words[draw, topic, deal] >> 32
                    low = words[draw, topic, deal] & mask
                    for other in range(deals[deal, 0], deals[deal, 1], -1):
                        low = low * (other + 1)
                        high = high * (other + 1) + (low >> 32)
                        place = high >> 32
                        high = high & mask
                        low = low & mask
                        kept = rows[topic, other]
                        rows[topic, other] = rows[topic, place]
                        rows[topic, place] = kept
                for system in range(systems):
                    sums[draw, system] += rows[topic, system]
    return np.asarray(sums)


def subtract_rows(
    rows: cython.const[cython.double][:, ::1],
    before: cython.const[cython.longlong][::1],
    after: cython.const[cython.longlong][::1],
    rounding: cython.double,
):
    """The row `after[pair]` less the row `before[pair]`, for each pair; 0 where nothing but rounding is left.

    Sums are rounded differently from one processor to the next. With 3 and 3 + 1e-15, nothing is left:

    >>> rows = np.array([[1.0, 2.0, 3.0], [4.0, 3.0, 3.0 + 1e-15]])
    >>> subtract_rows(rows, np.array([0]), np.array([1]), 1e-12).tolist()
    [[3.0, 1.0, 0.0]]
    """
    if not cython.compiled:
        left = rows[after] - rows[before]
        left[np.abs(left) <= rounding * np.maximum(1.0, np.abs(rows[before]))] = 0.0
        return left
    pairs: cython.Py_ssize_t = before.shape[0]
    width: cython.Py_ssize_t = rows.shape[1]
    found: cython.double[:, ::1] = np.empty((pairs, width), dtype=np.float64)
    pair: cython.Py_ssize_t
    at: cython.Py_ssize_t
    one: cython.Py_ssize_t
    other: cython.Py_ssize_t
    difference: cython.double
    size: cython.double
    with cython.nogil:
        for pair in range(pairs):
            one = before[pair]
            other = after[pair]
            for at in range(width):
                difference = rows[other, at] - rows[one, at]
                size = abs(rows[one, at])
                if abs(difference) <= rounding * (size if size > 1.0 else 1.0):
                    difference = 0.0
                found[pair, at] = difference
    return np.asarray(found)


def farthest(
    drawn: cython.const[cython.double][:, ::1],
    least: cython.const[cython.double][::1],
    scale: cython.const[cython.double][::1],
):
    """How many numbers of each row are at least so far from 0, and by draw the farthest of all rows to scale.

    Distances are 3 and 1, 2 and 2: one and two of them are at least 2; halved in the second row, the largest
    of each draw are 3 and 1.

    >>> count, largest = farthest(
    ...     np.array([[-3.0, 1.0], [2.0, -2.0]]), np.array([2.0, 2.0]), np.array([1.0, 0.5])
    ... )
    >>> count.tolist(), largest.tolist()
    ([1, 2], [3.0, 1.0])
    """
    if not cython.compiled:
        sizes = np.abs(drawn)
        return (sizes >= least[:, None]).sum(axis=1), (sizes * scale[:, None]).max(axis=0, initial=0.0)
    rows: cython.Py_ssize_t = drawn.shape[0]
    draws: cython.Py_ssize_t = drawn.shape[1]
    counts: cython.longlong[::1] = np.zeros(rows, dtype=np.int64)
    largest: cython.double[::1] = np.zeros(draws, dtype=np.float64)
    row: cython.Py_ssize_t
    draw: cython.Py_ssize_t
    count: cython.longlong
    size: cython.double
    scaled: cython.double
    with cython.nogil:
        for row in range(rows):
            count = 0
            for draw in range(draws):
                size = abs(drawn[row, draw])
                count += size >= least[row]
                scaled = size * scale[row]
                if scaled > largest[draw]:
                    largest[draw] = scaled
            counts[row] = count
    return np.asarray(counts), np.asarray(largest)


def counts_below(
    drawn: cython.const[cython.double][:, ::1],
    least: cython.const[cython.double][::1],
    most: cython.const[cython.double][::1],
):
    """How many numbers of each row are less than `least`, and how many at most `most`.

    >>> counts_below(np.array([[1.0, 2.0, 2.0, 5.0]]), np.array([2.0]), np.array([2.0])).tolist()
    [[1, 3]]
    """
    if not cython.compiled:
        ends = ((drawn < least[:, None]), (drawn <= most[:, None]))
        return np.stack([end.sum(axis=1) for end in ends], axis=1)
    rows: cython.Py_ssize_t = drawn.shape[0]
    draws: cython.Py_ssize_t = drawn.shape[1]
    counts: cython.longlong[:, ::1] = np.zeros((rows, 2), dtype=np.int64)
    row: cython.Py_ssize_t
    draw: cython.Py_ssize_t
    below: cython.longlong
    upto: cython.longlong
    with cython.nogil:
        for row in range(rows):
            below = 0
            upto = 0
            for draw in range(draws):
                below += drawn[row, draw] < least[row]
                upto += drawn[row, draw] <= most[row]
            counts[row, 0] = below
            counts[row, 1] = upto
    return np.asarray(counts)


def neighbours(drawn: cython.const[cython.double][:, ::1], places: cython.const[cython.longlong][:, ::1]):
    """For each row and place the numbers at this place and the next one, were the row in order.

    Numbers are counted in parts of equal width between the least and the largest; only those in the part of
    a place, mostly a few, are put in order (Shell's sort). Negative places count from the largest number, as
    indices do in Python. NaN is in no place, and is returned for what is before the first or after the last.

    In order, 3 1 2 9 is 1 2 3 9: at place 1 is 2, and 3 follows.

    >>> neighbours(np.array([[3.0, 1.0, 2.0, 9.0]]), np.array([[1, -1]])).tolist()
    [[[2.0, 3.0], [9.0, nan]]]
    """
    if not cython.compiled:
        number = np.count_nonzero(drawn == drawn, axis=1)[:, None]
        first = np.where(places < 0, places + number, places)[:, :, None] + np.array([0, 1])
        ordered = np.take_along_axis(
            np.sort(drawn, axis=1)[:, None, :], np.clip(first, 0, drawn.shape[1] - 1), axis=2
        )
        return np.where((first >= 0) & (first < number[:, :, None]), ordered, np.nan)
    parts: cython.int = 1024
    narrowest: cython.double = 1e-290  # half a range that can be divided into parts
    infinite: cython.double = np.inf
    rows: cython.Py_ssize_t = drawn.shape[0]
    draws: cython.Py_ssize_t = drawn.shape[1]
    wanted: cython.Py_ssize_t = places.shape[1]
    found: cython.double[:, :, ::1] = np.full((rows, wanted, 2), np.nan, dtype=np.float64)
    counts: cython.longlong[::1] = np.empty(parts, dtype=np.int64)
    part_of: cython.int[::1] = np.empty(draws, dtype=np.int32)
    kept: cython.double[::1] = np.empty(draws, dtype=np.float64)
    row: cython.Py_ssize_t
    draw: cython.Py_ssize_t
    which: cython.Py_ssize_t
    number: cython.Py_ssize_t
    gap: cython.Py_ssize_t
    at: cython.Py_ssize_t
    place: cython.longlong
    counted: cython.longlong
    before: cython.longlong
    part: cython.int
    first: cython.int
    last: cython.int
    value: cython.double
    low: cython.double
    high: cython.double
    scale: cython.double
    with cython.nogil:
        for row in range(rows):
            low = infinite
            high = -infinite
            for draw in range(draws):
                value = drawn[row, draw]
                if value < low:
                    low = value
                if value > high:
                    high = value
            scale = 0.0
            if -infinite < low and high < infinite and 0.5 * high - 0.5 * low > narrowest:
                scale = 0.5 * (parts - 1) / (0.5 * high - 0.5 * low)
            for part in range(parts):
                counts[part] = 0
            counted = 0
            for draw in range(draws):
                value = drawn[row, draw]
                if value == value:
                    part = cython.cast(cython.int, (value - low) * scale) if scale > 0.0 else 0
                    counts[part] += 1
                else:
                    part = -1
                part_of[draw] = part
                counted += part >= 0
            for which in range(wanted):
                place = places[row, which]
                if place < 0:
                    place += counted
                before = 0
                first = 0
                while first < parts and before + counts[first] <= place:
                    before += counts[first]
                    first += 1
                number = 0
                if first < parts:
                    last = first
                    if before + counts[first] == place + 1:
                        last += 1
                        while last < parts - 1 and counts[last] == 0:
                            last += 1
                    for draw in range(draws):
                        if part_of[draw] >= first and part_of[draw] <= last:
                            kept[number] = drawn[row, draw]
                            number += 1
                gap = 1
                while gap < number:
                    gap = 3 * gap + 1
                while gap > 1:
                    gap = gap // 3
                    for draw in range(gap, number):
                        value = kept[draw]
                        at = draw
                        while at >= gap and kept[at - gap] > value:
                            kept[at] = kept[at - gap]
                            at -= gap
                        kept[at] = value
                if place >= 0 and place - before < number:
                    found[row, which, 0] = kept[place - before]
                if place >= -1 and place - before + 1 < number:
                    found[row, which, 1] = kept[place - before + 1]
    return np.asarray(found)
