"""The functions of arrays. The elementwise ones are rows of ops.def."""
import operator

from . import dtypes
from .array import Array, as_handle
from .headers import rows
from .library import INCLUDE, declared, library


def _elementwise(name, arity):
    call = getattr(library, "heddle_" + name)
    if arity == 1:
        def function(x, /):
            return Array(call(x._handle))
    else:
        def function(x1, x2, /):
            return Array(call(as_handle(x1), as_handle(x2)))
    function.__name__ = function.__qualname__ = name
    return function


ARITY = {row[1]: int(row[2]) for row in rows(INCLUDE, "ops", "HEDDLE_OP") if row[1] != "where"}
globals().update({name: _elementwise(name, arity) for name, arity in ARITY.items()})


def clip(x, /, min=None, max=None):
    low, high = (None if limit is None else as_handle(limit) for limit in (min, max))
    return Array(library.heddle_clip(x._handle, low, high))


def where(condition, x1, x2, /):
    return Array(library.heddle_where(as_handle(condition), as_handle(x1), as_handle(x2)))


def astype(x, dtype, /, *, copy=True, device=None):
    if not copy and dtype == x.dtype and device in (None, x.device):
        return x
    y = Array(library.heddle_astype(x._handle, dtype), x.device)
    return y if device in (None, x.device) else y.to_device(device)


def result_type(*arrays_and_dtypes):
    """Of dtypes, arrays and Python scalars, which are weak: the library's rule for x + y, of 0-d arrays."""
    operands = sorted(arrays_and_dtypes, key=lambda o: isinstance(o, (bool, int, float, complex)))
    handles = [library.heddle_zeros_with((), dtype=o) if isinstance(o, dtypes.DType)
               else library.heddle_zeros_like_with(o._handle) if isinstance(o, Array) else as_handle(o)
               for o in operands]
    while len(handles) > 1:
        handles[:2] = [library.heddle_where(as_handle(True), handles[0], handles[1])]
    return dtypes.by_number[library.heddle_dtype_of(handles[0])]


# ---- Indexing, searching, sorting

def take(x, indices, /, *, axis=None):
    return Array(library.heddle_take_with(x._handle, indices._handle, axis=axis))


def take_along_axis(x, indices, /, *, axis=-1):
    return Array(library.heddle_take_along_axis_with(x._handle, indices._handle, axis=axis))


def sort(x, /, *, axis=-1, descending=False, stable=True):
    return Array(library.heddle_sort_with(x._handle, axis=axis, descending=descending))


def argsort(x, /, *, axis=-1, descending=False, stable=True):
    return Array(library.heddle_argsort_with(x._handle, axis=axis, descending=descending))


def searchsorted(x1, x2, /, *, side="left", sorter=None):
    sides = {"left": "HEDDLE_SIDE_LEFT", "right": "HEDDLE_SIDE_RIGHT"}
    return Array(library.heddle_searchsorted_with(x1._handle, x2._handle, side=declared.enumerators[sides[side]],
                                                  sorter=None if sorter is None else sorter._handle))


def nonzero(x, /):
    return tuple(Array(h) for h in library.heddle_nonzero(x._handle, x.ndim, n_out=x.ndim))


# ---- Products

def matmul(x1, x2, /):
    return Array(library.heddle_matmul(x1._handle, x2._handle))


def matrix_transpose(x, /):
    return x.mT


def tensordot(x1, x2, /, *, axes=2):
    if isinstance(axes, int):
        return Array(library.heddle_tensordot(x1._handle, x2._handle, axes, None, None))
    first, second = ([operator.index(a) for a in side] for side in axes)
    if len(first) != len(second):
        raise ValueError(f"tensordot: {len(first)} axes with {len(second)}")
    return Array(library.heddle_tensordot(x1._handle, x2._handle, first, second))


def vecdot(x1, x2, /, *, axis=-1):
    return Array(library.heddle_vecdot_with(x1._handle, x2._handle, axis=axis))
