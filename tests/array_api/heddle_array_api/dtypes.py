"""Dtypes and what there is to ask about them."""
import ctypes

from .headers import rows
from .library import INCLUDE, declared, library


class DType:
    """A dtype of the library: its name, and its number as an argument."""

    def __init__(self, name, number):
        self.name, self._as_parameter_ = name, number

    def __repr__(self):
        return self.name


by_number = {}
by_name = {}
for _row in rows(INCLUDE, "dtypes", "HEDDLE_DTYPE"):
    _dtype = DType(_row[1], declared.enumerators["HEDDLE_" + _row[0]])
    by_number[_dtype._as_parameter_] = by_name[_dtype.name] = _dtype
globals().update(by_name)


def kind_of(dtype):
    return library.heddle_dtype_kind(dtype).decode()


def default(kind):
    return by_number[library.heddle_default_dtype(kind.encode())]


def isdtype(dtype, kind):
    if isinstance(kind, tuple):
        return any(isdtype(dtype, k) for k in kind)
    return library.heddle_isdtype(dtype, kind.encode()) if isinstance(kind, str) else dtype == kind


def can_cast(from_, to, /):
    return library.heddle_can_cast(getattr(from_, "dtype", from_), to)


class _Limits:
    """finfo and iinfo: the struct of the library, with a dtype for its dtype."""

    def __init__(self, get, tag, type):
        struct = declared.structs[tag]()
        get(getattr(type, "dtype", type), ctypes.byref(struct))
        for name, _ in struct._fields_:
            setattr(self, name, getattr(struct, name))
        self.dtype = by_number[self.dtype]


def finfo(type, /):
    return _Limits(library.heddle_finfo_get, "heddle_finfo", type)


def iinfo(type, /):
    return _Limits(library.heddle_iinfo_get, "heddle_iinfo", type)
