"""Reductions, cumulative functions and differences."""
from .array import Array
from .library import library


def max(x, /, *, axis=None, keepdims=False):
    return Array(library.heddle_max_with(x._handle, axis=axis, keepdims=keepdims))


def min(x, /, *, axis=None, keepdims=False):
    return Array(library.heddle_min_with(x._handle, axis=axis, keepdims=keepdims))


def sum(x, /, *, axis=None, dtype=None, keepdims=False):
    return Array(library.heddle_sum_with(x._handle, axis=axis, dtype=dtype, keepdims=keepdims))


def prod(x, /, *, axis=None, dtype=None, keepdims=False):
    return Array(library.heddle_prod_with(x._handle, axis=axis, dtype=dtype, keepdims=keepdims))


def mean(x, /, *, axis=None, keepdims=False):
    return Array(library.heddle_mean_with(x._handle, axis=axis, keepdims=keepdims))


def std(x, /, *, axis=None, correction=0.0, keepdims=False):
    return Array(library.heddle_std_with(x._handle, axis=axis, correction=correction, keepdims=keepdims))


def var(x, /, *, axis=None, correction=0.0, keepdims=False):
    return Array(library.heddle_var_with(x._handle, axis=axis, correction=correction, keepdims=keepdims))


def all(x, /, *, axis=None, keepdims=False):
    return Array(library.heddle_all_with(x._handle, axis=axis, keepdims=keepdims))


def any(x, /, *, axis=None, keepdims=False):
    return Array(library.heddle_any_with(x._handle, axis=axis, keepdims=keepdims))


def argmax(x, /, *, axis=None, keepdims=False):
    return Array(library.heddle_argmax_with(x._handle, axis=axis, keepdims=keepdims))


def argmin(x, /, *, axis=None, keepdims=False):
    return Array(library.heddle_argmin_with(x._handle, axis=axis, keepdims=keepdims))


def count_nonzero(x, /, *, axis=None, keepdims=False):
    return Array(library.heddle_count_nonzero_with(x._handle, axis=axis, keepdims=keepdims))


def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
    return Array(library.heddle_cumulative_sum_with(x._handle, axis=axis, dtype=dtype,
                                                    include_initial=include_initial))


def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
    return Array(library.heddle_cumulative_prod_with(x._handle, axis=axis, dtype=dtype,
                                                     include_initial=include_initial))


def diff(x, /, *, axis=-1, n=1, prepend=None, append=None):
    if n == 0:
        return x
    ends = {name: end._handle for name, end in (("prepend", prepend), ("append", append)) if end is not None}
    return Array(library.heddle_diff_with(x._handle, axis=axis, n=n, **ends))
