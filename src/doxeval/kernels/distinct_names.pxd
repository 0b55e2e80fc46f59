# Distinct names for compiled kernels, kept behind one another in bytes of their own: a new name is copied once.

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.unicode cimport PyUnicode_AsUTF8AndSize
from libc.stdlib cimport free, realloc
from libc.string cimport memcmp, memcpy

from doxeval.kernels.name_table cimport Key, Names, Slot, Text, enlarge, key_of, mixed

cdef enum:
    # Longer texts gain nothing by being copied; places are 32 bits wide.
    LONGEST_NAME = 1000
    MOST_BYTES = 2147482647
    NO_NAME = -1
    NO_MEMORY = -2

cdef struct Distinct:
    # A table of names that stand in `letters`; all zero at first.
    Names names
    unsigned char* letters
    Py_ssize_t filled
    Py_ssize_t room


cdef inline void release(Distinct* known) noexcept nogil:
    """Free the memory."""
    free(known.names.table)
    free(known.names.first)
    free(known.letters)


cdef inline bint _make_room(Distinct* known, Py_ssize_t width) noexcept nogil:
    """Room for one more name of this width; false where memory is wanting."""
    cdef void* larger
    cdef Py_ssize_t most
    if known.names.table == NULL or known.names.known + 1 >= 1 << (known.names.bits - 1):
        if not enlarge(&known.names):
            return False
        most = sizeof(int) * ((<Py_ssize_t> 1) << (known.names.bits - 1))
        larger = realloc(known.names.first, most)
        if larger == NULL:
            return False
        known.names.first = <int*> larger
    if known.filled + width > known.room:
        larger = realloc(known.letters, 2 * known.room + 64 * width)
        if larger == NULL:
            return False
        known.letters = <unsigned char*> larger
        known.room = 2 * known.room + 64 * width
    return True


cdef inline int code_of_text(Distinct* known, Text text, Py_ssize_t width) noexcept nogil:
    """The code of a name, from 0 by first appearance; NO_NAME if it is empty or long; or NO_MEMORY."""
    cdef Slot* slot
    cdef Key place
    cdef Key key
    if width == 0 or width > LONGEST_NAME or known.filled > MOST_BYTES:
        return NO_NAME
    if not _make_room(known, width):
        return NO_MEMORY
    key = key_of(text, 0, width)
    place = mixed(0, key) >> (64 - known.names.bits)
    slot = known.names.table + place
    while slot.code > 0:
        if slot.key == key and slot.width == width and (
            width <= 8 or memcmp(text, known.letters + known.names.first[slot.code - 1], width) == 0
        ):
            return slot.code - 1
        place = (place + 1) & (((<Key> 1) << known.names.bits) - 1)
        slot = known.names.table + place
    memcpy(known.letters + known.filled, text, width)
    known.names.first[known.names.known] = <int> known.filled
    known.filled += width
    known.names.known += 1
    slot.key = key
    slot.width = <int> width
    slot.code = known.names.known
    return known.names.known - 1


cdef inline bint take_string(Distinct* known, object value, int* code) except -1:
    """Find the code of a string; whether it is a name. An error if it cannot be written as UTF-8."""
    cdef Py_ssize_t width = 0
    if type(value) is not str:
        return False
    cdef const char* text = PyUnicode_AsUTF8AndSize(value, &width)
    code[0] = code_of_text(known, <Text> text, width)
    if code[0] == NO_MEMORY:
        raise MemoryError
    return code[0] != NO_NAME


cdef inline tuple table_of(Distinct* known):
    """Where each name begins and the last one ends, as bytes of 32-bit numbers, and all the letters."""
    if not _make_room(known, 1):
        raise MemoryError
    known.names.first[known.names.known] = <int> known.filled
    return (
        PyBytes_FromStringAndSize(<char*> known.names.first, sizeof(int) * (known.names.known + 1)),
        PyBytes_FromStringAndSize(<char*> known.letters, known.filled),
    )
