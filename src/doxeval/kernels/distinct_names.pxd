# Names that are not in one text: each is looked up, and copied if it is new, at once.

from cpython.unicode cimport PyUnicode_AsUTF8AndSize

from doxeval.kernels.name_table cimport Name, Names, Text, enlarge, find_or_keep, key_of, letters_in

cdef enum:
    # Longer texts gain nothing by being copied; places are 32 bits wide.
    LONGEST_NAME = 1000
    MOST_BYTES = 2147482647
    NO_NAME = -1
    NO_MEMORY = -2


cdef inline int code_of_text(Names* known, Text text, Py_ssize_t width) noexcept nogil:
    """The code of a name, from 0 by first appearance; NO_NAME if it is empty or long; or NO_MEMORY."""
    cdef Name name
    if width == 0 or width > LONGEST_NAME or letters_in(known) > MOST_BYTES:
        return NO_NAME
    if known.table == NULL and not enlarge(known):
        return NO_MEMORY
    name.key = key_of(text, 0, width)
    name.begin = 0
    name.width = <int> width
    return known.current if find_or_keep(known, text, &name) else NO_MEMORY


cdef inline bint take_string(Names* known, object value, int* code) except -1:
    """Find the code of a string; whether it is a name. An error if it cannot be written as UTF-8."""
    cdef Py_ssize_t width = 0
    if type(value) is not str:
        return False
    cdef const char* text = PyUnicode_AsUTF8AndSize(value, &width)
    code[0] = code_of_text(known, <Text> text, width)
    if code[0] == NO_MEMORY:
        raise MemoryError
    return code[0] != NO_NAME
