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
        key_of,
        mixed,
        settle,
        table_of,
    )
    from cython.cimports.libc.string import memcmp, memcpy

FEWEST_SLOTS = 1024
BATCH = 64


def intern_fields(data: bytes, begin: cython.int[:], end: cython.int[:]):
    """Give the byte strings at `[begin, end)` codes, equal ones equal codes, numbered by first appearance.

    Returns `(codes, offset, letters)`: a code for each field, and the strings behind one another.

    >>> begin, end = np.array([0, 3, 6], dtype=np.int32), np.array([2, 5, 8], dtype=np.int32)
    >>> codes, offset, letters = intern_fields(b"d1 d2 d1", begin, end)
    >>> codes.tolist(), offset.tolist(), bytes(letters)
    ([0, 1, 0], [0, 2, 4], b'd1d2')
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
    has_memory: cython.bint
    with cython.nogil:
        has_memory = enlarge(names)
        for row in range(size):
            has_memory = has_memory and await_code(
                names, text, row, begin[row], end[row] - begin[row], key_of(text, begin[row], end[row])
            )
        has_memory = has_memory and settle(names, text)
        fill(names, size)
    table = table_of(names) if has_memory else None
    drop(names)
    if table is None:
        raise MemoryError
    return np.asarray(codes)[:size], *as_arrays(*table)


def as_arrays(offset, letters):
    """A table of names, given as bytes, as two arrays."""
    return np.frombuffer(offset, dtype=np.int64), np.frombuffer(letters, dtype=np.uint8)


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
    """The bytes of some fields, concatenated: `(offset, blob)`.

    >>> begin, end = np.array([3, 0], dtype=np.int32), np.array([6, 2], dtype=np.int32)
    >>> offset, blob = gather_fields(b"ab,cde", begin, end)
    >>> offset.tolist(), bytes(blob)
    ([0, 3, 5], b'cdeab')
    """
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


def index_names(offset: cython.const[cython.longlong][::1], blob: cython.const[cython.uchar][::1]):
    """A table for `find_names` over the names `blob[offset[i]:offset[i + 1]]`.

    A slot holds half of a name's hash, and its code from 1; 0 if it is free. There are more than twice as
    many slots as names, and at least 1,024, so that a search soon meets a free one. Without a compiler it
    stays empty: a dictionary is made instead.

    >>> len(index_names(np.array([0, 2, 4]), np.frombuffer(b"d1d2", dtype=np.uint8)))
    1024
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


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _code_of_name(
    name: cython.p_const_uchar,
    width: cython.longlong,
    hashed: cython.ulonglong,
    table: cython.const[cython.ulonglong][::1],
    offset: cython.const[cython.longlong][::1],
    text: cython.p_const_uchar,
) -> cython.Py_ssize_t:
    """The code of one name, -1 if it has none: half of the hash, the length and the bytes must be equal."""
    mask: cython.ulonglong = table.shape[0] - 1
    low: cython.ulonglong = 0xFFFFFFFF
    slot: cython.ulonglong = (hashed >> 20) & mask
    code: cython.Py_ssize_t
    while table[slot] > 0:
        if (table[slot] ^ (hashed << 32)) >> 32 == 0:
            code = cython.cast(cython.Py_ssize_t, table[slot] & low) - 1
            if width == offset[code + 1] - offset[code] and memcmp(name, text + offset[code], width) == 0:
                return code
        slot = (slot + 1) & mask
    return -1


def find_names(
    offset: cython.const[cython.longlong][::1],
    blob: cython.const[cython.uchar][::1],
    table: cython.const[cython.ulonglong][::1],
    wanted_offset: cython.const[cython.longlong][::1],
    wanted_blob: cython.const[cython.uchar][::1],
):
    """The code of each wanted name among the indexed ones, -1 if it has none.

    Of 64 names at a time, all are hashed and their slots touched before the first is compared: the processor
    fetches many slots at once, where it would otherwise wait for memory name by name.

    >>> known, wanted = (np.frombuffer(letters, dtype=np.uint8) for letters in (b"d1d2", b"d2x"))
    >>> table = index_names(np.array([0, 2, 4]), known)
    >>> find_names(np.array([0, 2, 4]), known, table, np.array([0, 2, 3]), wanted).tolist()
    [1, -1]
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
    first: cython.Py_ssize_t = 0
    last: cython.Py_ssize_t
    at: cython.Py_ssize_t
    with cython.nogil:
        while first < size:
            last = min(first + batch, size)
            for at in range(first, last):
                ahead[at - first] = mixed(0, key_of(wanted, wanted_offset[at], wanted_offset[at + 1]))
                ahead[batch] ^= table[(ahead[at - first] >> 20) & mask]
            for at in range(first, last):
                found[at] = _code_of_name(
                    wanted + wanted_offset[at], wanted_offset[at + 1] - wanted_offset[at], ahead[at - first],
                    table, offset, text,
                )  # fmt: skip
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
