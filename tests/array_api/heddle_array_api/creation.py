"""Creation functions."""
import ctypes

import numpy

from . import dtypes
from .array import ANYWHERE, Array, as_handle, from_numpy, place
from .library import library, options


def _shape(shape):
    return tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)


def _made(handle, device):
    if device in (None, ANYWHERE):
        return Array(handle)
    return Array(library.heddle_to(handle, place(device)), device)


def asarray(obj, /, *, dtype=None, device=None, copy=None):
    if isinstance(obj, Array):
        if copy is False and dtype not in (None, obj.dtype):
            raise ValueError(f"{obj.dtype} as {dtype} without a copy")
        same = dtype in (None, obj.dtype) and device in (None, obj.device)
        if same and not copy:
            return obj
        handle = obj._handle if dtype in (None, obj.dtype) else library.heddle_astype(obj._handle, dtype)
        return Array(handle, obj.device) if device in (None, obj.device) else _made(handle, device)
    if copy is False:
        raise ValueError("Python objects are arrays only by a copy")
    values = numpy.asarray(obj, dtype=dtype and dtype.name)
    return _made(from_numpy(values), device)


def arange(start, /, stop=None, step=1, *, dtype=None, device=None):
    if stop is None:
        start, stop = 0, start
    return _made(library.heddle_arange_with(as_handle(start), as_handle(stop), as_handle(step), dtype=dtype), device)


def linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True):
    return _made(library.heddle_linspace_with(as_handle(start), as_handle(stop), num, dtype=dtype,
                                              endpoint_excluded=not endpoint), device)


def eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None):
    k = max(-2**62, min(k, 2**62))  # ctypes would take the low bits of what int64 does not hold
    return _made(library.heddle_eye_with(n_rows, -1 if n_cols is None else n_cols, k=k, dtype=dtype), device)


def empty(shape, *, dtype=None, device=None):
    return _made(library.heddle_empty_with(_shape(shape), dtype=dtype), device)


def zeros(shape, *, dtype=None, device=None):
    return _made(library.heddle_zeros_with(_shape(shape), dtype=dtype), device)


def ones(shape, *, dtype=None, device=None):
    return _made(library.heddle_ones_with(_shape(shape), dtype=dtype), device)


def full(shape, fill_value, *, dtype=None, device=None):
    return _made(library.heddle_full_with(_shape(shape), as_handle(fill_value), dtype=dtype), device)


def empty_like(x, /, *, dtype=None, device=None):
    return _made(library.heddle_empty_like_with(x._handle, dtype=dtype), device or x.device)


def zeros_like(x, /, *, dtype=None, device=None):
    return _made(library.heddle_zeros_like_with(x._handle, dtype=dtype), device or x.device)


def ones_like(x, /, *, dtype=None, device=None):
    return _made(library.heddle_ones_like_with(x._handle, dtype=dtype), device or x.device)


def full_like(x, /, fill_value, *, dtype=None, device=None):
    return _made(library.heddle_full_like_with(x._handle, as_handle(fill_value), dtype=dtype), device or x.device)


def meshgrid(*arrays, indexing="xy"):
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing {indexing!r}")
    handles = [a._handle for a in arrays]
    return [Array(h) for h in library.heddle_meshgrid_with(handles, n_out=len(handles),
                                                           matrix_indexing=indexing == "ij")]


def tril(x, /, *, k=0):
    return Array(library.heddle_tril(x._handle, k))


def triu(x, /, *, k=0):
    return Array(library.heddle_triu(x._handle, k))


class __array_namespace_info__:
    """What the library has."""

    def capabilities(self):
        limits = options("heddle_limits")
        library.heddle_limits_get(ctypes.byref(limits))
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": limits.max_ndim}

    def default_device(self):
        return ANYWHERE

    def devices(self):
        n = [ctypes.c_int(), ctypes.c_int()]
        library.heddle_count_places(*map(ctypes.byref, n))
        return [ANYWHERE] + [f"{kind}:{i}" for kind, count in zip(("cpu", "gpu"), n) for i in range(count.value)]

    def default_dtypes(self, *, device=None):
        return {"real floating": dtypes.default("F"), "complex floating": dtypes.default("C"),
                "integral": dtypes.default("I"), "indexing": dtypes.default("I")}

    def dtypes(self, *, device=None, kind=None):
        return {name: dtype for name, dtype in dtypes.by_name.items() if kind is None or dtypes.isdtype(dtype, kind)}
