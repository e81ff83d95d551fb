"""The extension linalg: functions of matrices, which are the last two axes."""
import ctypes
from collections import namedtuple

from .array import Array, as_handle
from .functions import matmul, matrix_transpose, tensordot, vecdot  # noqa: F401
from .library import declared, library, owned

EighResult = namedtuple("EighResult", "eigenvalues eigenvectors")
QRResult = namedtuple("QRResult", "Q R")
SVDResult = namedtuple("SVDResult", "U S Vh")
SlogdetResult = namedtuple("SlogdetResult", "sign logabsdet")


def _several(n, call, x, **named):
    out = [ctypes.c_void_p() for _ in range(n)]
    call(x._handle, *map(ctypes.byref, out), **named)
    return (Array(owned(pointer.value)) for pointer in out)


def eigh(x, /):
    return EighResult(*_several(2, library.heddle_linalg_eigh_with, x))


def eigvalsh(x, /):
    return Array(library.heddle_linalg_eigvalsh_with(x._handle))


def svd(x, /, *, full_matrices=True):
    return SVDResult(*_several(3, library.heddle_linalg_svd_with, x, thin=not full_matrices))


def svdvals(x, /):
    return Array(library.heddle_linalg_svdvals(x._handle))


def _norm(order):
    if order in ("fro", "nuc"):
        return {"kind": declared.enumerators["HEDDLE_NORM_FROBENIUS" if order == "fro" else "HEDDLE_NORM_NUCLEAR"]}
    return {"kind": declared.enumerators["HEDDLE_NORM_P"], "p": float(order)}


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    return Array(library.heddle_linalg_matrix_norm_with(x._handle, keepdims=keepdims, **_norm(ord)))


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    return Array(library.heddle_linalg_vector_norm_with(x._handle, axis=axis, keepdims=keepdims, **_norm(ord)))


def matrix_rank(x, /, *, rtol=None):
    return Array(library.heddle_linalg_matrix_rank_with(x._handle, rtol=None if rtol is None else as_handle(rtol)))


def pinv(x, /, *, rtol=None):
    return Array(library.heddle_linalg_pinv_with(x._handle, rtol=None if rtol is None else as_handle(rtol)))


def matrix_power(x, n, /):
    return Array(library.heddle_linalg_matrix_power(x._handle, n))


def cross(x1, x2, /, *, axis=-1):
    return Array(library.heddle_cross_with(x1._handle, x2._handle, axis=axis))


def diagonal(x, /, *, offset=0):
    return Array(library.heddle_diagonal_with(x._handle, offset=offset))


def trace(x, /, *, offset=0, dtype=None):
    return Array(library.heddle_trace_with(x._handle, offset=offset, dtype=dtype))


def outer(x1, x2, /):
    return Array(library.heddle_outer(x1._handle, x2._handle))


def cholesky(x, /, *, upper=False):
    return Array(library.heddle_linalg_cholesky_with(x._handle, upper=upper))


def qr(x, /, *, mode="reduced"):
    return QRResult(*_several(2, library.heddle_linalg_qr_with, x, complete=mode == "complete"))


def solve(x1, x2, /):
    return Array(library.heddle_linalg_solve(x1._handle, x2._handle))


def inv(x, /):
    return Array(library.heddle_linalg_inv(x._handle))


def det(x, /):
    return Array(library.heddle_linalg_det(x._handle))


def slogdet(x, /):
    return SlogdetResult(*_several(2, library.heddle_linalg_slogdet, x))
