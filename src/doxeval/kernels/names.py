"""Kernels for names: equal byte strings get equal codes, and one table of names is looked up in another.

A name of at most eight bytes is packed into one integer, which is then all there is to compare; longer ones
are hashed and compared byte by byte.
"""

import itertools

import numpy as np

try:
    import cython
except ImportError:
    from doxeval.kernels import stand_in as cython

if cython.compiled:
    from cython.cimports.libc.string import memcmp

FEWEST_SLOTS = 1024


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _key(text: cython.p_const_uchar, begin: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.ulonglong:
    """Up to eight bytes as one integer; a hash of more."""
    key: cython.ulonglong = 0
    prime: cython.ulonglong = 1099511628211
    if end - begin <= 8:
        for position in range(begin, end):
            key = (key << 8) | text[position]
        return key
    for position in range(begin, end):
        key = (key ^ text[position]) * prime
    return key


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _slot(key: cython.ulonglong, mask: cython.ulonglong) -> cython.Py_ssize_t:
    """Where a key is looked for first."""
    spread: cython.ulonglong = 0x9E3779B97F4A7C1
    key = (key ^ (key >> 32)) * spread
    return (key ^ (key >> 29)) & mask


def slots_for(names: int) -> int:
    """A power of two with at least two slots for each name."""
    return max(FEWEST_SLOTS, 1 << (2 * names).bit_length())


def intern_fields(data: bytes, begin: cython.int[:], end: cython.int[:]):
    """Give equal byte strings equal codes, numbered by first appearance.

    Returns `(codes, first)`: a code per field, and per code the row where it first stood.
    """
    if not cython.compiled:
        return _intern_fields_plain(data, begin, end)
    size: cython.Py_ssize_t = begin.shape[0]
    slots: cython.Py_ssize_t = slots_for(size)
    codes: cython.int[::1] = np.empty(size, dtype=np.int32)
    table: cython.int[::1] = np.full(slots, -1, dtype=np.int32)
    first: cython.longlong[::1] = np.empty(size, dtype=np.int64)
    keys: cython.ulonglong[::1] = np.empty(size, dtype=np.uint64)
    text: cython.p_const_uchar = data
    known: cython.Py_ssize_t = 0
    for row in range(size):
        width = end[row] - begin[row]
        key = _key(text, begin[row], end[row])
        slot = _slot(key, slots - 1)
        while True:
            code = table[slot]
            if code < 0:
                table[slot] = known
                codes[row] = known
                first[known] = row
                keys[known] = key
                known += 1
                break
            if keys[code] == key:
                before = first[code]
                if width == end[before] - begin[before] and (
                    width <= 8 or memcmp(text + begin[row], text + begin[before], width) == 0
                ):
                    codes[row] = code
                    break
            slot = (slot + 1) & (slots - 1)
    return np.asarray(codes), np.asarray(first)[:known].copy()


def _intern_fields_plain(data, begin, end):
    """`intern_fields` without a compiler."""
    known: dict[bytes, int] = {}
    first = []
    codes = np.empty(len(begin), dtype=np.int32)
    for row, (start, stop) in enumerate(zip(begin.tolist(), end.tolist(), strict=True)):
        field = data[start:stop]
        code = known.get(field)
        if code is None:
            code = known[field] = len(first)
            first.append(row)
        codes[row] = code
    return codes, np.array(first, dtype=np.int64)


def gather_fields(data: bytes, begin: cython.int[:], end: cython.int[:], rows: cython.longlong[::1]):
    """The bytes of some fields behind one another: `(offset, blob)`."""
    size: cython.Py_ssize_t = rows.shape[0]
    offset: cython.longlong[::1] = np.zeros(size + 1, dtype=np.int64)
    for at in range(size):
        offset[at + 1] = offset[at] + end[rows[at]] - begin[rows[at]]
    blob: cython.uchar[::1] = np.empty(offset[size], dtype=np.uint8)
    text: cython.p_const_uchar = data
    place: cython.Py_ssize_t = 0
    for at in range(size):
        for position in range(begin[rows[at]], end[rows[at]]):
            blob[place] = text[position]
            place += 1
    return np.asarray(offset), np.asarray(blob)


def index_names(offset: cython.const[cython.longlong][::1], blob: cython.const[cython.uchar][::1]):
    """A table for `find_names` over the names `blob[offset[i]:offset[i + 1]]`: codes by slot."""
    size: cython.Py_ssize_t = offset.shape[0] - 1
    slots: cython.Py_ssize_t = slots_for(size)
    table: cython.int[::1] = np.full(slots, -1, dtype=np.int32)
    if not cython.compiled or blob.shape[0] == 0:
        return np.asarray(table)
    text: cython.p_const_uchar = cython.address(blob[0])
    for at in range(size):
        slot = _slot(_key(text, offset[at], offset[at + 1]), slots - 1)
        while table[slot] >= 0:
            slot = (slot + 1) & (slots - 1)
        table[slot] = at
    return np.asarray(table)


def find_names(
    offset: cython.const[cython.longlong][::1],
    blob: cython.const[cython.uchar][::1],
    table: cython.int[::1],
    wanted_offset: cython.const[cython.longlong][::1],
    wanted_blob: cython.const[cython.uchar][::1],
):
    """The code each wanted name has among the indexed ones, -1 where it has none."""
    if not cython.compiled or blob.shape[0] == 0 or wanted_blob.shape[0] == 0:
        return _find_names_plain(offset, blob, wanted_offset, wanted_blob)
    size: cython.Py_ssize_t = wanted_offset.shape[0] - 1
    mask: cython.ulonglong = table.shape[0] - 1
    found: cython.int[::1] = np.full(size, -1, dtype=np.int32)
    text: cython.p_const_uchar = cython.address(blob[0])
    wanted: cython.p_const_uchar = cython.address(wanted_blob[0])
    for at in range(size):
        width = wanted_offset[at + 1] - wanted_offset[at]
        slot = _slot(_key(wanted, wanted_offset[at], wanted_offset[at + 1]), mask)
        while table[slot] >= 0:
            code = table[slot]
            if width == offset[code + 1] - offset[code] and (
                memcmp(wanted + wanted_offset[at], text + offset[code], width) == 0
            ):
                found[at] = code
                break
            slot = (slot + 1) & mask
    return np.asarray(found)


def _find_names_plain(offset, blob, wanted_offset, wanted_blob):
    """`find_names` without a compiler."""

    def names(bounds, letters):
        text = bytes(letters)
        bounds = [int(bound) for bound in bounds]
        return [text[a:b] for a, b in itertools.pairwise(bounds)]

    known = {}
    for code, name in enumerate(names(offset, blob)):
        known.setdefault(name, code)
    return np.array([known.get(name, -1) for name in names(wanted_offset, wanted_blob)], dtype=np.int32)
