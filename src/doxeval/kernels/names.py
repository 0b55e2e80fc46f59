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
BATCH = 64


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _mixed(hashed: cython.ulonglong, word: cython.ulonglong) -> cython.ulonglong:
    """A hash of what was hashed and eight bytes more."""
    prime: cython.ulonglong = 0x9E3779B97F4A7C15
    hashed = (hashed ^ word) * prime
    return hashed ^ (hashed >> 32)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _key(text: cython.p_const_uchar, begin: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.ulonglong:
    """Up to eight bytes as one integer; a hash of more."""
    hashed: cython.ulonglong = 0
    word: cython.ulonglong = 0
    position: cython.Py_ssize_t
    for position in range(begin, end):
        if position > begin and (position - begin) & 7 == 0:
            hashed = _mixed(hashed, word)
            word = 0
        word = (word << 8) | text[position]
    return word if end - begin <= 8 else _mixed(hashed, word)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _slot(key: cython.ulonglong, mask: cython.ulonglong) -> cython.Py_ssize_t:
    """Where a key is looked for first."""
    key = _mixed(0, key)
    return (key >> 20) & mask


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
    """A table for `find_names` over the names `blob[offset[i]:offset[i + 1]]`.

    A slot holds half of a name's hash, which is compared first, and its code from 1; 0 where it is free.
    """
    size: cython.Py_ssize_t = offset.shape[0] - 1
    slots: cython.Py_ssize_t = slots_for(size)
    table: cython.ulonglong[::1] = np.zeros(slots, dtype=np.uint64)
    if not cython.compiled or blob.shape[0] == 0:
        return np.asarray(table)
    text: cython.p_const_uchar = cython.address(blob[0])
    at: cython.Py_ssize_t
    with cython.nogil:
        for at in range(size):
            hashed = _mixed(0, _key(text, offset[at], offset[at + 1]))
            slot = (hashed >> 20) & (slots - 1)
            while table[slot] > 0:
                slot = (slot + 1) & (slots - 1)
            table[slot] = (hashed << 32) | (at + 1)
    return np.asarray(table)


def find_names(
    offset: cython.const[cython.longlong][::1],
    blob: cython.const[cython.uchar][::1],
    table: cython.const[cython.ulonglong][::1],
    wanted_offset: cython.const[cython.longlong][::1],
    wanted_blob: cython.const[cython.uchar][::1],
):
    """The code each wanted name has among the indexed ones, -1 where it has none.

    Names are hashed and their slots touched some ahead, so that memory is not waited for name by name.
    """
    if not cython.compiled or blob.shape[0] == 0 or wanted_blob.shape[0] == 0:
        return _find_names_plain(offset, blob, wanted_offset, wanted_blob)
    size: cython.Py_ssize_t = wanted_offset.shape[0] - 1
    mask: cython.ulonglong = table.shape[0] - 1
    found: cython.int[::1] = np.full(size, -1, dtype=np.int32)
    ahead: cython.ulonglong[::1] = np.zeros(BATCH + 1, dtype=np.uint64)
    batch: cython.Py_ssize_t = BATCH
    text: cython.p_const_uchar = cython.address(blob[0])
    wanted: cython.p_const_uchar = cython.address(wanted_blob[0])
    low: cython.ulonglong = (1 << 32) - 1
    first: cython.Py_ssize_t = 0
    last: cython.Py_ssize_t
    at: cython.Py_ssize_t
    code: cython.Py_ssize_t
    width: cython.longlong
    slot: cython.ulonglong
    with cython.nogil:
        while first < size:
            last = min(first + batch, size)
            for at in range(first, last):
                ahead[at - first] = _mixed(0, _key(wanted, wanted_offset[at], wanted_offset[at + 1]))
                ahead[batch] ^= table[(ahead[at - first] >> 20) & mask]
            for at in range(first, last):
                width = wanted_offset[at + 1] - wanted_offset[at]
                slot = (ahead[at - first] >> 20) & mask
                while table[slot] > 0:
                    if (table[slot] ^ (ahead[at - first] << 32)) >> 32 == 0:
                        code = cython.cast(cython.Py_ssize_t, table[slot] & low) - 1
                        if width == offset[code + 1] - offset[code] and (
                            memcmp(wanted + wanted_offset[at], text + offset[code], width) == 0
                        ):
                            found[at] = code
                            break
                    slot = (slot + 1) & mask
            first = last
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
