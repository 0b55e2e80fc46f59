# Numbers as they stand in bytes, for compiled kernels; behind every field there is a byte that is no digit.

cimport cython

ctypedef const unsigned char* Text


cdef inline Py_ssize_t take_integer(
    Text text, Py_ssize_t begin, unsigned long long largest, long long* value, bint* fine
) noexcept nogil:
    """Read an integer of at most 18 digits that is at most `largest`; returns where its digits end."""
    cdef Py_ssize_t at = begin
    cdef unsigned long long amount = 0
    cdef unsigned int digit
    if text[at] == c"-" or text[at] == c"+":
        at += 1
    cdef Py_ssize_t first = at
    while True:
        digit = (<unsigned int> text[at]) - 48
        if digit > 9:
            break
        amount = amount * 10 + digit
        at += 1
    fine[0] = 0 < at - first <= 18 and amount <= largest
    value[0] = -<long long> amount if text[begin] == c"-" else <long long> amount
    return at


@cython.cdivision(True)
cdef inline Py_ssize_t take_number(
    Text text, Py_ssize_t begin, const double* power, double* value, bint* fine
) noexcept nogil:
    """Read a decimal number; returns where its digits end.

    Fine if it is exact in one division: digits up to 2^53, at most 22 of a fraction.
    """
    cdef Py_ssize_t at = begin
    cdef Py_ssize_t point = -1
    cdef unsigned long long mantissa = 0
    cdef unsigned long long exact = (<unsigned long long> 1) << 53
    cdef unsigned int digit
    if text[at] == c"-" or text[at] == c"+":
        at += 1
    cdef Py_ssize_t first = at
    while True:
        digit = (<unsigned int> text[at]) - 48
        if digit <= 9:
            mantissa = mantissa * 10 + digit
        elif text[at] == c"." and point < 0:
            point = at
        else:
            break
        at += 1
    cdef Py_ssize_t digits = at - first - (point >= 0)
    cdef Py_ssize_t scale = at - point - 1 if point >= 0 else 0
    fine[0] = 0 < digits <= 18 and mantissa <= exact and scale <= 22
    if fine[0]:
        value[0] = mantissa / power[scale]
        if text[begin] == c"-":
            value[0] = -value[0]
    return at
