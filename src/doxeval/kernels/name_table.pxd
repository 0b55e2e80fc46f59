# Tables of names for compiled kernels: equal byte strings get equal codes, as they first appear.
#
# Names are copied behind one another as they appear: what is looked at again lies close together, not all over
# the file. A name of at most eight bytes is packed into one integer, which is then all there is to compare;
# longer ones are hashed first. Without a compiler kernels use dictionaries instead.

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy

ctypedef unsigned long long Key
ctypedef const unsigned char* Text

cdef enum:
    BATCH = 64

cdef struct Slot:
    # A place in a table: half of a name's hash, and its code from 1; 0 where it is free.
    unsigned int half
    unsigned int code

cdef struct Name:
    # Where a name is: in the text as long as it waits for its code, then among the names known.
    Key key
    int begin
    int width

cdef struct Names:
    # A column of names. Those that wait are for rows from `row` on, up to that of the next one; rows before
    # `filled` have their codes, and all after it that of the name `current`.
    Slot* table
    Name* names
    unsigned char* letters
    int* codes
    Py_ssize_t room
    int bits
    int known
    int waits
    int current
    Py_ssize_t filled
    Key touched
    Name waiting[BATCH]
    Py_ssize_t row[BATCH]


cdef inline Key mixed(Key hashed, Key word) noexcept nogil:
    """A hash of what was hashed and eight bytes more."""
    hashed = (hashed ^ word) * <Key> 0x9E3779B97F4A7C15
    return hashed ^ (hashed >> 32)


cdef inline Key word_at(Text text) noexcept nogil:
    cdef Key word
    memcpy(&word, text, 8)
    return word


cdef inline bint no_blank_in(Key word) noexcept nogil:
    """Whether each of eight bytes is larger than a blank: none has to borrow when 33 is taken from all.

    A byte up to 32 borrows, which sets its highest bit; bytes from 128 on have it anyway, hence ~word. Only a
    byte above one that borrows can be mistaken, and then the answer is no already.
    """
    return (word - <Key> 0x2121212121212121) & ~word & <Key> 0x8080808080808080 == 0


cdef inline Key half_word_at(Text text) noexcept nogil:
    cdef unsigned int word
    memcpy(&word, text, 4)
    return word


