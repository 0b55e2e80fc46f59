"""A kernel that unpacks blocks of Snappy, which most writers of Parquet files use."""

try:
    import cython
except ImportError:
    from doxeval.kernels import stand_in as cython


def snappy_unpacked(packed: bytes, size: cython.Py_ssize_t):
    """The `size` bytes that a block holds; None if it holds another number, or is damaged.

    A block begins with its size; then come literal bytes and copies of what was unpacked before.

    >>> snappy_unpacked(bytes([8, 4, 97, 98, 9, 2]), 8), snappy_unpacked(bytes([8, 4, 97, 98, 9, 3]), 8)
    (b'abababab', None)
    """
    data: cython.const[cython.uchar][::1] = packed
    end: cython.Py_ssize_t = len(packed)
    found = bytearray(size)
    out: cython.uchar[::1] = found
    at: cython.Py_ssize_t = 0
    filled: cython.Py_ssize_t = 0
    length: cython.Py_ssize_t = 0
    back: cython.Py_ssize_t
    more: cython.Py_ssize_t
    step: cython.Py_ssize_t
    shift: cython.int = 0
    while True:
        if at >= end or shift > 28:
            return None
        length |= cython.cast(cython.Py_ssize_t, data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            break
    if length != size:
        return None
    while at < end:
        kind: cython.int = data[at] & 3
        length = data[at] >> 2
        at += 1
        more = kind if kind != 3 else 4
        if kind == 0:
            more = length - 59 if length > 59 else 0
        if at + more > end:
            return None
        value: cython.Py_ssize_t = 0
        for step in range(more):
            value |= cython.cast(cython.Py_ssize_t, data[at + step]) << (8 * step)
        at += more
        if kind == 0:
            length = (value if more else length) + 1
            if length > end - at or length > size - filled:
                return None
            for step in range(length):
                out[filled + step] = data[at + step]
            at += length
        else:
            back = value
            if kind == 1:
                back |= (length >> 3) << 8
                length = (length & 7) + 4
            else:
                length += 1
            if back < 1 or back > filled or length > size - filled:
                return None
            for step in range(length):
                out[filled + step] = out[filled + step - back]
        filled += length
    return bytes(found) if filled == size else None
