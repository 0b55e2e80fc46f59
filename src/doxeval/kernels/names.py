"""Kernels for names: equal byte strings get equal codes, and one table of names is looked up in another.

Names are hashed and compared in name_table.pxd; a slot of a lookup table holds half of a name's hash, which
is compared first.
"""

import itertools

import numpy as np

try:
    import cython
except ImportError:
    from doxeval.kernels import stand_in as cython

if cython.compiled:
    from cython.cimports.doxeval.kernels.name_table import (
        Names,
        await_code,
        drop,
        enlarge,
        fill,
        give,
        key_of,
        letters_in,
        mixed,
        settle,
    )
    from cython.cimports.libc.string import memcmp, memcpy

FEWEST_SLOTS = 1024
BATCH = 64


def intern_fields(data: bytes, begin: cython.int[:], end: cython.int[:]):
    """Give the byte strings at `[begin, end)` codes, equal ones equal codes, numbered by first appearance.

    Returns `(codes, offset, letters)`: a code for each field, and the strings behind one another.
    """
    if not cython.compiled:
        return _intern_fields_plain(data, begin, end)
    size: cython.Py_ssize_t = begin.shape[0]
    codes: cython.int[::1] = np.empty(size + 1, dtype=np.int32)
    one: cython.uchar[::1] = np.zeros(cython.sizeof(Names), dtype=np.uint8)
    names: cython.pointer[Names] = cython.cast(cython.pointer[Names], cython.address(one[0]))
    names.codes = cython.address(codes[0])
    text: cython.p_const_uchar = data
    row: cython.Py_ssize_t
    enough: cython.bint
    with cython.nogil:
        enough = enlarge(names)
        for row in range(size):
            enough = enough and await_code(
                names, text, row, begin[row], end[row] - begin[row], key_of(text, begin[row], end[row])
            )
        enough = enough and settle(names, text)
        fill(names, size)
    offset: cython.longlong[::1] = np.empty(names.known + 1, dtype=np.int64)
    letters: cython.uchar[::1] = np.empty(letters_in(names) + 1, dtype=np.uint8)
    if enough:
        give(names, cython.address(offset[0]), cython.address(letters[0]))
    drop(names)
    if not enough:
        raise MemoryError
    return np.asarray(codes)[:size], np.asarray(offset), np.asarray(letters)[: letters.shape[0] - 1]


def _intern_fields_plain(data, begin, end):
    """`intern_fields` without a compiler."""
    known = {}
    codes = [
        known.setdefault(data[start:stop], len(known))
        for start, stop in zip(begin.tolist(), end.tolist(), strict=True)
    ]
    return np.array(codes, dtype=np.int32), *behind_one_another(known)


def behind_one_another(fields):
    """Byte strings as `(offset, letters)`, without a compiler."""
    offset = np.array([0, *itertools.accumulate(map(len, fields))], dtype=np.int64)
    return offset, np.frombuffer(b"".join(fields), dtype=np.uint8)


def gather_fields(data: bytes, begin: cython.int[:], end: cython.int[:]):
    """The bytes of some fields, concatenated: `(offset, blob)`."""
    if not cython.compiled:
        return _gather_fields_plain(data, begin, end)
    size: cython.Py_ssize_t = begin.shape[0]
    offset: cython.longlong[::1] = np.empty(size + 1, dtype=np.int64)
    at: cython.Py_ssize_t
    offset[0] = 0
    for at in range(size):
        offset[at + 1] = offset[at] + end[at] - begin[at]
    blob: cython.uchar[::1] = np.empty(offset[size], dtype=np.uint8)
    text: cython.p_const_uchar = data
    if offset[size] > 0:
        with cython.nogil:
            for at in range(size):
                memcpy(cython.address(blob[0]) + offset[at], text + begin[at], end[at] - begin[at])
    return np.asarray(offset), np.asarray(blob)


def _gather_fields_plain(data, begin, end):
    """`gather_fields` without a compiler."""
    pairs = zip(begin.tolist(), end.tolist(), strict=True)
    return behind_one_another([data[start:stop] for start, stop in pairs])


def last_parts(
    blob: cython.const[cython.uchar][::1],
    begin: cython.const[cython.longlong][::1],
    end: cython.const[cython.longlong][::1],
):
    """Where the last part of each path `blob[begin:end]` begins, and its last dot: -1 if it has none."""
    size: cython.Py_ssize_t = begin.shape[0]
    part: cython.longlong[::1] = np.empty(size, dtype=np.int64)
    dot: cython.longlong[::1] = np.full(size, -1, dtype=np.int64)
    row: cython.Py_ssize_t
    at: cython.longlong
    with cython.nogil:
        for row in range(size):
            at = end[row]
            while at > begin[row] and blob[at - 1] != 47 and blob[at - 1] != 92:
                at -= 1
                if blob[at] == 46 and dot[row] < 0:
                    dot[row] = at
            part[row] = at
    return np.asarray(part), np.asarray(dot)


def index_names(offset: cython.const[cython.longlong][::1], blob: cython.const[cython.uchar][::1]):
    """A table for `find_names` over the names `blob[offset[i]:offset[i + 1]]`.

    A slot holds half of a name's hash, and its code from 1; 0 if it is free.
    """
    size: cython.Py_ssize_t = offset.shape[0] - 1
    slots: cython.Py_ssize_t = max(FEWEST_SLOTS, 1 << int(2 * size).bit_length())
    table: cython.ulonglong[::1] = np.zeros(slots, dtype=np.uint64)
    if not cython.compiled or blob.shape[0] == 0:
        return np.asarray(table)
    text: cython.p_const_uchar = cython.address(blob[0])
    at: cython.Py_ssize_t
    with cython.nogil:
        for at in range(size):
            hashed = mixed(0, key_of(text, offset[at], offset[at + 1]))
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
    """The code of each wanted name among the indexed ones, -1 if it has none.

    Names are hashed and their slots touched in advance, to avoid waiting for memory name by name.
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
                ahead[at - first] = mixed(0, key_of(wanted, wanted_offset[at], wanted_offset[at + 1]))
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