cdef inline Key key_of(Text text, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """A hash; up to eight bytes as an integer that, among names of this length, is that of no other."""
    # Words overlap at the end of a name, so that no byte is read beyond it and none is left out: of 11 bytes
    # those from 0 to 8 and from 3 to 11; of 6, those from 0 to 4 and from 2 to 6; of 3 or fewer the first, the
    # middle and the last.
    cdef Key hashed = 0
    cdef Py_ssize_t at = begin
    cdef Py_ssize_t width = end - begin
    if width > 8:
        while at < end - 8:
            hashed = mixed(hashed, word_at(text + at))
            at += 8
        return mixed(hashed, word_at(text + end - 8))
    if width >= 4:
        return half_word_at(text + begin) | half_word_at(text + end - 4) << 32
    if width == 0:
        return 0
    return text[begin] | (<Key> text[begin + (width >> 1)]) << 8 | (<Key> text[end - 1]) << 16


cdef inline bint same_bytes(Text one, Text other, Py_ssize_t width) noexcept nogil:
    """Whether two names of more than eight bytes are equal."""
    cdef Py_ssize_t at = 0
    while at < width - 8:
        if word_at(one + at) != word_at(other + at):
            return False
        at += 8
    return word_at(one + width - 8) == word_at(other + width - 8)


cdef inline bint enlarge(Names* names) noexcept nogil:
    """A table of twice as many slots, a first one where there is none; false where memory is wanting."""
    names.bits = names.bits + 1 if names.table != NULL else 10
    free(names.table)
    cdef Key mask = ((<Key> 1) << names.bits) - 1
    names.table = <Slot*> calloc(mask + 1, sizeof(Slot))
    cdef Name* larger = <Name*> realloc(names.names, ((mask + 1) >> 1) * sizeof(Name))
    if names.table == NULL or larger == NULL:
        return False
    names.names = larger
    cdef int at
    cdef Key hashed
    cdef Key slot
    for at in range(names.known):
        hashed = mixed(0, names.names[at].key)
        slot = hashed >> (64 - names.bits)
        while names.table[slot].code > 0:
            slot = (slot + 1) & mask
        names.table[slot].half = <unsigned int> hashed
        names.table[slot].code = at + 1
    return True


cdef inline Py_ssize_t letters_in(Names* names) noexcept nogil:
    """The bytes of all known names."""
    cdef Name* last = names.names + names.known - 1
    return last.begin + last.width if names.known > 0 else 0


cdef inline bint keep(Names* names, Text text, Name* name) noexcept nogil:
    """Copy a new name behind those known; false where memory is wanting."""
    cdef Name* known = names.names + names.known
    cdef unsigned char* larger
    known.key = name.key
    known.width = name.width
    known.begin = <int> letters_in(names)
    if known.begin + name.width > names.room:
        names.room = 2 * names.room + name.width + 1024
        larger = <unsigned char*> realloc(names.letters, names.room)
        if larger == NULL:
            return False
        names.letters = larger
    memcpy(names.letters + known.begin, text + name.begin, name.width)
    names.known += 1
    return True


cdef inline bint find_or_keep(Names* names, Text text, Name* name) noexcept nogil:
    """Make a name the current one, and keep it if it is new; false where memory is wanting.

    Open addressing: from the slot of its hash on, slots are tried until the name or a free one is found. At most
    half of the slots are taken, so that there always is a free one, and seldom more than two are tried.
    """
    cdef Key mask = ((<Key> 1) << names.bits) - 1
    cdef Key hashed = mixed(0, name.key)
    cdef Key slot = hashed >> (64 - names.bits)
    cdef Name* known
    while names.table[slot].code > 0:
        if names.table[slot].half == <unsigned int> hashed:
            known = names.names + names.table[slot].code - 1
            if (
                known.key == name.key
                and known.width == name.width
                and (
                    name.width <= 8
                    or same_bytes(text + name.begin, names.letters + known.begin, name.width)
                )
            ):
                names.current = names.table[slot].code - 1
                return True
        slot = (slot + 1) & mask
    names.current = names.known
    names.table[slot].half = <unsigned int> hashed
    names.table[slot].code = names.known + 1
    return keep(names, text, name) and (names.known < 1 << (names.bits - 1) or enlarge(names))


cdef inline void fill(Names* names, Py_ssize_t row) noexcept nogil:
    """Give the rows before `row` the code of the current name."""
    cdef Py_ssize_t at
    for at in range(names.filled, row):
        names.codes[at] = names.current
    names.filled = row


cdef inline bint settle(Names* names, Text text) noexcept nogil:
    """Give the names that wait their codes; false where memory is wanting.

    All slots are touched first, then what they stand for, so that memory is waited for once and not for each
    name.
    """
    cdef Py_ssize_t at
    cdef unsigned int code
    cdef Name* known
    for at in range(names.waits):
        names.touched += names.table[mixed(0, names.waiting[at].key) >> (64 - names.bits)].code
    for at in range(names.waits):
        code = names.table[mixed(0, names.waiting[at].key) >> (64 - names.bits)].code
        if code > 0:
            known = names.names + code - 1
            names.touched += known.key
            if known.width > 8:
                names.touched += names.letters[known.begin]
    for at in range(names.waits):
        fill(names, names.row[at])
        if not find_or_keep(names, text, names.waiting + at):
            return False
    names.waits = 0
    return True


cdef inline bint await_code(
    Names* names, Text text, Py_ssize_t row, Py_ssize_t begin, Py_ssize_t width, Key key
) noexcept nogil:
    """Let a name wait, which rows from `row` on have; false where memory is wanting."""
    cdef Name* name = names.waiting + names.waits
    name.key = key
    name.begin = <int> begin
    name.width = <int> width
    names.row[names.waits] = row
    names.waits += 1
    return names.waits < BATCH or settle(names, text)


cdef inline tuple table_of(Names* names):
    """Where each known name begins and the last one ends, as bytes of 64-bit numbers, and all the letters.

    Names d1, doc22, d3 give 0, 2, 7, 9 and d1doc22d3: name i is letters[offset[i]:offset[i + 1]].
    """
    offsets = PyBytes_FromStringAndSize(NULL, sizeof(long long) * (names.known + 1))
    letters = PyBytes_FromStringAndSize(NULL, letters_in(names))
    cdef long long* offset = <long long*> PyBytes_AsString(offsets)
    cdef int at
    offset[0] = 0
    for at in range(names.known):
        offset[at + 1] = offset[at] + names.names[at].width
    memcpy(PyBytes_AsString(letters), names.letters, offset[names.known])
    return offsets, letters


cdef inline void drop(Names* names) noexcept nogil:
    """Free the memory of a column of names."""
    free(names.table)
    free(names.names)
    free(names.letters)
