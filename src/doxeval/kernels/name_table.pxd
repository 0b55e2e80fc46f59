# Tables of names for compiled kernels: equal byte strings get equal codes, from 1, as they first appear.
#
# A name of at most eight bytes is packed into one integer, which is then all there is to compare; longer ones
# are hashed and compared byte by byte. Without a compiler kernels use dictionaries instead.

from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy

ctypedef unsigned long long Key
ctypedef const unsigned char* Text

cdef struct Slot:
    # A place in a table: code 0 where it is free.
    Key key
    int width
    int code

cdef struct Pending:
    # A name that waits for its code.
    Key key
    int begin
    int width

cdef struct Names:
    # A column of names: where each was first found to begin and end, by code; codes, by row; those that wait.
    int known
    int bits
    int touched
    Slot* table
    Pending* pending
    int* codes
    int* first
    int* after


cdef inline Key mixed(Key hashed, Key word) noexcept nogil:
    """A hash of what was hashed and eight bytes more."""
    hashed = (hashed ^ word) * <Key> 0x9E3779B97F4A7C15
    return hashed ^ (hashed >> 32)


cdef inline Key key_of(Text text, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Up to eight bytes as one integer; a hash of more."""
    cdef Key hashed = 0
    cdef Key word = 0
    cdef Py_ssize_t at = begin
    if end - begin <= 8:
        for at in range(begin, end):
            word = (word << 8) | text[at]
        return word
    while at < end - 8:
        memcpy(&word, text + at, 8)
        hashed = mixed(hashed, word)
        at += 8
    memcpy(&word, text + end - 8, 8)
    return mixed(hashed, word)


cdef inline bint enlarge(Names* names) noexcept nogil:
    """A table of four times as many slots, a first one where there is none; false where memory is wanting."""
    cdef Slot* old = names.table
    cdef Py_ssize_t before = (<Py_ssize_t> 1) << names.bits
    names.bits = names.bits + 2 if old != NULL else 10
    cdef Key mask = ((<Key> 1) << names.bits) - 1
    names.table = <Slot*> calloc(mask + 1, sizeof(Slot))
    cdef Py_ssize_t at
    cdef Key slot
    if names.table != NULL and old != NULL:
        for at in range(before):
            if old[at].code > 0:
                slot = mixed(0, old[at].key) >> (64 - names.bits)
                while names.table[slot].code > 0:
                    slot = (slot + 1) & mask
                names.table[slot] = old[at]
    free(old)
    return names.table != NULL


cdef inline int code_of(Names* names, Text text, Pending* name) noexcept nogil:
    """The code of a name: a new one if it is new."""
    cdef Key mask = ((<Key> 1) << names.bits) - 1
    cdef Key slot = mixed(0, name.key) >> (64 - names.bits)
    while names.table[slot].code > 0:
        if (
            names.table[slot].key == name.key
            and names.table[slot].width == name.width
            and (
                name.width <= 8
                or memcmp(text + name.begin, text + names.first[names.table[slot].code - 1], name.width) == 0
            )
        ):
            return names.table[slot].code
        slot = (slot + 1) & mask
    names.first[names.known] = name.begin
    names.after[names.known] = name.begin + name.width
    names.known += 1
    names.table[slot].key = name.key
    names.table[slot].width = name.width
    names.table[slot].code = names.known
    return names.known


cdef inline bint keep_names(Names* names, Text text, Py_ssize_t row, Py_ssize_t count) noexcept nogil:
    """Give `count` rows from `row` on the codes, from 0, of the names that wait; false where memory is wanting.

    All slots are touched first, then what they stand for, so that memory is waited for once and not for each
    name.
    """
    cdef Py_ssize_t at
    cdef int code = 0
    for at in range(count):
        names.touched += names.table[mixed(0, names.pending[at].key) >> (64 - names.bits)].code
    for at in range(count):
        code = names.table[mixed(0, names.pending[at].key) >> (64 - names.bits)].code
        if code > 0:
            names.touched += text[names.first[code - 1]]
    for at in range(count):
        if (
            at == 0
            or names.pending[at].begin != names.pending[at - 1].begin
            or names.pending[at].width != names.pending[at - 1].width
        ):
            code = code_of(names, text, names.pending + at)
            if names.known >= 1 << (names.bits - 1) and not enlarge(names):
                return False
        names.codes[row + at] = code - 1
    return True
