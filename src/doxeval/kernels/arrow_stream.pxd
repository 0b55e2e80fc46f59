# Arrow's C stream interface, and the strings in its arrays (https://arrow.apache.org/docs/format/CStreamInterface.html).

from libc.string cimport strcmp

ctypedef const unsigned char* Text

cdef struct Schema:
    const char* format
    const char* name
    const char* metadata
    long long flags
    long long n_children
    Schema** children
    Schema* dictionary
    void (*release)(Schema*) noexcept
    void* private_data

cdef struct Array:
    long long length
    long long null_count
    long long offset
    long long n_buffers
    long long n_children
    const void** buffers
    Array** children
    Array* dictionary
    void (*release)(Array*) noexcept
    void* private_data

cdef struct Stream:
    int (*get_schema)(Stream*, Schema*) noexcept
    int (*get_next)(Stream*, Array*) noexcept
    const char* (*get_last_error)(Stream*) noexcept
    void (*release)(Stream*) noexcept
    void* private_data

cdef enum Layout:
    NO_STRINGS
    SHORT_OFFSETS
    LONG_OFFSETS
    VIEWS


cdef inline Layout layout_of(Stream* stream) noexcept:
    """How strings are laid out in the arrays of a stream, if it has strings."""
    cdef Schema schema
    cdef Layout layout = NO_STRINGS
    if stream.get_schema(stream, &schema) != 0:
        return layout
    if schema.dictionary == NULL:
        if strcmp(schema.format, b"u") == 0:
            layout = SHORT_OFFSETS
        elif strcmp(schema.format, b"U") == 0:
            layout = LONG_OFFSETS
        elif strcmp(schema.format, b"vu") == 0:
            layout = VIEWS
    if schema.release != NULL:
        schema.release(&schema)
    return layout


cdef inline Text string_at(Array* array, Layout layout, long long row, Py_ssize_t* width) noexcept nogil:
    """The bytes of a string; a view of at most 12 holds them, others say which buffer does, and where."""
    cdef long long at = array.offset + row
    cdef const int* view
    if layout == VIEWS:
        view = (<const int*> array.buffers[1]) + 4 * at
        width[0] = view[0]
        return <Text> (view + 1) if view[0] <= 12 else (<Text> array.buffers[2 + view[2]]) + view[3]
    if layout == SHORT_OFFSETS:
        width[0] = (<const int*> array.buffers[1])[at + 1] - (<const int*> array.buffers[1])[at]
        return (<Text> array.buffers[2]) + (<const int*> array.buffers[1])[at]
    width[0] = (<const long long*> array.buffers[1])[at + 1] - (<const long long*> array.buffers[1])[at]
    return (<Text> array.buffers[2]) + (<const long long*> array.buffers[1])[at]
