"""Set functions: named tuples of arrays."""
import ctypes
from collections import namedtuple

from .array import Array
from .library import declared, library, owned

UniqueAll = namedtuple("UniqueAll", "values indices inverse_indices counts")
UniqueCounts = namedtuple("UniqueCounts", "values counts")
UniqueInverse = namedtuple("UniqueInverse", "values inverse_indices")


def _two(call, x):
    out = [ctypes.c_void_p(), ctypes.c_void_p()]
    call(x._handle, *map(ctypes.byref, out))
    return (Array(owned(pointer.value)) for pointer in out)


def unique_all(x, /):
    out = declared.structs["heddle_unique"]()
    library.heddle_unique_all_with(x._handle, ctypes.byref(out))
    return UniqueAll(*(Array(owned(p)) for p in (out.values, out.indices, out.inverse, out.counts)))


def unique_counts(x, /):
    return UniqueCounts(*_two(library.heddle_unique_counts_with, x))


def unique_inverse(x, /):
    return UniqueInverse(*_two(library.heddle_unique_inverse_with, x))


def unique_values(x, /):
    return Array(library.heddle_unique_values_with(x._handle))
